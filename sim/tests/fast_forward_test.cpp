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

constexpr uint64_t kMicrosecond_ps = 1'000'000;
constexpr uint64_t kLongest_ps = 1'000'000 * kMicrosecond_ps;
constexpr uint32_t kMiB = 1 << 20;
constexpr uint32_t kPitch = 8 * kMiB;
constexpr uint32_t kBytes = 6 * kMiB;

enum class Kind { read, write, both, loopback };

uint32_t source_of(unsigned lane) { return (2 * lane + 1) * kPitch; }
uint32_t target_of(unsigned lane) { return (2 * lane + 2) * kPitch; }

// What a driver of hp_stress does, or of a design with the same lanes.
class Driver {
 public:
  explicit Driver(bool fast_forward, std::string_view name = "zynq7010",
                  std::string_view design = "hp_stress", unsigned group_bursts = 0) {
    const auto entry = std::ranges::find(catalogue(), name, &BoardEntry::name);
    const auto found = std::ranges::find(entry->designs, design, &DesignEntry::name);
    TransactionDesign what = found->transactions.value();
    if (group_bursts != 0) what.engine.group_bursts = group_bursts;
    board_ = std::make_unique<TransactionBoard>(
        std::get<model::Zynq7000Params>(entry->memory_system), what, 100.0, fast_forward);
  }
  TransactionBoard* operator->() { return board_.get(); }

  void fill(uint64_t address, uint32_t bytes) {
    for (uint32_t word = 0; word < bytes / 4; ++word)
      std::memcpy(board_->memory().host(address + 4ULL * word, 4), &word, 4);
  }
  void loop(unsigned lane) {
    board_->write32(HP_STRESS_HP_CONTROL(lane) + SL_HP_LANE_ROUTE_OFFSET,
                    SL_HP_LANE_ROUTE_LOOPBACK_MASK);
  }
  void check(unsigned lane) {
    board_->write32(HP_STRESS_HP_SINK(lane) + SL_STREAM_SINK_START_OFFSET, 0);
    board_->write32(HP_STRESS_HP_SINK(lane) + SL_STREAM_SINK_CONTROL_OFFSET,
                    SL_STREAM_SINK_CONTROL_CLEAR_MASK | SL_STREAM_SINK_CONTROL_CHECK_MASK |
                        SL_STREAM_SINK_CONTROL_ENABLE_MASK);
  }
  void send(unsigned lane, uint32_t beats) {
    board_->write32(HP_STRESS_HP_SOURCE(lane) + SL_STREAM_SOURCE_PACKET_BEATS_OFFSET, beats);
    board_->write32(HP_STRESS_HP_SOURCE(lane) + SL_STREAM_SOURCE_CONTROL_OFFSET,
                    SL_STREAM_SOURCE_CONTROL_CLEAR_MASK | SL_STREAM_SOURCE_CONTROL_ENABLE_MASK);
  }
  void write(unsigned lane, uint32_t address, uint32_t bytes) {
    const uint32_t engine = HP_STRESS_HP_DMA(lane);
    board_->write32(engine + SL_AXI_DMA_S2MM_DMACR_OFFSET, kRun);
    board_->write32(engine + SL_AXI_DMA_S2MM_DA_OFFSET, address);
    board_->write32(engine + SL_AXI_DMA_S2MM_LENGTH_OFFSET, bytes);
  }
  void read(unsigned lane, uint32_t address, uint32_t bytes) {
    const uint32_t engine = HP_STRESS_HP_DMA(lane);
    board_->write32(engine + SL_AXI_DMA_MM2S_DMACR_OFFSET, kRun);
    board_->write32(engine + SL_AXI_DMA_MM2S_SA_OFFSET, address);
    board_->write32(engine + SL_AXI_DMA_MM2S_LENGTH_OFFSET, bytes);
  }
  // Until all lines are high: the last edge at which one rose.
  uint64_t wait(uint64_t lines) {
    while ((board_->interrupts() & lines) != lines && board_->now_ps() < kLongest_ps)
      board_->run_until_interrupt(lines & ~board_->interrupts(), kLongest_ps);
    EXPECT_EQ(board_->interrupts() & lines, lines);
    uint64_t last = 0;
    for (unsigned line = 0; line < 8; ++line)
      if ((lines >> line & 1U) != 0) last = std::max(last, board_->interrupt_rise_ps(line));
    return last;
  }
  uint32_t sink(unsigned lane, uint32_t offset) {
    return board_->read32(HP_STRESS_HP_SINK(lane) + offset);
  }
  uint64_t simulated_bytes() const {
    const model::Statistics statistics = board_->memory_statistics();
    uint64_t bytes = 0;
    for (const uint64_t of_port : statistics.hp_read_bytes) bytes += of_port;
    for (const uint64_t of_port : statistics.hp_write_bytes) bytes += of_port;
    return bytes;
  }

 private:
  static constexpr uint32_t kRun = SL_AXI_DMA_MM2S_DMACR_RS_MASK |
                                   SL_AXI_DMA_MM2S_DMACR_IOC_IRQEN_MASK |
                                   SL_AXI_DMA_MM2S_DMACR_ERR_IRQEN_MASK;
  std::unique_ptr<TransactionBoard> board_;
};

