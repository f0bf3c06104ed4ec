// SPDX-License-Identifier: Apache-2.0
#include "sluice/sim/logic_board.hpp"

#include <bit>

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

void LogicBoard::change_lines(uint64_t lines) {
  for (uint64_t risen = lines & ~interrupts_; risen != 0; risen &= risen - 1)
    rise_ps_[static_cast<unsigned>(std::countr_zero(risen))] = now_ps();
  interrupts_ = lines;
  if (lines_changed_) lines_changed_(now_ps(), lines);
}

}  // namespace sluice::sim
