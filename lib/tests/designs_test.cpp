// SPDX-License-Identifier: Apache-2.0
// The designs that are not hp_stress, through the public API on simulated boards.
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

void fill(sluice_buffer* buffer, std::mt19937_64& random) {
  std::ranges::generate(bytes_of(buffer), [&] { return static_cast<uint8_t>(random()); });
}

sluice_channel_info info_of(sluice_channel* channel) {
  sluice_channel_info info{};
  check(sluice_channel_get_info(channel, &info, sizeof info));
  return info;
}

// Every port at once, in loop-back, several transfers queued; every byte arrives.
void loop_back(const BoardHandle& board, const std::string& lane, unsigned ports) {
  std::mt19937_64 random{test_seed()};
  struct Port {
    sluice_channel *mm2s, *s2mm;
    std::vector<BufferHandle> sources, destinations;
  };
  std::vector<Port> all;
  for (unsigned number = 0; number < ports; ++number) {
    const std::string name = lane + std::to_string(number);
    Port& port = all.emplace_back(Port{.mm2s = find_channel(board.get(), name + ".mm2s"),
                                       .s2mm = find_channel(board.get(), name + ".s2mm"),
                                       .sources = {},
                                       .destinations = {}});
    for (uint64_t i = 0; i < 3; ++i) {
      const uint64_t bytes = 1 + random() % 20'000;
      port.sources.push_back(allocate(board.get(), bytes));
      port.destinations.push_back(allocate(board.get(), bytes + 64));
      fill(port.sources.back().get(), random);
      submit(port.s2mm, {port.destinations.back().get(), 0, bytes, i});
      submit(port.mm2s, {port.sources.back().get(), 0, bytes, i});
    }
  }
  for (const Port& port : all) {
    for (uint64_t i = 0; i < 3; ++i) {
      const sluice_completion sent = wait(port.mm2s);
      const sluice_completion received = wait(port.s2mm);
      const auto source = bytes_of(port.sources[i].get());
      const auto destination = bytes_of(port.destinations[i].get());
      EXPECT_EQ(sent.status, 0);
      EXPECT_EQ(received.status, 0);
      EXPECT_EQ(received.cookie, i);
      EXPECT_EQ(received.bytes, source.size());
      EXPECT_EQ(received.end_of_packet, 1U);
      EXPECT_TRUE(std::ranges::equal(source, destination.first(source.size())));
      EXPECT_TRUE(std::ranges::all_of(destination.subspan(source.size()),
                                      [](uint8_t byte) { return byte == 0; }));
    }
  }
}

TEST(DmaLoopback, ReturnsEveryByteOnEveryPort) {
  const BoardHandle board = open_board("sim:zynq7010/dma_loopback?start_cost_ns=0");
  loop_back(board, "hp", 4);
  EXPECT_EQ(get_attribute(board.get(), "hp3.fifo_beats"), 0U);
  uint64_t value = 0;
  EXPECT_EQ(sluice_board_get_attribute(board.get(), "hp0.sink.beats", &value), -ENOENT);
}

TEST(Capture, SourceAndCapabilityBlockAgreeOnWhatIsDropped) {
  for (const char* const where : {"zynq7010", "zynq7020"}) {
    const BoardHandle board = open_board(std::string("sim:") + where + "/capture?start_cost_ns=0");
    const auto get = [&](const char* name) { return get_attribute(board.get(), name); };
    EXPECT_EQ(get("hp0.capability.drops"), 0U);
    const uint64_t before = get("hp0.capability.time");
    set_attribute(board.get(), "hp0.source.packet_beats", 3000);
    set_attribute(board.get(), "hp0.source.frames", 1);
    set_attribute(board.get(), "hp0.source.free_run", 1);
    set_attribute(board.get(), "hp0.source.enable", 1);
    while (get("hp0.source.done") == 0) {
    }
    EXPECT_GE(get("hp0.capability.time"), before + 3000);
    EXPECT_EQ(get("hp0.source.beats"), 3000U);
    // Nothing takes them: the FIFO fills, the rest is one gap.
    EXPECT_GT(get("hp0.capability.drops"), 2000U);
    EXPECT_EQ(get("hp0.capability.drops"), get("hp0.drop.beats"));
    EXPECT_EQ(get("hp0.drop.first"), 3000 - get("hp0.drop.beats"));
    EXPECT_EQ(get("hp0.drop.runs"), 1U);
    EXPECT_EQ(get("hp0.capability.periods"), 0U);
    EXPECT_EQ(get("hp0.capability.snap_valid"), 0U);
    uint64_t value = 0;
    EXPECT_EQ(sluice_board_get_attribute(board.get(), "hp0.sink.beats", &value), -ENOENT);
  }
}

