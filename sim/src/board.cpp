// SPDX-License-Identifier: Apache-2.0
#include "sluice/sim/board.hpp"

#include <bit>
#include <cstdio>
#include <string>

namespace sluice::sim {
namespace {

constexpr unsigned kResetCycles = 16;
// A control port that has not answered by then never will: the slowest access of a design
// takes a few tens of cycles.
constexpr unsigned kControlTimeoutCycles = 10'000;
constexpr uint8_t kOkay = 0;

std::string describe(const char* access, uint32_t offset, const char* what) {
  char text[128];
  std::snprintf(text, sizeof text, "%s at control offset 0x%05x: %s", access, offset, what);
  return text;
}

const char* response_name(uint8_t response) {
  return response == static_cast<uint8_t>(model::Response::decerr) ? "DECERR" : "SLVERR";
}

}  // namespace

void Board::start() {
  design_->drive_reset(true);
  design_->drive_control(control_in_);
  for (unsigned i = 0; i < kResetCycles; ++i) {
    design_->rise();
    design_->settle();
  }
  design_->drive_reset(false);
  design_->settle();
}

void Board::edge() {
  ++cycle_;
  const uint64_t now = now_ps();
  chip_->sample(now);
  design_->rise();
  chip_->drive();
  design_->drive_control(control_in_);
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

template <typename Done>
void Board::clock_until(const char* access, uint32_t offset, Done done) {
  for (unsigned i = 0; i < kControlTimeoutCycles; ++i) {
    design_->sample_control(control_out_);
    const bool finished = done();
    edge();
    if (finished) return;
  }
  throw BusError(describe(access, offset, "the design does not answer"));
}

void Board::write32(uint32_t offset, uint32_t value) {
  spend(chip_->control_latency().write_ps);
  control_in_.awvalid = control_in_.wvalid = control_in_.bready = true;
  control_in_.awaddr = offset;
  control_in_.wdata = value;
  design_->drive_control(control_in_);
  design_->settle();
  uint8_t response = kOkay;
  clock_until("write", offset, [&] {
    if (control_in_.awvalid && control_out_.awready) control_in_.awvalid = false;
    if (control_in_.wvalid && control_out_.wready) control_in_.wvalid = false;
    if (!control_out_.bvalid) return false;
    control_in_.bready = false;
    response = control_out_.bresp;
    return true;
  });
  if (response != kOkay) throw BusError(describe("write", offset, response_name(response)));
}

uint32_t Board::read32(uint32_t offset) {
  // Half of the latency is on the way out, half on the way back.
  spend(chip_->control_latency().read_ps / 2);
  control_in_.arvalid = control_in_.rready = true;
  control_in_.araddr = offset;
  design_->drive_control(control_in_);
  design_->settle();
  uint8_t response = kOkay;
  uint32_t value = 0;
  clock_until("read", offset, [&] {
    if (control_in_.arvalid && control_out_.arready) control_in_.arvalid = false;
    if (!control_out_.rvalid) return false;
    control_in_.rready = false;
    response = control_out_.rresp;
    value = control_out_.rdata;
    return true;
  });
  spend(chip_->control_latency().read_ps / 2);
  if (response != kOkay) throw BusError(describe("read", offset, response_name(response)));
  return value;
}

}  // namespace sluice::sim
