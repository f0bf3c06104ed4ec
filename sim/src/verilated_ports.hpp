// SPDX-License-Identifier: Apache-2.0
// A Verilated top as a design for the ports that its pins are those of: m_axi_hp0_* to m_axi_hp3_*,
// or the first one or two of them, of a Zynq-7000; m_axi_f2s0_* to m_axi_f2s2_* of a Cyclone V;
// m_axi_host_*, m_axi_card_* and s_axi_bar_* of a PCI Express card.
#pragma once

#include <bit>
#include <memory>

#include "sluice/sim/pcie_design.hpp"
#include "verilated_design.hpp"

namespace sluice::sim {

// The pins of a port, as X(prefix, pin): what its slave drives, and what its master does. A card's
// port has bursts of beats of its full width, and so the fewest pins; an HP port has the most.
#define SLUICE_SLAVE_PINS(X, prefix) \
  X(prefix, arready);                \
  X(prefix, rvalid);                 \
  X(prefix, rid);                    \
  X(prefix, rdata);                  \
  X(prefix, rresp);                  \
  X(prefix, rlast);                  \
  X(prefix, awready);                \
  X(prefix, wready);                 \
  X(prefix, bvalid);                 \
  X(prefix, bid);                    \
  X(prefix, bresp)
#define SLUICE_CARD_PINS(X, prefix) \
  X(prefix, arvalid);               \
  X(prefix, arid);                  \
  X(prefix, araddr);                \
  X(prefix, arlen);                 \
  X(prefix, rready);                \
  X(prefix, awvalid);               \
  X(prefix, awid);                  \
  X(prefix, awaddr);                \
  X(prefix, awlen);                 \
  X(prefix, wvalid);                \
  X(prefix, wdata);                 \
  X(prefix, wstrb);                 \
  X(prefix, wlast);                 \
  X(prefix, bready)
#define SLUICE_F2S_PINS(X, prefix) \
  SLUICE_CARD_PINS(X, prefix);     \
  X(prefix, arsize);               \
  X(prefix, arburst);              \
  X(prefix, arlock);               \
  X(prefix, arcache);              \
  X(prefix, arprot);               \
  X(prefix, awsize);               \
  X(prefix, awburst);              \
  X(prefix, awlock);               \
  X(prefix, awcache);              \
  X(prefix, awprot)
#define SLUICE_HP_PINS(X, prefix) \
  SLUICE_F2S_PINS(X, prefix);     \
  X(prefix, wid)

// From and to the pins of `top`.
#define SLUICE_SAMPLE(prefix, pin) copy_pin(in.pin, top.prefix##pin)
#define SLUICE_DRIVE(prefix, pin) copy_pin(top.prefix##pin, out.pin)

template <typename Top>
class VerilatedHpDesign : public VerilatedDesign<HpDesign, Top> {
 public:
  // on_acp: HP0 is wired to the ACP, and the others to nothing.
  explicit VerilatedHpDesign(const char* name, bool on_acp = false)
      : VerilatedDesign<HpDesign, Top>(name), on_acp_(on_acp) {}

  [[nodiscard]] unsigned hp_ports() const override { return on_acp_ ? 1 : kPorts; }
  [[nodiscard]] bool on_acp() const override { return on_acp_; }

  void sample_hp(unsigned port, model::HpInputs& in) const override {
    const Top& top = this->top();
    switch (port) {
      case 0: SLUICE_HP_PINS(SLUICE_SAMPLE, m_axi_hp0_); break;
      case 1:
        if constexpr (kPorts > 1) {
          SLUICE_HP_PINS(SLUICE_SAMPLE, m_axi_hp1_);
        }
        break;
      case 2:
        if constexpr (kPorts > 2) {
          SLUICE_HP_PINS(SLUICE_SAMPLE, m_axi_hp2_);
        }
        break;
      default:
        if constexpr (kPorts > 3) {
          SLUICE_HP_PINS(SLUICE_SAMPLE, m_axi_hp3_);
        }
        break;
    }
  }
  void drive_hp(unsigned port, const model::HpOutputs& out) override {
    Top& top = this->top();
    switch (port) {
      case 0: SLUICE_SLAVE_PINS(SLUICE_DRIVE, m_axi_hp0_); break;
      case 1:
        if constexpr (kPorts > 1) {
          SLUICE_SLAVE_PINS(SLUICE_DRIVE, m_axi_hp1_);
        }
        break;
      case 2:
        if constexpr (kPorts > 2) {
          SLUICE_SLAVE_PINS(SLUICE_DRIVE, m_axi_hp2_);
        }
        break;
      default:
        if constexpr (kPorts > 3) {
          SLUICE_SLAVE_PINS(SLUICE_DRIVE, m_axi_hp3_);
        }
        break;
    }
  }

