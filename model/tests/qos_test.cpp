// SPDX-License-Identifier: Apache-2.0
// Quality of service: the AFI's QoS at the interconnect of a pair of ports, and its most
// significant bit as "urgent" at the controller's arbiter.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "sluice/model/ddri_arbiter.hpp"
#include "sluice/model/port_master.hpp"
#include "sluice/model/zynq7000.hpp"

namespace sluice::model {
namespace {

using Qos4 = std::array<std::uint32_t, 4>;
using Rates = std::array<double, 4>;

/// HP ports that write without pause at 250 MHz for 2 ms, which is 2000 MB/s of each: what they
/// get.
Rates write_rates(const Qos4& qos, const std::vector<unsigned>& ports) {
  constexpr std::uint64_t kEdges = 500'000;
  Zynq7000Params params = zynq7010();
  params.hp_qos = qos;
  params.ddrc.check_commands = 1;
  Zynq7000 zynq(params);
  std::vector<std::unique_ptr<HpMaster>> masters;
  for (const unsigned port : ports) {
    masters.push_back(std::make_unique<HpMaster>(zynq.afi(port), MasterParams{}));
    masters.back()->start({}, {(port + 1U) * (16ULL << 20U) + port * 4096U, 16ULL << 20U});
  }
  const Clock pl(250.0);
  for (std::uint64_t edge = 1; edge <= kEdges; ++edge) {
    zynq.advance_to(pl.time_ps(edge));
    for (auto& master : masters) master->pl_edge();
  }
  Rates rates{};
  const Statistics s = zynq.statistics();
  for (unsigned port = 0; port < 4; ++port)
    rates[port] = static_cast<double>(s.hp_write_bytes[port]) / 2e3;
  return rates;
}

// Two ports that ask for 4000 of the 2843 that their port of the controller takes.
TEST(Qos, TheHigherOneOfAPairHasWhatItAsksFor) {
  const Rates equal = write_rates({0, 0, 0, 0}, {0, 1});
  EXPECT_NEAR(equal[0], equal[1], equal[0] * 0.02);
  EXPECT_LT(equal[0], 1500.0);
  const Rates first = write_rates({1, 0, 0, 0}, {0, 1});
  EXPECT_GT(first[0], 1900.0);
  EXPECT_LT(first[1], equal[1]);
  const Rates second = write_rates({0, 7, 0, 0}, {0, 1});
  EXPECT_GT(second[1], 1900.0);
  EXPECT_EQ(write_rates({5, 5, 0, 0}, {0, 1}), equal);
}

// Two pairs that ask for 5686 of the 3790 that enter the controller at most. Below 8 nothing of the
// QoS reaches the arbiter between them; from 8 on the urgent pair goes first.
TEST(Qos, OnlyTheMostSignificantBitReachesTheController) {
  const Rates none = write_rates({0, 0, 0, 0}, {0, 1, 2, 3});
  EXPECT_NEAR(none[0] + none[1], none[2] + none[3], 100.0);
  EXPECT_EQ(write_rates({7, 7, 0, 0}, {0, 1, 2, 3}), none);
  const Rates urgent = write_rates({8, 8, 0, 0}, {0, 1, 2, 3});
  EXPECT_GT(urgent[0] + urgent[1], 1.3 * (none[0] + none[1]));
  EXPECT_LT(urgent[2] + urgent[3], none[2] + none[3]);
}

/// Requests of two ports wait; which are granted?
TEST(Qos, AnUrgentRequestGoesBeforeOlderOnes) {
  DdrcParams params;
  params.command_latency_cycles = 0;
  DdriRequests requests;
  std::array<DdriPort, 4> ports{DdriPort(params, 0, requests), DdriPort(params, 1, requests),
                                DdriPort(params, 2, requests), DdriPort(params, 3, requests)};
  std::array<DdriPort*, 4> list{&ports[0], &ports[1], &ports[2], &ports[3]};
  for (const bool urgent : {false, true}) {
    DdriArbiter arbiter(params, requests);
    ports[1].read({0x1000, 4, 8}, {}, 0);
    (void)arbiter.arbitrate(list, 0, false, false);  // port 1 begins to age
    ports[3].read({0x2000, 4, 8}, {.urgent = urgent}, 0);
    EXPECT_EQ(arbiter.arbitrate(list, 1, true, true).port, urgent ? 3U : 1U);
    for (const unsigned port : {1U, 3U}) {
      bool failed = false;
      const DramRequest request = ports[port].grant_read(failed);
      ports[port].read_returned(request.burst, request.index);
      for (int word = 0; word < 4; ++word) ports[port].take_read_word();
    }
  }
}

TEST(Qos, IsCheckedAtConstruction) {
  Zynq7000Params params = zynq7010();
  params.hp_qos[2] = 16;
  EXPECT_THROW(Zynq7000{params}, std::invalid_argument);
}

}  // namespace
}  // namespace sluice::model
