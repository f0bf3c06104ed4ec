// SPDX-License-Identifier: Apache-2.0
#include "sluice/sim/chip.hpp"

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "sluice/model/cyclonev.hpp"
#include "sluice/model/zynq7000.hpp"

namespace sluice::sim {
namespace {

class ZynqChip final : public Chip {
 public:
  ZynqChip(const model::Zynq7000Params& params, HpDesign& design, unsigned width_bits)
      : chip_(params), design_(design) {
    for (unsigned port = 0; port < design_.hp_ports(); ++port) pins(port).set_width(width_bits);
  }

  void sample(uint64_t now_ps) override {
    chip_.advance_to(now_ps);
    for (unsigned port = 0; port < design_.hp_ports(); ++port) {
      model::HpInputs inputs;
      design_.sample_hp(port, inputs);
      pins(port).edge(inputs, outputs_[port]);
    }
  }
  void drive() override {
    for (unsigned port = 0; port < design_.hp_ports(); ++port)
      design_.drive_hp(port, outputs_[port]);
  }

  [[nodiscard]] model::Memory& memory() override { return chip_.memory(); }
  [[nodiscard]] model::Memory* on_chip_memory() override { return &chip_.on_chip_memory(); }
  [[nodiscard]] ControlLatency control_latency() const override {
    const auto& gp = chip_.params().gp;
    return {.write_ps = gp.write_latency_ps, .read_ps = gp.read_latency_ps};
  }
  [[nodiscard]] bool idle() const override {
    return chip_.dmac_quiet() ? chip_.idle() : chip_.ports_idle();
  }
  [[nodiscard]] model::Zynq7000* zynq() override { return &chip_; }
  void advance_to(uint64_t now_ps) override { chip_.advance_to(now_ps); }

 private:
  [[nodiscard]] model::AxiHp& pins(unsigned port) {
    return design_.on_acp() ? chip_.acp_pins() : chip_.hp(port);
  }

  model::Zynq7000 chip_;
  HpDesign& design_;
  std::array<model::HpOutputs, model::Zynq7000::kHpPorts> outputs_{};
};

class CycloneChip final : public Chip {
 public:
  CycloneChip(const model::CycloneVParams& params, F2sDesign& design)
      : chip_(params), design_(design), outputs_(design.f2s_ports()) {}

  void sample(uint64_t now_ps) override {
    chip_.advance_to(now_ps);
    for (unsigned port = 0; port < outputs_.size(); ++port) {
      model::F2sInputs pins;
      design_.sample_f2s(port, pins);
      chip_.f2s(port).edge(pins, outputs_[port]);
    }
  }
  void drive() override {
    for (unsigned port = 0; port < outputs_.size(); ++port) design_.drive_f2s(port, outputs_[port]);
  }

  [[nodiscard]] model::Memory& memory() override { return chip_.memory(); }
  [[nodiscard]] ControlLatency control_latency() const override {
    const auto& gp = chip_.params().gp;
    return {.write_ps = gp.write_latency_ps, .read_ps = gp.read_latency_ps};
  }
  [[nodiscard]] bool idle() const override { return chip_.idle(); }
  void advance_to(uint64_t now_ps) override { chip_.advance_to(now_ps); }

 private:
  model::CycloneV chip_;
  F2sDesign& design_;
  std::vector<model::F2sOutputs> outputs_;
};

template <typename Wanted>
Wanted& as(Design& design, const char* ports) {
  auto* wanted = dynamic_cast<Wanted*>(&design);
  if (wanted == nullptr)
    throw std::invalid_argument(std::string("the design is not one for ") + ports);
  return *wanted;
}

}  // namespace

std::unique_ptr<Chip> make_chip(const model::Zynq7000Params& params, Design& design,
                                unsigned width_bits) {
  return std::make_unique<ZynqChip>(params, as<HpDesign>(design, "HP ports"), width_bits);
}

std::unique_ptr<Chip> make_chip(const model::CycloneVParams& params, Design& design,
                                unsigned width_bits) {
  auto& f2s_design = as<F2sDesign>(design, "F2S ports");
  model::CycloneVParams with_ports = params;
  with_ports.port_bits.assign(f2s_design.f2s_ports(), width_bits);
  return std::make_unique<CycloneChip>(with_ports, f2s_design);
}

}  // namespace sluice::sim
