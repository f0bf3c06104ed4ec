// SPDX-License-Identifier: Apache-2.0
// PcieAxi: the bridge between a card's logic and what is above it: AXI4 on one side, PcieUpstream
// on the other, a call an edge.
//
//   host port   slave: the logic's bursts become reads and writes of the upstream
//   control     the CPU's accesses to BAR 0, on an AXI4-Lite port (PcieControl), one at a time
//   memory      master: the CPU's accesses to BAR 1, on an AXI4 port
//
// Reads       A burst asks for its beats, whole ones. R has a beat a cycle; bursts of one ID in
//             their order, those of others between them where the next one's bytes are missing.
// Writes      The bytes of a burst are cut at multiples of max_payload, and where a strobe is low.
//             BRESP is OKAY when the last packet has left: what is asked for after it comes
//             behind it. A posted write is answered by nobody, so errors are not seen.
// CPU         Accesses are done in the order of their arrival. A load of the memory waits for the
//             stores before it, a control access for all accesses before it.
// Errors      A read that fails answers SLVERR or DECERR on its beats.
// Not thread-safe. Source: AMD PG194 and PG195, Intel UG-01145, for what such bridges do.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "sluice/model/axi4.hpp"
#include "sluice/model/pcie_upstream.hpp"

namespace sluice::model {

/// What the bridge asks of the card's control port.
class PcieControl {
 public:
  virtual ~PcieControl() = default;
  virtual void begin_write(std::uint32_t offset, std::uint32_t value, std::uint8_t enables) = 0;
  virtual void begin_read(std::uint32_t offset) = 0;
  /// Whether the access has been answered, at the edge now; `value` gets what was read.
  virtual bool answered(std::uint32_t& value, Response& status) = 0;
};

class PcieAxi final : public PcieCard {
 public:
  static constexpr unsigned kControlBar = 0;
  static constexpr unsigned kMemoryBar = 1;
  /// Bursts of a direction on the host port.
  static constexpr std::uint32_t kBursts = 64;

  /// max_payload: bytes of a packet; width_bytes: of the AXI ports. The control port lives as long
  /// as this.
  PcieAxi(std::uint32_t max_payload, unsigned width_bytes, PcieControl& control);

  /// Before the first edge. The upstream lives as long as this.
  void connect(PcieUpstream& upstream) { upstream_ = &upstream; }

  /// Forget what is under way, as before the first edge. The upstream forgets it, too.
  void reset();

  /// One edge, of every port, at a time to which the upstream was brought. Of the host port `in` as
  /// it stands before the edge, `out` as Axi4Memory::edge(); of the memory port the other way
  /// round.
  void host_edge(const Axi4Inputs& in, Axi4Outputs& out);
  void memory_edge(const Axi4Outputs& in, Axi4Inputs& out);
  void control_edge();

  /// Nothing is under way in the bridge or in the upstream.
  [[nodiscard]] bool idle() const;

 private:
  struct Read {
    std::uint8_t id = 0;
    std::uint64_t address = 0;  // of its first beat
    std::vector<std::uint8_t> data;
    std::uint32_t bytes = 0;    // of its beats
    std::uint32_t given = 0;    // bytes
    std::uint32_t arrived = 0;  // bytes, with those that could not be had
    Response status = Response::okay;
    bool failed = false;  // from data.size() on
    [[nodiscard]] bool ready(std::uint32_t beat) const {
      return failed || data.size() >= given + beat;
    }
  };
  struct Write {
    std::uint8_t id = 0;
    std::uint64_t address = 0;  // of the next beat
    unsigned beats = 0;         // left
  };
  struct Access {
    bool is_load;
    unsigned bar;
    std::uint64_t offset;
    std::uint32_t bytes;
    std::vector<std::uint8_t> data;
  };

  void read_data(std::uint32_t token, std::uint32_t bytes, std::span<const std::uint8_t> data,
                 Response status) override;
  void write_sent(std::uint32_t token) override { sent_.push_back(token); }
  void store(unsigned bar, std::uint64_t offset, std::span<const std::uint8_t> data) override;
  void load(unsigned bar, std::uint64_t offset, std::uint32_t bytes) override;

  void take_read(const Axi4Inputs& in);
  void free_if_over(std::uint32_t token);
  void give_beat(Axi4Outputs& out);
  [[nodiscard]] int next_id();
  void take_beat(const Axi4Inputs& in);
  void flush(bool last);
  void give_store_beat(Axi4Inputs& out);
  void take_load_beat(const Axi4Outputs& in);

  unsigned width_bytes_;
  std::uint32_t max_payload_;
  PcieControl& control_;
  PcieUpstream* upstream_ = nullptr;

  std::vector<Read> reads_;  // by token
  std::vector<std::uint32_t> free_reads_;
  std::array<std::deque<std::uint32_t>, 256> by_id_;  // tokens, oldest first
  std::vector<std::uint8_t> ids_;                     // those in use
  std::size_t turn_ = 0;                              // in ids_

  std::deque<Write> writes_;         // without all of their beats
  std::vector<std::uint8_t> piece_;  // bytes of the packet being collected
  std::uint64_t piece_address_ = 0;
  std::array<std::uint8_t, 256> write_ids_{};  // by token
  std::uint8_t write_token_ = 0;
  std::uint32_t unanswered_ = 0;    // writes
  std::deque<std::uint32_t> sent_;  // tokens

  enum class Busy : std::uint8_t { none, control, store, load };
  std::deque<Access> accesses_;
  Busy busy_ = Busy::none;        // with the first of them
  std::uint32_t beat_bytes_ = 0;  // of it, given or taken on the memory port
  Response load_status_ = Response::okay;
  unsigned stores_out_ = 0;  // on the memory port, unanswered
};

}  // namespace sluice::model
