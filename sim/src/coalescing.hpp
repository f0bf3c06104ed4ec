// SPDX-License-Identifier: Apache-2.0
// Coalescing: when a channel that takes descriptors interrupts, as sl_sg_irq: after so many
// completions, and when the last one is so long ago. Times are cycles of the logic's clock.
#pragma once

#include <cstdint>

namespace sluice::sim {

class Coalescing {
 public:
  static constexpr uint64_t kTickCycles = 125;  // the unit of the delay

  void reset() { *this = {}; }
  // Both begin their count anew. A threshold of 0 leaves the old one, a delay of 0 is none.
  void set_threshold(uint32_t completions) {
    if (completions != 0) threshold_ = completions;
    left_ = threshold_;
  }
  void set_delay(uint32_t ticks) {
    delay_cycles_ = ticks * kTickCycles;
    if (ticks == 0) running_ = false;
  }

  // A completion: true if it is the last that was to come.
  bool complete(uint64_t cycle) {
    running_ = delay_cycles_ != 0;
    since_ = cycle;
    if (--left_ != 0) return false;
    left_ = threshold_;
    return true;
  }
  // A packet has begun, or the channel is at work: the delay counts from now on.
  void restart_delay(uint64_t cycle) { since_ = cycle; }
  // The delay has passed: true once.
  bool delayed(uint64_t cycle) {
    if (!running_ || cycle < since_ + delay_cycles_ + 1) return false;
    running_ = false;
    left_ = threshold_;
    return true;
  }

  [[nodiscard]] uint32_t threshold() const { return threshold_; }
  [[nodiscard]] uint32_t left() const { return left_; }
  [[nodiscard]] bool running() const { return running_; }
  [[nodiscard]] uint32_t ticks_passed(uint64_t cycle) const {
    return running_ ? static_cast<uint32_t>((cycle - since_) / kTickCycles) : 0;
  }

 private:
  uint32_t threshold_ = 1;
  uint32_t left_ = 1;
  uint64_t delay_cycles_ = 0;
  uint64_t since_ = 0;
  bool running_ = false;
};

}  // namespace sluice::sim
