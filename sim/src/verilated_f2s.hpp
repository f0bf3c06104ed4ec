// SPDX-License-Identifier: Apache-2.0
// A Verilated top with one F2S port of a Cyclone V in use: m_axi_f2s0_*.
#pragma once

#include <cstring>

#include "verilated_design.hpp"

namespace sluice::sim {

template <typename Top>
class VerilatedF2sDesign final : public VerilatedDesign<F2sDesign, Top> {
 public:
  explicit VerilatedF2sDesign(const char* name) : VerilatedDesign<F2sDesign, Top>(name) {}

  [[nodiscard]] unsigned f2s_ports() const override { return 1; }

  void sample_f2s(unsigned /*port*/, model::F2sInputs& in) const override {
    const Top& pin = this->top();
    in.arvalid = pin.m_axi_f2s0_arvalid;
    in.arid = pin.m_axi_f2s0_arid;
    in.araddr = pin.m_axi_f2s0_araddr;
    in.arlen = pin.m_axi_f2s0_arlen;
    in.arsize = pin.m_axi_f2s0_arsize;
    in.arburst = pin.m_axi_f2s0_arburst;
    in.arlock = pin.m_axi_f2s0_arlock;
    in.arcache = pin.m_axi_f2s0_arcache;
    in.arprot = pin.m_axi_f2s0_arprot;
    in.rready = pin.m_axi_f2s0_rready;
    in.awvalid = pin.m_axi_f2s0_awvalid;
    in.awid = pin.m_axi_f2s0_awid;
    in.awaddr = pin.m_axi_f2s0_awaddr;
    in.awlen = pin.m_axi_f2s0_awlen;
    in.awsize = pin.m_axi_f2s0_awsize;
    in.awburst = pin.m_axi_f2s0_awburst;
    in.awlock = pin.m_axi_f2s0_awlock;
    in.awcache = pin.m_axi_f2s0_awcache;
    in.awprot = pin.m_axi_f2s0_awprot;
    in.wvalid = pin.m_axi_f2s0_wvalid;
    copy(&in.wdata, &pin.m_axi_f2s0_wdata, sizeof pin.m_axi_f2s0_wdata);
    in.wstrb = pin.m_axi_f2s0_wstrb;
    in.wlast = pin.m_axi_f2s0_wlast;
    in.bready = pin.m_axi_f2s0_bready;
  }

  void drive_f2s(unsigned /*port*/, const model::F2sOutputs& out) override {
    Top& pin = this->top();
    pin.m_axi_f2s0_arready = out.arready;
    pin.m_axi_f2s0_rvalid = out.rvalid;
    pin.m_axi_f2s0_rid = out.rid;
    copy(&pin.m_axi_f2s0_rdata, &out.rdata, sizeof pin.m_axi_f2s0_rdata);
    pin.m_axi_f2s0_rresp = out.rresp;
    pin.m_axi_f2s0_rlast = out.rlast;
    pin.m_axi_f2s0_awready = out.awready;
    pin.m_axi_f2s0_wready = out.wready;
    pin.m_axi_f2s0_bvalid = out.bvalid;
    pin.m_axi_f2s0_bid = out.bid;
    pin.m_axi_f2s0_bresp = out.bresp;
  }

 private:
  // A port's data is an integer or words of 32 bits to Verilator, words of 64 bits to the model;
  // both least significant first, so on a little-endian host the bytes are the same.
  static void copy(void* to, const void* from, size_t bytes) { std::memcpy(to, from, bytes); }
};

}  // namespace sluice::sim