struct F2sStress : testing::TestWithParam<unsigned> {
  BoardHandle board =
      open_board("sim:cyclonev/f2s_stress?start_cost_ns=0&width=" + std::to_string(GetParam()));
  sluice_channel* mm2s = find_channel(board.get(), "f2s0.mm2s");
  sluice_channel* s2mm = find_channel(board.get(), "f2s0.s2mm");
  unsigned beat_bytes = GetParam() / 8;

  void send_packet(uint64_t beats) {
    set_attribute(board.get(), "f2s0.source.packet_beats", beats);
    set_attribute(board.get(), "f2s0.source.frames", 1);
    set_attribute(board.get(), "f2s0.source.enable", 1);
  }
};

INSTANTIATE_TEST_SUITE_P(Widths, F2sStress, testing::Values(32, 64, 128, 256),
                         [](const auto& param) { return "bits" + std::to_string(param.param); });

TEST_P(F2sStress, DescribesItself) {
  EXPECT_EQ(info_of(mm2s).direction, SLUICE_MM2S);
  EXPECT_EQ(info_of(s2mm).direction, SLUICE_S2MM);
  EXPECT_STREQ(info_of(s2mm).port, "F2S0");
  EXPECT_EQ(info_of(s2mm).width_bits, GetParam());
  EXPECT_EQ(info_of(s2mm).offset_alignment, beat_bytes);
}

TEST_P(F2sStress, LoopBackReturnsEveryByte) {
  set_attribute(board.get(), "f2s0.loopback", 1);
  loop_back(board, "f2s", 1);
}

TEST_P(F2sStress, SourceFillsMemoryAndSinkChecksIt) {
  const uint64_t bytes = 200 * beat_bytes;
  const BufferHandle buffer = allocate(board.get(), bytes + 4096);
  submit(s2mm, {buffer.get(), 0, bytes + 4096, 1});  // the packet ends it early
  send_packet(200);
  const sluice_completion received = wait(s2mm);
  EXPECT_EQ(received.status, 0);
  EXPECT_EQ(received.bytes, bytes);
  set_attribute(board.get(), "f2s0.sink.check", 1);
  set_attribute(board.get(), "f2s0.sink.enable", 1);
  submit(mm2s, {buffer.get(), 0, bytes, 2});
  EXPECT_EQ(wait(mm2s).bytes, bytes);
  EXPECT_EQ(get_attribute(board.get(), "f2s0.sink.bytes"), bytes);
  EXPECT_EQ(get_attribute(board.get(), "f2s0.sink.packets"), 1U);
  EXPECT_EQ(get_attribute(board.get(), "f2s0.sink.mismatch"), 0U);
}

TEST_P(F2sStress, PacketThatIsTooLongFailsAndTheChannelWorksAgain) {
  const BufferHandle buffer = allocate(board.get(), 8192);
  submit(s2mm, {buffer.get(), 0, 2 * beat_bytes, 1});
  submit(s2mm, {buffer.get(), 64, 64, 2});
  send_packet(3);
  EXPECT_EQ(wait(s2mm).status, -EMSGSIZE);
  EXPECT_EQ(wait(s2mm).status, -ECANCELED);
  set_attribute(board.get(), "f2s0.loopback", 1);
  loop_back(board, "f2s", 1);
}

