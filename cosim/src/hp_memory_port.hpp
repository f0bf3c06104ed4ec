// SPDX-License-Identifier: Apache-2.0
// HpMemoryPort: the slave at an HP port of a design, with the memory of a virtual machine behind
// it.
//
// No model of time: a read burst is answered from the cycle after its address, a write from the
// cycle after its last beat; a beat a cycle each way, bursts in order. Memory is read when the
// address is taken, and written when the last beat is. A burst, which lies within 4 KiB and so
// within one page, is done as a whole; what is not mapped is answered DECERR.
// Faults that are armed for this port act from the next beat on that is not VALID yet.
// As AxiHp of the memory model: edge() is one rising edge, `in` as before it, `out` as after it.
// The design's own checkers see to the protocol.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sluice/cosim/faults.hpp"
#include "sluice/cosim/guest_memory.hpp"
#include "sluice/model/axi.hpp"
#include "sluice/model/ring.hpp"

namespace sluice::cosim {

class HpMemoryPort {
 public:
  // port_bytes: 4 or 8, the width of the design's port.
  explicit HpMemoryPort(unsigned port_bytes) : port_bytes_(port_bytes) {}

  // memory may be null: then nothing is mapped. False: nothing is under way, and out is as it was.
  bool edge(GuestMemory* memory, const model::HpInputs& in, model::HpOutputs& out);

  // Back to the pins after reset; bursts under way are forgotten.
  void reset();

  // Handshakes of a channel since the port was made.
  [[nodiscard]] uint64_t count(Channel channel) const { return counts_[index(channel)]; }
  // Those that act here, in order of arming: ResponseFault and StuckFault of this port. They must
  // live until the next call.
  void set_faults(std::vector<ArmedFault*> faults);

 private:
  static constexpr std::size_t kMaxBeats = 16;                   // AXI3
  static constexpr std::size_t kMaxBurst_bytes = kMaxBeats * 8;  // 64 bits
  static constexpr uint32_t kDepth = 8;                          // bursts of a direction

  struct Burst {
    uint32_t address;  // of the first beat, aligned to beats
    uint8_t id;
    unsigned beats;
    unsigned beat_bytes;
    unsigned done;  // beats; of a write, taken
    model::Response response;
    bool whole;  // every byte of it is written
    std::array<uint8_t, kMaxBeats> strobes;
    std::array<std::byte, kMaxBurst_bytes> data;

    [[nodiscard]] std::size_t bytes() const { return std::size_t{beats} * beat_bytes; }
    [[nodiscard]] uint32_t next_address() const { return address + done * beat_bytes; }
  };

  static Burst& start(model::Ring<Burst>& bursts, uint32_t address, uint8_t id, uint8_t length,
                      uint8_t size);
  static void fetch(const GuestMemory* memory, Burst& burst);
  static void store(GuestMemory* memory, Burst& burst);
  // First byte lane of the next beat.
  [[nodiscard]] unsigned lane(const Burst& burst) const {
    return burst.next_address() % port_bytes_;
  }
  // The fault of the next beat of a direction; null: none.
  [[nodiscard]] ArmedFault* fault_of(const Burst& burst, Channel channel) const;
  [[nodiscard]] bool stuck(Channel channel) const {
    return is_stuck(faults_, channel, count(channel));
  }
  void pass(Channel channel) { ++counts_[index(channel)]; }
  void read_channels(const GuestMemory* memory, const model::HpInputs& in);
  void write_channels(GuestMemory* memory, const model::HpInputs& in);

  unsigned port_bytes_;
  model::HpOutputs out_{};
  bool settled_ = false;  // nothing is under way, and out_ says so
  model::Ring<Burst> reads_{kDepth};
  model::Ring<Burst> writes_{kDepth};  // in order
  uint32_t complete_ = 0;              // of writes_, from the front: stored, their B is owed
  std::array<uint64_t, kChannelNames.size()> counts_{};
  std::vector<ArmedFault*> faults_;
  ArmedFault* read_fault_ = nullptr;  // of the beat on R
};

}  // namespace sluice::cosim
