// SPDX-License-Identifier: Apache-2.0
#include "pattern.hpp"

#include <cstddef>
#include <vector>

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

bool holds_pattern(std::span<const uint8_t> bytes, uint32_t start) {
  std::vector<bool> seen(bytes.size() / 4);
  for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
    uint32_t word = 0;
    for (size_t byte = 4; byte-- > 0;) word = word << 8 | bytes[i + byte];
    const uint32_t index = word - start;
    if (index >= seen.size() || seen[index]) return false;
    seen[index] = true;
  }
  return true;
}

}  // namespace sluice::bench
