// SPDX-License-Identifier: Apache-2.0
// A card's designs as a virtual machine's bus has them: DMA into its memory, by file and by
// message, interrupts, BARs, resets. Numbers of registers are PG195's.
#include "sluice/cosim/pcie_design_card.hpp"

#include <gtest/gtest.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>

#include <array>
#include <memory>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "pcie_card_fixture.hpp"
#include "seed.hpp"
#include "sluice/cosim/served_designs.hpp"

namespace sluice::cosim {
namespace {

constexpr uint64_t kRam = 0x1'0000'0000;  // beyond 32 bits
constexpr uint64_t kRam_bytes = uint64_t{1} << 20;
constexpr uint64_t kPeer = 0xfe'0000'0000;  // memory without a file
constexpr uint64_t kPeer_bytes = uint64_t{64} << 10;
constexpr unsigned kMemoryBar = 2;
constexpr unsigned kVectors = 2;

constexpr uint32_t kH2c = 0x0000, kC2h = 0x1000, kIrq = 0x2000, kFirst = 0x4080, kDesc = 32;
constexpr uint32_t kRun = 1, kNotes = 0xfffffe;
constexpr uint32_t kMagic = 0xad4b'0000, kStop = 1, kCompleted = 2;

class PcieDesignCardTest : public PcieCardFixture {
 protected:
  PcieDesignCardTest() : PcieCardFixture("pcie/xdma") {}

