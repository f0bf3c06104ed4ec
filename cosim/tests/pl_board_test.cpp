// SPDX-License-Identifier: Apache-2.0
// The logic behind the door, asked as QEMU's plugin asks.
#include "sluice/cosim/pl_board.hpp"

#include <gtest/gtest.h>
#include <hp_stress.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

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
constexpr uint64_t kOnChip = 0xfffc'0000, kOnChipBytes = 256 << 10;
constexpr uint64_t kCycle_ns = 10;
constexpr uint64_t kSecond_ns = 1'000'000'000;
constexpr uint64_t kStep_ns = 70;
constexpr uint64_t kDmac = PlBoard::kDmacBase;
constexpr uint64_t kDmacAbort = uint64_t{1} << SLUICE_PL_LOGIC_LINES;
constexpr uint64_t kDmacDone = kDmacAbort << 1;  // irq[0]
constexpr uint64_t kProgram = 0x10'0000;

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
  // A copy by channel 0 in bursts of 128 bytes, then event 0: as its words lie in memory.
  void start_copy(uint32_t target, uint32_t source, unsigned bursts) {
    std::vector<uint8_t> code;
    const auto move = [&](uint8_t to, uint32_t value) {
      code.insert(code.end(), {0xbc, to});
      for (unsigned i = 0; i < 4; ++i) code.push_back(static_cast<uint8_t>(value >> 8 * i));
    };
    constexpr uint32_t kBursts = 1U | 3U << 1U | 15U << 4U;
    move(1, kBursts | kBursts << 14U);
    move(0, source);
    move(2, target);
    code.insert(code.end(), {0x20, static_cast<uint8_t>(bursts - 1), 0x04, 0x08, 0x38, 2});
    code.insert(code.end(), {0x13, 0x34, 0x00, 0x00});  // DMAWMB, DMASEV 0, DMAEND
    std::memcpy(board->memory().host(kProgram, code.size()), code.data(), code.size());
    write(kDmac + 0x20, 1);
    write(kDmac + 0xd08, 0xa0U << 16U);
    write(kDmac + 0xd0c, kProgram);
    write(kDmac + 0xd04, 0);
  }
  uint8_t* at(uint64_t address) { return board->memory().host(address, 1 << 15); }
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

