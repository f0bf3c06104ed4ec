// SPDX-License-Identifier: Apache-2.0
#include "sluice/sim/control_port.hpp"

#include <cstdio>
#include <string>

namespace sluice::sim {
namespace {

// A control port that has not answered by then never will: the slowest access of a design
// takes a few tens of cycles.
constexpr unsigned kTimeoutCycles = 10'000;
constexpr uint8_t kOkay = 0;

std::string describe(const char* access, uint32_t offset, const char* what) {
  char text[128];
  std::snprintf(text, sizeof text, "%s at control offset 0x%05x: %s", access, offset, what);
  return text;
}

void check(const char* access, uint32_t offset, uint8_t response) {
  if (response == kOkay) return;
  const bool decode = response == static_cast<uint8_t>(model::Response::decerr);
  throw BusError(describe(access, offset, decode ? "DECERR" : "SLVERR"));
}

// The pins have no more bits: an address beyond them would be that of another register.
void check_offset(const char* access, uint32_t offset) {
  if (offset >= kControlSpaceBytes)
    throw BusError(describe(access, offset, "beyond the control space of 1 MiB"));
}

}  // namespace

template <typename Done>
void ControlPort::clock_until(const char* access, uint32_t offset, Done done) {
  design_.drive_control(in_);
  design_.settle();
  for (unsigned i = 0; i < kTimeoutCycles; ++i) {
    design_.sample_control(out_);
    const bool finished = done();
    edge_();
    if (finished) return;
  }
  throw BusError(describe(access, offset, "the design does not answer"));
}

void ControlPort::write32(uint32_t offset, uint32_t value, uint8_t enables) {
  check_offset("write", offset);
  in_.awvalid = in_.wvalid = in_.bready = true;
  in_.awaddr = offset;
  in_.wdata = value;
  in_.wstrb = enables;
  uint8_t response = kOkay;
  clock_until("write", offset, [&] {
    if (in_.awvalid && out_.awready) in_.awvalid = false;
    if (in_.wvalid && out_.wready) in_.wvalid = false;
    if (!out_.bvalid) return false;
    in_.bready = false;
    response = out_.bresp;
    return true;
  });
  check("write", offset, response);
}

uint32_t ControlPort::read32(uint32_t offset) {
  check_offset("read", offset);
  in_.arvalid = in_.rready = true;
  in_.araddr = offset;
  uint8_t response = kOkay;
  uint32_t value = 0;
  clock_until("read", offset, [&] {
    if (in_.arvalid && out_.arready) in_.arvalid = false;
    if (!out_.rvalid) return false;
    in_.rready = false;
    response = out_.rresp;
    value = out_.rdata;
    return true;
  });
  check("read", offset, response);
  return value;
}

}  // namespace sluice::sim