struct Ended {
  uint64_t ps = 0;
  uint64_t simulated_bytes = 0;  // on the ports
  uint64_t simulated_ps = 0;     // by the memory's clock
  std::vector<uint32_t> registers;
  std::vector<uint8_t> bytes;  // of what was written
};

// A transfer of `bytes` on each of the first `lanes` ports; to its end.
Ended run(Kind kind, unsigned lanes, uint32_t bytes, bool fast_forward, uint64_t poison = 0) {
  Driver driver(fast_forward);
  if (poison != 0) driver->memory().poison(poison, 64);
  uint64_t lines = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    driver.fill(source_of(lane), bytes);
    if (kind == Kind::loopback) driver.loop(lane);
    driver.check(lane);
    driver.send(lane, bytes / 8);
    if (kind != Kind::read) driver.write(lane, target_of(lane), bytes);
    if (kind != Kind::write) driver.read(lane, source_of(lane), bytes);
    lines |= uint64_t{kind == Kind::read ? 1U : kind == Kind::write ? 2U : 3U} << (2 * lane);
  }
  Ended ended{.ps = driver.wait(lines), .simulated_bytes = driver.simulated_bytes()};
  ended.simulated_ps = model::Clock(533.0).time_ps(driver->memory_statistics().cycles);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    for (const uint32_t offset : {HP_STRESS_HP_DMA(lane) + SL_AXI_DMA_MM2S_DMASR_OFFSET,
                                  HP_STRESS_HP_DMA(lane) + SL_AXI_DMA_S2MM_DMASR_OFFSET,
                                  HP_STRESS_HP_DMA(lane) + SL_AXI_DMA_S2MM_LENGTH_OFFSET,
                                  HP_STRESS_HP_SINK(lane) + SL_STREAM_SINK_STATUS_OFFSET,
                                  HP_STRESS_HP_SINK(lane) + SL_STREAM_SINK_BEATS_LO_OFFSET,
                                  HP_STRESS_HP_SINK(lane) + SL_STREAM_SINK_PACKETS_OFFSET,
                                  HP_STRESS_HP_SOURCE(lane) + SL_STREAM_SOURCE_PACKETS_OFFSET})
      ended.registers.push_back(driver->read32(offset));
    const uint8_t* at = driver->memory().host(target_of(lane), kPitch);
    ended.bytes.insert(ended.bytes.end(), at, at + kPitch);
  }
  return ended;
}

void compare(Kind kind, unsigned lanes) {
  const Ended whole = run(kind, lanes, kBytes, false);
  const Ended fast = run(kind, lanes, kBytes, true);
  const uint64_t moved =
      uint64_t{kBytes} * lanes * (kind == Kind::both || kind == Kind::loopback ? 2 : 1);
  EXPECT_EQ(whole.simulated_bytes, moved);
  EXPECT_LT(fast.simulated_bytes, moved - moved / 8);
  EXPECT_LT(fast.simulated_ps, fast.ps - fast.ps / 8);
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
  const Ended fast = run(Kind::read, 1, kMiB, true);
  EXPECT_EQ(fast.simulated_bytes, kMiB);
  EXPECT_EQ(fast.ps, run(Kind::read, 1, kMiB, false).ps);
}

TEST(FastForward, AFaultIsMet) {
  const uint64_t poison = source_of(0) + kBytes / 2;
  const Ended whole = run(Kind::read, 1, kBytes, false, poison);
  const Ended fast = run(Kind::read, 1, kBytes, true, poison);
  EXPECT_EQ(fast.ps, whole.ps);
  EXPECT_EQ(fast.registers, whole.registers);
  EXPECT_NE(fast.registers[0] & SL_AXI_DMA_MM2S_DMASR_DMASLVERR_MASK, 0U);
}

