// SPDX-License-Identifier: Apache-2.0
#include "address_space.hpp"

namespace sluice {

std::optional<uint64_t> AddressSpace::allocate(uint64_t bytes, uint64_t alignment,
                                               uint64_t offset) {
  if (bytes > end_ - first_) return std::nullopt;
  // Lowest candidate at or above `from`: a page that nothing else uses starts at `from`.
  const auto place = [&](uint64_t from) {
    const uint64_t base = (from - from % alignment) + offset;
    return base >= from ? base : base + alignment;
  };
  const auto page_up = [this](uint64_t x) {
    return (x + page_bytes_ - 1) / page_bytes_ * page_bytes_;
  };

  uint64_t address = place(first_);
  for (const auto& [start, end] : taken_) {
    if (address + bytes <= start - start % page_bytes_) break;
    if (address < end) address = place(end);
  }
  if (address > end_ || bytes > end_ - address) return std::nullopt;
  taken_.emplace(address, page_up(address + bytes));
  return address;
}

}  // namespace sluice
