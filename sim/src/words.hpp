// SPDX-License-Identifier: Apache-2.0
// Parts of words: halves of 64 bits, fields of registers.
#pragma once

#include <bit>
#include <cstdint>

namespace sluice::sim {

inline uint32_t low(uint64_t value) { return static_cast<uint32_t>(value); }
inline uint32_t high(uint64_t value) { return static_cast<uint32_t>(value >> 32); }
inline void set_low(uint64_t& word, uint32_t value) { word = (word >> 32 << 32) | value; }
inline void set_high(uint64_t& word, uint32_t value) {
  word = (word & 0xffffffff) | uint64_t{value} << 32;
}
// A value in the place of a field.
inline uint32_t field(uint32_t value, uint32_t mask) {
  return (value << std::countr_zero(mask)) & mask;
}

}  // namespace sluice::sim
