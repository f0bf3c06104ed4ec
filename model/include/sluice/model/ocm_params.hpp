// SPDX-License-Identifier: Apache-2.0
// Parameters of the on-chip memory.
#pragma once

#include <cstdint>

namespace sluice::model {

struct OcmParams {
  /// All four blocks at the top of the map (UG585 table 29-3), where Linux has them.
  std::uint64_t base = 0xfffc'0000;
  std::uint64_t bytes = 256U << 10U;
  /// UG585 29.1: a CPU at 667 MHz reads in 23 cycles at least. That the way of other masters is as
  /// long is assumed.
  std::uint32_t latency_ps = 34'500;
  /// Bursts a direction inside; assumed. From 2 on, the rates are the same.
  std::uint32_t acceptance = 4;
};

}  // namespace sluice::model
