// SPDX-License-Identifier: Apache-2.0
// A transaction-level board that leaves out the middle of long transfers: all that a program sees
// is as without, but for the time, which differs by less than a thousandth.
#include <gtest/gtest.h>
#include <hp_stress.h>
#include <sl_axi_dma.h>
#include <sl_hp_lane.h>
#include <sl_stream_sink.h>
#include <sl_stream_source.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "sluice/sim/catalogue.hpp"
#include "sluice/sim/transaction_board.hpp"
#include "steady_state.hpp"

namespace sluice::sim {
namespace {

constexpr uint64_t kMillisecond_ps = 1'000'000'000;
constexpr uint32_t kPitch = 8 << 20;

enum class Kind { read, write, both, loopback };

struct Ended {
  uint64_t ps = 0;
  uint64_t simulated_bytes = 0;  // on the ports
  uint64_t ticks = 0;
  std::vector<uint32_t> registers;
  std::vector<uint8_t> bytes;  // of what was written
};

uint32_t source_of(unsigned lane) { return (2 * lane + 1) * kPitch; }
uint32_t target_of(unsigned lane) { return (2 * lane + 2) * kPitch; }

// A transfer of `bytes` on each of the first `lanes` ports; to its end.
Ended run(Kind kind, unsigned lanes, uint32_t bytes, bool fast_forward, bool poll = false,
          uint64_t poison = 0) {
  const auto board_entry =
      std::ranges::find(catalogue(), std::string_view("zynq7010"), &BoardEntry::name);
  const auto design =
      std::ranges::find(board_entry->designs, std::string_view("hp_stress"), &DesignEntry::name);
  TransactionBoard board(std::get<model::Zynq7000Params>(board_entry->memory_system),
                         design->transactions.value(), 100.0, fast_forward);
  if (poison != 0) board.memory().poison(poison, 64);
  const bool reads = kind != Kind::write;
  const bool writes = kind != Kind::read;
  uint64_t mask = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    for (uint32_t word = 0; word < bytes / 4; ++word)
      std::memcpy(board.memory().host(source_of(lane) + 4 * word, 4), &word, 4);
    const uint32_t engine = HP_STRESS_HP_DMA(lane);
    if (kind == Kind::loopback)
      board.write32(HP_STRESS_HP_CONTROL(lane) + SL_HP_LANE_ROUTE_OFFSET,
                    SL_HP_LANE_ROUTE_LOOPBACK_MASK);
    board.write32(HP_STRESS_HP_SINK(lane) + SL_STREAM_SINK_CONTROL_OFFSET,
                  SL_STREAM_SINK_CONTROL_CLEAR_MASK | SL_STREAM_SINK_CONTROL_CHECK_MASK |
                      SL_STREAM_SINK_CONTROL_ENABLE_MASK);
    board.write32(HP_STRESS_HP_SOURCE(lane) + SL_STREAM_SOURCE_PACKET_BEATS_OFFSET, bytes / 8);
    board.write32(HP_STRESS_HP_SOURCE(lane) + SL_STREAM_SOURCE_CONTROL_OFFSET,
                  SL_STREAM_SOURCE_CONTROL_CLEAR_MASK | SL_STREAM_SOURCE_CONTROL_ENABLE_MASK);
    constexpr uint32_t kRun = SL_AXI_DMA_MM2S_DMACR_RS_MASK | SL_AXI_DMA_MM2S_DMACR_IOC_IRQEN_MASK |
                              SL_AXI_DMA_MM2S_DMACR_ERR_IRQEN_MASK;
    if (writes) {
      board.write32(engine + SL_AXI_DMA_S2MM_DMACR_OFFSET, kRun);
      board.write32(engine + SL_AXI_DMA_S2MM_DA_OFFSET, target_of(lane));
      board.write32(engine + SL_AXI_DMA_S2MM_LENGTH_OFFSET, bytes);
      mask |= uint64_t{2} << (2 * lane);
    }
    if (reads) {
      board.write32(engine + SL_AXI_DMA_MM2S_DMACR_OFFSET, kRun);
      board.write32(engine + SL_AXI_DMA_MM2S_SA_OFFSET, source_of(lane));
      board.write32(engine + SL_AXI_DMA_MM2S_LENGTH_OFFSET, bytes);
      mask |= uint64_t{1} << (2 * lane);
    }
  }
  while ((board.interrupts() & mask) != mask && board.now_ps() < 1000 * kMillisecond_ps) {
    const uint64_t until = poll ? board.now_ps() + kMillisecond_ps / 10 : 1000 * kMillisecond_ps;
    board.run_until_interrupt(mask & ~board.interrupts(), until);
    EXPECT_LT(board.now_ps(), until + 20'000);
  }
  Ended ended;
  for (unsigned line = 0; line < 2 * lanes; ++line)
    ended.ps = std::max(ended.ps, board.interrupt_rise_ps(line));
  const model::Statistics statistics = board.memory_statistics();
  for (const uint64_t of_port : statistics.hp_read_bytes) ended.simulated_bytes += of_port;
  for (const uint64_t of_port : statistics.hp_write_bytes) ended.simulated_bytes += of_port;
  ended.ticks = board.cycles();
  for (unsigned lane = 0; lane < lanes; ++lane) {
    for (const uint32_t offset : {HP_STRESS_HP_DMA(lane) + SL_AXI_DMA_MM2S_DMASR_OFFSET,
                                  HP_STRESS_HP_DMA(lane) + SL_AXI_DMA_S2MM_DMASR_OFFSET,
                                  HP_STRESS_HP_DMA(lane) + SL_AXI_DMA_S2MM_LENGTH_OFFSET,
                                  HP_STRESS_HP_SINK(lane) + SL_STREAM_SINK_STATUS_OFFSET,
                                  HP_STRESS_HP_SINK(lane) + SL_STREAM_SINK_BEATS_LO_OFFSET,
                                  HP_STRESS_HP_SINK(lane) + SL_STREAM_SINK_PACKETS_OFFSET,
                                  HP_STRESS_HP_SOURCE(lane) + SL_STREAM_SOURCE_PACKETS_OFFSET})
      ended.registers.push_back(board.read32(offset));
    const uint8_t* at = board.memory().host(target_of(lane), kPitch);
    ended.bytes.insert(ended.bytes.end(), at, at + kPitch);
  }
  return ended;
}

constexpr uint32_t kBytes = 6 << 20;

void compare(Kind kind, unsigned lanes) {
  const Ended whole = run(kind, lanes, kBytes, false);
  const Ended fast = run(kind, lanes, kBytes, true);
  const uint64_t moved =
      uint64_t{kBytes} * lanes * (kind == Kind::both || kind == Kind::loopback ? 2 : 1);
  EXPECT_EQ(whole.simulated_bytes, moved);
  EXPECT_LT(fast.simulated_bytes, moved - moved / 8);
  EXPECT_EQ(fast.registers, whole.registers);
  EXPECT_EQ(fast.bytes, whole.bytes);
  const auto ps = static_cast<double>(whole.ps);
  EXPECT_NEAR(static_cast<double>(fast.ps), ps, ps * 1e-3);
}

TEST(FastForward, ChangesNothingButTheTime) {
  compare(Kind::read, 1);
  compare(Kind::write, 2);
  compare(Kind::both, 1);
  compare(Kind::loopback, 1);
}

TEST(FastForward, OfFourPorts) {
  compare(Kind::read, 4);
  compare(Kind::write, 4);
}

TEST(FastForward, ShortTransfersAreSimulated) {
  const Ended fast = run(Kind::read, 1, 1 << 20, true);
  EXPECT_EQ(fast.simulated_bytes, 1U << 20U);
  EXPECT_EQ(fast.ps, run(Kind::read, 1, 1 << 20, false).ps);
}

// Whoever asks for the state each 100 us gets it then; a window is longer.
TEST(FastForward, TimeDoesNotPassWhoeverWaitsForIt) {
  const Ended whole = run(Kind::loopback, 1, 4 << 20, false);
  const Ended polled = run(Kind::loopback, 1, 4 << 20, true, true);
  EXPECT_EQ(polled.ps, whole.ps);
  EXPECT_EQ(polled.bytes, whole.bytes);
}

TEST(FastForward, AFaultIsMet) {
  const uint64_t poison = source_of(0) + kBytes / 2;
  const Ended whole = run(Kind::read, 1, kBytes, false, false, poison);
  const Ended fast = run(Kind::read, 1, kBytes, true, false, poison);
  EXPECT_EQ(fast.ps, whole.ps);
  EXPECT_EQ(fast.registers, whole.registers);
  EXPECT_NE(fast.registers[0] & SL_AXI_DMA_MM2S_DMASR_DMASLVERR_MASK, 0U);
}

// -------------------------------------------------------------------------------- steady_state.hpp

constexpr uint64_t kFull = SteadyState::kWindowCycles;  // words, one each cycle

TEST(SteadyState, NeedsAsManyEqualWindowsOfEveryStream) {
  SteadyState state;
  for (size_t window = 0; window < SteadyState::kWindows; ++window) {
    EXPECT_FALSE(state.steady());
    state.see(std::vector<uint64_t>{kFull, kFull / 2});
  }
  EXPECT_TRUE(state.steady());
  state.see(std::vector<uint64_t>{kFull, kFull / 2 - 32});  // a thousandth less
  EXPECT_FALSE(state.steady());
  for (size_t window = 1; window < SteadyState::kWindows; ++window)
    state.see(std::vector<uint64_t>{kFull, kFull / 2 - 32});
  EXPECT_TRUE(state.steady());
  state.restart();
  EXPECT_FALSE(state.steady());
}

TEST(SteadyState, AStreamThatStandsIsNotSteady) {
  SteadyState state;
  for (size_t window = 0; window < SteadyState::kWindows; ++window)
    state.see(std::vector<uint64_t>{kFull, 0});
  EXPECT_FALSE(state.steady());
}

SteadyState moving(const std::vector<uint64_t>& words) {
  SteadyState state;
  for (size_t window = 0; window < SteadyState::kWindows; ++window) state.see(words);
  return state;
}

TEST(SteadyState, LeavesOutWholeUnitsOfEachForOneTime) {
  const auto most =
      moving({kFull, kFull / 2})
          .most(std::vector<uint64_t>{100 * SteadyState::kUnitWords, 1 << 30}, UINT64_MAX);
  EXPECT_EQ(most.words,
            (std::vector<uint64_t>{100 * SteadyState::kUnitWords, 50 * SteadyState::kUnitWords}));
  EXPECT_EQ(most.cycles, 100 * SteadyState::kUnitWords);
}

TEST(SteadyState, ThatTimeFitsTheRatesOfAll) {
  const std::vector<uint64_t> words{kFull, 50'021, 47'111};
  const std::vector<uint64_t> left(3, 500 * SteadyState::kUnitWords);
  const auto most = moving(words).most(left, UINT64_MAX);
  ASSERT_NE(most.cycles, 0U);
  EXPECT_GE(most.cycles, 350 * SteadyState::kUnitWords);
  for (size_t stream = 0; stream < words.size(); ++stream) {
    EXPECT_EQ(most.words[stream] % SteadyState::kUnitWords, 0U);
    EXPECT_LE(most.words[stream], left[stream]);
    const double whole =
        static_cast<double>(most.cycles) * static_cast<double>(words[stream]) / kFull;
    EXPECT_NEAR(static_cast<double>(most.words[stream]), whole, whole * SteadyState::kRounding);
  }
}

TEST(SteadyState, NotLongerThanItMay) {
  const auto most = moving({kFull}).most(std::vector<uint64_t>{1 << 30}, 100'000);
  EXPECT_EQ(most.cycles, 100'000 / SteadyState::kUnitWords * SteadyState::kUnitWords);
  EXPECT_EQ(moving({kFull}).most(std::vector<uint64_t>{100}, UINT64_MAX).cycles, 0U);
}

TEST(SteadyState, NothingWhereNoTimeFits) {
  // Few units of two streams whose rates have no such ratio.
  const std::vector<uint64_t> left(2, 3 * SteadyState::kUnitWords);
  EXPECT_EQ(moving({kFull, 40'503}).most(left, UINT64_MAX).cycles, 0U);
}

}  // namespace
}  // namespace sluice::sim
