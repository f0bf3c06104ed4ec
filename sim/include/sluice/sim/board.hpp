// SPDX-License-Identifier: Apache-2.0
// Board: a design joined to the memory system of a chip, and the chip's own view of it:
// a control port, interrupt lines, memory, and simulated time.
//
// Time passes only inside write32(), read32() and the run functions, in whole cycles of the
// logic's clock. Where nothing moves any more, in the design or the memory, it passes at once.
// Deterministic: the same calls give the same result to the picosecond. Not thread-safe; boards are
// independent of each other.
//
// Errors: BusError, when the control port answers with an error; DesignFault, when an assertion
// of the RTL fails; model::AxiProtocolError, when the design breaks the rules of a port.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "sluice/model/clock.hpp"
#include "sluice/sim/chip.hpp"
#include "sluice/sim/control_port.hpp"
#include "sluice/sim/design.hpp"

namespace sluice::sim {

class Board {
 public:
  static constexpr unsigned kInterruptLines = 64;

  // Params are those of a make_chip(). clock_mhz is the clock of the logic and of all ports. The
  // design is out of reset when the constructor returns.
  template <typename Params>
  Board(const Params& memory_system, std::unique_ptr<Design> design, unsigned width_bits,
        double clock_mhz)
      : design_(std::move(design)),
        chip_(make_chip(memory_system, *design_, width_bits)),
        clock_(clock_mhz),
        control_(*design_, [this] { edge(); }) {
    start();
  }

  // One access of the CPU through the general-purpose port, at a byte offset of the design's
  // control space. write32() returns when the write has been acknowledged; bit i of enables says
  // that byte i of value is written.
  uint32_t read32(uint32_t offset);
  void write32(uint32_t offset, uint32_t value, uint8_t enables = 0xf);

  // The same, from the logic's own edge: without the way between the CPU and the control port.
  uint32_t read_register(uint32_t offset);
  void write_register(uint32_t offset, uint32_t value, uint8_t enables = 0xf);

  [[nodiscard]] uint64_t now_ps() const { return clock_.time_ps(cycle_); }
  [[nodiscard]] uint64_t cycles() const { return cycle_; }

  // Nothing moves until the next access to the control port.
  [[nodiscard]] bool at_rest() const { return rest_cycles_ != 0; }

  static constexpr uint64_t kLatestPs = 5ULL * 3600 * 1'000'000'000'000;  // what Clock counts
  // Run to the first clock edge at or after time_ps, at most to kLatestPs.
  void run_until(uint64_t time_ps) { run_until_interrupt(0, time_ps); }
  // The same, but stop after the edge at which a line of mask is high.
  void run_until_interrupt(uint64_t mask, uint64_t time_ps);
  // The same, but stop after the edge at which a line goes high or low.
  void run_until_change(uint64_t time_ps);

  [[nodiscard]] uint64_t interrupts() const { return interrupts_; }
  // Time of the edge after which `line` (below kInterruptLines) last went from low to high.
  [[nodiscard]] uint64_t interrupt_rise_ps(unsigned line) const { return rise_ps_.at(line); }

  // `changed` is called at each edge after which other lines are high, with its time and the lines.
  using LinesChanged = std::function<void(uint64_t time_ps, uint64_t lines)>;
  void observe_interrupts(LinesChanged changed) { lines_changed_ = std::move(changed); }

  [[nodiscard]] model::Memory& memory() { return chip_->memory(); }
  // The block RAM of the design's lanes (design.hpp), in bytes: of all, and of a lane.
  [[nodiscard]] uint64_t ram_bytes() const;
  [[nodiscard]] uint64_t lane_ram_bytes() const { return design_->ram(0).size(); }
  // Bytes of it, counted from the first lane's, that lie in one lane's; else nullptr.
  [[nodiscard]] uint8_t* ram(uint64_t offset, uint64_t bytes);
  [[nodiscard]] const Chip& chip() const { return *chip_; }

 private:
  void start();
  void edge();
  void watch();
  void pass(uint64_t cycle);
  void disturb();
  template <typename Done>
  void run(uint64_t time_ps, Done done);
  void spend(uint64_t ps) { run_until(now_ps() + ps); }

  std::unique_ptr<Design> design_;
  std::unique_ptr<Chip> chip_;
  model::Clock clock_;
  uint64_t cycle_ = 0;
  bool watching_ = false;  // nothing has moved at the ports since watched_from_
  uint64_t watched_from_ = 0;
  uint64_t rest_cycles_ = 0;  // the design is the same again after so many; 0: not known
  uint64_t interrupts_ = 0;
  std::array<uint64_t, kInterruptLines> rise_ps_{};
  LinesChanged lines_changed_;
  ControlPort control_;
};

}  // namespace sluice::sim