TEST_P(F2sStress, CancelReturnsWhatWasQueued) {
  const BufferHandle buffer = allocate(board.get(), 65536);
  for (uint64_t i = 0; i < 3; ++i) submit(s2mm, {buffer.get(), 0, 4096, i});
  submit(mm2s, {buffer.get(), 0, 65536, 9});  // its sink is not enabled: it cannot finish
  check(sluice_channel_cancel(s2mm));
  for (uint64_t i = 0; i < 3; ++i) EXPECT_EQ(wait(s2mm).status, -ECANCELED);
  sluice_completion none{};
  EXPECT_EQ(sluice_channel_reap(mm2s, &none, 1, sizeof none, 0), 0);  // an engine of its own
  check(sluice_channel_cancel(mm2s));
  EXPECT_EQ(wait(mm2s).status, -ECANCELED);
}

// The port at its width: a long transfer to the sink is limited by the clock or by the memory.
TEST_P(F2sStress, AWiderPortIsFaster) {
  constexpr uint64_t kBytes = 1 << 18;
  const BufferHandle buffer = allocate(board.get(), kBytes);
  set_attribute(board.get(), "f2s0.sink.enable", 1);
  submit(mm2s, {buffer.get(), 0, kBytes, 0});
  const sluice_completion completion = wait(mm2s);
  const double mb_s = static_cast<double>(kBytes) * 1e3 /
                      static_cast<double>(completion.finish_ns - completion.start_ns);
  const double clock_mb_s = 100.0 * beat_bytes;
  EXPECT_LE(mb_s, clock_mb_s);
  EXPECT_GE(mb_s, std::min(clock_mb_s * 0.9, 1500.0));
}

// The designs that copy, by their board and name.
struct Copies : testing::TestWithParam<const char*> {
  BoardHandle board = open_board("sim:" + std::string(GetParam()) + "?start_cost_ns=0");
  std::mt19937_64 random{test_seed()};

  sluice_channel* channel(unsigned port) {
    return find_channel(board.get(), "hp" + std::to_string(port) + ".copy");
  }
};

INSTANTIATE_TEST_SUITE_P(Designs, Copies, testing::Values("zynq7010/cdma", "zynq7020/msgdma"),
                         [](const auto& entry) {
                           return std::string(entry.param).substr(std::string("zynq7010/").size());
                         });

TEST_P(Copies, ChannelsDescribeThemselves) {
  sluice_board_info board_info{};
  check(sluice_board_get_info(board.get(), &board_info, sizeof board_info));
  EXPECT_EQ(board_info.channel_count, 4U);
  EXPECT_EQ(board_info.port_count, 4U);
  const sluice_channel_info info = info_of(channel(2));
  EXPECT_EQ(info.direction, SLUICE_COPY);
  EXPECT_STREQ(info.port, "HP2");
  EXPECT_EQ(info.offset_alignment, 1U);
}

// Any alignment and length, on all engines at once, several queued; nothing else is touched.
TEST_P(Copies, EveryByteArrivesAndNoOther) {
  constexpr uint64_t kRoom = 24'000;
  struct Job {
    sluice_channel* channel;
    BufferHandle source, destination;
    sluice_copy copy;
  };
  std::vector<Job> jobs;
  for (unsigned i = 0; i < 16; ++i) {
    Job& job = jobs.emplace_back(Job{.channel = channel(i % 4),
                                     .source = allocate(board.get(), kRoom),
                                     .destination = allocate(board.get(), kRoom),
                                     .copy = {}});
    fill(job.source.get(), random);
    std::ranges::fill(bytes_of(job.destination.get()), uint8_t{0xa5});
    job.copy = {.source = job.source.get(),
                .source_offset = random() % 4000,
                .destination = job.destination.get(),
                .destination_offset = random() % 4000,
                .bytes = i < 4 ? 1 + random() % 70 : 1 + random() % 20'000,
                .cookie = i};
    copy(job.channel, job.copy);
  }
  for (Job& job : jobs) {
    const sluice_completion completion = wait(job.channel);
    EXPECT_EQ(completion.status, 0);
    EXPECT_EQ(completion.cookie, job.copy.cookie);
    EXPECT_EQ(completion.bytes, job.copy.bytes);
    EXPECT_EQ(completion.end_of_packet, 0U);
    EXPECT_GT(completion.finish_ns, completion.start_ns);
    std::vector<uint8_t> expected(kRoom, 0xa5);
    const auto from = bytes_of(job.source.get()).subspan(job.copy.source_offset, job.copy.bytes);
    std::ranges::copy(from, expected.begin() + static_cast<long>(job.copy.destination_offset));
    EXPECT_TRUE(std::ranges::equal(bytes_of(job.destination.get()), expected));
  }
}

