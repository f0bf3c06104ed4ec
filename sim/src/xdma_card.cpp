// SPDX-License-Identifier: Apache-2.0
#include "xdma_card.hpp"

#include <xdma_card.h>

#include <algorithm>
#include <cstring>

#include "sluice/model/pcie_axi.hpp"
#include "transaction_engine.hpp"

namespace sluice::sim {
namespace {

// Cycles of the logic, as traced on the RTL at its pins (lib/tests/card_levels_test.cpp holds
// them):
constexpr uint64_t kPageCycles = 4;     // of an access to the design page or the MSI-X table
constexpr uint64_t kEngineCycles = 5;   // of one to the engine
constexpr uint64_t kMessageCycles = 7;  // an event to the address of its message

}  // namespace

XdmaCard::XdmaCard(const model::PcieParams& params, unsigned width_bytes, model::Memory& memory,
                   const model::Clock& clock)
    : params_(params),
      width_bytes_(width_bytes),
      memory_(memory),
      clock_(clock),
      link_(params, *this),
      host_(link_, width_bytes, *this),
      channels_{CardChannel({host_, memory, clock, params_, width_bytes}, true),
                CardChannel({host_, memory, clock, params_, width_bytes}, false)} {}

// ---- from the link

void XdmaCard::read_data(uint32_t token, uint32_t bytes, std::span<const uint8_t> data,
                         model::Response status) {
  host_.read_data(token, bytes, data, status);
}

void XdmaCard::write_sent(uint32_t /*token*/) { host_.write_sent(); }

void XdmaCard::store(unsigned bar, uint64_t offset, std::span<const uint8_t> data) {
  accesses_.push_back({.is_load = false,
                       .bar = bar,
                       .offset = offset,
                       .bytes = static_cast<uint32_t>(data.size()),
                       .data = {data.begin(), data.end()}});
}

void XdmaCard::load(unsigned bar, uint64_t offset, uint32_t bytes) {
  accesses_.push_back({.is_load = true, .bar = bar, .offset = offset, .bytes = bytes, .data = {}});
}

// ---- from the host's port

void XdmaCard::bytes(HostPort::Reader reader, uint64_t place, std::span<const uint8_t> data) {
  if (reader == HostPort::kH2cData) return channels_[0].data(place, data);
  channels_[reader == HostPort::kC2hFetch].fetch().bytes(place, data);
}

void XdmaCard::beats(HostPort::Reader reader, uint64_t cycle, uint32_t count, bool last,
                     model::Response status) {
  if (reader == HostPort::kH2cData) return channels_[0].beats(cycle, count, last, status);
  channels_[reader == HostPort::kC2hFetch].fetch().beats(cycle, count, last, status);
}

void XdmaCard::written(HostPort::Writer writer, uint64_t cycle) {
  if (writer == HostPort::kC2hData) return channels_[1].data_written(cycle);
  if (writer == HostPort::kMessages)
    --messages_;
  else
    channels_[writer == HostPort::kC2hCounts].count_written(cycle);
}

// ---- the CPU's accesses: one at a time, in the order of their arrival

// All but stores to the memory wait for those; a load of the MSI-X table waits for the messages.
bool XdmaCard::may_begin() const {
  if (busy_ || accesses_.empty()) return false;
  const Access& access = accesses_.front();
  const bool table = access.bar == model::PcieAxi::kControlBar &&
                     access.offset >= CardBoard::kMsixTable &&
                     access.offset < XDMA_CARD_PAGE_OFFSET;
  if (table && access.is_load && messages_ != 0) return false;
  return stores_.empty() || (access.bar != model::PcieAxi::kControlBar && !access.is_load);
}

void XdmaCard::begin_access(uint64_t cycle) {
  const Access& access = accesses_.front();
  busy_ = true;
  if (access.bar == model::PcieAxi::kControlBar) {
    const bool engine = access.offset < CardBoard::kMsixTable;
    done_ = cycle + (engine ? kEngineCycles : kPageCycles);
    effect_ = access.is_load ? done_ - 1 : done_;
    return;
  }
  const uint64_t beats = beats_of(access.offset, access.bytes, width_bytes_);
  effect_ = cycle + 1;
  if (access.is_load) {
    done_ = clock_.cycle_from(clock_.time_ps(cycle + 1) + params_.card_read_ps) + beats + 1;
  } else {
    done_ = cycle + 1 + beats;
    stores_.push_back(clock_.cycle_from(clock_.time_ps(done_) + params_.card_write_ps) + 1);
  }
}

void XdmaCard::access_memory() {
  const Access& access = accesses_.front();
  load_status_ = memory_.access(access.offset, access.bytes);
  if (load_status_ != model::Response::okay) return;
  uint8_t* bytes = memory_.host(access.offset, access.bytes);
  if (access.is_load)
    loaded_.assign(bytes, bytes + access.bytes);
  else
    std::memcpy(bytes, access.data.data(), access.bytes);
}

void XdmaCard::access_register(uint64_t cycle) {
  const Access& access = accesses_.front();
  const auto offset = static_cast<uint32_t>(access.offset);
  load_status_ = model::Response::okay;
  if (access.is_load) {
    const uint32_t value = load_register(offset & ~3U);
    const auto* bytes = reinterpret_cast<const uint8_t*>(&value) + offset % 4;
    loaded_.assign(bytes, bytes + access.bytes);
    return;
  }
  if (access.bytes != 4) refuse_access("write of part", offset & ~3U);
  uint32_t value = 0;
  std::memcpy(&value, access.data.data(), sizeof value);
  store_register(cycle, offset, value);
}

void XdmaCard::take_access(uint64_t cycle) {
  for (; !stores_.empty() && stores_.front() <= cycle; stores_.pop_front()) link_.stored();
  if (may_begin() && access_from_ <= cycle) begin_access(cycle);
  if (busy_ && effect_ <= cycle) {
    effect_ = kNever;
    try {
      if (accesses_.front().bar == model::PcieAxi::kControlBar)
        access_register(cycle);
      else
        access_memory();
    } catch (...) {
      // The access itself ends as one that does nothing.
      loaded_.assign(accesses_.front().bytes, 0);
      due(done_);
      throw;
    }
  }
  if (busy_ && done_ <= cycle) {
    const Access access = accesses_.front();
    accesses_.pop_front();
    busy_ = false;
    // The memory's port takes the next with the last beat of the one before.
    const bool control = access.bar == model::PcieAxi::kControlBar;
    access_from_ = control ? cycle + 1 : cycle;
    done_ = kNever;
    if (access.is_load) {
      const bool good = load_status_ == model::Response::okay;
      link_.complete({loaded_.data(), good ? access.bytes : 0}, load_status_);
    } else if (control) {
      link_.stored();
    }
    if (may_begin() && access_from_ <= cycle) begin_access(cycle);
  }
  if (busy_)
    due(std::min(effect_, done_));
  else if (may_begin())
    due(access_from_);
  if (!stores_.empty()) due(stores_.front());
}

// ---- interrupts

void XdmaCard::send(uint64_t cycle, unsigned number) {
  Vector& vector = vectors_[number];
  vector.pending = vector.masked;
  if (vector.masked) return;
  ++messages_;
  host_.write(HostPort::kMessages, {.address = vector.address,
                                    .bytes = sizeof vector.data,
                                    .data = nullptr,
                                    .word = vector.data,
                                    .ready = cycle + kMessageCycles});
}

// A message for each interrupt that begins to be pending, or is although software has acknowledged.
void XdmaCard::interrupts(uint64_t cycle) {
  for (unsigned i = 0; i < kChannels; ++i) {
    const bool pending = channels_[i].interrupt() && (enabled_ >> i & 1) != 0;
    const uint32_t vector = channel_vectors_[i / 4] >> (8 * (i % 4)) & 31;
    const bool seen = channels_[i].take_seen();
    if (pending && (seen || !pending_[i])) send(cycle, vector);
    pending_[i] = pending;
  }
}

// ---- time

// A read of the one that waits for the port, else of the one whose turn it is.
void XdmaCard::read_host(uint64_t cycle) {
  const bool held = host_.held() != HostPort::kReaders;
  const unsigned first = held ? host_.held() : host_.last_reader() + 1;
  host_.release();
  for (unsigned tried = 0; tried < HostPort::kReaders; ++tried) {
    const auto reader = static_cast<HostPort::Reader>((first + tried) % HostPort::kReaders);
    const bool read = reader == HostPort::kH2cData
                          ? channels_[0].ask(cycle)
                          : channels_[reader == HostPort::kC2hFetch].fetch().step(cycle);
    if (read || host_.held() != HostPort::kReaders) return;
  }
}

void XdmaCard::step(uint64_t cycle) {
  cycle_ = cycle;
  next_ = kNever;
  // At the pins, too, the link is given a cycle's read before its write.
  read_host(cycle);
  host_.step(cycle);
  take_access(cycle);
  interrupts(cycle);  // a status that was read can rise again in this cycle
  // The channel that has written a count last comes last, so that they take turns.
  const unsigned first = host_.last_count() == HostPort::kH2cCounts;
  channels_[first].step(cycle);
  channels_[1 - first].step(cycle);
  interrupts(cycle);
  due(host_.next());
  for (const CardChannel& channel : channels_) due(channel.next());
}

bool XdmaCard::idle() const { return accesses_.empty() && host_.idle() && link_.idle(); }

}  // namespace sluice::sim
