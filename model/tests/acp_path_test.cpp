// SPDX-License-Identifier: Apache-2.0
// The ACP: what it finds in the caches and what not, coherency, rates and latencies.
#include "sluice/model/acp_path.hpp"

#include <gtest/gtest.h>

#include "sluice/model/port_master.hpp"
#include "sluice/model/zynq7000.hpp"

namespace sluice::model {
namespace {

constexpr std::uint64_t kBuffer = 16ULL << 20U;
constexpr std::uint64_t kOther = 48ULL << 20U;

struct Bench {
  explicit Bench(const Zynq7000Params& params = zynq7010())
      : zynq(params), master(zynq.acp(), MasterParams{}) {}

  void fill(std::uint64_t address, std::uint64_t bytes) {
    for (std::uint64_t word = 0; word < bytes / 8; ++word) {
      const std::uint64_t low = 2 * word;
      zynq.memory().store_word(address + 8 * word, low | (low + 1) << 32U, 0xff);
    }
  }
  /// ns until the transfers have finished.
  double run(const PortTransfer& read, const PortTransfer& write) {
    master.sink().check = true;
    master.start(read, write);
    const std::uint64_t first = edge;
    while (!master.finished()) step();
    return static_cast<double>(pl.time_ps(edge) - pl.time_ps(first)) / 1e3;
  }
  void step() {
    zynq.advance_to(pl.time_ps(++edge));
    master.pl_edge();
  }
  void cpu(const CpuProgram& program) {
    zynq.start_cpu(program);
    while (zynq.cpu().running()) step();
  }
  void settle() {
    for (int n = 0; n < 1000; ++n) step();
  }

  Zynq7000 zynq;
  HpMaster master;
  Clock pl{125.0};
  std::uint64_t edge = 0;
};

CpuProgram read_by_cpu(std::uint64_t address, std::uint64_t bytes) {
  return {.kind = CpuProgram::Kind::read, .source = address, .bytes = bytes};
}

TEST(Acp, AReadMissesOnceAndThenHits) {
  Bench bench;
  constexpr std::uint64_t kBytes = 64U << 10U;
  bench.fill(kBuffer, kBytes);
  const double cold_ns = bench.run({kBuffer, kBytes}, {});
  EXPECT_FALSE(bench.master.sink().mismatch);
  const std::uint64_t lines = bench.zynq.l2().counts().lines_read;
  EXPECT_EQ(lines, kBytes / 32);
  const double warm_ns = bench.run({kBuffer, kBytes}, {});
  EXPECT_EQ(bench.zynq.l2().counts().lines_read, lines);
  EXPECT_LE(warm_ns, cold_ns);
  // One word an edge: 1000 MB/s at 125 MHz.
  EXPECT_NEAR(kBytes / warm_ns * 1e3, 1000.0, 20.0);
  EXPECT_EQ(bench.zynq.acp_path().counts().lines_read, 2 * kBytes / 32);
  EXPECT_TRUE(bench.zynq.idle());
}

TEST(Acp, WithoutAllocationEveryReadGoesToTheMemory) {
  Zynq7000Params params = zynq7010();
  params.acp.allocate = 0;
  params.l2.data_prefetch = 0;
  Bench bench(params);
  constexpr std::uint64_t kBytes = 16U << 10U;
  bench.run({kBuffer, kBytes}, {});
  bench.run({kBuffer, kBytes}, {});
  EXPECT_EQ(bench.zynq.l2().counts().lines_read, 2 * kBytes / 32);
}

TEST(Acp, AHitIsSoonerThanAMissByTheMemory) {
  Zynq7000Params params = zynq7010();
  params.l2.data_prefetch = 0;
  Bench bench(params);
  const double miss_ns = bench.run({kBuffer, 32}, {});
  bench.settle();
  const double hit_ns = bench.run({kBuffer, 32}, {});
  // The L2 cache's own way, four words, synchronisers and the engine's edges of 8 ns.
  const Pl310Params& l2 = params.l2;
  EXPECT_GT(hit_ns, (l2.path_ps + 5 * 1500) / 1e3);
  EXPECT_LT(hit_ns, (l2.path_ps + 5 * 1500) / 1e3 + 16 * 8.0);
  EXPECT_GT(miss_ns, hit_ns + l2.memory_path_ps / 1e3);
  EXPECT_LT(miss_ns, hit_ns + l2.memory_path_ps / 1e3 + 120.0);
}

TEST(Acp, TheScuAnswersWhatTheCpuHolds) {
  Bench bench;
  constexpr std::uint64_t kBytes = 4096;
  bench.cpu(read_by_cpu(kBuffer, kBytes));
  EXPECT_TRUE(bench.zynq.cpu().holds(kBuffer));
  bench.run({kBuffer, kBytes}, {});
  EXPECT_EQ(bench.zynq.acp_path().counts().snoop_hits, kBytes / 32);
  EXPECT_TRUE(bench.zynq.cpu().holds(kBuffer));
  bench.run({kOther, kBytes}, {});
  EXPECT_EQ(bench.zynq.acp_path().counts().snoop_hits, kBytes / 32);
}

TEST(Acp, AWriteTakesTheLineOutOfTheCpusCache) {
  Bench bench;
  constexpr std::uint64_t kBytes = 4096;
  bench.cpu(read_by_cpu(kBuffer, kBytes));
  bench.run({}, {kBuffer, kBytes - 32});
  for (std::uint64_t line = 0; line < kBytes / 32; ++line)
    EXPECT_EQ(bench.zynq.cpu().holds(kBuffer + line * 32), line == kBytes / 32 - 1) << line;
  // The new data is in the L2 cache, where the CPU finds it without the memory.
  const std::uint64_t lines = bench.zynq.l2().counts().lines_read;
  bench.cpu(read_by_cpu(kBuffer, kBytes - 1024));
  EXPECT_EQ(bench.zynq.l2().counts().lines_read, lines);
  EXPECT_EQ(bench.zynq.l2().counts().lines_written, 0U);
}

TEST(Acp, WritesReachTheMemoryWholeAndOnce) {
  Zynq7000Params params = zynq7010();
  params.acp.allocate = 0;
  Bench bench(params);
  constexpr std::uint64_t kBytes = 64U << 10U;
  // One word an edge, without a gap between bursts.
  EXPECT_NEAR(kBytes / bench.run({}, {kBuffer, kBytes}) * 1e3, 1000.0, 20.0);
  bench.settle();
  EXPECT_EQ(bench.zynq.l2().counts().lines_written, kBytes / 32);
  EXPECT_EQ(bench.zynq.acp_path().counts().lines_written, kBytes / 32);
  EXPECT_EQ(bench.zynq.memory().load_word(kBuffer + kBytes - 8), (kBytes / 4 - 2) | (kBytes / 4 - 1)
                                                                                        << 32U);
  EXPECT_TRUE(bench.zynq.idle());
}

TEST(Acp, AnAbsentAddressIsADecodeErrorAndTouchesNoCache) {
  Bench bench;
  bench.run({1ULL << 30U, 4096}, {});
  EXPECT_EQ(bench.master.read_response(), Response::decerr);
  EXPECT_EQ(bench.zynq.l2().counts().lines_read, 0U);
}

}  // namespace
}  // namespace sluice::model