TEST_P(Copies, WithinOneBufferWhereTheyDoNotOverlap) {
  const BufferHandle buffer = allocate(board.get(), 8192);
  fill(buffer.get(), random);
  const auto bytes = bytes_of(buffer.get());
  copy(channel(0), {buffer.get(), 0, buffer.get(), 1000, 1000, 0});
  EXPECT_EQ(wait(channel(0)).status, 0);
  EXPECT_TRUE(std::ranges::equal(bytes.first(1000), bytes.subspan(1000, 1000)));
}

TEST_P(Copies, BadOnesAreRefusedWhole) {
  const BufferHandle buffer = allocate(board.get(), 4096), other = allocate(board.get(), 4096);
  const BoardHandle elsewhere = open_board("sim:zynq7010/cdma");
  const BufferHandle foreign = allocate(elsewhere.get(), 4096);
  const sluice_copy good{buffer.get(), 0, other.get(), 0, 64, 0};
  const sluice_copy bad[] = {
      {nullptr, 0, other.get(), 0, 64, 0},         {buffer.get(), 0, nullptr, 0, 64, 0},
      {buffer.get(), 0, other.get(), 0, 0, 0},     {buffer.get(), 4090, other.get(), 0, 64, 0},
      {buffer.get(), 0, other.get(), 4090, 64, 0}, {buffer.get(), 0, foreign.get(), 0, 64, 0},
      {foreign.get(), 0, other.get(), 0, 64, 0},   {buffer.get(), 0, buffer.get(), 63, 64, 0},
      {buffer.get(), 63, buffer.get(), 0, 64, 0}};
  for (const sluice_copy& entry : bad) {
    const sluice_copy pair[] = {good, entry};
    EXPECT_EQ(sluice_channel_copy(channel(0), pair, 2, sizeof pair[0]), -EINVAL)
        << &entry - bad << sluice_last_error();
  }
  const sluice_transfer transfer{buffer.get(), 0, 64, 0};
  EXPECT_EQ(sluice_channel_submit(channel(0), &transfer, 1, sizeof transfer), -ENOTSUP);
  EXPECT_STREQ(sluice_last_error(), "hp0.copy copies from memory to memory: give it copies");
  sluice_completion none{};
  EXPECT_EQ(sluice_channel_reap(channel(0), &none, 1, sizeof none, -1), 0);  // nothing was queued
}

TEST_P(Copies, BuffersAreGuardedAndCancelReturnsWhatWasQueued) {
  const BufferHandle source = allocate(board.get(), 65536),
                     destination = allocate(board.get(), 65536);
  for (uint64_t i = 0; i < 3; ++i)
    copy(channel(1), {source.get(), 0, destination.get(), 0, 65536, i});
  EXPECT_EQ(sluice_buffer_free(source.get()), -EBUSY);
  EXPECT_EQ(sluice_buffer_free(destination.get()), -EBUSY);
  check(sluice_channel_cancel(channel(1)));
  for (uint64_t i = 0; i < 3; ++i) {
    const sluice_completion completion = wait(channel(1));
    EXPECT_EQ(completion.cookie, i);
    EXPECT_EQ(completion.status, -ECANCELED);
  }
  fill(source.get(), random);
  copy(channel(1), {source.get(), 0, destination.get(), 0, 65536, 9});  // it works again
  EXPECT_EQ(wait(channel(1)).status, 0);
  EXPECT_TRUE(std::ranges::equal(bytes_of(source.get()), bytes_of(destination.get())));
}

// A timeout ends the wait, not the copy.
TEST_P(Copies, ATimeoutIsNoError) {
  const BufferHandle source = allocate(board.get(), 65536),
                     destination = allocate(board.get(), 65536);
  copy(channel(0), {source.get(), 0, destination.get(), 0, 65536, 5});
  sluice_completion completion{};
  EXPECT_EQ(sluice_channel_reap(channel(0), &completion, 1, sizeof completion, 1000), 0);
  EXPECT_EQ(wait(channel(0)).cookie, 5U);
}

}  // namespace
