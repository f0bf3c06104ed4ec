// SPDX-License-Identifier: Apache-2.0
#include "transaction_chip.hpp"

#include <stdexcept>
#include <utility>
#include <variant>

#include "sluice/model/cyclonev.hpp"
#include "sluice/model/zynq7000.hpp"
#include "sluice/sim/design.hpp"

namespace sluice::sim {
namespace {

constexpr unsigned kClients = 3;  // of a shared port: data, and descriptors of two channels

[[noreturn]] void refuse_ports() {
  throw std::invalid_argument("the chip has no ports of the design's kind");
}

class ZynqTransactions final : public TransactionChip {
 public:
  ZynqTransactions(const model::Zynq7000Params& params, const TransactionDesign& design)
      : chip_(params), design_(design) {
    if (design.ports == TransactionDesign::Ports::f2s) refuse_ports();
  }

  void advance_to(uint64_t time_ps) override { chip_.advance_to(time_ps); }
  [[nodiscard]] model::Memory& memory() override { return chip_.memory(); }
  [[nodiscard]] model::Memory* on_chip_memory() override { return &chip_.on_chip_memory(); }
  [[nodiscard]] ControlLatency control_latency() const override {
    const auto& gp = chip_.params().gp;
    return {.write_ps = gp.write_latency_ps, .read_ps = gp.read_latency_ps};
  }
  [[nodiscard]] LanePorts make_ports(unsigned lane, std::span<uint8_t> ram) override {
    using enum TransactionDesign::Descriptors;
    const unsigned number = lane / design_.lanes_per_port;
    const auto master = [&](const std::shared_ptr<DescriptorPort>& port,
                            unsigned client) -> std::unique_ptr<model::Master> {
      if (ram.empty()) return std::make_unique<model::HpMaster>(port, client, design_.engine);
      auto split = std::make_shared<model::RamSplit>(port, ram, kRamAddress + lane * ram.size());
      return std::make_unique<model::RamMaster>(std::move(split), client, design_.engine);
    };
    if (design_.descriptors == same_port) {
      const auto shared =
          std::make_shared<DescriptorPort>(port(number), kClients, model::Turns::free);
      return {.master = master(shared, 0), .shared = shared};
    }
    const unsigned client = lane % design_.lanes_per_port;
    if (client == 0)
      share_ = std::make_shared<DescriptorPort>(port(number), design_.lanes_per_port);
    LanePorts ports{.master = master(share_, client)};
    if (design_.descriptors == next_port)
      ports.descriptors =
          std::make_shared<DescriptorPort>(port(number + 1), kClients, model::Turns::free);
    return ports;
  }
  [[nodiscard]] model::Zynq7000* zynq() override { return &chip_; }
  void start_cpu(const model::CpuProgram& program) override { chip_.start_cpu(program); }
  [[nodiscard]] const model::A9Core& cpu() const override { return chip_.cpu(); }
  [[nodiscard]] bool may_rest() const override {
    return chip_.dmac_quiet() && (!chip_.cpu().running() || chip_.params().cpu_copies != 0);
  }

 private:
  [[nodiscard]] model::AfiPort& port(unsigned number) {
    switch (design_.ports) {
      case TransactionDesign::Ports::acp: return chip_.acp();
      case TransactionDesign::Ports::gp: return chip_.gp(number);
      default: return chip_.afi(number);
    }
  }

  model::Zynq7000 chip_;
  TransactionDesign design_;
  std::shared_ptr<DescriptorPort> share_;  // of the last port that lanes without descriptors got
};

model::CycloneVParams with_ports(model::CycloneVParams params, const TransactionDesign& design) {
  if (design.ports != TransactionDesign::Ports::f2s) refuse_ports();
  params.port_bits.assign(design.lanes, design.engine.port_bits);
  return params;
}

class CycloneTransactions final : public TransactionChip {
 public:
  CycloneTransactions(const model::CycloneVParams& params, const TransactionDesign& design)
      : chip_(with_ports(params, design)), engine_(design.engine) {}

  void advance_to(uint64_t time_ps) override { chip_.advance_to(time_ps); }
  [[nodiscard]] model::Memory& memory() override { return chip_.memory(); }
  [[nodiscard]] ControlLatency control_latency() const override {
    const auto& gp = chip_.params().gp;
    return {.write_ps = gp.write_latency_ps, .read_ps = gp.read_latency_ps};
  }
  [[nodiscard]] LanePorts make_ports(unsigned lane, std::span<uint8_t> /*ram*/) override {
    return {.master = std::make_unique<model::F2sMaster>(chip_.port(lane), engine_)};
  }
  void start_cpu(const model::CpuProgram& /*program*/) override { refuse_cpu(); }
  [[nodiscard]] const model::A9Core& cpu() const override { refuse_cpu(); }

 private:
  [[noreturn]] static void refuse_cpu() {
    throw NotModelled("the accesses of a Cyclone V's processor are not modelled");
  }

  model::CycloneV chip_;
  model::MasterParams engine_;
};

}  // namespace

std::unique_ptr<TransactionChip> make_transaction_chip(const ChipParams& params,
                                                       const TransactionDesign& design) {
  if (const auto* zynq = std::get_if<model::Zynq7000Params>(&params))
    return std::make_unique<ZynqTransactions>(*zynq, design);
  return std::make_unique<CycloneTransactions>(std::get<model::CycloneVParams>(params), design);
}

}  // namespace sluice::sim
