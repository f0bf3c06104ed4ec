// SPDX-License-Identifier: Apache-2.0
// What a card does wrong on command, as a client and its memory see it.
#include "sluice/cosim/faults.hpp"

#include <nlohmann/json.hpp>
#include <string>

#include "card_fixture.hpp"
#include "sluice/cosim/card_control.hpp"

namespace sluice::cosim {
namespace {

using nlohmann::json;
constexpr uint32_t kBytes = 4096;
constexpr uint32_t kTarget = 0x40000;  // of RAM
constexpr uint32_t kSlaveError = SL_AXI_DMA_MM2S_DMASR_DMASLVERR_MASK;
constexpr uint32_t kHalted = SL_AXI_DMA_MM2S_DMASR_HALTED_MASK;
constexpr uint32_t kResetBit = SL_AXI_DMA_MM2S_DMACR_RESET_MASK;

class FaultTest : public CardFixture, public testing::WithParamInterface<unsigned> {
 protected:
  FaultTest() : CardFixture(GetParam()) {}

  void SetUp() override {
    CardFixture::SetUp();
    ready();
    data = fill_ram(0, kBytes);
  }

  json ask(const json& request) { return json::parse(answer_control(card, request.dump())); }
  unsigned arm(json request) {
    request["do"] = "arm";
    const json answer = ask(request);
    EXPECT_TRUE(answer["ok"].get<bool>()) << answer;
    return answer.value("id", 0u);
  }
  void clear() { EXPECT_TRUE(ask({{"do", "clear"}})["ok"].get<bool>()); }
  uint64_t hits() { return ask({{"do", "status"}})["faults"][0]["hits"].get<uint64_t>(); }

  void loop_back() { CardFixture::loop_back(kRam, kRam + kTarget, kBytes); }
  void reset_engine() {
    write32(kMm2s, kResetBit);
    run();
    EXPECT_EQ(read32(kMm2s) & kResetBit, 0u);
  }
  // The card is as good as new.
  void expect_works() {
    reset_engine();
    const Bytes fresh = fill_ram(0x10000, kBytes);
    CardFixture::loop_back(kRam + 0x10000, kRam + 2 * kTarget, kBytes);
    EXPECT_EQ(ram_at(2 * kTarget, kBytes), fresh);
  }
  static unsigned beats() { return kBytes / (GetParam() / 8); }

