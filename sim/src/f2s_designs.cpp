// SPDX-License-Identifier: Apache-2.0
#include "f2s_designs.hpp"

#include <Vf2s_stress_w128.h>
#include <Vf2s_stress_w256.h>
#include <Vf2s_stress_w32.h>
#include <Vf2s_stress_w64.h>

#include "verilated_f2s.hpp"

namespace sluice::sim {

std::unique_ptr<Design> make_f2s_stress(unsigned width_bits) {
  constexpr const char* kName = "f2s_stress";
  switch (width_bits) {
    case 32: return std::make_unique<VerilatedF2sDesign<Vf2s_stress_w32>>(kName);
    case 64: return std::make_unique<VerilatedF2sDesign<Vf2s_stress_w64>>(kName);
    case 128: return std::make_unique<VerilatedF2sDesign<Vf2s_stress_w128>>(kName);
    case 256: return std::make_unique<VerilatedF2sDesign<Vf2s_stress_w256>>(kName);
    default: refuse_width(kName, width_bits);
  }
}

}  // namespace sluice::sim
