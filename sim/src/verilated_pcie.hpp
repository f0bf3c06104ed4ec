// SPDX-License-Identifier: Apache-2.0
// A Verilated top with the pins of a PCI Express card: m_axi_host_*, m_axi_card_*, s_axi_bar_*.
#pragma once

#include <bit>

#include "sluice/sim/pcie_design.hpp"
#include "verilated_design.hpp"

namespace sluice::sim {

// Pins that a master drives and that a slave drives, for SLUICE_PIN(pin).
#define SLUICE_AXI4_INPUTS \
  SLUICE_PIN(arvalid);     \
  SLUICE_PIN(arid);        \
  SLUICE_PIN(araddr);      \
  SLUICE_PIN(arlen);       \
  SLUICE_PIN(rready);      \
  SLUICE_PIN(awvalid);     \
  SLUICE_PIN(awid);        \
  SLUICE_PIN(awaddr);      \
  SLUICE_PIN(awlen);       \
  SLUICE_PIN(wvalid);      \
  SLUICE_PIN(wdata);       \
  SLUICE_PIN(wstrb);       \
  SLUICE_PIN(wlast);       \
  SLUICE_PIN(bready)
#define SLUICE_AXI4_OUTPUTS \
  SLUICE_PIN(arready);      \
  SLUICE_PIN(rvalid);       \
  SLUICE_PIN(rid);          \
  SLUICE_PIN(rdata);        \
  SLUICE_PIN(rresp);        \
  SLUICE_PIN(rlast);        \
  SLUICE_PIN(awready);      \
  SLUICE_PIN(wready);       \
  SLUICE_PIN(bvalid);       \
  SLUICE_PIN(bid);          \
  SLUICE_PIN(bresp)

template <typename Top>
class VerilatedPcieDesign final : public VerilatedDesign<PcieDesign, Top> {
 public:
  VerilatedPcieDesign(const char* name, unsigned width_bits)
      : VerilatedDesign<PcieDesign, Top>(name), size_(size_of(width_bits)) {}

  void drive_config(const PcieConfig& config) override {
    Top& top = this->top();
    top.cfg_bdf_i = config.bdf;
    top.cfg_max_payload_i = config.max_payload;
    top.cfg_max_read_request_i = config.max_read_request;
    top.cfg_msi_i = 0;
    top.cfg_msix_i = config.msix;
    top.cfg_msix_mask_i = 0;
    top.s_axi_bar_arsize = top.s_axi_bar_awsize = size_;
    top.s_axi_bar_arburst = top.s_axi_bar_awburst = 1;
  }

  void sample_host(model::Axi4Inputs& in) const override {
    const Top& top = this->top();
#define SLUICE_PIN(pin) copy_pin(in.pin, top.m_axi_host_##pin)
    SLUICE_AXI4_INPUTS;
#undef SLUICE_PIN
  }
  void drive_host(const model::Axi4Outputs& out) override {
    Top& top = this->top();
#define SLUICE_PIN(pin) copy_pin(top.m_axi_host_##pin, out.pin)
    SLUICE_AXI4_OUTPUTS;
#undef SLUICE_PIN
  }
  void sample_card(model::Axi4Inputs& in) const override {
    const Top& top = this->top();
#define SLUICE_PIN(pin) copy_pin(in.pin, top.m_axi_card_##pin)
    SLUICE_AXI4_INPUTS;
#undef SLUICE_PIN
  }
  void drive_card(const model::Axi4Outputs& out) override {
    Top& top = this->top();
#define SLUICE_PIN(pin) copy_pin(top.m_axi_card_##pin, out.pin)
    SLUICE_AXI4_OUTPUTS;
#undef SLUICE_PIN
  }
  void sample_bar(model::Axi4Outputs& in) const override {
    const Top& top = this->top();
#define SLUICE_PIN(pin) copy_pin(in.pin, top.s_axi_bar_##pin)
    SLUICE_AXI4_OUTPUTS;
#undef SLUICE_PIN
  }
  void drive_bar(const model::Axi4Inputs& out) override {
    Top& top = this->top();
#define SLUICE_PIN(pin) copy_pin(top.s_axi_bar_##pin, out.pin)
    SLUICE_AXI4_INPUTS;
#undef SLUICE_PIN
  }

 private:
  static uint8_t size_of(unsigned width_bits) {
    return static_cast<uint8_t>(std::countr_zero(width_bits / 8));
  }

  uint8_t size_;
};

#undef SLUICE_AXI4_INPUTS
#undef SLUICE_AXI4_OUTPUTS

}  // namespace sluice::sim
