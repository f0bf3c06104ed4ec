// SPDX-License-Identifier: Apache-2.0
#include "address_space.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "seed.hpp"

namespace sluice {
namespace {

constexpr uint64_t kFirst = 0x10'0000;
constexpr uint64_t kBytes = 1 << 20;

TEST(AddressSpace, PlacesOneAfterAnotherOnPages) {
  AddressSpace space(kFirst, kBytes);
  EXPECT_EQ(space.allocate(1, 4096, 0), kFirst);
  EXPECT_EQ(space.allocate(4097, 4096, 0), kFirst + 4096);
  EXPECT_EQ(space.allocate(4096, 4096, 0), kFirst + 3 * 4096);
}

TEST(AddressSpace, HonoursAlignmentAndOffset) {
  AddressSpace space(kFirst, kBytes);
  EXPECT_EQ(space.allocate(64, 65536, 4096), kFirst + 4096);
  EXPECT_EQ(space.allocate(64, 65536, 0), kFirst);  // the hole before it
  EXPECT_EQ(space.allocate(64, 65536, 0), kFirst + 65536);
  EXPECT_EQ(space.allocate(64, 4096, 64), kFirst + 8192 + 64);  // a page to itself
}

TEST(AddressSpace, FillsToTheLastByteAndNoFurther) {
  AddressSpace space(kFirst, kBytes);
  EXPECT_EQ(space.allocate(kBytes + 1, 4096, 0), std::nullopt);
  EXPECT_EQ(space.allocate(UINT64_MAX, 4096, 0), std::nullopt);
  const auto all = space.allocate(kBytes, 4096, 0);
  EXPECT_EQ(all, kFirst);
  EXPECT_EQ(space.allocate(1, 4096, 0), std::nullopt);
  space.release(*all);
  EXPECT_EQ(space.allocate(kBytes, 4096, 0), kFirst);
}

// Random allocations and releases against a plain list of what is taken.
TEST(AddressSpace, NeverOverlaps) {
  std::mt19937_64 random(test_seed());
  AddressSpace space(kFirst, kBytes);
  std::map<uint64_t, uint64_t> taken;
  for (int step = 0; step < 20'000; ++step) {
    if (!taken.empty() && random() % 2 == 0) {
      const auto victim = std::next(taken.begin(), static_cast<long>(random() % taken.size()));
      space.release(victim->first);
      taken.erase(victim);
      continue;
    }
    const uint64_t bytes = 1 + random() % 40'000;
    const uint64_t alignment = uint64_t{4096} << random() % 5;
    const uint64_t offset = random() % alignment / 64 * 64;
    const auto address = space.allocate(bytes, alignment, offset);
    if (!address) continue;
    ASSERT_EQ(*address % alignment, offset);
    ASSERT_GE(*address, kFirst);
    ASSERT_LE(*address + bytes, kFirst + kBytes);
    const auto page = [](uint64_t x) { return x / 4096; };
    for (const auto& [start, length] : taken)
      ASSERT_TRUE(page(*address + bytes - 1) < page(start) ||
                  page(start + length - 1) < page(*address));
    taken.emplace(*address, bytes);
  }
}

}  // namespace
}  // namespace sluice
