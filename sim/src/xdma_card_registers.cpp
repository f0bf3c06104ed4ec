// SPDX-License-Identifier: Apache-2.0
#include <sl_design_page.h>
#include <sl_msix.h>
#include <sl_msix_pba.h>
#include <sl_msix_vector.h>
#include <sl_xdma.h>
#include <sl_xdma_channel.h>
#include <sl_xdma_common.h>
#include <sl_xdma_config.h>
#include <sl_xdma_irq.h>
#include <sl_xdma_sgdma.h>
#include <xdma_card.h>

#include <bit>

#include "transaction_engine.hpp"
#include "words.hpp"
#include "xdma_card.hpp"

namespace sluice::sim {
namespace {

constexpr uint32_t kVersion = 6;
constexpr uint32_t kIdentity = 0x534c'584d;                      // SLXM
constexpr uint32_t kC2hShift = SL_XDMA_CONFIG_RESET_C2H0_SHIFT;  // as in HALT and CREDIT_MODE
constexpr uint32_t kHaltBits = 1 | 1U << kC2hShift;
constexpr uint32_t kVectorBits = 0x1f1f'1f1f;
constexpr uint32_t kControlBits =
    SL_XDMA_CHANNEL_CONTROL_RUN_MASK | SL_XDMA_CHANNEL_CONTROL_IE_DESC_STOPPED_MASK |
    SL_XDMA_CHANNEL_CONTROL_IE_DESC_COMPLETED_MASK |
    SL_XDMA_CHANNEL_CONTROL_IE_ALIGN_MISMATCH_MASK | SL_XDMA_CHANNEL_CONTROL_IE_MAGIC_STOPPED_MASK |
    SL_XDMA_CHANNEL_CONTROL_IE_INVALID_LENGTH_MASK | SL_XDMA_CHANNEL_CONTROL_IE_IDLE_STOPPED_MASK |
    SL_XDMA_CHANNEL_CONTROL_IE_READ_ERROR_MASK | SL_XDMA_CHANNEL_CONTROL_IE_WRITE_ERROR_MASK |
    SL_XDMA_CHANNEL_CONTROL_IE_DESC_ERROR_MASK | SL_XDMA_CHANNEL_CONTROL_POLL_WB_ENABLE_MASK |
    SL_XDMA_CHANNEL_CONTROL_NO_RESULT_MASK;

// A register, and those that set and clear its bits. False: the offset is another's.
bool set_bits(uint32_t& word, uint32_t offset, uint32_t base, uint32_t value) {
  if (offset == base)
    word = value;
  else if (offset == base + 4)
    word |= value;
  else if (offset == base + 8)
    word &= ~value;
  else
    return false;
  return true;
}

}  // namespace

uint32_t XdmaCard::load_register(uint32_t offset) {
  if (offset >= XDMA_CARD_MSIX_VECTOR_OFFSET && offset < XDMA_CARD_PAGE_OFFSET)
    return load_vector(offset - XDMA_CARD_MSIX_VECTOR_OFFSET);
  switch (offset) {
    case XDMA_CARD_PAGE_OFFSET + SL_DESIGN_PAGE_IDENTITY_OFFSET: return kIdentity;
    case XDMA_CARD_PAGE_OFFSET + SL_DESIGN_PAGE_VERSION_OFFSET:
      return 1U << SL_DESIGN_PAGE_VERSION_MAJOR_SHIFT;
    case XDMA_CARD_PAGE_OFFSET + SL_DESIGN_PAGE_CONFIG_OFFSET:
      return 1U << SL_DESIGN_PAGE_CONFIG_NUM_PORTS_SHIFT |
             width_bytes_ << SL_DESIGN_PAGE_CONFIG_DATA_BYTES_SHIFT |
             28U << SL_DESIGN_PAGE_CONFIG_LEN_BITS_SHIFT |
             1U << SL_DESIGN_PAGE_CONFIG_UNALIGNED_SHIFT;
    case XDMA_CARD_PAGE_OFFSET + SL_DESIGN_PAGE_TICKS_LO_OFFSET: return low(cycle_);
    case XDMA_CARD_PAGE_OFFSET + SL_DESIGN_PAGE_TICKS_HI_OFFSET: return high(cycle_);
    case SL_XDMA_IRQ_OFFSET + SL_XDMA_IRQ_IDENTIFIER_OFFSET:
      return SL_XDMA_IRQ_IDENTIFIER_DEFAULT | kVersion;
    case SL_XDMA_IRQ_OFFSET + SL_XDMA_IRQ_CHANNEL_ENABLE_OFFSET: return enabled_;
    case SL_XDMA_IRQ_OFFSET + SL_XDMA_IRQ_CHANNEL_REQUEST_OFFSET:
      return (channels_[0].interrupt() ? 1U : 0U) | (channels_[1].interrupt() ? 2U : 0U);
    case SL_XDMA_IRQ_OFFSET + SL_XDMA_IRQ_CHANNEL_PENDING_OFFSET:
      return (pending_[0] ? 1U : 0U) | (pending_[1] ? 2U : 0U);
    case SL_XDMA_IRQ_OFFSET + SL_XDMA_IRQ_CHANNEL_VECTOR0_OFFSET: return channel_vectors_[0];
    case SL_XDMA_IRQ_OFFSET + SL_XDMA_IRQ_CHANNEL_VECTOR1_OFFSET: return channel_vectors_[1];
    case SL_XDMA_CONFIG_OFFSET + SL_XDMA_CONFIG_IDENTIFIER_OFFSET:
      return SL_XDMA_CONFIG_IDENTIFIER_DEFAULT | kVersion;
    case SL_XDMA_CONFIG_OFFSET + SL_XDMA_CONFIG_BUSDEV_OFFSET: return CardBoard::kBdf;
    case SL_XDMA_CONFIG_OFFSET + SL_XDMA_CONFIG_MAX_PAYLOAD_OFFSET:
      return CardBoard::size_code(params_.max_payload);
    case SL_XDMA_CONFIG_OFFSET + SL_XDMA_CONFIG_MAX_READ_REQUEST_OFFSET:
      return CardBoard::size_code(params_.max_read_request);
    case SL_XDMA_CONFIG_OFFSET + SL_XDMA_CONFIG_MSI_ENABLE_OFFSET:
      return SL_XDMA_CONFIG_MSI_ENABLE_MSIX_MASK;
    case SL_XDMA_CONFIG_OFFSET + SL_XDMA_CONFIG_DATA_WIDTH_OFFSET:
      return static_cast<uint32_t>(std::countr_zero(width_bytes_) - 3);
    case SL_XDMA_CONFIG_OFFSET + SL_XDMA_CONFIG_RESET_OFFSET:
      return (channels_[0].resetting() ? 1U : 0U) |
             (channels_[1].resetting() ? 1U << kC2hShift : 0U);
    case SL_XDMA_CONFIG_OFFSET + SL_XDMA_CONFIG_CUT_OFF_OFFSET: return 0;
    case SL_XDMA_COMMON_OFFSET + SL_XDMA_COMMON_IDENTIFIER_OFFSET:
      return SL_XDMA_COMMON_IDENTIFIER_DEFAULT | kVersion;
    case SL_XDMA_COMMON_OFFSET + SL_XDMA_COMMON_HALT_OFFSET: return halt_;
    case SL_XDMA_COMMON_OFFSET + SL_XDMA_COMMON_CREDIT_MODE_OFFSET: return credit_mode_;
    default: break;
  }
  const uint32_t in_window = offset % SL_XDMA_CHANNEL_WINDOW;
  switch (offset - in_window) {
    case SL_XDMA_H2C(0): return load_channel(0, offset, in_window);
    case SL_XDMA_C2H(0): return load_channel(1, offset, in_window);
    case SL_XDMA_H2C_SGDMA(0): return load_sgdma(0, offset, in_window);
    case SL_XDMA_C2H_SGDMA(0): return load_sgdma(1, offset, in_window);
    default: refuse_access("read", offset);
  }
}

uint32_t XdmaCard::load_channel(unsigned number, uint32_t offset, uint32_t in_window) {
  CardChannel& channel = channels_[number];
  switch (in_window) {
    case SL_XDMA_CHANNEL_IDENTIFIER_OFFSET:
      return SL_XDMA_CHANNEL_IDENTIFIER_DEFAULT | kVersion |
             number << SL_XDMA_CHANNEL_IDENTIFIER_TARGET_SHIFT;
    case SL_XDMA_CHANNEL_CONTROL_OFFSET: return channel.control();
    case SL_XDMA_CHANNEL_STATUS_OFFSET: return channel.status();
    case SL_XDMA_CHANNEL_STATUS_RC_OFFSET: {
      const uint32_t status = channel.status();
      channel.clear_status(~0U);
      return status;
    }
    case SL_XDMA_CHANNEL_COMPLETED_COUNT_OFFSET: return channel.completed();
    case SL_XDMA_CHANNEL_ALIGNMENTS_OFFSET: return 0x0001'0140;
    case SL_XDMA_CHANNEL_POLL_WB_LO_OFFSET: return low(channel.poll_address);
    case SL_XDMA_CHANNEL_POLL_WB_HI_OFFSET: return high(channel.poll_address);
    case SL_XDMA_CHANNEL_IRQ_MASK_OFFSET: return channel.irq_mask;
    default: refuse_access("read", offset);
  }
}

uint32_t XdmaCard::load_sgdma(unsigned number, uint32_t offset, uint32_t in_window) {
  CardChannel& channel = channels_[number];
  switch (in_window) {
    case SL_XDMA_SGDMA_IDENTIFIER_OFFSET:
      return SL_XDMA_SGDMA_IDENTIFIER_DEFAULT | kVersion |
             (4 + number) << SL_XDMA_SGDMA_IDENTIFIER_TARGET_SHIFT;
    case SL_XDMA_SGDMA_FIRST_LO_OFFSET: return low(channel.first);
    case SL_XDMA_SGDMA_FIRST_HI_OFFSET: return high(channel.first);
    case SL_XDMA_SGDMA_FIRST_ADJACENT_OFFSET: return channel.adjacent;
    case SL_XDMA_SGDMA_CREDITS_OFFSET: return channel.fetch().credits();
    default: refuse_access("read", offset);
  }
}

uint32_t XdmaCard::load_vector(uint32_t in_table) const {
  if (in_table == SL_MSIX_PBA_OFFSET + SL_MSIX_PBA_PENDING_OFFSET) {
    uint32_t bits = 0;
    for (unsigned i = 0; i < CardBoard::kVectors; ++i) bits |= uint32_t{vectors_[i].pending} << i;
    return bits;
  }
  if (in_table == SL_MSIX_PBA_OFFSET + SL_MSIX_PBA_FAILED_OFFSET) return 0;
  if (in_table >= CardBoard::kVectors * SL_MSIX_VECTOR_STRIDE)
    refuse_access("read", XDMA_CARD_MSIX_VECTOR_OFFSET + in_table);
  const Vector& vector = vectors_[in_table / SL_MSIX_VECTOR_STRIDE];
  switch (in_table % SL_MSIX_VECTOR_STRIDE) {
    case SL_MSIX_VECTOR_ADDR_LO_OFFSET: return low(vector.address);
    case SL_MSIX_VECTOR_ADDR_HI_OFFSET: return high(vector.address);
    case SL_MSIX_VECTOR_DATA_OFFSET: return vector.data;
    default: return vector.masked ? 1 : 0;
  }
}

void XdmaCard::store_register(uint64_t cycle, uint32_t offset, uint32_t value) {
  if (offset >= XDMA_CARD_MSIX_VECTOR_OFFSET && offset < XDMA_CARD_PAGE_OFFSET)
    return store_vector(cycle, offset - XDMA_CARD_MSIX_VECTOR_OFFSET, value);
  if (set_bits(enabled_, offset, SL_XDMA_IRQ_OFFSET + SL_XDMA_IRQ_CHANNEL_ENABLE_OFFSET, value)) {
    enabled_ &= 0xff;
    return;
  }
  constexpr uint32_t kHalt = SL_XDMA_COMMON_OFFSET + SL_XDMA_COMMON_HALT_OFFSET;
  constexpr uint32_t kMode = SL_XDMA_COMMON_OFFSET + SL_XDMA_COMMON_CREDIT_MODE_OFFSET;
  if (set_bits(halt_, offset, kHalt, value & kHaltBits)) {
    for (unsigned i = 0; i < kChannels; ++i)
      channels_[i].fetch().halt(cycle, (halt_ >> (i * kC2hShift) & 1) != 0);
    return;
  }
  if (set_bits(credit_mode_, offset, kMode, value & kHaltBits)) {
    for (unsigned i = 0; i < kChannels; ++i)
      channels_[i].fetch().set_credit_mode((credit_mode_ >> (i * kC2hShift) & 1) != 0);
    return;
  }
  switch (offset) {
    case SL_XDMA_IRQ_OFFSET + SL_XDMA_IRQ_CHANNEL_VECTOR0_OFFSET:
      channel_vectors_[0] = value & kVectorBits;
      return;
    case SL_XDMA_IRQ_OFFSET + SL_XDMA_IRQ_CHANNEL_VECTOR1_OFFSET:
      channel_vectors_[1] = value & kVectorBits;
      return;
    case SL_XDMA_CONFIG_OFFSET + SL_XDMA_CONFIG_RESET_OFFSET: return reset(cycle, value);
    default: break;
  }
  const uint32_t in_window = offset % SL_XDMA_CHANNEL_WINDOW;
  switch (offset - in_window) {
    case SL_XDMA_H2C(0): return store_channel(cycle, 0, in_window, value);
    case SL_XDMA_C2H(0): return store_channel(cycle, 1, in_window, value);
    case SL_XDMA_H2C_SGDMA(0): return store_sgdma(cycle, 0, in_window, value);
    case SL_XDMA_C2H_SGDMA(0): return store_sgdma(cycle, 1, in_window, value);
    default: refuse_access("write", offset);
  }
}

void XdmaCard::store_channel(uint64_t cycle, unsigned number, uint32_t offset, uint32_t value) {
  CardChannel& channel = channels_[number];
  uint32_t control = channel.control();
  if (set_bits(control, offset, SL_XDMA_CHANNEL_CONTROL_OFFSET, value))
    return channel.set_control(cycle, control & kControlBits);
  if (set_bits(channel.irq_mask, offset, SL_XDMA_CHANNEL_IRQ_MASK_OFFSET, value & 0x00ff'fffe))
    return;
  switch (offset) {
    case SL_XDMA_CHANNEL_STATUS_OFFSET: return channel.clear_status(value);
    case SL_XDMA_CHANNEL_POLL_WB_LO_OFFSET:
      return set_low(channel.poll_address, value & SL_XDMA_CHANNEL_POLL_WB_LO_ADDR_MASK);
    case SL_XDMA_CHANNEL_POLL_WB_HI_OFFSET: return set_high(channel.poll_address, value);
    default: refuse_access("write", (number == 0 ? SL_XDMA_H2C(0) : SL_XDMA_C2H(0)) + offset);
  }
}

void XdmaCard::store_sgdma(uint64_t cycle, unsigned number, uint32_t offset, uint32_t value) {
  CardChannel& channel = channels_[number];
  switch (offset) {
    case SL_XDMA_SGDMA_FIRST_LO_OFFSET: return set_low(channel.first, value & ~31U);
    case SL_XDMA_SGDMA_FIRST_HI_OFFSET: return set_high(channel.first, value);
    case SL_XDMA_SGDMA_FIRST_ADJACENT_OFFSET: channel.adjacent = value & 63; return;
    case SL_XDMA_SGDMA_CREDITS_OFFSET:
      if (channel.resetting()) return;
      return channel.fetch().add_credits(cycle, value & SL_XDMA_SGDMA_CREDITS_COUNT_MASK);
    default:
      refuse_access("write", (number == 0 ? SL_XDMA_H2C_SGDMA(0) : SL_XDMA_C2H_SGDMA(0)) + offset);
  }
}

void XdmaCard::reset(uint64_t cycle, uint32_t bits) {
  for (unsigned i = 0; i < kChannels; ++i)
    if ((bits >> (i * kC2hShift) & 1) != 0) channels_[i].reset(cycle);
}

void XdmaCard::store_vector(uint64_t cycle, uint32_t in_table, uint32_t value) {
  if (in_table >= CardBoard::kVectors * SL_MSIX_VECTOR_STRIDE)
    refuse_access("write", XDMA_CARD_MSIX_VECTOR_OFFSET + in_table);
  const unsigned number = in_table / SL_MSIX_VECTOR_STRIDE;
  Vector& vector = vectors_[number];
  switch (in_table % SL_MSIX_VECTOR_STRIDE) {
    case SL_MSIX_VECTOR_ADDR_LO_OFFSET: return set_low(vector.address, value & ~3U);
    case SL_MSIX_VECTOR_ADDR_HI_OFFSET: return set_high(vector.address, value);
    case SL_MSIX_VECTOR_DATA_OFFSET: vector.data = value; return;
    default: break;
  }
  vector.masked = (value & 1) != 0;
  if (vector.pending && !vector.masked) send(cycle, number);
}

}  // namespace sluice::sim
