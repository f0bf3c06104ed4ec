// SPDX-License-Identifier: Apache-2.0
// The general-purpose slave ports: every byte through the central interconnect, what they reach,
// how many bursts are accepted, and what the interconnect's clock bounds.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "sluice/model/port_master.hpp"
#include "sluice/model/zynq7000.hpp"

namespace sluice::model {
namespace {

constexpr std::uint64_t kBytes = 1ULL << 20U;

struct Board {
  explicit Board(Zynq7000Params params = zynq7010(), double clock_mhz = 100.0) : pl(clock_mhz) {
    params.ddrc.check_commands = 1;
    zynq = std::make_unique<Zynq7000>(params);
    for (unsigned port = 0; port < Zynq7000::kGpPorts; ++port)
      masters.push_back(std::make_unique<HpMaster>(zynq->gp(port), MasterParams{.port_bits = 32}));
  }
  /// MB/s of all that moves until all masters are finished.
  double run() {
    const std::uint64_t first = edge;
    while (!masters[0]->finished() || !masters[1]->finished()) {
      zynq->advance_to(pl.time_ps(++edge));
      for (auto& master : masters) master->pl_edge();
    }
    const std::uint64_t bytes = zynq->gp(0).read_bytes() + zynq->gp(0).write_bytes() +
                                zynq->gp(1).read_bytes() + zynq->gp(1).write_bytes();
    return static_cast<double>(bytes) * 1e6 / static_cast<double>(pl.time_ps(edge - first));
  }
  Clock pl;
  std::unique_ptr<Zynq7000> zynq;
  std::vector<std::unique_ptr<HpMaster>> masters;
  std::uint64_t edge = 0;
};

TEST(Gp, EveryByteArrivesOnce) {
  Board b;
  for (std::uint64_t i = 0; i < kBytes / 8U; ++i)
    b.zynq->memory().store_word(kBytes + i * 8U, i * 7919U, 0xff);
  b.masters[1]->start({kBytes, kBytes}, {3U * kBytes, kBytes});
  b.run();
  EXPECT_EQ(std::memcmp(b.zynq->memory().host(kBytes, kBytes),
                        b.zynq->memory().host(3U * kBytes, kBytes), kBytes),
            0);
  for (int i = 0; i < 1000; ++i) b.zynq->advance_to(b.pl.time_ps(++b.edge));
  EXPECT_TRUE(b.zynq->idle());
  const Statistics s = b.zynq->statistics();
  EXPECT_EQ(s.reads, kBytes / 32U);
  EXPECT_EQ(s.writes, kBytes / 32U);
  EXPECT_EQ(s.hp_read_bytes[0], 0U);
}

// UG585 table 22-8: 600 MB/s, which is the port's clock; 32 bits at 150 MHz.
TEST(Gp, APortReachesItsClock) {
  for (const bool write : {false, true}) {
    Board b(zynq7010(), 150.0);
    if (write)
      b.masters[0]->start({}, {kBytes, kBytes});
    else
      b.masters[0]->start({kBytes, kBytes}, {});
    EXPECT_NEAR(b.run(), 600.0, 6.0) << write;
  }
}

// A word of 64 bits a cycle and direction for both ports together.
TEST(Gp, TheInterconnectsClockBoundsBoth) {
  const auto reads = [](std::uint32_t cycle_ps) {
    Zynq7000Params params = zynq7010();
    params.gp.central_cycle_ps = cycle_ps;
    Board b(params, 150.0);
    b.masters[0]->start({kBytes, kBytes}, {});
    b.masters[1]->start({3U * kBytes + 4U * 4096U, kBytes}, {});
    return b.run();
  };
  EXPECT_NEAR(reads(4500), 1200.0, 24.0);
  EXPECT_NEAR(reads(16'000), 500.0, 10.0);
}

TEST(Gp, AcceptsAsManyBurstsAsItSays) {
  Zynq7000 zynq(zynq7010());
  AfiPort& port = zynq.gp(0);
  unsigned accepted = 0;
  // Nobody takes the data, so that nothing finishes.
  for (std::uint64_t edge = 1; edge <= 1000; ++edge) {
    zynq.advance_to(edge * 10'000U);
    port.pl_edge();
    if (!port.pl_read_room()) continue;
    port.pl_read({accepted * 64U, 8, 8});
    ++accepted;
  }
  EXPECT_GE(accepted, zynq.params().gp.read_acceptance);
  EXPECT_THROW((void)zynq.gp(2), std::out_of_range);
}

}  // namespace
}  // namespace sluice::model
