// SPDX-License-Identifier: Apache-2.0
// The designs of the catalogue, those of RTL, that a virtual machine can have: as a card, or in the
// logic of a Zynq.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sluice/cosim/card.hpp"
#include "sluice/sim/catalogue.hpp"
#include "sluice/sim/design.hpp"

namespace sluice::cosim {

struct ServedDesign {
  const sim::BoardEntry* board;  // both live as long as the program
  const sim::DesignEntry* entry;
  std::vector<unsigned> widths_bits;
  bool on_card;  // pcie/..., a PcieDesignCard; else a HpCard
};

using ServedDesigns = std::map<std::string, ServedDesign>;

// What a card can be made of, by "board/design": designs for HP ports, and for a card. Those for a
// card, which every board with a link has, are "pcie/design".
ServedDesigns served_designs();
// What the logic of a Zynq can be, by "board/design"; "board/none", without lanes: no logic.
ServedDesigns zynq_designs();

// "zynq7010/cdma, zynq7010/hp_stress".
std::string names_of(const ServedDesigns& offered);
// Throws std::invalid_argument, naming what there is.
const ServedDesign& find_design(const ServedDesigns& offered, const std::string& name);

// A design for HP ports. ports: as many as the catalogue's design has, or 1, if it is built so too
// (one_port_designs.hpp); 0: as the catalogue has it. Throws std::invalid_argument, naming what
// there is.
std::unique_ptr<sim::HpDesign> make_served_design(const std::string& name, unsigned width_bits,
                                                  unsigned ports = 0);

// A card of either kind. width_bits 0: the widest that there is. identity: vendor and device, 0:
// the kind's own. Throws as make_served_design().
struct CardOptions {
  unsigned width_bits = 0;
  unsigned ports = 0;
  uint16_t vendor = 0;
  uint16_t device = 0;
};
std::unique_ptr<Card> make_served_card(const std::string& name, const CardOptions& options);

}  // namespace sluice::cosim