 private:
  static constexpr unsigned kPorts = requires(Top& top) { top.m_axi_hp2_arvalid; }   ? 4
                                     : requires(Top& top) { top.m_axi_hp1_arvalid; } ? 2
                                                                                     : 1;

  bool on_acp_;
};

// The first ports are in use, as many as fit.
template <typename Top>
class VerilatedF2sDesign final : public VerilatedDesign<F2sDesign, Top> {
 public:
  using VerilatedDesign<F2sDesign, Top>::VerilatedDesign;

  [[nodiscard]] unsigned f2s_ports() const override {
    return F2sDesign::ports_at(8 * sizeof this->top().m_axi_f2s0_wdata);
  }

  void sample_f2s(unsigned port, model::F2sInputs& in) const override {
    const Top& top = this->top();
    switch (port) {
      case 0: SLUICE_F2S_PINS(SLUICE_SAMPLE, m_axi_f2s0_); break;
      case 1: SLUICE_F2S_PINS(SLUICE_SAMPLE, m_axi_f2s1_); break;
      default: SLUICE_F2S_PINS(SLUICE_SAMPLE, m_axi_f2s2_); break;
    }
  }
  void drive_f2s(unsigned port, const model::F2sOutputs& out) override {
    Top& top = this->top();
    switch (port) {
      case 0: SLUICE_SLAVE_PINS(SLUICE_DRIVE, m_axi_f2s0_); break;
      case 1: SLUICE_SLAVE_PINS(SLUICE_DRIVE, m_axi_f2s1_); break;
      default: SLUICE_SLAVE_PINS(SLUICE_DRIVE, m_axi_f2s2_); break;
    }
  }
};

template <typename Top>
class VerilatedPcieDesign final : public VerilatedDesign<PcieDesign, Top> {
 public:
  using VerilatedDesign<PcieDesign, Top>::VerilatedDesign;

  void drive_config(const PcieConfig& config) override {
    Top& top = this->top();
    top.cfg_bdf_i = config.bdf;
    top.cfg_max_payload_i = config.max_payload;
    top.cfg_max_read_request_i = config.max_read_request;
    top.cfg_msi_i = 0;
    top.cfg_msix_i = config.msix;
    top.cfg_msix_mask_i = 0;
    constexpr auto kSize = static_cast<uint8_t>(std::countr_zero(sizeof top.s_axi_bar_wdata));
    top.s_axi_bar_arsize = top.s_axi_bar_awsize = kSize;
    top.s_axi_bar_arburst = top.s_axi_bar_awburst = 1;
  }

  void sample_host(model::Axi4Inputs& in) const override {
    const Top& top = this->top();
    SLUICE_CARD_PINS(SLUICE_SAMPLE, m_axi_host_);
  }
  void drive_host(const model::Axi4Outputs& out) override {
    Top& top = this->top();
    SLUICE_SLAVE_PINS(SLUICE_DRIVE, m_axi_host_);
  }
  void sample_card(model::Axi4Inputs& in) const override {
    const Top& top = this->top();
    SLUICE_CARD_PINS(SLUICE_SAMPLE, m_axi_card_);
  }
  void drive_card(const model::Axi4Outputs& out) override {
    Top& top = this->top();
    SLUICE_SLAVE_PINS(SLUICE_DRIVE, m_axi_card_);
  }
  void sample_bar(model::Axi4Outputs& in) const override {
    const Top& top = this->top();
    SLUICE_SLAVE_PINS(SLUICE_SAMPLE, s_axi_bar_);
  }
  void drive_bar(const model::Axi4Inputs& out) override {
    Top& top = this->top();
    SLUICE_CARD_PINS(SLUICE_DRIVE, s_axi_bar_);
  }
};

#undef SLUICE_SLAVE_PINS
#undef SLUICE_CARD_PINS
#undef SLUICE_F2S_PINS
#undef SLUICE_HP_PINS
#undef SLUICE_SAMPLE
#undef SLUICE_DRIVE

// on_acp: of one for HP ports.
template <typename Top>
std::unique_ptr<Design> make_verilated(const char* name, [[maybe_unused]] bool on_acp) {
  if constexpr (requires(Top& top) { top.m_axi_host_arvalid; })
    return std::make_unique<VerilatedPcieDesign<Top>>(name);
  else if constexpr (requires(Top& top) { top.m_axi_f2s0_arvalid; })
    return std::make_unique<VerilatedF2sDesign<Top>>(name);
  else
    return std::make_unique<VerilatedHpDesign<Top>>(name, on_acp);
}

}  // namespace sluice::sim
