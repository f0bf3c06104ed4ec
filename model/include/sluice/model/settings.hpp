// SPDX-License-Identifier: Apache-2.0
// Settings: what a sweep, a calibration or an experiment may change of the memory system and of
// the transaction-level engines, by name and as whole numbers.
//
// Names are those of the fields (docs/explanation/memory-model.md says what each does and where its
// value comes from). "fitted" settings carry values that `sluice calibrate` found: no document
// gives them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sluice/model/hp_master.hpp"
#include "sluice/model/zynq7000_params.hpp"

namespace sluice::model {

struct Settings {
  Zynq7000Params memory_system{};
  HpMasterParams engine{};
};

struct SettingInfo {
  std::string_view name;
  std::uint32_t least;
  std::uint32_t most;
  bool fitted;
  bool of_engine;  ///< of the transaction-level engines; RTL has its own
  void (*set)(Settings& settings, std::uint32_t value);
  std::uint32_t (*get)(const Settings& settings);
};

/// All of them, in the order of their documentation.
const std::vector<SettingInfo>& settings();

/// Throws std::invalid_argument with the names or the limits there are.
void apply(Settings& settings, std::string_view name, std::uint32_t value);

}  // namespace sluice::model
