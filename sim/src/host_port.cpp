// SPDX-License-Identifier: Apache-2.0
#include "host_port.hpp"

#include <algorithm>

namespace sluice::sim {
namespace {

constexpr uint64_t kCountCycles = 2;    // between two addresses of sl_xdma_writeback
constexpr uint64_t kMessageCycles = 2;  // a beat of sl_msix to its next address
constexpr unsigned kDataBursts = 14;    // of a writing mover whose beats have not gone
constexpr uint64_t kDataCycles = 2;     // a last beat to the address that waited for it there
constexpr uint64_t kFullCycles = 1;     // the same, where kAddresses waited

// Cycles from an address to its first beat: a burst is kept until its last beat has been through a
// FIFO, which a short one does not hide (sl_s2mm, Latency).
uint64_t first_beat(HostPort::Writer writer, uint64_t beats) {
  return writer == HostPort::kC2hData && beats < 3 ? 4 - beats : 1;
}

}  // namespace

// ---- reads

void HostPort::read(Reader reader, uint64_t cycle, uint64_t address, uint32_t bytes,
                    uint64_t place) {
  read_address_from_ = cycle + 1;
  last_reader_ = reader;
  const uint32_t token = free_.back();
  free_.pop_back();
  const auto skip = static_cast<uint32_t>(address % width_);
  const uint32_t whole = (skip + bytes + width_ - 1) / width_ * width_;
  reads_[token] = {.reader = reader, .place = place, .skip = skip, .asked = bytes, .bytes = whole};
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
  if (read.given == read.bytes && read.arrived == read.bytes) free_.push_back(token);
}

void HostPort::give_beats(uint64_t cycle) {
  while (read_from_ <= cycle) {
    unsigned tried = 0;
    uint32_t beats = 0;
    for (; tried < kReaders; ++tried) {
      const unsigned place = (turn_ + tried) % kReaders;
      if (readers_[place].empty()) continue;
      const Read& read = reads_[readers_[place].front()];
      const uint32_t there = read.status == model::Response::okay ? read.good : read.bytes;
      beats = (there - read.given) / width_;
      if (beats != 0) break;
    }
    if (beats == 0) return;
    turn_ = (turn_ + tried) % kReaders;
    const auto reader = static_cast<Reader>(turn_);
    const uint32_t token = readers_[reader].front();
    Read& read = reads_[token];
    // The good beats of a failed burst are told apart from the others.
    const uint32_t good = read.good - std::min(read.good, read.given);
    const bool failed = good < width_;
    if (!failed) beats = std::min(beats, good / width_);
    read.given += beats * width_;
    const bool last = read.given == read.bytes;
    const uint64_t from = std::max(read_from_, cycle);
    read_from_ = from + beats;
    const model::Response status = failed ? read.status : model::Response::okay;
    if (last) {
      readers_[reader].pop_front();
      free_if_over(token);
      turn_ = (turn_ + 1) % kReaders;
    }
    user_.beats(reader, from, beats, last, status);
  }
  // Something may be there already for then.
  for (const auto& tokens : readers_)
    if (!tokens.empty()) {
      const Read& read = reads_[tokens.front()];
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
      case kCountPort: from = cycle + kCountCycles; break;
      default: from = kNever;
    }
  }
  if (open_.size() == kAddresses) return;
  for (unsigned port = 0; port < kPorts; ++port)
    if (address_at(port) != kNever) due(std::max(address_at(port), cycle + 1));
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
  const auto beats = static_cast<uint32_t>(beats_of(burst.address, packet_bytes_, width_));
  const bool last = burst.bytes == packet_bytes_;
  if (last) {
    unanswered_.push_back(open.writer);
    --unsent_[open.writer];
    if (open_.size() == kAddresses) address_from_ = cycle + kFullCycles;
  }
  // Where the last beat is not full, the bridge learns of the end behind the packet.
  const bool padded = last && (burst.address + packet_bytes_) % width_ != 0;
  link_.write(0, burst.address, {data, packet_bytes_}, last && !padded);
  if (padded) link_.write_nothing(0);
  if (open.writer == kC2hData) {
    user_.data_sent(cycle, beats);
    if (last && data_open_-- == kDataBursts) port_from_[kDataPort] = cycle + kDataCycles;
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
    user_.written(writer, cycle);
  }
  if (sent_ != 0) due(answer_from_);
}

bool HostPort::idle() const {
  return free_.size() == kBursts && open_.empty() && unanswered_.empty() &&
         std::ranges::all_of(waiting_, [](const auto& bursts) { return bursts.empty(); });
}

}  // namespace sluice::sim