// Whenever software looks, as much has moved as would have moved by then, but for some bursts.
TEST(FastForward, CountersAreThoseOfTheTime) {
  constexpr uint64_t kLater_ps = 600 * kMicrosecond_ps;
  for (const uint64_t until_us : {3'300U, 4'100U, 5'899U, 5'900U}) {
    const uint64_t until = until_us * kMicrosecond_ps - 200'000;
    Driver driver(true);
    driver.fill(source_of(0), kBytes);
    driver.check(0);
    driver.read(0, source_of(0), kBytes);
    const uint64_t start_ps = driver->now_ps();
    driver->run_until(until);
    const auto expected = static_cast<double>(driver->now_ps() - start_ps) * 8 / 10'000;
    EXPECT_NEAR(driver.sink(0, SL_STREAM_SINK_BYTES_LO_OFFSET), expected, 8192) << until;
    // The sink counts from 0 after a CLEAR.
    driver.check(0);
    driver->run_until(driver->now_ps() + kLater_ps);
    EXPECT_LT(driver.sink(0, SL_STREAM_SINK_BYTES_LO_OFFSET), 500'000U) << until;
  }
}

// A lane reads what another one has written, 50 us behind it.
TEST(FastForward, WhoReadsWhatAnotherWritesFindsIt) {
  for (const bool same_lane : {true, false}) {
    Driver driver(true);
    const unsigned reader = same_lane ? 0 : 1;
    driver.send(0, kBytes / 8);
    driver.check(reader);
    driver.write(0, target_of(0), kBytes);
    driver->run_until(driver->now_ps() + 50 * kMicrosecond_ps);
    driver.read(reader, target_of(0), kBytes);
    driver.wait(same_lane ? 3 : 6);
    EXPECT_EQ(driver.sink(reader, SL_STREAM_SINK_STATUS_OFFSET), SL_STREAM_SINK_STATUS_SEEN_MASK);
    EXPECT_EQ(driver.simulated_bytes(), 2U * kBytes);
  }
}

// Where two lanes write, the order of their writes counts.
TEST(FastForward, NothingIsLeftOutWhereTwoWrite) {
  Driver driver(true);
  for (unsigned lane = 0; lane < 2; ++lane) {
    driver.send(lane, kBytes / 8);
    driver.write(lane, target_of(0) + lane * kMiB, kBytes);
  }
  driver.wait(2 | 8);
  EXPECT_EQ(driver.simulated_bytes(), 2U * kBytes);
}

// A read into the FIFO of a loop-back that has no write.
TEST(FastForward, AShortTransferBesideALongOneIsOnTime) {
  for (uint64_t until = 3'200 * kMicrosecond_ps; until < 3'300 * kMicrosecond_ps;
       until += 20 * kMicrosecond_ps) {
    Driver driver(true);
    driver.check(0);
    driver.loop(1);
    driver.read(0, source_of(0), kBytes);
    driver->run_until(until);
    driver.read(1, source_of(1), 4096);
    const uint64_t start_ps = driver->now_ps();
    EXPECT_LT(driver.wait(4) - start_ps, 20 * kMicrosecond_ps) << until;
  }
}

// An engine that waits for its turn, or rests between groups, is not taken for one that waits for
// ever, wherever the board looks.
TEST(FastForward, GroupsGoOn) {
  for (const bool fast_forward : {false, true}) {
    for (unsigned delay = 56; delay < 64; ++delay) {
      Driver driver(fast_forward, "zynq7020", "streamif");
      driver.check(0);
      driver->run_until(driver->now_ps() + uint64_t{10'000} * delay);
      driver.read(0, source_of(0), fast_forward ? 4 * kMiB : 65536);
      driver.wait(1);
    }
  }
}

// What is left out is whole units, which groups of 48 words do not divide.
TEST(FastForward, GroupsThatDivideNoUnitAreSimulated) {
  Driver driver(true, "zynq7010", "hp_stress", 3);
  driver.check(0);
  driver.read(0, source_of(0), kBytes);
  driver.wait(1);
  EXPECT_EQ(driver.simulated_bytes(), kBytes);
}

// Streams with a capability block count what moves, edge by edge.
TEST(FastForward, ACapabilityBlockCountsEverything) {
  Driver driver(true, "zynq7010", "hp_stress_sg");
  driver.loop(0);
  driver.write(0, target_of(0), 4 * kMiB);
  driver.read(0, source_of(0), 4 * kMiB);
  driver.wait(3);
  EXPECT_EQ(driver.simulated_bytes(), 8U * kMiB);
}

TEST(FastForward, NotOnTheAcp) {
  Driver driver(true, "zynq7010", "dma_loopback_acp");
  driver.loop(0);
  driver.write(0, target_of(0), 4 * kMiB);
  driver.read(0, source_of(0), 4 * kMiB);
  const uint64_t ps = driver.wait(3);
  EXPECT_GE(model::Clock(533.0).time_ps(driver->memory_statistics().cycles), ps - ps / 1000);
}

// A program of the CPU takes as long beside it.
TEST(FastForward, NotWhileTheCpuWorks) {
  constexpr model::CpuProgram kCopy{.kind = model::CpuProgram::Kind::copy,
                                    .source = 200 * kMiB,
                                    .destination = 220 * kMiB,
                                    .bytes = 3 * kMiB / 2};
  const auto copy = [&](bool fast_forward) {
    Driver driver(fast_forward);
    driver.check(0);
    driver.read(0, source_of(0), kBytes);
    return driver->run_cpu(kCopy);
  };
  EXPECT_EQ(copy(true), copy(false));
}

// -------------------------------------------------------------------------------- steady_state.hpp

constexpr uint64_t kFull = SteadyState::kWindowCycles;  // words, one each cycle
constexpr uint64_t kLeast = 2000;

TEST(SteadyState, NeedsAsManyEqualWindowsOfEveryStream) {
  SteadyState state(kLeast);
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

TEST(SteadyState, ASlowStreamIsNotSteady) {
  SteadyState state(kLeast);
  for (size_t window = 0; window < SteadyState::kWindows; ++window)
    state.see(std::vector<uint64_t>{kFull, kLeast - 1});
  EXPECT_FALSE(state.steady());
}

SteadyState moving(const std::vector<uint64_t>& words) {
  SteadyState state(kLeast);
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
