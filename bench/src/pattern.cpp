// SPDX-License-Identifier: Apache-2.0
#include "pattern.hpp"

#include <cstddef>

namespace sluice::bench {
namespace {

uint8_t pattern_byte(size_t index, uint32_t start) {
  const uint32_t word = start + static_cast<uint32_t>(index / 4);
  return static_cast<uint8_t>(word >> (8 * (index % 4)));
}

}  // namespace

void fill_pattern(std::span<uint8_t> bytes, uint32_t start) {
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = pattern_byte(i, start);
}

bool matches_pattern(std::span<const uint8_t> bytes, uint32_t start) {
  for (size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i] != pattern_byte(i, start)) return false;
  return true;
}

}  // namespace sluice::bench
