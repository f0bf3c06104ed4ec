// SPDX-License-Identifier: Apache-2.0
// User-space driver of sl_axi_dma (AMD PG021) in direct register mode.
//
// The engine takes one transfer a channel at a time; the queue is kept here. A transfer moves
// through these states, and is owned as said:
//
//   queued     in waiting_        its buffer belongs to the channel
//   started    front of waiting_  its buffer belongs to the engine (busy_ is true)
//   completed  in done_           its buffer belongs to the program again
//
// An error stops the engine, and only a reset, which covers both channels, starts it again
// (PG021): the transfer that failed completes with its error, every other one of the engine
// with -ECANCELED.
#pragma once

#include <sluice.h>

#include <array>
#include <cstdint>
#include <deque>
#include <string>

#include "platform.hpp"

namespace sluice {

class AxiDmaEngine;

class AxiDmaChannel {
 public:
  struct Request {
    uint64_t address;  // bus address of the first byte
    uint64_t bytes;    // 1 to the engine's longest transfer
    uint64_t cookie;
    uint32_t* users;  // of the buffer: counted up by submit(), down on completion
  };

  [[nodiscard]] size_t room() const;
  [[nodiscard]] bool idle() const { return waiting_.empty() && done_.empty(); }
  [[nodiscard]] bool has_completion() const { return !done_.empty(); }
  // Mask of the interrupt line if a transfer is in the engine, else 0.
  [[nodiscard]] uint64_t expected_interrupt() const {
    return busy_ ? uint64_t{1} << interrupt_ : 0;
  }

  // Queue a request (room() > 0) and start it if the engine is free.
  void submit(const Request& request);
  // Take what the engine finished, and start what waits.
  void service();
  // Oldest completion; there must be one.
  sluice_completion take_completion();

 private:
  friend class AxiDmaEngine;
  AxiDmaChannel(AxiDmaEngine& engine, sluice_direction direction, uint32_t base,
                unsigned interrupt);

  void start_next();
  void complete(int status, uint64_t bytes, uint64_t finish_ns);
  void cancel_all(uint64_t now_ns);

  AxiDmaEngine& engine_;
  sluice_direction direction_;
  uint32_t base_;         // of the channel's registers
  unsigned interrupt_;    // line
  bool running_ = false;  // RS is set and the interrupts are enabled
  bool busy_ = false;     // the front of waiting_ is in the engine
  uint64_t start_ns_ = 0;
  std::deque<Request> waiting_;
  std::deque<sluice_completion> done_;
};

class AxiDmaEngine {
 public:
  // `base` is the register page's offset; the interrupt lines are MM2S's and the next one.
  // start_cost_ns is the time to spend on each start, register accesses included.
  AxiDmaEngine(Platform& platform, std::string name, uint32_t base, unsigned first_interrupt,
               uint32_t start_cost_ns);
  AxiDmaEngine(const AxiDmaEngine&) = delete;
  AxiDmaEngine& operator=(const AxiDmaEngine&) = delete;

  [[nodiscard]] AxiDmaChannel& channel(sluice_direction direction) {
    return direction == SLUICE_MM2S ? mm2s_ : s2mm_;
  }

  // Reset both channels: what they hold completes with -ECANCELED. Throws Error(ETIMEDOUT) if
  // the reset does not end.
  void reset();

 private:
  friend class AxiDmaChannel;

  Platform& platform_;
  std::string name_;
  uint32_t start_cost_ns_;
  AxiDmaChannel mm2s_;
  AxiDmaChannel s2mm_;
};

}  // namespace sluice
