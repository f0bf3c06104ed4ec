// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/pcie_wire.hpp"

#include <algorithm>
#include <cmath>

namespace sluice::model {

std::uint64_t PcieWire::send(std::uint64_t now_ps, std::uint32_t bytes) {
  const auto duration_fs = static_cast<std::uint64_t>(std::llround(byte_fs_ * bytes));
  free_fs_ = std::max(free_fs_, now_ps * 1000U) + duration_fs;
  bytes_ += bytes;
  return free_ps();
}

}  // namespace sluice::model
