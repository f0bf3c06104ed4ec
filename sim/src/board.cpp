// SPDX-License-Identifier: Apache-2.0
#include "sluice/sim/board.hpp"

#include <bit>

namespace sluice::sim {

void Board::start() {
  design_->drive_control(control_.pins());
  design_->reset();
}

void Board::edge() {
  ++cycle_;
  const uint64_t now = now_ps();
  chip_->sample(now);
  design_->rise();
  chip_->drive();
  design_->drive_control(control_.pins());
  design_->settle();

  const uint64_t lines = design_->interrupts();
  for (uint64_t risen = lines & ~interrupts_; risen != 0; risen &= risen - 1)
    rise_ps_[static_cast<unsigned>(std::countr_zero(risen))] = now;
  interrupts_ = lines;
}

void Board::run_until(uint64_t time_ps) {
  while (now_ps() < time_ps) edge();
}

void Board::run_until_interrupt(uint64_t mask, uint64_t time_ps) {
  while ((interrupts_ & mask) == 0 && now_ps() < time_ps) edge();
}

void Board::write32(uint32_t offset, uint32_t value, uint8_t enables) {
  spend(chip_->control_latency().write_ps);
  control_.write32(offset, value, enables);
}

uint32_t Board::read32(uint32_t offset) {
  // Half of the latency is on the way out, half on the way back.
  spend(chip_->control_latency().read_ps / 2);
  const uint32_t value = control_.read32(offset);
  spend(chip_->control_latency().read_ps / 2);
  return value;
}

}  // namespace sluice::sim
