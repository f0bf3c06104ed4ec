// SPDX-License-Identifier: Apache-2.0
// ReadWindow: what limits the bursts that a reading mover (sl_mm2s) has outstanding, at transaction
// level: a slot for each burst, and room in its buffer for a burst's beats.
//
// Time as HostPort. Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>

#include "host_port.hpp"

namespace sluice::sim {

class ReadWindow {
 public:
  // bursts: slots; beats: the buffer's; burst_beats: of the longest burst.
  ReadWindow(size_t bursts, uint64_t beats, uint64_t burst_beats)
      : slots_(bursts), beats_(beats), burst_beats_(burst_beats) {}

  // The cycle from which an address can be presented; kNever: not known yet.
  [[nodiscard]] uint64_t from(uint64_t cycle);
  // A burst was requested.
  void request(uint64_t beats) {
    slots_.pop_front();
    requested_ += beats;
  }
  // The last beat of a burst comes in `cycle`.
  void end(uint64_t cycle);
  // Beats that came, or could have come, from `cycle` on one a cycle leave the buffer.
  void leave(uint64_t cycle, uint32_t count);
  // The buffer is empty; bursts that are outstanding keep their slots.
  void clear() {
    requested_ = left_ = 0;
    leaving_.clear();
  }

 private:
  struct Run {  // of beats, one a cycle
    uint64_t cycle;
    uint32_t count;
  };

  std::deque<uint64_t> slots_;  // the cycle from which each is free
  uint64_t beats_;
  uint64_t burst_beats_;
  uint64_t requested_ = 0;   // beats since clear()
  uint64_t left_ = 0;        // beats that have left the buffer since then
  std::deque<Run> leaving_;  // those that follow
};

}  // namespace sluice::sim
