// SPDX-License-Identifier: Apache-2.0
// PortMaster: a transaction-level DMA engine on one port of the chip, with the policy of the RTL
// engines: HpMaster on an AfiPort, F2sMaster on an F2sPort. Master is all of it but the port.
//
// Drives the port by bursts instead of pins. A call of pl_edge() is one edge of the PL clock; in
// an edge it posts at most one AR, one AW, one W beat, and takes at most one R beat and one B.
// Reads (MM2S, as sl_mm2s): bursts of burst_beats, ended at burst-aligned addresses; issued only
//   while a whole burst_beats is free in a buffer of buffer_beats; one beat an edge leaves the
//   buffer for the stream.
// Writes (S2MM, as sl_s2mm): store and forward: an AW when the burst's beats are in the buffer of
//   buffer_beats; its W beats follow, one an edge. The stream waits while max_write_bursts bursts
//   are in the buffer or without a response; as there that shows three edges late.
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
// Words have 64 bits: a beat of 128 or 256 bits is two or four of them, a port of 32 bits moves one
// every second edge (burst_beats of 4 bytes are upsized, as AxiHp does), and so does a stream with
// stream_bits 32 on a port of 64. Addresses and lengths are multiples of the beat and of 8 bytes. A
// finished() master costs nothing.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "sluice/model/afi_port.hpp"
#include "sluice/model/cyclonev_f2s_port.hpp"
#include "sluice/model/port_share.hpp"
#include "sluice/model/ring.hpp"

namespace sluice::model {

struct MasterParams {
  std::uint32_t port_bits = 64;      ///< 32 or 64, on an F2sPort also 128 or 256: the port's
  std::uint32_t burst_beats = 16;    ///< power of two to 16; at least 2 on a 32-bit port
  std::uint32_t buffer_beats = 512;  ///< a direction
  std::uint32_t loop_beats = 512;    ///< loop-back FIFO
  std::uint32_t loop_latency_edges =
      3;                                ///< of a word through it, when it is empty (sl_stream_fifo)
  std::uint32_t max_read_bursts = 32;   ///< outstanding
  std::uint32_t max_write_bursts = 30;  ///< from their last beat off the stream to the response
  std::uint32_t stream_bits = 64;       ///< 32 on a port of 64: half of it; else the port's
  std::uint32_t group_bursts = 1;
  std::uint32_t read_gap_edges = 0;
  std::uint32_t write_gap_edges = 0;
  std::uint32_t loop_gap_edges = 0;
  std::uint32_t scatter = 0;  ///< 1: yes
};

struct PortTransfer {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;  ///< 0: this direction is not used
};

class Master {
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

  virtual ~Master() = default;
  Master(const Master&) = delete;
  Master& operator=(const Master&) = delete;

  /// Throws std::logic_error while a transfer runs. Empties the loop-back FIFO.
  void set_loopback(bool on);
  [[nodiscard]] bool loopback() const { return loopback_; }
  [[nodiscard]] Source& source() { return source_; }
  [[nodiscard]] Sink& sink() { return sink_; }

  /// Start at the next edge; throw std::logic_error while the direction runs,
  /// std::invalid_argument for a length of 0 or a misaligned transfer.
  void start_read(const PortTransfer& transfer);
  void start_write(const PortTransfer& transfer);
  /// Both at once, as a loop-back (equal lengths) if both have a length.
  void start(const PortTransfer& read, const PortTransfer& write, std::uint32_t counter_start = 0);

  virtual void pl_edge() = 0;
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

 protected:
  /// Throws std::invalid_argument for parameters out of range.
  explicit Master(const MasterParams& params);

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
    std::uint32_t next_words = 0;  // of the next burst to address, 0: none is left
    std::uint64_t moved = 0;
    std::uint64_t streamed = 0;
    std::uint32_t bursts_open = 0;
    std::uint64_t group_end = 0;  // words up to the end of the group in work
    std::uint32_t gap_left = 0;
  };
  void begin(Direction& direction, const PortTransfer& transfer) const;
  void plan_burst(Direction& direction) const;
  void burst_addressed(Direction& direction) const;
  /// Where the burst at direction.address goes.
  [[nodiscard]] std::uint64_t place(const Direction& direction) const;
  void step_group(Direction& direction, bool done, std::uint32_t gap) const;
  [[nodiscard]] Word next_of_source();
  void step_stream();
  void absorb(const Word& word);
  void take_into_write_buffer(const Word& word);

  MasterParams params_;
  std::uint32_t beat_words_;    // 64-bit words of an edge
  std::uint32_t burst_words_;   // a burst in 64-bit words
  std::uint32_t buffer_words_;  // the buffers in 64-bit words
  std::uint32_t group_words_;   // a group, 0: none
  bool port_each_edge_;         // moves a word; else every second
  bool stream_each_edge_;
  bool odd_edge_ = false;  // with 32 bits it carries the upper half of a word
  bool loopback_ = false;
  bool overrun_ = false;
  Direction read_, write_;
  Ring<Word> read_buffer_;
  Ring<LoopWord> loop_;
  Ring<Word> write_buffer_;
  std::uint32_t unanswered_ = 0;                   // bursts, see max_write_bursts
  std::array<std::uint32_t, 3> unanswered_was_{};  // after the last edge, and the two before
  std::uint64_t edges_ = 0;                        // at work
  std::uint64_t source_in_packet_ = 0;
  Source source_;
  Sink sink_;
};

template <typename Port>
class PortMaster final : public Master {
 public:
  PortMaster(Port& port, const MasterParams& params)
      : PortMaster(std::make_shared<PortShare<Port>>(port, 1), 0, params) {}
  /// Client 0 or 1 of a shared port.
  PortMaster(std::shared_ptr<PortShare<Port>> port, unsigned client, const MasterParams& params);

  void pl_edge() override;

 private:
  // Words of a beat, a constant where a port has but one.
  [[nodiscard]] std::uint32_t beat_words() const {
    if constexpr (std::is_same_v<Port, F2sPort>) return beat_words_;
    return 1;
  }
  void step_read();
  void step_write();

  std::shared_ptr<PortShare<Port>> port_;
  unsigned client_;
};

using HpMaster = PortMaster<AfiPort>;
using F2sMaster = PortMaster<F2sPort>;

}  // namespace sluice::model
