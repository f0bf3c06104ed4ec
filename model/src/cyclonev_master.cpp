// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/cyclonev_master.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace sluice::model {

F2sMaster::F2sMaster(F2sPort& port, const F2sMasterParams& params)
    : port_(port),
      params_(params),
      beat_words_(std::max(port.bits() / 64U, 1U)),
      burst_words_(params.burst_beats * port.bits() / 64U),
      buffer_words_(params.buffer_beats * port.bits() / 64U),
      read_buffer_(buffer_words_),
      loop_(std::max(params.loop_beats * port.bits() / 64U, beat_words_)),
      write_buffer_(buffer_words_) {
  if (burst_words_ < 1 || params.burst_beats > 16 || !std::has_single_bit(params.burst_beats) ||
      buffer_words_ < burst_words_ || params.loop_beats == 0) {
    throw std::invalid_argument(
        "F2sMaster: burst_beats must be a power of two to 16, hold at least 8 bytes and fit in "
        "buffer_beats; loop_beats must not be 0");
  }
  if (params.max_read_bursts == 0 || params.max_write_bursts == 0) {
    throw std::invalid_argument("F2sMaster: bursts outstanding must not be 0");
  }
}

void F2sMaster::set_loopback(bool on) {
  if (!finished()) throw std::logic_error("F2sMaster: route changed while a transfer runs");
  loopback_ = on;
  while (!loop_.empty()) loop_.pop();
}

void F2sMaster::set_counter(std::uint32_t start) {
  if (!finished()) throw std::logic_error("F2sMaster: counter changed while a transfer runs");
  source_next_ = start;
  sink_expected_ = start;
  mismatch_ = false;
}

void F2sMaster::begin(Direction& direction, const F2sTransfer& transfer) const {
  if (direction.running) throw std::logic_error("F2sMaster: started while a transfer is running");
  if (transfer.bytes == 0 || (transfer.address | transfer.bytes) % (beat_words_ * 8U) != 0) {
    throw std::invalid_argument(
        "F2sMaster: addresses and lengths must be multiples of the beat and of 8, lengths not 0");
  }
  direction = {};
  direction.running = true;
  direction.address = transfer.address;
  direction.total = transfer.bytes / 8U;
}

std::uint32_t F2sMaster::burst_words_at(const Direction& d) const {
  const std::uint64_t burst_bytes = std::uint64_t{burst_words_} * 8U;
  const std::uint64_t to_boundary = (burst_bytes - d.address % burst_bytes) / 8U;
  return static_cast<std::uint32_t>(std::min(to_boundary, d.total - d.addressed));
}

void F2sMaster::step_read() {
  if (!second_half_ && read_.moved < read_.addressed && port_.pl_read_word_available()) {
    for (std::uint32_t i = 0; i < beat_words_; ++i) {
      const F2sPort::ReadWord word = port_.pl_take_read_word();
      read_buffer_.push(word.data);
      if (read_.response == Response::okay) read_.response = word.response;
      if (word.last) --read_.bursts_open;
    }
    read_.moved += beat_words_;
  }
  if (read_.addressed < read_.total && port_.pl_read_room() &&
      read_.addressed - read_.streamed + burst_words_ <= buffer_words_ &&
      read_.bursts_open < params_.max_read_bursts) {
    const std::uint32_t words = burst_words_at(read_);
    port_.pl_read({read_.address, words, 8});
    read_.address += std::uint64_t{words} * 8U;
    read_.addressed += words;
    ++read_.bursts_open;
  }
}

void F2sMaster::absorb(std::uint64_t word) {
  const auto low = static_cast<std::uint32_t>(word);
  const auto high = static_cast<std::uint32_t>(word >> 32U);
  if (low != sink_expected_ || high != sink_expected_ + 1U) mismatch_ = true;
  sink_expected_ += 2U;
}

/// One beat of each stream: towards the write side, and from the read side.
void F2sMaster::step_stream() {
  if (write_.running && write_.streamed < write_.total && !write_buffer_.full() &&
      !(loopback_ && loop_.empty())) {
    for (std::uint32_t i = 0; i < beat_words_; ++i) {
      if (loopback_) {
        write_buffer_.push(loop_.front());
        loop_.pop();
      } else {
        write_buffer_.push(std::uint64_t{source_next_} | std::uint64_t{source_next_ + 1U} << 32U);
        source_next_ += 2U;
      }
    }
    write_.streamed += beat_words_;
  }
  if (!read_buffer_.empty() && !(loopback_ && loop_.full())) {
    for (std::uint32_t i = 0; i < beat_words_; ++i) {
      if (loopback_)
        loop_.push(read_buffer_.front());
      else
        absorb(read_buffer_.front());
      read_buffer_.pop();
    }
    read_.streamed += beat_words_;
  }
}

void F2sMaster::step_write() {
  if (port_.pl_response_available()) {
    const Response response = port_.pl_take_response();
    if (write_.response == Response::okay) write_.response = response;
    --write_.bursts_open;
  }
  if (!second_half_ && write_.moved < write_.addressed && port_.pl_write_word_room()) {
    for (std::uint32_t i = 0; i < beat_words_; ++i) {
      port_.pl_put_write_word(write_buffer_.front(), 0xff);
      write_buffer_.pop();
    }
    write_.moved += beat_words_;
  }
  if (write_.addressed < write_.total && port_.pl_write_room()) {
    const std::uint32_t words = burst_words_at(write_);
    if (write_.addressed + words <= write_.streamed &&
        write_.bursts_open < params_.max_write_bursts) {
      port_.pl_write({write_.address, words, 8});
      write_.address += std::uint64_t{words} * 8U;
      write_.addressed += words;
      ++write_.bursts_open;
    }
  }
}

void F2sMaster::pl_edge() {
  if (finished()) return;
  port_.pl_edge();
  second_half_ = port_.bits() == 32 && !second_half_;
  if (write_.running) step_write();
  if (!second_half_) step_stream();
  if (read_.running) step_read();
  if (read_.running && read_.streamed == read_.total) read_.running = false;
  if (write_.running && write_.moved == write_.total && write_.bursts_open == 0) {
    write_.running = false;
  }
}

}  // namespace sluice::model
