// SPDX-License-Identifier: Apache-2.0
#include "hp_designs.hpp"

#include <Vhp_stress_w32.h>
#include <Vhp_stress_w64.h>

#include "verilated_hp.hpp"

namespace sluice::sim {

std::unique_ptr<Design> make_hp_stress(unsigned width_bits) {
  constexpr const char* kName = "hp_stress";
  switch (width_bits) {
    case 32: return std::make_unique<VerilatedHpDesign<Vhp_stress_w32, IData>>(kName);
    case 64: return std::make_unique<VerilatedHpDesign<Vhp_stress_w64, QData>>(kName);
    default: refuse_width(kName, width_bits);
  }
}

}  // namespace sluice::sim