  void SetUp() override {
    client.hello();
    std::mt19937_64 random(test_seed());
    for (std::byte& byte : peer) byte = static_cast<std::byte>(random());
    Bytes data(kRam_bytes);
    for (std::byte& byte : data) byte = static_cast<std::byte>(random());
    put_ram(0, data);
    map(kRam, kRam_bytes, &ram);
    map(kPeer, kPeer_bytes, nullptr);
    enable_vectors(kVectors);
    configure(PCI_COMMAND, uint16_t{PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER});
    enable_msix();
    // Channel n of a direction has vector n of H2C first, then C2H.
    write32(kIrq + 0xa0, 0x0000'0100);
    write32(kIrq + 0x10, 3);
  }

  // ---- as a driver

  void map(uint64_t address, uint64_t size, const File* file) {
    const wire::DmaMap body{.argsz = sizeof(wire::DmaMap),
                            .flags = wire::kMapRead | wire::kMapWrite,
                            .offset = 0,
                            .address = address,
                            .size = size};
    std::vector<int> files;
    if (file != nullptr) files.push_back(file->get());
    ASSERT_EQ(client.ask(wire::Command::kDmaMap, pack(body), files).error(), 0);
  }
  template <typename T>
  T configuration(uint64_t offset) {
    return read<T>(VFIO_PCI_CONFIG_REGION_INDEX, offset);
  }
  uint64_t capability(uint8_t id) {
    auto at = configuration<uint8_t>(PCI_CAPABILITY_LIST);
    while (at != 0 && configuration<uint8_t>(at) != id)
      at = configuration<uint8_t>(at + PCI_CAP_LIST_NEXT);
    EXPECT_NE(at, 0);
    return at;
  }
  void enable_msix() {
    configure(capability(PCI_CAP_ID_MSIX) + PCI_MSIX_FLAGS, uint16_t{PCI_MSIX_FLAGS_ENABLE});
  }
  uint32_t read32(uint32_t offset) { return read<uint32_t>(0, offset); }
  void write32(uint32_t offset, uint32_t value) {
    client.ask(wire::Command::kRegionWrite, pack(wire::RegionAccess{offset, 0, 4}, value));
  }
  Bytes card_memory(uint64_t offset, uint32_t bytes) {
    return read_region(kMemoryBar, offset, bytes);
  }
  void put_card_memory(uint64_t offset, const Bytes& data) {
    const wire::RegionAccess access{offset, kMemoryBar, static_cast<uint32_t>(data.size())};
    ASSERT_EQ(client.ask(wire::Command::kRegionWrite, pack(access) + data).error(), 0);
  }

  Bytes ram_at(uint64_t offset, std::size_t bytes) const {
    Bytes data(bytes);
    EXPECT_EQ(::pread(ram.get(), data.data(), bytes, static_cast<off_t>(offset)),
              static_cast<ssize_t>(bytes));
    return data;
  }
  void put_ram(uint64_t offset, const Bytes& data) const {
    EXPECT_EQ(::pwrite(ram.get(), data.data(), data.size(), static_cast<off_t>(offset)),
              static_cast<ssize_t>(data.size()));
  }
  Bytes peer_at(uint64_t offset, std::size_t bytes) const {
    const auto from = peer.begin() + static_cast<std::ptrdiff_t>(offset);
    return {from, from + static_cast<std::ptrdiff_t>(bytes)};
  }

  // One descriptor, at the end of RAM, and the channel's start.
  void start(uint32_t channel, uint64_t from, uint64_t to, uint32_t bytes) {
    const uint64_t at = kRam_bytes - kDesc;
    put_ram(at, pack(kMagic | kStop | kCompleted, bytes, from, to, uint64_t{0}));
    write32(channel + kFirst, static_cast<uint32_t>(kRam + at));
    write32(channel + kFirst + 4, static_cast<uint32_t>((kRam + at) >> 32));
    write32(channel + kFirst + 8, 0);
    write32(channel + 0x90, kNotes);
    write32(channel + 0x04, kRun | kNotes);
  }
  // The card's messages go to the peer.
  bool host_read(uint64_t address, std::span<std::byte> data) override {
    ++messages;
    if (!in_peer(address, data.size())) return false;
    std::memcpy(data.data(), peer.data() + (address - kPeer), data.size());
    return true;
  }
  bool host_write(uint64_t address, std::span<const std::byte> data) override {
    ++messages;
    if (!in_peer(address, data.size())) return false;
    std::memcpy(peer.data() + (address - kPeer), data.data(), data.size());
    return true;
  }
  bool in_peer(uint64_t address, uint64_t bytes) const {
    const uint64_t at = address - kPeer;
    return !refuses && at < kPeer_bytes && bytes <= kPeer_bytes - at;
  }

  File ram = memory_file(kRam_bytes);
  Bytes peer = Bytes(kPeer_bytes);
  bool refuses = false;
  unsigned messages = 0;  // of the card
};

TEST_F(PcieDesignCardTest, SaysWhatItIs) {
  EXPECT_EQ(configuration<uint32_t>(PCI_VENDOR_ID), 0x9038'10eeu);
  EXPECT_EQ(read32(kH2c) >> 16, 0x1fc0u);
  EXPECT_EQ(read32(kC2h) >> 16, 0x1fc1u);
  EXPECT_EQ(read32(kIrq) >> 16, 0x1fc2u);
  EXPECT_EQ(read32(0x3000) >> 16, 0x1fc3u);
  const uint64_t msix = capability(PCI_CAP_ID_MSIX);
  EXPECT_EQ(configuration<uint32_t>(msix + PCI_MSIX_TABLE), 0x8000u);
  EXPECT_EQ(configuration<uint32_t>(msix + PCI_MSIX_PBA), 0x8fe0u);
}

TEST_F(PcieDesignCardTest, MovesDataThereAndBack) {
  const uint32_t bytes = 10'000;
  start(kH2c, kRam + 77, 5000, bytes);
  run();
  EXPECT_EQ(read32(kH2c + 0x48), 1u);
  EXPECT_EQ(card_memory(5000, bytes), ram_at(77, bytes));
  EXPECT_EQ(events_of(events[0]), 1u);
  start(kC2h, 5000, kRam + 300'001, bytes);
  run();
  EXPECT_EQ(ram_at(300'001, bytes), ram_at(77, bytes));
  EXPECT_EQ(events_of(events[0]), 0u);
  EXPECT_EQ(events_of(events[1]), 1u);
  EXPECT_EQ(messages, 0u);
}

TEST_F(PcieDesignCardTest, MemoryWithoutAFileIsReachedByMessages) {
  const uint32_t bytes = 9000;
  start(kH2c, kPeer + 13, 64, bytes);
  // While they are out, registers are answered.
  card->run(2000);
  EXPECT_EQ(read32(kH2c + 0x40) & 1, 1u);
  run();
  EXPECT_EQ(card_memory(64, bytes), peer_at(13, bytes));
  EXPECT_EQ(events_of(events[0]), 1u);
  start(kC2h, 64, kPeer + 30'000, bytes);
  card->run(2000);
  EXPECT_EQ(read32(kC2h + 0x48), 0u) << "not done before it is answered";
  EXPECT_EQ(events_of(events[1]), 0u);
  run();
  EXPECT_EQ(read32(kC2h + 0x48), 1u);
  EXPECT_EQ(events_of(events[1]), 1u);
  EXPECT_EQ(peer_at(30'000, bytes), peer_at(13, bytes));
  EXPECT_GE(messages, 2 * bytes / 4096);
}

TEST_F(PcieDesignCardTest, ReadsThatFailAreToldOf) {
  refuses = true;
  start(kH2c, kPeer, 0, 64);
  run();
  EXPECT_NE(read32(kH2c + 0x40) >> 9 & 0x1f, 0u);
  EXPECT_EQ(read32(kH2c + 0x48), 0u);
  write32(kH2c + 0x04, 0);
  read32(kH2c + 0x44);
  start(kH2c, kRam - 4096, 0, 64);  // where nothing is
  run();
  EXPECT_NE(read32(kH2c + 0x40) >> 9 & 0x1f, 0u);
  write32(kH2c + 0x04, 0);
  read32(kH2c + 0x44);
  start(kH2c, kRam, 0, 64);
  run();
  EXPECT_EQ(card_memory(0, 64), ram_at(0, 64));
}

TEST_F(PcieDesignCardTest, CardMemoryTakesAccessesOfAnySize) {
  std::mt19937 random(static_cast<uint32_t>(test_seed()));
  Bytes copy(8192);
  put_card_memory(0, copy);
  for (unsigned i = 0; i < 200; ++i) {
    const uint64_t at = random() % 8000;
    Bytes data(1 + random() % std::min<uint64_t>(i % 2 == 0 ? 8 : 3000, 8192 - at));
    for (std::byte& byte : data) byte = static_cast<std::byte>(random());
    put_card_memory(at, data);
    std::copy(data.begin(), data.end(), copy.begin() + static_cast<std::ptrdiff_t>(at));
  }
  EXPECT_EQ(card_memory(0, 8192), copy);
  EXPECT_EQ(read<uint16_t>(kMemoryBar, 17),
            static_cast<uint16_t>(std::to_integer<unsigned>(copy[17]) |
                                  std::to_integer<unsigned>(copy[18]) << 8));
}

TEST_F(PcieDesignCardTest, NothingLeavesBeforeItIsBusMaster) {
  configure(PCI_COMMAND, uint16_t{PCI_COMMAND_MEMORY});
  start(kC2h, 0, kRam, 64);
  const Bytes before = ram_at(0, 64);
  run();
  EXPECT_EQ(ram_at(0, 64), before);
  EXPECT_EQ(events_of(events[1]), 0u);
}

TEST_F(PcieDesignCardTest, AResetIsAsPowerOnWhateverIsUnderWay) {
  for (const bool by_driver : {false, true}) {
    SCOPED_TRACE(by_driver);
    start(kH2c, kPeer, 0, 16'384);
    card->run(500);
    ASSERT_NE(read32(kH2c + 0x40) & 1, 0u);
    if (by_driver)
      configure(capability(PCI_CAP_ID_EXP) + PCI_EXP_DEVCTL, uint16_t{PCI_EXP_DEVCTL_BCR_FLR});
    else
      ASSERT_EQ(client.ask(wire::Command::kDeviceReset, {}).error(), 0);
    // Answers to what was asked before come after it, and do nothing.
    run();
    EXPECT_EQ(configuration<uint16_t>(PCI_COMMAND), 0u);
    EXPECT_EQ(read32(kH2c + 0x04), 0u);
    EXPECT_EQ(read32(kH2c + 0x40), 0u);
    configure(PCI_COMMAND, uint16_t{PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER});
    enable_msix();
    write32(kIrq + 0xa0, 0x0000'0100);
    write32(kIrq + 0x10, 3);
    start(kH2c, kPeer + 100, 0, 5000);
    run();
    EXPECT_EQ(card_memory(0, 5000), peer_at(100, 5000));
    EXPECT_EQ(events_of(events[0]), 1u);
    write32(kH2c + 0x04, 0);
  }
}

TEST_F(PcieDesignCardTest, AnswersFailOnCommand) {
  constexpr uint32_t kReadErrors = 0x1f << 9, kWriteErrors = 0x1f << 14;
  struct Case {
    ResponseFault fault;
    uint32_t channel;
    uint32_t errors;  // of STATUS
  };
  const model::Response slverr = model::Response::slverr, decerr = model::Response::decerr;
  const std::vector<Case> cases{
      {{.port = 0, .write = false, .response = slverr, .skip = 20}, kH2c, kReadErrors},
      {{.port = 1, .write = true, .response = decerr, .address = 4100}, kH2c, kWriteErrors},
      {{.port = 1, .write = false, .response = slverr, .address = 4100}, kC2h, kReadErrors},
      {{.port = 0, .write = true, .response = slverr, .skip = 30}, kC2h, kWriteErrors},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(testing::Message() << each.fault.port << each.fault.write);
    const unsigned id = card->arm(each.fault);
    const uint64_t from = each.channel == kH2c ? kRam : 0, to = each.channel == kH2c ? 0 : kRam;
    start(each.channel, from, to, 8192);
    run();
    EXPECT_NE(read32(each.channel + 0x40) & each.errors, 0u);
    EXPECT_EQ(read32(each.channel + 0x48), 0u);
    EXPECT_EQ(card->faults().back().hits, 1u);
    EXPECT_TRUE(card->clear(id));
    write32(each.channel + 0x04, 0);
    read32(each.channel + 0x44);
    start(each.channel, from, to, 8192);
    run();
    EXPECT_EQ(read32(each.channel + 0x48), 1u);
    EXPECT_EQ(card_memory(0, 8192), ram_at(0, 8192));
    write32(each.channel + 0x04, 0);
  }
}

TEST_F(PcieDesignCardTest, ChannelsStandStillAndGoOnOnCommand) {
  std::mt19937 random(static_cast<uint32_t>(test_seed()));
  for (unsigned turn = 0; turn < 20; ++turn) {
    const unsigned port = turn % 2;
    const auto channel = static_cast<Channel>(turn / 2 % kChannelNames.size());
    // Of the host's port a C2H transfer writes, of the card's it reads.
    const bool writes = channel == Channel::aw || channel == Channel::w || channel == Channel::b;
    const uint32_t engine = (port == 0) == writes ? kC2h : kH2c;
    const bool first = channel == Channel::r || channel == Channel::w;
    SCOPED_TRACE(testing::Message() << port << kChannelNames[index(channel)]);
    const uint64_t skip = random() % (first ? 500 : 30);
    const unsigned id = card->arm(StuckFault{.port = port, .channel = channel, .skip = skip});
    const uint64_t at = 16 * (random() % 1000);
    const bool h2c = engine == kH2c;
    start(engine, h2c ? kRam + at : 0, h2c ? 0 : kRam + at, 9000);
    card->pass(5000);
    EXPECT_EQ(read32(engine + 0x48), 0u);
    EXPECT_TRUE(card->clear(id));
    run();
    EXPECT_EQ(read32(engine + 0x48), 1u);
    EXPECT_EQ(card_memory(0, 9000), ram_at(at, 9000));
    write32(engine + 0x04, 0);
  }
}

// What was given up is answered later, and is nobody's.
TEST_F(PcieDesignCardTest, AccessesThatAreNotAnsweredLeaveNoTrace) {
  put_card_memory(0, Bytes(64, std::byte{0x11}));
  for (const Channel channel : {Channel::ar, Channel::w, Channel::b}) {
    SCOPED_TRACE(kChannelNames[index(channel)]);
    const unsigned id = card->arm(StuckFault{.port = 1, .channel = channel});
    if (channel == Channel::ar)
      EXPECT_EQ(card_memory(0, 200), Bytes(200, std::byte{0xff}));
    else
      put_card_memory(0, Bytes(64, std::byte{0x11}));
    const bool control_waits = read32(kC2h) == ~0u;
    EXPECT_TRUE(card->clear(id));
    for (const uint32_t at : {kH2c, kC2h, kIrq, 0x3000u, kH2c})
      EXPECT_EQ(read32(at) >> 16, 0x1fc0u + (at >> 12)) << control_waits;
    EXPECT_EQ(card_memory(0, 64), Bytes(64, std::byte{0x11}));
    put_card_memory(100, Bytes(4, std::byte{0x22}));
    EXPECT_EQ(card_memory(100, 4), Bytes(4, std::byte{0x22}));
    run();
  }
}

TEST_F(PcieDesignCardTest, AMessageComesTwiceOnCommandAndNotOftener) {
  card->arm(InterruptFault{.line = 0, .twice = true, .messages = 3});
  for (const uint64_t expected : {2u, 2u, 2u, 1u}) {
    start(kH2c, kRam, 0, 64);
    run();
    EXPECT_EQ(events_of(events[0]), expected);
    write32(kH2c + 0x04, 0);
  }
}

TEST_F(PcieDesignCardTest, AWriteHasLeftWhenAllOfItWasAnswered) {
  start(kC2h, 0, kPeer, 4096);
  card->run(5000);
  std::vector<Answer> asked;
  while (const auto one = client.receive_request()) asked.push_back(*one);
  ASSERT_GT(asked.size(), 1u);
  for (auto one = asked.rbegin(); one + 1 != asked.rend(); ++one) answer(*one);
  EXPECT_TRUE(client.server->serve(0));
  card->run(5000);
  EXPECT_EQ(read32(kC2h + 0x48), 0u);
  answer(asked.front());
  EXPECT_TRUE(client.server->serve(0));
  run();
  EXPECT_EQ(read32(kC2h + 0x48), 1u);
}

TEST_F(PcieDesignCardTest, RemovedItReadsOnesAndMovesNothing) {
  const unsigned id = card->arm(RemovedFault{});
  EXPECT_EQ(read32(kH2c), ~0u);
  EXPECT_EQ(configuration<uint16_t>(PCI_VENDOR_ID), 0xffffu);
  EXPECT_EQ(card_memory(0, 4), Bytes(4, std::byte{0xff}));
  EXPECT_TRUE(card->clear(id));
  EXPECT_EQ(read32(kH2c) >> 16, 0x1fc0u);
}

TEST_F(PcieDesignCardTest, AMessageWithoutAnEventWaitsForOne) {
  const uint32_t flags = VFIO_IRQ_SET_ACTION_TRIGGER | VFIO_IRQ_SET_DATA_EVENTFD;
  const Bytes none =
      pack(uint32_t{sizeof(vfio_irq_set)}, flags, uint32_t{VFIO_PCI_MSIX_IRQ_INDEX}, 0u, 2u);
  ASSERT_EQ(client.ask(wire::Command::kDeviceSetIrqs, none).error(), 0);
  start(kH2c, kRam, 0, 64);
  run();
  EXPECT_EQ(card_memory(0, 64), ram_at(0, 64));
  events.clear();
  enable_vectors(kVectors);
  run();
  EXPECT_EQ(events_of(events[0]), 1u);
}

TEST(PcieDesignCards, EveryDesignIsServedInEveryWidth) {
  unsigned found = 0;
  for (const auto& [name, served] : served_designs()) {
    if (!served.on_card) continue;
    ++found;
    for (const unsigned width : served.widths_bits) {
      SCOPED_TRACE(name + " " + std::to_string(width));
      const auto card =
          make_served_card(name, {.width_bits = width, .vendor = 0x1172, .device = 4});
      uint32_t id = 0;
      EXPECT_TRUE(
          card->read(VFIO_PCI_CONFIG_REGION_INDEX, 0, std::as_writable_bytes(std::span(&id, 1))));
      EXPECT_EQ(id, 0x0004'1172u);
      uint32_t word = 0x1234'5678, back = 0;
      EXPECT_TRUE(card->write(kMemoryBar, 4096, std::as_bytes(std::span(&word, 1))));
      EXPECT_TRUE(card->read(kMemoryBar, 4096, std::as_writable_bytes(std::span(&back, 1))));
      EXPECT_EQ(back, word);
    }
    EXPECT_THROW(make_served_card(name, {.width_bits = 48}), std::invalid_argument);
    EXPECT_THROW(make_served_card(name, {.ports = 1}), std::invalid_argument);
    EXPECT_THROW(make_served_design(name, 256), std::invalid_argument);
  }
  EXPECT_GE(found, 3u);
  EXPECT_THROW(make_served_card("zynq7010/hp_stress", {.vendor = 1}), std::invalid_argument);
}

}  // namespace
}  // namespace sluice::cosim
