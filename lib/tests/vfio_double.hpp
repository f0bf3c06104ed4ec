// SPDX-License-Identifier: Apache-2.0
// The kernel's side of VFIO as the library sees it: one function, alone in its IOMMU group. Its
// registers are memory that keeps what is written; no engine is behind them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <sl_axi_cdma.h>
#include <sl_axi_dma.h>
#include <sl_design_page.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "system_calls.hpp"

namespace sluice {

class VfioDouble final : public SystemCalls {
 public:
  static constexpr const char* kAddress = "0000:00:03.0";
  static constexpr uint32_t kPage = 0x40000;  // of every design

  std::map<std::string, std::vector<std::string>> folders{
      {"/sys/bus/pci/devices", {"0000:00:01.0", kAddress}},
      {"/sys/kernel/iommu_groups", {"0", "7"}},
      {"/sys/kernel/iommu_groups/0/devices", {"0000:00:01.0"}},
      {"/sys/kernel/iommu_groups/7/devices", {kAddress}},
      {"/sys/bus/pci/drivers", {"e1000e", "sluice_pci", "vfio-pci"}},
      {"/sys/bus/pci/drivers/vfio-pci", {kAddress, "bind", "new_id"}},
      {"/dev/vfio", {"7", "vfio"}}};
  std::map<std::string, int> nodes{{"/dev/vfio/vfio", 0}, {"/dev/vfio/7", 0}};  // open()'s error
  std::map<unsigned long, int> fails;                                           // a call's error
  bool viable = true;
  uint64_t page_sizes = ~uint64_t{0xfff};
  bool tells_ranges = true;
  uint32_t next_capability = 0;  // behind the ranges; 0: none
  std::vector<std::pair<uint64_t, uint64_t>> ranges{{0, 0xfedf'ffff},
                                                    {0xfef0'0000, 0x7f'ffff'ffff}};
  uint64_t bar_bytes = 1 << 20;
  uint32_t bar_flags =
      VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE | VFIO_REGION_INFO_FLAG_MMAP;
  std::vector<uint32_t> registers = std::vector<uint32_t>((1 << 20) / 4);
  bool resets_end = true;  // of the engine at the beginning of the control space, as time passes
  bool gone = false;
  uint16_t command = 0;
  std::vector<std::string> log;            // what was done to the function
  std::map<uint64_t, uint64_t> mapped;     // address -> bytes
  std::map<int, std::string> descriptors;  // that are open
  unsigned calls = 0;                      // all but those for the time

  // A design of that identity, with one port of 64 bits.
  void describe(const char (&identity)[5]) {
    uint32_t word = 0;
    for (int i = 0; i < 4; ++i) word = word << 8 | static_cast<uint8_t>(identity[i]);
    registers[(kPage + SL_DESIGN_PAGE_IDENTITY_OFFSET) / 4] = word;
    registers[(kPage + SL_DESIGN_PAGE_VERSION_OFFSET) / 4] = 1
                                                             << SL_DESIGN_PAGE_VERSION_MAJOR_SHIFT;
    registers[(kPage + SL_DESIGN_PAGE_CONFIG_OFFSET) / 4] =
        1 << SL_DESIGN_PAGE_CONFIG_NUM_PORTS_SHIFT | 8 << SL_DESIGN_PAGE_CONFIG_DATA_BYTES_SHIFT |
        23 << SL_DESIGN_PAGE_CONFIG_LEN_BITS_SHIFT;
  }
  // A register, which the library reaches as memory.
  [[nodiscard]] volatile uint32_t& at(uint32_t offset) { return registers[offset / 4]; }

  int open(const std::string& path) override {
    ++calls;
    const auto found = nodes.find(path);
    if (found == nodes.end()) return -ENOENT;
    return found->second != 0 ? found->second : descriptor(path);
  }
  void close(int fd) override {
    ++calls;
    log.push_back("close " + descriptors.at(fd));
    descriptors.erase(fd);
  }
  int ioctl(int /*fd*/, unsigned long request, void* argument) override {
    ++calls;
    if (const auto failing = fails.find(request); failing != fails.end()) return failing->second;
    switch (request) {
      case VFIO_GET_API_VERSION: return VFIO_API_VERSION;
      case VFIO_CHECK_EXTENSION:
        return argument == reinterpret_cast<void*>(uintptr_t{VFIO_TYPE1v2_IOMMU});
      case VFIO_GROUP_GET_STATUS:
        static_cast<vfio_group_status*>(argument)->flags = viable ? VFIO_GROUP_FLAGS_VIABLE : 0;
        return 0;
      case VFIO_GROUP_SET_CONTAINER: return 0;
      case VFIO_SET_IOMMU: return 0;
      case VFIO_GROUP_GET_DEVICE_FD:
        EXPECT_STREQ(static_cast<char*>(argument), kAddress);
        return descriptor("device");
      case VFIO_IOMMU_GET_INFO: tell_iommu(argument); return 0;
      case VFIO_DEVICE_GET_REGION_INFO: {
        auto& info = *static_cast<vfio_region_info*>(argument);
        info.offset = uint64_t{info.index} << 40;
        info.size = bar_bytes;
        info.flags = bar_flags;
        return 0;
      }
      case VFIO_IOMMU_MAP_DMA: {
        const auto& map = *static_cast<vfio_iommu_type1_dma_map*>(argument);
        if ((map.vaddr | map.iova | map.size) & 0xfff) return -EINVAL;
        mapped[map.iova] = map.size;
        log.push_back(fmt::format("map {:x}+{:x}", map.iova, map.size));
        return 0;
      }
      case VFIO_IOMMU_UNMAP_DMA: {
        const auto& unmap = *static_cast<vfio_iommu_type1_dma_unmap*>(argument);
        EXPECT_EQ(mapped.at(unmap.iova), unmap.size);
        mapped.erase(unmap.iova);
        log.push_back(fmt::format("unmap {:x}", unmap.iova));
        return 0;
      }
      default: return -ENOTTY;
    }
  }
  int64_t read_at(int fd, uint64_t offset, void* data, size_t bytes) override {
    ++calls;
    EXPECT_EQ(descriptors.at(fd), "device");
    EXPECT_EQ(bytes, 2U);
    uint16_t value = offset == config(PCI_COMMAND) ? command : 0x10ee;
    if (gone) value = 0xffff;
    std::memcpy(data, &value, sizeof value);
    return sizeof value;
  }
  int64_t write_at(int fd, uint64_t offset, const void* data, size_t bytes) override {
    ++calls;
    EXPECT_EQ(descriptors.at(fd), "device");
    EXPECT_EQ(offset, config(PCI_COMMAND));
    EXPECT_EQ(bytes, 2U);
    std::memcpy(&command, data, sizeof command);
    log.push_back((command & PCI_COMMAND_MASTER) != 0 ? "master on" : "master off");
    return sizeof command;
  }
  void* map(int fd, uint64_t offset, size_t bytes, bool writable, int* error) override {
    ++calls;
    *error = -EINVAL;
    if (descriptors.at(fd) == "device")
      return offset == 0 && bytes <= registers.size() * 4 && writable ? registers.data() : nullptr;
    const std::align_val_t page{4096};
    return ::operator new(bytes, page);
  }
  void unmap(void* address, size_t /*bytes*/) override {
    ++calls;
    if (address != registers.data()) ::operator delete(address, std::align_val_t{4096});
  }
  int duplicate(int) override { return -EINVAL; }
  int64_t size_of(int) override { return -EINVAL; }
  int memory_file(uint64_t /*bytes*/) override {
    ++calls;
    return descriptor("memory");
  }
  std::vector<std::string> list(const std::string& folder) override {
    ++calls;
    const auto found = folders.find(folder);
    return found == folders.end() ? std::vector<std::string>{} : found->second;
  }
  int poll(std::span<pollfd> /*descriptors*/, int64_t /*timeout_ns*/) override { return -EINVAL; }
  uint64_t now_ns() override {
    // A CDMA's is where an AXI DMA has that of MM2S.
    static_assert(SL_AXI_CDMA_CDMACR_OFFSET == SL_AXI_DMA_MM2S_DMACR_OFFSET &&
                  SL_AXI_CDMA_CDMACR_RESET_MASK == SL_AXI_DMA_S2MM_DMACR_RESET_MASK);
    for (const uint32_t control : {SL_AXI_DMA_MM2S_DMACR_OFFSET, SL_AXI_DMA_S2MM_DMACR_OFFSET})
      if (resets_end && !gone) at(control) = at(control) & ~SL_AXI_CDMA_CDMACR_RESET_MASK;
    return time_ns_ += 100'000;
  }
  void sleep_ns(uint64_t ns) override { time_ns_ += ns; }

 private:
  static uint64_t config(uint64_t offset) {
    return (uint64_t{VFIO_PCI_CONFIG_REGION_INDEX} << 40) + offset;
  }
  int descriptor(const std::string& name) {
    descriptors[++last_] = name;
    return last_;
  }
  // As Linux does: what does not fit is left out, and argsz says how much there would be.
  void tell_iommu(void* argument) {
    vfio_iommu_type1_info info{};
    std::memcpy(&info, argument, sizeof(uint32_t));
    const size_t room = info.argsz;
    const size_t head = sizeof(vfio_iommu_type1_info_cap_iova_range);
    const size_t all = sizeof info + head + ranges.size() * sizeof(vfio_iova_range);
    info.flags = VFIO_IOMMU_INFO_PGSIZES | (tells_ranges ? VFIO_IOMMU_INFO_CAPS : 0);
    info.iova_pgsizes = page_sizes;
    info.argsz = static_cast<uint32_t>(tells_ranges ? all : sizeof info);
    if (tells_ranges && room >= all) {
      info.cap_offset = sizeof info;
      auto* const to = static_cast<std::byte*>(argument) + sizeof info;
      vfio_iommu_type1_info_cap_iova_range capability{};
      capability.header = {
          .id = VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE, .version = 1, .next = next_capability};
      capability.nr_iovas = static_cast<uint32_t>(ranges.size());
      std::memcpy(to, &capability, head);
      for (size_t i = 0; i < ranges.size(); ++i) {
        const vfio_iova_range range{.start = ranges[i].first, .end = ranges[i].second};
        std::memcpy(to + head + i * sizeof range, &range, sizeof range);
      }
    }
    std::memcpy(argument, &info, sizeof info);
  }

  int last_ = 100;
  uint64_t time_ns_ = 1000;
};

}  // namespace sluice
