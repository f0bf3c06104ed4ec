// SPDX-License-Identifier: Apache-2.0
#include "sluice/cosim/config_space.hpp"

#include <gtest/gtest.h>
#include <linux/pci_regs.h>

#include <map>
#include <stdexcept>

namespace sluice::cosim {
namespace {

constexpr ConfigSpace::Identity kIdentity{.vendor = 0x1234,
                                          .device = 0x5678,
                                          .subsystem_vendor = 0x9abc,
                                          .subsystem = 0xdef0,
                                          .revision = 3,
                                          .class_code = 0x12'0000};
const std::vector<ConfigSpace::Bar> kBars{{.number = 0, .bytes = uint64_t{1} << 20},
                                          {.number = 4, .bytes = 8192}};
constexpr ConfigSpace::MsiX kMsix{
    .vectors = 64, .bar = 4, .table_offset = 0, .pending_offset = 0x1000};

struct ConfigSpaceTest : testing::Test {
  ConfigSpace space{kIdentity, kBars, kMsix};

  template <typename T = uint32_t>
  T get(uint64_t offset) const {
    T value{};
    space.read(offset, std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }
  template <typename T>
  void set(uint64_t offset, T value) {
    space.write(offset, std::as_bytes(std::span(&value, 1)));
  }
  // As an operating system finds them: by the list.
  std::map<uint8_t, uint8_t> capabilities() const {
    std::map<uint8_t, uint8_t> found;
    for (auto at = get<uint8_t>(PCI_CAPABILITY_LIST); at != 0 && found.size() < 48;
         at = get<uint8_t>(at + PCI_CAP_LIST_NEXT))
      found[get<uint8_t>(at)] = at;
    return found;
  }
};

TEST_F(ConfigSpaceTest, AResetIsAskedForByTheDriver) {
  const auto control = static_cast<uint64_t>(capabilities().at(PCI_CAP_ID_EXP) + PCI_EXP_DEVCTL);
  EXPECT_FALSE(space.take_reset());
  set<uint16_t>(control, 0xffff & ~PCI_EXP_DEVCTL_BCR_FLR);
  EXPECT_FALSE(space.take_reset());
  set<uint16_t>(control, PCI_EXP_DEVCTL_BCR_FLR);
  EXPECT_EQ(get<uint16_t>(control) & PCI_EXP_DEVCTL_BCR_FLR, 0);
  EXPECT_TRUE(space.take_reset());
  EXPECT_FALSE(space.take_reset());
}

TEST_F(ConfigSpaceTest, SaysWhetherMsiXIsEnabled) {
  const auto flags = static_cast<uint64_t>(capabilities().at(PCI_CAP_ID_MSIX) + PCI_MSIX_FLAGS);
  EXPECT_FALSE(space.msix_enabled());
  set<uint16_t>(flags, PCI_MSIX_FLAGS_MASKALL);
  EXPECT_FALSE(space.msix_enabled());
  set<uint16_t>(flags, PCI_MSIX_FLAGS_ENABLE);
  EXPECT_TRUE(space.msix_enabled());
  space.reset();
  EXPECT_FALSE(space.msix_enabled());
}

TEST_F(ConfigSpaceTest, SaysWhoItIs) {
  EXPECT_EQ(get(PCI_VENDOR_ID), 0x5678'1234u);
  EXPECT_EQ(get(PCI_CLASS_REVISION), 0x1200'0003u);
  EXPECT_EQ(get(PCI_SUBSYSTEM_VENDOR_ID), 0xdef0'9abcu);
  EXPECT_EQ(get<uint8_t>(PCI_HEADER_TYPE), 0u);
}

TEST_F(ConfigSpaceTest, IdentityCannotBeWritten) {
  set<uint64_t>(0, ~uint64_t{0});
  EXPECT_EQ(get(PCI_VENDOR_ID), 0x5678'1234u);
}

TEST_F(ConfigSpaceTest, BarsAnswerOnesWithTheirSize) {
  for (unsigned offset = PCI_BASE_ADDRESS_0; offset <= PCI_BASE_ADDRESS_5; offset += 4)
    set(offset, 0xffff'ffffu);
  EXPECT_EQ(get(PCI_BASE_ADDRESS_0), 0xfff0'0004u) << "1 MiB, 64-bit memory";
  EXPECT_EQ(get(PCI_BASE_ADDRESS_1), 0xffff'ffffu);
  EXPECT_EQ(get(PCI_BASE_ADDRESS_2), 0u) << "none";
  EXPECT_EQ(get(PCI_BASE_ADDRESS_4), 0xffff'e004u) << "8 KiB";
  set(PCI_BASE_ADDRESS_0, 0x1234'5678u);
  EXPECT_EQ(get(PCI_BASE_ADDRESS_0), 0x1230'0004u);
}

TEST_F(ConfigSpaceTest, BytesAndWordsAreWrittenAlone) {
  set<uint8_t>(PCI_BASE_ADDRESS_0 + 3, 0xab);
  EXPECT_EQ(get(PCI_BASE_ADDRESS_0), 0xab00'0004u);
}

TEST_F(ConfigSpaceTest, MasteringTheBusIsSeen) {
  EXPECT_FALSE(space.bus_master());
  set<uint16_t>(PCI_COMMAND, 0xffff);
  EXPECT_EQ(get<uint16_t>(PCI_COMMAND),
            PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_INTX_DISABLE);
  EXPECT_TRUE(space.bus_master());
  space.reset();
  EXPECT_FALSE(space.bus_master());
}

TEST_F(ConfigSpaceTest, TheListHoldsPowerExpressAndMsiX) {
  EXPECT_NE(get<uint16_t>(PCI_STATUS) & PCI_STATUS_CAP_LIST, 0);
  const auto found = capabilities();
  ASSERT_EQ(found.size(), 3u);
  const unsigned express = found.at(PCI_CAP_ID_EXP);
  EXPECT_EQ(get<uint16_t>(express + PCI_EXP_FLAGS) & PCI_EXP_FLAGS_TYPE,
            PCI_EXP_TYPE_ENDPOINT << 4);
  EXPECT_NE(get(express + PCI_EXP_DEVCAP) & PCI_EXP_DEVCAP_FLR, 0u);
  const unsigned msix = found.at(PCI_CAP_ID_MSIX);
  EXPECT_EQ(get<uint16_t>(msix + PCI_MSIX_FLAGS), 63u);
  EXPECT_EQ(get(msix + PCI_MSIX_TABLE), 4u);
  EXPECT_EQ(get(msix + PCI_MSIX_PBA), 0x1004u);
  set<uint16_t>(msix + PCI_MSIX_FLAGS, 0xffff);
  EXPECT_EQ(get<uint16_t>(msix + PCI_MSIX_FLAGS), 0xc000u | 63u);
  EXPECT_TRUE(found.contains(PCI_CAP_ID_PM));
}

TEST(ConfigSpaceLimits, WhatCannotBeIsRefused) {
  using Bars = std::vector<ConfigSpace::Bar>;
  const auto make = [](const Bars& bars, const ConfigSpace::MsiX& msix) {
    ConfigSpace space(kIdentity, bars, msix);
  };
  auto msix = kMsix;
  EXPECT_THROW(make(Bars{{1, 4096}, {4, 8192}}, msix), std::invalid_argument);
  EXPECT_THROW(make(Bars{{6, 4096}, {4, 8192}}, msix), std::invalid_argument);
  EXPECT_THROW(make(Bars{{0, 4095}, {4, 8192}}, msix), std::invalid_argument);
  EXPECT_THROW(make(Bars{{0, 64}, {4, 8192}}, msix), std::invalid_argument);
  EXPECT_THROW(make(Bars{{4, 8192}, {4, 8192}}, msix), std::invalid_argument);
  EXPECT_THROW(make(Bars{{0, 8192}}, msix), std::invalid_argument);
  EXPECT_THROW(make(Bars{{4, 4096}}, msix), std::invalid_argument) << "pending bits outside";
  msix.vectors = 2049;
  EXPECT_THROW(make(kBars, msix), std::invalid_argument);
  msix.vectors = 0;
  EXPECT_THROW(make(kBars, msix), std::invalid_argument);
  msix = kMsix;
  msix.table_offset = 4;
  EXPECT_THROW(make(kBars, msix), std::invalid_argument);
}

}  // namespace
}  // namespace sluice::cosim
