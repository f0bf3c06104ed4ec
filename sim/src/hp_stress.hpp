// SPDX-License-Identifier: Apache-2.0
// The design hp_stress (rtl/design/hp_stress.sv) as a Design: one Verilated model for each width.
#pragma once

#include <memory>

#include "sluice/sim/design.hpp"

namespace sluice::sim {

inline constexpr unsigned kHpStressPorts = 4;

// width_bits is 32 or 64; throws std::invalid_argument otherwise.
std::unique_ptr<Design> make_hp_stress(unsigned width_bits);

}  // namespace sluice::sim
