// SPDX-License-Identifier: Apache-2.0
// A Verilated top as a Design: clock, reset, control port and interrupts, whose names are the same
// in every design.
#pragma once

#include <verilated.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "sluice/sim/design.hpp"

namespace sluice::sim {

[[noreturn]] inline void refuse_width(const char* design, unsigned width_bits) {
  throw std::invalid_argument(std::string(design) + " is not built for ports of " +
                              std::to_string(width_bits) + " bits");
}

// Between a pin and what the model makes of it. Wide ones are words of 32 bits to Verilator, of 64
// bits to the model; both least significant first, so on a little-endian host the bytes are the
// same.
template <typename To, typename From>
void copy_pin(To& to, const From& from) {
  if constexpr (std::is_integral_v<To> && std::is_integral_v<From>)
    to = static_cast<To>(from);
  else
    std::memcpy(&to, &from, std::min(sizeof to, sizeof from));
}

// Base is Design or an interface derived from it, whose pins the class derived from this has.
template <typename Base, typename Top>
class VerilatedDesign : public Base {
 public:
  explicit VerilatedDesign(const char* name) : top_(&context_, name) {}
  ~VerilatedDesign() override { top_.final(); }
  VerilatedDesign(const VerilatedDesign&) = delete;
  VerilatedDesign& operator=(const VerilatedDesign&) = delete;

  [[nodiscard]] uint64_t interrupts() const override { return top_.irq_o; }
  [[nodiscard]] unsigned interrupt_lines() const override { return 8 * sizeof top_.irq_o; }

  void sample_control(ControlOutputs& out) const override {
    out.awready = top_.s_axil_awready;
    out.wready = top_.s_axil_wready;
    out.bvalid = top_.s_axil_bvalid;
    out.bresp = top_.s_axil_bresp;
    out.arready = top_.s_axil_arready;
    out.rvalid = top_.s_axil_rvalid;
    out.rdata = top_.s_axil_rdata;
    out.rresp = top_.s_axil_rresp;
  }

  void drive_control(const ControlInputs& in) override {
    top_.s_axil_awvalid = in.awvalid;
    top_.s_axil_awaddr = in.awaddr;
    top_.s_axil_awprot = 0;
    top_.s_axil_wvalid = in.wvalid;
    top_.s_axil_wdata = in.wdata;
    top_.s_axil_wstrb = in.wstrb;
    top_.s_axil_bready = in.bready;
    top_.s_axil_arvalid = in.arvalid;
    top_.s_axil_araddr = in.araddr;
    top_.s_axil_arprot = 0;
    top_.s_axil_rready = in.rready;
  }

  void drive_reset(bool asserted) override { top_.rst_ni = !asserted; }

  void rise() override {
    top_.clk_i = 1;
    top_.eval();
  }

  void settle() override {
    top_.clk_i = 0;
    top_.eval();
  }

 protected:
  [[nodiscard]] Top& top() { return top_; }
  [[nodiscard]] const Top& top() const { return top_; }

 private:
  VerilatedContext context_;
  mutable Top top_;
};

}  // namespace sluice::sim
