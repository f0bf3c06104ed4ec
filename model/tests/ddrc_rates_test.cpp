// SPDX-License-Identifier: Apache-2.0
// The controller against closed-form rates, and random traffic against the trace checker.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "seed.hpp"
#include "sluice/model/ddr3_trace_checker.hpp"
#include "sluice/model/ddrc.hpp"

namespace sluice::model {
namespace {

DdrcParams fast_ports() {
  DdrcParams p;
  p.command_latency_cycles = 0;
  p.return_latency_cycles = 0;
  p.response_latency_cycles = 0;
  p.write_request_ticks = 1;
  p.port.read_bursts = 16;
  p.port.write_bursts = 16;
  p.port.read_ram_words = 256;
  p.port.write_ram_words = 256;
  return p;
}

/// Drives the controller through port 0 with bursts of one request, every port cycle a DDR cycle.
struct Bench {
  explicit Bench(const DdrcParams& p = fast_ports(), const Ddr3Timing& t = {})
      : timing(t), ddrc(p, t), checker(t) {
    ddrc.observe_dram(&checker);
  }
  void step() {
    while (ddrc.port(0).read_word_ready()) ddrc.port(0).take_read_word();
    while (ddrc.port(0).response_ready(cycle)) (void)ddrc.port(0).take_response();
    ddrc.ddri_tick(cycle);
    ddrc.tick(cycle);
    ++cycle;
  }
  bool read(std::uint64_t address) {
    if (!ddrc.port(0).read_room()) return false;
    ddrc.port(0).read({address, 4, 8}, {}, cycle);
    return true;
  }
  bool write(std::uint64_t address) {
    if (!ddrc.port(0).write_room(4)) return false;
    ddrc.port(0).write({address, 4, 8}, {}, cycle);
    for (int i = 0; i < 4; ++i) ddrc.port(0).put_write_word();
    return true;
  }
  void expect_clean() { EXPECT_TRUE(checker.violations().empty()) << checker.violations().front(); }
  Ddr3Timing timing;
  Ddrc ddrc;
  Ddr3TraceChecker checker;
  std::uint64_t cycle = 0;
};

constexpr std::uint64_t kCycles = 400'000;
constexpr std::uint64_t kRowStride = 32768;  // next row of the same bank

/// Fraction of time left by refresh: a REF costs `cost` cycles every tREFI.
double after_refresh(const Ddr3Timing& t, double cost) { return 1.0 - cost / t.tREFI; }

TEST(ClosedForm, RowHitReads) {
  Bench b;
  while (b.cycle < kCycles) {
    (void)b.read(0x40);
    b.step();
  }
  const Ddr3Timing& t = b.timing;
  // A request every tCCD; around a REF: RD-PRE, PRE-REF, REF-ACT, ACT-RD instead of tCCD.
  const double cost = t.tRTP + t.tRP + t.tRFC + t.tRCD - t.tCCD;
  const double expected = kCycles / double{4.0} * after_refresh(t, cost);
  EXPECT_NEAR(static_cast<double>(b.ddrc.statistics().reads) / expected, 1.0, 0.005);
  b.expect_clean();
}

TEST(ClosedForm, RowHitWrites) {
  Bench b;
  while (b.cycle < kCycles) {
    (void)b.write(0x40);
    b.step();
  }
  const Ddr3Timing& t = b.timing;
  const double cost = t.wr2pre() + t.tRP + t.tRFC + t.tRCD - t.tCCD;
  const double expected = kCycles / double{4.0} * after_refresh(t, cost);
  EXPECT_NEAR(static_cast<double>(b.ddrc.statistics().writes) / expected, 1.0, 0.005);
  b.expect_clean();
}

TEST(ClosedForm, RowMissReads) {
  Bench b;
  std::uint64_t row = 0;
  while (b.cycle < kCycles) {
    if (b.read(row * kRowStride)) row = (row + 1U) % 10000U;
    b.step();
  }
  const Ddr3Timing& t = b.timing;
  const double period = std::max(t.tRC, t.tRCD + t.tRTP + t.tRP);
  const double expected = kCycles / period * after_refresh(t, t.tRFC);
  EXPECT_NEAR(static_cast<double>(b.ddrc.statistics().reads) / expected, 1.0, 0.005);
  b.expect_clean();
}

TEST(ClosedForm, RowMissWrites) {
  Bench b;
  std::uint64_t row = 0;
  while (b.cycle < kCycles) {
    if (b.write(row * kRowStride)) row = (row + 1U) % 10000U;
    b.step();
  }
  const Ddr3Timing& t = b.timing;
  const double period = std::max(t.tRC, t.tRCD + t.wr2pre() + t.tRP);
  const double expected = kCycles / period * after_refresh(t, t.tRFC);
  EXPECT_NEAR(static_cast<double>(b.ddrc.statistics().writes) / expected, 1.0, 0.005);
  b.expect_clean();
}

TEST(ClosedForm, TurnaroundOnly) {
  // One read, then one write, each offered when the other has gone out; rows stay open.
  Bench b;
  bool offer_read = true;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  while (b.cycle < kCycles) {
    const Statistics& s = b.ddrc.statistics();
    if (offer_read && s.writes == writes) {
      offer_read = false;
      ++reads;
      ASSERT_TRUE(b.read(0x0040));
    } else if (!offer_read && s.reads == reads) {
      offer_read = true;
      ++writes;
      ASSERT_TRUE(b.write(0x1040));  // bank 1
    }
    b.step();
  }
  const Ddr3Timing& t = b.timing;
  const double period = t.rd2wr + t.wr2rd();
  const double cost = t.tRP + t.tRFC + t.tRCD + t.tRRD;  // about one period is lost too
  const double expected = kCycles / period * after_refresh(t, cost);
  EXPECT_NEAR(static_cast<double>(b.ddrc.statistics().reads) / expected, 1.0, 0.005);
  EXPECT_NEAR(static_cast<double>(b.ddrc.statistics().read_to_write) / expected, 1.0, 0.005);
  b.expect_clean();
}

TEST(ClosedForm, BankInterleavedActivatesAreBoundByFaw) {
  Ddr3Timing t;
  t.tFAW = 40;
  Bench b(fast_ports(), t);
  std::uint64_t n = 0;
  while (b.cycle < kCycles) {
    if (b.read((n / 8U % 1000U) * kRowStride + n % 8U * 4096U)) ++n;
    b.step();
  }
  const double expected = kCycles / (t.tFAW / 4.0) * after_refresh(t, t.tRFC);
  EXPECT_NEAR(static_cast<double>(b.ddrc.statistics().reads) / expected, 1.0, 0.01);
  b.expect_clean();
}

class RandomTraffic : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(RandomTraffic, BreaksNoConstraintAndLosesNothing) {
  std::mt19937_64 random(test_seed() * 100U + GetParam());
  RecordProperty("reproduce", "SEED=" + std::to_string(test_seed()));
  DdrcParams p = fast_ports();
  p.read_cam_entries = 1U + static_cast<std::uint32_t>(random() % 32U);
  p.write_cam_entries = 1U + static_cast<std::uint32_t>(random() % 32U);
  p.lpr.page_hit_limit = static_cast<std::uint32_t>(random() % 9U);
  p.wr.page_hit_limit = static_cast<std::uint32_t>(random() % 9U);
  p.write_request_ticks = 1U + static_cast<std::uint32_t>(random() % 6U);
  p.rdwr_idle_gap = static_cast<std::uint32_t>(random() % 5U);
  p.mode_every_cycle = static_cast<std::uint32_t>(random() % 2U);
  p.lpr.max_starve_x32 = static_cast<std::uint32_t>(random() % 4U);
  p.wr.max_starve_x32 = static_cast<std::uint32_t>(random() % 4U);
  Bench b(p);
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t span = 1ULL << (12U + random() % 12U);
  while (b.cycle < 60'000) {
    if (b.cycle % 5000U == 0) span = 1ULL << (6U + random() % 20U);
    if (random() % 4U == 0) reads += b.read(random() % span / 32U * 32U) ? 1U : 0U;
    if (random() % 4U == 0) writes += b.write(random() % span / 32U * 32U) ? 1U : 0U;
    b.step();
  }
  for (int i = 0; i < 20'000 && !b.ddrc.quiet(); ++i) b.step();
  EXPECT_TRUE(b.ddrc.quiet());
  EXPECT_EQ(b.ddrc.statistics().reads, reads);
  EXPECT_EQ(b.ddrc.statistics().writes, writes);
  EXPECT_GT(b.ddrc.statistics().refreshes, 10U);
  b.checker.finish(b.cycle);
  b.expect_clean();
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTraffic, ::testing::Range(0U, 16U));

TEST(Ddrc, StarvedRowsAreServedInBoundedTime) {
  // Hits on one row of a bank, and a single request of another row.
  Bench b;
  for (int i = 0; i < 100; ++i) {
    (void)b.read(0x40);
    b.step();
  }
  const std::uint64_t acts = b.ddrc.statistics().row_misses;
  while (!b.read(kRowStride)) b.step();
  const std::uint64_t asked = b.cycle;
  while (b.ddrc.statistics().row_misses == acts && b.cycle < asked + 2000U) {
    (void)b.read(0x40);
    b.step();
  }
  EXPECT_LT(b.cycle, asked + 300U);
  b.expect_clean();
}

TEST(Ddrc, NoHitPreferenceStillProgresses) {
  // With a limit of 0 requests of one bank go strictly by age; the open row must not be closed in
  // vain.
  DdrcParams p = fast_ports();
  p.lpr.page_hit_limit = p.wr.page_hit_limit = 0;
  Bench b(p);
  for (std::uint64_t i = 0; i < 200; ++i) {
    while (!b.read(i % 3U * kRowStride)) b.step();
    while (!b.write((i % 2U + 4U) * kRowStride)) b.step();
  }
  for (int i = 0; i < 5000 && !b.ddrc.quiet(); ++i) b.step();
  EXPECT_EQ(b.ddrc.statistics().reads, 200U);
  EXPECT_EQ(b.ddrc.statistics().writes, 200U);
  b.expect_clean();
}

/// Reads of an open row come without pause; one of another row enters among them.
TEST(Ddrc, HitsPassAnOlderRequestAsOftenAsTheirLimitSays) {
  for (const std::uint32_t limit : {1U, 2U, 5U}) {
    DdrcParams p = fast_ports();
    p.lpr.page_hit_limit = limit;
    p.wr.page_hit_limit = 1000;  // not that of reads
    Bench b(p);
    std::uint64_t older = 0;
    for (int i = 0; i < 200; ++i) {
      older += b.read(0x40) ? 1U : 0U;
      b.step();
    }
    while (!b.read(kRowStride)) b.step();
    while (b.ddrc.statistics().precharges == 0) {
      (void)b.read(0x40);
      b.step();
    }
    EXPECT_EQ(b.ddrc.statistics().reads, older + limit);
  }
}

TEST(Ddrc, DataOfAWriteTakesItsTicks) {
  DdrcParams p = fast_ports();
  for (const std::uint32_t ticks : {5U, 8U}) {
    p.write_request_ticks = ticks;
    Bench b(p);
    while (b.cycle < kCycles) {
      (void)b.write(0x40);
      b.step();
    }
    EXPECT_NEAR(static_cast<double>(b.ddrc.statistics().writes) * ticks / kCycles, 1.0, 0.005);
    b.expect_clean();
  }
}

TEST(Ddrc, RefusesBadParameters) {
  DdrcParams p;
  p.read_cam_entries = 33;
  EXPECT_THROW(Ddrc(p, Ddr3Timing{}), std::invalid_argument);
  p = {};
  p.port.read_bursts = 0;
  EXPECT_THROW(Ddrc(p, Ddr3Timing{}), std::invalid_argument);
}

}  // namespace
}  // namespace sluice::model
