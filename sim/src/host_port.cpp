// SPDX-License-Identifier: Apache-2.0
#include "host_port.hpp"

#include <algorithm>

namespace sluice::sim {
namespace {

constexpr uint64_t kUnansweredCounts = 16;  // of sl_xdma_writeback
constexpr uint64_t kMessageCycles = 2;      // a beat of sl_msix to its next address
constexpr unsigned kDataBursts = 14;        // of a writing mover whose beats have not gone
constexpr uint64_t kDataCycles = 2;         // a last beat to the address that waited for it there
constexpr uint64_t kFullCycles = 1;         // the same, where kAddresses waited

// Cycles from an address to its first beat: a burst is kept until its last beat has been through a
// FIFO, which a short one does not hide (sl_s2mm, Latency).
uint64_t first_beat(HostPort::Writer writer, uint64_t beats) {
  return writer == HostPort::kC2hData && beats < 3 ? 4 - beats : 1;
}

}  // namespace

// ---- reads

bool HostPort::takes(Reader reader, uint64_t cycle) {
  if (read_address_from_ > cycle || (held_ != kReaders && held_ != reader)) return false;
  held_ = read_from() <= cycle ? kReaders : reader;
  return held_ == kReaders;
}

void HostPort::read(Reader reader, uint64_t cycle, uint64_t address, uint32_t bytes,
                    uint64_t place) {
  read_address_from_ = cycle + 1;
  last_reader_ = reader;
  const uint32_t token = free_.front().token;
  free_.pop_front();
  const auto skip = static_cast<uint32_t>(address % width_);
  const uint32_t whole = (skip + bytes + width_ - 1) / width_ * width_;
  reads_[token] = {.reader = reader, .place = place, .skip = skip, .asked = bytes, .bytes = whole};
  if (ending_ && read_from_ <= cycle) end_burst();
  if (readers_[reader].empty()) ids_.push_back(reader);
  readers_[reader].push_back(token);
  link_.read(token, address - skip, whole);
}

void HostPort::read_data(uint32_t token, uint32_t bytes, std::span<const uint8_t> data,
                         model::Response status) {
  Read& read = reads_[token];
  if (status == model::Response::okay && read.good == read.arrived) {
    const uint32_t first = std::max(read.good, read.skip);
    const uint32_t end = std::min(read.good + bytes, read.skip + read.asked);
    if (first < end)
      user_.bytes(read.reader, read.place + first - read.skip,
                  data.subspan(first - read.good, end - first));
    read.good += bytes;
  } else if (read.status == model::Response::okay) {
    read.status = status;
  }
  read.arrived += bytes;
  free_if_over(token);
}

// A failed burst may have been given while requests of it are still out.
void HostPort::free_if_over(uint32_t token) {
  const Read& read = reads_[token];
  if (read.given == read.bytes && read.arrived == read.bytes) free_.push_back({token, read_from_});
}

// Its reader's turn is over.
void HostPort::end_burst() {
  ending_ = false;
  auto& tokens = readers_[ids_[turn_]];
  tokens.pop_front();
  if (tokens.empty())
    ids_.erase(ids_.begin() + static_cast<std::ptrdiff_t>(turn_));
  else
    ++turn_;
  if (turn_ >= ids_.size()) turn_ = 0;
}

void HostPort::give_beats(uint64_t cycle) {
  while (read_from_ <= cycle) {
    if (ending_) end_burst();
    size_t tried = 0;
    uint32_t beats = 0;
    for (; tried < ids_.size(); ++tried) {
      const Reader reader = ids_[(turn_ + tried) % ids_.size()];
      const Read& read = reads_[readers_[reader].front()];
      const uint32_t there = read.status == model::Response::okay ? read.good : read.bytes;
      beats = (there - read.given) / width_;
      if (beats != 0) break;
    }
    if (beats == 0) return;
    turn_ = (turn_ + tried) % ids_.size();
    const Reader reader = ids_[turn_];
    const uint32_t token = readers_[reader].front();
    Read& read = reads_[token];
    // The good beats of a failed burst are told apart from the others.
    const uint32_t good = read.good - std::min(read.good, read.given);
    const bool failed = good < width_;
    if (!failed) beats = std::min(beats, good / width_);
    read.given += beats * width_;
    ending_ = read.given == read.bytes;
    const uint64_t from = std::max(read_from_, cycle);
    read_from_ = from + beats;
    const model::Response status = failed ? read.status : model::Response::okay;
    if (ending_) free_if_over(token);
    user_.beats(reader, from, beats, ending_, status);
  }
  // Something may be there already for then.
  for (size_t i = 0; i < ids_.size(); ++i) {
    const auto& tokens = readers_[ids_[i]];
    const size_t next = ending_ && i == turn_ ? 1 : 0;
    if (next == tokens.size()) continue;
    const Read& read = reads_[tokens[next]];
    const uint32_t there = read.status == model::Response::okay ? read.good : read.bytes;
    if (there - read.given >= width_) due(read_from_);
  }
}

// ---- writes

// The cycle from which the port's next address can be taken; kNever: there is none, or a beat has
// to go first.
uint64_t HostPort::address_at(unsigned port) const {
  const auto& waiting = waiting_[port];
  return waiting.empty() ? kNever : std::max(waiting.front().burst.ready, port_from_[port]);
}

void HostPort::take_addresses(uint64_t cycle) {
  while (open_.size() < kAddresses) {
    unsigned tried = 1;
    for (; tried <= kPorts; ++tried)
      if (address_at((address_turn_ + tried) % kPorts) <= cycle) break;
    if (tried > kPorts) break;
    if (address_from_ > cycle) return due(address_from_);
    address_turn_ = (address_turn_ + tried) % kPorts;
    auto& waiting = waiting_[address_turn_];
    const auto [writer, burst] = waiting.front();
    const uint64_t beats = beats_of(burst.address, burst.bytes, width_);
    open_.push_back({writer, burst, cycle + first_beat(writer, beats)});
    waiting.pop_front();
    address_from_ = cycle + 1;
    uint64_t& from = port_from_[address_turn_];
    switch (address_turn_) {
      case kDataPort:
        if (++data_open_ == kDataBursts) from = kNever;
        break;
      case kCountPort:
        std::ranges::find(counts_, kNever, &Count::presented)->presented = cycle;
        resolve_counts();
        break;
      default: from = kNever;
    }
  }
  if (open_.size() == kAddresses) return;
  for (unsigned port = 0; port < kPorts; ++port)
    if (address_at(port) != kNever) due(std::max(address_at(port), cycle + 1));
}

void HostPort::count(Writer writer, uint64_t cycle, uint64_t address, uint32_t word) {
  counts_.push_back({.writer = writer, .address = address, .word = word, .queued = cycle});
  last_count_ = writer;
  resolve_counts();
}

// Registers from the queue of sl_xdma_writeback to the join. Each is full until the next one takes
// what it holds; the slice has room for two beats.
void HostPort::resolve_counts() {
  static constexpr Count kNone{.writer = kH2cCounts,
                               .address = 0,
                               .word = 0,
                               .queued = 0,
                               .taken = 0,
                               .addressed = 0,
                               .written = 0,
                               .waiting = 0,
                               .presented = 0,
                               .sent = 0};
  for (size_t i = 0; i < counts_.size(); ++i) {
    Count& count = counts_[i];
    const Count& last = i < 1 ? kNone : counts_[i - 1];
    const Count& before = i < 2 ? kNone : counts_[i - 2];
    const uint64_t most = answered_counts_ + kUnansweredCounts;  // taken
    if (count.taken == kNever && last.addressed != kNever && last.written != kNever &&
        first_count_ + i < most) {
      const uint64_t room = first_count_ + i + 1 == most ? count_answer_ : 0;
      count.taken = std::max({count.queued, last.addressed, last.written, room}) + 1;
    }
    if (count.taken == kNever) break;
    if (count.addressed == kNever && last.presented != kNever) {
      count.addressed = std::max(count.taken, last.presented) + 1;
      write(count.writer, {.address = count.address,
                           .bytes = sizeof count.word,
                           .data = nullptr,
                           .word = count.word,
                           .ready = count.addressed + 1});
    }
    if (count.written == kNever && last.waiting != kNever)
      count.written = std::max(count.taken + 1, last.waiting);
    if (count.waiting == kNever && count.written != kNever && before.sent != kNever)
      count.waiting = std::max(count.written, before.sent) + 1;
  }
  for (; counts_.size() > 2 && counts_[2].waiting != kNever; ++first_count_) counts_.pop_front();
}

void HostPort::begin_packet(uint64_t from) {
  const Burst& burst = open_.front().burst;
  const uint64_t room = max_payload_ - burst.address % max_payload_;
  packet_bytes_ = static_cast<uint32_t>(std::min<uint64_t>(burst.bytes, room));
  packet_end_ = from + beats_of(burst.address, packet_bytes_, width_) - 1;
}

void HostPort::send_packet(uint64_t cycle) {
  Open& open = open_.front();
  Burst& burst = open.burst;
  const uint8_t* data =
      burst.data != nullptr ? burst.data : reinterpret_cast<const uint8_t*>(&burst.word);
  const bool last = burst.bytes == packet_bytes_;
  if (last) {
    unanswered_.push_back(open.writer);
    if (open_.size() == kAddresses) address_from_ = cycle + kFullCycles;
  }
  // Where the last beat is not full, the bridge learns of the end behind the packet.
  const bool padded = last && (burst.address + packet_bytes_) % width_ != 0;
  link_.write(0, burst.address, {data, packet_bytes_}, last && !padded);
  if (padded) link_.write_nothing(0);
  if (open.writer == kC2hData && last && data_open_-- == kDataBursts)
    port_from_[kDataPort] = cycle + kDataCycles;
  if (port_of(open.writer) == kCountPort) {
    std::ranges::find(counts_, kNever, &Count::sent)->sent = cycle;
    resolve_counts();
  }
  if (open.writer == kMessages) port_from_[kMessagePort] = cycle + kMessageCycles;
  packet_end_ = kNever;
  write_from_ = cycle + 1;
  blocked_ = !link_.can_write();
  if (last) {
    open_.pop_front();
    return;
  }
  burst.address += packet_bytes_;
  burst.bytes -= packet_bytes_;
  burst.data += packet_bytes_;
}

void HostPort::take_beats(uint64_t cycle) {
  // READY rises with the edge that sees room.
  if (blocked_ && link_.can_write()) {
    blocked_ = false;
    write_from_ = cycle + 1;
  }
  for (;;) {
    if (packet_end_ == kNever) {
      if (blocked_ || open_.empty()) return;
      begin_packet(std::max(write_from_, open_.front().first));
    }
    if (packet_end_ > cycle) return due(packet_end_);
    send_packet(cycle);
  }
}

void HostPort::step(uint64_t cycle) {
  next_ = kNever;
  give_beats(cycle);
  take_beats(cycle);
  take_addresses(cycle);
  // An address that has just been taken may have its first beat due.
  if (packet_end_ == kNever) take_beats(cycle);
  if (sent_ != 0 && answer_from_ <= cycle) {
    const Writer writer = unanswered_.front();
    unanswered_.pop_front();
    --sent_;
    answer_from_ = cycle + 1;
    if (port_of(writer) == kCountPort) {
      ++answered_counts_;
      count_answer_ = cycle;
      resolve_counts();
    }
    user_.written(writer, cycle);
  }
  if (sent_ != 0) due(answer_from_);
}

bool HostPort::idle() const {
  return free_.size() == kBursts && open_.empty() && unanswered_.empty() &&
         std::ranges::find(counts_, kNever, &Count::sent) == counts_.end() &&
         std::ranges::all_of(waiting_, [](const auto& bursts) { return bursts.empty(); });
}

}  // namespace sluice::sim
