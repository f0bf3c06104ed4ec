// SPDX-License-Identifier: Apache-2.0
#include "sluice/cosim/served_designs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <stdexcept>
#include <variant>

#include "one_port_designs.hpp"
#include "sluice/cosim/hp_card.hpp"
#include "sluice/cosim/pcie_design_card.hpp"

namespace sluice::cosim {
namespace {

ServedDesign find(const std::string& name, unsigned width_bits) {
  const ServedDesigns offered = served_designs();
  const ServedDesign& found = find_design(offered, name);
  const auto& widths = found.widths_bits;
  if (std::find(widths.begin(), widths.end(), width_bits) == widths.end())
    throw std::invalid_argument(fmt::format("{} has no ports of {} bits; allowed: {}", name,
                                            width_bits, fmt::join(widths, ", ")));
  return found;
}

}  // namespace

ServedDesigns served_designs() {
  ServedDesigns found;
  for (const sim::BoardEntry& board : sim::catalogue())
    for (const sim::DesignEntry& design : board.designs) {
      if (!design.has_rtl()) continue;
      const bool on_card = design.port_name == "PCIe";
      if (!on_card && design.port_name != "HP") continue;
      const std::string name =
          (on_card ? "pcie" : std::string(board.name)) + "/" + std::string(design.name);
      auto& served =
          found.try_emplace(name, ServedDesign{&board, &design, {}, on_card}).first->second;
      served.widths_bits.insert(served.widths_bits.end(), design.widths_bits.begin(),
                                design.widths_bits.end());
    }
  return found;
}

// No logic: a Zynq whose PL is not configured, at either level.
static const sim::DesignEntry& no_design() {
  static const sim::DesignEntry entry{.name = "none",
                                      .text = "no logic",
                                      .port_count = 0,
                                      .widths_bits = {64},
                                      .max_transfer_bytes = 0,
                                      .transactions = sim::TransactionDesign{.lanes = 0}};
  return entry;
}

ServedDesigns zynq_designs() {
  ServedDesigns found;
  for (const sim::BoardEntry& board : sim::catalogue()) {
    if (!std::holds_alternative<model::Zynq7000Params>(board.memory_system)) continue;
    for (const sim::DesignEntry& design : board.designs)
      if (design.has_rtl())
        found.emplace(fmt::format("{}/{}", board.name, design.name),
                      ServedDesign{&board, &design, design.widths_bits, false});
    found.emplace(fmt::format("{}/none", board.name),
                  ServedDesign{&board, &no_design(), no_design().widths_bits, false});
  }
  return found;
}

std::string names_of(const ServedDesigns& offered) {
  return fmt::format("{}", fmt::join(std::views::keys(offered), ", "));
}

const ServedDesign& find_design(const ServedDesigns& offered, const std::string& name) {
  const auto found = offered.find(name);
  if (found == offered.end())
    throw std::invalid_argument(
        fmt::format("unknown design '{}'; allowed: {}", name, names_of(offered)));
  return found->second;
}

std::unique_ptr<sim::HpDesign> make_served_design(const std::string& name, unsigned width_bits,
                                                  unsigned ports) {
  const ServedDesign served = find(name, width_bits);
  if (served.on_card) throw std::invalid_argument(name + " has no HP ports");
  if (ports == 1)
    if (auto design = make_one_port_design(served.entry->name, width_bits)) return design;
  if (ports != 0 && ports != served.entry->port_count)
    throw std::invalid_argument(name + " is not built with " + std::to_string(ports) + " ports");
  std::unique_ptr<sim::Design> design = served.entry->make(width_bits);
  auto& hp = dynamic_cast<sim::HpDesign&>(*design);
  static_cast<void>(design.release());
  return std::unique_ptr<sim::HpDesign>(&hp);
}

std::unique_ptr<Card> make_served_card(const std::string& name, const CardOptions& options) {
  unsigned width_bits = options.width_bits;
  const auto offered = served_designs();
  if (const auto found = offered.find(name); width_bits == 0 && found != offered.end())
    width_bits =
        *std::max_element(found->second.widths_bits.begin(), found->second.widths_bits.end());
  const ServedDesign served = find(name, width_bits);
  if (!served.on_card) {
    if (options.vendor != 0 || options.device != 0)
      throw std::invalid_argument(name + " has the identity that its drivers know, and no other");
    return std::make_unique<HpCard>(make_served_design(name, width_bits, options.ports),
                                    width_bits);
  }
  if (options.ports != 0) throw std::invalid_argument(name + " has no number of ports to choose");
  ConfigSpace::Identity identity = PcieDesignCard::kIdentity;
  if (options.vendor != 0) identity.vendor = options.vendor;
  if (options.device != 0) identity.device = options.device;
  return std::make_unique<PcieDesignCard>(served.entry->make(width_bits), width_bits, identity);
}

}  // namespace sluice::cosim
