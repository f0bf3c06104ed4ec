// SPDX-License-Identifier: Apache-2.0
// The logic behind the door, asked as QEMU's plugin asks.
#include "sluice/cosim/pl_board.hpp"

#include <gtest/gtest.h>
#include <hp_stress.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>

#include "sluice/sim/board.hpp"
#include "sluice/sim/catalogue.hpp"
#include "sluice/sim/transaction_board.hpp"

namespace sluice::cosim {
namespace {

constexpr uint64_t kPage = PlBoard::kControlBase + HP_STRESS_PAGE_OFFSET;
constexpr uint64_t kSource = PlBoard::kControlBase + HP_STRESS_HP_SOURCE(0);
constexpr uint64_t kSink = PlBoard::kControlBase + HP_STRESS_HP_SINK(0);
constexpr uint64_t kDma = PlBoard::kControlBase + HP_STRESS_HP_DMA(0);
constexpr uint32_t kIdentity = 0x534c'4850;  // SLHP
constexpr uint64_t kBuffer = 0x20'0000;
constexpr uint64_t kCycle_ns = 10;
constexpr uint64_t kSecond_ns = 1'000'000'000;
constexpr uint64_t kStep_ns = 70;

enum class Level { rtl, transaction };

// A machine with a board behind its door.
struct Machine {
  std::unique_ptr<sim::LogicBoard> board;
  PlBoard door{*board};
  uint64_t now_ns = 1000;  // of the machine

  explicit Machine(Level level) : board(make_board(level)) {}

  static std::unique_ptr<sim::LogicBoard> make_board(Level level) {
    const sim::BoardEntry& entry = sim::catalogue().front();
    const sim::DesignEntry& design = entry.designs.front();
    const auto& params = std::get<model::Zynq7000Params>(entry.memory_system);
    if (level == Level::rtl)
      return std::make_unique<sim::Board>(params, design.make(64), 64, 100.0);
    return std::make_unique<sim::TransactionBoard>(params, design.transactions.value(), 100.0);
  }

