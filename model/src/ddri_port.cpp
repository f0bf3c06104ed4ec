// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/ddri_port.hpp"

#include <bit>
#include <stdexcept>

namespace sluice::model {

DdriPort::DdriPort(const DdrcParams& params, std::uint32_t index, DdriRequests& requests)
    : params_(params),
      index_(index),
      requests_(requests),
      read_commands_(kSlots),
      read_order_(kSlots),
      write_commands_(params.port.write_bursts),
      responses_(kSlots) {}

DramRequest DdriPort::make_request(const Burst& b, std::uint32_t slot) const {
  const std::uint64_t address = (b.burst.address / kRequestBytes + b.granted) * kRequestBytes;
  return {params_.map.row(address), static_cast<std::uint8_t>(params_.map.bank(address)),
          static_cast<std::uint8_t>(index_), static_cast<std::uint8_t>(slot),
          static_cast<std::uint8_t>(b.granted)};
}

void DdriPort::update_read_request() {
  std::uint64_t from = kNever;
  if (!read_commands_.empty()) {
    const Burst& b = reads_[read_commands_.front()];
    const std::uint32_t words = b.next_end - b.words_granted;
    if (read_ram_used_ + words <= params_.port.read_ram_words) from = b.ready_cycle;
  }
  requests_.reads.set(index_, from);
}

void DdriPort::update_write_request() {
  std::uint64_t from = kNever;
  if (!write_commands_.empty() && !responses_.full()) {
    const Burst& b = writes_[write_commands_.front()];
    if (b.words_here >= b.next_end) from = b.ready_cycle;
  }
  requests_.writes.set(index_, from);
}

void DdriPort::update_read_words_ready() {
  read_words_ready_ = 0;
  if (read_order_.empty()) return;
  const Burst& b = reads_[read_order_.front()];
  const auto run = static_cast<std::uint32_t>(std::countr_one(b.returned));
  if (run != 0) read_words_ready_ = words_through(b, run - 1U) - b.words_sent;
}

DdriPort::Burst DdriPort::split(const AfiBurst& burst, const Origin& origin, std::uint64_t ready) {
  const std::uint64_t first = burst.address / kRequestBytes;
  const std::uint64_t last = (burst.end() - 1U) / kRequestBytes;
  const std::uint64_t aligned = burst.address & ~std::uint64_t{burst.size_bytes - 1U};
  Burst b{};
  b.burst = burst;
  b.ready_cycle = ready;
  b.origin = origin;
  b.requests = static_cast<std::uint32_t>(last - first) + 1U;
  b.first_words =
      static_cast<std::uint32_t>(((first + 1U) * kRequestBytes - aligned) / burst.size_bytes);
  b.step_words = kRequestBytes / burst.size_bytes;
  b.next_end = words_through(b, 0);
  return b;
}

std::uint32_t DdriPort::grant(Burst& b) {
  const std::uint32_t words = b.next_end - b.words_granted;
  ++b.granted;
  b.words_granted = b.next_end;
  b.next_end = words_through(b, b.granted);
  return words;
}

void DdriPort::read(const AfiBurst& burst, const Origin& origin, std::uint64_t cycle) {
  if (!read_room()) throw std::logic_error("DDRI: read without room");
  const auto slot = static_cast<std::uint32_t>(std::countr_zero(read_free_));
  read_free_ &= read_free_ - 1U;
  ++reads_open_;
  ++requests_.bursts;
  reads_[slot] = split(burst, origin, cycle + params_.command_latency_cycles);
  read_commands_.push(static_cast<std::uint8_t>(slot));
  read_order_.push(static_cast<std::uint8_t>(slot));
  if (requests_.reads.from[index_] == kNever) update_read_request();
}

void DdriPort::write(const AfiBurst& burst, const Origin& origin, std::uint64_t cycle) {
  if (!write_room(burst.words)) throw std::logic_error("DDRI: write without room");
  const auto slot = static_cast<std::uint32_t>(std::countr_zero(write_free_));
  write_free_ &= write_free_ - 1U;
  writes_[slot] = split(burst, origin, cycle + params_.command_latency_cycles);
  write_commands_.push(static_cast<std::uint8_t>(slot));
  write_ram_used_ += burst.words;
  ++requests_.bursts;
}

std::uint32_t DdriPort::take_response() {
  const std::uint32_t source = responses_.front().source;
  responses_.pop();
  --requests_.bursts;
  response_cycle_ = responses_.empty() ? kNever : responses_.front().cycle;
  if (requests_.writes.from[index_] == kNever) update_write_request();
  return source;
}

std::uint64_t DdriPort::next_read_address() const {
  const Burst& b = reads_[read_commands_.front()];
  return b.burst.address + std::uint64_t{b.granted} * kRequestBytes;
}

std::uint64_t DdriPort::next_write_address() const {
  const Burst& b = writes_[write_commands_.front()];
  return b.burst.address + std::uint64_t{b.granted} * kRequestBytes;
}

DramRequest DdriPort::grant_read(bool& failed) {
  const std::uint32_t slot = read_commands_.front();
  Burst& b = reads_[slot];
  const DramRequest request = make_request(b, slot);
  failed = b.origin.failed;
  read_ram_used_ += grant(b);
  if (b.granted == b.requests) read_commands_.pop();
  update_read_request();
  return request;
}

DramRequest DdriPort::grant_write(std::uint64_t cycle, bool& failed) {
  const std::uint32_t slot = write_commands_.front();
  Burst& b = writes_[slot];
  const DramRequest request = make_request(b, slot);
  failed = b.origin.failed;
  write_ram_used_ -= grant(b);
  if (b.granted == b.requests) {
    responses_.push({cycle + params_.response_latency_cycles, b.origin.source});
    response_cycle_ = responses_.front().cycle;
    write_commands_.pop();
    write_free_ |= 1U << slot;
  }
  update_write_request();
  return request;
}

void DdriPort::read_returned(std::uint32_t burst, std::uint32_t index) {
  Burst& b = reads_[burst];
  b.returned |= 1U << index;
  if (b.returned == (1U << b.requests) - 1U) --reads_open_;
  if (burst == read_order_.front()) update_read_words_ready();
}

}  // namespace sluice::model
