// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/hp_master.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace sluice::model {

HpMaster::HpMaster(AfiPort& afi, const HpMasterParams& params)
    : afi_(afi), params_(params), burst_words_(params.burst_beats * params.port_bits / 64U) {
  if (params.port_bits != 32 && params.port_bits != 64) {
    throw std::invalid_argument("HpMaster: port_bits must be 32 or 64");
  }
  if (burst_words_ < 1 || params.burst_beats > 16 || !std::has_single_bit(params.burst_beats) ||
      params.buffer_words < burst_words_ || params.loop_words == 0) {
    throw std::invalid_argument(
        "HpMaster: burst_beats must be a power of two to 16, hold at least 8 bytes and fit in "
        "buffer_words; loop_words must not be 0");
  }
  ring_.resize(std::bit_ceil(2U * params.buffer_words + params.loop_words));
  ring_mask_ = ring_.size() - 1U;
}

void HpMaster::start(const HpTransfer& read, const HpTransfer& write, std::uint32_t counter_start) {
  if (running_) throw std::logic_error("HpMaster: started while a job is running");
  if ((read.address | read.bytes | write.address | write.bytes) % 8U != 0) {
    throw std::invalid_argument("HpMaster: addresses and lengths must be multiples of 8");
  }
  reading_ = read.bytes != 0;
  writing_ = write.bytes != 0;
  if (reading_ && writing_ && read.bytes != write.bytes) {
    throw std::invalid_argument("HpMaster: a loop-back needs equal lengths");
  }
  total_read_ = read.bytes / 8U;
  total_write_ = write.bytes / 8U;
  read_address_ = read.address;
  write_address_ = write.address;
  requested_ = received_ = streamed_ = buffered_ = announced_ = sent_ = 0;
  reads_open_ = writes_open_ = 0;
  counter_ = counter_start;
  error_ = false;
  running_ = reading_ || writing_;
}

std::uint32_t HpMaster::burst_words_at(std::uint64_t address, std::uint64_t words_left) const {
  const std::uint64_t burst_bytes = std::uint64_t{burst_words_} * 8U;
  const std::uint64_t to_boundary = (burst_bytes - address % burst_bytes) / 8U;
  return static_cast<std::uint32_t>(std::min(to_boundary, words_left));
}

void HpMaster::step_read() {
  if (!second_half_ && received_ < requested_ && afi_.pl_read_word_available()) {
    const AfiPort::ReadWord word = afi_.pl_take_read_word();
    ring_[received_ & ring_mask_] = word.data;
    ++received_;
    error_ = error_ || word.response != Response::okay;
    if (word.last) --reads_open_;
  }
  if (requested_ < total_read_ && reads_open_ < params_.max_read_bursts && afi_.pl_read_room()) {
    const std::uint32_t words = burst_words_at(read_address_, total_read_ - requested_);
    if (requested_ + words - streamed_ <= params_.buffer_words) {
      afi_.pl_read({read_address_, words, 8});
      read_address_ += std::uint64_t{words} * 8U;
      requested_ += words;
      ++reads_open_;
    }
  }
}

/// One word from the read side (or the counter) towards the write side (or the sink).
void HpMaster::step_stream() {
  const bool room_in_buffer = buffered_ - sent_ < params_.buffer_words;
  if (!reading_) {
    if (buffered_ < total_write_ && room_in_buffer) {
      const std::uint64_t low = counter_++;
      const std::uint64_t high = counter_++;
      ring_[buffered_ & ring_mask_] = low | high << 32U;
      ++buffered_;
    }
    return;
  }
  if (!writing_) {
    if (streamed_ < received_) ++streamed_;
    return;
  }
  if (buffered_ < streamed_ && room_in_buffer) ++buffered_;
  if (streamed_ < received_ && streamed_ - buffered_ < params_.loop_words) ++streamed_;
}

void HpMaster::step_write() {
  if (afi_.pl_response_available()) {
    const Response response = afi_.pl_take_response();
    error_ = error_ || response != Response::okay;
    --writes_open_;
  }
  if (!second_half_ && sent_ < announced_ && afi_.pl_write_word_room()) {
    afi_.pl_put_write_word(ring_[sent_ & ring_mask_], 0xff);
    ++sent_;
  }
  if (announced_ < total_write_ && writes_open_ < params_.max_write_bursts &&
      afi_.pl_write_room()) {
    const std::uint32_t words = burst_words_at(write_address_, total_write_ - announced_);
    if (announced_ + words <= buffered_) {
      afi_.pl_write({write_address_, words, 8});
      write_address_ += std::uint64_t{words} * 8U;
      announced_ += words;
      ++writes_open_;
    }
  }
}

void HpMaster::pl_edge() {
  if (!running_) return;
  afi_.pl_edge();
  second_half_ = params_.port_bits == 32 && !second_half_;
  if (writing_) step_write();
  if (!second_half_) step_stream();
  if (reading_) step_read();
  const bool read_done = !reading_ || streamed_ == total_read_;
  const bool write_done = !writing_ || (sent_ == total_write_ && writes_open_ == 0);
  if (read_done && write_done) running_ = false;
}

}  // namespace sluice::model
