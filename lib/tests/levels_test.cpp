// SPDX-License-Identifier: Apache-2.0
// level=transaction: the same program on a board without RTL, what it refuses, and settings.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <sluice.hpp>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace sluice;

BoardHandle open_level(const std::string& level, const std::string& more = "") {
  return open_board("sim:zynq7010/hp_stress?level=" + level + more);
}

struct Timed {
  uint64_t mm2s_ns;
  uint64_t s2mm_ns;
};

// A loop-back of `bytes` on one port of a board: from the first start to each end.
Timed loop_back(const std::string& board_uri, const std::string& port, uint64_t bytes) {
  const BoardHandle board = open_board(board_uri);
  const BufferHandle source = allocate(board.get(), bytes);
  const BufferHandle destination = allocate(board.get(), bytes);
  std::iota(bytes_of(source.get()).begin(), bytes_of(source.get()).end(), uint8_t{3});
  const std::string route = port + ".loopback";  // a design that is nothing else has none
  if (uint64_t value = 0; sluice_board_get_attribute(board.get(), route.c_str(), &value) == 0)
    set_attribute(board.get(), route, 1);
  sluice_channel* s2mm = find_channel(board.get(), port + ".s2mm");
  sluice_channel* mm2s = find_channel(board.get(), port + ".mm2s");
  submit(s2mm, {destination.get(), 0, bytes, 1});
  submit(mm2s, {source.get(), 0, bytes, 2});
  const sluice_completion sent = wait(mm2s);
  const sluice_completion received = wait(s2mm);
  EXPECT_EQ(sent.status, 0);
  EXPECT_EQ(received.status, 0);
  EXPECT_EQ(received.bytes, bytes);
  EXPECT_TRUE(std::ranges::equal(bytes_of(source.get()), bytes_of(destination.get())));
  return {sent.finish_ns - received.start_ns, received.finish_ns - received.start_ns};
}

// One transfer alone depends on latencies only: they agree to two cycles of the logic.
void compare_levels(const std::string& design, const std::string& port,
                    const std::vector<unsigned>& widths, const std::vector<uint64_t>& sizes) {
  for (const unsigned width : widths) {
    const std::string uri = "sim:" + design + "?width=" + std::to_string(width) + "&level=";
    for (const uint64_t bytes : sizes) {
      const Timed rtl = loop_back(uri + "rtl", port, bytes);
      const Timed fast = loop_back(uri + "transaction", port, bytes);
      EXPECT_NEAR(static_cast<double>(fast.mm2s_ns), static_cast<double>(rtl.mm2s_ns), 20.0)
          << width << " bits, " << bytes << " bytes";
      EXPECT_NEAR(static_cast<double>(fast.s2mm_ns), static_cast<double>(rtl.s2mm_ns), 20.0)
          << width << " bits, " << bytes << " bytes";
    }
  }
}

TEST(Levels, OneTransferTakesTheSameTime) {
  compare_levels("zynq7010/hp_stress", "hp1", {32, 64}, {64, 1024, 65536});
}

TEST(Levels, OneTransferOnTheAcpDoesToo) {
  compare_levels("zynq7010/dma_loopback_acp", "acp0", {64}, {64, 1024, 65536});
}

// No longer ones: reads and writes of a loop-back meet in this memory, where one cycle of
// difference grows. python/tests/test_levels.py compares the means over skews.
TEST(Levels, OneTransferOfACycloneVDoesToo) {
  compare_levels("cyclonev/f2s_stress", "f2s0", {32, 64, 128, 256}, {64, 1024});
  compare_levels("cyclonev/f2s_stress", "f2s2", {64}, {1024});
}

