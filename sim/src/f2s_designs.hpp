// SPDX-License-Identifier: Apache-2.0
// The designs for F2S ports (rtl/design), each a Verilated model for each width that it is built
// for. There where SLUICE_ALL_DESIGNS is defined.
#pragma once

#include <memory>

#include "sluice/sim/design.hpp"

namespace sluice::sim {

// As the models are built.
inline constexpr unsigned kF2sPorts = 1;
inline constexpr unsigned kF2sLengthBits = 26;

// Throws std::invalid_argument if the design is not built for ports of width_bits.
std::unique_ptr<Design> make_f2s_stress(unsigned width_bits);

}  // namespace sluice::sim
