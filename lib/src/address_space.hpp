// SPDX-License-Identifier: Apache-2.0
// Which ranges of a board's memory are taken: a first-fit allocator of bus addresses.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace sluice {

class AddressSpace {
 public:
  static constexpr uint64_t kPageBytes = 4096;

  // Hands out addresses from first to first + bytes - 1; first is page-aligned, page_bytes a power
  // of two from kPageBytes up.
  AddressSpace(uint64_t first, uint64_t bytes, uint64_t page_bytes = kPageBytes)
      : first_(first), end_(first + bytes), page_bytes_(page_bytes) {}

  // The lowest free address that is `offset` past a multiple of `alignment` (a power of two from
  // a page up), with `bytes` (1 or more) free behind it. No two ranges share a page.
  // Nothing if there is no such room.
  std::optional<uint64_t> allocate(uint64_t bytes, uint64_t alignment, uint64_t offset);

  // Give back what allocate() returned.
  void release(uint64_t address) { taken_.erase(address); }

 private:
  uint64_t first_, end_, page_bytes_;
  std::map<uint64_t, uint64_t> taken_;  // address -> end, rounded up to a page
};

}  // namespace sluice