// A copy of `bytes` on each of the first channels, started one after the other, the next one
// `skew_ns` later: from the first start to the last end.
uint64_t copy_on(const std::string& design, const std::string& level,
                 const std::vector<std::string>& channels, uint64_t bytes, uint64_t skew_ns = 0) {
  const BoardHandle board = open_board("sim:zynq7010/" + design + "?level=" + level);
  std::vector<BufferHandle> sources, destinations;
  uint64_t first_ns = 0, last_ns = 0;
  for (const std::string& name : channels) {
    sources.push_back(allocate(board.get(), bytes));
    destinations.push_back(allocate(board.get(), bytes));
    std::ranges::generate(bytes_of(sources.back().get()),
                          [i = sources.size()]() mutable { return static_cast<uint8_t>(i += 7); });
    copy(
        find_channel(board.get(), name),
        {.source = sources.back().get(), .destination = destinations.back().get(), .bytes = bytes});
    if (skew_ns != 0) check(sluice_board_sleep_ns(board.get(), skew_ns));
  }
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const sluice_completion done = wait(find_channel(board.get(), channels[i]));
    EXPECT_EQ(done.status, 0);
    EXPECT_TRUE(std::ranges::equal(bytes_of(sources[i].get()), bytes_of(destinations[i].get())));
    if (i == 0) first_ns = done.start_ns;
    last_ns = std::max(last_ns, done.finish_ns);
  }
  return last_ns - first_ns;
}

TEST(Levels, OneCopyTakesTheSameTime) {
  const std::pair<std::string, std::string> channels[] = {{"cdma", "hp2.copy"},
                                                          {"cdma_acp", "acp0.copy"}};
  for (const auto& [design, channel] : channels)
    for (const uint64_t bytes : {64U, 1024U, 65536U})
      EXPECT_NEAR(static_cast<double>(copy_on(design, "transaction", {channel}, bytes)),
                  static_cast<double>(copy_on(design, "rtl", {channel}, bytes)), 20.0)
          << design << ", " << bytes << " bytes";
}

// Reads and writes of two copies meet in the memory, so single runs spread by 7 %; their mean over
// these skews is within 4 %.
TEST(Levels, TwoCopiesTakeTheSameTimeInTheMean) {
  double rtl = 0, fast = 0;
  for (uint64_t skew_ns = 100; skew_ns <= 2000; skew_ns += 100) {
    rtl += static_cast<double>(copy_on("cdma", "rtl", {"hp0.copy", "hp1.copy"}, 65536, skew_ns));
    fast += static_cast<double>(
        copy_on("cdma", "transaction", {"hp0.copy", "hp1.copy"}, 65536, skew_ns));
  }
  EXPECT_NEAR(fast / rtl, 1.0, 0.04);
}

// loop_back() and copy_on() compare the bytes.
TEST(Levels, LeavingOutIsSeenByTheTimeAlone) {
  constexpr uint64_t kBytes = 6 << 20;
  const auto expect_same = [](const std::string& what, uint64_t whole_ns, uint64_t fast_ns) {
    const auto whole = static_cast<double>(whole_ns);
    EXPECT_NEAR(static_cast<double>(fast_ns), whole, whole * 1e-3) << what;
  };
  const std::pair<std::string, std::string> ports[] = {{"cyclonev/f2s_stress?width=64", "f2s0"},
                                                       {"zynq7020/streamif?width=32", "t0"}};
  for (const auto& [design, port] : ports) {
    const std::string uri = "sim:" + design + "&level=transaction";
    expect_same(design, loop_back(uri, port, kBytes).s2mm_ns,
                loop_back(uri + "&fast_forward=1", port, kBytes).s2mm_ns);
  }
  expect_same("cdma", copy_on("cdma", "transaction", {"hp0.copy"}, kBytes),
              copy_on("cdma", "transaction&fast_forward=1", {"hp0.copy"}, kBytes));
}

