// SPDX-License-Identifier: Apache-2.0
// The seed of native tests that use random numbers: the environment's SEED, or 1.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace sluice {

inline std::uint64_t test_seed() {
  const char* text = std::getenv("SEED");
  return text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 0) : 1;
}

}  // namespace sluice
