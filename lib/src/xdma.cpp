// SPDX-License-Identifier: Apache-2.0
#include "xdma.hpp"

#include <sl_xdma.h>
#include <sl_xdma_desc.h>
#include <sl_xdma_result.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace sluice {
namespace {

constexpr uint32_t kC2hBit = SL_XDMA_CONFIG_RESET_C2H0_SHIFT;  // as in HALT and CREDIT_MODE
constexpr uint32_t kCountMask = 0x00ff'ffff;                   // of the word that is written back
constexpr uint32_t kCountError = 0x8000'0000;
constexpr uint32_t kStatusErrors =
    SL_XDMA_CHANNEL_STATUS_ALIGN_MISMATCH_MASK | SL_XDMA_CHANNEL_STATUS_MAGIC_STOPPED_MASK |
    SL_XDMA_CHANNEL_STATUS_INVALID_LENGTH_MASK | SL_XDMA_CHANNEL_STATUS_READ_DECERR_MASK |
    SL_XDMA_CHANNEL_STATUS_READ_SLVERR_MASK | SL_XDMA_CHANNEL_STATUS_WRITE_DECERR_MASK |
    SL_XDMA_CHANNEL_STATUS_WRITE_SLVERR_MASK | SL_XDMA_CHANNEL_STATUS_DESC_DECERR_MASK |
    SL_XDMA_CHANNEL_STATUS_DESC_SLVERR_MASK;

int error_of(uint32_t status) {
  constexpr uint32_t kNothingThere = SL_XDMA_CHANNEL_STATUS_READ_DECERR_MASK |
                                     SL_XDMA_CHANNEL_STATUS_WRITE_DECERR_MASK |
                                     SL_XDMA_CHANNEL_STATUS_DESC_DECERR_MASK;
  return (status & kNothingThere) != 0 ? -EFAULT : -EIO;
}

}  // namespace

XdmaChannel::XdmaChannel(Platform& platform, const XdmaSettings& settings,
                         const SharedMemory& memory)
    : DmaChannel(platform, settings.interrupt, settings.start_cost_ns),
      settings_(settings),
      memory_(memory),
      base_(settings.to_card ? SL_XDMA_H2C(settings.number) : SL_XDMA_C2H(settings.number)),
      sgdma_(settings.to_card ? SL_XDMA_H2C_SGDMA(settings.number)
                              : SL_XDMA_C2H_SGDMA(settings.number)),
      count_{.address = bus(kCount),
             .data = reinterpret_cast<const volatile uint32_t*>(memory.data + kCount),
             .seen = 0} {}

// The channel waits for credits at the ring's first descriptor.
void XdmaChannel::run() {
  const uint32_t direction_bit = uint32_t{1}
                                 << (settings_.number + (settings_.to_card ? 0 : kC2hBit));
  std::memset(memory_.data + kCount, 0, sizeof(uint32_t));
  count_.seen = 0;
  next_ = oldest_ = completed_ = status_ = 0;
  write(SL_XDMA_COMMON_OFFSET + SL_XDMA_COMMON_CREDIT_MODE_W1S_OFFSET, direction_bit);
  write(sgdma_ + SL_XDMA_SGDMA_FIRST_LO_OFFSET, low(bus(0)));
  write(sgdma_ + SL_XDMA_SGDMA_FIRST_HI_OFFSET, high(bus(0)));
  write(sgdma_ + SL_XDMA_SGDMA_FIRST_ADJACENT_OFFSET, kBlock - 1);
  write(base_ + SL_XDMA_CHANNEL_POLL_WB_LO_OFFSET, low(count_.address));
  write(base_ + SL_XDMA_CHANNEL_POLL_WB_HI_OFFSET, high(count_.address));
  const uint32_t noted = kStatusErrors | SL_XDMA_CHANNEL_STATUS_DESC_COMPLETED_MASK;
  // The bits that have STATUS note something are those of STATUS.
  uint32_t control = noted | SL_XDMA_CHANNEL_CONTROL_RUN_MASK;
  if (settings_.poll) {
    control |= SL_XDMA_CHANNEL_CONTROL_POLL_WB_ENABLE_MASK;
  } else {
    // Vector n for channel n.
    const uint32_t vectors =
        SL_XDMA_IRQ_OFFSET + SL_XDMA_IRQ_CHANNEL_VECTOR0_OFFSET + interrupt_ / 4 * 4;
    const unsigned shift = 8 * (interrupt_ % 4);
    const uint32_t others = platform_.read32(vectors) & ~(uint32_t{0xff} << shift);
    write(vectors, others | interrupt_ << shift);
    write(base_ + SL_XDMA_CHANNEL_IRQ_MASK_OFFSET, noted);
    write(SL_XDMA_IRQ_OFFSET + SL_XDMA_IRQ_CHANNEL_ENABLE_W1S_OFFSET, uint32_t{1} << interrupt_);
  }
  write(base_ + SL_XDMA_CHANNEL_CONTROL_OFFSET, control);
  running_ = true;
}

