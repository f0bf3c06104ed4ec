// SPDX-License-Identifier: Apache-2.0
// LogicBoard: what a board is to the processor beside its logic: a control port, interrupt lines,
// memory, and time, whether there is RTL behind it (Board) or transactions (TransactionBoard).
//
// Time passes only inside the accesses and the run functions, in whole cycles of the logic's clock.
// Where nothing moves any more it passes at once. A Zynq's DMA controller (model::Pl330) works
// beside the logic; what it does is seen at the next edge of the logic's clock. Deterministic: the
// same calls give the same result to the picosecond. Not thread-safe; boards are independent of
// each other.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "sluice/model/memory.hpp"
#include "sluice/model/statistics.hpp"
#include "sluice/sim/chip.hpp"

namespace sluice::sim {

class LogicBoard {
 public:
  static constexpr unsigned kInterruptLines = 64;
  // Lines from here on are those of the DMA controller, in its order; below are the logic's.
  static constexpr unsigned kDmacLine = 32;
  static constexpr uint64_t kLatestPs = 5ULL * 3600 * 1'000'000'000'000;  // what Clock counts

  virtual ~LogicBoard() = default;

  // One access of the CPU through the general-purpose port, at a byte offset of the design's
  // control space. write32() returns when the write has been acknowledged; bit i of enables says
  // that byte i of value is written.
  uint32_t read32(uint32_t offset);
  void write32(uint32_t offset, uint32_t value, uint8_t enables = 0xf);

  // The same, from the logic's own edge: without the way between the CPU and the control port,
  // which takes control_latency().
  virtual uint32_t read_register(uint32_t offset) = 0;
  virtual void write_register(uint32_t offset, uint32_t value, uint8_t enables) = 0;
  [[nodiscard]] virtual ControlLatency control_latency() const = 0;

  [[nodiscard]] virtual uint64_t now_ps() const = 0;
  [[nodiscard]] virtual uint64_t cycles() const = 0;
  // Nothing moves until the next access to the control port.
  [[nodiscard]] virtual bool at_rest() const = 0;

  // Nothing moves before then either, unless the control port is accessed; now_ps(): it may.
  [[nodiscard]] virtual uint64_t quiet_until_ps() const { return now_ps(); }

  // Run to the first clock edge at or after time_ps, at most to kLatestPs.
  void run_until(uint64_t time_ps) { run_until_interrupt(0, time_ps); }
  // The same, but stop after the edge at which a line of mask is high.
  virtual void run_until_interrupt(uint64_t mask, uint64_t time_ps) = 0;
  // The same, but stop after the edge at which a line goes high or low.
  virtual void run_until_change(uint64_t time_ps) = 0;

  // The registers of the DMA controller, 32 bits at a multiple of 4, without the way there.
  [[nodiscard]] bool has_dmac() const { return zynq_ != nullptr; }
  uint32_t read_dmac(uint32_t offset) { return zynq_->dmac().read(offset); }
  void write_dmac(uint32_t offset, uint32_t value);
  // What its memory system has done for the logic and that controller; of a Zynq (has_dmac()).
  [[nodiscard]] model::Statistics memory_statistics() const { return zynq_->statistics(); }

  [[nodiscard]] uint64_t interrupts() const { return interrupts_; }
  // Time of the edge after which `line` (below kInterruptLines) last went from low to high.
  [[nodiscard]] uint64_t interrupt_rise_ps(unsigned line) const { return rise_ps_.at(line); }
  // `changed` is called at each edge after which other lines are high, with its time and the lines.
  using LinesChanged = std::function<void(uint64_t time_ps, uint64_t lines)>;
  void observe_interrupts(LinesChanged changed) { lines_changed_ = std::move(changed); }

  [[nodiscard]] virtual model::Memory& memory() = 0;
  // Beside that, at an address of its own; nullptr: there is none.
  [[nodiscard]] virtual model::Memory* on_chip_memory() { return nullptr; }

 protected:
  // Lines of the logic that are high, beside those of the DMA controller. Whether any has changed.
  bool see_lines(uint64_t of_logic) {
    if (zynq_ != nullptr) of_logic |= uint64_t{zynq_->dmac().lines()} << kDmacLine;
    if (of_logic == interrupts_) return false;
    change_lines(of_logic);
    return true;
  }
  // A Zynq around the logic: its DMA controller reaches what `ram` finds, see Board::ram(), where
  // the processor does. While nothing is under way.
  using Ram = std::function<uint8_t*(uint64_t offset, uint64_t bytes)>;
  void attach_zynq(model::Zynq7000& zynq, uint64_t cycle_ps, Ram ram);
  // The DMA controller works.
  [[nodiscard]] bool dmac_works() const { return zynq_ != nullptr && !zynq_->dmac_quiet(); }

 private:
  void change_lines(uint64_t lines);

  model::Zynq7000* zynq_ = nullptr;
  uint64_t interrupts_ = 0;
  std::array<uint64_t, kInterruptLines> rise_ps_{};
  LinesChanged lines_changed_;
};

}  // namespace sluice::sim
