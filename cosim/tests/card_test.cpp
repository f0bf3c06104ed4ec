// SPDX-License-Identifier: Apache-2.0
// The real RTL behind the protocol: what a driver in a virtual machine would do, without one.
#include "sluice/cosim/card.hpp"

#include <gtest/gtest.h>
#include <hp_stress.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "client.hpp"
#include "seed.hpp"
#include "sluice/sim/catalogue.hpp"

namespace sluice::cosim {
namespace {

using wire::Command;
constexpr uint64_t kRam = 0x4000'0000;  // where QEMU's machine `virt` has it
constexpr uint64_t kRam_bytes = uint64_t{1} << 20;
constexpr uint32_t kIdentity = 0x534c'4850;  // SLHP
constexpr uint32_t kMm2s = HP_STRESS_HP_DMA(0);
constexpr uint32_t kS2mm = HP_STRESS_HP_DMA(0) + SL_AXI_DMA_S2MM_DMACR_OFFSET;
constexpr unsigned kLines = 8;
constexpr uint32_t kRun = SL_AXI_DMA_MM2S_DMACR_RS_MASK | SL_AXI_DMA_MM2S_DMACR_IOC_IRQEN_MASK |
                          SL_AXI_DMA_MM2S_DMACR_ERR_IRQEN_MASK;
constexpr uint32_t kIoc = SL_AXI_DMA_MM2S_DMASR_IOC_IRQ_MASK;
constexpr uint32_t kDecodeError = SL_AXI_DMA_MM2S_DMASR_DMADECERR_MASK;

std::unique_ptr<sim::HpDesign> hp_stress(unsigned width_bits) {
  auto design = sim::catalogue().front().designs.front().make(width_bits);
  return std::unique_ptr<sim::HpDesign>(&dynamic_cast<sim::HpDesign&>(*design.release()));
}

class CardTest : public testing::TestWithParam<unsigned> {
 protected:
  Card card{hp_stress(GetParam()), GetParam()};
  Client client{card};
  File ram = memory_file(kRam_bytes);
  std::vector<File> events;

  CardTest() { card.attach(&*client.server); }
  ~CardTest() override { card.attach(nullptr); }

  void SetUp() override { client.hello(); }

  void map_ram(uint32_t flags = wire::kMapRead | wire::kMapWrite) {
    const std::array files{ram.get()};
    const wire::DmaMap map{.argsz = sizeof(wire::DmaMap),
                           .flags = flags,
                           .offset = 0,
                           .address = kRam,
                           .size = kRam_bytes};
    ASSERT_EQ(client.ask(Command::kDmaMap, pack(map), files).error(), 0);
  }
  void enable_vectors() {
    std::vector<int> files;
    for (unsigned i = 0; i < kLines; ++i) files.push_back(events.emplace_back(event()).get());
    const uint32_t flags = VFIO_IRQ_SET_ACTION_TRIGGER | VFIO_IRQ_SET_DATA_EVENTFD;
    const Bytes body = pack(uint32_t{sizeof(vfio_irq_set)}, flags,
                            uint32_t{VFIO_PCI_MSIX_IRQ_INDEX}, 0u, uint32_t{kLines});
    ASSERT_EQ(client.ask(Command::kDeviceSetIrqs, body, files).error(), 0);
  }
  void enable_bus_master() {
    const uint16_t command = PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;
    const wire::RegionAccess access{PCI_COMMAND, VFIO_PCI_CONFIG_REGION_INDEX, sizeof command};
    ASSERT_EQ(client.ask(Command::kRegionWrite, pack(access, command)).error(), 0);
  }
  void ready() {
    map_ram();
    enable_vectors();
    enable_bus_master();
  }

  uint32_t read32(uint32_t offset) {
    const Answer answer = client.ask(Command::kRegionRead, pack(wire::RegionAccess{offset, 0, 4}));
    uint32_t value = 0;
    EXPECT_EQ(answer.body.size(), sizeof(wire::RegionAccess) + sizeof value);
    std::memcpy(&value, answer.body.data() + sizeof(wire::RegionAccess), sizeof value);
    return value;
  }
  void write32(uint32_t offset, uint32_t value) {
    client.send_raw(Client::message(Command::kRegionWrite,
                                    pack(wire::RegionAccess{offset, 0, 4}, value), wire::kNoReply));
    EXPECT_TRUE(client.server->serve(0));
  }
  void run() {
    for (unsigned i = 0; i < 1000 && card.run(1000); ++i) {
    }
  }
  // Both channels of port 0 in loop-back, from one place in RAM to another.
  void loop_back(uint32_t from, uint32_t to, uint32_t bytes) {
    write32(HP_STRESS_HP_CONTROL(0) + SL_HP_LANE_ROUTE_OFFSET, SL_HP_LANE_ROUTE_LOOPBACK_MASK);
    write32(kS2mm, kRun);
    write32(kS2mm + 0x18, to);
    write32(kS2mm + 0x28, bytes);
    write32(kMm2s, kRun);
    write32(kMm2s + 0x18, from);
    write32(kMm2s + 0x28, bytes);
    run();
  }
  Bytes ram_at(uint64_t offset, std::size_t bytes) const {
    Bytes data(bytes);
    EXPECT_EQ(::pread(ram.get(), data.data(), bytes, static_cast<off_t>(offset)),
              static_cast<ssize_t>(bytes));
    return data;
  }
  Bytes fill_ram(uint64_t offset, std::size_t bytes) {
    Bytes data(bytes);
    std::mt19937_64 random(test_seed());
    for (std::byte& byte : data) byte = static_cast<std::byte>(random());
    EXPECT_EQ(::pwrite(ram.get(), data.data(), bytes, static_cast<off_t>(offset)),
              static_cast<ssize_t>(bytes));
    return data;
  }
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

TEST(CardLimits, WhatCannotBeIsRefused) {
  EXPECT_THROW(Card(hp_stress(64), 128), std::invalid_argument);
}

}  // namespace
}  // namespace sluice::cosim
