// SPDX-License-Identifier: Apache-2.0
#include "hp_memory_port.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace sluice::cosim {

using model::HpInputs;
using model::HpOutputs;
using model::Response;

HpMemoryPort::Burst HpMemoryPort::burst(uint32_t address, uint8_t id, uint8_t length,
                                        uint8_t size) {
  const unsigned beat_bytes = 1u << size;
  return {.address = address & ~(beat_bytes - 1),
          .id = id,
          .beats = length + 1u,
          .beat_bytes = beat_bytes};
}

void HpMemoryPort::fetch(const GuestMemory* memory, Burst& burst) {
  const auto data = std::span(burst.data).first(burst.bytes());
  if (memory == nullptr || !memory->read(burst.address, data)) burst.response = Response::decerr;
}

void HpMemoryPort::store(GuestMemory* memory, Burst& burst) {
  for (std::size_t at = 0; at < burst.bytes();) {
    if (!burst.strobe[at]) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < burst.bytes() && burst.strobe[end]) ++end;
    const auto run = std::span(burst.data).subspan(at, end - at);
    if (memory == nullptr || !memory->write(burst.address + at, run))
      burst.response = Response::decerr;
    at = end;
  }
}

void HpMemoryPort::read_channels(const GuestMemory* memory, const HpInputs& in) {
  if (in.rready && out_.rvalid && ++reads_.front().done == reads_.front().beats) reads_.pop_front();
  if (in.arvalid && out_.arready) {
    reads_.push_back(burst(in.araddr, in.arid, in.arlen, in.arsize));
    fetch(memory, reads_.back());
  }
  out_.arready = reads_.size() < kDepth;
  out_.rvalid = !reads_.empty();
  if (!out_.rvalid) return;
  const Burst& now = reads_.front();
  uint64_t word = 0;
  std::memcpy(&word, now.data.data() + now.done * now.beat_bytes, now.beat_bytes);
  out_.rdata = word << 8 * lane(now);
  out_.rid = now.id;
  out_.rresp = static_cast<uint8_t>(now.response);
  out_.rlast = now.done + 1 == now.beats;
}

void HpMemoryPort::write_channels(GuestMemory* memory, const HpInputs& in) {
  if (in.bready && out_.bvalid) {
    writes_.pop_front();
    --complete_;
  }
  if (in.wvalid && out_.wready) {
    Burst& now = writes_[complete_];
    const uint64_t word = in.wdata >> 8 * lane(now);
    const unsigned strobe = in.wstrb >> lane(now);
    const std::size_t at = now.done * now.beat_bytes;
    std::memcpy(now.data.data() + at, &word, now.beat_bytes);
    for (unsigned i = 0; i < now.beat_bytes; ++i) now.strobe[at + i] = (strobe >> i & 1) != 0;
    if (++now.done == now.beats) {
      store(memory, now);
      ++complete_;
    }
  }
  if (in.awvalid && out_.awready) writes_.push_back(burst(in.awaddr, in.awid, in.awlen, in.awsize));
  out_.awready = writes_.size() < kDepth;
  out_.wready = writes_.size() > complete_;  // AXI: a slave may wait for the address
  out_.bvalid = complete_ > 0;
  if (!out_.bvalid) return;
  out_.bid = writes_.front().id;
  out_.bresp = static_cast<uint8_t>(writes_.front().response);
}

void HpMemoryPort::edge(GuestMemory* memory, const HpInputs& in, HpOutputs& out) {
  read_channels(memory, in);
  write_channels(memory, in);
  out = out_;
}

void HpMemoryPort::reset() {
  reads_.clear();
  writes_.clear();
  complete_ = 0;
  out_ = {};
}

}  // namespace sluice::cosim
