// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/hp_master.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace sluice::model {

HpMaster::HpMaster(AfiPort& afi, const HpMasterParams& params)
    : afi_(afi),
      params_(params),
      burst_words_(params.burst_beats * params.port_bits / 64U),
      buffer_words_(params.buffer_beats * params.port_bits / 64U),
      read_buffer_(std::max(buffer_words_, 1U)),
      loop_(std::max(params.loop_beats * params.port_bits / 64U, 1U)),
      write_buffer_(std::max(buffer_words_, 1U)) {
  if (params.port_bits != 32 && params.port_bits != 64) {
    throw std::invalid_argument("HpMaster: port_bits must be 32 or 64");
  }
  if (burst_words_ < 1 || params.burst_beats > 16 || !std::has_single_bit(params.burst_beats) ||
      buffer_words_ < burst_words_ || params.loop_beats == 0) {
    throw std::invalid_argument(
        "HpMaster: burst_beats must be a power of two to 16, hold at least 8 bytes and fit in "
        "buffer_beats; loop_beats must not be 0");
  }
  if (params.group_bursts == 0 || params.max_read_bursts == 0 || params.max_write_bursts == 0) {
    throw std::invalid_argument("HpMaster: bursts of a group and outstanding must not be 0");
  }
}

void HpMaster::set_loopback(bool on) {
  if (!finished()) throw std::logic_error("HpMaster: route changed while a transfer runs");
  loopback_ = on;
  while (!loop_.empty()) loop_.pop();
}

void HpMaster::begin(Direction& direction, const HpTransfer& transfer) {
  if (direction.running) throw std::logic_error("HpMaster: started while a transfer is running");
  if (transfer.bytes == 0 || (transfer.address | transfer.bytes) % 8U != 0) {
    throw std::invalid_argument("HpMaster: addresses and lengths must be multiples of 8, not 0");
  }
  direction = {};
  direction.running = true;
  direction.address = transfer.address;
  direction.total = transfer.bytes / 8U;
}

void HpMaster::start_read(const HpTransfer& transfer) { begin(read_, transfer); }

void HpMaster::start_write(const HpTransfer& transfer) {
  begin(write_, transfer);
  overrun_ = false;
}

void HpMaster::start(const HpTransfer& read, const HpTransfer& write, std::uint32_t counter_start) {
  if (read.bytes != 0 && write.bytes != 0 && read.bytes != write.bytes) {
    throw std::invalid_argument("HpMaster: a loop-back needs equal lengths");
  }
  set_loopback(read.bytes != 0 && write.bytes != 0);
  source_ = {.next = counter_start};
  if (read.bytes != 0) start_read(read);
  if (write.bytes != 0) start_write(write);
}

std::uint32_t HpMaster::burst_words_at(std::uint64_t address, std::uint64_t words_left) const {
  const std::uint64_t burst_bytes = std::uint64_t{burst_words_} * 8U;
  const std::uint64_t to_boundary = (burst_bytes - address % burst_bytes) / 8U;
  return static_cast<std::uint32_t>(std::min(to_boundary, words_left));
}

/// The policy allows another burst: a slot is free, or its group has begun.
bool HpMaster::may_issue(Direction& d, std::uint32_t most) const {
  if (params_.group_bursts == 1) return d.bursts_open < most;
  if (d.group_left != 0) return true;
  if (d.gap_left != 0) {
    --d.gap_left;
    return false;
  }
  return d.bursts_open <= (most - 1U) * params_.group_bursts;
}

void HpMaster::issued(Direction& d) const {
  if (params_.group_bursts != 1) {
    if (d.group_left == 0) d.group_left = params_.group_bursts;
    --d.group_left;
  }
  ++d.bursts_open;
}

void HpMaster::closed(Direction& d) const {
  if (--d.bursts_open == 0 && d.group_left == 0) d.gap_left = params_.gap_edges;
}

