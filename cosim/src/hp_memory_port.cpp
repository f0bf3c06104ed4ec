// SPDX-License-Identifier: Apache-2.0
#include "hp_memory_port.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

namespace sluice::cosim {

using model::HpInputs;
using model::HpOutputs;
using model::Response;

HpMemoryPort::Burst& HpMemoryPort::start(model::Ring<Burst>& bursts, uint32_t address, uint8_t id,
                                         uint8_t length, uint8_t size) {
  Burst& burst = bursts.push({});
  burst.beat_bytes = 1u << size;
  burst.address = address & ~(burst.beat_bytes - 1);
  burst.id = id;
  burst.beats = length + 1u;
  burst.whole = true;
  return burst;
}

void HpMemoryPort::fetch(const GuestMemory* memory, Burst& burst) {
  const auto data = std::span(burst.data).first(burst.bytes());
  if (memory == nullptr || !memory->read(burst.address, data)) burst.response = Response::decerr;
}

void HpMemoryPort::store(GuestMemory* memory, Burst& burst) {
  if (burst.response != Response::okay) return;
  const auto put = [&](std::size_t from, std::size_t to) {
    const auto run = std::span(burst.data).subspan(from, to - from);
    if (memory == nullptr || !memory->write(burst.address + from, run))
      burst.response = Response::decerr;
  };
  if (burst.whole) return put(0, burst.bytes());
  const auto written = [&](std::size_t at) {
    return (burst.strobes[at / burst.beat_bytes] >> at % burst.beat_bytes & 1) != 0;
  };
  for (std::size_t at = 0; at < burst.bytes(); ++at) {
    if (!written(at)) continue;
    const std::size_t from = at;
    while (at < burst.bytes() && written(at)) ++at;
    put(from, at);
  }
}

void HpMemoryPort::set_faults(std::vector<ArmedFault*> faults) {
  faults_ = std::move(faults);
  settled_ = false;
  if (std::find(faults_.begin(), faults_.end(), read_fault_) == faults_.end())
    read_fault_ = nullptr;
}

ArmedFault* HpMemoryPort::fault_of(const Burst& burst, Channel channel) const {
  return response_fault(faults_, channel == Channel::w, count(channel), burst.next_address(),
                        burst.beat_bytes);
}

void HpMemoryPort::read_channels(const GuestMemory* memory, const HpInputs& in) {
  if (in.arvalid && out_.arready) {
    pass(Channel::ar);
    fetch(memory, start(reads_, in.araddr, in.arid, in.arlen, in.arsize));
  }
  const bool unread = out_.rvalid && !in.rready;
  if (out_.rvalid && in.rready) {
    pass(Channel::r);
    if (read_fault_ != nullptr) ++read_fault_->hits;
    if (++reads_.front().done == reads_.front().beats) reads_.pop();
  }
  out_.arready = !reads_.full() && !stuck(Channel::ar);
  if (unread) return;
  out_.rvalid = !reads_.empty() && !stuck(Channel::r);
  if (!out_.rvalid) return;
  const Burst& now = reads_.front();
  uint64_t word = 0;
  std::memcpy(&word, now.data.data() + now.done * now.beat_bytes, now.beat_bytes);
  out_.rdata = word << 8 * lane(now);
  out_.rid = now.id;
  read_fault_ = fault_of(now, Channel::r);
  out_.rresp = static_cast<uint8_t>(
      read_fault_ != nullptr ? std::get<ResponseFault>(read_fault_->fault).response : now.response);
  out_.rlast = now.done + 1 == now.beats;
}

void HpMemoryPort::write_channels(GuestMemory* memory, const HpInputs& in) {
  const bool unanswered = out_.bvalid && !in.bready;
  if (out_.bvalid && in.bready) {
    pass(Channel::b);
    writes_.pop();
    --complete_;
  }
  if (in.wvalid && out_.wready) {
    Burst& now = writes_.at(complete_);
    if (ArmedFault* fault = fault_of(now, Channel::w)) {
      now.response = std::get<ResponseFault>(fault->fault).response;
      ++fault->hits;
    }
    pass(Channel::w);
    const uint64_t word = in.wdata >> 8 * lane(now);
    const auto all = static_cast<uint8_t>((1u << now.beat_bytes) - 1);
    const auto strobes = static_cast<uint8_t>(in.wstrb >> lane(now) & all);
    std::memcpy(now.data.data() + now.done * now.beat_bytes, &word, now.beat_bytes);
    now.strobes[now.done] = strobes;
    now.whole = now.whole && strobes == all;
    if (++now.done == now.beats) {
      store(memory, now);
      ++complete_;
    }
  }
  if (in.awvalid && out_.awready) {
    pass(Channel::aw);
    start(writes_, in.awaddr, in.awid, in.awlen, in.awsize);
  }
  out_.awready = !writes_.full() && !stuck(Channel::aw);
  // AXI: a slave may wait for the address.
  out_.wready = writes_.size() > complete_ && !stuck(Channel::w);
  out_.bvalid = unanswered || (complete_ > 0 && !stuck(Channel::b));
  if (!out_.bvalid) return;
  out_.bid = writes_.front().id;
  out_.bresp = static_cast<uint8_t>(writes_.front().response);
}

bool HpMemoryPort::edge(GuestMemory* memory, const HpInputs& in, HpOutputs& out) {
  const bool asked = in.arvalid || in.awvalid || in.wvalid;
  if (settled_ && !asked) return false;
  read_channels(memory, in);
  write_channels(memory, in);
  settled_ = !asked && reads_.empty() && writes_.empty();
  out = out_;
  return true;
}

void HpMemoryPort::reset() {
  while (!reads_.empty()) reads_.pop();
  while (!writes_.empty()) writes_.pop();
  complete_ = 0;
  out_ = {};
  settled_ = false;
  read_fault_ = nullptr;
}

}  // namespace sluice::cosim
