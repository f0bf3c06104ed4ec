// SPDX-License-Identifier: Apache-2.0
// HpMemoryPort: the slave at an HP port of a design, with the memory of a virtual machine behind
// it.
//
// No model of time: a read burst is answered from the cycle after its address, a write from the
// cycle after its last beat; a beat a cycle each way, bursts in order. Memory is read when the
// address is taken, and written when the last beat is. A burst, which lies within 4 KiB and so
// within one page, is done as a whole; what is not mapped is answered DECERR.
// As AxiHp of the memory model: edge() is one rising edge, `in` as before it, `out` as after it.
// The design's own checkers see to the protocol.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "sluice/cosim/guest_memory.hpp"
#include "sluice/model/axi.hpp"

namespace sluice::cosim {

class HpMemoryPort {
 public:
  // port_bytes: 4 or 8, the width of the design's port.
  explicit HpMemoryPort(unsigned port_bytes) : port_bytes_(port_bytes) {}

  // memory may be null: then nothing is mapped.
  void edge(GuestMemory* memory, const model::HpInputs& in, model::HpOutputs& out);

  // A burst is under way.
  [[nodiscard]] bool busy() const { return !reads_.empty() || !writes_.empty(); }
  // Back to the pins after reset; bursts under way are forgotten.
  void reset();

 private:
  static constexpr std::size_t kMaxBurst_bytes = 16 * 8;  // AXI3, 64 bits
  static constexpr std::size_t kDepth = 8;                // bursts of a direction

  struct Burst {
    uint32_t address;  // of the first beat, aligned to beats
    uint8_t id;
    unsigned beats;
    unsigned beat_bytes;
    unsigned done = 0;  // beats
    model::Response response = model::Response::okay;
    std::array<std::byte, kMaxBurst_bytes> data{};
    std::array<bool, kMaxBurst_bytes> strobe{};

    [[nodiscard]] std::size_t bytes() const { return std::size_t{beats} * beat_bytes; }
  };

  static Burst burst(uint32_t address, uint8_t id, uint8_t length, uint8_t size);
  static void fetch(const GuestMemory* memory, Burst& burst);
  static void store(GuestMemory* memory, Burst& burst);
  // First byte lane of the next beat.
  [[nodiscard]] unsigned lane(const Burst& burst) const {
    return (burst.address + burst.done * burst.beat_bytes) % port_bytes_;
  }
  void read_channels(const GuestMemory* memory, const model::HpInputs& in);
  void write_channels(GuestMemory* memory, const model::HpInputs& in);

  unsigned port_bytes_;
  model::HpOutputs out_{};
  std::deque<Burst> reads_;
  std::deque<Burst> writes_;  // in order
  std::size_t complete_ = 0;  // of writes_, from the front: stored, their B is owed
};

}  // namespace sluice::cosim
