// SPDX-License-Identifier: Apache-2.0
#include "verilated_models.hpp"

#include <built_models.hpp>  // CMake's: Verilator's headers, and SLUICE_BUILT_MODELS(X)

#include "verilated_ports.hpp"

namespace sluice::sim {

std::span<const VerilatedModel> verilated_models() {
#define SLUICE_MODEL(name, port_bits) {#name, port_bits, make_verilated<V##name##_w##port_bits>},
  static constexpr VerilatedModel kModels[] = {SLUICE_BUILT_MODELS(SLUICE_MODEL)};
#undef SLUICE_MODEL
  return kModels;
}

}  // namespace sluice::sim
