// SPDX-License-Identifier: Apache-2.0
#include "sluice/cosim/guest_memory.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

namespace sluice::cosim {
namespace {

constexpr uint64_t kPage = GuestMemory::kPage;
constexpr GuestMemory::Access kBoth{.read = true, .write = true};

struct GuestMemoryTest : testing::Test {
  static constexpr std::size_t kFilePages = 8;
  File file{::memfd_create("guest", MFD_CLOEXEC)};
  GuestMemory memory;

  GuestMemoryTest() {
    EXPECT_EQ(::ftruncate(file.get(), static_cast<off_t>(kFilePages * kPage)), 0);
  }

  // Byte of the file, past the maps.
  [[nodiscard]] std::byte in_file(uint64_t offset) const {
    std::byte value{};
    EXPECT_EQ(::pread(file.get(), &value, 1, static_cast<off_t>(offset)), 1);
    return value;
  }
  bool reads(uint64_t address, std::size_t bytes) {
    std::vector<std::byte> data(bytes);
    return memory.read(address, data);
  }
  bool writes(uint64_t address, std::size_t bytes, std::byte value = std::byte{0xa5}) {
    return memory.write(address, std::vector<std::byte>(bytes, value));
  }
};

TEST_F(GuestMemoryTest, AWriteLandsInTheFileAtItsOffset) {
  ASSERT_EQ(memory.map(0x10000, kPage, kBoth, file, 2 * kPage), 0);
  ASSERT_TRUE(writes(0x10010, 3));
  EXPECT_EQ(in_file(2 * kPage + 0xf), std::byte{0});
  EXPECT_EQ(in_file(2 * kPage + 0x10), std::byte{0xa5});
  EXPECT_EQ(in_file(2 * kPage + 0x12), std::byte{0xa5});
  EXPECT_EQ(in_file(2 * kPage + 0x13), std::byte{0});
}

TEST_F(GuestMemoryTest, WhatIsWrittenIsReadInEverySizeAndAlignment) {
  ASSERT_EQ(memory.map(0, kPage, kBoth, file, 0), 0);
  for (std::size_t at = 0; at < 9; ++at)
    for (std::size_t bytes = 1; bytes < 18; ++bytes) {
      std::vector<std::byte> wanted(bytes);
      for (std::size_t i = 0; i < bytes; ++i) wanted[i] = std::byte(17 * at + i + bytes);
      ASSERT_TRUE(memory.write(at, wanted));
      std::vector<std::byte> got(bytes);
      ASSERT_TRUE(memory.read(at, got));
      EXPECT_EQ(got, wanted) << bytes << " bytes at " << at;
    }
}

TEST_F(GuestMemoryTest, AnAccessSpansMapsThatTouch) {
  ASSERT_EQ(memory.map(kPage, kPage, kBoth, file, 4 * kPage), 0);
  ASSERT_EQ(memory.map(2 * kPage, kPage, kBoth, file, 0), 0);
  ASSERT_TRUE(writes(2 * kPage - 2, 4));
  EXPECT_EQ(in_file(5 * kPage - 1), std::byte{0xa5});
  EXPECT_EQ(in_file(1), std::byte{0xa5});
  EXPECT_EQ(in_file(2), std::byte{0});
}

TEST_F(GuestMemoryTest, AnAccessThatLeavesTheMapsIsNotDoneAtAll) {
  ASSERT_EQ(memory.map(kPage, kPage, kBoth, file, 0), 0);
  EXPECT_TRUE(writes(2 * kPage - 4, 4));
  EXPECT_FALSE(writes(2 * kPage - 4, 5, std::byte{0x11}));
  EXPECT_EQ(in_file(kPage - 1), std::byte{0xa5});
  EXPECT_FALSE(writes(kPage - 1, 1));
  EXPECT_FALSE(writes(kPage - 1, 2));
  EXPECT_EQ(in_file(0), std::byte{0});
  EXPECT_FALSE(reads(~uint64_t{0}, 2));
  EXPECT_FALSE(reads(0, 1));
}

TEST_F(GuestMemoryTest, AHoleBetweenMapsIsNotSpanned) {
  ASSERT_EQ(memory.map(0, kPage, kBoth, file, 0), 0);
  ASSERT_EQ(memory.map(2 * kPage, kPage, kBoth, file, kPage), 0);
  EXPECT_FALSE(writes(kPage - 4, 8));
  EXPECT_FALSE(writes(kPage - 4, kPage + 8));
  EXPECT_EQ(in_file(kPage - 4), std::byte{0});
}

TEST_F(GuestMemoryTest, ProtectionHolds) {
  ASSERT_EQ(memory.map(0, kPage, {.read = true, .write = false}, file, 0), 0);
  ASSERT_EQ(memory.map(kPage, kPage, {.read = false, .write = true}, file, kPage), 0);
  EXPECT_TRUE(reads(0, 4));
  EXPECT_FALSE(writes(0, 4));
  EXPECT_FALSE(reads(kPage, 4));
  EXPECT_TRUE(writes(kPage, 4));
  EXPECT_FALSE(reads(kPage - 4, 8));
}

TEST_F(GuestMemoryTest, ReservedMemoryIsThereForNobody) {
  ASSERT_EQ(memory.reserve(0, kPage), 0);
  EXPECT_FALSE(reads(0, 1));
  EXPECT_FALSE(writes(0, 1));
  EXPECT_EQ(memory.map(0, kPage, kBoth, file, 0), EEXIST);
}

TEST_F(GuestMemoryTest, WhatHasNoFileIsKnown) {
  ASSERT_EQ(memory.map(0, kPage, kBoth, file, 0), 0);
  ASSERT_EQ(memory.reserve(kPage, 2 * kPage), 0);
  ASSERT_EQ(memory.reserve(3 * kPage, kPage), 0);
  EXPECT_FALSE(memory.without_file(0, 8));
  EXPECT_TRUE(memory.without_file(kPage, 2 * kPage));
  EXPECT_TRUE(memory.without_file(3 * kPage - 1, 1));
  EXPECT_FALSE(memory.without_file(kPage - 1, 2));
  EXPECT_FALSE(memory.without_file(3 * kPage - 1, 2)) << "two maps";
  EXPECT_FALSE(memory.without_file(4 * kPage, 1));
  EXPECT_FALSE(memory.without_file(~uint64_t{0}, 2));
  EXPECT_TRUE(memory.nothing_at(4 * kPage, kPage));
  EXPECT_FALSE(memory.nothing_at(4 * kPage - 1, 2)) << "its first byte is in a map";
  EXPECT_FALSE(memory.nothing_at(kPage, 1));
  EXPECT_FALSE(memory.nothing_at(~uint64_t{0}, 2)) << "no such range";
}

TEST_F(GuestMemoryTest, OverlapsAreRefused) {
  ASSERT_EQ(memory.map(4 * kPage, 2 * kPage, kBoth, file, 0), 0);
  EXPECT_EQ(memory.map(4 * kPage, kPage, kBoth, file, 0), EEXIST);
  EXPECT_EQ(memory.map(5 * kPage, kPage, kBoth, file, 0), EEXIST);
  EXPECT_EQ(memory.map(3 * kPage, 2 * kPage, kBoth, file, 0), EEXIST);
  EXPECT_EQ(memory.map(3 * kPage, 4 * kPage, kBoth, file, 0), EEXIST);
  EXPECT_EQ(memory.map(3 * kPage, kPage, kBoth, file, 0), 0);
  EXPECT_EQ(memory.map(6 * kPage, kPage, kBoth, file, 0), 0);
  EXPECT_EQ(memory.maps(), 3u);
}

TEST_F(GuestMemoryTest, BadMapsAreRefused) {
  const uint64_t top = ~uint64_t{0} - kPage + 1;
  EXPECT_EQ(memory.map(0, 0, kBoth, file, 0), EINVAL);
  EXPECT_EQ(memory.map(1, kPage, kBoth, file, 0), EINVAL);
  EXPECT_EQ(memory.map(0, kPage + 1, kBoth, file, 0), EINVAL);
  EXPECT_EQ(memory.map(0, kPage, kBoth, file, 1), EINVAL);
  EXPECT_EQ(memory.map(0, kPage, kBoth, file, top), EINVAL);
  EXPECT_EQ(memory.map(0, top, kBoth, file, kPage), EINVAL);
  EXPECT_EQ(memory.map(top, 2 * kPage, kBoth, file, 0), EINVAL);
  EXPECT_EQ(memory.map(0, (kFilePages + 1) * kPage, kBoth, file, 0), EINVAL);
  EXPECT_EQ(memory.map(0, kFilePages * kPage, kBoth, file, kPage), EINVAL);
  EXPECT_EQ(memory.map(0, kPage, kBoth, File{}, 0), EBADF);
  EXPECT_EQ(memory.maps(), 0u);
  EXPECT_EQ(memory.map(top, kPage, kBoth, file, 0), 0);
  EXPECT_TRUE(writes(~uint64_t{0}, 1));
}

TEST_F(GuestMemoryTest, WhatIsNoPlainFileIsRefused) {
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(::pipe(pipe_ends.data()), 0);
  const File out(pipe_ends[0]);
  const File in(pipe_ends[1]);
  EXPECT_EQ(memory.map(0, kPage, kBoth, out, 0), EINVAL);
}

TEST_F(GuestMemoryTest, AMapThatTheFileForbidsLeavesNothing) {
  const File read_only(::open(("/proc/self/fd/" + std::to_string(file.get())).c_str(), O_RDONLY));
  ASSERT_TRUE(read_only);
  EXPECT_EQ(memory.map(0, kPage, kBoth, read_only, 0), EACCES);
  EXPECT_EQ(memory.maps(), 0u);
}

TEST_F(GuestMemoryTest, UnmapDividesNoMap) {
  ASSERT_EQ(memory.map(0, 2 * kPage, kBoth, file, 0), 0);
  EXPECT_EQ(memory.unmap(0, kPage), EINVAL);
  EXPECT_EQ(memory.unmap(kPage, kPage), EINVAL);
  EXPECT_EQ(memory.unmap(kPage, 2 * kPage), EINVAL);
  EXPECT_EQ(memory.unmap(2 * kPage, kPage), ENOENT);
  EXPECT_TRUE(reads(kPage, 1));
  EXPECT_EQ(memory.unmap(0, 2 * kPage), 0);
  EXPECT_FALSE(reads(0, 1));
  EXPECT_EQ(memory.unmap(0, 2 * kPage), ENOENT);
}

TEST_F(GuestMemoryTest, UnmapTakesAllMapsOfARange) {
  const uint64_t top = ~uint64_t{0} - kPage + 1;
  for (const uint64_t address : {kPage, 2 * kPage, 5 * kPage, 9 * kPage, top})
    ASSERT_EQ(memory.map(address, kPage, kBoth, file, 0), 0);
  EXPECT_EQ(memory.unmap(0, 8 * kPage), 0);
  EXPECT_FALSE(reads(kPage, 1) || reads(2 * kPage, 1) || reads(5 * kPage, 1));
  EXPECT_TRUE(reads(9 * kPage, 1));
  EXPECT_EQ(memory.unmap(9 * kPage, 0), EINVAL);
  EXPECT_EQ(memory.unmap(9 * kPage, ~uint64_t{0}), EINVAL);
  EXPECT_EQ(memory.unmap(9 * kPage, uint64_t{0} - 9 * kPage), 0);
  EXPECT_EQ(memory.maps(), 0u);
}

TEST_F(GuestMemoryTest, TooManyMapsAreRefused) {
  for (uint64_t i = 0; i < GuestMemory::kMaxMaps; ++i)
    ASSERT_EQ(memory.reserve(i * kPage, kPage), 0);
  EXPECT_EQ(memory.reserve(GuestMemory::kMaxMaps * kPage, kPage), ENOSPC);
}

}  // namespace
}  // namespace sluice::cosim
