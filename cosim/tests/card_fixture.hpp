// SPDX-License-Identifier: Apache-2.0
// hp_stress as a card, with a client, its memory and its vectors.
#pragma once

#include <gtest/gtest.h>
#include <hp_stress.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>

#include <array>
#include <memory>
#include <random>
#include <vector>

#include "client.hpp"
#include "seed.hpp"
#include "sluice/cosim/hp_card.hpp"
#include "sluice/sim/catalogue.hpp"

namespace sluice::cosim {

inline constexpr uint64_t kRam = 0x4000'0000;  // where QEMU's machine `virt` has it
inline constexpr uint64_t kRam_bytes = uint64_t{1} << 20;
inline constexpr uint32_t kIdentity = 0x534c'4850;  // SLHP
inline constexpr uint32_t kMm2s = HP_STRESS_HP_DMA(0);
inline constexpr uint32_t kS2mm = HP_STRESS_HP_DMA(0) + SL_AXI_DMA_S2MM_DMACR_OFFSET;
inline constexpr unsigned kLines = 8;
inline constexpr uint32_t kRun = SL_AXI_DMA_MM2S_DMACR_RS_MASK |
                                 SL_AXI_DMA_MM2S_DMACR_IOC_IRQEN_MASK |
                                 SL_AXI_DMA_MM2S_DMACR_ERR_IRQEN_MASK;
inline constexpr uint32_t kIoc = SL_AXI_DMA_MM2S_DMASR_IOC_IRQ_MASK;
inline constexpr uint32_t kDecodeError = SL_AXI_DMA_MM2S_DMASR_DMADECERR_MASK;

inline std::unique_ptr<sim::HpDesign> hp_stress(unsigned width_bits) {
  auto design = sim::catalogue().front().designs.front().make(width_bits);
  return std::unique_ptr<sim::HpDesign>(&dynamic_cast<sim::HpDesign&>(*design.release()));
}

class CardFixture : public testing::Test {
 protected:
  explicit CardFixture(unsigned width_bits) : card(hp_stress(width_bits), width_bits) {
    card.attach(&*client.server);
  }
  ~CardFixture() override { card.attach(nullptr); }

  void SetUp() override { client.hello(); }

  HpCard card;
  Client client{card};
  File ram = memory_file(kRam_bytes);
  std::vector<File> events;

  void map_ram(uint32_t flags = wire::kMapRead | wire::kMapWrite) {
    const std::array files{ram.get()};
    const wire::DmaMap map{.argsz = sizeof(wire::DmaMap),
                           .flags = flags,
                           .offset = 0,
                           .address = kRam,
                           .size = kRam_bytes};
    ASSERT_EQ(client.ask(wire::Command::kDmaMap, pack(map), files).error(), 0);
  }
  void enable_vectors() {
    std::vector<int> files;
    for (unsigned i = 0; i < kLines; ++i) files.push_back(events.emplace_back(event()).get());
    const uint32_t flags = VFIO_IRQ_SET_ACTION_TRIGGER | VFIO_IRQ_SET_DATA_EVENTFD;
    const Bytes body = pack(uint32_t{sizeof(vfio_irq_set)}, flags,
                            uint32_t{VFIO_PCI_MSIX_IRQ_INDEX}, 0u, uint32_t{kLines});
    ASSERT_EQ(client.ask(wire::Command::kDeviceSetIrqs, body, files).error(), 0);
  }
  void enable_bus_master() {
    const uint16_t command = PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;
    const wire::RegionAccess access{PCI_COMMAND, VFIO_PCI_CONFIG_REGION_INDEX, sizeof command};
    ASSERT_EQ(client.ask(wire::Command::kRegionWrite, pack(access, command)).error(), 0);
  }
  void ready() {
    map_ram();
    enable_vectors();
    enable_bus_master();
  }

  uint32_t read32(uint32_t offset) {
    const Answer answer =
        client.ask(wire::Command::kRegionRead, pack(wire::RegionAccess{offset, 0, 4}));
    uint32_t value = 0;
    EXPECT_EQ(answer.body.size(), sizeof(wire::RegionAccess) + sizeof value);
    std::memcpy(&value, answer.body.data() + sizeof(wire::RegionAccess), sizeof value);
    return value;
  }
  void write32(uint32_t offset, uint32_t value) {
    client.send_raw(Client::message(wire::Command::kRegionWrite,
                                    pack(wire::RegionAccess{offset, 0, 4}, value), wire::kNoReply));
    EXPECT_TRUE(client.server->serve(0));
  }
  void run() {
    for (unsigned i = 0; i < 1000 && card.run(1000); ++i) {
    }
  }
  // Both channels of port 0 in loop-back, from one place in RAM to another.
  void loop_back(uint32_t from, uint32_t to, uint32_t bytes) {
    start_loop_back(from, to, bytes);
    run();
  }
  void start_loop_back(uint32_t from, uint32_t to, uint32_t bytes) {
    write32(HP_STRESS_HP_CONTROL(0) + SL_HP_LANE_ROUTE_OFFSET, SL_HP_LANE_ROUTE_LOOPBACK_MASK);
    write32(kS2mm, kRun);
    write32(kS2mm + 0x18, to);
    write32(kS2mm + 0x28, bytes);
    write32(kMm2s, kRun);
    write32(kMm2s + 0x18, from);
    write32(kMm2s + 0x28, bytes);
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

}  // namespace sluice::cosim
