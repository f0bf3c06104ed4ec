// SPDX-License-Identifier: Apache-2.0
// F2sMaster: two transaction-level mSGDMAs on one F2S port, one a direction, as in f2s_stress.
//
// Drives an F2sPort by bursts instead of pins. A call of pl_edge() is one edge of the port's clock;
// in an edge it posts at most one AR, one AW, one W beat, and takes at most one R beat and one B.
// Reads (memory to stream, as sl_mm2s): bursts that end at burst-aligned addresses; issued only
//   while a whole burst is free in a buffer of buffer_beats; one beat an edge leaves the buffer.
// Writes (stream to memory, as sl_s2mm): store and forward: an AW when the burst's beats are in the
//   buffer of buffer_beats; its W beats follow, one an edge.
// Streams: loop-back joins them by a FIFO of loop_beats; else reads go to a sink that compares with
//   a counter of 32-bit words, and writes take such a counter.
// Addresses and lengths are multiples of the beat and of 8 bytes; a 32-bit port moves a 64-bit word
// every second edge. A finished() master costs nothing.
#pragma once

#include <cstdint>

#include "sluice/model/cyclonev_f2s_port.hpp"
#include "sluice/model/ring.hpp"

namespace sluice::model {

/// Defaults: parameters of f2s_stress and sl_msgdma.
struct F2sMasterParams {
  std::uint32_t burst_beats = 16;      ///< power of two to 16; at least 2 on a 32-bit port
  std::uint32_t buffer_beats = 512;    ///< a direction
  std::uint32_t loop_beats = 512;      ///< loop-back FIFO
  std::uint32_t max_read_bursts = 32;  ///< outstanding
  std::uint32_t max_write_bursts = 32;
};

struct F2sTransfer {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;  ///< 0: this direction is not used
};

class F2sMaster {
 public:
  F2sMaster(F2sPort& port, const F2sMasterParams& params);

  /// Throws std::logic_error while a transfer runs. Empties the loop-back FIFO.
  void set_loopback(bool on);
  /// The first value of the source and of what the sink expects; throws like set_loopback().
  void set_counter(std::uint32_t start);

  /// Start at the next edge; throw std::logic_error while the direction runs,
  /// std::invalid_argument for a length of 0 or a misaligned transfer.
  void start_read(const F2sTransfer& transfer) { begin(read_, transfer); }
  void start_write(const F2sTransfer& transfer) { begin(write_, transfer); }

  void pl_edge();
  [[nodiscard]] bool reading() const { return read_.running; }
  [[nodiscard]] bool writing() const { return write_.running; }
  [[nodiscard]] bool finished() const { return !read_.running && !write_.running; }
  /// First error of the direction's last transfer.
  [[nodiscard]] Response read_response() const { return read_.response; }
  [[nodiscard]] Response write_response() const { return write_.response; }
  /// A word that the sink took was not the counter's.
  [[nodiscard]] bool mismatch() const { return mismatch_; }

 private:
  // Words of a transfer: asked for by an address, moved on the data channel, gone to or come from
  // the stream.
  struct Direction {
    bool running = false;
    Response response = Response::okay;
    std::uint64_t address = 0;
    std::uint64_t total = 0;
    std::uint64_t addressed = 0;
    std::uint64_t moved = 0;
    std::uint64_t streamed = 0;
    std::uint32_t bursts_open = 0;
  };
  void begin(Direction& direction, const F2sTransfer& transfer) const;
  [[nodiscard]] std::uint32_t burst_words_at(const Direction& direction) const;
  void step_read();
  void step_stream();
  void step_write();
  void absorb(std::uint64_t word);

  F2sPort& port_;
  F2sMasterParams params_;
  std::uint32_t beat_words_;    // 64-bit words an edge
  std::uint32_t burst_words_;   // a burst in 64-bit words
  std::uint32_t buffer_words_;  // the buffers in 64-bit words
  bool second_half_ = false;    // 32-bit port: this edge carries the upper half of a word
  bool loopback_ = false;
  bool mismatch_ = false;
  std::uint32_t source_next_ = 0;
  std::uint32_t sink_expected_ = 0;
  Direction read_, write_;
  Ring<std::uint64_t> read_buffer_, loop_, write_buffer_;
};

}  // namespace sluice::model
