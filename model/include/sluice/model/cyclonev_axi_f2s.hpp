// SPDX-License-Identifier: Apache-2.0
// AxiF2s: the pins of one FPGA-to-SDRAM port (AXI slave, 32 to 256 bits), clocked by the FPGA.
//
// edge(in, out) is one rising edge of the port's clock. `in` holds what the master drives just
// before the edge; a handshake happens when a VALID and a READY were both high then, where the
// port's half is what the previous call returned. `out` is what the port drives after the edge.
// Every output is registered: none depends on an input of the same cycle, so READY may be high
// before VALID, and VALID never waits for READY.
//
// Throughput: one beat a cycle on R and on W together, one address a cycle on AR and AW, one B a
// cycle, as long as F2sPort has data or room. Order: reads return in order of acceptance, whatever
// their ID; so do write responses. Write data may come before its address, at most 16 beats.
//
// Errors: DECERR outside the memory, SLVERR on a poisoned range, on every beat of the burst;
// nothing is written. Master faults throw AxiProtocolError: VALID dropped or payload changed before
// READY, more than 16 beats, a burst over a 4 KiB boundary, AxSIZE other than the port's width,
// AxBURST other than INCR, locked access, WLAST misplaced, a strobe below an unaligned start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "sluice/model/cyclonev_axi.hpp"
#include "sluice/model/cyclonev_f2s_port.hpp"

namespace sluice::model {

class AxiF2s {
 public:
  AxiF2s(F2sPort& port, unsigned index);

  [[nodiscard]] unsigned width() const { return port_bytes_ * 8U; }

  void edge(const F2sInputs& in, F2sOutputs& out);

  /// Puts the pins to their reset values. Bursts already accepted run on inside the memory system
  /// and their beats and responses are thrown away, as after a reset of the FPGA alone.
  void reset();

 private:
  struct ReadBurst {  ///< a read as the master asked for it
    std::uint32_t address;
    std::uint32_t beats;
    std::uint8_t id;
    bool discard;
  };
  struct WriteBurst {
    std::uint32_t address;
    std::uint32_t beats;
    std::uint32_t beats_taken;
  };
  struct WriteBeat {  ///< data that came before its address
    F2sData data;
    std::uint32_t strobe;
    bool last;
  };
  struct PendingResponse {
    std::uint8_t id;
    bool discard;
  };
  static constexpr std::size_t kEarlyBeats = 16;

  [[noreturn]] void fault(const std::string& sentence) const;
  void check_stability(const F2sInputs& in) const;
  void check_address(const char* channel, std::uint32_t address, unsigned length, unsigned size,
                     unsigned burst, unsigned lock) const;
  /// The 64-bit words that a burst of full beats touches.
  [[nodiscard]] AfiBurst words_of(std::uint32_t address, std::uint32_t beats) const;
  void take_read(const F2sInputs& in);
  void take_write(const F2sInputs& in);
  void take_beat(const WriteBeat& beat);
  void put_half(std::uint64_t address, bool last, std::uint64_t data, std::uint32_t strobe);
  void load_read_beat(F2sOutputs& out);
  void load_response(F2sOutputs& out);

  F2sPort& port_;
  unsigned index_;
  std::uint32_t port_bytes_;
  F2sInputs waiting_in_{};  ///< pins of the last edge; a VALID only where it was not taken
  F2sOutputs out_{};
  std::deque<ReadBurst> reads_;
  std::uint32_t read_beat_ = 0;    ///< beats of reads_.front() already loaded
  F2sPort::ReadWord read_word_{};  ///< 32-bit port: a word whose upper half is still to go
  bool read_word_held_ = false;
  std::deque<WriteBurst> writes_;  ///< addresses whose data is not complete
  std::deque<WriteBeat> early_;    ///< beats ahead of their address
  std::deque<PendingResponse> responses_;
  std::uint64_t half_data_ = 0;  ///< 32-bit port: lower half of a word
  std::uint8_t half_strobe_ = 0;
  std::uint64_t abandoned_words_ = 0;  ///< words that reset() left missing
};

}  // namespace sluice::model