// An address where nothing is, on either side; then nothing starts until a reset.
TEST(Levels, ACdmaTellsOfErrorsAlike) {
  constexpr uint64_t kControl = 0x0, kStatus = 0x4, kSource = 0x18, kDestination = 0x20;
  constexpr uint64_t kBytes = 0x28;
  constexpr uint32_t kNothing = 0x7000'0000;
  for (const bool reads : {true, false}) {
    std::vector<std::vector<uint32_t>> seen;
    for (const std::string level : {"rtl", "transaction"}) {
      const BoardHandle board = open_board("sim:zynq7010/cdma?level=" + level);
      const auto there = static_cast<uint32_t>(bus_address(allocate(board.get(), 4096).get()));
      std::vector<uint32_t>& statuses = seen.emplace_back();
      const auto run = [&](uint32_t source, uint32_t destination) {
        write_register(board.get(), kSource, source);
        write_register(board.get(), kDestination, destination);
        write_register(board.get(), kBytes, 64);
        check(sluice_board_sleep_ns(board.get(), 5000));
        statuses.push_back(read_register(board.get(), kStatus));
        statuses.push_back(static_cast<uint32_t>(interrupts(board.get())));
      };
      write_register(board.get(), kControl, 0x5000);
      run(reads ? kNothing : there, reads ? there + 2048 : kNothing);
      run(there, there + 2048);
      write_register(board.get(), kControl, 0x4);
      write_register(board.get(), kControl, 0x5000);
      run(there, there + 2048);
    }
    EXPECT_EQ(seen[0], seen[1]) << (reads ? "read" : "write");
    EXPECT_NE(seen[0][0] & 0x40U, 0U);  // a decode error
  }
}

// The interface has 256 bits: three ports of 64, two of 128, one of 256, on both levels.
TEST(Levels, PortsOfACycloneVShareItsInterface) {
  for (const std::string level : {"rtl", "transaction"}) {
    for (const auto& [width, ports] :
         std::vector<std::pair<unsigned, unsigned>>{{32, 3}, {64, 3}, {128, 2}, {256, 1}}) {
      const BoardHandle board =
          open_board("sim:cyclonev/f2s_stress?level=" + level + "&width=" + std::to_string(width));
      sluice_board_info info{};
      check(sluice_board_get_info(board.get(), &info, sizeof info));
      EXPECT_EQ(info.port_count, ports) << level << width;
    }
  }
}

TEST(Levels, AMsgdmaTellsOfErrorsAlike) {
  for (const std::string level : {"rtl", "transaction"}) {
    const BoardHandle board = open_board("sim:cyclonev/f2s_stress?level=" + level);
    const BufferHandle buffer = allocate(board.get(), 4096);
    set_attribute(board.get(), "f2s0.source.packet_beats", 513);
    set_attribute(board.get(), "f2s0.source.clear", 1);
    set_attribute(board.get(), "f2s0.source.enable", 1);
    sluice_channel* s2mm = find_channel(board.get(), "f2s0.s2mm");
    submit(s2mm, {buffer.get(), 0, 4096, 1});
    EXPECT_EQ(wait(s2mm).status, -EMSGSIZE) << level;
  }
}

// A packet of the source that is shorter than the transfer ends it; a longer one is an error.
TEST(Levels, PacketsEndTransfers) {
  const BoardHandle board = open_level("transaction");
  const BufferHandle buffer = allocate(board.get(), 4096);
  sluice_channel* s2mm = find_channel(board.get(), "hp0.s2mm");
  const auto receive = [&](uint64_t beats) {
    set_attribute(board.get(), "hp0.source.enable", 0);
    set_attribute(board.get(), "hp0.source.packet_beats", beats);
    set_attribute(board.get(), "hp0.source.clear", 1);
    set_attribute(board.get(), "hp0.source.enable", 1);
    submit(s2mm, {buffer.get(), 0, 4096, 1});
    return wait(s2mm);
  };
  EXPECT_EQ(receive(100).bytes, 800U);
  EXPECT_EQ(receive(513).status, -EMSGSIZE);
}

TEST(Levels, WhatOnlyRtlDoesIsRefused) {
  const BoardHandle board = open_level("transaction");
  const BufferHandle buffer = allocate(board.get(), 4096);
  sluice_channel* s2mm = find_channel(board.get(), "hp0.s2mm");
  const sluice_transfer odd{buffer.get(), 0, 12, 0};
  EXPECT_EQ(sluice_channel_submit(s2mm, &odd, 1, sizeof odd), -ENOTSUP);
  EXPECT_EQ(sluice_board_set_attribute(board.get(), "hp0.sink.stall_mode", 1), -ENOTSUP);
  EXPECT_NE(std::string(sluice_last_error()).find("only the RTL level"), std::string::npos);
}

