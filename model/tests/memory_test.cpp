// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace sluice::model {
namespace {

TEST(Memory, ReadsZeroAndKeepsWhatIsWritten) {
  Memory memory(0x10000000, 1ULL << 30U);
  EXPECT_EQ(memory.load_word(0x10000000), 0U);
  memory.store_word(0x10000008, 0x1122334455667788U, 0xff);
  EXPECT_EQ(*memory.host(0x10000008, 1), 0x88);
  EXPECT_EQ(memory.load_word(0x10000008), 0x1122334455667788U);
}

TEST(Memory, StrobesSelectBytes) {
  Memory memory(0, 4096);
  memory.store_word(0, ~0ULL, 0xff);
  memory.store_word(0, 0, 0b01000010);
  EXPECT_EQ(memory.load_word(0), 0xff00ffffffff00ffU);
}

TEST(Memory, RangeIsExact) {
  Memory memory(4096, 8192);
  EXPECT_EQ(memory.access(4096, 8192), Response::okay);
  EXPECT_EQ(memory.access(4095, 1), Response::decerr);
  EXPECT_EQ(memory.access(12287, 1), Response::okay);
  EXPECT_EQ(memory.access(12287, 2), Response::decerr);
  EXPECT_EQ(memory.access(~0ULL, 2), Response::decerr);
  EXPECT_THROW((void)memory.host(12288, 1), std::out_of_range);
}

TEST(Memory, PoisonAnswersSlverrWhereItOverlaps) {
  Memory memory(0, 8192);
  memory.poison(100, 4);
  EXPECT_EQ(memory.access(96, 4), Response::okay);
  EXPECT_EQ(memory.access(96, 5), Response::slverr);
  EXPECT_EQ(memory.access(103, 1), Response::slverr);
  EXPECT_EQ(memory.access(104, 1), Response::okay);
  memory.clear_poison();
  EXPECT_EQ(memory.access(100, 4), Response::okay);
}

TEST(Memory, ClearForgets) {
  Memory memory(0, 1 << 20U);
  memory.store_word(4096, 1, 0xff);
  memory.clear();
  EXPECT_EQ(memory.load_word(4096), 0U);
}

TEST(Memory, IsAFileThatOthersMap) {
  Memory memory(0x10000000, 1 << 20U);
  void* const mapping = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory.file(), 0);
  ASSERT_NE(mapping, MAP_FAILED);
  volatile auto& word = *static_cast<std::uint64_t*>(mapping);
  memory.store_word(0x10000000, 7, 0xff);
  EXPECT_EQ(word, 7U);
  word = 8;
  EXPECT_EQ(memory.load_word(0x10000000), 8U);
  memory.clear();
  EXPECT_EQ(word, 0U);
  ::munmap(mapping, 4096);
}

TEST(Memory, CommitsPagesWhenTheyAreTouched) {
  Memory memory(0, 1ULL << 30U);
  const auto committed_bytes = [&] {
    struct stat status{};
    EXPECT_EQ(::fstat(memory.file(), &status), 0);
    return status.st_blocks * 512;
  };
  EXPECT_EQ(committed_bytes(), 0);
  memory.store_word(1 << 29U, 1, 0xff);
  EXPECT_GT(committed_bytes(), 0);
  EXPECT_LE(committed_bytes(), 2 << 20U);  // a huge page, where the host gives files such
  memory.clear();
  EXPECT_EQ(committed_bytes(), 0);
}

TEST(Memory, RefusesBadShapes) {
  EXPECT_THROW(Memory(0, 0), std::invalid_argument);
  EXPECT_THROW(Memory(0, 4095), std::invalid_argument);
  EXPECT_THROW(Memory(1, 4096), std::invalid_argument);
  EXPECT_THROW(Memory(1ULL << 40U, 4096), std::invalid_argument);
}

}  // namespace
}  // namespace sluice::model
