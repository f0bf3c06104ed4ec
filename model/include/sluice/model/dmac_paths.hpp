// SPDX-License-Identifier: Apache-2.0
// DmacPaths: what the AXI master of a Zynq's DMA controller (Pl330) reaches through the central
// interconnect, and when.
//
//   0x0000_0000 DDR memory       64 bits at CPU_2x, AfiPort and CentralSwitch to the controller
//   0x4000_0000 M_AXI_GP0        32 bits at the logic's clock, to memory of the logic
//   0x8000_0000 M_AXI_GP1        the same
//   0xFFFC_0000 on-chip memory   64 bits at CPU_2x, AfiPort to Ocm
// (UG585 table 4-1 has the map; chapter 5 the widths and clocks.) Elsewhere, in parts of these
// where nothing is, and in registers of the PS or of the logic, the answer is DECERR.
//
// One edge of CPU_2x is a call of edge(); after it at most one read word and one answer are taken,
// one address posted a direction, and one word given. Bursts are legal ones of an AfiBurst with
// 8 bytes a word at most. Each path answers in the order of the addresses; among paths words and
// answers go in turn. Words of a write follow its address, before the next one's.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>

#include "sluice/model/afi_port.hpp"
#include "sluice/model/memory.hpp"
#include "sluice/model/ocm_memory.hpp"
#include "sluice/model/zynq7000_params.hpp"

namespace sluice::model {

/// Where bytes of a range of addresses lie; nullptr: nothing is there.
using FindBytes = std::function<std::uint8_t*(std::uint64_t address, std::uint64_t bytes)>;

/// Memory of the logic behind a port of the central interconnect: one transfer of `beat_bytes` a
/// cycle and direction, the first `latency_cycles` after the address.
class DmacTarget {
 public:
  struct Timing {
    std::uint64_t cycle_ps;
    std::uint32_t beat_bytes;  ///< a word of more bytes takes several cycles
    std::uint32_t
        latency_cycles;  ///< from an address to the first word, from the last to the answer
  };
  struct Word {
    unsigned tag;
    std::uint64_t data;
    Response response;
    bool last;
  };
  struct Answer {
    unsigned tag;
    Response response;
  };

  DmacTarget(const Timing& timing, FindBytes find) : timing_(timing), find_(std::move(find)) {}

  void read(const AfiBurst& burst, unsigned tag, std::uint64_t now_ps);
  [[nodiscard]] bool word_due(std::uint64_t now_ps) const {
    return !reads_.empty() && reads_.front().next_ps <= now_ps;
  }
  Word take_word();
  void write(const AfiBurst& burst, unsigned tag, std::uint64_t now_ps);
  /// One word may wait for the one before it.
  [[nodiscard]] bool word_room(std::uint64_t now_ps) const {
    return write_free_ps_ <= now_ps + word_ps(writes_.back().burst);
  }
  void put_word(std::uint64_t data, std::uint8_t strobe, std::uint64_t now_ps);
  [[nodiscard]] bool answer_due(std::uint64_t now_ps) const {
    return !writes_.empty() && writes_.front().answer_ps <= now_ps;
  }
  Answer take_answer();
  [[nodiscard]] bool idle() const { return reads_.empty() && writes_.empty(); }

 private:
  struct Read {
    AfiBurst burst;
    unsigned tag;
    std::uint8_t* bytes;    // of the words that it touches; nullptr: DECERR
    std::uint64_t next_ps;  // of its next word
    std::uint32_t taken;
  };
  struct Write {
    AfiBurst burst;
    unsigned tag;
    std::uint8_t* bytes;
    std::uint32_t put;
    std::uint64_t answer_ps;
  };
  [[nodiscard]] std::uint8_t* find(const AfiBurst& burst) const;
  [[nodiscard]] std::uint64_t word_ps(const AfiBurst& burst) const;
  [[nodiscard]] std::uint64_t edge_ps(std::uint64_t now_ps) const;
  [[nodiscard]] std::uint64_t latency_ps() const {
    return timing_.latency_cycles * timing_.cycle_ps;
  }

  Timing timing_;
  FindBytes find_;
  std::uint64_t read_free_ps_ = 0;
  std::uint64_t write_free_ps_ = 0;
  std::deque<Read> reads_;
  std::deque<Write> writes_;
};

class DmacPaths {
 public:
  using Word = DmacTarget::Word;
  using Answer = DmacTarget::Answer;

  DmacPaths(const DmacParams& params, std::uint64_t cycle_ps, Memory& memory, OcmMemory& on_chip);
  DmacPaths(const DmacPaths&) = delete;
  DmacPaths& operator=(const DmacPaths&) = delete;

  /// The logic's clock and the memory that it has at addresses of the M_AXI_GP ports; without it
  /// there is none. While nothing is under way.
  void attach_logic(std::uint64_t cycle_ps, FindBytes find);

  /// The controller's side, at an edge of CPU_2x.
  void edge() {
    for (Port& port : ports_) port.afi.pl_edge();
  }
  [[nodiscard]] bool read_room(const AfiBurst& burst) const {
    const unsigned port = port_of(burst);
    return port == kPorts || ports_[port].afi.pl_read_room();
  }
  void read(const AfiBurst& burst, unsigned tag, std::uint64_t now_ps);
  std::optional<Word> take_word(std::uint64_t now_ps);
  [[nodiscard]] bool write_room(const AfiBurst& burst) const {
    const unsigned port = port_of(burst);
    return port == kPorts || ports_[port].afi.pl_write_room();
  }
  void write(const AfiBurst& burst, unsigned tag, std::uint64_t now_ps);
  [[nodiscard]] bool word_room(std::uint64_t now_ps) const;
  void put_word(std::uint64_t data, std::uint8_t strobe, std::uint64_t now_ps);
  std::optional<Answer> take_answer(std::uint64_t now_ps);
  [[nodiscard]] bool idle() const;

  /// The ways to the DDR controller and to the on-chip memory, for CentralSwitch and Ocm.
  [[nodiscard]] AfiPort& ddr() { return ports_[kDdr].afi; }
  [[nodiscard]] AfiPort& on_chip() { return ports_[kOnChip].afi; }

 private:
  enum Target : std::uint8_t { kGp0, kGp1, kNowhere, kTargets };
  enum PortNumber : std::uint8_t { kDdr, kOnChip, kPorts };
  static constexpr unsigned kWays = unsigned{kTargets} + unsigned{kPorts};

  struct Port {
    AfiPort afi;
    std::deque<unsigned> reads, writes;  // tags in the order of their addresses
  };

  // kPorts: it is for one of the targets.
  [[nodiscard]] unsigned port_of(const AfiBurst& burst) const {
    if (memory_.contains(burst.address, 1)) return kDdr;
    return on_chip_.bytes.contains(burst.address, 1) ? kOnChip : kPorts;
  }
  [[nodiscard]] DmacTarget& target_of(std::uint64_t address);

  DmacParams params_;
  Memory& memory_;
  OcmMemory& on_chip_;
  std::array<Port, kPorts> ports_;
  std::array<DmacTarget, kTargets> targets_;
  // Where the last write's words go: to a port, or, of kPorts, to a target.
  unsigned writing_port_ = kDdr;
  DmacTarget* writing_ = nullptr;
  unsigned read_turn_ = 0;
  unsigned answer_turn_ = 0;
};

}  // namespace sluice::model
