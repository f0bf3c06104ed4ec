// SPDX-License-Identifier: Apache-2.0
// The Cyclone V's single-port controller against its own rules, closed-form rates, and refresh.
#include "sluice/model/cyclonev_controller.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "sluice/model/ddr3_trace_checker.hpp"

namespace sluice::model {
namespace {

const Ddr3Timing kTiming = cyclonev_de1soc().timing;

Ddr3Timing without_refresh() {
  Ddr3Timing timing = kTiming;
  timing.tREFI = 1U << 30U;
  return timing;
}

struct Trace : DramObserver {
  struct Entry {
    DramCommand command;
    std::uint64_t cycle;
  };
  void on_command(const DramCommand& command, std::uint64_t cycle) override {
    entries.push_back({command, cycle});
    checker.on_command(command, cycle);
  }
  [[nodiscard]] std::vector<Entry> of(DramOp op) const {
    std::vector<Entry> some;
    for (const Entry& e : entries)
      if (e.command.op == op) some.push_back(e);
    return some;
  }
  explicit Trace(const Ddr3Timing& timing) : checker(timing) {}
  std::vector<Entry> entries;
  Ddr3TraceChecker checker;
};

struct Bench {
  explicit Bench(const SinglePortParams& p = {}, const Ddr3Timing& t = without_refresh())
      : controller(p, t), trace(t) {
    controller.observe_dram(&trace);
  }
  void command(std::uint8_t bank, std::uint32_t row, bool write) {
    controller.accept({.row = row, .bank = bank, .write = write}, cycle);
  }
  void step() {
    controller.tick(cycle++);
    while (controller.returned(cycle, 0)) controller.take_returned();
  }
  void run(std::uint64_t cycles) {
    for (std::uint64_t i = 0; i < cycles; ++i) step();
  }
  ~Bench() {
    EXPECT_TRUE(trace.checker.violations().empty()) << trace.checker.violations().front();
  }
  SinglePortController controller;
  Trace trace;
  std::uint64_t cycle = 0;
};

/// DDR clocks a command when the next one is always there.
double clocks_a_command(const SinglePortParams& params, const Ddr3Timing& timing,
                        const std::function<void(Bench&, std::uint64_t number)>& feed) {
  Bench bench(params, timing);
  constexpr std::uint64_t kCycles = 400'000;
  std::uint64_t number = 0;
  for (std::uint64_t i = 0; i < kCycles; ++i) {
    while (bench.controller.room()) feed(bench, number++);
    bench.step();
  }
  const Statistics& s = bench.controller.statistics();
  return static_cast<double>(kCycles) / static_cast<double>(s.reads + s.writes);
}

TEST(Rates, RowHitsOnly) {
  for (const bool write : {false, true}) {
    const double clocks = clocks_a_command(
        {}, without_refresh(), [&](Bench& b, std::uint64_t) { b.command(0, 1, write); });
    EXPECT_NEAR(clocks, kTiming.tCCD, 0.005 * kTiming.tCCD);
  }
}

TEST(Rates, RowMissesOnly) {
  // One bank, a new row each time: ACT, column, PRE, one after the other.
  const auto feed = [](bool write) {
    return
        [write](Bench& b, std::uint64_t n) { b.command(0, static_cast<std::uint32_t>(n), write); };
  };
  const std::uint32_t read =
      std::max(kTiming.tRC, std::max(kTiming.tRAS, kTiming.tRCD + kTiming.tRTP) + kTiming.tRP);
  const std::uint32_t write = kTiming.tRCD + kTiming.wr2pre() + kTiming.tRP;
  EXPECT_NEAR(clocks_a_command({}, without_refresh(), feed(false)), read, 0.005 * read);
  EXPECT_NEAR(clocks_a_command({}, without_refresh(), feed(true)), write, 0.005 * write);
}

TEST(Rates, TurnaroundsOnly) {
  // A pool of one command cannot group: every command turns the bus round.
  const double clocks =
      clocks_a_command({.pool_commands = 1}, without_refresh(), [](Bench& b, std::uint64_t n) {
        b.command(static_cast<std::uint8_t>(n % 2U), 1, n % 2U != 0);
      });
  const double pair = kTiming.rd2wr + kTiming.wr2rd();
  EXPECT_NEAR(2.0 * clocks, pair, 0.005 * pair);
}

TEST(Rates, RefreshTakesItsShare) {
  const double clocks =
      clocks_a_command({}, kTiming, [](Bench& b, std::uint64_t) { b.command(0, 1, false); });
  // Last RD to PRE (at least tCCD), PRE to REF, REF to ACT, ACT to RD; on average half a burst
  // passes between due and the last RD.
  const double lost = kTiming.tRTP + kTiming.tRP + kTiming.tRFC + kTiming.tRCD - 2.0;
  const double share = 1.0 - lost / kTiming.tREFI;
  EXPECT_NEAR(clocks, kTiming.tCCD / share, 0.005 * kTiming.tCCD);
}

TEST(SinglePortController, RefreshIsNotEarlyAndAtOnce) {
  Bench bench({}, kTiming);
  bench.run(kTiming.tREFI);  // cycles 0 .. tREFI - 1
  EXPECT_TRUE(bench.trace.of(DramOp::ref).empty());
  bench.step();
  ASSERT_EQ(bench.trace.of(DramOp::ref).size(), 1U);
  EXPECT_EQ(bench.trace.of(DramOp::ref)[0].cycle, kTiming.tREFI);
}

TEST(SinglePortController, OnePreaClosesTheBanksBeforeARefresh) {
  Bench bench({}, kTiming);
  for (std::uint8_t bank = 0; bank < 4; ++bank) bench.command(bank, 1, false);
  bench.run(kTiming.tREFI - 10U);
  bench.command(0, 1, true);  // its tWR ends behind the time of the REF
  bench.run(100);
  const auto writes = bench.trace.of(DramOp::wr);
  const auto all = bench.trace.of(DramOp::prea);
  const auto ref = bench.trace.of(DramOp::ref);
  ASSERT_EQ(writes.size(), 1U);
  ASSERT_EQ(all.size(), 1U);
  ASSERT_EQ(ref.size(), 1U);
  EXPECT_EQ(all[0].cycle, writes[0].cycle + kTiming.wr2pre());
  EXPECT_EQ(ref[0].cycle, all[0].cycle + kTiming.tRP);
  EXPECT_TRUE(bench.trace.of(DramOp::pre).empty());
  EXPECT_EQ(bench.controller.statistics().precharges, 1U);
}

TEST(SinglePortController, AReadGoesBeforeAnOlderWrite) {
  // Both wait for the same ACT.
  for (const std::uint32_t pool : {1U, 4U}) {
    Bench bench({.pool_commands = pool});
    bench.command(0, 1, true);
    bench.command(0, 1, false);
    bench.command(0, 1, false);
    bench.run(100);
    const auto act = bench.trace.of(DramOp::act);
    const auto reads = bench.trace.of(DramOp::rd);
    const auto writes = bench.trace.of(DramOp::wr);
    ASSERT_EQ(act.size(), 1U);
    ASSERT_EQ(reads.size(), 2U);
    ASSERT_EQ(writes.size(), 1U);
    const std::uint64_t first = act[0].cycle + kTiming.tRCD;
    EXPECT_EQ((pool == 1 ? writes : reads)[0].cycle, first);
    EXPECT_EQ(writes[0].cycle < reads[0].cycle, pool == 1);
    EXPECT_EQ(reads[1].cycle, reads[0].cycle + kTiming.tCCD) << "the oldest of its kind is next";
  }
}

TEST(SinglePortController, AnotherRowWaitsForTheHitsOfThePool) {
  Bench bench;
  bench.command(0, 1, false);
  bench.run(200);
  // The bank could be closed before the write may follow the read.
  bench.command(0, 1, false);
  bench.command(0, 2, false);
  bench.command(0, 1, true);
  bench.run(200);
  const auto reads = bench.trace.of(DramOp::rd);
  const auto writes = bench.trace.of(DramOp::wr);
  const auto pre = bench.trace.of(DramOp::pre);
  ASSERT_EQ(reads.size(), 3U);
  ASSERT_EQ(writes.size(), 1U);
  ASSERT_EQ(pre.size(), 1U);
  EXPECT_EQ(writes[0].cycle, reads[1].cycle + kTiming.rd2wr);
  EXPECT_EQ(pre[0].cycle, writes[0].cycle + kTiming.wr2pre());
}

/// Reads of one open row for ever, and one write: it is served when it has been passed exactly
/// starve_limit times.
TEST(SinglePortController, StarvationCountsToItsLimit) {
  for (const std::uint32_t limit : {2U, 9U, 10U, 11U}) {
    Bench bench({.queue_commands = 4, .starve_limit = limit});
    for (int i = 0; i < 4; ++i) bench.command(0, 1, false);
    while (bench.trace.of(DramOp::rd).size() < 2) bench.step();
    bench.command(0, 1, true);
    const std::size_t before = bench.trace.of(DramOp::rd).size();
    while (bench.trace.of(DramOp::wr).empty()) {
      while (bench.controller.room()) bench.command(0, 1, false);
      bench.step();
      ASSERT_LT(bench.cycle, 10'000U);
    }
    // Two reads are older; the write enters the pool at once, so it has seen every later RD.
    EXPECT_EQ(bench.trace.of(DramOp::rd).size(), before + limit) << limit;
    EXPECT_EQ(bench.trace.of(DramOp::wr)[0].cycle,
              bench.trace.of(DramOp::rd).back().cycle + kTiming.rd2wr);
  }
}

/// A row may be closed before its first command where tRCD is longer than tRAS: a starved command
/// of another row must not take it away from an older one, which would open it again for ever.
TEST(SinglePortController, AStarvedCommandLeavesTheRowToOlderOnes) {
  Ddr3Timing timing = without_refresh();
  timing.tRCD = timing.tRAS + 1U;
  Bench bench({.queue_commands = 4, .starve_limit = 1}, timing);
  bench.command(1, 1, false);
  bench.command(0, 1, false);
  bench.command(0, 2, false);
  bench.run(1000);
  EXPECT_EQ(bench.trace.of(DramOp::rd).size(), 3U);
  EXPECT_EQ(bench.trace.of(DramOp::act).size(), 3U);
}

TEST(SinglePortController, LooksAheadAsFarAsItsPool) {
  // A row miss behind hits: its ACT goes out early only if it is in the pool.
  for (const std::uint32_t pool : {2U, 4U}) {
    Bench bench({.queue_commands = 8, .pool_commands = pool});
    for (int i = 0; i < 7; ++i) bench.command(0, 1, false);
    bench.command(1, 1, false);
    bench.run(200);
    const auto acts = bench.trace.of(DramOp::act);
    const auto reads = bench.trace.of(DramOp::rd);
    ASSERT_EQ(acts.size(), 2U);
    // It enters with the service of hit 8 - pool, counted from 1.
    EXPECT_EQ(acts[1].cycle, reads[7U - pool].cycle + 1U);
  }
}

TEST(SinglePortController, RowsStayOpen) {
  Bench bench;
  bench.command(3, 7, false);
  bench.run(1000);
  bench.command(3, 7, true);
  bench.run(1000);
  EXPECT_EQ(bench.trace.of(DramOp::act).size(), 1U);
  EXPECT_TRUE(bench.trace.of(DramOp::pre).empty());
  bench.command(3, 8, true);
  bench.run(1000);
  EXPECT_EQ(bench.trace.of(DramOp::pre).size(), 1U);
  EXPECT_EQ(bench.controller.statistics().row_misses, 1U);
}

TEST(SinglePortController, RefusesBadParameters) {
  EXPECT_THROW(SinglePortController({.queue_commands = 0}, kTiming), std::invalid_argument);
  EXPECT_THROW(SinglePortController({.pool_commands = 33}, kTiming), std::invalid_argument);
  EXPECT_THROW(SinglePortController({.starve_limit = 0}, kTiming), std::invalid_argument);
  SinglePortController full({.queue_commands = 1}, kTiming);
  full.accept({}, 0);
  EXPECT_THROW(full.accept({}, 0), std::logic_error);
}

/// The board's own timings, each one clock early and on time.
struct Step {
  DramCommand command;
  std::uint64_t cycle;
};
struct Case {
  std::string name;
  std::vector<Step> before;
  DramCommand last;
  std::uint64_t on_time;
};
constexpr DramCommand act(std::uint8_t bank) { return {DramOp::act, bank, 1}; }
constexpr DramCommand pre(std::uint8_t bank) { return {DramOp::pre, bank}; }
constexpr DramCommand rd(std::uint8_t bank) { return {DramOp::rd, bank}; }
constexpr DramCommand wr(std::uint8_t bank) { return {DramOp::wr, bank}; }

TEST(De1SocTiming, RefusedEarlyTakenOnTime) {
  const std::vector<Case> cases = {
      {"tRCD", {{act(0), 0}}, rd(0), 6},
      {"tRAS", {{act(0), 0}}, pre(0), 15},
      {"tRP", {{act(0), 0}, {pre(0), 100}}, act(0), 106},
      {"tRC", {{act(0), 0}, {pre(0), 15}}, act(0), 21},
      {"tRRD", {{act(0), 0}}, act(1), 3},
      {"tFAW", {{act(0), 0}, {act(1), 3}, {act(2), 6}, {act(3), 9}}, act(4), 18},
      {"tCCD", {{act(0), 0}, {rd(0), 30}}, rd(0), 34},
      {"rd2wr", {{act(0), 0}, {rd(0), 30}}, wr(0), 36},
      {"wr2rd", {{act(0), 0}, {wr(0), 30}}, rd(0), 45},
      {"tRTP", {{act(0), 0}, {rd(0), 30}}, pre(0), 34},
      {"tWR", {{act(0), 0}, {wr(0), 30}}, pre(0), 47},
      {"tRFC", {{{DramOp::ref}, 0}}, act(0), 120},
  };
  for (const Case& c : cases) {
    Ddr3Device device(kTiming);
    for (const Step& step : c.before) device.issue(step.command, step.cycle);
    EXPECT_FALSE(device.can_issue(c.last, c.on_time - 1U)) << c.name;
    EXPECT_TRUE(device.can_issue(c.last, c.on_time)) << c.name;
    for (const bool early : {false, true}) {
      Ddr3TraceChecker checker(kTiming);
      for (const Step& step : c.before) checker.on_command(step.command, step.cycle);
      checker.on_command(c.last, early ? c.on_time - 1U : c.on_time);
      EXPECT_EQ(checker.violations().empty(), !early) << c.name;
    }
  }
}

}  // namespace
}  // namespace sluice::model
