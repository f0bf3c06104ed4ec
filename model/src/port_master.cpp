// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/port_master.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

namespace sluice::model {

Master::Master(const MasterParams& params)
    : params_(params),
      beat_words_(std::max(params.port_bits / 64U, 1U)),
      burst_words_(params.burst_beats * params.port_bits / 64U),
      buffer_words_(params.buffer_beats * params.port_bits / 64U),
      group_words_(params.group_bursts > 1 ? params.group_bursts * burst_words_ : 0U),
      port_each_edge_(params.port_bits != 32),
      stream_each_edge_(port_each_edge_ && params.stream_bits == 64),
      read_buffer_(std::max(buffer_words_, 1U)),
      loop_(std::max(params.loop_beats * params.port_bits / 64U, beat_words_)),
      write_buffer_(std::max(buffer_words_, 1U)) {
  if (params.port_bits < 32 || params.port_bits > 256 || !std::has_single_bit(params.port_bits)) {
    throw std::invalid_argument("Master: port_bits must be 32, 64, 128 or 256");
  }
  if (params.stream_bits != 32 && params.stream_bits != 64) {
    throw std::invalid_argument("Master: stream_bits must be 32 or 64");
  }
  if (burst_words_ < 1 || params.burst_beats > 16 || !std::has_single_bit(params.burst_beats) ||
      buffer_words_ < burst_words_ || params.loop_beats == 0) {
    throw std::invalid_argument(
        "Master: burst_beats must be a power of two to 16, hold at least 8 bytes and fit in "
        "buffer_beats; loop_beats must not be 0");
  }
  if (params.group_bursts == 0 || params.max_read_bursts == 0 || params.max_write_bursts == 0) {
    throw std::invalid_argument("Master: bursts of a group and outstanding must not be 0");
  }
}

template <typename Port>
PortMaster<Port>::PortMaster(std::shared_ptr<PortShare<Port>> port, unsigned client,
                             const MasterParams& params)
    : Master(params), port_(std::move(port)), client_(client) {
  if (!port_->fits(params.port_bits)) {
    throw std::invalid_argument("PortMaster: port_bits is not the port's");
  }
}

void Master::set_loopback(bool on) {
  if (!finished()) throw std::logic_error("Master: route changed while a transfer runs");
  loopback_ = on;
  while (!loop_.empty()) loop_.pop();
}

void Master::begin(Direction& direction, const PortTransfer& transfer) const {
  if (direction.running) throw std::logic_error("Master: started while a transfer is running");
  if (transfer.bytes == 0 || (transfer.address | transfer.bytes) % (beat_words_ * 8U) != 0) {
    throw std::invalid_argument(
        "Master: addresses and lengths must be multiples of the beat and of 8 bytes, not 0");
  }
  const std::uint64_t burst_bytes = std::uint64_t{burst_words_} * 8U;
  if (params_.scatter != 0 &&
      (transfer.address % burst_bytes != 0 || !std::has_single_bit(transfer.bytes) ||
       transfer.bytes < burst_bytes)) {
    throw std::invalid_argument("Master: scattered transfers are a power of two of whole bursts");
  }
  direction = {};
  direction.running = true;
  direction.address = direction.base = transfer.address;
  direction.total = transfer.bytes / 8U;
  direction.group_end = group_words_ == 0 ? direction.total : group_words_;
  plan_burst(direction);
}

void Master::start_read(const PortTransfer& transfer) { begin(read_, transfer); }

void Master::start_write(const PortTransfer& transfer) {
  begin(write_, transfer);
  overrun_ = false;
}

void Master::start(const PortTransfer& read, const PortTransfer& write,
                   std::uint32_t counter_start) {
  if (read.bytes != 0 && write.bytes != 0 && read.bytes != write.bytes) {
    throw std::invalid_argument("Master: a loop-back needs equal lengths");
  }
  set_loopback(read.bytes != 0 && write.bytes != 0);
  source_ = {.next = counter_start};
  if (read.bytes != 0) start_read(read);
  if (write.bytes != 0) start_write(write);
}

void Master::plan_burst(Direction& d) const {
  // A power of two.
  const std::uint64_t burst_bytes = std::uint64_t{burst_words_} * 8U;
  const std::uint64_t to_boundary = (burst_bytes - (d.address & (burst_bytes - 1U))) / 8U;
  d.next_words = static_cast<std::uint32_t>(std::min(to_boundary, d.total - d.addressed));
}

void Master::burst_addressed(Direction& d) const {
  d.address += std::uint64_t{d.next_words} * 8U;
  d.addressed += d.next_words;
  ++d.bursts_open;
  plan_burst(d);
}

/// Multiplications by odd numbers and shifted exclusive ors are reversible in as many bits as there
/// are bursts, so every burst has a place of its own.
std::uint64_t Master::place(const Direction& d) const {
  if (params_.scatter == 0) return d.address;
  const std::uint64_t burst_bytes = std::uint64_t{burst_words_} * 8U;
  const std::uint64_t mask = d.total / burst_words_ - 1U;
  const auto shift = static_cast<unsigned>(std::bit_width(mask) + 1U) / 2U;
  std::uint64_t at = (d.address - d.base) / burst_bytes;
  for (int round = 0; round < 3; ++round) {
    at = (at * 0x9e3779b97f4a7c15U + 0x1234567U) & mask;
    at ^= at >> shift;
  }
  return d.base + at * burst_bytes;
}

/// Goes on to the next group once the last one is done and the engine has rested.
void Master::step_group(Direction& d, bool done, std::uint32_t gap) const {
  if (!d.running) return;
  if (!done) {
    d.gap_left = loopback_ ? params_.loop_gap_edges : gap;
  } else if (d.gap_left != 0) {
    --d.gap_left;
  } else {
    d.group_end += group_words_;
  }
}

template <typename Port>
void PortMaster<Port>::step_read() {
  if ((port_each_edge_ || !odd_edge_) && port_->pl_read_word_available(client_) &&
      read_.moved < read_.addressed) {
    for (std::uint32_t i = 0; i < beat_words(); ++i) {
      const AfiPort::ReadWord word = port_->pl_take_read_word();
      ++read_.moved;
      read_buffer_.push({word.data, read_.moved == read_.total});
      if (read_.response == Response::okay) read_.response = word.response;
      if (word.last) --read_.bursts_open;
    }
  }
  if (port_->pl_read_room(client_) && read_.addressed < std::min(read_.total, read_.group_end) &&
      read_.addressed - read_.streamed + burst_words_ <= buffer_words_ &&
      read_.bursts_open < params_.max_read_bursts) {
    port_->pl_read(client_, {place(read_), read_.next_words, 8});
    burst_addressed(read_);
  }
}

void Master::absorb(const Word& word) {
  const auto low = static_cast<std::uint32_t>(word.data);
  const auto high = static_cast<std::uint32_t>(word.data >> 32U);
  if (sink_.check && (low != sink_.expected || high != sink_.expected + 1U)) sink_.mismatch = true;
  sink_.expected += 2U;
  ++sink_.words;
  if (word.last) ++sink_.packets;
}

void Master::take_into_write_buffer(const Word& word) {
  write_buffer_.push(word);
  ++write_.streamed;
  if (word.last) {
    write_.total = write_.streamed;
    plan_burst(write_);
  } else if (write_.streamed == write_.total) {
    overrun_ = true;
  }
  if (write_.streamed == write_.total ||
      ((write_.base / 8U + write_.streamed) & (burst_words_ - 1U)) == 0)
    ++unanswered_;
}

Master::Word Master::next_of_source() {
  const std::uint64_t low = source_.next++;
  const std::uint64_t high = source_.next++;
  const bool last = ++source_in_packet_ == source_.packet_words;
  if (last) {
    source_in_packet_ = 0;
    ++source_.packets_sent;
    if (source_.one_packet) source_.enabled = false;
  }
  return {low | high << 32U, last};
}

/// One beat of each stream: towards the write side, and from the read side.
void Master::step_stream() {
  const bool wanted = write_.running &&
                      write_.streamed < std::min(write_.total, write_.group_end) &&
                      !write_buffer_.full() && unanswered_was_.back() < params_.max_write_bursts;
  const bool there =
      loopback_ ? !loop_.empty() && edges_ - loop_.front().entered >= params_.loop_latency_edges
                : source_.enabled;
  for (std::uint32_t i = 0; wanted && there && i < beat_words_; ++i) {
    if (loopback_) {
      take_into_write_buffer(loop_.front().word);
      loop_.pop();
    } else {
      take_into_write_buffer(next_of_source());
    }
  }
  if (read_buffer_.empty() || !(loopback_ ? !loop_.full() : sink_.enabled)) return;
  for (std::uint32_t i = 0; i < beat_words_; ++i) {
    if (loopback_)
      loop_.push({read_buffer_.front(), edges_});
    else
      absorb(read_buffer_.front());
    read_buffer_.pop();
    ++read_.streamed;
  }
}

template <typename Port>
void PortMaster<Port>::step_write() {
  if (port_->pl_response_available(client_)) {
    const Response response = port_->pl_take_response();
    if (write_.response == Response::okay) write_.response = response;
    --write_.bursts_open;
    --unanswered_;
  }
  if ((port_each_edge_ || !odd_edge_) && write_.moved < write_.addressed &&
      port_->pl_write_word_room(client_)) {
    for (std::uint32_t i = 0; i < beat_words(); ++i) {
      port_->pl_put_write_word(write_buffer_.front().data, 0xff);
      write_buffer_.pop();
      ++write_.moved;
    }
  }
  if (write_.next_words != 0 && write_.addressed + write_.next_words <= write_.streamed &&
      port_->pl_write_room(client_)) {
    port_->pl_write(client_, {place(write_), write_.next_words, 8});
    burst_addressed(write_);
  }
}

template <typename Port>
void PortMaster<Port>::pl_edge() {
  if (finished()) return;
  ++edges_;
  port_->pl_edge(client_);
  odd_edge_ = !odd_edge_;
  if (write_.running) step_write();
  if (stream_each_edge_ || !odd_edge_) step_stream();
  unanswered_was_ = {unanswered_, unanswered_was_[0], unanswered_was_[1]};
  if (read_.running) step_read();
  if (group_words_ != 0) {
    step_group(read_, read_.streamed == read_.group_end, params_.read_gap_edges);
    step_group(write_, write_.moved == write_.group_end && write_.bursts_open == 0,
               params_.write_gap_edges);
  }
  if (read_.running && read_.streamed == read_.total) read_.running = false;
  if (write_.running && write_.moved == write_.total && write_.bursts_open == 0) {
    write_.running = false;
  }
}

template class PortMaster<AfiPort>;
template class PortMaster<F2sPort>;

}  // namespace sluice::model
