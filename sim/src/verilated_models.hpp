// SPDX-License-Identifier: Apache-2.0
// The Verilated models of this build: one for each sluice_design() of CMake.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "sluice/sim/design.hpp"

namespace sluice::sim {

struct VerilatedModel {
  std::string_view name;
  unsigned port_bits;
  // The name is the instance's. on_acp: its port HP0 is wired to the ACP.
  std::unique_ptr<Design> (*make)(const char* name, bool on_acp);
};

// In the order of CMake's.
std::span<const VerilatedModel> verilated_models();

}  // namespace sluice::sim
