// SPDX-License-Identifier: Apache-2.0
// The registers of a DMA controller: DDI 0424 chapter 3, values of the Zynq from UG585 appendix B.
#include "sluice/model/pl330.hpp"

namespace sluice::model {

namespace {

enum Offset : std::uint32_t {
  kDsr = 0x000,
  kInten = 0x020,
  kIntEventRis = 0x024,
  kIntmis = 0x028,
  kIntclr = 0x02c,
  kFsrd = 0x030,
  kFsrc = 0x034,
  kFtrd = 0x038,
  kFtr = 0x040,
  kStatus = 0x100,
  kAddresses = 0x400,
  kDbgstatus = 0xd00,
  kDbgcmd = 0xd04,
  kDbginst0 = 0xd08,
  kDbginst1 = 0xd0c,
  kCr0 = 0xe00,
  kCr1 = 0xe04,
  kCrd = 0xe14,
  kWd = 0xe80,
  kPeriphId = 0xfe0,
};

constexpr std::uint32_t kFtrEnd = kFtr + 4U * Pl330::kChannels;
constexpr std::uint32_t kStatusEnd = kStatus + 8U * Pl330::kChannels;
constexpr std::uint32_t kAddressesEnd = kAddresses + 0x20U * Pl330::kChannels;

// 8 channels, 16 events, 4 peripherals; boots stopped and secure.
constexpr std::uint32_t kCr0Value = 0x001e'3071;
// 8 lines of 16 bytes.
constexpr std::uint32_t kCr1Value = 0x0000'0074;
// 64 bits, MFIFO of 128 entries, queues of 16, 8 reads and writes under way.
constexpr std::uint32_t kCrdValue = 0x07ff'7f73;
// periph_id_0 to 3 (r1p1, part 0x330 of ARM), pcell_id_0 to 3.
constexpr std::array<std::uint32_t, 8> kIds = {0x30, 0x13, 0x24, 0x00, 0x0d, 0xf0, 0x05, 0xb1};

}  // namespace

std::uint32_t Pl330::faulting() const {
  std::uint32_t mask = 0;
  for (unsigned number = 0; number < kChannels; ++number) {
    const State state = channels_[number].state;
    if (state == State::faulting || state == State::faulting_completing) mask |= 1U << number;
  }
  return mask;
}

std::uint32_t Pl330::status(const Channel& channel) {
  std::uint32_t value = static_cast<std::uint32_t>(channel.state);
  if (channel.state == State::waiting_for_event || channel.state == State::waiting_for_peripheral)
    value |= channel.waits_for << 4U;
  if (channel.waits_for_burst) value |= 1U << 14U;
  if (channel.waits_for_any) value |= 1U << 15U;
  return value | (channel.nonsecure ? 1U << 21U : 0U);
}

std::uint32_t Pl330::read(std::uint32_t offset) const {
  if (offset >= kFtr && offset < kFtrEnd) return channels_[(offset - kFtr) / 4U].fault;
  if (offset >= kStatus && offset < kStatusEnd) {
    const Channel& channel = channels_[(offset - kStatus) / 8U];
    return offset % 8U == 0 ? status(channel) : channel.pc;
  }
  if (offset >= kAddresses && offset < kAddressesEnd) {
    const Channel& channel = channels_[(offset - kAddresses) / 0x20U];
    switch (offset % 0x20U) {
      case 0x00: return channel.sar;
      case 0x04: return channel.dar;
      case 0x08: return channel.ccr;
      case 0x0c: return channel.loops[0];
      case 0x10: return channel.loops[1];
      default: return 0;
    }
  }
  if (offset >= kPeriphId) return offset < kRegisterBytes ? kIds[(offset - kPeriphId) / 4U] : 0;
  switch (offset) {
    case kDsr:
      return static_cast<std::uint32_t>(manager_fault_ != 0 ? State::faulting : State::stopped);
    case kInten: return enabled_;
    case kIntEventRis: return raised_;
    case kIntmis: return raised_ & enabled_;
    case kFsrd: return manager_fault_ != 0 ? 1 : 0;
    case kFsrc: return faulting();
    case kFtrd: return manager_fault_;
    case kDbgstatus: return debug_pending_ ? 1 : 0;
    case kCr0: return kCr0Value;
    case kCr1: return kCr1Value;
    case kCrd: return kCrdValue;
    case kWd: return watchdog_;
    default: return 0;
  }
}

void Pl330::write(std::uint32_t offset, std::uint32_t value) {
  switch (offset) {
    case kInten: enabled_ = value & ((1U << kEvents) - 1U); break;
    case kIntclr: raised_ &= ~(value & enabled_); break;
    case kDbgcmd:
      if ((value & 3U) == 0) debug_pending_ = true;
      break;
    case kDbginst0:
      if (!debug_pending_) debug_[0] = value;
      break;
    case kDbginst1:
      if (!debug_pending_) debug_[1] = value;
      break;
    case kWd: watchdog_ = value & 1U; break;
    default: break;
  }
  update_outputs();
}

}  // namespace sluice::model
