// SPDX-License-Identifier: Apache-2.0
#include "sluice/sim/logic_board.hpp"

#include <bit>

#include "sluice/sim/design.hpp"

namespace sluice::sim {

void LogicBoard::write32(uint32_t offset, uint32_t value, uint8_t enables) {
  run_until(now_ps() + control_latency().write_ps);
  write_register(offset, value, enables);
}

uint32_t LogicBoard::read32(uint32_t offset) {
  // Half of the latency is on the way out, half on the way back.
  run_until(now_ps() + control_latency().read_ps / 2);
  const uint32_t value = read_register(offset);
  run_until(now_ps() + control_latency().read_ps / 2);
  return value;
}

void LogicBoard::write_dmac(uint32_t offset, uint32_t value) {
  zynq_->dmac().write(offset, value);
  see_lines(interrupts_ & ((uint64_t{1} << kDmacLine) - 1));
}

void LogicBoard::attach_zynq(model::Zynq7000& zynq, uint64_t cycle_ps, Ram ram) {
  zynq_ = &zynq;
  zynq.dmac_paths().attach_logic(
      cycle_ps, [ram = std::move(ram)](uint64_t address, uint64_t bytes) -> uint8_t* {
        return address < kRamAddress ? nullptr : ram(address - kRamAddress, bytes);
      });
}

void LogicBoard::change_lines(uint64_t lines) {
  for (uint64_t risen = lines & ~interrupts_; risen != 0; risen &= risen - 1)
    rise_ps_[static_cast<unsigned>(std::countr_zero(risen))] = now_ps();
  interrupts_ = lines;
  if (lines_changed_) lines_changed_(now_ps(), lines);
}

}  // namespace sluice::sim
