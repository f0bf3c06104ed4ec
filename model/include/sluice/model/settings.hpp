// SPDX-License-Identifier: Apache-2.0
// Settings: what a sweep, a calibration or an experiment may change of the memory system and of
// the transaction-level engines, by name and as whole numbers. Params is Zynq7000Params,
// CycloneVParams or PcieParams.
//
// Names are those of the fields (docs/explanation/memory-model.md and cyclonev-memory-model.md say
// what each does and where its value comes from). "fitted" settings carry values that `sluice
// calibrate` found: no document gives them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sluice/model/cyclonev_params.hpp"
#include "sluice/model/pcie_params.hpp"
#include "sluice/model/port_master.hpp"
#include "sluice/model/zynq7000_params.hpp"

namespace sluice::model {

template <typename Params>
struct Settings {
  Params memory_system{};
  MasterParams engine{};
};

template <typename Params>
struct SettingInfo {
  std::string_view name;
  std::uint32_t least;
  std::uint32_t most;
  bool fitted;
  bool of_engine;  ///< of the transaction-level engines; RTL has its own
  void (*set)(Settings<Params>& settings, std::uint32_t value);
  std::uint32_t (*get)(const Settings<Params>& settings);
};

/// All of them, in the order of their documentation.
template <typename Params>
const std::vector<SettingInfo<Params>>& settings();

/// Throws std::invalid_argument with the names or the limits there are.
template <typename Params>
void apply(Settings<Params>& settings, std::string_view name, std::uint32_t value);

}  // namespace sluice::model