  Bytes data;
};

TEST_P(FaultTest, AReadFailsOnItsBeatAndNoOther) {
  arm({{"fault", "error"},
       {"port", 0},
       {"direction", "read"},
       {"response", "slverr"},
       {"skip", beats()}});
  loop_back();
  EXPECT_EQ(read32(kMm2s + 4) & kSlaveError, 0u) << "one beat behind the end";
  EXPECT_EQ(ram_at(kTarget, kBytes), data);
  clear();
  arm({{"fault", "error"},
       {"port", 0},
       {"direction", "read"},
       {"response", "slverr"},
       {"skip", beats() - 1}});
  loop_back();
  EXPECT_NE(read32(kMm2s + 4) & kSlaveError, 0u) << "the last beat";
  EXPECT_EQ(hits(), 1u);
  expect_works();
}

TEST_P(FaultTest, AReadFailsAtItsAddress) {
  arm({{"fault", "error"},
       {"port", 0},
       {"direction", "read"},
       {"response", "decerr"},
       {"beats", 0},
       {"address", kRam + 2049}});
  loop_back();
  EXPECT_NE(read32(kMm2s + 4) & kDecodeError, 0u);
  EXPECT_EQ(hits(), 1u);
  EXPECT_EQ(events_of(events[0]), 1u);
}

TEST_P(FaultTest, AWriteFailsAsABurstAndDoesNothing) {
  arm({{"fault", "error"},
       {"port", 0},
       {"direction", "write"},
       {"response", "slverr"},
       {"address", kRam + kTarget + kBytes - 1}});
  loop_back();
  EXPECT_NE(read32(kS2mm + 4) & kSlaveError, 0u);
  EXPECT_EQ(hits(), 1u);
  const std::size_t burst = 16 * GetParam() / 8;
  EXPECT_EQ(ram_at(kTarget, kBytes - burst), Bytes(data.begin(), data.end() - burst));
  EXPECT_EQ(ram_at(kTarget + kBytes - burst, burst), Bytes(burst));
  expect_works();
}

TEST_P(FaultTest, AnErrorOfOnePortIsNoneOfAnother) {
  arm({{"fault", "error"}, {"port", 1}, {"direction", "read"}, {"response", "slverr"}});
  loop_back();
  EXPECT_EQ(ram_at(kTarget, kBytes), data);
  EXPECT_EQ(hits(), 0u);
}

TEST_P(FaultTest, AStuckChannelHoldsAfterSoManyHandshakesAndGoesOnWhenCleared) {
  for (std::size_t i = 0; i < kChannelNames.size(); ++i) {
    SCOPED_TRACE(kChannelNames[i]);
    const Channel channel = static_cast<Channel>(i);
    ASSERT_EQ(::pwrite(ram.get(), Bytes(kBytes).data(), kBytes, kTarget), ssize_t{kBytes});
    const uint64_t before = card.handshakes(0, channel);
    arm({{"fault", "stuck"}, {"port", 0}, {"channel", kChannelNames[i]}, {"skip", 3}});
    start_loop_back(kRam, kRam + kTarget, kBytes);
    EXPECT_TRUE(card.run(5000)) << "it waits, and so clocks go on";
    EXPECT_EQ(card.handshakes(0, channel) - before, 3u);
    EXPECT_EQ(read32(kS2mm + 4) & kIoc, 0u);
    clear();
    run();
    EXPECT_EQ(read32(kS2mm + 4) & kIoc, kIoc);
    EXPECT_EQ(ram_at(kTarget, kBytes), data);
    write32(kMm2s + 4, kIoc);
    write32(kS2mm + 4, kIoc);
  }
}

TEST_P(FaultTest, ARegisterReadsAsTold) {
  const unsigned id =
      arm({{"fault", "register"}, {"offset", kMm2s}, {"mask", kResetBit}, {"value", 0xffff'ffffu}});
  write32(kMm2s, kResetBit);
  run();
  EXPECT_EQ(read32(kMm2s) & kResetBit, kResetBit) << "a reset that never ends";
  EXPECT_EQ(read32(kMm2s + 4) & kHalted, kHalted);
  EXPECT_EQ(hits(), 1u);
  EXPECT_TRUE(ask({{"do", "clear"}, {"id", id}})["ok"].get<bool>());
  EXPECT_EQ(read32(kMm2s) & kResetBit, 0u);
}

TEST_P(FaultTest, AMessageIsLost) {
  arm({{"fault", "interrupt"}, {"line", 1}, {"how", "lost"}});
  loop_back();
  EXPECT_EQ(events_of(events[0]), 1u);
  EXPECT_EQ(events_of(events[1]), 0u);
  EXPECT_EQ(card.lines(), 3u);
  write32(kMm2s + 4, kIoc);
  EXPECT_EQ(events_of(events[1]), 1u) << "the line is high after a write";
}

TEST_P(FaultTest, AMessageComesTwice) {
  arm({{"fault", "interrupt"}, {"line", 0}, {"how", "twice"}});
  loop_back();
  EXPECT_EQ(events_of(events[0]), 1u);
  write32(kMm2s + 4, kIoc);
  EXPECT_EQ(events_of(events[0]), 1u) << "once more, with nothing to see";
  loop_back();
  EXPECT_EQ(events_of(events[0]), 1u);
  write32(kMm2s + 4, kIoc);
  EXPECT_EQ(events_of(events[0]), 0u) << "one message only was to be doubled";
}

TEST_P(FaultTest, AMessageComesUnasked) {
  EXPECT_TRUE(ask({{"do", "interrupt"}, {"line", 5}})["ok"].get<bool>());
  EXPECT_EQ(events_of(events[5]), 1u);
}

TEST_P(FaultTest, ACardThatIsRemovedReadsOnesAndDoesNothing) {
  arm({{"fault", "removed"}});
  EXPECT_EQ(read32(HP_STRESS_PAGE_OFFSET), 0xffff'ffffu);
  const wire::RegionAccess identity{0, VFIO_PCI_CONFIG_REGION_INDEX, 4};
  Answer answer = client.ask(wire::Command::kRegionRead, pack(identity));
  EXPECT_EQ(Bytes(answer.body.end() - 4, answer.body.end()), pack(~uint32_t{0}));
  loop_back();
  clear();
  EXPECT_EQ(read32(kS2mm + 4) & (kIoc | kHalted), kHalted) << "no write arrived";
  EXPECT_EQ(ram_at(kTarget, kBytes), Bytes(kBytes));
  expect_works();
}

TEST_P(FaultTest, ATransferUnderWayEndsWithTheRemoval) {
  write32(HP_STRESS_HP_CONTROL(0) + SL_HP_LANE_ROUTE_OFFSET, SL_HP_LANE_ROUTE_LOOPBACK_MASK);
  for (const uint32_t channel : {kS2mm, kMm2s}) {
    write32(channel, kRun);
    write32(channel + 0x18, channel == kS2mm ? kRam + kTarget : kRam);
    write32(channel + 0x28, 0x20000);
  }
  card.run(500);
  const uint64_t sent = card.messages();
  arm({{"fault", "removed"}});
  run();
  EXPECT_FALSE(card.run(100'000)) << "it comes to rest";
  EXPECT_EQ(card.messages(), sent);
  clear();
  EXPECT_NE(read32(kMm2s + 4) & kDecodeError, 0u);
  expect_works();
}

TEST_P(FaultTest, NeitherResetNorANewClientEndsAFault) {
  arm({{"fault", "register"}, {"offset", 0}, {"mask", 1}, {"value", 1}});
  card.reset();
  EXPECT_EQ(card.faults().size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Width, FaultTest, testing::Values(32u, 64u),
                         [](const auto& test) { return std::to_string(test.param); });

}  // namespace
}  // namespace sluice::cosim
