// SPDX-License-Identifier: Apache-2.0
// The word pattern of the stream sources and sinks: little-endian 32-bit words, word i being
// start + i modulo 2^32. Bytes past the last whole word are its next word's first bytes.
#pragma once

#include <cstdint>
#include <span>

namespace sluice::bench {

void fill_pattern(std::span<uint8_t> bytes, uint32_t start);
[[nodiscard]] bool matches_pattern(std::span<const uint8_t> bytes, uint32_t start);
// Every word of the pattern is there once, in whatever order. Whole words.
[[nodiscard]] bool holds_pattern(std::span<const uint8_t> bytes, uint32_t start);

}  // namespace sluice::bench
