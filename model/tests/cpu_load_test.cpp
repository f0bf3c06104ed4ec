// SPDX-License-Identifier: Apache-2.0
// A CPU that copies without end: its rate alone against the measured one, what it takes from the
// ports and they from it, and how little the arbiter's priorities shift that.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "sluice/model/ddr3_trace_checker.hpp"
#include "sluice/model/port_master.hpp"
#include "sluice/model/zynq7000.hpp"

namespace sluice::model {
namespace {

struct Rates {
  double cpu_mb_s;
  double ports_mb_s;
};

/// `ports` read without pause for 2 ms while the CPU copies, if it does; it has copied for 3 ms
/// before, so that dirty lines leave its L2 cache.
Rates run(Zynq7000Params params, unsigned ports, bool cpu) {
  constexpr std::uint64_t kWarmEdges = 450'000;
  constexpr std::uint64_t kEdges = 300'000;
  constexpr double kSeconds = 2e-3;
  params.cpu_copies = cpu ? 1 : 0;
  Zynq7000 zynq(params);
  Ddr3TraceChecker checker(params.timing);
  zynq.observe_dram(&checker);
  std::vector<std::unique_ptr<HpMaster>> masters;
  for (unsigned port = 0; port < ports; ++port) {
    masters.push_back(std::make_unique<HpMaster>(zynq.afi(port), MasterParams{}));
    masters.back()->start({(port + 1U) * (16ULL << 20U) + port * 4096U, 16ULL << 20U}, {});
  }
  const Clock pl(150.0);
  zynq.advance_to(pl.time_ps(kWarmEdges));
  const std::uint64_t copied_before = zynq.cpu().copied_bytes();
  for (std::uint64_t edge = kWarmEdges + 1; edge <= kWarmEdges + kEdges; ++edge) {
    zynq.advance_to(pl.time_ps(edge));
    for (auto& master : masters) master->pl_edge();
  }
  EXPECT_TRUE(checker.violations().empty()) << checker.violations().front();
  const Statistics s = zynq.statistics();
  double bytes = 0;
  for (const std::uint64_t read : s.hp_read_bytes) bytes += static_cast<double>(read);
  return {static_cast<double>(zynq.cpu().copied_bytes() - copied_before) / kSeconds / 1e6,
          bytes / kSeconds / 1e6};
}

TEST(CpuLoad, AloneItIsAsFastAsMeasured) {
  // reds2024.json: tinymembench C copy 342.6 MB/s.
  EXPECT_NEAR(run(zynq7010(), 0, true).cpu_mb_s, 342.6, 342.6 * 0.02);
}

TEST(CpuLoad, ItTakesFromBusyPortsAndTheyFromIt) {
  const Rates alone = run(zynq7010(), 4, false);
  const Rates both = run(zynq7010(), 4, true);
  EXPECT_EQ(alone.cpu_mb_s, 0.0);
  EXPECT_LT(both.ports_mb_s, alone.ports_mb_s * 0.98);
  EXPECT_LT(both.cpu_mb_s, 300.0);
  EXPECT_GT(both.cpu_mb_s, 50.0);
  // One port leaves room for both.
  EXPECT_NEAR(run(zynq7010(), 1, true).ports_mb_s, 1200.0, 12.0);
}

// The arbiter lets requests in, and is seldom what they wait for: priorities shift a few percent.
TEST(CpuLoad, PrioritiesShiftLittle) {
  Zynq7000Params params = zynq7010();
  const Rates equal = run(params, 4, true);
  params.ddrc.cpu_priority = 0;
  const Rates cpu_first = run(params, 4, true);
  EXPECT_NE(cpu_first.cpu_mb_s, equal.cpu_mb_s);
  EXPECT_NEAR(cpu_first.cpu_mb_s, equal.cpu_mb_s, equal.cpu_mb_s * 0.1);
  EXPECT_NEAR(cpu_first.ports_mb_s, equal.ports_mb_s, equal.ports_mb_s * 0.1);
}

}  // namespace
}  // namespace sluice::model
