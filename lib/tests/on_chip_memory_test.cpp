// SPDX-License-Identifier: Apache-2.0
// Buffers in a simulated Zynq's on-chip memory as a side of copies, through the public API.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <sluice.hpp>
#include <string>

#include "seed.hpp"

namespace {

using namespace sluice;

constexpr uint64_t kAddress = 0xfffc'0000, kBytes = 256 << 10, kPage = 4096;
constexpr sluice_placement kOnChip{
    .alignment = 0, .offset = 0, .memory = SLUICE_ON_CHIP_MEMORY, .reserved = 0};

struct Copying {
  const char* design;
  const char* channel;
  const char* level;
};

struct OnChipMemory : testing::TestWithParam<Copying> {
  BoardHandle board = open_board(std::string("sim:zynq7010/") + GetParam().design +
                                 "?start_cost_ns=0&level=" + GetParam().level);
  sluice_channel* channel = find_channel(board.get(), GetParam().channel);

  void copied(const sluice_copy& what) {
    copy(channel, what);
    ASSERT_EQ(wait(channel, 10'000'000).status, 0);
  }
};

INSTANTIATE_TEST_SUITE_P(Designs, OnChipMemory,
                         testing::Values(Copying{"cdma", "hp0.copy", "rtl"},
                                         Copying{"cdma", "hp3.copy", "transaction"},
                                         Copying{"cdma_acp", "acp0.copy", "rtl"},
                                         Copying{"cdma_acp", "acp0.copy", "transaction"}),
                         [](const auto& param) {
                           return std::string(param.param.channel).substr(0, 3) + param.param.level;
                         });

// All of it: DDR to the chip, within it, and back.
TEST_P(OnChipMemory, IsASideOfCopies) {
  constexpr uint64_t kHalf = kBytes / 2;
  std::mt19937_64 random{test_seed()};
  const BufferHandle from = allocate(board.get(), kHalf), to = allocate(board.get(), kHalf);
  const BufferHandle chip = allocate(board.get(), kBytes, kOnChip);
  std::ranges::generate(bytes_of(from.get()), [&] { return static_cast<uint8_t>(random()); });
  EXPECT_EQ(bus_address(chip.get()), kAddress);
  copied({.source = from.get(), .destination = chip.get(), .bytes = kHalf});
  EXPECT_TRUE(std::ranges::equal(bytes_of(from.get()), bytes_of(chip.get()).first(kHalf)));
  copied({.source = chip.get(),
          .destination = chip.get(),
          .destination_offset = kHalf,
          .bytes = kHalf});
  copied({.source = chip.get(), .source_offset = kHalf, .destination = to.get(), .bytes = kHalf});
  EXPECT_TRUE(std::ranges::equal(bytes_of(from.get()), bytes_of(to.get())));
}

TEST_P(OnChipMemory, IsAllocatedByPages) {
  const BufferHandle first = allocate(board.get(), 1, kOnChip);
  const BufferHandle last = allocate(board.get(), kBytes - kPage, kOnChip);
  EXPECT_EQ(bus_address(last.get()), kAddress + kPage);
  sluice_buffer* more = nullptr;
  EXPECT_EQ(sluice_buffer_alloc(board.get(), 1, &kOnChip, sizeof kOnChip, &more), -ENOMEM);
  EXPECT_EQ(
      std::string(sluice_last_error()),
      "no free memory for a buffer of 1 bytes: zynq7010 has 262144 bytes of on-chip memory for "
      "buffers");
  EXPECT_EQ(bytes_of(last.get())[0], 0);
}

TEST(NoOnChipMemory, IsRefused) {
  const BoardHandle cyclone = open_board("sim:cyclonev/f2s_stress");
  sluice_buffer* made = nullptr;
  EXPECT_EQ(sluice_buffer_alloc(cyclone.get(), 1, &kOnChip, sizeof kOnChip, &made), -ENOTSUP);
  EXPECT_EQ(std::string(sluice_last_error()), "cyclonev has no on-chip memory");
}

// The model of the CPU has no way there.
TEST(NoOnChipMemory, OfTheProcessorsWork) {
  const BoardHandle zynq = open_board("sim:zynq7010/cdma?level=transaction");
  const BufferHandle chip = allocate(zynq.get(), kPage, kOnChip);
  sluice_cpu_work work{};
  work.kind = SLUICE_CPU_READ;
  work.source = chip.get();
  work.bytes = kPage;
  uint64_t elapsed_ps = 0;
  EXPECT_EQ(sluice_board_cpu_work(zynq.get(), &work, sizeof work, &elapsed_ps), -ENOTSUP);
  EXPECT_EQ(std::string(sluice_last_error()),
            "the model of the CPU works in DDR memory; give it buffers of that");
}

}  // namespace
