// SPDX-License-Identifier: Apache-2.0
// The designs for F2S ports (rtl/design), each a Verilated model for each width that it is built
// for. There where SLUICE_HAS_ and its name is defined.
#pragma once

#include <memory>

#include "sluice/sim/design.hpp"

namespace sluice::sim {

// As the models are built: all the ports that fit into the interface's 256 bits, three at most.
inline constexpr unsigned kF2sMostPorts = 3;
constexpr unsigned f2s_ports(unsigned width_bits) {
  return width_bits >= 256 ? 1 : width_bits >= 128 ? 2 : kF2sMostPorts;
}
inline constexpr unsigned kF2sLengthBits = 26;

// Throws std::invalid_argument if the design is not built for ports of width_bits.
std::unique_ptr<Design> make_f2s_stress(unsigned width_bits);

}  // namespace sluice::sim
