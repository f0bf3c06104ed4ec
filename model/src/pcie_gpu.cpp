// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/pcie_gpu.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

namespace sluice::model {
namespace {

constexpr std::uint32_t kWordBytes = 4;
constexpr std::size_t kReadsAhead = 2;  // that wait for the link, so that it never runs dry

PcieParams link_params(const PcieParams& card) {
  PcieParams params = card;
  params.generation = card.gpu.generation;
  params.lanes = card.gpu.lanes;
  params.max_payload = card.gpu.max_payload;
  params.max_read_request = card.gpu.max_read_request;
  params.tags = card.gpu.tags;
  return params;
}

}  // namespace

PcieGpu::PcieGpu(const PcieParams& params, PcieRoot& root)
    : params_(params.gpu),
      time_(root.time()),
      memory_(root.add_peer({.base = params_.memory_base,
                             .bytes = params_.memory_bytes,
                             .window = params_.window,
                             .service_ps = params_.service_ps,
                             .near_bytes = params_.near_bytes,
                             .far_ps = params_.far_ps})
                  .memory()),
      link_(link_params(params), *this, root) {}

std::uint64_t PcieGpu::time_of(std::uint64_t bytes) const {
  return params_.rate_mb_s == 0 ? 0 : bytes * 1'000'000U / params_.rate_mb_s;
}

void PcieGpu::copy(const Copy& copy) {
  assert(copy.bytes != 0 && (owns(copy.source, copy.bytes) || owns(copy.destination, copy.bytes)));
  copies_.push_back(copy);
  if (state_ == State::idle) start();
}

PcieGpu::Ended PcieGpu::take_ended() {
  const Ended ended{.time_ps = link_.interrupts().front().time_ps, .status = ended_.front()};
  link_.interrupts().pop_front();
  ended_.pop_front();
  return ended;
}

void PcieGpu::start() {
  state_ = State::starting;
  time_.at(time_.now_ps() + params_.start_ps, *this, static_cast<std::uint8_t>(Kind::begin));
}

void PcieGpu::act(const PcieEvent& event) {
  switch (static_cast<Kind>(event.kind)) {
    case Kind::begin: {
      state_ = State::moving;
      asked_ = there_ = 0;
      status_ = Response::okay;
      pace_ps_ = time_.now_ps();
      const Copy& copy = copies_.front();
      if (!owns(copy.source, copy.bytes) || !owns(copy.destination, copy.bytes)) return go_on();
      // Inside its memory: no packet tells of it.
      state_ = State::within;
      return time_.at(time_.now_ps() + time_of(copy.bytes), *this,
                      static_cast<std::uint8_t>(Kind::within));
    }
    case Kind::within: {
      const Copy& copy = copies_.front();
      std::memmove(memory_.host(copy.destination, copy.bytes),
                   memory_.host(copy.source, copy.bytes), copy.bytes);
      return end();
    }
    case Kind::go_on: soon_ = false; return go_on();
    case Kind::end: return end();
  }
}

// The link is not called while it calls.
void PcieGpu::go_on_soon() {
  if (soon_) return;
  soon_ = true;
  time_.at(time_.now_ps(), *this, static_cast<std::uint8_t>(Kind::go_on));
}

void PcieGpu::go_on() {
  if (state_ != State::moving) return;
  if (owns(copies_.front().destination, copies_.front().bytes))
    read_on();
  else
    write_on();
}

// Whether the rate lets so many bytes be asked for now; else an event is due when it does.
bool PcieGpu::in_pace(std::uint32_t bytes) {
  if (pace_ps_ > time_.now_ps()) {
    if (!soon_) {
      soon_ = true;
      time_.at(pace_ps_, *this, static_cast<std::uint8_t>(Kind::go_on));
    }
    return false;
  }
  pace_ps_ = time_.now_ps() + time_of(bytes);
  return true;
}

void PcieGpu::read_on() {
  const Copy& copy = copies_.front();
  while (asked_ < copy.bytes && status_ == Response::okay && link_.queued_reads() < kReadsAhead) {
    const std::uint64_t address = copy.source + asked_;
    const std::uint64_t room = params_.max_read_request - address % params_.max_read_request;
    const auto bytes = static_cast<std::uint32_t>(std::min(copy.bytes - asked_, room));
    if (!in_pace(bytes)) return;
    reads_[next_token_] = asked_;
    asked_ += bytes;
    link_.read(next_token_++, address, bytes);
  }
  if (there_ == asked_ && (asked_ == copy.bytes || status_ != Response::okay)) end();
}

void PcieGpu::read_data(std::uint32_t token, std::uint32_t bytes,
                        std::span<const std::uint8_t> data, Response status) {
  if (state_ == State::reading_back)
    return time_.at(time_.now_ps(), *this, static_cast<std::uint8_t>(Kind::end));
  go_on_soon();
  std::uint64_t& offset = reads_[token];
  if (status == Response::okay)
    std::memcpy(memory_.host(copies_.front().destination + offset, bytes), data.data(), bytes);
  else
    status_ = status;
  offset += bytes;
  there_ += bytes;
  // A request lies within a multiple of max_read_request, which its end tells of.
  const std::uint64_t next = copies_.front().source + offset;
  if (next % params_.max_read_request == 0 || offset == copies_.front().bytes) reads_.erase(token);
}

void PcieGpu::write_on() {
  const Copy& copy = copies_.front();
  while (asked_ < copy.bytes && link_.can_write()) {
    const std::uint64_t address = copy.destination + asked_;
    const std::uint64_t room = params_.max_payload - address % params_.max_payload;
    const auto bytes = static_cast<std::uint32_t>(std::min(copy.bytes - asked_, room));
    if (!in_pace(bytes)) return;
    const std::uint8_t* data = memory_.host(copy.source + asked_, bytes);
    asked_ += bytes;
    link_.write(bytes, address, {data, bytes}, true);
  }
  if (there_ != copy.bytes) return;
  const std::uint64_t word = (copy.destination + copy.bytes - 1U) & ~std::uint64_t{kWordBytes - 1};
  if (!link_.reaches_device(word, kWordBytes)) return end();
  state_ = State::reading_back;
  link_.read(next_token_++, word, kWordBytes);
}

void PcieGpu::write_sent(std::uint32_t token) {
  there_ += token;  // its bytes
  go_on_soon();
}

void PcieGpu::end() {
  constexpr std::array<std::uint8_t, kWordBytes> kMessage{};
  link_.write(0, PcieRoot::kInterruptFirst, kMessage, true);
  ended_.push_back(status_);
  copies_.pop_front();
  state_ = State::idle;
  if (!copies_.empty()) start();
}

void PcieGpu::store(unsigned /*bar*/, std::uint64_t /*offset*/,
                    std::span<const std::uint8_t> /*data*/) {}

void PcieGpu::load(unsigned /*bar*/, std::uint64_t /*offset*/, std::uint32_t /*bytes*/) {}

}  // namespace sluice::model
