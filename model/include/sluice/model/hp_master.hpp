// SPDX-License-Identifier: Apache-2.0
// HpMaster: a transaction-level DMA engine on one HP port, with the policy of the RTL engines.
//
// Drives an AfiPort by bursts instead of pins. A call of pl_edge() is one edge of the PL clock; in
// an edge it posts at most one AR, one AW, one W word, and takes at most one R word and one B.
// Reads (MM2S, as sl_mm2s): bursts of burst_beats, ended at burst-aligned addresses; issued only
//   while a whole burst_beats is free in a buffer of buffer_beats; one beat an edge leaves the
//   buffer for the stream.
// Writes (S2MM, as sl_s2mm): store and forward: an AW when the burst's words are in the buffer of
//   buffer_beats; its W words follow, one beat an edge.
// Both directions run and are started apart. Streams: loop-back joins them by a FIFO of loop_beats;
//   else reads go to a sink that compares with a counter of 32-bit words, and writes take such a
//   counter, in packets of source().packet_words. A write ends with its packet or its length.
// group_bursts above 1: an engine of longer bursts than the port's, each made of so many, and one
//   in flight a direction (StreamIF: 1 KiB). A read is asked for once the words of the last one
//   have left for the stream, words of a write are taken once the last one is answered; in between
//   the engine rests for so many edges: read_gap_edges, write_gap_edges, in a loop-back
//   loop_gap_edges.
// scatter: bursts go to the places of a fixed permutation of the transfer's bursts, whose number
//   must be a power of two: traffic that seems random to the memory and still touches each byte
//   once.
// stream_bits 32 on a 64-bit port: the stream carries a word every second edge.
// A 32-bit port (port_bits 32) moves a word every second edge; burst_beats of 4 bytes are upsized
// to half as many words, as AxiHp does. Addresses and lengths are multiples of 8 bytes. A
// finished() master costs nothing.
#pragma once

#include <cstdint>
#include <memory>

#include "sluice/model/afi_port.hpp"
#include "sluice/model/afi_share.hpp"
#include "sluice/model/ring.hpp"

namespace sluice::model {

struct HpMasterParams {
  std::uint32_t port_bits = 64;          ///< 64 or 32
  std::uint32_t burst_beats = 16;        ///< power of two to 16; at least 2 on a 32-bit port
  std::uint32_t buffer_beats = 512;      ///< a direction
  std::uint32_t loop_beats = 512;        ///< loop-back FIFO
  std::uint32_t loop_latency_edges = 1;  ///< a word's time in it, when it is empty
  std::uint32_t max_read_bursts = 32;    ///< outstanding
  std::uint32_t max_write_bursts = 32;
  std::uint32_t stream_bits = 64;  ///< 64, or 32; that of a 32-bit port is 32
  std::uint32_t group_bursts = 1;
  std::uint32_t read_gap_edges = 0;
  std::uint32_t write_gap_edges = 0;
  std::uint32_t loop_gap_edges = 0;
  std::uint32_t scatter = 0;  ///< 1: yes
};

struct HpTransfer {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;  ///< 0: this direction is not used
};

class HpMaster {
 public:
  struct Source {
    std::uint32_t next = 0;          ///< value of the next 32-bit word
    std::uint64_t packet_words = 0;  ///< 64-bit words of a packet; 0: without end
    std::uint64_t packets_sent = 0;
    bool one_packet = false;  ///< then stop
    bool enabled = true;
  };
  struct Sink {
    std::uint32_t expected = 0;  ///< value of the next 32-bit word
    bool check = false;
    bool enabled = true;
    bool mismatch = false;
    std::uint64_t words = 0;
    std::uint64_t packets = 0;
  };

  HpMaster(AfiPort& afi, const HpMasterParams& params)
      : HpMaster(std::make_shared<AfiShare>(afi, 1), 0, params) {}
  /// Client 0 or 1 of a shared port.
  HpMaster(std::shared_ptr<AfiShare> port, unsigned client, const HpMasterParams& params);

  /// Throws std::logic_error while a transfer runs. Empties the loop-back FIFO.
  void set_loopback(bool on);
  [[nodiscard]] bool loopback() const { return loopback_; }
  [[nodiscard]] Source& source() { return source_; }
  [[nodiscard]] Sink& sink() { return sink_; }

  /// Start at the next edge; throw std::logic_error while the direction runs,
  /// std::invalid_argument for a length of 0 or a misaligned transfer.
  void start_read(const HpTransfer& transfer);
  void start_write(const HpTransfer& transfer);
  /// Both at once, as a loop-back (equal lengths) if both have a length.
  void start(const HpTransfer& read, const HpTransfer& write, std::uint32_t counter_start = 0);

  void pl_edge();
  [[nodiscard]] bool reading() const { return read_.running; }
  [[nodiscard]] bool writing() const { return write_.running; }
  [[nodiscard]] bool finished() const { return !read_.running && !write_.running; }
  /// First error of the direction's last transfer.
  [[nodiscard]] Response read_response() const { return read_.response; }
  [[nodiscard]] Response write_response() const { return write_.response; }
  [[nodiscard]] bool error() const {
    return read_.response != Response::okay || write_.response != Response::okay;
  }
  /// Of the last write: bytes moved, and whether its packet was longer than its length.
  [[nodiscard]] std::uint64_t written_bytes() const { return write_.total * 8U; }
  [[nodiscard]] bool overrun() const { return overrun_; }

 private:
  struct Word {
    std::uint64_t data = 0;
    bool last = false;
  };
  struct LoopWord {
    Word word;
    std::uint64_t entered = 0;  // edge
  };
  // Words of a transfer: asked for by an address, moved on the data channel, gone to or come from
  // the stream.
  struct Direction {
    bool running = false;
    Response response = Response::okay;
    std::uint64_t address = 0;
    std::uint64_t base = 0;  // of the transfer
    std::uint64_t total = 0;
    std::uint64_t addressed = 0;
    std::uint64_t moved = 0;
    std::uint64_t streamed = 0;
    std::uint32_t bursts_open = 0;
    std::uint64_t group_end = 0;  // words up to the end of the group in work
    std::uint32_t gap_left = 0;
  };
  void begin(Direction& direction, const HpTransfer& transfer) const;
  [[nodiscard]] std::uint32_t burst_words_at(std::uint64_t address, std::uint64_t words_left) const;
  /// Where the burst at direction.address goes.
  [[nodiscard]] std::uint64_t place(const Direction& direction) const;
  void step_group(Direction& direction, bool done, std::uint32_t gap) const;
  void step_read();
  void step_stream();
  void step_write();
  void absorb(const Word& word);
  void take_into_write_buffer(const Word& word);

  std::shared_ptr<AfiShare> port_;
  unsigned client_;
  HpMasterParams params_;
  std::uint32_t burst_words_;   // a burst in 64-bit words
  std::uint32_t buffer_words_;  // the buffers in 64-bit words
  std::uint32_t group_words_;   // a group, 0: none
  bool odd_edge_ = false;       // with 32 bits it carries the upper half of a word
  bool loopback_ = false;
  bool overrun_ = false;
  Direction read_, write_;
  Ring<Word> read_buffer_;
  Ring<LoopWord> loop_;
  Ring<Word> write_buffer_;
  std::uint64_t edges_ = 0;  // at work
  std::uint64_t source_in_packet_ = 0;
  Source source_;
  Sink sink_;
};

}  // namespace sluice::model
