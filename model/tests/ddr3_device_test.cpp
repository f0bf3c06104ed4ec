// SPDX-License-Identifier: Apache-2.0
// Every DDR3 constraint: refused one cycle early, taken on time.
#include "sluice/model/ddr3_device.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sluice/model/ddr3_trace_checker.hpp"

namespace sluice::model {
namespace {

constexpr DramCommand act(std::uint8_t bank, std::uint32_t row = 1) {
  return {DramOp::act, bank, row};
}
constexpr DramCommand pre(std::uint8_t bank) { return {DramOp::pre, bank}; }
constexpr DramCommand prea() { return {DramOp::prea}; }
constexpr DramCommand rd(std::uint8_t bank) { return {DramOp::rd, bank}; }
constexpr DramCommand wr(std::uint8_t bank) { return {DramOp::wr, bank}; }
constexpr DramCommand ref() { return {DramOp::ref}; }

struct Step {
  DramCommand command;
  std::uint64_t cycle;
};
struct Case {
  std::string name;
  std::vector<Step> before;  // legal commands
  DramCommand last;          // legal from `on_time`
  std::uint64_t on_time;
};

std::vector<Case> cases() {
  const Ddr3Timing t;
  const std::uint64_t wr2pre = t.CWL + t.burst_cycles + t.tWR;
  const std::uint64_t wr2rd = t.CWL + t.burst_cycles + t.tWTR;
  return {
      {"tRCD_rd", {{act(0), 0}}, rd(0), t.tRCD},
      {"tRCD_wr", {{act(0), 0}}, wr(0), t.tRCD},
      {"tRAS", {{act(0), 0}}, pre(0), t.tRAS},
      {"tRP", {{act(0), 0}, {pre(0), 100}}, act(0), 100U + t.tRP},
      {"tRC", {{act(0), 0}, {pre(0), t.tRAS}}, act(0), t.tRC},
      {"tRRD", {{act(0), 0}}, act(1), t.tRRD},
      {"tFAW",
       {{act(0), 0}, {act(1), t.tRRD}, {act(2), 2U * t.tRRD}, {act(3), 3U * t.tRRD}},
       act(4),
       std::max<std::uint64_t>(t.tFAW, 4U * t.tRRD)},
      {"tCCD_rd", {{act(0), 0}, {act(1), 10}, {rd(0), 30}}, rd(1), 30U + t.tCCD},
      {"tCCD_wr", {{act(0), 0}, {act(1), 10}, {wr(0), 30}}, wr(1), 30U + t.tCCD},
      {"rd2wr", {{act(0), 0}, {act(1), 10}, {rd(0), 30}}, wr(1), 30U + t.rd2wr},
      {"tWTR", {{act(0), 0}, {act(1), 10}, {wr(0), 30}}, rd(1), 30U + wr2rd},
      {"tRTP", {{act(0), 0}, {rd(0), 30}}, pre(0), 30U + t.tRTP},
      {"tWR", {{act(0), 0}, {wr(0), 30}}, pre(0), 30U + wr2pre},
      {"tRAS_prea", {{act(0), 0}, {act(1), 40}}, prea(), 40U + t.tRAS},
      {"tRTP_prea", {{act(0), 0}, {act(1), 10}, {rd(1), 60}}, prea(), 60U + t.tRTP},
      {"tWR_prea", {{act(0), 0}, {act(1), 10}, {wr(1), 60}}, prea(), 60U + wr2pre},
      {"tRP_prea", {{act(0), 0}, {act(1), 10}, {prea(), 100}}, act(1), 100U + t.tRP},
      {"tRP_prea_closed",
       {{act(0), 0}, {act(1), 10}, {pre(1), 60}, {prea(), 100}},
       act(1),
       100U + t.tRP},
      {"tRP_prea_ref", {{act(0), 0}, {act(1), 10}, {prea(), 100}}, ref(), 100U + t.tRP},
      {"tRFC_act", {{ref(), 0}}, act(0), t.tRFC},
      {"tRFC_ref", {{ref(), 0}}, ref(), t.tRFC},
      {"tRP_ref", {{act(0), 0}, {pre(0), 100}}, ref(), 100U + t.tRP},
      {"tRC_ref", {{act(0), 0}, {pre(0), t.tRAS}}, ref(), t.tRC},
      {"one_a_cycle", {{act(0), 0}, {act(1), 50}, {pre(0), 80}}, pre(1), 81},
  };
}

class Constraint : public ::testing::TestWithParam<Case> {};

TEST_P(Constraint, RefusedEarlyTakenOnTime) {
  const Case& c = GetParam();
  // tFAW is longer than four tRRD only if the part's timing says so; make it bind.
  Ddr3Timing timing;
  std::uint64_t on_time = c.on_time;
  if (c.name == "tFAW") {
    timing.tFAW = 30;
    on_time = 30;
  }
  Ddr3Device device(timing);
  for (const Step& step : c.before) {
    ASSERT_TRUE(device.can_issue(step.command, step.cycle));
    device.issue(step.command, step.cycle);
  }
  EXPECT_FALSE(device.can_issue(c.last, on_time - 1U));
  EXPECT_THROW(device.issue(c.last, on_time - 1U), std::logic_error);
  EXPECT_TRUE(device.can_issue(c.last, on_time));
  EXPECT_NO_THROW(device.issue(c.last, on_time));
}

/// The independent checker must judge the same sequences in the same way.
TEST_P(Constraint, CheckerAgrees) {
  const Case& c = GetParam();
  Ddr3Timing timing;
  std::uint64_t on_time = c.on_time;
  if (c.name == "tFAW") {
    timing.tFAW = 30;
    on_time = 30;
  }
  for (const bool early : {false, true}) {
    Ddr3TraceChecker checker(timing);
    for (const Step& step : c.before) checker.on_command(step.command, step.cycle);
    ASSERT_TRUE(checker.violations().empty()) << checker.violations().front();
    checker.on_command(c.last, early ? on_time - 1U : on_time);
    EXPECT_EQ(checker.violations().empty(), !early);
  }
}

INSTANTIATE_TEST_SUITE_P(Ddr3, Constraint, ::testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

TEST(Ddr3Device, RefusesCommandsOfTheWrongBankState) {
  Ddr3Device device{Ddr3Timing{}};
  EXPECT_FALSE(device.can_issue(rd(0), 1000));
  EXPECT_FALSE(device.can_issue(wr(0), 1000));
  EXPECT_FALSE(device.can_issue(pre(0), 1000));
  EXPECT_FALSE(device.can_issue(prea(), 1000));
  device.issue(act(0, 5), 1000);
  EXPECT_EQ(device.open_row(0), 5U);
  EXPECT_FALSE(device.can_issue(act(0), 2000));
  EXPECT_FALSE(device.can_issue(ref(), 2000));
}

TEST(Ddr3Device, PreaClosesEveryBank) {
  Ddr3Device device{Ddr3Timing{}};
  device.issue(act(0), 0);
  device.issue(act(3), 50);
  device.issue(prea(), 100);
  EXPECT_TRUE(device.all_closed());
  EXPECT_FALSE(device.open(0) || device.open(3));
}

TEST(Ddr3Device, RefusesImpossibleTimings) {
  Ddr3Timing timing;
  timing.banks = 3;
  EXPECT_THROW(Ddr3Device{timing}, std::invalid_argument);
  timing = {};
  timing.rd2wr = 4;  // write data would meet read data
  EXPECT_THROW(Ddr3Device{timing}, std::invalid_argument);
  timing = {};
  timing.tRC = timing.tRAS - 1U;
  EXPECT_THROW(Ddr3Device{timing}, std::invalid_argument);
}

TEST(Ddr3TraceChecker, FindsRowAndBusFaults) {
  const Ddr3Timing timing;
  Ddr3TraceChecker checker(timing);
  checker.on_command(rd(0), 10);  // closed
  EXPECT_EQ(checker.violations().size(), 1U);
  checker.on_command(act(0), 100);
  checker.on_command(act(0), 200);  // open already
  EXPECT_EQ(checker.violations().size(), 2U);
  checker.on_command(ref(), 300);  // with a bank open
  EXPECT_EQ(checker.violations().size(), 3U);
  checker.on_command(pre(0), 299);  // back in time
  EXPECT_EQ(checker.violations().size(), 4U);
  checker.on_command(act(0), 1000);
  checker.on_command(prea(), 1100);
  EXPECT_EQ(checker.violations().size(), 4U);
  checker.on_command(rd(0), 1200);  // closed by the PREA
  EXPECT_EQ(checker.violations().size(), 5U);
  checker.on_command(ref(), 2000);
  EXPECT_EQ(checker.violations().size(), 5U);
  checker.on_command(prea(), 2000U + timing.tRFC - 1U);  // in a refresh
  EXPECT_EQ(checker.violations().size(), 6U);
}

TEST(Ddr3TraceChecker, FindsMissingRefresh) {
  const Ddr3Timing timing;
  Ddr3TraceChecker checker(timing);
  checker.finish(std::uint64_t{timing.tREFI} * timing.refresh_postpone);
  EXPECT_TRUE(checker.violations().empty());
  checker.finish(std::uint64_t{timing.tREFI} * (timing.refresh_postpone + 1U));
  EXPECT_FALSE(checker.violations().empty());
}

}  // namespace
}  // namespace sluice::model
