// SPDX-License-Identifier: Apache-2.0
// The real RTL behind the protocol: what a driver in a virtual machine would do, without one.
#include <algorithm>

#include "card_fixture.hpp"
#include "sluice/cosim/served_designs.hpp"

namespace sluice::cosim {
namespace {

using wire::Command;

class CardTest : public CardFixture, public testing::WithParamInterface<unsigned> {
 protected:
  CardTest() : CardFixture(GetParam()) {}
};

TEST_P(CardTest, TheDesignIsBehindBarZero) {
  EXPECT_EQ(read32(HP_STRESS_PAGE_OFFSET + SL_DESIGN_PAGE_IDENTITY_OFFSET), kIdentity);
}

TEST_P(CardTest, WhereTheDesignHasNothingTheBusReadsOnes) {
  EXPECT_EQ(read32(0xff000), 0xffff'ffffu);
  write32(0xff000, 0);
  EXPECT_EQ(read32(HP_STRESS_PAGE_OFFSET + SL_DESIGN_PAGE_IDENTITY_OFFSET), kIdentity);
}

// As a processor's loads and stores: memcpy_toio() stores what is left of a block byte by byte.
TEST_P(CardTest, BytesToDoubleWordsAreRead) {
  constexpr uint32_t kPage = HP_STRESS_PAGE_OFFSET;
  const Bytes identity = pack(read32(kPage)), version = pack(read32(kPage + 4));
  const auto read = [&](uint32_t offset, uint32_t bytes) {
    const Bytes body =
        client.ask(Command::kRegionRead, pack(wire::RegionAccess{offset, 0, bytes})).body;
    return Bytes(body.begin() + sizeof(wire::RegionAccess), body.end());
  };
  for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(read(kPage + i, 1), Bytes{identity[i]});
  EXPECT_EQ(read(kPage + 2, 2), (Bytes{identity[2], identity[3]}));
  Bytes both = identity;
  both.insert(both.end(), version.begin(), version.end());
  EXPECT_EQ(read(kPage, 8), both);
}

TEST_P(CardTest, BytesToDoubleWordsAreWritten) {
  constexpr uint32_t kPacket = HP_STRESS_HP_SOURCE(0) + SL_STREAM_SOURCE_PACKET_BEATS_OFFSET;
  const auto write = [&](uint32_t offset, const Bytes& data) {
    const wire::RegionAccess access{offset, 0, static_cast<uint32_t>(data.size())};
    Bytes body = pack(access);
    body.insert(body.end(), data.begin(), data.end());
    EXPECT_EQ(client.ask(Command::kRegionWrite, body).error(), 0);
  };
  write32(kPacket, 0x665544);
  write(kPacket + 1, pack(uint8_t{0xab}));
  EXPECT_EQ(read32(kPacket), 0x66ab44u);
  write(kPacket, pack(uint16_t{0x1234}));
  EXPECT_EQ(read32(kPacket), 0x661234u);
  write(kPacket, pack(uint64_t{0x0077'8899'0000'0102}));  // the next word is the pause
  EXPECT_EQ(read32(kPacket), 0x102u);
  EXPECT_EQ(read32(kPacket + 4), 0x778899u);
}

TEST_P(CardTest, UnalignedAccessesAreRefused) {
  for (const wire::RegionAccess& access :
       {wire::RegionAccess{1, 0, 2}, wire::RegionAccess{2, 0, 4}, wire::RegionAccess{4, 0, 8},
        wire::RegionAccess{0, 0, 3}, wire::RegionAccess{0, 0, 16}})
    EXPECT_EQ(client.ask(Command::kRegionRead, pack(access)).error(), EINVAL);
}

TEST_P(CardTest, MemoryIsMovedThroughTheDesign) {
  ready();
  constexpr uint32_t kBytes = 10'000;
  const Bytes data = fill_ram(0x1000, kBytes);
  loop_back(kRam + 0x1000, kRam + 0x40000, kBytes);
  EXPECT_EQ(read32(kS2mm + 4) & kIoc, kIoc);
  EXPECT_EQ(ram_at(0x40000, kBytes), data);
  EXPECT_EQ(ram_at(0x40000 + kBytes, 4096), Bytes(4096)) << "behind the end";
  EXPECT_EQ(ram_at(0x40000 - 4096, 4096), Bytes(4096)) << "before the start";
}

TEST_P(CardTest, ALineThatRisesIsOneMessage) {
  ready();
  loop_back(kRam, kRam + 0x40000, 4096);
  EXPECT_EQ(events_of(events[0]), 1u) << "MM2S of port 0";
  EXPECT_EQ(events_of(events[1]), 1u) << "S2MM of port 0";
  for (unsigned line = 2; line < kLines; ++line) EXPECT_EQ(events_of(events[line]), 0u);
  write32(kMm2s + 4, kIoc);
  run();
  EXPECT_EQ(events_of(events[0]), 0u) << "cleared";
}

TEST_P(CardTest, ALineStillHighAfterAWriteIsSentAgain) {
  ready();
  loop_back(kRam, kRam + 0x40000, 4096);
  EXPECT_EQ(events_of(events[0]), 1u);
  write32(kMm2s, kRun);  // clears nothing
  EXPECT_EQ(events_of(events[0]), 1u);
}

TEST_P(CardTest, AMessageWaitsUntilItsVectorIsEnabled) {
  map_ram();
  enable_bus_master();
  loop_back(kRam, kRam + 0x40000, 4096);
  enable_vectors();
  enable_bus_master();
  EXPECT_EQ(events_of(events[1]), 1u);
}

TEST_P(CardTest, AMessageGoesOutAsSoonAsItsVectorIsEnabled) {
  map_ram();
  enable_bus_master();
  loop_back(kRam, kRam + 0x40000, 4096);
  enable_vectors();
  card.run(1);
  EXPECT_EQ(events_of(events[0]), 1u);
  EXPECT_EQ(events_of(events[1]), 1u);
}

// What a driver behind MSI-X does: it looks at a channel only when a message has come, clears what
// it saw, and starts the next transfer then. One message lost, and that channel stands for ever.
TEST_P(CardTest, NoEventIsLostToHandlersThatSeeMessagesAlone) {
  ready();
  std::mt19937_64 random(test_seed());
  constexpr unsigned kPorts = 2;
  constexpr unsigned kTransfers = 60;  // a channel
  std::array<unsigned, 2 * kPorts> done{};
  const auto channel = [](unsigned line) {
    return HP_STRESS_HP_DMA(line / 2) + line % 2 * SL_AXI_DMA_S2MM_DMACR_OFFSET;
  };
  const auto start = [&](unsigned line) {
    write32(channel(line) + 0x18, kRam + line * 0x10000);
    write32(channel(line) + 0x28, 8 * (1 + line / 2));
  };
  for (unsigned port = 0; port < kPorts; ++port)
    write32(HP_STRESS_HP_CONTROL(port) + SL_HP_LANE_ROUTE_OFFSET, SL_HP_LANE_ROUTE_LOOPBACK_MASK);
  for (unsigned line = 0; line < done.size(); ++line) {
    write32(channel(line), kRun);
    start(line);
  }
  const auto finished = [&] { return *std::min_element(done.begin(), done.end()) >= kTransfers; };
  for (unsigned rounds = 0; rounds < 100'000 && !finished(); ++rounds) {
    card.run(1 + static_cast<unsigned>(random() % 60));
    const auto line = static_cast<unsigned>(random() % done.size());
    if (events_of(events[line]) == 0) continue;
    const uint32_t seen = read32(channel(line) + 4);
    if ((seen & kIoc) == 0) continue;  // called for nothing
    card.run(static_cast<unsigned>(random() % 40));
    write32(channel(line) + 4, seen & kIoc);
    ++done[line];
    start(line);
  }
  for (const unsigned transfers : done) EXPECT_GE(transfers, kTransfers);
}

TEST_P(CardTest, WhoIsNotMasterOfTheBusReachesNothing) {
  map_ram();
  enable_vectors();
  const Bytes data = fill_ram(0x40000, 4096);
  loop_back(kRam, kRam + 0x40000, 4096);
  EXPECT_NE(read32(kMm2s + 4) & kDecodeError, 0u);
  EXPECT_EQ(ram_at(0x40000, 4096), data);
  EXPECT_EQ(events_of(events[0]), 0u);
}

TEST_P(CardTest, MemoryThatIsNotMappedIsADecodeError) {
  ready();
  loop_back(kRam + kRam_bytes - 2048, kRam, 4096);
  EXPECT_NE(read32(kMm2s + 4) & kDecodeError, 0u);
  EXPECT_EQ(events_of(events[0]), 1u);
}

TEST_P(CardTest, MemoryThatMayOnlyBeReadIsNotWritten) {
  map_ram(wire::kMapRead);
  enable_vectors();
  enable_bus_master();
  const Bytes data = fill_ram(0x40000, 4096);
  loop_back(kRam, kRam + 0x40000, 4096);
  EXPECT_EQ(read32(kMm2s + 4) & kDecodeError, 0u);
  EXPECT_NE(read32(kS2mm + 4) & kDecodeError, 0u);
  EXPECT_EQ(ram_at(0x40000, 4096), data);
}

TEST_P(CardTest, AResetInTheMiddleLeavesACardThatWorks) {
  ready();
  const Bytes data = fill_ram(0, 65536);
  loop_back(kRam, kRam + 0x40000, 65536);
  write32(kMm2s + 0x18, kRam);
  write32(kMm2s + 0x28, 65536);
  card.run(500);
  ASSERT_EQ(client.ask(Command::kDeviceReset, {}).error(), 0);
  EXPECT_EQ(read32(kMm2s + 4) & 1u, 1u) << "halted";
  run();
  enable_bus_master();
  loop_back(kRam, kRam + 0x80000, 65536);
  EXPECT_EQ(ram_at(0x80000, 65536), data);
}

TEST_P(CardTest, NothingMovesInTheEnd) {
  ready();
  loop_back(kRam, kRam + 0x40000, 4096);
  const uint64_t before = card.cycles();
  EXPECT_FALSE(card.run(100'000));
  EXPECT_LE(card.cycles() - before, 4096u);
}

INSTANTIATE_TEST_SUITE_P(Width, CardTest, testing::Values(32u, 64u),
                         [](const auto& test) { return std::to_string(test.param); });

// Page of every design at the same place: regs/sl_design_page.rdl.
TEST(CardDesigns, WhateverTheCatalogueHasForHpPortsIsServed) {
  const auto ports_of = [](Card& card) {
    uint32_t config = 0;
    EXPECT_TRUE(card.read(VFIO_PCI_BAR0_REGION_INDEX,
                          HP_STRESS_PAGE_OFFSET + SL_DESIGN_PAGE_CONFIG_OFFSET,
                          std::as_writable_bytes(std::span(&config, 1))));
    return (config & SL_DESIGN_PAGE_CONFIG_NUM_PORTS_MASK) >> SL_DESIGN_PAGE_CONFIG_NUM_PORTS_SHIFT;
  };
  ASSERT_FALSE(served_designs().empty());
  for (const auto& [name, served] : served_designs()) {
    SCOPED_TRACE(name);
    if (served.on_card) continue;  // pcie_design_card_test.cpp
    for (const unsigned width : served.widths_bits) {
      HpCard card(make_served_design(name, width), width);
      EXPECT_GE(ports_of(card), 1u);
      EXPECT_LE(ports_of(card), card.ports());
      EXPECT_THROW(make_served_design(name, width, 99), std::invalid_argument);
    }
    EXPECT_THROW(make_served_design(name, 48), std::invalid_argument);
  }
  EXPECT_THROW(make_served_design("zynq7010/nothing", 64), std::invalid_argument);
  if (served_designs().contains("zynq7010/dma_loopback")) {
    HpCard card(make_served_design("zynq7010/dma_loopback", 64, 1), 64);
    EXPECT_EQ(ports_of(card), 1u);
  }
}

TEST(CardLimits, WhatCannotBeIsRefused) {
  EXPECT_THROW(HpCard(hp_stress(64), 128), std::invalid_argument);
}

}  // namespace
}  // namespace sluice::cosim
