// SPDX-License-Identifier: Apache-2.0
#include "sluice/cosim/config_space.hpp"

#include <linux/pci_regs.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>
#include <stdexcept>
#include <string>

namespace sluice::cosim {
namespace {

constexpr std::size_t kPower = 0x40;
constexpr std::size_t kExpress = 0x50;
constexpr std::size_t kMsiX = 0xa0;
constexpr unsigned kMaxVectors = 2048;
constexpr uint64_t kMinBar_bytes = 128;
constexpr uint64_t kVector_bytes = 16;
// Values of the PCI Express capability for which the kernel's header has masks alone.
constexpr uint16_t kExpressVersion = 2;
constexpr uint32_t kLinkGen1x1 = 0x11;  // 2.5 GT/s, one lane: what a link without a name says

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

}  // namespace

template <typename T>
void ConfigSpace::put(Image& image, std::size_t offset, T value) {
  std::memcpy(image.data() + offset, &value, sizeof value);
}

ConfigSpace::ConfigSpace(const Identity& identity, const std::vector<Bar>& bars, const MsiX& msix) {
  put(initial_, PCI_VENDOR_ID, identity.vendor);
  put(initial_, PCI_DEVICE_ID, identity.device);
  put<uint16_t>(initial_, PCI_STATUS, PCI_STATUS_CAP_LIST);
  put<uint32_t>(initial_, PCI_CLASS_REVISION, identity.class_code << 8 | identity.revision);
  put(initial_, PCI_SUBSYSTEM_VENDOR_ID, identity.subsystem_vendor);
  put(initial_, PCI_SUBSYSTEM_ID, identity.subsystem);
  put<uint16_t>(writable_, PCI_COMMAND,
                PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_INTX_DISABLE);
  put<uint8_t>(writable_, PCI_CACHE_LINE_SIZE, 0xff);
  put<uint8_t>(writable_, PCI_INTERRUPT_LINE, 0xff);

  std::set<unsigned> numbers;
  for (const Bar& bar : bars) {
    if (!numbers.insert(bar.number).second) refuse("BAR " + std::to_string(bar.number) + " twice");
    add_bar(bar);
  }
  const auto home = std::find_if(bars.begin(), bars.end(),
                                 [&](const Bar& bar) { return bar.number == msix.bar; });
  if (msix.vectors < 1 || msix.vectors > kMaxVectors)
    refuse("MSI-X vectors must be 1..2048, are " + std::to_string(msix.vectors));
  if (home == bars.end())
    refuse("the BAR of the MSI-X table, " + std::to_string(msix.bar) + ", is none");
  if (msix.table_offset % 8 != 0 || msix.pending_offset % 8 != 0)
    refuse("MSI-X table and pending bits must be at multiples of 8");
  const uint64_t pending_bytes = (msix.vectors + 63) / 64 * 8;
  if (msix.table_offset + msix.vectors * kVector_bytes > home->bytes ||
      msix.pending_offset + pending_bytes > home->bytes)
    refuse("MSI-X table and pending bits must lie within their BAR");
  add_capabilities(msix);
  reset();
}

void ConfigSpace::add_bar(const Bar& bar) {
  if (bar.number > 4 || bar.number % 2 != 0)
    refuse("a BAR's number must be 0, 2 or 4, is " + std::to_string(bar.number));
  if (!std::has_single_bit(bar.bytes) || bar.bytes < kMinBar_bytes)
    refuse("a BAR's size must be a power of two from 128, is " + std::to_string(bar.bytes));
  const std::size_t at = PCI_BASE_ADDRESS_0 + 4 * bar.number;
  put<uint32_t>(initial_, at, PCI_BASE_ADDRESS_SPACE_MEMORY | PCI_BASE_ADDRESS_MEM_TYPE_64);
  put<uint64_t>(writable_, at, ~(bar.bytes - 1));
}

void ConfigSpace::add_capabilities(const MsiX& msix) {
  const auto capability = [this](std::size_t at, uint8_t id, std::size_t next) {
    put<uint8_t>(initial_, at + PCI_CAP_LIST_ID, id);
    put<uint8_t>(initial_, at + PCI_CAP_LIST_NEXT, static_cast<uint8_t>(next));
  };
  put<uint8_t>(initial_, PCI_CAPABILITY_LIST, kPower);

  capability(kPower, PCI_CAP_ID_PM, kExpress);
  put<uint16_t>(initial_, kPower + PCI_PM_PMC, 3);  // version 1.2, D0 and D3hot
  put<uint16_t>(initial_, kPower + PCI_PM_CTRL, PCI_PM_CTRL_NO_SOFT_RESET);
  put<uint16_t>(writable_, kPower + PCI_PM_CTRL, PCI_PM_CTRL_STATE_MASK);

  capability(kExpress, PCI_CAP_ID_EXP, kMsiX);
  put<uint16_t>(initial_, kExpress + PCI_EXP_FLAGS, kExpressVersion | PCI_EXP_TYPE_ENDPOINT << 4);
  put<uint32_t>(initial_, kExpress + PCI_EXP_DEVCAP, PCI_EXP_DEVCAP_FLR | PCI_EXP_DEVCAP_RBER);
  put<uint16_t>(writable_, kExpress + PCI_EXP_DEVCTL,
                static_cast<uint16_t>(~PCI_EXP_DEVCTL_BCR_FLR));  // which reads 0
  put<uint32_t>(initial_, kExpress + PCI_EXP_LNKCAP, kLinkGen1x1);
  put<uint16_t>(initial_, kExpress + PCI_EXP_LNKSTA, kLinkGen1x1);

  capability(kMsiX, PCI_CAP_ID_MSIX, 0);
  put<uint16_t>(initial_, kMsiX + PCI_MSIX_FLAGS, static_cast<uint16_t>(msix.vectors - 1));
  put<uint16_t>(writable_, kMsiX + PCI_MSIX_FLAGS, PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL);
  put<uint32_t>(initial_, kMsiX + PCI_MSIX_TABLE, msix.table_offset | msix.bar);
  put<uint32_t>(initial_, kMsiX + PCI_MSIX_PBA, msix.pending_offset | msix.bar);
}

void ConfigSpace::read(uint64_t offset, std::span<std::byte> data) const {
  std::memcpy(data.data(), now_.data() + offset, data.size());
}

void ConfigSpace::write(uint64_t offset, std::span<const std::byte> data) {
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::byte mask = writable_[offset + i];
    now_[offset + i] = (now_[offset + i] & ~mask) | (data[i] & mask);
    constexpr auto kReset = std::byte{PCI_EXP_DEVCTL_BCR_FLR >> 8};
    if (offset + i == kExpress + PCI_EXP_DEVCTL + 1 && (data[i] & kReset) != std::byte{0})
      asked_reset_ = true;
  }
}

void ConfigSpace::reset() { now_ = initial_; }

bool ConfigSpace::msix_enabled() const {
  return (now_[kMsiX + PCI_MSIX_FLAGS + 1] & std::byte{PCI_MSIX_FLAGS_ENABLE >> 8}) != std::byte{0};
}

bool ConfigSpace::bus_master() const {
  return (now_[PCI_COMMAND] & std::byte{PCI_COMMAND_MASTER}) != std::byte{0};
}

}  // namespace sluice::cosim
