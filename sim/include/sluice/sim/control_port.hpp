// SPDX-License-Identifier: Apache-2.0
// ControlPort: the master on a design's AXI4-Lite control port, one access at a time.
//
// Whoever clocks the design gives it what it drives, pins(), at each edge; an access calls for
// edges until it has been answered. Not thread-safe.
//
// Errors: BusError, when the design answers with an error, or not within 10,000 cycles, or the
// offset is beyond kControlSpaceBytes.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>

#include "sluice/sim/design.hpp"

namespace sluice::sim {

class BusError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ControlPort {
 public:
  // edge: one clock edge of the design and all that is around it. Both must live as long as this.
  ControlPort(Design& design, std::function<void()> edge)
      : design_(design), edge_(std::move(edge)) {}
  ControlPort(const ControlPort&) = delete;
  ControlPort& operator=(const ControlPort&) = delete;

  // offset: in bytes, of the design's control space. write32() returns when the write has been
  // acknowledged; bit i of enables says that byte i of value is written.
  void write32(uint32_t offset, uint32_t value, uint8_t enables = 0xf);
  uint32_t read32(uint32_t offset);

  [[nodiscard]] const ControlInputs& pins() const { return in_; }

 private:
  // Puts pins() on the design, then clocks until done() holds; throws BusError naming the access
  // if that takes too long.
  template <typename Done>
  void clock_until(const char* access, uint32_t offset, Done done);

  Design& design_;
  std::function<void()> edge_;
  ControlInputs in_{};
  ControlOutputs out_{};
};

}  // namespace sluice::sim
