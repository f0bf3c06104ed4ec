// SPDX-License-Identifier: Apache-2.0
// AxiPins: the pins of one AXI slave port of a chip, clocked by the logic, in front of the port's
// FIFOs. AxiHp and AxiF2s are its two kinds.
//
// edge(in, out) is one rising edge of the port's clock. `in` holds what the master drives just
// before the edge; a handshake happens when a VALID and a READY were both high then, where the
// port's half is what the previous call returned. `out` is what the port drives after the edge.
// Every output is registered: none depends on an input of the same cycle, so READY may be high
// before VALID, and VALID never waits for READY.
//
// Throughput: one beat a cycle on R and on W together, one address a cycle on AR and AW, one B a
// cycle, as long as the FIFOs have data or room. Order: reads return in order of acceptance,
// whatever their ID; so do write responses. Write data may come before its address, at most 16
// beats.
//
// Errors: DECERR outside the memory, SLVERR on a poisoned range, on every beat of the burst;
// nothing is written. Master faults throw AxiProtocolError: VALID dropped or payload changed before
// READY, more than 16 beats, a burst over a 4 KiB boundary, an AxSIZE that the kind does not take,
// AxBURST other than INCR, locked or exclusive access, WLAST misplaced, a strobe outside the beat's
// bytes; where there is a WID, one other than the oldest unfinished AWID.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

#include "sluice/model/afi_port.hpp"
#include "sluice/model/axi.hpp"

namespace sluice::model {

/// Kind has the types `Port` (the FIFOs), `Data` and `Strobe`, and says:
///   kWriteIds    W has an ID.
///   kWholeBeats  each beat is as wide as the port; else it may be narrower, and needs a word of
///                its own in the FIFOs unless it is packed.
///   packed(port_bytes, address, beats, size_bytes, cache)
///                two neighbouring beats of 32 bits share a word in the FIFOs.
template <typename Kind>
class AxiPins {
 public:
  using Port = typename Kind::Port;
  using Data = typename Kind::Data;
  using Strobe = typename Kind::Strobe;
  using Inputs = AxiInputs<Data, Strobe>;
  using Outputs = AxiOutputs<Data>;

  /// `name` is that of the port in the texts of faults.
  AxiPins(Port& port, std::string name, unsigned width_bits)
      : port_(port), name_(std::move(name)), port_bytes_(width_bits / 8U) {}

  [[nodiscard]] unsigned width() const { return port_bytes_ * 8U; }

  void edge(const Inputs& in, Outputs& out);

  /// Puts the pins to their reset values. Bursts already accepted run on inside the memory system
  /// and their beats and responses are thrown away, as after a reset of the logic alone.
  void reset();

 protected:
  Port& port_;
  std::string name_;
  std::uint32_t port_bytes_;

  /// No burst of which the port's FIFOs lack data or have not given all.
  [[nodiscard]] bool no_bursts() const { return reads_.empty() && writes_.empty(); }

 private:
  struct Burst {  ///< as the master asked for it
    std::uint32_t address;
    std::uint32_t beats;
    std::uint32_t size_bytes;
    std::uint8_t id;
    bool packed;
    bool discard = false;           ///< reads
    std::uint32_t beats_taken = 0;  ///< of a read by the pins, of a write by the FIFOs

    [[nodiscard]] std::uint64_t aligned() const { return address & ~(size_bytes - 1U); }
    /// The next beat has the upper half of a 64-bit word.
    [[nodiscard]] bool upper_half() const {
      return ((aligned() + std::uint64_t{beats_taken} * size_bytes) & 4U) != 0;
    }
  };
  struct WriteBeat {
    Data data;
    Strobe strobe;
    std::uint8_t id;
    bool last;
  };
  struct PendingResponse {
    std::uint8_t id;
    bool discard;
  };
  static constexpr std::uint32_t kMostBeats = 16;
  static constexpr std::size_t kEarlyBeats = 16;

  [[noreturn]] void fault(const std::string& sentence) const;
  void check_stability(const Inputs& in) const;
  [[nodiscard]] Burst taken(const char* channel, std::uint8_t id, std::uint32_t address,
                            unsigned length, unsigned size, unsigned burst, unsigned lock,
                            unsigned cache) const;
  void check_address(const char* channel, std::uint32_t address, unsigned length, unsigned size,
                     unsigned burst, unsigned lock) const;
  /// What the FIFOs have of a burst.
  [[nodiscard]] static AfiBurst words_of(const Burst& burst);
  /// Of a write, the words that the FIFOs lack.
  [[nodiscard]] std::uint64_t words_left(const Burst& burst) const;
  void check_beat(const Burst& burst, const WriteBeat& beat) const;
  void take_beat(const WriteBeat& beat);
  void put_half(const Burst& burst, const WriteBeat& beat);
  [[nodiscard]] bool take_read_beat(const Burst& burst, Data& data, Response& response);
  void load_read_beat(Outputs& out);
  void load_response(Outputs& out);

  Inputs waiting_in_{};  ///< pins of the last edge; a VALID only where it was not taken
  Outputs out_{};
  std::deque<Burst> reads_;
  AfiPort::ReadWord read_word_{};  ///< 32 bits: whose upper half is still to go
  bool read_word_held_ = false;
  std::deque<Burst> writes_;     ///< addresses whose data is not complete
  std::deque<WriteBeat> early_;  ///< beats ahead of their address
  std::deque<PendingResponse> responses_;
  std::uint64_t half_data_ = 0;  ///< 32 bits: the word's lower half
  std::uint8_t half_strobe_ = 0;
  std::uint64_t abandoned_words_ = 0;  ///< words that reset() left missing
};

}  // namespace sluice::model