int open_status(const std::string& options) {
  sluice_board* board = nullptr;
  const int status = sluice_board_open(("sim:zynq7010/hp_stress?" + options).c_str(), &board);
  sluice_board_close(board);
  return status;
}

// The same keys on a Cyclone V, whose model has settings of its own.
TEST(Settings, OfACycloneVAreCheckedByName) {
  const auto status = [](const std::string& options) {
    sluice_board* board = nullptr;
    const int found = sluice_board_open(("sim:cyclonev/f2s_stress?" + options).c_str(), &board);
    sluice_board_close(board);
    return found;
  };
  EXPECT_EQ(status("model.check_commands=1"), 0);
  EXPECT_EQ(status("level=transaction&model.pool_commands=2"), 0);
  EXPECT_EQ(status("model.read_ram_words=64"), -EINVAL);  // a Zynq's
  EXPECT_EQ(status("model.pool_commands=33"), -EINVAL);
  EXPECT_EQ(status("model.engine.loop_beats=1"), -EINVAL);  // RTL has its own
}

TEST(Settings, AreCheckedByName) {
  EXPECT_EQ(open_status("model.read_ram_words=64"), 0);
  EXPECT_EQ(open_status("level=transaction&model.engine.max_read_bursts=1"), 0);
  EXPECT_EQ(open_status("level=netlist"), -EINVAL);
  EXPECT_EQ(open_status("model.read_ram=64"), -EINVAL);
  EXPECT_NE(std::string(sluice_last_error()).find("read_ram_words"), std::string::npos);
  EXPECT_EQ(open_status("model.read_ram_words=1"), -EINVAL);
  EXPECT_EQ(open_status("model.read_ram_words=x"), -EINVAL);
  EXPECT_EQ(open_status("model.engine.max_read_bursts=1"), -EINVAL);  // RTL has its own
}

TEST(Settings, LeavingOutIsOfTransactions) {
  EXPECT_EQ(open_status("level=transaction&fast_forward=1"), 0);
  EXPECT_EQ(open_status("level=rtl&fast_forward=0"), 0);
  EXPECT_EQ(open_status("fast_forward=1"), -EINVAL);
  EXPECT_NE(std::string(sluice_last_error()).find("give level=transaction"), std::string::npos);
  EXPECT_EQ(open_status("level=transaction&fast_forward=2"), -EINVAL);
}

// A setting reaches the model on both levels: an engine with one read in flight is slow, and so is
// a controller port with little RAM for reads that take long.
TEST(Settings, ChangeTheRate) {
  const auto time = [](const std::string& options) {
    const BoardHandle board = open_board("sim:zynq7010/hp_stress?" + options);
    const BufferHandle buffer = allocate(board.get(), 65536);
    set_attribute(board.get(), "hp0.sink.enable", 1);
    sluice_channel* mm2s = find_channel(board.get(), "hp0.mm2s");
    submit(mm2s, {buffer.get(), 0, 65536, 0});
    const sluice_completion completion = wait(mm2s);
    return completion.finish_ns - completion.start_ns;
  };
  const uint64_t usual = time("level=transaction");
  EXPECT_GT(time("level=transaction&model.engine.max_read_bursts=1"), usual * 5 / 4);
  const std::string far = "&model.read_ram_words=16&model.return_latency_cycles=200";
  EXPECT_GT(time("level=transaction" + far), usual * 3 / 2);
  EXPECT_NEAR(static_cast<double>(time("level=rtl" + far)),
              static_cast<double>(time("level=transaction" + far)), 100.0);
}

