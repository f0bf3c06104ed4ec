// SPDX-License-Identifier: Apache-2.0
// A design behind one_port_design.sv, Verilated: what its inputs reach is evaluated when they
// change.
#pragma once

#include "sluice/sim/design.hpp"
#include "verilated_design.hpp"

namespace sluice::cosim {

template <typename Top>
class OnePortDesign final : public sim::VerilatedDesign<sim::HpDesign, Top> {
  using Base = sim::VerilatedDesign<sim::HpDesign, Top>;

 public:
  using Base::Base;

  [[nodiscard]] unsigned hp_ports() const override { return 1; }

  void drive_reset(bool asserted) override {
    Base::drive_reset(asserted);
    control_changed_ = true;
  }

  void drive_control(const sim::ControlInputs& in) override {
    if (in == control_) return;
    control_ = in;
    Base::drive_control(in);
    control_changed_ = true;
  }

  void sample_hp(unsigned /*port*/, model::HpInputs& in) const override {
    const Top& top = this->top();
    in.arvalid = top.m_axi_hp0_arvalid;
    in.arid = top.m_axi_hp0_arid;
    in.araddr = top.m_axi_hp0_araddr;
    in.arlen = top.m_axi_hp0_arlen;
    in.arsize = top.m_axi_hp0_arsize;
    in.arburst = top.m_axi_hp0_arburst;
    in.arlock = top.m_axi_hp0_arlock;
    in.arcache = top.m_axi_hp0_arcache;
    in.arprot = top.m_axi_hp0_arprot;
    in.rready = top.m_axi_hp0_rready;
    in.awvalid = top.m_axi_hp0_awvalid;
    in.awid = top.m_axi_hp0_awid;
    in.awaddr = top.m_axi_hp0_awaddr;
    in.awlen = top.m_axi_hp0_awlen;
    in.awsize = top.m_axi_hp0_awsize;
    in.awburst = top.m_axi_hp0_awburst;
    in.awlock = top.m_axi_hp0_awlock;
    in.awcache = top.m_axi_hp0_awcache;
    in.awprot = top.m_axi_hp0_awprot;
    in.wvalid = top.m_axi_hp0_wvalid;
    in.wid = top.m_axi_hp0_wid;
    in.wdata = top.m_axi_hp0_wdata;
    in.wstrb = top.m_axi_hp0_wstrb;
    in.wlast = top.m_axi_hp0_wlast;
    in.bready = top.m_axi_hp0_bready;
  }

  void drive_hp(unsigned /*port*/, const model::HpOutputs& out) override {
    Top& top = this->top();
    top.m_axi_hp0_arready = out.arready;
    top.m_axi_hp0_rvalid = out.rvalid;
    top.m_axi_hp0_rid = out.rid;
    top.m_axi_hp0_rdata = out.rdata;
    top.m_axi_hp0_rresp = out.rresp;
    top.m_axi_hp0_rlast = out.rlast;
    top.m_axi_hp0_awready = out.awready;
    top.m_axi_hp0_wready = out.wready;
    top.m_axi_hp0_bvalid = out.bvalid;
    top.m_axi_hp0_bid = out.bid;
    top.m_axi_hp0_bresp = out.bresp;
    port_changed_ = true;
  }

  void settle() override {
    this->top().control_changed_i ^= control_changed_;
    this->top().port_changed_i ^= port_changed_;
    control_changed_ = port_changed_ = false;
    Base::settle();
  }

 private:
  sim::ControlInputs control_;
  bool control_changed_ = true;
  bool port_changed_ = true;
};

}  // namespace sluice::cosim
