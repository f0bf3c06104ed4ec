// SPDX-License-Identifier: Apache-2.0
#include "sluice/sim/board.hpp"

#include <algorithm>

namespace sluice::sim {
namespace {

constexpr uint64_t kWatchCycles = 64;

}  // namespace

void Board::start() {
  design_->drive_control(control_.pins());
  design_->reset();
  if (model::Zynq7000* zynq = chip_->zynq())
    attach_zynq(*zynq, clock_.time_ps(1),
                [this](uint64_t offset, uint64_t bytes) { return ram(offset, bytes); });
}

void Board::edge() {
  ++cycle_;
  chip_->sample(now_ps());
  design_->rise();
  chip_->drive();
  design_->drive_control(control_.pins());
  design_->settle();
  if (watching_ && !chip_->idle()) watching_ = false;

  if (see_lines(design_->interrupts())) watching_ = false;
}

// An idle chip's outputs stay as they are. So a design that is the same, in every bit of its
// registers, as one cycle or kWatchCycles before, and had nothing to do with the chip since, will
// be the same again after any number of such steps.
void Board::watch() {
  const uint64_t since = cycle_ - watched_from_;
  if (watching_ && (since == 1 || since == kWatchCycles) && design_->state_kept(since)) {
    rest_cycles_ = since;
    return;
  }
  if (cycle_ % kWatchCycles != 0) return;
  watching_ = chip_->idle();
  watched_from_ = cycle_;
  if (watching_) design_->keep_state();
}

// As many whole steps as there are before a cycle.
void Board::pass(uint64_t cycle) {
  const uint64_t cycles = (cycle - cycle_) / rest_cycles_ * rest_cycles_;
  design_->skip(cycles);
  cycle_ += cycles;
  if (cycle_ < cycle) edge();
}

// An edge at which the chip works by itself and the design is the same as before.
void Board::chip_edge() {
  ++cycle_;
  design_->skip(1);
  chip_->advance_to(now_ps());
  see_lines(design_->interrupts());
}

void Board::disturb() {
  watching_ = false;
  rest_cycles_ = 0;
}

template <typename Done>
void Board::run(uint64_t time_ps, Done done) {
  time_ps = std::min(time_ps, kLatestPs);
  while (!done() && now_ps() < time_ps) {
    if (!design_rests()) watch();
    if (at_rest())
      pass(clock_.cycle_from(time_ps));
    else if (rest_cycles_ == 1)
      chip_edge();
    else
      edge();
  }
}

void Board::run_until_interrupt(uint64_t mask, uint64_t time_ps) {
  run(time_ps, [&] { return (interrupts() & mask) != 0; });
}

void Board::run_until_change(uint64_t time_ps) {
  run(time_ps, [this, before = interrupts()] { return interrupts() != before; });
}

uint64_t Board::ram_bytes() const {
  unsigned lanes = 0;
  while (!design_->ram(lanes).empty()) ++lanes;
  return lanes * lane_ram_bytes();
}

uint8_t* Board::ram(uint64_t offset, uint64_t bytes) {
  if (offset >= ram_bytes()) return nullptr;
  const uint64_t of_lane = lane_ram_bytes(), within = offset % of_lane;
  if (bytes > of_lane - within) return nullptr;
  return design_->ram(static_cast<unsigned>(offset / of_lane)).data() + within;
}

void Board::write_register(uint32_t offset, uint32_t value, uint8_t enables) {
  disturb();
  control_.write32(offset, value, enables);
}

uint32_t Board::read_register(uint32_t offset) {
  disturb();
  return control_.read32(offset);
}

}  // namespace sluice::sim
