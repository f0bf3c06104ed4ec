// SPDX-License-Identifier: Apache-2.0
// A Verilated top with the four HP ports of a Zynq-7000, m_axi_hp0_* to m_axi_hp3_*, or with the
// first one or two of them.
#pragma once

#include <array>

#include "verilated_design.hpp"

namespace sluice::sim {

// The pins of one HP port of a Verilated top, which names each of them apart. Data is what
// VlWide-free Verilator makes of a 32 or 64-bit vector: IData or QData.
template <typename Data>
struct HpPins {
  const CData *arvalid, *arid, *arlen, *arsize, *arburst, *arlock, *arcache, *arprot;
  const IData* araddr;
  const CData* rready;
  const CData *awvalid, *awid, *awlen, *awsize, *awburst, *awlock, *awcache, *awprot;
  const IData* awaddr;
  const CData *wvalid, *wid, *wstrb, *wlast, *bready;
  const Data* wdata;
  CData *arready, *rvalid, *rid, *rresp, *rlast;
  Data* rdata;
  CData *awready, *wready, *bvalid, *bid, *bresp;
};

#define SLUICE_PIN(port, pin) .pin = &top.m_axi_hp##port##_##pin
// In the order of HpPins, as designated initialisers must be.
#define SLUICE_HP_PINS(port)                                                        \
  {SLUICE_PIN(port, arvalid), SLUICE_PIN(port, arid),    SLUICE_PIN(port, arlen),   \
   SLUICE_PIN(port, arsize),  SLUICE_PIN(port, arburst), SLUICE_PIN(port, arlock),  \
   SLUICE_PIN(port, arcache), SLUICE_PIN(port, arprot),  SLUICE_PIN(port, araddr),  \
   SLUICE_PIN(port, rready),  SLUICE_PIN(port, awvalid), SLUICE_PIN(port, awid),    \
   SLUICE_PIN(port, awlen),   SLUICE_PIN(port, awsize),  SLUICE_PIN(port, awburst), \
   SLUICE_PIN(port, awlock),  SLUICE_PIN(port, awcache), SLUICE_PIN(port, awprot),  \
   SLUICE_PIN(port, awaddr),  SLUICE_PIN(port, wvalid),  SLUICE_PIN(port, wid),     \
   SLUICE_PIN(port, wstrb),   SLUICE_PIN(port, wlast),   SLUICE_PIN(port, bready),  \
   SLUICE_PIN(port, wdata),   SLUICE_PIN(port, arready), SLUICE_PIN(port, rvalid),  \
   SLUICE_PIN(port, rid),     SLUICE_PIN(port, rresp),   SLUICE_PIN(port, rlast),   \
   SLUICE_PIN(port, rdata),   SLUICE_PIN(port, awready), SLUICE_PIN(port, wready),  \
   SLUICE_PIN(port, bvalid),  SLUICE_PIN(port, bid),     SLUICE_PIN(port, bresp)}

template <typename Top, typename Data>
class VerilatedHpDesign : public VerilatedDesign<HpDesign, Top> {
 public:
  // on_acp: HP0 is wired to the ACP, and the others to nothing.
  explicit VerilatedHpDesign(const char* name, bool on_acp = false)
      : VerilatedDesign<HpDesign, Top>(name), on_acp_(on_acp), pins_(bind(this->top())) {}

  [[nodiscard]] unsigned hp_ports() const override { return on_acp_ ? 1 : kPorts; }
  [[nodiscard]] bool on_acp() const override { return on_acp_; }

  void sample_hp(unsigned port, model::HpInputs& in) const override {
    const HpPins<Data>& pin = pins_[port];
    in.arvalid = *pin.arvalid;
    in.arid = *pin.arid;
    in.araddr = *pin.araddr;
    in.arlen = *pin.arlen;
    in.arsize = *pin.arsize;
    in.arburst = *pin.arburst;
    in.arlock = *pin.arlock;
    in.arcache = *pin.arcache;
    in.arprot = *pin.arprot;
    in.rready = *pin.rready;
    in.awvalid = *pin.awvalid;
    in.awid = *pin.awid;
    in.awaddr = *pin.awaddr;
    in.awlen = *pin.awlen;
    in.awsize = *pin.awsize;
    in.awburst = *pin.awburst;
    in.awlock = *pin.awlock;
    in.awcache = *pin.awcache;
    in.awprot = *pin.awprot;
    in.wvalid = *pin.wvalid;
    in.wid = *pin.wid;
    in.wdata = *pin.wdata;
    in.wstrb = *pin.wstrb;
    in.wlast = *pin.wlast;
    in.bready = *pin.bready;
  }

  void drive_hp(unsigned port, const model::HpOutputs& out) override {
    const HpPins<Data>& pin = pins_[port];
    *pin.arready = out.arready;
    *pin.rvalid = out.rvalid;
    *pin.rid = out.rid;
    *pin.rdata = static_cast<Data>(out.rdata);
    *pin.rresp = out.rresp;
    *pin.rlast = out.rlast;
    *pin.awready = out.awready;
    *pin.wready = out.wready;
    *pin.bvalid = out.bvalid;
    *pin.bid = out.bid;
    *pin.bresp = out.bresp;
  }

 private:
  static constexpr unsigned kPorts = requires(Top& top) { top.m_axi_hp2_arvalid; }   ? 4
                                     : requires(Top& top) { top.m_axi_hp1_arvalid; } ? 2
                                                                                     : 1;

  // A template, so that ports that the top has not are not named.
  template <typename T>
  static std::array<HpPins<Data>, kPorts> bind(T& top) {
    if constexpr (kPorts == 4)
      return {HpPins<Data> SLUICE_HP_PINS(0), HpPins<Data> SLUICE_HP_PINS(1),
              HpPins<Data> SLUICE_HP_PINS(2), HpPins<Data> SLUICE_HP_PINS(3)};
    else if constexpr (kPorts == 2)
      return {HpPins<Data> SLUICE_HP_PINS(0), HpPins<Data> SLUICE_HP_PINS(1)};
    else
      return {HpPins<Data> SLUICE_HP_PINS(0)};
  }

  bool on_acp_;
  std::array<HpPins<Data>, kPorts> pins_;
};

#undef SLUICE_HP_PINS
#undef SLUICE_PIN

}  // namespace sluice::sim
