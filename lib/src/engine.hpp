// SPDX-License-Identifier: Apache-2.0
// What the drivers of all DMA engines share: a queue of transfers in front of a channel. A transfer
// moves through these states, and is owned as said:
//
//   queued     in waiting_            its buffers belong to the channel
//   started    at front of waiting_   its buffers belong to the engine; the first started() of them
//   completed  in done_               its buffers belong to the program again
//
// Of an engine that takes one transfer at a time (SerialChannel), a driver says how a transfer is
// programmed, started and collected; one that takes descriptors has more of them started.
#pragma once

#include <sluice.h>

#include <cstdint>
#include <deque>
#include <string>

#include "platform.hpp"

namespace sluice {

// The halves of an address, which engines have a register each for.
constexpr uint32_t low(uint64_t value) { return static_cast<uint32_t>(value); }
constexpr uint32_t high(uint64_t value) { return static_cast<uint32_t>(value >> 32); }

// What a channel of a card needs beside its registers: memory that engine and program share.
struct SharedMemory {
  static constexpr uint64_t kBytes = 12 * 1024;
  uint64_t address;  // bus address, a multiple of 4096
  uint8_t* data;     // kBytes, zeroed
};

class DmaChannel {
 public:
  struct Request {
    uint64_t address;  // bus address of the first byte; of a copy: of its source
    uint64_t bytes;    // 1 to the engine's longest transfer
    uint64_t cookie;
    uint32_t* users;           // of the buffer: counted up by submit(), down on completion
    uint64_t destination = 0;  // of a copy
    uint32_t* destination_users = nullptr;
    uint64_t card_offset = 0;  // in the card's memory, where that is the other side
  };

  virtual ~DmaChannel() = default;
  DmaChannel(const DmaChannel&) = delete;
  DmaChannel& operator=(const DmaChannel&) = delete;

  [[nodiscard]] size_t room() const { return SLUICE_QUEUE_DEPTH - waiting_.size(); }
  [[nodiscard]] bool idle() const { return waiting_.empty() && done_.empty(); }
  [[nodiscard]] bool has_completion() const { return !done_.empty(); }
  // Mask of the interrupt line if a transfer is in the engine, else 0.
  [[nodiscard]] virtual uint64_t expected_interrupt() const = 0;
  // After how long service() may find an end that no interrupt has told of.
  static constexpr uint64_t kNever = UINT64_MAX;
  [[nodiscard]] virtual uint64_t look_again_ns() const { return kNever; }
  // A completion is awaited by the change of a word of memory, and not by an interrupt.
  [[nodiscard]] virtual const MemoryWord* polled() const { return nullptr; }

  // Throws Error(EINVAL) for a request that the engine cannot do, beyond what its channel's info
  // says.
  virtual void check(const Request& request) const { static_cast<void>(request); }
  // Queue a request (room() > 0). It may wait for flush() to reach the engine.
  void submit(const Request& request);
  // What was queued reaches the engine as soon as it is free.
  virtual void flush() = 0;
  // Reset an engine once more that did not come out of its last reset; others are left alone.
  // Throws Error(ETIMEDOUT) if it does not now.
  void revive() {
    if (stuck_) reset();
  }
  // Take what the engine finished, and start what waits.
  virtual void service() = 0;
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

  void write(uint32_t offset, uint32_t value);
  // Spend what is left of the start cost since begin_ns, when the last write has taken what the one
  // before it took.
  void spend_start_cost(uint64_t begin_ns);
  // Of those that are not over: how many are in the engine, and each of them, oldest first.
  [[nodiscard]] size_t started() const { return started_; }
  [[nodiscard]] size_t waiting() const { return waiting_.size() - started_; }
  [[nodiscard]] const Request& request(size_t index) const { return waiting_[index].request; }
  // The first of waiting() is in the engine.
  void begin(uint64_t start_ns) { waiting_[started_++].start_ns = start_ns; }
  // The oldest is over. One that was not started has begun when it ends.
  void complete(const Outcome& outcome, uint64_t finish_ns);
  // Read `offset` until `mask` is 0; Error(ETIMEDOUT), naming the engine, if that does not happen.
  void wait_clear(uint32_t offset, uint32_t mask, const std::string& name);
  // The engine is as after a reset: what was queued is over.
  void cancel_all();

  Platform& platform_;
  unsigned interrupt_;  // line
  bool stuck_ = false;  // in a reset that did not end: what is queued may still be the engine's

 private:
  struct Queued {
    Request request;
    uint64_t start_ns;
  };

  std::deque<Queued> waiting_;
  size_t started_ = 0;
  uint32_t start_cost_ns_;
  uint64_t last_write_ns_ = 0;  // what the last write took
  std::deque<sluice_completion> done_;
};

// A channel of an engine that takes one transfer at a time.
class SerialChannel : public DmaChannel {
 public:
  [[nodiscard]] uint64_t expected_interrupt() const override {
    return started() != 0 ? uint64_t{1} << interrupt_ : 0;
  }
  void flush() override;
  void service() override;

 protected:
  using DmaChannel::DmaChannel;

  // Write everything but the last register, with write(), at least once; go() writes that.
  virtual void program(const Request& request) = 0;
  virtual void go(const Request& request) = 0;
  // Whether the interrupt line is high, by the status register.
  [[nodiscard]] virtual bool signals() = 0;
  // The interrupt line is high: read what became of the transfer, and clear the line.
  virtual Outcome collect(const Request& request) = 0;
  // The transfer failed and has been completed: make the engine usable again.
  virtual void recover() = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;
  // nullptr if the engine does not go that way.
  [[nodiscard]] virtual DmaChannel* find(sluice_direction direction) = 0;
};

}  // namespace sluice
