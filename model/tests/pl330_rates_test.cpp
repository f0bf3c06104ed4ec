// SPDX-License-Identifier: Apache-2.0
// How long the DMA controller takes: bounds that follow from widths and clocks, what it takes from
// engines in the logic, and what they take from it.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "pl330_fixture.hpp"
#include "sluice/model/clock.hpp"
#include "sluice/model/port_master.hpp"

namespace sluice::model {
namespace {

using P = Pl330Program;

constexpr std::uint32_t kBytes = 1U << 18U;
constexpr double kBusMBs = 8e6 / Pl330Machine::kCyclePs;  // 64 bits a cycle of CPU_2x
// As far from a source as kTarget is: four DRAM banks beyond a multiple of their rows.
constexpr std::uint32_t kFar = 0x0100'4000, kPage = 4096;
constexpr std::uint32_t kOnChip = 0xfffc'0000, kLogic = 0x4008'0000;

struct Pl330Rates : testing::Test, Pl330Machine {
  std::vector<std::uint8_t> block_ram = std::vector<std::uint8_t>(kBytes);

  std::vector<std::uint8_t> on_chip() {
    const std::uint8_t* first = zynq.on_chip_memory().host(kOnChip, kBytes);
    return {first, first + kBytes};
  }
  void attach_logic(double mhz) {
    zynq.dmac_paths().attach_logic(
        static_cast<std::uint64_t>(1e6 / mhz),
        [this](std::uint64_t address, std::uint64_t count) -> std::uint8_t* {
          const std::uint64_t offset = address - kLogic;
          return offset < block_ram.size() && count <= block_ram.size() - offset
                     ? &block_ram[offset]
                     : nullptr;
        });
  }
  /// MB/s of as many channels, each with its own blocks, as Linux programs them.
  double rate(unsigned channels, std::uint32_t target, std::uint32_t source, std::uint32_t count,
              std::uint32_t stride) {
    for (unsigned channel = 0; channel < channels; ++channel)
      put(kCode + 0x100 * channel,
          P::of_linux(target + channel * stride, source + channel * stride, count, channel));
    for (unsigned channel = 0; channel < channels; ++channel)
      start(channel, kCode + 0x100 * channel);
    std::uint64_t ps = 0;
    for (unsigned channel = 0; channel < channels; ++channel) ps += until(channel, kStopped);
    return channels * static_cast<double>(count) * 1e6 / static_cast<double>(ps);
  }
};

TEST_F(Pl330Rates, OneChannelIsBoundByTheBusOnce) {
  fill(kSource, kBytes);
  const double mb_s = rate(1, kFar, kSource, kBytes, 0);
  EXPECT_EQ(bytes(kFar, kBytes), bytes(kSource, kBytes));
  EXPECT_LT(mb_s, kBusMBs);
  EXPECT_GT(mb_s, 0.93 * kBusMBs);  // reads, writes, refresh of the DRAM
}

TEST_F(Pl330Rates, MoreChannelsShareWhatOneGets) {
  const double one = rate(1, kFar, kSource, kBytes / 8, 0);
  for (const unsigned channels : {2U, 4U, 8U}) {
    const double all = rate(channels, kFar, kSource, kBytes / 8, kBytes / 8 + kPage);
    EXPECT_LT(all, kBusMBs) << channels;
    EXPECT_GT(all, 0.9 * one) << channels;
    // Blocks in rows of one DRAM bank: as many row conflicts as channels take turns.
    EXPECT_LT(rate(channels, kFar, kSource, kBytes / 8, kBytes / 8), 0.8 * all) << channels;
  }
}

// A queue that is empty: a load, a store, an end take the way to the memory and back twice.
TEST_F(Pl330Rates, AShortCopyIsALatency) {
  const auto took_ps = [&](std::uint32_t count) {
    run(0, P::of_linux(kTarget, kSource, count, 0));
    return until(0, kStopped);
  };
  const std::uint64_t word = took_ps(8), burst = took_ps(128);
  EXPECT_GT(word, 200'000U);
  EXPECT_LT(word, 1'000'000U);
  EXPECT_NEAR(static_cast<double>(burst - word) / kCyclePs, 2 * 15, 8);
}

// Linux copies what is not a multiple of 8 bytes in single beats (pl330_prep_dma_memcpy): three
// instructions a beat, so of bytes at most one in three cycles.
TEST_F(Pl330Rates, SingleBeatsAreBoundByInstructions) {
  EXPECT_LT(rate(1, kTarget, kSource, 8191, 0), kBusMBs / 8 / 3);
  EXPECT_GT(rate(1, kTarget, kSource, 8191, 0), kBusMBs / 8 / 3 / 4);
}

TEST_F(Pl330Rates, TheLogicsClockBoundsTheGeneralPurposePort) {
  fill(kSource, kBytes);
  for (const double mhz : {50.0, 100.0, 150.0}) {
    attach_logic(mhz);
    std::ranges::fill(block_ram, 0);
    const double port = 4 * mhz;
    const double in = rate(1, kLogic, kSource, kBytes, 0);
    EXPECT_LE(in, port);
    EXPECT_GT(in, 0.97 * port);
    EXPECT_EQ(block_ram, bytes(kSource, kBytes));
    const double out = rate(1, kTarget, kLogic, kBytes, 0);
    EXPECT_LE(out, port);
    EXPECT_GT(out, 0.97 * port);
    EXPECT_EQ(block_ram, bytes(kTarget, kBytes));
  }
}

TEST_F(Pl330Rates, TheOnChipMemory) {
  fill(kSource, kBytes);
  const double in = rate(1, kOnChip, kSource, kBytes, 0);
  EXPECT_EQ(on_chip(), bytes(kSource, kBytes));
  const double out = rate(1, kTarget, kOnChip, kBytes, 0);
  EXPECT_EQ(on_chip(), bytes(kTarget, kBytes));
  for (const double mb_s : {in, out}) {
    EXPECT_LT(mb_s, kBusMBs);
    EXPECT_GT(mb_s, 0.9 * kBusMBs);
  }
}

// A master on an HP port reads it at 64 bits a cycle of 150 MHz; the interconnect before it carries
// 64 bits a cycle of CPU_2x for both.
TEST_F(Pl330Rates, SharesTheOnChipMemoryWithTheLogic) {
  const double alone = rate(1, kTarget, kOnChip, kBytes, 0);
  const Clock pl(150.0);
  HpMaster master(zynq.afi(0), MasterParams{});
  put(kCode, P::of_linux(kTarget, kOnChip, kBytes, 0));
  start(0, kCode);
  const std::uint64_t begin_ps = zynq.now_ps(), before = zynq.afi(0).read_bytes();
  std::uint64_t edge = pl.cycle_from(begin_ps);
  while (state(0) != kStopped) {
    if (master.finished()) master.start({kOnChip, kBytes}, {});
    zynq.advance_to(pl.time_ps(++edge));
    master.pl_edge();
  }
  const auto took_ps = static_cast<double>(zynq.now_ps() - begin_ps);
  const double copied = kBytes * 1e6 / took_ps;
  const double read = static_cast<double>(zynq.afi(0).read_bytes() - before) * 1e6 / took_ps;
  EXPECT_LT(copied, 0.7 * alone);
  EXPECT_GT(copied, 0.3 * alone);
  EXPECT_GT(read, 0.3 * kBusMBs);
  EXPECT_LE(copied + read, 1.01 * kBusMBs);
}

TEST_F(Pl330Rates, WithoutLogicAndBelowTheOnChipMemoryNothingIsThere) {
  Pl330Machine bare;
  for (const std::uint32_t source : {kLogic, kOnChip - 128}) {
    bare.run(0, P::of_linux(kTarget, source, 128, 0));
    bare.until(0, kFaulting);
    EXPECT_EQ(bare.fault(0), 1U << 18U);
    bare.kill(0);
    bare.until(0, kStopped);
  }
  attach_logic(100);  // and its memory ends somewhere
  run(0, P::of_linux(kTarget, kLogic + kBytes - 64, 128, 0));
  until(0, kFaulting);
}

// Engines on the four HP ports and the controller work at the same DRAM.
TEST_F(Pl330Rates, EnginesOfTheLogicAndTheControllerShareTheMemory) {
  const double alone = rate(1, kFar, kSource, kBytes, 0);
  std::vector<std::unique_ptr<HpMaster>> masters;
  const Clock pl(150.0);
  std::uint64_t edge = pl.cycle_from(zynq.now_ps());
  for (unsigned port = 0; port < Zynq7000::kHpPorts; ++port) {
    masters.push_back(std::make_unique<HpMaster>(zynq.afi(port), MasterParams{}));
    const std::uint64_t base = 0x0800'0000 + port * 0x0200'0000ULL;
    masters.back()->start({base + port * kPage, 4U << 20U},
                          {base + 0x0100'0000 + (port + 4) * kPage, 4U << 20U});
  }
  const auto masters_bytes = [&] {
    std::uint64_t moved = 0;
    for (unsigned port = 0; port < Zynq7000::kHpPorts; ++port)
      moved += zynq.afi(port).read_bytes() + zynq.afi(port).write_bytes();
    return moved;
  };
  const auto step = [&] {
    zynq.advance_to(pl.time_ps(++edge));
    for (auto& master : masters) master->pl_edge();
  };
  const auto engines_mb_s = [&](auto done) {
    const std::uint64_t from_ps = zynq.now_ps(), from = masters_bytes();
    while (!done()) step();
    return static_cast<double>(masters_bytes() - from) * 1e6 /
           static_cast<double>(zynq.now_ps() - from_ps);
  };
  const double engines_alone = engines_mb_s([&, end = edge + 20'000] { return edge == end; });
  put(kCode, P::of_linux(kFar, kSource, kBytes, 0));
  write(0xd08, 0xa0U << 16U);
  write(0xd0c, kCode);
  write(0xd04, 0);
  for (int i = 0; i < 10; ++i) step();
  const std::uint64_t begin_ps = zynq.now_ps();
  const double engines_beside = engines_mb_s([&] { return state(0) == kStopped; });
  const double beside = kBytes * 1e6 / static_cast<double>(zynq.now_ps() - begin_ps);
  EXPECT_LT(beside, 0.7 * alone);
  EXPECT_GT(beside, 0.1 * alone);
  EXPECT_LT(engines_beside, 0.95 * engines_alone);
  // Read and written: what the DRAM moves in all is not more than its bus.
  EXPECT_LT(engines_beside + 2 * beside, zynq.params().peak_mb_s());
  RecordProperty("alone", std::to_string(alone));
  RecordProperty("beside", std::to_string(beside));
}

TEST_F(Pl330Rates, TheSameEachTime) {
  const auto took = [] {
    Pl330Machine machine;
    machine.put(kCode + 0x1000, P::of_linux(kTarget + 0x10000, kSource, 4096, 1));
    machine.run(0, P::of_linux(kTarget, kSource, 4096, 0));
    machine.start(1, kCode + 0x1000);
    return std::pair{machine.until(0, kStopped), machine.until(1, kStopped)};
  };
  EXPECT_EQ(took(), took());
}

}  // namespace
}  // namespace sluice::model
