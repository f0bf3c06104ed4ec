// SPDX-License-Identifier: Apache-2.0
// PcieAxi at the pins of its host port: reads that fail beside reads that do not.
#include "sluice/model/pcie_axi.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "seed.hpp"
#include "sluice/model/pcie_link.hpp"

namespace sluice::model {
namespace {

class NoControl final : public PcieControl {
 public:
  void begin_write(std::uint32_t, std::uint32_t, std::uint8_t) override {}
  void begin_read(std::uint32_t) override {}
  bool answered(std::uint32_t&, Response&) override { return false; }
};

// A link and the bridge on it.
struct Card {
  Card(const PcieParams& params, unsigned width_bytes)
      : bridge(params.max_payload, width_bytes, control), link(params, bridge) {
    bridge.connect(link);
  }
  NoControl control;
  PcieAxi bridge;
  PcieLink link;
};

TEST(PcieAxi, AFailedBurstLeavesOthersAlone) {
  constexpr unsigned kWidth = 64, kBeats = 16, kBursts = 300;  // of 1 KiB: two requests each
  PcieParams params = pcie_gen4x8();
  params.memory_bytes = 1U << 20U;
  Card card(params, kWidth);
  Memory& memory = card.link.root().memory();
  std::uint8_t* bytes = memory.host(params.memory_base, params.memory_bytes);
  std::mt19937 random(static_cast<std::uint32_t>(test_seed()));
  std::generate_n(bytes, params.memory_bytes, [&] { return static_cast<std::uint8_t>(random()); });
  memory.poison(params.memory_base, 512);

  Axi4Inputs in;
  Axi4Outputs out;
  in.rready = true;
  std::uint64_t now = 0;
  unsigned asked = 0, beats = 0, failed = 0;
  const auto offset = [](unsigned burst) { return burst % 3 == 0 ? 0U : burst % 1000U * 1024U; };
  while (beats < kBursts * kBeats) {
    ASSERT_LT(now, 1'000'000'000U);
    card.link.advance_to(now += 4000);
    const bool taken = in.arvalid && out.arready;
    if (out.rvalid) {
      const unsigned burst = beats / kBeats;
      const std::uint8_t* expected = bytes + offset(burst) + beats % kBeats * kWidth;
      if (out.rresp == 0) {
        ASSERT_EQ(std::memcmp(out.rdata.data(), expected, kWidth), 0) << burst;
      } else {
        ASSERT_EQ(offset(burst), 0U) << burst;
        ++failed;
      }
      ++beats;
    }
    card.bridge.host_edge(in, out);
    asked += taken;
    in.arvalid = asked < kBursts;
    in.araddr = params.memory_base + offset(asked);
    in.arlen = kBeats - 1;
  }
  EXPECT_EQ(failed, kBursts / 3 * kBeats);
  card.link.advance_to(now + 100'000'000);
  EXPECT_TRUE(card.bridge.idle());
}

}  // namespace
}  // namespace sluice::model
