// SPDX-License-Identifier: Apache-2.0
// Synchronised: a count seen through a two-flop synchroniser.
#pragma once

#include <cstdint>

namespace sluice::model {

struct Synchronised {
  std::uint64_t seen = 0;
  std::uint64_t between = 0;
  /// An edge of the receiving clock.
  void clock(std::uint64_t now) {
    seen = between;
    between = now;
  }
};

}  // namespace sluice::model
