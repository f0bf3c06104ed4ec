// SPDX-License-Identifier: Apache-2.0
// A Verilated top with F2S ports of a Cyclone V, the first ones of which are in use: m_axi_f2s0_*
// to m_axi_f2s2_*.
#pragma once

#include "verilated_design.hpp"

namespace sluice::sim {

// Every pin of a port, for SLUICE_PIN(port, pin): of the logic, and of the board.
#define SLUICE_F2S_OUTPUTS(port) \
  SLUICE_PIN(port, arvalid);     \
  SLUICE_PIN(port, arid);        \
  SLUICE_PIN(port, araddr);      \
  SLUICE_PIN(port, arlen);       \
  SLUICE_PIN(port, arsize);      \
  SLUICE_PIN(port, arburst);     \
  SLUICE_PIN(port, arlock);      \
  SLUICE_PIN(port, arcache);     \
  SLUICE_PIN(port, arprot);      \
  SLUICE_PIN(port, rready);      \
  SLUICE_PIN(port, awvalid);     \
  SLUICE_PIN(port, awid);        \
  SLUICE_PIN(port, awaddr);      \
  SLUICE_PIN(port, awlen);       \
  SLUICE_PIN(port, awsize);      \
  SLUICE_PIN(port, awburst);     \
  SLUICE_PIN(port, awlock);      \
  SLUICE_PIN(port, awcache);     \
  SLUICE_PIN(port, awprot);      \
  SLUICE_PIN(port, wvalid);      \
  SLUICE_PIN(port, wdata);       \
  SLUICE_PIN(port, wstrb);       \
  SLUICE_PIN(port, wlast);       \
  SLUICE_PIN(port, bready)
#define SLUICE_F2S_INPUTS(port) \
  SLUICE_PIN(port, arready);    \
  SLUICE_PIN(port, rvalid);     \
  SLUICE_PIN(port, rid);        \
  SLUICE_PIN(port, rdata);      \
  SLUICE_PIN(port, rresp);      \
  SLUICE_PIN(port, rlast);      \
  SLUICE_PIN(port, awready);    \
  SLUICE_PIN(port, wready);     \
  SLUICE_PIN(port, bvalid);     \
  SLUICE_PIN(port, bid);        \
  SLUICE_PIN(port, bresp)

template <typename Top>
class VerilatedF2sDesign final : public VerilatedDesign<F2sDesign, Top> {
 public:
  VerilatedF2sDesign(const char* name, unsigned ports)
      : VerilatedDesign<F2sDesign, Top>(name), ports_(ports) {}

  [[nodiscard]] unsigned f2s_ports() const override { return ports_; }

  void sample_f2s(unsigned port, model::F2sInputs& in) const override {
    const Top& top = this->top();
#define SLUICE_PIN(number, pin) copy_pin(in.pin, top.m_axi_f2s##number##_##pin)
    switch (port) {
      case 0: SLUICE_F2S_OUTPUTS(0); break;
      case 1: SLUICE_F2S_OUTPUTS(1); break;
      default: SLUICE_F2S_OUTPUTS(2); break;
    }
#undef SLUICE_PIN
  }

  void drive_f2s(unsigned port, const model::F2sOutputs& out) override {
    Top& top = this->top();
#define SLUICE_PIN(number, pin) copy_pin(top.m_axi_f2s##number##_##pin, out.pin)
    switch (port) {
      case 0: SLUICE_F2S_INPUTS(0); break;
      case 1: SLUICE_F2S_INPUTS(1); break;
      default: SLUICE_F2S_INPUTS(2); break;
    }
#undef SLUICE_PIN
  }

 private:
  unsigned ports_;
};

#undef SLUICE_F2S_OUTPUTS
#undef SLUICE_F2S_INPUTS

}  // namespace sluice::sim
