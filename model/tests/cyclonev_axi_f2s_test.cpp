// SPDX-License-Identifier: Apache-2.0
// The pins of an F2S port: data, order, errors, FIFO depths, resets, and masters at fault.
#include "sluice/model/cyclonev_axi_f2s.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "pin_master.hpp"
#include "sluice/model/cyclonev.hpp"
#include "sluice/model/ddr3_trace_checker.hpp"

namespace sluice::model {
namespace {

CycloneVParams with_ports(std::vector<std::uint32_t> bits) {
  CycloneVParams params = cyclonev_de1soc();
  params.port_bits = std::move(bits);
  return params;
}

struct Bench {
  explicit Bench(std::uint32_t bits)
      : chip(with_ports({bits})), checker(chip.params().timing), master(chip.f2s(0), 7) {
    chip.observe_dram(&checker);
  }
  ~Bench() { EXPECT_TRUE(checker.violations().empty()) << checker.violations().front(); }
  void step() {
    chip.advance_to(++edge * edge_ps);
    master.step();
  }
  void run() {
    for (const std::uint64_t start = edge; !master.done();) {
      step();
      if (edge - start > 2'000'000U) throw std::runtime_error("hangs");
    }
  }
  /// Until nothing is left inside, without touching the pins.
  void drain() {
    for (int i = 0; i < 1000; ++i) step();
  }
  CycloneV chip;
  Ddr3TraceChecker checker;
  F2sPinMaster master;
  std::uint64_t edge = 0;
  std::uint64_t edge_ps = 10'000;
};

F2sData pattern(std::uint64_t seed) {
  F2sData data;
  for (std::uint64_t& word : data) word = seed = seed * 6364136223846793005U + 1442695040888963407U;
  return data;
}

class Width : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(Width, WritesAndReadsBackWithEveryChannelStalling) {
  const std::uint32_t bytes = GetParam() / 8U;
  for (const unsigned stall : {0U, 40U}) {
    Bench b(GetParam());
    b.master.ar_stall = b.master.r_stall = b.master.aw_stall = b.master.w_stall = b.master.b_stall =
        stall;
    std::mt19937_64 random(stall + 1U);
    std::vector<F2sPinMaster::Burst> bursts;
    std::uint32_t address = 0x10000;
    for (std::uint32_t i = 0; i < 200; ++i) {
      F2sPinMaster::Burst burst{.address = address, .id = static_cast<std::uint8_t>(i)};
      const std::uint32_t room = (4096U - address % 4096U) / bytes;
      burst.beats = static_cast<std::uint32_t>(std::min<std::uint64_t>(random() % 16U + 1U, room));
      for (std::uint32_t k = 0; k < burst.beats; ++k) burst.data.push_back(pattern(random()));
      address += burst.beats * bytes;
      bursts.push_back(burst);
      b.master.write(burst);
    }
    b.run();
    ASSERT_EQ(b.master.responses.size(), bursts.size());
    for (const auto& burst : bursts) b.master.read(burst);
    b.run();
    ASSERT_EQ(b.master.finished.size(), bursts.size());
    for (std::size_t i = 0; i < bursts.size(); ++i) {
      for (std::uint32_t k = 0; k < bursts[i].beats; ++k) {
        ASSERT_EQ(std::memcmp(&bursts[i].data[k], &b.master.finished[i].data[k], bytes), 0);
      }
      EXPECT_EQ(b.master.finished[i].response, 0);
    }
    // A 32-bit port moves whole 64-bit words, also at the ends of odd bursts.
    const Statistics s = b.chip.statistics();
    EXPECT_GE(s.hp_write_bytes[0], address - 0x10000U);
    if (bytes != 4) {
      EXPECT_EQ(s.hp_write_bytes[0], address - 0x10000U);
    }
    EXPECT_TRUE(b.chip.idle());
  }
}

TEST_P(Width, StrobesChooseBytes) {
  Bench b(GetParam());
  const std::uint32_t bytes = GetParam() / 8U;
  std::memset(b.chip.memory().host(0, 4096), 0x55, 4096);
  F2sPinMaster::Burst burst{.address = 0x100, .beats = 3};
  burst.strobe.assign(3, 0xaaaaaaaaU);
  for (std::uint64_t k = 0; k < 3; ++k) burst.data.push_back({~0ULL, ~0ULL, ~0ULL, ~0ULL});
  b.master.write(burst);
  b.run();
  for (std::uint32_t i = 0; i < 4096; ++i) {
    const bool inside = i >= 0x100 && i < 0x100 + 3 * bytes;
    ASSERT_EQ(*b.chip.memory().host(i, 1), inside && i % 2U != 0 ? 0xff : 0x55) << i;
  }
}

/// At a clock at which the DRAM has twice what the port asks for.
TEST_P(Width, OneBeatAClockEachWay) {
  Bench b(GetParam());
  const std::uint32_t bytes = GetParam() / 8U;
  b.edge_ps = bytes * 1250U;  // 800 MB/s a direction
  for (std::uint32_t i = 0; i < 200; ++i) {
    F2sPinMaster::Burst burst{.address = 0x4000 + i * 16 * bytes};
    b.master.read(burst);
    burst.address += 0x100000 + 0x4000;
    burst.data.assign(16, pattern(i));
    b.master.write(burst);
  }
  b.run();
  EXPECT_LT(b.edge, 3200U + 3200U / 25U);
}

TEST_P(Width, ErrorsReachTheMaster) {
  Bench b(GetParam());
  b.chip.memory().poison(0x2000, 1);
  const std::uint32_t outside = 1U << 30U;
  for (const std::uint32_t address : {0x1000U, 0x2000U, outside}) {
    F2sPinMaster::Burst burst{.address = address, .beats = 4};
    burst.data.assign(4, pattern(address));
    b.master.write(burst);
    b.master.read(burst);
  }
  b.run();
  EXPECT_EQ(b.master.responses, (std::vector<std::uint8_t>{0, 2, 3}));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(b.master.finished[i].response, b.master.responses[i]);
  }
  EXPECT_EQ(b.chip.memory().load_word(0x2000), 0U);
}

/// Commands: 4 in the asynchronous and 4 in the synchronous FIFO. Data: 8 words a data port in
/// each.
TEST_P(Width, FifosHoldWhatTheManualSays) {
  Bench b(GetParam());
  const std::uint32_t beats = GetParam() == 32 ? 32 : 16;
  F2sInputs in{};
  F2sOutputs out{};
  b.chip.f2s(0).edge(in, out);
  // The DDR side stands still: commands and data pile up until the FIFOs are full.
  in.arvalid = in.awvalid = in.wvalid = true;
  in.arsize = in.awsize = b.master.in.arsize;
  in.arlen = in.awlen = 15;
  std::uint32_t reads = 0;
  std::uint32_t writes = 0;
  std::uint32_t taken = 0;
  for (int i = 0; i < 100; ++i) {
    in.wlast = taken % 16U == 15U;
    const F2sOutputs before = out;
    b.chip.f2s(0).edge(in, out);
    reads += before.arready ? 1 : 0;
    writes += before.awready ? 1 : 0;
    taken += before.wready ? 1 : 0;
  }
  EXPECT_EQ(reads, 8U);
  EXPECT_EQ(writes, 8U);
  EXPECT_EQ(taken, beats);
}

/// Reads go to the DRAM only as far as there is room for their data: the FIFOs' and the buffer's.
TEST_P(Width, ReadsWaitForRoom) {
  Bench b(GetParam());
  b.master.r_stall = 100;
  for (std::uint32_t i = 0; i < 20; ++i) b.master.read({.address = i * GetParam() * 2U});
  b.drain();
  const std::uint32_t words =
      16U * std::max(GetParam() / 64U, 1U) + b.chip.params().mpfe.read_buffer_words;
  // One beat stands at the pins; of a 32-bit port it is half of a word.
  const std::uint32_t at_pins = std::max(GetParam() / 64U, 1U);
  EXPECT_EQ(b.chip.statistics().reads, (words + at_pins) / 4U);
  b.master.r_stall = 0;
  b.run();
  EXPECT_EQ(b.master.finished.size(), 20U);
}

TEST_P(Width, ResetThrowsAwayWhatIsInFlight) {
  Bench b(GetParam());
  const std::uint32_t bytes = GetParam() / 8U;
  for (int when = 1; when < 60; when += 7) {
    F2sPinMaster cut(b.chip.f2s(0), 3);
    for (std::uint32_t i = 0; i < 4; ++i) {
      F2sPinMaster::Burst burst{.address = 0x8000 + i * 16 * bytes, .id = 1};
      burst.data.assign(16, pattern(i));
      cut.read(burst);
      cut.write(burst);
    }
    for (int i = 0; i < when; ++i) {
      b.chip.advance_to(++b.edge * 10'000U);
      cut.step();
    }
    b.chip.f2s(0).reset();
    F2sPinMaster fresh(b.chip.f2s(0), 4);
    F2sPinMaster::Burst burst{.address = 0x20000, .beats = 5, .id = 9};
    burst.data.assign(5, pattern(99));
    fresh.write(burst);
    const auto run = [&] {
      for (int i = 0; i < 5000 && !fresh.done(); ++i) {
        b.chip.advance_to(++b.edge * 10'000U);
        fresh.step();
      }
      ASSERT_TRUE(fresh.done());
    };
    run();
    fresh.read(burst);
    run();
    ASSERT_EQ(fresh.finished.size(), 1U);
    EXPECT_EQ(std::memcmp(&fresh.finished[0].data[4], &burst.data[4], bytes), 0);
    b.drain();
    EXPECT_TRUE(b.chip.idle()) << when;
    b.chip.f2s(0).reset();
    b.master.out = {};
  }
}

/// Two flops of the receiving clock each way: not there after one edge, there after two.
TEST_P(Width, CrossingsTakeTwoClocks) {
  Memory memory(0, 1U << 20U);
  F2sPort port({}, GetParam(), memory);
  const std::uint32_t words = std::max(GetParam() / 64U, 1U);
  const std::uint32_t bursts = std::max(words / 4U, 1U);
  port.pl_read({0, words, 8});
  port.ddr_tick(0);
  EXPECT_FALSE(port.ddr_read_pending());
  port.ddr_tick(1);
  ASSERT_TRUE(port.ddr_read_pending());
  for (std::uint32_t i = 0; i < bursts; ++i) port.ddr_returned(port.ddr_grant_read());
  port.pl_edge();
  EXPECT_FALSE(port.pl_read_word_available());
  port.pl_edge();
  EXPECT_TRUE(port.pl_read_word_available());

  port.pl_write({0, words, 8});
  port.ddr_tick(2);
  for (std::uint32_t i = 0; i < words; ++i) port.pl_put_write_word(i, 0xff);
  port.ddr_tick(3);
  EXPECT_FALSE(port.ddr_write_pending()) << "the command is seen, its data not yet";
  port.ddr_tick(4);
  ASSERT_TRUE(port.ddr_write_pending());
  for (std::uint32_t i = 0; i < bursts; ++i) port.ddr_grant_write(10);
  port.ddr_tick(9);
  port.pl_edge();
  port.pl_edge();
  EXPECT_FALSE(port.pl_response_available());
  port.ddr_tick(10);
  port.pl_edge();
  EXPECT_FALSE(port.pl_response_available());
  port.pl_edge();
  EXPECT_TRUE(port.pl_response_available());
}

INSTANTIATE_TEST_SUITE_P(F2s, Width, ::testing::Values(32U, 64U, 128U, 256U),
                         [](const auto& width) { return "Bits" + std::to_string(width.param); });

/// Expects AxiProtocolError whose text has `part`, from the edge that `drive` prepared.
template <typename Drive>
void expect_fault(const std::string& part, Drive drive) {
  CycloneV chip(with_ports({64}));
  F2sInputs in{};
  F2sOutputs out{};
  chip.f2s(0).edge(in, out);
  try {
    drive(chip, in, out);
    ADD_FAILURE() << "no fault: " << part;
  } catch (const AxiProtocolError& e) {
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("F2S0"), std::string::npos) << e.what();
  }
}

TEST(AxiF2sFaults, OfAnAddress) {
  const auto address = [](auto change) {
    return [change](CycloneV& chip, F2sInputs& in, F2sOutputs& out) {
      in.arvalid = true;
      change(in);
      chip.f2s(0).edge(in, out);
    };
  };
  expect_fault("ARLEN", address([](F2sInputs& in) { in.arlen = 16; }));
  expect_fault("ARSIZE", address([](F2sInputs& in) { in.arsize = 2; }));
  expect_fault("ARBURST", address([](F2sInputs& in) { in.arburst = 2; }));
  expect_fault("ARLOCK", address([](F2sInputs& in) { in.arlock = 1; }));
  expect_fault("4 KiB", address([](F2sInputs& in) {
                 in.araddr = 4096 - 8;
                 in.arlen = 1;
               }));
}

TEST(AxiF2sFaults, OfAHandshake) {
  const auto two_edges = [](auto set, auto change) {
    return [set, change](CycloneV& chip, F2sInputs& in, F2sOutputs& out) {
      // Fill what can be filled first, so that the VALID has to wait.
      in.arvalid = in.awvalid = true;
      in.arlen = in.awlen = 0;
      while (out.arready || out.awready) chip.f2s(0).edge(in, out);
      set(in);
      chip.f2s(0).edge(in, out);
      change(in);
      chip.f2s(0).edge(in, out);
    };
  };
  const auto nothing = [](F2sInputs&) {};
  expect_fault("ARVALID", two_edges(nothing, [](F2sInputs& in) { in.arvalid = false; }));
  expect_fault("AR payload", two_edges(nothing, [](F2sInputs& in) { in.araddr = 64; }));
  expect_fault("AWVALID", two_edges(nothing, [](F2sInputs& in) { in.awvalid = false; }));
  expect_fault("AW payload", two_edges(nothing, [](F2sInputs& in) { in.awid = 1; }));
}

TEST(AxiF2sFaults, OfWriteData) {
  const auto beats = [](auto change) {
    return [change](CycloneV& chip, F2sInputs& in, F2sOutputs& out) {
      in.awvalid = true;
      in.awaddr = 4;
      in.awlen = 1;
      in.wvalid = true;
      in.wstrb = 0xf0;
      for (int i = 0; i < 2; ++i) {
        change(in, i);
        chip.f2s(0).edge(in, out);
        in.awvalid = false;
      }
    };
  };
  expect_fault("WLAST came", beats([](F2sInputs& in, int) { in.wlast = true; }));
  expect_fault("WLAST is missing", beats([](F2sInputs& in, int) { in.wlast = false; }));
  expect_fault("WSTRB", beats([](F2sInputs& in, int i) {
                 in.wstrb = 0xff;
                 in.wlast = i == 1;
               }));
}

}  // namespace
}  // namespace sluice::model
