// SPDX-License-Identifier: Apache-2.0
#include "pattern.hpp"

#include <bit>
#include <cstddef>
#include <cstring>
#include <vector>

namespace sluice::bench {
namespace {

// Words are copied as the host has them.
static_assert(std::endian::native == std::endian::little);

constexpr size_t kWordBytes = sizeof(uint32_t);

uint32_t word_at(const uint8_t* bytes, size_t word) {
  uint32_t value = 0;
  std::memcpy(&value, bytes + word * kWordBytes, kWordBytes);
  return value;
}

}  // namespace

void fill_pattern(std::span<uint8_t> bytes, uint32_t start) {
  const size_t words = bytes.size() / kWordBytes;
  for (size_t i = 0; i < words; ++i) {
    const uint32_t word = start + static_cast<uint32_t>(i);
    std::memcpy(bytes.data() + i * kWordBytes, &word, kWordBytes);
  }
  const uint32_t next = start + static_cast<uint32_t>(words);
  std::memcpy(bytes.data() + words * kWordBytes, &next, bytes.size() % kWordBytes);
}

bool matches_pattern(std::span<const uint8_t> bytes, uint32_t start) {
  const size_t words = bytes.size() / kWordBytes;
  uint32_t wrong = 0;  // bits; no early end, so that the compiler vectorises the loop
  for (size_t i = 0; i < words; ++i)
    wrong |= word_at(bytes.data(), i) ^ (start + static_cast<uint32_t>(i));
  const uint32_t next = start + static_cast<uint32_t>(words);
  return wrong == 0 &&
         std::memcmp(bytes.data() + words * kWordBytes, &next, bytes.size() % kWordBytes) == 0;
}

bool holds_pattern(std::span<const uint8_t> bytes, uint32_t start) {
  std::vector<bool> seen(bytes.size() / kWordBytes);
  for (size_t i = 0; i < seen.size(); ++i) {
    const uint32_t index = word_at(bytes.data(), i) - start;
    if (index >= seen.size() || seen[index]) return false;
    seen[index] = true;
  }
  return true;
}

}  // namespace sluice::bench
