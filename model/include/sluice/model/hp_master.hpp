// SPDX-License-Identifier: Apache-2.0
// HpMaster: a transaction-level DMA engine on one HP port, with the policy of the RTL engines.
//
// Drives an AfiPort by bursts instead of pins. A call of pl_edge() is one edge of the PL clock; in
// an edge it posts at most one AR, one AW, one W word, and takes at most one R word and one B.
// Reads (MM2S): bursts of burst_beats, ended at burst-aligned addresses; issued only into reserved
//   room of a buffer of buffer_words; one word an edge leaves the buffer for the stream.
// Writes (S2MM): store and forward: an AW when the burst's words are in the buffer of buffer_words;
//   its W words follow, one an edge.
// Modes by what is set: read only (stream is consumed and checked against nothing), write only (the
//   stream is a counter: 32-bit words, start + i), both: loop-back through a FIFO of loop_words.
// A 32-bit port (port_bits 32) moves a word every second edge; burst_beats of 4 bytes are upsized
// to half as many words, as AxiHp does. Addresses and lengths are multiples of 8 bytes. A
// finished() master costs nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "sluice/model/afi_port.hpp"

namespace sluice::model {

struct HpMasterParams {
  std::uint32_t port_bits = 64;        ///< 64 or 32
  std::uint32_t burst_beats = 16;      ///< power of two to 16; at least 2 on a 32-bit port
  std::uint32_t buffer_words = 512;    ///< a direction; power of two
  std::uint32_t loop_words = 16;       ///< loop-back FIFO; power of two
  std::uint32_t max_read_bursts = 32;  ///< outstanding
  std::uint32_t max_write_bursts = 32;
};

struct HpTransfer {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;  ///< 0: this direction is not used
};

class HpMaster {
 public:
  HpMaster(AfiPort& afi, const HpMasterParams& params);

  /// Starts a job at the next edge; throws std::logic_error while another runs,
  /// std::invalid_argument for a misaligned or (loop-back) unequal length.
  void start(const HpTransfer& read, const HpTransfer& write, std::uint32_t counter_start = 0);
  void pl_edge();
  [[nodiscard]] bool finished() const { return !running_; }
  [[nodiscard]] bool error() const { return error_; }

 private:
  [[nodiscard]] std::uint32_t burst_words_at(std::uint64_t address, std::uint64_t words_left) const;
  void step_read();
  void step_stream();
  void step_write();

  AfiPort& afi_;
  HpMasterParams params_;
  std::uint32_t burst_words_;  // a burst in 64-bit words
  bool second_half_ = false;   // 32-bit port: this edge carries the upper half of a word
  bool running_ = false;
  bool error_ = false;
  bool reading_ = false;
  bool writing_ = false;
  // One ring carries the stream; the counters say where each word is. Words, since start.
  std::vector<std::uint64_t> ring_;
  std::uint64_t ring_mask_;
  std::uint64_t total_read_ = 0;
  std::uint64_t total_write_ = 0;
  std::uint64_t read_address_ = 0;
  std::uint64_t write_address_ = 0;
  std::uint64_t requested_ = 0;  // asked for by AR
  std::uint64_t received_ = 0;   // in the read buffer or beyond
  std::uint64_t streamed_ = 0;   // left the read buffer
  std::uint64_t buffered_ = 0;   // entered the write buffer
  std::uint64_t announced_ = 0;  // covered by AW
  std::uint64_t sent_ = 0;       // gone on W
  std::uint32_t reads_open_ = 0;
  std::uint32_t writes_open_ = 0;
  std::uint32_t counter_ = 0;
};

}  // namespace sluice::model
