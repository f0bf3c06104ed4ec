// SPDX-License-Identifier: Apache-2.0
// What the drivers of all DMA engines share: a queue of transfers in front of a channel that takes
// one at a time. A transfer moves through these states, and is owned as said:
//
//   queued     in waiting_        its buffers belong to the channel
//   started    front of waiting_  its buffers belong to the engine (busy_ is true)
//   completed  in done_           its buffers belong to the program again
//
// A driver says how a transfer is programmed, started and collected; time, order and the cost of
// starting are kept here.
#pragma once

#include <sluice.h>

#include <cstdint>
#include <deque>
#include <string>

#include "platform.hpp"

namespace sluice {

class DmaChannel {
 public:
  struct Request {
    uint64_t address;  // bus address of the first byte; of a copy: of its source
    uint64_t bytes;    // 1 to the engine's longest transfer
    uint64_t cookie;
    uint32_t* users;           // of the buffer: counted up by submit(), down on completion
    uint64_t destination = 0;  // of a copy
    uint32_t* destination_users = nullptr;
  };

  virtual ~DmaChannel() = default;
  DmaChannel(const DmaChannel&) = delete;
  DmaChannel& operator=(const DmaChannel&) = delete;

  [[nodiscard]] size_t room() const { return SLUICE_QUEUE_DEPTH - waiting_.size(); }
  [[nodiscard]] bool idle() const { return waiting_.empty() && done_.empty(); }
  [[nodiscard]] bool has_completion() const { return !done_.empty(); }
  // Mask of the interrupt line if a transfer is in the engine, else 0.
  [[nodiscard]] uint64_t expected_interrupt() const {
    return busy_ ? uint64_t{1} << interrupt_ : 0;
  }

  // Queue a request (room() > 0) and start it if the engine is free.
  void submit(const Request& request);
  // Reset an engine once more that did not come out of its last reset; others are left alone.
  // Throws Error(ETIMEDOUT) if it does not now.
  void revive() {
    if (stuck_) reset();
  }
  // Take what the engine finished, and start what waits.
  void service();
  // Oldest completion; there must be one.
  sluice_completion take_completion();

  // Reset the engine: what it holds completes with -ECANCELED. Throws Error(ETIMEDOUT) if the
  // reset does not end.
  virtual void reset() = 0;

 protected:
  // start_cost_ns is the time to spend on each start, register accesses included.
  DmaChannel(Platform& platform, unsigned interrupt, uint32_t start_cost_ns)
      : platform_(platform), interrupt_(interrupt), start_cost_ns_(start_cost_ns) {}

  struct Outcome {
    int status;      // 0 or -errno, as in sluice_completion
    uint64_t bytes;  // moved
    bool end_of_packet;
  };

  // Write everything but the last register, with write(), at least once; go() writes that.
  virtual void program(const Request& request) = 0;
  virtual void go(const Request& request) = 0;
  // Whether the interrupt line is high, by the status register.
  [[nodiscard]] virtual bool signals() = 0;
  // The interrupt line is high: read what became of the transfer, and clear the line.
  virtual Outcome collect(const Request& request) = 0;
  // The transfer failed and has been completed: make the engine usable again.
  virtual void recover() = 0;

  void write(uint32_t offset, uint32_t value);
  // Read `offset` until `mask` is 0; Error(ETIMEDOUT), naming the engine, if that does not happen.
  void wait_clear(uint32_t offset, uint32_t mask, const std::string& name);
  // The engine is as after a reset: what was queued is over.
  void cancel_all();

  Platform& platform_;
  bool stuck_ = false;  // in a reset that did not end: what is queued may still be the engine's

 private:
  void start_next();
  void complete(const Outcome& outcome, uint64_t finish_ns);

  unsigned interrupt_;  // line
  uint32_t start_cost_ns_;
  bool busy_ = false;  // the front of waiting_ is in the engine
  uint64_t start_ns_ = 0;
  uint64_t last_write_ns_ = 0;  // what the last write took
  std::deque<Request> waiting_;
  std::deque<sluice_completion> done_;
};

class Engine {
 public:
  virtual ~Engine() = default;
  // nullptr if the engine does not go that way.
  [[nodiscard]] virtual DmaChannel* find(sluice_direction direction) = 0;
};

}  // namespace sluice
