// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/ddri_port.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace sluice::model {

DdriPort::DdriPort(const DdrcParams& params, std::uint32_t index)
    : params_(params),
      index_(index),
      read_commands_(params.port.command_fifo_depth),
      read_order_{Ring<std::uint8_t>(kSlots), Ring<std::uint8_t>(kSlots)},
      write_commands_(params.port.command_fifo_depth),
      responses_(kSlots) {}

std::uint32_t DdriPort::words_through(const Burst& b, std::uint32_t index) {
  const std::uint64_t first_request = b.burst.address / kRequestBytes;
  const std::uint64_t end = (first_request + index + 1U) * kRequestBytes;
  const std::uint64_t aligned = b.burst.address & ~std::uint64_t{b.burst.size_bytes - 1U};
  return std::min(b.burst.words, static_cast<std::uint32_t>((end - aligned) / b.burst.size_bytes));
}

DramRequest DdriPort::make_request(const Burst& b, std::uint32_t slot) const {
  const std::uint64_t address = (b.burst.address / kRequestBytes + b.granted) * kRequestBytes;
  return {params_.map.row(address), static_cast<std::uint8_t>(params_.map.bank(address)),
          static_cast<std::uint8_t>(index_), static_cast<std::uint8_t>(slot),
          static_cast<std::uint8_t>(b.granted)};
}

namespace {
std::uint32_t requests_of(const AfiBurst& burst) {
  return static_cast<std::uint32_t>((burst.end() - 1U) / DdriPort::kRequestBytes -
                                    burst.address / DdriPort::kRequestBytes) +
         1U;
}
}  // namespace

void DdriPort::read(const AfiBurst& burst, std::uint32_t source, bool failed, std::uint64_t cycle) {
  if (!read_room()) throw std::logic_error("DDRI: read without room");
  const auto slot = static_cast<std::uint32_t>(std::countr_zero(read_free_));
  read_free_ &= read_free_ - 1U;
  reads_[slot] = {burst, cycle + params_.command_latency_cycles, source, requests_of(burst), 0, 0,
                  0,     0,                                      failed};
  read_commands_.push(static_cast<std::uint8_t>(slot));
  read_order_[source].push(static_cast<std::uint8_t>(slot));
}

bool DdriPort::read_word_ready(std::uint32_t source) const {
  if (read_order_[source].empty()) return false;
  const Burst& b = reads_[read_order_[source].front()];
  const auto run = static_cast<std::uint32_t>(std::countr_one(b.returned));
  return run != 0 && b.words_sent < words_through(b, run - 1U);
}

void DdriPort::take_read_word(std::uint32_t source) {
  const std::uint32_t slot = read_order_[source].front();
  Burst& b = reads_[slot];
  ++b.words_sent;
  --read_ram_used_;
  if (b.words_sent == b.burst.words) {
    read_order_[source].pop();
    read_free_ |= 1U << slot;
  }
}

void DdriPort::write(const AfiBurst& burst, std::uint32_t source, bool failed,
                     std::uint64_t cycle) {
  if (!write_room(burst.words)) throw std::logic_error("DDRI: write without room");
  const auto slot = static_cast<std::uint32_t>(std::countr_zero(write_free_));
  write_free_ &= write_free_ - 1U;
  writes_[slot] = {burst, cycle + params_.command_latency_cycles, source, requests_of(burst), 0, 0,
                   0,     0,                                      failed};
  write_commands_.push(static_cast<std::uint8_t>(slot));
  write_ram_used_ += burst.words;
}

void DdriPort::put_write_word() { ++writes_[write_commands_.back()].words_here; }

std::uint32_t DdriPort::take_response() {
  const std::uint32_t source = responses_.front().source;
  responses_.pop();
  return source;
}

bool DdriPort::read_pending(std::uint64_t cycle) const {
  if (read_commands_.empty()) return false;
  const Burst& b = reads_[read_commands_.front()];
  if (cycle < b.ready_cycle) return false;
  const std::uint32_t before = b.granted == 0 ? 0 : words_through(b, b.granted - 1U);
  return read_ram_used_ + words_through(b, b.granted) - before <= params_.port.read_ram_words;
}

bool DdriPort::write_pending(std::uint64_t cycle) const {
  if (write_commands_.empty()) return false;
  const Burst& b = writes_[write_commands_.front()];
  return cycle >= b.ready_cycle && b.words_here >= words_through(b, b.granted) && !responses_.full();
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
  const std::uint32_t before = b.granted == 0 ? 0 : words_through(b, b.granted - 1U);
  read_ram_used_ += words_through(b, b.granted) - before;
  const DramRequest request = make_request(b, slot);
  failed = b.failed;
  if (++b.granted == b.requests) read_commands_.pop();
  return request;
}

DramRequest DdriPort::grant_write(std::uint64_t cycle, bool& failed) {
  const std::uint32_t slot = write_commands_.front();
  Burst& b = writes_[slot];
  const std::uint32_t before = b.granted == 0 ? 0 : words_through(b, b.granted - 1U);
  write_ram_used_ -= words_through(b, b.granted) - before;
  const DramRequest request = make_request(b, slot);
  failed = b.failed;
  if (++b.granted == b.requests) {
    responses_.push({cycle + params_.response_latency_cycles, b.source});
    write_commands_.pop();
    write_free_ |= 1U << slot;
  }
  return request;
}

void DdriPort::read_returned(std::uint32_t burst, std::uint32_t index) {
  reads_[burst].returned |= 1U << index;
}

}  // namespace sluice::model
