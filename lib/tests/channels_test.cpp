// SPDX-License-Identifier: Apache-2.0
// Transfers through the public API on a simulated board, good and bad.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <random>
#include <sluice.hpp>
#include <span>
#include <string>
#include <vector>

#include "seed.hpp"

namespace {

using namespace sluice;

struct Channels : testing::TestWithParam<unsigned> {
  BoardHandle board =
      open_board("sim:zynq7010/hp_stress?start_cost_ns=0&width=" + std::to_string(GetParam()));
  sluice_channel* mm2s = find_channel(board.get(), "hp1.mm2s");
  sluice_channel* s2mm = find_channel(board.get(), "hp1.s2mm");
  unsigned beat_bytes = GetParam() / 8;
  std::mt19937_64 random{test_seed()};

  void fill(sluice_buffer* buffer) {
    std::ranges::generate(bytes_of(buffer), [&] { return static_cast<uint8_t>(random()); });
  }
  // A source packet of that many beats, waiting for its receiver.
  void send_packet(uint64_t beats) {
    set_attribute(board.get(), "hp1.source.packet_beats", beats);
    set_attribute(board.get(), "hp1.source.frames", 1);
    set_attribute(board.get(), "hp1.source.enable", 1);
  }
  sluice_channel_info info(sluice_channel* channel) {
    sluice_channel_info result{};
    check(sluice_channel_get_info(channel, &result, sizeof result));
    return result;
  }
};

INSTANTIATE_TEST_SUITE_P(Widths, Channels, testing::Values(32, 64),
                         [](const auto& param) { return "bits" + std::to_string(param.param); });

TEST_P(Channels, DescribeThemselves) {
  sluice_board_info board_info{};
  check(sluice_board_get_info(board.get(), &board_info, sizeof board_info));
  EXPECT_EQ(board_info.channel_count, 8U);
  EXPECT_EQ(board_info.simulated_time, 1U);
  EXPECT_EQ(board_info.width_bits, GetParam());
  EXPECT_EQ(board_info.clock_khz, 100'000U);
  EXPECT_EQ(sluice_board_channel(board.get(), 8), nullptr);
  EXPECT_EQ(info(s2mm).direction, SLUICE_S2MM);
  EXPECT_EQ(info(s2mm).width_bits, GetParam());
  EXPECT_EQ(info(s2mm).max_bytes, (uint64_t{1} << 26) - 1);
  EXPECT_STREQ(info(mm2s).port, "HP1");
}

// Random lengths and offsets, several queued at once on both channels.
TEST_P(Channels, LoopBackReturnsEveryByte) {
  set_attribute(board.get(), "hp1.loopback", 1);
  constexpr unsigned kQueued = 5;
  for (int round = 0; round < 6; ++round) {
    std::vector<BufferHandle> sources, destinations;
    std::vector<sluice_transfer> sends, receives;
    for (unsigned i = 0; i < kQueued; ++i) {
      const uint64_t bytes = 1 + random() % 20'000;
      const uint64_t offset = random() % 64 * beat_bytes;
      sources.push_back(allocate(board.get(), bytes + offset));
      destinations.push_back(allocate(board.get(), bytes + 2 * offset + 64));
      fill(sources.back().get());
      std::ranges::fill(bytes_of(destinations.back().get()), uint8_t{0xa5});
      sends.push_back({sources.back().get(), offset, bytes, i});
      receives.push_back({destinations.back().get(), 2 * offset, bytes, 100 + i});
    }
    ASSERT_EQ(sluice_channel_submit(s2mm, receives.data(), kQueued, sizeof receives[0]),
              int{kQueued});
    ASSERT_EQ(sluice_channel_submit(mm2s, sends.data(), kQueued, sizeof sends[0]), int{kQueued});
    uint64_t last_ns = 0;
    for (unsigned i = 0; i < kQueued; ++i) {
      const sluice_completion received = wait(s2mm);
      EXPECT_EQ(received.status, 0);
      EXPECT_EQ(received.cookie, 100 + i);
      EXPECT_EQ(received.bytes, receives[i].bytes);
      EXPECT_EQ(received.end_of_packet, 1U);
      EXPECT_GT(received.finish_ns, received.start_ns);
      EXPECT_GE(received.start_ns, last_ns);
      last_ns = received.finish_ns;
      EXPECT_EQ(wait(mm2s).cookie, i);

      const auto sent = bytes_of(sources[i].get()).subspan(sends[i].offset);
      const auto all = bytes_of(destinations[i].get());
      const auto got = all.subspan(receives[i].offset, receives[i].bytes);
      EXPECT_TRUE(std::ranges::equal(sent, got));
      // Not a byte before or behind was touched.
      EXPECT_TRUE(
          std::ranges::all_of(all.first(receives[i].offset), [](uint8_t b) { return b == 0xa5; }));
      EXPECT_TRUE(std::ranges::all_of(all.subspan(receives[i].offset + receives[i].bytes),
                                      [](uint8_t b) { return b == 0xa5; }));
    }
  }
}

TEST_P(Channels, PacketThatEndsEarlyGivesItsTrueLength) {
  const BufferHandle buffer = allocate(board.get(), 8192);
  submit(s2mm, {buffer.get(), 0, 8192, 7});
  send_packet(100);
  const sluice_completion completion = wait(s2mm);
  EXPECT_EQ(completion.status, 0);
  EXPECT_EQ(completion.bytes, 100 * beat_bytes);
  EXPECT_EQ(completion.end_of_packet, 1U);
  uint32_t word = 0;
  std::memcpy(&word, bytes_of(buffer.get()).data() + 4 * 50, 4);
  EXPECT_EQ(word, 50U);
}

TEST_P(Channels, PacketThatIsTooLongFailsAndTheChannelWorksAgain) {
  const BufferHandle buffer = allocate(board.get(), 8192);
  submit(s2mm, {buffer.get(), 0, 64, 1});
  submit(s2mm, {buffer.get(), 64, 64, 2});
  send_packet(64 / beat_bytes + 1);
  EXPECT_EQ(wait(s2mm).status, -EMSGSIZE);
  EXPECT_EQ(wait(s2mm).status, -ECANCELED);

  set_attribute(board.get(), "hp1.loopback", 1);
  fill(buffer.get());
  submit(s2mm, {buffer.get(), 4096, 640, 3});
  submit(mm2s, {buffer.get(), 0, 640, 4});
  EXPECT_EQ(wait(s2mm).status, 0);
  EXPECT_EQ(std::memcmp(bytes_of(buffer.get()).data(), bytes_of(buffer.get()).data() + 4096, 640),
            0);
}

// The transfer ends inside a beat of a packet that goes on: it fails, and writes no byte too many.
TEST_P(Channels, PacketThatIsTooLongInsideABeatFailsToo) {
  const BufferHandle buffer = allocate(board.get(), 4096);
  std::ranges::fill(bytes_of(buffer.get()), uint8_t{0xa5});
  const uint64_t bytes = 10 * beat_bytes - 3;
  for (const uint64_t beats : {10, 11}) {
    submit(s2mm, {buffer.get(), 0, bytes, 1});
    send_packet(beats);
    EXPECT_EQ(wait(s2mm).status, -EMSGSIZE);
    EXPECT_TRUE(std::ranges::all_of(bytes_of(buffer.get()).subspan(bytes),
                                    [](uint8_t b) { return b == 0xa5; }));
    // What the packet left in the stream is taken by a transfer that has room for it.
    check(sluice_board_sleep_ns(board.get(), 1000));
    if (get_attribute(board.get(), "hp1.source.running") == 1) {
      submit(s2mm, {buffer.get(), 2048, 1024, 2});
      EXPECT_EQ(wait(s2mm).status, 0);
    }
  }
}

TEST_P(Channels, CancelReturnsWhatWasQueued) {
  const BufferHandle buffer = allocate(board.get(), 65536);
  for (uint64_t i = 0; i < 3; ++i) submit(s2mm, {buffer.get(), 0, 4096, i});
  submit(mm2s, {buffer.get(), 0, 65536, 9});  // its sink is not enabled: it cannot finish
  sluice_completion completion{};
  EXPECT_EQ(sluice_channel_reap(s2mm, &completion, 1, sizeof completion, 20'000), 0);
  check(sluice_channel_cancel(s2mm));
  for (uint64_t i = 0; i < 3; ++i) {
    completion = wait(s2mm);
    EXPECT_EQ(completion.cookie, i);
    EXPECT_EQ(completion.status, -ECANCELED);
    EXPECT_EQ(completion.bytes, 0U);
  }
  EXPECT_EQ(wait(mm2s).status, -ECANCELED);
  EXPECT_EQ(sluice_channel_cancel(s2mm), 0);  // nothing there: nothing done
}

TEST_P(Channels, WaitingForAnyEndsWithWhateverIsOverFirst) {
  set_attribute(board.get(), "hp0.sink.enable", 1);
  sluice_channel* sends = find_channel(board.get(), "hp0.mm2s");
  const BufferHandle buffer = allocate(board.get(), 65536);
  submit(s2mm, {buffer.get(), 0, 64, 1});  // and nothing comes
  submit(sends, {buffer.get(), 0, 65536, 2});
  sluice_channel* const both[] = {s2mm, sends};
  EXPECT_EQ(wait_any(both, 0), std::nullopt) << "it is over before it can be";
  const uint64_t before_ns = sluice_board_now_ns(board.get());
  EXPECT_EQ(wait_any(both, 1000), std::nullopt);
  EXPECT_EQ(sluice_board_now_ns(board.get()), before_ns + 1000);
  EXPECT_EQ(wait_any(both), 1U);
  const uint64_t over_ns = sluice_board_now_ns(board.get());
  EXPECT_GT(over_ns, before_ns + 65536 / beat_bytes * 10);  // at 100 MHz
  EXPECT_EQ(wait_any(both), 1U) << "its completion was taken";
  EXPECT_EQ(wait(sends, 0).cookie, 2U);
  EXPECT_EQ(sluice_board_now_ns(board.get()), over_ns);
  EXPECT_EQ(wait_any(both, 500), std::nullopt) << "nothing comes, and the other has nothing";
}

TEST_P(Channels, WaitingForAnyGivesTheFirstOfTheArray) {
  const BufferHandle buffer = allocate(board.get(), 4096);
  sluice_channel* other = find_channel(board.get(), "hp2.s2mm");
  sluice_channel* const channels[] = {mm2s, s2mm, other};
  EXPECT_EQ(wait_any(channels), std::nullopt) << "nothing is queued: it waits for ever";
  for (sluice_channel* channel : {s2mm, other}) {
    submit(channel, {buffer.get(), 0, 64, 0});
    check(sluice_channel_cancel(channel));
  }
  EXPECT_EQ(wait_any(channels), 1U);
  EXPECT_EQ(wait_any(std::span(channels).subspan(1)), 0U);
  sluice_channel* const reversed[] = {other, s2mm, other};
  EXPECT_EQ(wait_any(reversed), 0U);
  EXPECT_EQ(sluice_channel_wait_any(channels, 3, 0, nullptr), 1);
  EXPECT_EQ(wait(s2mm).status, -ECANCELED);
  EXPECT_EQ(wait_any(channels), 2U);
  EXPECT_EQ(wait(other).status, -ECANCELED);
  unsigned untouched = 7;
  EXPECT_EQ(sluice_channel_wait_any(channels, 3, -1, &untouched), 0);
  EXPECT_EQ(untouched, 7U);
}

TEST_P(Channels, WaitingForAnyOfWhatCannotBeIsRefused) {
  const BoardHandle another = open_board("sim:zynq7010/hp_stress");
  sluice_channel* foreign = find_channel(another.get(), "hp0.mm2s");
  sluice_channel* const channels[] = {s2mm, foreign, nullptr};
  const auto refusal = [&](sluice_channel* const* first, unsigned count) {
    EXPECT_EQ(sluice_channel_wait_any(first, count, -1, nullptr), -EINVAL);
    return std::string(sluice_last_error());
  };
  EXPECT_EQ(refusal(channels, 0), "no channels to wait for");
  EXPECT_EQ(refusal(nullptr, 1), "channels is a null pointer");
  EXPECT_EQ(refusal(channels, 2), "hp1.s2mm and hp0.mm2s are channels of two boards");
  EXPECT_EQ(refusal(channels + 2, 1), "a channel is a null pointer");
  EXPECT_EQ(sluice_channel_wait_any(channels, 1, -1, nullptr), 0);
}

TEST_P(Channels, QueueTakesItsDepthAndNoMore) {
  const BufferHandle buffer = allocate(board.get(), 4096);
  std::vector<sluice_transfer> many(
      SLUICE_QUEUE_DEPTH + 10, {.buffer = buffer.get(), .offset = 0, .bytes = 64, .cookie = 0});
  EXPECT_EQ(sluice_channel_submit(s2mm, many.data(), 10, sizeof many[0]), 10);
  EXPECT_EQ(sluice_channel_submit(s2mm, many.data(), SLUICE_QUEUE_DEPTH, sizeof many[0]),
            SLUICE_QUEUE_DEPTH - 10);
  EXPECT_EQ(sluice_channel_submit(s2mm, many.data(), 1, sizeof many[0]), -EAGAIN);
}

TEST_P(Channels, BadTransfersAreRefusedWhole) {
  const BufferHandle buffer = allocate(board.get(), 4096);
  const BoardHandle other = open_board("sim:zynq7010/hp_stress");
  const BufferHandle foreign = allocate(other.get(), 4096);
  const sluice_transfer good{buffer.get(), 0, 64, 0};
  const sluice_transfer bad[] = {{nullptr, 0, 64, 0},
                                 {buffer.get(), 0, 0, 0},
                                 {buffer.get(), 0, 4097, 0},
                                 {buffer.get(), 4096, 1, 0},
                                 {buffer.get(), 1, 64, 0},
                                 {buffer.get(), UINT64_MAX - 63, 64, 0},
                                 {foreign.get(), 0, 64, 0},
                                 {buffer.get(), 64, UINT64_MAX, 0},
                                 {buffer.get(), 0, uint64_t{1} << 26, 0}};
  for (const sluice_transfer& transfer : bad) {
    const sluice_transfer pair[] = {good, transfer};
    EXPECT_EQ(sluice_channel_submit(s2mm, pair, 2, sizeof pair[0]), -EINVAL)
        << "offset " << transfer.offset << " bytes " << transfer.bytes;
  }
  EXPECT_EQ(sluice_channel_submit(s2mm, &good, 0, sizeof good), -EINVAL);
  sluice_completion none{};
  EXPECT_EQ(sluice_channel_reap(s2mm, &none, 1, sizeof none, -1), 0);  // nothing was queued
}

TEST_P(Channels, BuffersAreZeroPlacedAndGuarded) {
  sluice_buffer* buffer = nullptr;
  EXPECT_EQ(sluice_buffer_alloc(board.get(), 0, nullptr, 0, &buffer), -EINVAL);
  EXPECT_EQ(sluice_buffer_alloc(board.get(), uint64_t{1} << 40, nullptr, 0, &buffer), -ENOMEM);
  EXPECT_EQ(buffer, nullptr);
  for (const sluice_placement& wrong :
       {sluice_placement{4095, 0}, {2048, 0}, {4096, 4096}, {4096, 32}})
    EXPECT_EQ(sluice_buffer_alloc(board.get(), 64, &wrong, sizeof wrong, &buffer), -EINVAL);
  const BufferHandle first = allocate(board.get(), 5000, {65536, 128});
  EXPECT_TRUE(std::ranges::all_of(bytes_of(first.get()), [](uint8_t b) { return b == 0; }));

  submit(s2mm, {first.get(), 0, 64, 0});
  EXPECT_EQ(sluice_buffer_free(first.get()), -EBUSY);
  check(sluice_channel_cancel(s2mm));
  EXPECT_EQ(wait(s2mm).status, -ECANCELED);
}

TEST_P(Channels, TimePassesOnlyWhereSaid) {
  const uint64_t before = sluice_board_now_ns(board.get());
  const BufferHandle buffer = allocate(board.get(), 4096);
  EXPECT_EQ(sluice_board_now_ns(board.get()), before);
  check(sluice_board_sleep_ns(board.get(), 1000));
  EXPECT_EQ(sluice_board_now_ns(board.get()), before + 1000);
  submit(s2mm, {buffer.get(), 0, 64, 0});
  const uint64_t queued = sluice_board_now_ns(board.get());
  sluice_completion none{};
  EXPECT_EQ(sluice_channel_reap(s2mm, &none, 1, sizeof none, 0), 0);
  EXPECT_EQ(sluice_board_now_ns(board.get()), queued);
  EXPECT_EQ(sluice_channel_reap(s2mm, &none, 1, sizeof none, 500), 0);
  EXPECT_EQ(sluice_board_now_ns(board.get()), queued + 500);
}

// The cost is spent once for each start, register accesses included.
TEST_P(Channels, StartCostIsABoardProperty) {
  const auto start_to_finish_ns = [&](const char* cost) {
    const BoardHandle costly =
        open_board("sim:zynq7010/hp_stress?start_cost_ns=" + std::string(cost));
    set_attribute(costly.get(), "hp0.sink.enable", 1);
    sluice_channel* channel = find_channel(costly.get(), "hp0.mm2s");
    const BufferHandle buffer = allocate(costly.get(), 4096);
    for (int i = 0; i < 2; ++i) submit(channel, {buffer.get(), 0, 4096, 0});
    wait(channel);
    const sluice_completion second = wait(channel);
    return second.finish_ns - second.start_ns;
  };
  const uint64_t base = start_to_finish_ns("2000");
  EXPECT_NEAR(static_cast<double>(start_to_finish_ns("12000") - base), 10'000, 20);
}

// A program needs most of it for accesses to registers, whose bus has the logic's clock.
TEST(Open, AStartTakesCyclesOfTheLogic) {
  const auto start_cost_ns = [](const std::string& uri) {
    sluice_board_info info{};
    check(sluice_board_get_info(open_board(uri).get(), &info, sizeof info));
    return info.start_cost_ns;
  };
  EXPECT_EQ(start_cost_ns("sim:zynq7010/hp_stress"), 2100U);
  EXPECT_EQ(start_cost_ns("sim:zynq7010/hp_stress?clock_mhz=200"), 1050U);
  EXPECT_EQ(start_cost_ns("sim:zynq7010/hp_stress?clock_mhz=200&start_cost_ns=7"), 7U);
  sluice_board_description entry{};
  check(sluice_enumerate(0, &entry, sizeof entry));
  EXPECT_EQ(entry.default_start_cost_ns, 2100U);
  EXPECT_EQ(entry.start_cost_clocks, 210U);
}

TEST(Open, RefusesWithASentence) {
  const std::pair<const char*, int> cases[] = {
      {"sim:zynq7011/hp_stress", -ENODEV},
      {"sim:zynq7010/other", -ENODEV},
      {"pci:zynq7010/hp_stress", -ENODEV},
      {"zynq7010", -EINVAL},
      {"sim:zynq7010/hp_stress?width=48", -EINVAL},
      {"sim:zynq7010/hp_stress?clock_mhz=9", -EINVAL},
      {"sim:zynq7010/hp_stress?start_cost_ns=-1", -EINVAL},
      {"sim:zynq7010/hp_stress?colour=red", -EINVAL},
  };
  for (const auto& [uri, error] : cases) {
    sluice_board* board = nullptr;
    EXPECT_EQ(sluice_board_open(uri, &board), error) << uri;
    EXPECT_EQ(board, nullptr);
    EXPECT_NE(std::string(sluice_last_error()), "");
  }
  sluice_board* board = nullptr;
  EXPECT_EQ(sluice_board_open("sim:zynq7011/hp_stress", &board), -ENODEV);
  EXPECT_STREQ(sluice_last_error(),
               "unknown board 'zynq7011'; allowed: zynq7010, zynq7020, cyclonev, "
               "pcie-gen2x4, pcie-gen3x8, pcie-gen4x8");
}

// The same calls take the same simulated time to the nanosecond.
TEST(Board, IsDeterministic) {
  const auto finish_ns = [] {
    const BoardHandle board = open_board("sim:zynq7010/hp_stress");
    set_attribute(board.get(), "hp3.loopback", 1);
    const BufferHandle source = allocate(board.get(), 30'000), sink = allocate(board.get(), 30'000);
    sluice_channel* s2mm = find_channel(board.get(), "hp3.s2mm");
    submit(s2mm, {sink.get(), 0, 30'000, 0});
    submit(find_channel(board.get(), "hp3.mm2s"), {source.get(), 0, 30'000, 0});
    return wait(s2mm).finish_ns;
  };
  EXPECT_EQ(finish_ns(), finish_ns());
}

}  // namespace
