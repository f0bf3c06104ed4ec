// SPDX-License-Identifier: Apache-2.0
#include "f2s_designs.hpp"

#ifdef SLUICE_HAS_F2S_STRESS

#include <Vf2s_stress_w128.h>
#include <Vf2s_stress_w256.h>
#include <Vf2s_stress_w32.h>
#include <Vf2s_stress_w64.h>

#include "verilated_f2s.hpp"

namespace sluice::sim {

std::unique_ptr<Design> make_f2s_stress(unsigned width_bits) {
  constexpr const char* kName = "f2s_stress";
  const unsigned ports = f2s_ports(width_bits);
  switch (width_bits) {
    case 32: return std::make_unique<VerilatedF2sDesign<Vf2s_stress_w32>>(kName, ports);
    case 64: return std::make_unique<VerilatedF2sDesign<Vf2s_stress_w64>>(kName, ports);
    case 128: return std::make_unique<VerilatedF2sDesign<Vf2s_stress_w128>>(kName, ports);
    case 256: return std::make_unique<VerilatedF2sDesign<Vf2s_stress_w256>>(kName, ports);
    default: refuse_width(kName, width_bits);
  }
}

}  // namespace sluice::sim
#endif