// A scattered transfer puts every word somewhere, once, and not in order.
TEST(Settings, ScatterPermutes) {
  const BoardHandle board =
      open_board("sim:zynq7010/hp_stress?level=transaction&model.engine.scatter=1");
  constexpr uint64_t kBytes = 65536;
  const BufferHandle source = allocate(board.get(), kBytes);
  const BufferHandle destination = allocate(board.get(), kBytes);
  for (uint64_t i = 0; i < kBytes; ++i) {
    bytes_of(source.get())[i] = static_cast<uint8_t>(i / 128 >> (8 * (i % 2)));
  }
  set_attribute(board.get(), "hp0.loopback", 1);
  submit(find_channel(board.get(), "hp0.s2mm"), {destination.get(), 0, kBytes, 0});
  submit(find_channel(board.get(), "hp0.mm2s"), {source.get(), 0, kBytes, 0});
  EXPECT_EQ(wait(find_channel(board.get(), "hp0.s2mm")).status, 0);
  // Both ends follow the same permutation, so the copy is in order again.
  EXPECT_TRUE(std::ranges::equal(bytes_of(source.get()), bytes_of(destination.get())));
  // Alone, a write shows it.
  set_attribute(board.get(), "hp0.loopback", 0);
  set_attribute(board.get(), "hp0.source.packet_beats", kBytes / 8);
  set_attribute(board.get(), "hp0.source.clear", 1);
  set_attribute(board.get(), "hp0.source.enable", 1);
  submit(find_channel(board.get(), "hp0.s2mm"), {destination.get(), 0, kBytes, 0});
  sluice_completion done{};
  ASSERT_EQ(sluice_channel_reap(find_channel(board.get(), "hp0.s2mm"), &done, 1, sizeof done, -1),
            1);
  std::vector<bool> seen(kBytes / 4);
  bool in_order = true;
  for (uint64_t i = 0; i < kBytes; i += 4) {
    const auto bytes = bytes_of(destination.get());
    const uint32_t word = static_cast<uint32_t>(bytes[i]) |
                          static_cast<uint32_t>(bytes[i + 1]) << 8U |
                          static_cast<uint32_t>(bytes[i + 2]) << 16U;
    ASSERT_LT(word, seen.size());
    EXPECT_FALSE(seen[word]);
    seen[word] = true;
    in_order = in_order && word == i / 4;
  }
  EXPECT_FALSE(in_order);
  const sluice_transfer odd{destination.get(), 0, 640, 0};
  EXPECT_LT(sluice_channel_submit(find_channel(board.get(), "hp0.s2mm"), &odd, 1, sizeof odd), 1);
}

// Two threads behind one port, each with its own data, both ways at once.
TEST(StreamIf, ThreadsOfOnePortKeepTheirDataApart) {
  const BoardHandle board = open_board("sim:zynq7020/streamif");
  constexpr uint64_t kBytes = 32768;
  std::vector<BufferHandle> sources, destinations;
  for (unsigned thread = 0; thread < 4; ++thread) {
    const std::string name = std::string("t").append(std::to_string(thread));
    set_attribute(board.get(), name + ".loopback", 1);
    sources.push_back(allocate(board.get(), kBytes));
    destinations.push_back(allocate(board.get(), kBytes));
    std::iota(bytes_of(sources.back().get()).begin(), bytes_of(sources.back().get()).end(),
              static_cast<uint8_t>(37 * thread));
    submit(find_channel(board.get(), name + ".s2mm"), {destinations.back().get(), 0, kBytes, 0});
    submit(find_channel(board.get(), name + ".mm2s"), {sources.back().get(), 0, kBytes, 0});
  }
  for (unsigned thread = 0; thread < 4; ++thread) {
    const std::string name = std::string("t").append(std::to_string(thread));
    EXPECT_EQ(wait(find_channel(board.get(), name + ".mm2s")).status, 0);
    EXPECT_EQ(wait(find_channel(board.get(), name + ".s2mm")).bytes, kBytes);
    EXPECT_TRUE(
        std::ranges::equal(bytes_of(sources[thread].get()), bytes_of(destinations[thread].get())));
  }
}

TEST(StreamIf, HasNoRtl) {
  sluice_board* board = nullptr;
  EXPECT_EQ(sluice_board_open("sim:zynq7020/streamif?level=rtl", &board), -EINVAL);
  EXPECT_EQ(board, nullptr);
}

}  // namespace
