// SPDX-License-Identifier: Apache-2.0
// The designs of the catalogue that a card can be made of: those of RTL for HP ports.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "sluice/sim/catalogue.hpp"
#include "sluice/sim/design.hpp"

namespace sluice::cosim {

// By "board/design". The entries live as long as the program.
std::map<std::string, const sim::DesignEntry*> served_designs();

// ports: as many as the catalogue's design has, or 1, if it is built so too (one_port_designs.hpp);
// 0: as the catalogue has it. Throws std::invalid_argument, naming what there is.
std::unique_ptr<sim::HpDesign> make_served_design(const std::string& name, unsigned width_bits,
                                                  unsigned ports = 0);

}  // namespace sluice::cosim