void HpMaster::step_read() {
  if (!second_half_ && read_.moved < read_.addressed && afi_.pl_read_word_available()) {
    const AfiPort::ReadWord word = afi_.pl_take_read_word();
    ++read_.moved;
    read_buffer_.push({word.data, read_.moved == read_.total});
    if (read_.response == Response::okay) read_.response = word.response;
    if (word.last) closed(read_);
  }
  if (read_.addressed < read_.total && afi_.pl_read_room() &&
      read_.addressed - read_.streamed + burst_words_ <= buffer_words_ &&
      may_issue(read_, params_.max_read_bursts)) {
    const std::uint32_t words = burst_words_at(read_.address, read_.total - read_.addressed);
    afi_.pl_read({read_.address, words, 8});
    read_.address += std::uint64_t{words} * 8U;
    read_.addressed += words;
    issued(read_);
  }
}

void HpMaster::absorb(const Word& word) {
  const auto low = static_cast<std::uint32_t>(word.data);
  const auto high = static_cast<std::uint32_t>(word.data >> 32U);
  if (sink_.check && (low != sink_.expected || high != sink_.expected + 1U)) sink_.mismatch = true;
  sink_.expected += 2U;
  ++sink_.words;
  if (word.last) ++sink_.packets;
}

void HpMaster::take_into_write_buffer(const Word& word) {
  write_buffer_.push(word);
  ++write_.streamed;
  if (word.last)
    write_.total = write_.streamed;
  else if (write_.streamed == write_.total)
    overrun_ = true;
}

/// One word of each stream: towards the write side, and from the read side.
void HpMaster::step_stream() {
  if (write_.running && write_.streamed < write_.total && !write_buffer_.full()) {
    if (loopback_) {
      if (!loop_.empty()) {
        take_into_write_buffer(loop_.front());
        loop_.pop();
      }
    } else if (source_.enabled) {
      const std::uint64_t low = source_.next++;
      const std::uint64_t high = source_.next++;
      const bool last = ++source_in_packet_ == source_.packet_words;
      if (last) {
        source_in_packet_ = 0;
        ++source_.packets_sent;
        if (source_.one_packet) source_.enabled = false;
      }
      take_into_write_buffer({low | high << 32U, last});
    }
  }
  if (!read_buffer_.empty() && (loopback_ ? !loop_.full() : sink_.enabled)) {
    if (loopback_)
      loop_.push(read_buffer_.front());
    else
      absorb(read_buffer_.front());
    read_buffer_.pop();
    ++read_.streamed;
  }
}

void HpMaster::step_write() {
  if (afi_.pl_response_available()) {
    const Response response = afi_.pl_take_response();
    if (write_.response == Response::okay) write_.response = response;
    closed(write_);
  }
  if (!second_half_ && write_.moved < write_.addressed && afi_.pl_write_word_room()) {
    afi_.pl_put_write_word(write_buffer_.front().data, 0xff);
    write_buffer_.pop();
    ++write_.moved;
  }
  if (write_.addressed < write_.total && afi_.pl_write_room()) {
    const std::uint32_t words = burst_words_at(write_.address, write_.total - write_.addressed);
    if (write_.addressed + words <= write_.streamed &&
        may_issue(write_, params_.max_write_bursts)) {
      afi_.pl_write({write_.address, words, 8});
      write_.address += std::uint64_t{words} * 8U;
      write_.addressed += words;
      issued(write_);
    }
  }
}

void HpMaster::pl_edge() {
  if (finished()) return;
  afi_.pl_edge();
  second_half_ = params_.port_bits == 32 && !second_half_;
  if (write_.running) step_write();
  if (!second_half_) step_stream();
  if (read_.running) step_read();
  if (read_.running && read_.streamed == read_.total) read_.running = false;
  if (write_.running && write_.moved == write_.total && write_.bursts_open == 0) {
    write_.running = false;
  }
}

}  // namespace sluice::model