TEST(PlBoardOfTransactions, NamesEachRegisterThatItLacksOnceAndGoesOn) {
  const auto board = Machine::make_board(Level::transaction);
  std::vector<std::string> said;
  PlBoard door(*board, true, [&](const std::string& sentence) { said.push_back(sentence); });
  uint64_t now_ns = 1000;
  const auto ask = [&](uint32_t kind, uint64_t address) {
    const sluice_pl_reply reply = door.answer({kind, 4, address, 0, now_ns});
    now_ns = reply.time_ns;
    return reply;
  };
  for (unsigned round = 0; round < 2; ++round) {
    const sluice_pl_reply reply = ask(SLUICE_PL_READ, PlBoard::kControlBase + 0x5'0000);
    EXPECT_EQ(reply.status, SLUICE_PL_SLVERR);
    EXPECT_EQ(reply.value, 0u);
  }
  EXPECT_EQ(said, std::vector<std::string>{
                      "the transaction level has no register at 0x50000; reads there return 0"});
  for (uint32_t offset = 0; offset < 0x400; offset += 4)
    EXPECT_EQ(ask(SLUICE_PL_READ, PlBoard::kControlBase + 0x5'0000 + offset).status,
              SLUICE_PL_SLVERR);
  EXPECT_EQ(said.size(), PlBoard::kMostNamed);
  EXPECT_EQ(ask(SLUICE_PL_READ, kPage).value, kIdentity);
  // A write would have an effect that is not there: the machine must not go on as if it were.
  (void)ask(SLUICE_PL_WRITE, PlBoard::kControlBase + 0x5'0000);
  EXPECT_THROW(ask(SLUICE_PL_READ, kPage), sim::NoRegister);
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

// ------------------------------------------------------------- the DMA controller behind the door

struct DmacTest : PlBoardTest {};

INSTANTIATE_TEST_SUITE_P(Levels, DmacTest, testing::Values(Level::rtl, Level::transaction),
                         [](const auto& param) {
                           return param.param == Level::rtl ? "Rtl" : "Transactions";
                         });

TEST_P(DmacTest, ItsRegistersAreBehindTheirOwnWindow) {
  const sluice_pl_hello hello = door.hello();
  EXPECT_EQ(hello.windows[2].base, kDmac);
  EXPECT_EQ(hello.windows[2].bytes, 4096u);
  const uint64_t before_ns = now_ns;
  EXPECT_EQ(read(kDmac + 0xe00), 0x001e'3071u);
  EXPECT_GE(now_ns, before_ns + board->control_latency().read_ps / 1000);
  EXPECT_EQ(read(kDmac + 0xe01, 1) & 0xff, 0x30u);
  EXPECT_EQ(ask(SLUICE_PL_READ, kDmac + 4096).status, SLUICE_PL_DECERR);
  EXPECT_EQ(read(kPage), kIdentity);
}

TEST_P(DmacTest, CopiesAndInterruptsWhateverTheSteps) {
  std::mt19937 random{5};
  std::generate_n(at(kBuffer), 1 << 15, [&] { return static_cast<uint8_t>(random()); });
  start_copy(2 * kBuffer, kBuffer, 256);
  const sluice_pl_change done = run(kStep_ns);
  EXPECT_EQ(done.lines, kDmacDone);
  EXPECT_EQ(std::memcmp(at(2 * kBuffer), at(kBuffer), 1 << 15), 0);
  EXPECT_GT(done.time_ns, 1000 + (1 << 15) / 1.778);  // 64 bits a cycle at 222 MHz
  EXPECT_LT(done.time_ns, 1000 + 2 * (1 << 15) / 1.778);
  for (const uint64_t step_ns : {uint64_t{1}, uint64_t{333}, uint64_t{10'000}, kSecond_ns}) {
    Machine other(GetParam());
    std::memcpy(other.at(kBuffer), at(kBuffer), 1 << 15);
    other.start_copy(2 * kBuffer, kBuffer, 256);
    const sluice_pl_change change = other.run(step_ns);
    EXPECT_EQ(change.time_ns, done.time_ns) << step_ns;
    EXPECT_EQ(change.lines, done.lines) << step_ns;
  }
  now_ns = std::max(now_ns, done.time_ns);
  write(kDmac + 0x2c, 1);
  const sluice_pl_change low = run(kStep_ns);
  EXPECT_EQ(low.lines, 0u);
  while (door.answer({SLUICE_PL_RUN, 0, 0, 0, now_ns += kStep_ns}).busy != 0)
    ASSERT_LT(now_ns, kSecond_ns);
}

TEST_P(DmacTest, AFaultRaisesItsAbortLine) {
  start_copy(0xe000'0000, kBuffer, 4);
  EXPECT_EQ(run(kStep_ns).lines, kDmacAbort);
  EXPECT_EQ(read(kDmac + 0x34), 1u);
  EXPECT_EQ(read(kDmac + 0x40), 1u << 17U);
}

TEST_P(DmacTest, ReachesTheOnChipMemoryThatTheMachineMaps) {
  const sluice_pl_hello hello = door.hello();
  EXPECT_EQ(hello.on_chip.base, kOnChip);
  EXPECT_EQ(hello.on_chip.bytes, kOnChipBytes);
  EXPECT_EQ(hello.process, static_cast<uint32_t>(::getpid()));
  std::vector<uint8_t> bytes(1024);
  const auto file = static_cast<int>(hello.on_chip_file);
  ASSERT_EQ(::pread(file, bytes.data(), bytes.size(), 0), 1024);
  std::memset(at(kBuffer), 0x5a, 1024);
  start_copy(kOnChip, kBuffer, 8);
  EXPECT_EQ(run(kStep_ns).lines, kDmacDone);
  ASSERT_EQ(::pread(file, bytes.data(), bytes.size(), 0), 1024);
  EXPECT_EQ(bytes, std::vector<uint8_t>(1024, 0x5a));
}

// The machine writes by the file what the board finds, and nothing beside it.
TEST_P(PlBoardTest, PeeksIntoTheOnChipMemoryThatItGives) {
  const uint64_t last = kOnChip + kOnChipBytes - sizeof last, word = 0xfedc'ba98'7654'3210;
  ASSERT_EQ(::pwrite(static_cast<int>(door.hello().on_chip_file), &word, sizeof word,
                     static_cast<off_t>(last - kOnChip)),
            static_cast<ssize_t>(sizeof word));
  EXPECT_EQ(ask(SLUICE_PL_PEEK, last).value, word);
  EXPECT_EQ(ask(SLUICE_PL_PEEK, kOnChip - sizeof word).status, SLUICE_PL_DECERR);
  EXPECT_EQ(ask(SLUICE_PL_PEEK, last + sizeof word).status, SLUICE_PL_DECERR);
}

// The design's engine and the controller at once.
TEST_P(DmacTest, WorksBesideTheLogic) {
  std::memset(at(kBuffer), 0x33, 1 << 15);
  start_mm2s(1 << 15);
  start_copy(2 * kBuffer, kBuffer, 256);
  uint64_t lines = 0;
  while (lines != (kDmacDone | 1)) lines = run(kStep_ns).lines;
  EXPECT_EQ(std::memcmp(at(2 * kBuffer), at(kBuffer), 1 << 15), 0);
}

// As sluice-pl has it for `none`.
TEST(PlBoardWithoutLogic, HasTheControllerAlone) {
  const sim::BoardEntry& entry = sim::catalogue().front();
  sim::TransactionBoard board(std::get<model::Zynq7000Params>(entry.memory_system), {.lanes = 0},
                              100.0);
  PlBoard door(board, false);
  EXPECT_EQ(door.hello().windows[0].bytes, 0u);
  EXPECT_EQ(door.answer({SLUICE_PL_READ, 4, kPage, 0, 1000}).status, SLUICE_PL_DECERR);
  EXPECT_EQ(door.answer({SLUICE_PL_WRITE, 4, kPage, 0, 1000}).status, SLUICE_PL_DECERR);
  EXPECT_EQ(door.answer({SLUICE_PL_READ, 4, kDmac + 0xfe0, 0, 1000}).value, 0x30u);
  EXPECT_EQ(door.answer({SLUICE_PL_RUN, 0, 0, 0, 2000}).busy, 0u);
}

TEST_P(PlBoardTest, DoesNotRestWhileWorkIsQueued) {
  start_mm2s(1 << 20);
  const sluice_pl_reply reply = door.answer({SLUICE_PL_RUN, 0, 0, 0, now_ns + 50'000});
  EXPECT_NE(reply.busy, 0u);
  EXPECT_EQ(reply.changes, 0u);
}

}  // namespace
}  // namespace sluice::cosim