void XdmaChannel::describe(uint32_t place, const Request& request, bool tells) {
  const uint32_t following = (place + 1) % kRing;
  const uint32_t adjacent = kBlock - 1 - following % kBlock;
  Descriptor descriptor{
      .control = SL_XDMA_DESC_CONTROL_DEFAULT | (tells ? SL_XDMA_DESC_CONTROL_COMPLETED_MASK : 0) |
                 adjacent << SL_XDMA_DESC_CONTROL_NEXT_ADJACENT_SHIFT,
      .bytes = low(request.bytes),
      .source = settings_.to_card ? request.address : request.card_offset,
      .destination = settings_.to_card ? request.card_offset : request.address,
      .next = bus(following * sizeof(Descriptor)),
  };
  if (settings_.stream && settings_.to_card)
    descriptor.control |= SL_XDMA_DESC_CONTROL_EOP_MASK;
  else if (settings_.stream)
    descriptor.source = bus(kResults + place * sizeof(Result));
  std::memcpy(memory_.data + place * sizeof descriptor, &descriptor, sizeof descriptor);
}

void XdmaChannel::flush() {
  const size_t count = waiting();
  if (count == 0) return;
  const uint64_t begin_ns = platform_.now_ns();
  if (!running_) run();
  // An end that was seen by its count alone was told of later, which is not the next one's.
  if (!settings_.poll && started() == 0 && (platform_.interrupts() & line()) != 0) {
    platform_.acknowledge(line());
    status_ |= platform_.read32(base_ + SL_XDMA_CHANNEL_STATUS_RC_OFFSET);
  }
  // Of many that were queued together, some tell of all: each telling takes its time on the link.
  // Of packets each does, since the next may be long in coming.
  const size_t every = settings_.stream ? 1 : std::clamp<size_t>(count / 4, 1, kToldMost);
  const auto tells = [&](size_t i) { return i + 1 == count || i % every == every - 1; };
  for (size_t i = 0; i < count; ++i)
    describe((next_ + static_cast<uint32_t>(i)) % kRing, request(started() + i), tells(i));
  spend_start_cost(begin_ns);
  write(sgdma_ + SL_XDMA_SGDMA_CREDITS_OFFSET, static_cast<uint32_t>(count));
  for (size_t i = 0; i < count; ++i) {
    begin(begin_ns);
    tells_.push_back(tells(i));
  }
  next_ = (next_ + static_cast<uint32_t>(count)) % kRing;
}

DmaChannel::Outcome XdmaChannel::outcome(uint32_t place, const Request& request) const {
  if (!settings_.stream || settings_.to_card) return {0, request.bytes, settings_.stream};
  Result result{};
  std::memcpy(&result, memory_.data + kResults + place * sizeof result, sizeof result);
  return {0, result.bytes, (result.status & SL_XDMA_RESULT_STATUS_EOP_MASK) != 0};
}

// Up to the first that tells, they ended no later than the interrupt that was told of.
void XdmaChannel::retire(uint32_t count, uint64_t rise_ns) {
  uint64_t finish_ns = rise_ns;
  for (; completed_ != (count & kCountMask) && started() != 0;
       completed_ = (completed_ + 1) & kCountMask, oldest_ = (oldest_ + 1) % kRing) {
    complete(outcome(oldest_, request(0)), finish_ns);
    if (tells_.front()) finish_ns = platform_.now_ns();
    tells_.pop_front();
  }
}

void XdmaChannel::service() {
  if (started() == 0 || stuck_) return;
  if (settings_.poll) {
    const uint32_t word = *count_.data;
    platform_.order_after_memory_read();
    count_.seen = word;
    const uint64_t now_ns = platform_.now_ns();
    retire(word, now_ns);
    if ((word & kCountError) != 0) fail(now_ns);
    return;
  }
  if ((platform_.interrupts() & line()) == 0) return;
  const uint64_t rise_ns = platform_.interrupt_rise_ns(interrupt_);
  platform_.acknowledge(line());
  // First the events, then the count: what ends after the first is told of again.
  status_ |= platform_.read32(base_ + SL_XDMA_CHANNEL_STATUS_RC_OFFSET);
  retire(platform_.read32(base_ + SL_XDMA_CHANNEL_COMPLETED_COUNT_OFFSET), rise_ns);
  if ((status_ & kStatusErrors) != 0) fail(rise_ns);
}

void XdmaChannel::fail(uint64_t finish_ns) {
  const uint32_t status = status_ | platform_.read32(base_ + SL_XDMA_CHANNEL_STATUS_OFFSET);
  reset_engine();  // what is queued stays the engine's where this throws
  if (started() != 0) complete({error_of(status), 0, false}, finish_ns);
  forget();
}

void XdmaChannel::reset() {
  reset_engine();
  forget();
}

void XdmaChannel::reset_engine() {
  const uint32_t bit = uint32_t{1} << (settings_.number + (settings_.to_card ? 0 : kC2hBit));
  constexpr uint32_t kReset = SL_XDMA_CONFIG_OFFSET + SL_XDMA_CONFIG_RESET_OFFSET;
  write(base_ + SL_XDMA_CHANNEL_CONTROL_OFFSET, 0);
  write(kReset, bit);
  wait_clear(kReset, bit, settings_.name);
}

void XdmaChannel::forget() {
  platform_.acknowledge(line());  // what was told before is over
  running_ = false;
  tells_.clear();
  cancel_all();
}

}  // namespace sluice
