// SPDX-License-Identifier: Apache-2.0
#include "avmm.hpp"

#include <avmm_card.h>
#include <sl_avmm_control.h>
#include <sl_avmm_desc.h>
#include <sl_avmm_ext.h>
#include <sl_avmm_status.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace sluice {
namespace {

// Descriptors of a transfer.
uint32_t pieces_of(uint64_t bytes) {
  return static_cast<uint32_t>((bytes + AvmmChannel::kPiece - 1) / AvmmChannel::kPiece);
}

}  // namespace

AvmmChannel::AvmmChannel(Platform& platform, const AvmmSettings& settings,
                         const SharedMemory& memory)
    : DmaChannel(platform, settings.interrupt, settings.start_cost_ns),
      settings_(settings),
      memory_(memory),
      base_(settings.to_card ? AVMM_CARD_RD_OFFSET : AVMM_CARD_WR_OFFSET),
      extension_(settings.to_card ? AVMM_CARD_RD_EXT_OFFSET : AVMM_CARD_WR_EXT_OFFSET) {}

void AvmmChannel::run() {
  next_ = oldest_ = used_ = 0;
  write(base_ + SL_AVMM_CONTROL_RC_BASE_LO_OFFSET, static_cast<uint32_t>(memory_.address));
  write(base_ + SL_AVMM_CONTROL_RC_BASE_HI_OFFSET, static_cast<uint32_t>(memory_.address >> 32));
  write(base_ + SL_AVMM_CONTROL_TABLE_SIZE_OFFSET, kTable - 1);
  write(base_ + SL_AVMM_CONTROL_CONTROL_OFFSET, SL_AVMM_CONTROL_CONTROL_DONE_MASK);
  write(extension_ + SL_AVMM_EXT_VECTOR_OFFSET, interrupt_);
  write(extension_ + SL_AVMM_EXT_CONTROL_OFFSET,
        SL_AVMM_EXT_CONTROL_BYTES_MASK | SL_AVMM_EXT_CONTROL_ERROR_WORDS_MASK);
  running_ = true;
}

const volatile uint32_t* AvmmChannel::done_word(uint32_t place) const {
  return reinterpret_cast<const volatile uint32_t*>(memory_.data) + place;
}

void AvmmChannel::describe(const Request& request) {
  for (uint64_t done = 0; done < request.bytes; done += kPiece, next_ = (next_ + 1) % kTable) {
    const uint64_t host = request.address + done;
    const uint64_t card = request.card_offset + done;
    const auto bytes = static_cast<uint32_t>(std::min(kPiece, request.bytes - done));
    struct {
      uint64_t source, destination;
      uint32_t control, bytes, reserved[2];
    } const descriptor{
        settings_.to_card ? host : card,
        settings_.to_card ? card : host,
        next_ << SL_AVMM_DESC_CONTROL_ID_SHIFT | bytes / 4 << SL_AVMM_DESC_CONTROL_SIZE_SHIFT,
        bytes,
        {}};
    static_assert(sizeof descriptor == kDescriptorBytes);
    std::memset(memory_.data + next_ * sizeof(uint32_t), 0, sizeof(uint32_t));
    std::memcpy(memory_.data + kDescriptors + next_ * kDescriptorBytes, &descriptor,
                sizeof descriptor);
    ++used_;
  }
}

void AvmmChannel::watch() {
  if (started() == 0) return;
  const uint32_t place = (oldest_ + pieces_of(request(0).bytes) - 1) % kTable;
  word_ = {
      .address = memory_.address + place * sizeof(uint32_t), .data = done_word(place), .seen = 0};
}

void AvmmChannel::flush() {
  const uint64_t begin_ns = platform_.now_ns();
  uint32_t asked = 0;             // transfers, since LAST_PTR was written
  const auto request_all = [&] {  // the last of them interrupts
    if (std::exchange(asked, 0) != 0)
      write(base_ + SL_AVMM_CONTROL_LAST_PTR_OFFSET, (next_ + kTable - 1) % kTable);
  };
  for (bool first = true; waiting() != 0; first = false) {
    const Request& next = request(started());
    if (pieces_of(next.bytes) > kTable - used_) break;
    if (!running_) run();
    describe(next);
    begin(begin_ns);
    ++asked;
    if (first) spend_start_cost(begin_ns);
    if (asked == kRequest) request_all();
  }
  request_all();
  watch();
}

void AvmmChannel::service() {
  if (started() == 0) return;
  uint64_t finish_ns = platform_.now_ns();
  if (!settings_.poll) {
    const uint64_t line = uint64_t{1} << interrupt_;
    if ((platform_.interrupts() & line) == 0) return;
    finish_ns = platform_.interrupt_rise_ns(interrupt_);
    platform_.acknowledge(line);  // before the words are read: what comes later is told again
  }
  while (started() != 0) {
    const uint64_t bytes = request(0).bytes;
    const uint32_t pieces = pieces_of(bytes);
    bool over = true;
    bool failed = false;
    for (uint32_t i = 0; i < pieces; ++i) {
      const uint32_t word = *done_word((oldest_ + i) % kTable);
      over = over && word != 0;
      failed = failed || (word & SL_AVMM_STATUS_STATUS_ERROR_MASK) != 0;
    }
    if (!over) break;
    platform_.order_after_memory_read();
    oldest_ = (oldest_ + pieces) % kTable;
    used_ -= pieces;
    complete({failed ? -EIO : 0, failed ? 0 : bytes, false}, finish_ns);
  }
  watch();
  flush();
}

void AvmmChannel::reset() {
  const uint32_t control = extension_ + SL_AVMM_EXT_CONTROL_OFFSET;
  write(control, SL_AVMM_EXT_CONTROL_RESET_MASK);
  wait_clear(control, SL_AVMM_EXT_CONTROL_RESET_MASK, settings_.name);
  platform_.acknowledge(uint64_t{1} << interrupt_);  // what was told before is over
  running_ = false;
  cancel_all();
}

}  // namespace sluice