  sluice_pl_reply ask(uint32_t kind, uint64_t address, uint32_t size = 4, uint64_t value = 0) {
    const sluice_pl_reply reply = door.answer({kind, size, address, value, now_ns});
    EXPECT_GE(reply.time_ns, now_ns);
    if (kind != SLUICE_PL_RUN) now_ns = reply.time_ns;
    return reply;
  }
  uint64_t read(uint64_t address, uint32_t size = 4) {
    const sluice_pl_reply reply = ask(SLUICE_PL_READ, address, size);
    EXPECT_EQ(reply.status, SLUICE_PL_OKAY);
    return reply.value;
  }
  void write(uint64_t address, uint64_t value, uint32_t size = 4) {
    EXPECT_EQ(ask(SLUICE_PL_WRITE, address, size, value).status, SLUICE_PL_OKAY);
  }
  // As the plugin's timer, until a line changes.
  sluice_pl_change run(uint64_t step_ns) {
    for (;;) {
      const sluice_pl_reply reply = door.answer({SLUICE_PL_RUN, 0, 0, 0, now_ns + step_ns});
      if (reply.changes > 0) return reply.change[0];
      if (reply.busy == 0) throw std::runtime_error("the board rests, and no line has changed");
      now_ns = std::max(now_ns + 1, reply.board_ns);
    }
  }
  void start_mm2s(uint32_t bytes) {
    write(kSink + SL_STREAM_SINK_CONTROL_OFFSET, SL_STREAM_SINK_CONTROL_ENABLE_MASK);
    write(kDma + SL_AXI_DMA_MM2S_DMACR_OFFSET,
          SL_AXI_DMA_MM2S_DMACR_RS_MASK | SL_AXI_DMA_MM2S_DMACR_IOC_IRQEN_MASK);
    write(kDma + SL_AXI_DMA_MM2S_SA_OFFSET, kBuffer);
    write(kDma + SL_AXI_DMA_MM2S_LENGTH_OFFSET, bytes);
  }
};

struct PlBoardTest : testing::TestWithParam<Level>, Machine {
  PlBoardTest() : Machine(GetParam()) {}
};

INSTANTIATE_TEST_SUITE_P(Levels, PlBoardTest, testing::Values(Level::rtl, Level::transaction),
                         [](const auto& param) {
                           return param.param == Level::rtl ? "Rtl" : "Transactions";
                         });

struct PlBoardOfRtl : testing::Test, Machine {
  PlBoardOfRtl() : Machine(Level::rtl) {}
};

TEST_P(PlBoardTest, GreetsWithWhereTheLogicIsAndHowFarAheadItMayBe) {
  const sluice_pl_hello hello = door.hello();
  EXPECT_EQ(hello.greeting, SLUICE_PL_GREETING);
  EXPECT_EQ(hello.version, SLUICE_PL_VERSION);
  const sim::ControlLatency latency = board->control_latency();
  EXPECT_LE(hello.lookahead_ns * 1000, std::min(latency.write_ps, latency.read_ps / 2));
  EXPECT_GT(hello.lookahead_ns, 0u);
  EXPECT_EQ(hello.memory_bytes, board->memory().size_bytes());
  EXPECT_EQ(hello.windows[0].base, PlBoard::kControlBase);
}

TEST_P(PlBoardTest, AReadTakesTheWayThereAndBack) {
  const uint64_t before_ns = now_ns;
  EXPECT_EQ(read(kPage), kIdentity);
  const uint64_t way_ns = board->control_latency().read_ps / 1000;
  EXPECT_GE(now_ns, before_ns + way_ns);
  EXPECT_LE(now_ns, before_ns + way_ns + 10 * kCycle_ns);
}

TEST_P(PlBoardTest, AWriteIsPostedAndTheNextAccessWaitsForIt) {
  constexpr uint64_t kBeats = kSource + SL_STREAM_SOURCE_PACKET_BEATS_OFFSET;
  const sim::ControlLatency latency = board->control_latency();
  const uint64_t write_ns = latency.write_ps / 1000, read_ns = latency.read_ps / 1000;
  const uint64_t first_ns = now_ns;
  write(kBeats, 7);
  EXPECT_EQ(now_ns, first_ns);
  write(kBeats, 8);
  const uint64_t second_ns = now_ns;  // the first one was answered
  EXPECT_GE(second_ns, first_ns + write_ns);
  EXPECT_EQ(read(kBeats), 8u);
  // As long as after the first write, and then the way there and back.
  EXPECT_GE(now_ns, second_ns + (second_ns - first_ns) + read_ns);
}

// The board has gone on beyond the answer: who asks before that waits all the same.
TEST_P(PlBoardTest, AnAccessWaitsForAnAnswerThatTheBoardHasSeenAlready) {
  constexpr uint64_t kBeats = kSource + SL_STREAM_SOURCE_PACKET_BEATS_OFFSET;
  const uint64_t first_ns = now_ns;
  write(kBeats, 7);
  Machine other(GetParam());
  other.write(kBeats, 7);
  other.write(kBeats, 8);  // waits
  now_ns = first_ns + kStep_ns;
  (void)door.answer({SLUICE_PL_RUN, 0, 0, 0, now_ns + kStep_ns});
  write(kBeats, 8);
  EXPECT_EQ(now_ns, other.now_ns);
}

TEST_P(PlBoardTest, ATimeBeyondWhatItCountsIsRefused) {
  now_ns = uint64_t{6} * 3600 * kSecond_ns;
  EXPECT_THROW(ask(SLUICE_PL_RUN, 0), std::runtime_error);
}

TEST_F(PlBoardOfRtl, PartsOfAWord) {
  constexpr uint64_t kBeats = kSource + SL_STREAM_SOURCE_PACKET_BEATS_OFFSET;
  write(kBeats, 0x66'5544);
  write(kBeats + 1, 0xab, 1);
  EXPECT_EQ(read(kBeats), 0x66'ab44u);
  write(kBeats, 0x1234, 2);
  EXPECT_EQ(read(kBeats), 0x66'1234u);
  EXPECT_EQ(read(kBeats + 1, 1) & 0xff, 0x12u);
  EXPECT_EQ(read(kBeats + 2, 2) & 0xffff, 0x66u);
}

TEST_F(PlBoardOfRtl, WhereNothingIsTheAccessFails) {
  EXPECT_EQ(ask(SLUICE_PL_READ, PlBoard::kControlBase + sim::kControlSpaceBytes).status,
            SLUICE_PL_DECERR);
  EXPECT_EQ(ask(SLUICE_PL_WRITE, PlBoard::kControlBase - 4).status, SLUICE_PL_DECERR);
  EXPECT_EQ(ask(SLUICE_PL_READ, PlBoard::kControlBase + 0x5'0000).status, SLUICE_PL_SLVERR);
  EXPECT_EQ(ask(SLUICE_PL_PEEK, board->memory().size_bytes()).status, SLUICE_PL_DECERR);
  EXPECT_EQ(read(kPage), kIdentity);  // lives on
  EXPECT_THROW(ask(SLUICE_PL_READ, kPage, 3), std::invalid_argument);
  EXPECT_THROW(ask(SLUICE_PL_READ, kPage, 8), std::invalid_argument);
  EXPECT_THROW(ask(99, kPage), std::invalid_argument);
}

TEST_P(PlBoardTest, PeeksIntoTheMemoryThatItHas) {
  const uint64_t word = 0x0123'4567'89ab'cdef;
  std::memcpy(board->memory().host(kBuffer, sizeof word), &word, sizeof word);
  EXPECT_EQ(ask(SLUICE_PL_PEEK, kBuffer).value, word);
}

// However far the board goes at a time: the interrupt comes at the same nanosecond.
TEST_P(PlBoardTest, AnInterruptComesWhenItDoesWhateverTheSteps) {
  start_mm2s(16 << 10);
  const sluice_pl_change exact = run(kStep_ns);
  EXPECT_EQ(exact.lines, 1u);
  EXPECT_GT(exact.time_ns, 1000 + (16 << 10) * kCycle_ns / 8);
  for (const uint64_t step_ns : {uint64_t{1}, uint64_t{333}, uint64_t{10'000}, kSecond_ns}) {
    Machine other(GetParam());
    other.start_mm2s(16 << 10);
    const sluice_pl_change change = other.run(step_ns);
    EXPECT_EQ(change.time_ns, exact.time_ns) << step_ns;
    EXPECT_EQ(change.lines, exact.lines) << step_ns;
  }
}

TEST_P(PlBoardTest, AnAccessInFlightIsSeenAtItsTimeWhateverTheStepsBefore) {
  std::mt19937 random{1};
  uint64_t expected = 0;
  for (int round = 0; round < 8; ++round) {
    Machine other(GetParam());
    other.start_mm2s(64 << 10);
    const uint64_t until_ns = other.now_ns + 5'000;
    while (other.now_ns < until_ns) {
      const uint64_t step_ns = 1 + random() % kStep_ns;
      (void)other.door.answer({SLUICE_PL_RUN, 0, 0, 0, other.now_ns + step_ns});
      other.now_ns = std::min(until_ns, other.now_ns + 1 + random() % step_ns);
    }
    // Beats that the sink has taken by then.
    const uint64_t beats = other.read(kSink + SL_STREAM_SINK_BEATS_LO_OFFSET);
    if (round == 0) expected = beats;
    EXPECT_GT(beats, 0u);
    EXPECT_EQ(beats, expected) << round;
  }
}

TEST_P(PlBoardTest, ALineThatIsClearedGoesLow) {
  start_mm2s(4096);
  now_ns = std::max(now_ns, run(kStep_ns).time_ns);
  write(kDma + SL_AXI_DMA_MM2S_DMASR_OFFSET, SL_AXI_DMA_MM2S_DMASR_IOC_IRQ_MASK);
  const sluice_pl_change low = run(kStep_ns);
  EXPECT_EQ(low.lines, 0u);
  EXPECT_GE(low.time_ns, now_ns);
}

TEST_P(PlBoardTest, RestsUntilTheNextAccessAndCountsTheCyclesAllTheSame) {
  const uint64_t ticks = kPage + SL_DESIGN_PAGE_TICKS_LO_OFFSET;
  start_mm2s(4096);
  (void)run(kStep_ns);
  for (int i = 0; ask(SLUICE_PL_RUN, 0).busy != 0; ++i) {
    ASSERT_LT(i, 1000);
    now_ns += 10'000;
  }
  const uint64_t before = read(ticks), before_ns = now_ns;
  while (ask(SLUICE_PL_RUN, 0).busy != 0) now_ns += kStep_ns;
  now_ns += kSecond_ns;  // at once
  const uint64_t after = read(ticks);
  EXPECT_EQ(after - before, (now_ns - before_ns) / kCycle_ns);
}

TEST_P(PlBoardTest, DoesNotRestWhileWorkIsQueued) {
  start_mm2s(1 << 20);
  const sluice_pl_reply reply = door.answer({SLUICE_PL_RUN, 0, 0, 0, now_ns + 50'000});
  EXPECT_NE(reply.busy, 0u);
  EXPECT_EQ(reply.changes, 0u);
}

}  // namespace
}  // namespace sluice::cosim
