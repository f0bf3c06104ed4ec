// SPDX-License-Identifier: Apache-2.0
// Block RAM in a simulated Zynq's logic as a side of copies, through the public API.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <sluice.hpp>
#include <string>
#include <vector>

#include "seed.hpp"

namespace {

using namespace sluice;

constexpr unsigned kEngines = 4;
constexpr uint64_t kRamAddress = 0x4008'0000;

struct BlockRam : testing::TestWithParam<const char*> {
  std::mt19937_64 random{test_seed()};
  BoardHandle board = open_board(std::string("sim:") + GetParam() + "/cdma?start_cost_ns=0");
  uint64_t part_bytes = std::string(GetParam()) == "zynq7020" ? 65536 : 32768;

  std::vector<uint8_t> some(uint64_t bytes) {
    std::vector<uint8_t> data(bytes);
    std::ranges::generate(data, [&] { return static_cast<uint8_t>(random()); });
    return data;
  }
  BufferHandle filled(uint64_t bytes) {
    BufferHandle buffer = allocate(board.get(), bytes);
    std::ranges::copy(some(bytes), bytes_of(buffer.get()).begin());
    return buffer;
  }
  sluice_channel* engine(unsigned number) {
    return find_channel(board.get(), "hp" + std::to_string(number) + ".copy");
  }
  std::string refused(int result, int error) {
    EXPECT_EQ(result, -error);
    return sluice_last_error();
  }
};

INSTANTIATE_TEST_SUITE_P(Boards, BlockRam, testing::Values("zynq7010", "zynq7020"),
                         [](const auto& param) { return std::string(param.param); });

// All engines at once, memory to RAM, within it, and back, by the calls of any copy.
TEST_P(BlockRam, IsASideOfCopies) {
  struct Lane {
    sluice_channel* channel;
    BufferHandle from, ram, to;
  };
  std::vector<Lane> lanes;
  const uint64_t half = part_bytes / 2;
  for (unsigned n = 0; n < kEngines; ++n) {
    Lane& lane =
        lanes.emplace_back(Lane{.channel = engine(n),
                                .from = filled(half),
                                .ram = card_buffer(board.get(), n * part_bytes, part_bytes),
                                .to = allocate(board.get(), half)});
    EXPECT_EQ(bus_address(lane.ram.get()), kRamAddress + n * part_bytes);
    sluice_channel_info info{};
    check(sluice_channel_get_info(lane.channel, &info, sizeof info));
    EXPECT_EQ(info.card_first, n * part_bytes);
    EXPECT_EQ(info.card_bytes, part_bytes);
    copy(lane.channel, {lane.from.get(), 0, lane.ram.get(), 3, half - 3, 1});
    copy(lane.channel, {lane.ram.get(), 3, lane.ram.get(), half, half - 3, 2});
    copy(lane.channel, {lane.ram.get(), half, lane.to.get(), 1, half - 3, 3});
  }
  for (Lane& lane : lanes) {
    for (uint64_t cookie = 1; cookie <= 3; ++cookie) {
      const sluice_completion done = wait(lane.channel, 1'000'000);
      EXPECT_EQ(done.cookie, cookie);
      EXPECT_EQ(done.status, 0);
    }
    const auto from = bytes_of(lane.from.get()).first(half - 3);
    EXPECT_TRUE(std::ranges::equal(from, bytes_of(lane.ram.get()).subspan(3, half - 3)));
    EXPECT_TRUE(std::ranges::equal(from, bytes_of(lane.ram.get()).subspan(half, half - 3)));
    EXPECT_TRUE(std::ranges::equal(from, bytes_of(lane.to.get()).subspan(1, half - 3)));
  }
}

// Any bytes, also while an engine is at work in the same RAM; each word takes its time.
TEST_P(BlockRam, IsReadAndWrittenByTheProcessor) {
  const uint64_t half = part_bytes / 2, bytes = 1001;
  const BufferHandle ram = card_buffer(board.get(), 0, part_bytes);
  const BufferHandle from = filled(half);
  sluice_board_info info{};
  check(sluice_board_get_info(board.get(), &info, sizeof info));
  EXPECT_EQ(info.card_bytes, kEngines * part_bytes);
  copy(engine(0), {from.get(), 0, ram.get(), half, half, 1});
  for (const uint64_t at : {uint64_t{0}, uint64_t{1}, uint64_t{6}, kEngines * part_bytes - bytes}) {
    const std::vector<uint8_t> data = some(bytes);
    std::vector<uint8_t> back(bytes);
    const uint64_t begun_ns = sluice_board_now_ns(board.get());
    check(sluice_card_write(board.get(), at, data.data(), bytes));
    check(sluice_card_read(board.get(), at, back.data(), bytes));
    EXPECT_EQ(back, data);
    EXPECT_GT(sluice_board_now_ns(board.get()) - begun_ns, 2 * bytes / 4 * 70);
    if (at < half) {
      EXPECT_TRUE(std::ranges::equal(data, bytes_of(ram.get()).subspan(at, bytes)));
    }
  }
  EXPECT_EQ(wait(engine(0), 1'000'000).status, 0);
  EXPECT_TRUE(std::ranges::equal(bytes_of(from.get()), bytes_of(ram.get()).subspan(half, half)));
}

// What the program leaves there by its pointer is what an engine finds.
TEST_P(BlockRam, HasThePointersBytes) {
  const BufferHandle ram = card_buffer(board.get(), 2 * part_bytes + 64, 4096);
  const BufferHandle to = allocate(board.get(), 4096);
  for (int turn = 0; turn < 3; ++turn) {
    check(sluice_board_sleep_ns(board.get(), 50'000));  // the board comes to rest
    const std::vector<uint8_t> data = some(4096);
    std::ranges::copy(data, bytes_of(ram.get()).begin());
    copy(engine(2), {ram.get(), 0, to.get(), 0, 4096, 1});
    EXPECT_EQ(wait(engine(2), 1'000'000).status, 0);
    EXPECT_TRUE(std::ranges::equal(data, bytes_of(to.get())));
  }
}

TEST_P(BlockRam, OfAnotherEngineIsRefused) {
  const BufferHandle ram = card_buffer(board.get(), part_bytes, 4096);
  const BufferHandle memory = allocate(board.get(), 4096);
  const sluice_copy in{memory.get(), 0, ram.get(), 0, 64, 1};
  const sluice_copy out{ram.get(), 0, memory.get(), 0, 64, 1};
  for (const sluice_copy& entry : {in, out})
    EXPECT_EQ(refused(sluice_channel_copy(engine(0), &entry, 1, sizeof entry), EINVAL),
              "hp0.copy: the buffer is in the block RAM of another engine");
  sluice_buffer* made = nullptr;
  EXPECT_EQ(refused(sluice_card_buffer(board.get(), part_bytes - 64, 128, &made), EINVAL),
            "128 bytes at " + std::to_string(part_bytes - 64) +
                " are not all in one engine's block RAM, of which each has " +
                std::to_string(part_bytes));
  refused(sluice_card_buffer(board.get(), kEngines * part_bytes, 1, &made), EINVAL);
  const BoardHandle without = open_board("sim:zynq7010/hp_stress");
  EXPECT_EQ(refused(sluice_card_buffer(without.get(), 0, 64, &made), ENOTSUP),
            "zynq7010 is not a card with memory, and its logic has no block RAM");
}

}  // namespace
