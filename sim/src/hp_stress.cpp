// SPDX-License-Identifier: Apache-2.0
#include "hp_stress.hpp"

#include <Vhp_stress_w32.h>
#include <Vhp_stress_w64.h>
#include <verilated.h>

#include <array>
#include <string>

namespace sluice::sim {
namespace {

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
class HpStress final : public Design {
 public:
  HpStress() : pins_(bind(top_)) {}
  ~HpStress() override { top_.final(); }
  HpStress(const HpStress&) = delete;
  HpStress& operator=(const HpStress&) = delete;

  [[nodiscard]] unsigned hp_ports() const override { return kHpStressPorts; }
  [[nodiscard]] uint64_t interrupts() const override { return top_.irq_o; }

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
    top_.s_axil_wstrb = 0xf;
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

 private:
  static std::array<HpPins<Data>, kHpStressPorts> bind(Top& top) {
    return {HpPins<Data> SLUICE_HP_PINS(0), HpPins<Data> SLUICE_HP_PINS(1),
            HpPins<Data> SLUICE_HP_PINS(2), HpPins<Data> SLUICE_HP_PINS(3)};
  }

  VerilatedContext context_;
  mutable Top top_{&context_, "hp_stress"};
  std::array<HpPins<Data>, kHpStressPorts> pins_;
};

}  // namespace

std::unique_ptr<Design> make_hp_stress(unsigned width_bits) {
  switch (width_bits) {
    case 32: return std::make_unique<HpStress<Vhp_stress_w32, IData>>();
    case 64: return std::make_unique<HpStress<Vhp_stress_w64, QData>>();
    default:
      throw std::invalid_argument("hp_stress is built for ports of 32 and 64 bits, not " +
                                  std::to_string(width_bits));
  }
}

}  // namespace sluice::sim
