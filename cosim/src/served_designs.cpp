// SPDX-License-Identifier: Apache-2.0
#include "sluice/cosim/served_designs.hpp"

#include <algorithm>
#include <stdexcept>

#include "one_port_designs.hpp"

namespace sluice::cosim {

std::map<std::string, const sim::DesignEntry*> served_designs() {
  std::map<std::string, const sim::DesignEntry*> found;
  for (const sim::BoardEntry& board : sim::catalogue())
    for (const sim::DesignEntry& design : board.designs)
      if (design.make != nullptr && design.port_name == "HP")
        found[std::string(board.name) + "/" + std::string(design.name)] = &design;
  return found;
}

std::unique_ptr<sim::HpDesign> make_served_design(const std::string& name, unsigned width_bits,
                                                  unsigned ports) {
  const auto offered = served_designs();
  const auto found = offered.find(name);
  if (found == offered.end()) {
    std::string names;
    for (const auto& entry : offered) names += (names.empty() ? "" : ", ") + entry.first;
    throw std::invalid_argument("unknown design '" + name + "'; allowed: " + names);
  }
  const auto& widths = found->second->widths_bits;
  if (std::find(widths.begin(), widths.end(), width_bits) == widths.end()) {
    std::string allowed;
    for (const unsigned width : widths)
      allowed += (allowed.empty() ? "" : ", ") + std::to_string(width);
    throw std::invalid_argument(name + " has no ports of " + std::to_string(width_bits) +
                                " bits; allowed: " + allowed);
  }
  if (ports == 1)
    if (auto design = make_one_port_design(found->second->name, width_bits)) return design;
  if (ports != 0 && ports != found->second->port_count)
    throw std::invalid_argument(name + " is not built with " + std::to_string(ports) + " ports");
  std::unique_ptr<sim::Design> design = found->second->make(width_bits);
  auto& hp = dynamic_cast<sim::HpDesign&>(*design);
  static_cast<void>(design.release());
  return std::unique_ptr<sim::HpDesign>(&hp);
}

}  // namespace sluice::cosim
