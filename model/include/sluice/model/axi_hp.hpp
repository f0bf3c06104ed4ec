// SPDX-License-Identifier: Apache-2.0
// AxiHp: the pins of one S_AXI_HP port (AXI3 slave, 64 or 32 bits), or of the ACP, clocked by the
// PL.
//
// edge(in, out) is one rising edge of the port's PL clock. `in` holds what the master drives just
// before the edge; a handshake happens when a VALID and a READY were both high then, where the
// port's half is what the previous call returned. `out` is what the port drives after the edge.
// Every output is registered: none depends on an input of the same cycle, so READY may be high
// before VALID, and VALID never waits for READY.
//
// Throughput: one beat a cycle on R and on W together, one address a cycle on AR and AW, one B a
// cycle, as long as AfiPort has data or room. Latency: two PL edges of synchroniser from the DDR
// side. Order: reads return in order of acceptance, whatever their ID; so do write responses.
// Width: 64 bits; in 32-bit mode bursts are upsized when INCR, of 4-byte beats, an even number of
// them, 8-byte aligned and AxCACHE[1] is set, else expanded: one 64-bit FIFO entry a beat (UG585
// chapter 5, "32-bit Interface"; that an expanded read waits for others is not here). In 32-bit
// mode data stands on wdata/rdata[31:0].
//
// Errors: DECERR outside the memory, SLVERR on a poisoned range, on every beat of the burst;
// nothing is written. Master faults throw AxiProtocolError: VALID dropped or payload changed before
// READY, a burst over a 4 KiB boundary, AxSIZE wider than the port, AxBURST other than INCR, locked
// access, WLAST misplaced, WID other than the oldest unfinished AWID, a strobe outside the beat's
// bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

#include "sluice/model/afi_port.hpp"
#include "sluice/model/axi.hpp"

namespace sluice::model {

class AxiHp {
 public:
  /// `name` stands in the texts of faults.
  AxiHp(AfiPort& afi, std::string name) : afi_(afi), name_(std::move(name)) { set_width(64); }

  /// 32 or 64 (UG585 AFI_RDCHAN_CTRL/AFI_WRCHAN_CTRL n32BitEn); only while nothing is in flight.
  /// Throws std::invalid_argument or std::logic_error.
  void set_width(unsigned bits);
  [[nodiscard]] unsigned width() const { return width_bits_; }

  void edge(const HpInputs& in, HpOutputs& out);

  /// Puts the pins to their reset values. Bursts already accepted run on inside the memory system
  /// and their beats and responses are thrown away, as after a reset of the PL alone.
  void reset();

 private:
  struct ReadBurst {  ///< a read as the master asked for it
    std::uint64_t address;
    std::uint32_t beats;
    std::uint32_t size_bytes;
    std::uint8_t id;
    bool upsized;
    bool discard;
  };
  struct WriteBurst {
    std::uint64_t address;
    std::uint32_t beats;
    std::uint32_t size_bytes;
    std::uint8_t id;
    bool upsized;
    std::uint32_t beats_taken;
  };
  struct WriteBeat {  ///< data that came before its address
    std::uint64_t data;
    std::uint8_t strobe;
    std::uint8_t id;
    bool last;
  };

  struct PendingResponse {
    std::uint8_t id;
    bool discard;
  };
  static constexpr std::size_t kEarlyBeats = 16;

  [[noreturn]] void fault(const std::string& sentence) const;
  void check_stability(const HpInputs& in) const;
  void check_address(const char* channel, std::uint32_t address, unsigned length, unsigned size,
                     unsigned burst, unsigned lock) const;
  [[nodiscard]] bool can_upsize(std::uint32_t address, unsigned beats, unsigned size_bytes,
                                unsigned cache) const;
  void take_read(const HpInputs& in);
  void take_write(const HpInputs& in);
  void take_beat(const WriteBeat& beat);
  void load_read_beat(HpOutputs& out);
  void load_response(HpOutputs& out);

  AfiPort& afi_;
  std::string name_;
  unsigned width_bits_ = 64;
  HpInputs waiting_in_{};  ///< pins of the last edge; a VALID only where it was not taken
  HpOutputs out_{};
  std::deque<ReadBurst> reads_;
  std::uint32_t read_beat_ = 0;  ///< beats of reads_.front() already loaded
  std::uint64_t read_word_ = 0;  ///< FIFO word whose upper half is still to go
  Response read_word_response_ = Response::okay;
  bool read_word_held_ = false;
  std::deque<WriteBurst> writes_;  ///< addresses whose data is not complete
  std::deque<WriteBeat> early_;    ///< beats ahead of their address
  std::deque<PendingResponse> responses_;
  std::uint64_t write_word_ = 0;  ///< lower half of an upsized word
  std::uint8_t write_word_strobe_ = 0;
  std::uint64_t abandoned_beats_ = 0;  ///< FIFO words that reset() left missing
};

}  // namespace sluice::model
