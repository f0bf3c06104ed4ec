// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/port_master.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <utility>

namespace sluice::model {
namespace {

constexpr std::uint32_t kDropperBeats = 2;
constexpr std::uint64_t kNoEnd = std::numeric_limits<std::uint64_t>::max();

}  // namespace

Master::Master(const MasterParams& params)
    : params_(params),
      beat_words_(std::max(params.port_bits / 64U, 1U)),
      burst_words_(params.burst_beats * params.port_bits / 64U),
      buffer_words_(params.buffer_beats * params.port_bits / 64U),
      loop_words_(std::max(params.loop_beats * params.port_bits / 64U, beat_words_)),
      group_words_(params.group_bursts > 1 ? params.group_bursts * burst_words_ : 0U),
      port_each_edge_(params.port_bits != 32),
      stream_each_edge_(port_each_edge_ && params.stream_bits == 64),
      read_buffer_(std::max(buffer_words_, 1U)),
      waiting_(loop_words_ + std::max(kDropperBeats * params.port_bits / 64U, 1U)),
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

template <typename Bus>
PortMaster<Bus>::PortMaster(std::shared_ptr<Bus> bus, unsigned client, const MasterParams& params)
    : Master(params), bus_(std::move(bus)), client_(client) {
  if (!bus_->fits(params.port_bits)) {
    throw std::invalid_argument("PortMaster: port_bits is not the port's");
  }
}

void Master::set_route(Route route) {
  route_ = route;
  empty_loop();
}

void Master::empty_loop() {
  while (!waiting_.empty()) waiting_.pop();
}

void Master::begin(Direction& direction, const PortTransfer& transfer) {
  if (direction.transfers.full() || direction.halting)
    throw std::logic_error("Master: started without room for another transfer");
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
  const std::uint64_t words = transfer.bytes / 8U;
  if (direction.transfers.empty()) {
    direction.addressed = direction.moved = direction.streamed = direction.answered = 0;
    direction.group_end = group_words_ == 0 ? kNoEnd : group_words_;
    direction.gap_left = 0;
  }
  direction.transfers.push({.address = transfer.address,
                            .base = transfer.address,
                            .words = words,
                            .ends_packet = transfer.ends_packet});
  ++moves_;  // its first burst may have to wait for its turn
  plan_burst(direction);
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

std::uint32_t Master::burst_at(const Transfer& transfer, std::uint64_t words,
                               std::uint64_t of_direction) const {
  std::uint64_t most =
      std::min(burst_words_ - past_boundary(transfer, words), transfer.words - words);
  if (group_words_ != 0) most = std::min(most, group_words_ - of_direction % group_words_);
  return static_cast<std::uint32_t>(most);
}

void Master::plan_burst(Direction& d) const {
  if (d.addressing == d.transfers.size()) {
    d.next_words = 0;
    return;
  }
  const Transfer& transfer = d.transfers.at(d.addressing);
  d.next_words = burst_at(transfer, transfer.addressed, d.addressed);
}

void Master::burst_addressed(Direction& d) {
  Transfer& transfer = d.transfers.at(d.addressing);
  transfer.address += std::uint64_t{d.next_words} * 8U;
  transfer.addressed += d.next_words;
  pass_cut_of_addresses(transfer);
  d.addressed += d.next_words;
  ++d.bursts_open;
  ++moves_;
  if (transfer.addressed == transfer.words) ++d.addressing;
  plan_burst(d);
}

/// The oldest transfer is over.
void Master::finish(Direction& d) {
  const Transfer& transfer = d.transfers.front();
  const std::uint64_t left_out = transfer.good >= transfer.cut ? transfer.left_out : 0;
  d.done = {transfer.response, (transfer.good + left_out) * 8U, transfer.ends_packet};
  ++d.done_count;
  d.transfers.pop();
  --d.addressing;
  --d.moving;
}

void Master::halt(Direction& d) {
  if (d.transfers.empty()) return;
  d.halting = true;
  d.next_words = 0;
}

void Master::end_halt(Direction& d, Ring<Word>& buffer) {
  while (!d.transfers.empty()) d.transfers.pop();
  while (!buffer.empty()) buffer.pop();
  d.addressing = d.moving = 0;
  d.halting = false;
}

/// Multiplications by odd numbers and shifted exclusive ors are reversible in as many bits as there
/// are bursts, so every burst has a place of its own.
std::uint64_t Master::scattered(const Transfer& transfer) const {
  const std::uint64_t burst_bytes = std::uint64_t{burst_words_} * 8U;
  const std::uint64_t mask = transfer.words / burst_words_ - 1U;
  const auto shift = static_cast<unsigned>(std::bit_width(mask) + 1U) / 2U;
  std::uint64_t at = (transfer.address - transfer.base) / burst_bytes;
  for (int round = 0; round < 3; ++round) {
    at = (at * 0x9e3779b97f4a7c15U + 0x1234567U) & mask;
    at ^= at >> shift;
  }
  return transfer.base + at * burst_bytes;
}

/// Goes on to the next group once the last one is done and the engine has rested.
void Master::step_group(Direction& d, bool done, std::uint32_t gap) const {
  if (d.transfers.empty()) return;
  if (!done) {
    d.gap_left = loopback() ? params_.loop_gap_edges : gap;
  } else if (d.gap_left != 0) {
    --d.gap_left;
  } else {
    d.group_end += group_words_;
  }
}

template <typename Bus>
void PortMaster<Bus>::step_read() {
  if ((port_each_edge_ || !odd_edge_) && read_.bursts_open != 0 &&
      bus_->pl_read_word_available(client_)) {
    ++moves_;
    for (std::uint32_t i = 0; i < beat_words(); ++i) {
      const AfiPort::ReadWord word = bus_->pl_take_read_word();
      if (word.last) --read_.bursts_open;
      if (read_.halting) continue;
      Transfer& transfer = read_.transfers.at(read_.moving);
      ++read_.moved;
      ++transfer.moved;
      if (transfer.response == Response::okay) {
        transfer.response = word.response;
        if (word.response == Response::okay) ++transfer.good;
      }
      const bool ends = transfer.moved == transfer.words;
      read_buffer_.push({word.data, ends && transfer.ends_packet});
      if (ends) ++read_.moving;
    }
  }
  if (read_.halting) {
    if (read_.bursts_open == 0) end_halt(read_, read_buffer_);
    return;
  }
  if (read_.next_words != 0 && read_.addressed < read_.group_end &&
      read_.addressed - read_.streamed + burst_words_ <= buffer_words_ &&
      read_.bursts_open < params_.max_read_bursts && bus_->pl_read_room(client_, place(read_))) {
    bus_->pl_read(client_, {place(read_), read_.next_words, 8});
    burst_addressed(read_);
  }
}

void Master::absorb(const Word& word) {
  if (sink_.check && word.data != counter_word(sink_.expected)) sink_.mismatch = true;
  sink_.expected += 2U;
  ++sink_.words;
  if (word.last) ++sink_.packets;
}

void Master::take_into_write_buffer(const Word& word) {
  Transfer& transfer = write_.transfers.at(write_.moving);
  write_buffer_.push(word);
  ++write_.streamed;
  ++transfer.moved;
  ++words_received_;
  if (!in_packet_) ++packets_begun_;
  in_packet_ = !word.last;
  if (word.last || transfer.moved == transfer.words) {
    transfer.ends_packet = word.last;
    transfer.whole = true;
    transfer.words = transfer.moved;
    if (write_.addressing == write_.moving) plan_burst(write_);
    ++write_.moving;
    ++unanswered_;
  } else if (past_boundary(transfer, transfer.moved) == 0 ||
             (group_words_ != 0 && write_.streamed % group_words_ == 0)) {
    ++unanswered_;
    if (transfer.moved == transfer.cut) pass_cut_of_source(transfer);
  }
}

/// Of the oldest burst that has no response yet.
void Master::answered(Response response) {
  --write_.bursts_open;
  --unanswered_;
  ++moves_;
  if (write_.halting) return;
  Transfer& transfer = write_.transfers.front();
  const std::uint32_t words = burst_at(transfer, transfer.answered, write_.answered);
  if (transfer.response == Response::okay) {
    transfer.response = response;
    if (response == Response::okay) transfer.good += words;
  }
  transfer.answered += words;
  write_.answered += words;
  if (transfer.whole && transfer.answered == transfer.words) finish(write_);
}

Master::Word Master::next_of_source() {
  const std::uint64_t data = counter_word(source_.next);
  source_.next += 2U;
  const bool last = ++source_in_packet_ == source_.packet_words;
  if (last) {
    source_in_packet_ = 0;
    ++source_.packets_sent;
    if (source_.one_packet) source_.enabled = false;
  }
  return {data, last};
}

/// One beat of each stream: towards the write side, and from the read side.
void Master::step_stream() {
  const bool wanted = write_.moving != write_.transfers.size() &&
                      write_.streamed < write_.group_end && !write_buffer_.full() &&
                      unanswered_was_.back() < params_.max_write_bursts && !write_.halting;
  const bool there = route_ == Route::split ? source_.enabled
                                            : !waiting_.empty() && edges_ >= waiting_.front().ready;
  if (wanted && there) ++moves_;
  for (std::uint32_t i = 0; wanted && there && i < beat_words_; ++i) {
    if (route_ == Route::split) {
      take_into_write_buffer(next_of_source());
    } else {
      take_into_write_buffer(waiting_.front().word);
      waiting_.pop();
    }
  }
  const bool taken = loopback() ? waiting_.size() < loop_words_ : sink_.enabled;
  if (read_buffer_.empty() || read_.halting || !taken) return;
  ++moves_;
  Transfer& transfer = read_.transfers.front();
  for (std::uint32_t i = 0; i < beat_words_; ++i) {
    if (loopback())
      waiting_.push({read_buffer_.front(), edges_ + params_.loop_latency_edges});
    else
      absorb(read_buffer_.front());
    read_buffer_.pop();
    ++read_.streamed;
    ++transfer.streamed;
    ++words_sent_;
  }
  if (transfer.streamed == transfer.cut) pass_cut_of_sink(transfer);
  if (transfer.streamed == transfer.words) finish(read_);
}

template <typename Bus>
void PortMaster<Bus>::step_write() {
  if (bus_->pl_response_available(client_)) answered(bus_->pl_take_response());
  if ((port_each_edge_ || !odd_edge_) && write_.moved < write_.addressed &&
      bus_->pl_write_word_room(client_)) {
    ++moves_;
    for (std::uint32_t i = 0; i < beat_words(); ++i) {
      bus_->pl_put_write_word(write_buffer_.front().data, 0xff);
      write_buffer_.pop();
      ++write_.moved;
      ++words_written_;
    }
  }
  if (write_.halting) {
    if (write_.bursts_open == 0 && write_.moved == write_.addressed) {
      end_halt(write_, write_buffer_);
      unanswered_ = 0;
    }
    return;
  }
  if (write_.next_words != 0) {
    const Transfer& transfer = write_.transfers.at(write_.addressing);
    if (transfer.addressed + write_.next_words > transfer.moved) return;
    if (!bus_->pl_write_room(client_, place(write_))) return;
    bus_->pl_write(client_, {place(write_), write_.next_words, 8});
    burst_addressed(write_);
  }
}

template <typename Bus>
Master::Stall PortMaster<Bus>::write_stall() const {
  if (write_.moved < write_.addressed) return Stall::space;
  if (write_.next_words != 0) {
    const Transfer& transfer = write_.transfers.at(write_.addressing);
    if (transfer.addressed + write_.next_words <= transfer.moved) return Stall::address;
  }
  const bool held =
      write_open() ? unanswered_was_.back() >= params_.max_write_bursts : write_.bursts_open != 0;
  return held ? Stall::response : Stall::data;
}

template <typename Bus>
void PortMaster<Bus>::pl_edge() {
  if (finished()) return;
  ++edges_;
  bus_->pl_edge(client_);
  odd_edge_ = !odd_edge_;
  if (writing()) step_write();
  if (stream_each_edge_ || !odd_edge_) step_stream();
  unanswered_was_ = {unanswered_, unanswered_was_[0], unanswered_was_[1]};
  if (reading()) step_read();
  if (group_words_ != 0) {
    step_group(read_, read_.streamed == read_.group_end, params_.read_gap_edges);
    step_group(write_, write_.moved == write_.group_end && write_.bursts_open == 0,
               params_.write_gap_edges);
  }
}

template class PortMaster<PortShare<AfiPort>>;
template class PortMaster<PortShare<F2sPort>>;
template class PortMaster<RamSplit>;

}  // namespace sluice::model
