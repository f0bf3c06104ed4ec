// SPDX-License-Identifier: Apache-2.0
// PortMaster: a transaction-level DMA engine on one port of the chip, with the policy of the RTL
// engines: HpMaster on an AfiPort, RamMaster on one with a block RAM beside it, F2sMaster on an
// F2sPort. Master is all of it but the port.
//
// Drives the port by bursts instead of pins. A call of pl_edge() is one edge of the PL clock; in
// an edge it posts at most one AR, one AW, one W beat, and takes at most one R beat and one B.
// Reads (MM2S, as sl_mm2s): bursts of burst_beats, ended at burst-aligned addresses; issued only
//   while a whole burst_beats is free in a buffer of buffer_beats; one beat an edge leaves the
//   buffer for the stream.
// Writes (S2MM, as sl_s2mm): store and forward: an AW when the burst's beats are in the buffer of
//   buffer_beats; its W beats follow, one an edge. The stream waits while max_write_bursts bursts
//   are in the buffer or without a response; as there that shows three edges late.
// Both directions run and are started apart. Each takes up to kMostTransfers, does them in order
// and
//   goes on to the next one without a pause: bursts of several are outstanding. Streams, by Route:
//   a loop-back joins them by a FIFO of loop_beats; else reads go to a sink that compares with a
//   counter of 32-bit words, and writes take such a counter, in packets of source().packet_words,
//   or what push_word() gives them. A write ends with its packet or its length; a packet that is
//   longer goes on in the next write. A read ends a packet, or not.
// halt: bursts that are issued end, everything else of the direction is dropped.
// group_bursts above 1: an engine of longer bursts than the port's, each made of so many, and one
//   in flight a direction (StreamIF: 1 KiB). A read is asked for once the words of the last one
//   have left for the stream, words of a write are taken once the last one is answered; in between
//   the engine rests for so many edges: read_gap_edges, write_gap_edges, in a loop-back
//   loop_gap_edges.
// scatter: bursts go to the places of a fixed permutation of the transfer's bursts, whose number
//   must be a power of two: traffic that seems random to the memory and still touches each byte
//   once.
// leave_out: words in the middle of transfers are moved at once, as if the engine had moved them.
//   For simulations of long transfers whose rate is known.
// Words have 64 bits: a beat of 128 or 256 bits is two or four of them, a port of 32 bits moves one
// every second edge (burst_beats of 4 bytes are upsized, as AxiHp does), and so does a stream with
// stream_bits 32 on a port of 64. Addresses and lengths are multiples of the beat and of 8 bytes. A
// finished() master costs nothing.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "sluice/model/afi_port.hpp"
#include "sluice/model/cyclonev_f2s_port.hpp"
#include "sluice/model/port_share.hpp"
#include "sluice/model/ram_split.hpp"
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
  bool ends_packet = true;  ///< of a read: its last word does
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

  /// Reads to sink() and writes from source(); reads to writes; reads to sink() and writes from
  /// push_word().
  enum class Route : std::uint8_t { split, loopback, fed };

  virtual ~Master() = default;
  Master(const Master&) = delete;
  Master& operator=(const Master&) = delete;

  /// Empties what is before the writes. A transfer that is under way goes on with what the new
  /// route has, as the logic does.
  void set_route(Route route);
  void set_loopback(bool on) { set_route(on ? Route::loopback : Route::split); }
  [[nodiscard]] bool loopback() const { return route_ == Route::loopback; }
  [[nodiscard]] const MasterParams& params() const { return params_; }
  [[nodiscard]] Source& source() { return source_; }
  [[nodiscard]] Sink& sink() { return sink_; }

  static constexpr std::uint32_t kMostTransfers = 32;  ///< that a direction takes

  /// What became of a transfer: its first error, the bytes before that (of a write: of the bursts),
  /// and whether a packet ended with it.
  struct Done {
    Response response = Response::okay;
    std::uint64_t bytes = 0;
    bool ended_packet = false;
  };

  /// Take a transfer, which starts at the next edge or after those before it; throw
  /// std::logic_error without room, std::invalid_argument for a length of 0 or a misaligned one.
  void start_read(const PortTransfer& transfer) { begin(read_, transfer); }
  void start_write(const PortTransfer& transfer) { begin(write_, transfer); }
  /// Both at once, as a loop-back (equal lengths) if both have a length.
  void start(const PortTransfer& read, const PortTransfer& write, std::uint32_t counter_start = 0);
  [[nodiscard]] bool read_room() const { return !read_.transfers.full() && !read_.halting; }
  [[nodiscard]] bool write_room() const { return !write_.transfers.full() && !write_.halting; }

  virtual void pl_edge() = 0;
  [[nodiscard]] bool reading() const { return !read_.transfers.empty(); }
  [[nodiscard]] bool writing() const { return !write_.transfers.empty(); }
  [[nodiscard]] bool finished() const { return !reading() && !writing(); }
  /// Of each direction: transfers done since construction, at most one an edge, and the last one.
  [[nodiscard]] std::uint64_t reads_done() const { return read_.done_count; }
  [[nodiscard]] std::uint64_t writes_done() const { return write_.done_count; }
  [[nodiscard]] std::uint64_t transfers_done() const {
    return read_.done_count + write_.done_count;
  }
  [[nodiscard]] const Done& read_done() const { return read_.done; }
  [[nodiscard]] const Done& write_done() const { return write_.done; }
  /// First error of the direction's last transfer.
  [[nodiscard]] Response read_response() const { return read_.done.response; }
  [[nodiscard]] Response write_response() const { return write_.done.response; }
  [[nodiscard]] bool error() const {
    return read_response() != Response::okay || write_response() != Response::okay;
  }

  /// Until the direction has no transfer any more, which are not told as done.
  void halt_read() { halt(read_); }
  void halt_write() { halt(write_); }
  /// Empties what is before the writes; for after a halt of both directions.
  void empty_loop();
  /// Route::fed: words for the writes, which go through the FIFO behind a dropper of two beats.
  /// Otherwise there is no room for one.
  [[nodiscard]] bool feed_room() const { return route_ == Route::fed && !waiting_.full(); }
  void push_word(std::uint64_t data, bool last) {
    waiting_.push({{data, last}, edges_ + params_.loop_latency_edges + 1});
  }
  /// The last word that was pushed ends a packet, if it is still there.
  void end_pushed_packet() {
    if (route_ == Route::fed && !waiting_.empty()) waiting_.back().word.last = true;
  }
  /// Of an edge at which no word of a write went to the port, as sl_s2mm tells it: its burst had no
  /// place, the word had none, a response to come held it up, or the stream had none.
  enum class Stall : std::uint8_t { address, space, response, data };
  [[nodiscard]] virtual Stall write_stall() const = 0;
  [[nodiscard]] std::uint64_t words_written() const { return words_written_; }
  /// A write takes words of the stream; it has taken some.
  [[nodiscard]] bool write_open() const { return write_.moving != write_.transfers.size(); }
  [[nodiscard]] bool write_begun() const {
    return write_open() && write_.transfers.at(write_.moving).moved != 0;
  }
  /// Words that the reads have given to the stream, that the writes have taken from it, and packets
  /// that began with them.
  [[nodiscard]] std::uint64_t words_sent() const { return words_sent_; }
  [[nodiscard]] std::uint64_t words_received() const { return words_received_; }
  [[nodiscard]] std::uint64_t packets_begun() const { return packets_begun_; }
  /// Grows with whatever moves: while it stands, nothing will move that the chip or the other end
  /// of a stream does not move.
  [[nodiscard]] std::uint64_t moves() const { return moves_; }
  /// Nothing of it is in the port.
  [[nodiscard]] bool port_idle() const { return read_.bursts_open == 0 && write_.bursts_open == 0; }

  /// Addresses of memory, `end` not included.
  struct Span {
    std::uint64_t first = 0;
    std::uint64_t end = 0;
  };
  /// What the oldest transfer reads, and writes; empty: there is none.
  [[nodiscard]] Span read_span() const { return span_of(read_); }
  [[nodiscard]] Span write_span() const { return span_of(write_); }

  /// Words of a direction's stream.
  struct Words {
    std::uint64_t read = 0;
    std::uint64_t write = 0;
    bool operator==(const Words&) const = default;
  };
  /// How many words may be left out at most; 0 of both: none. Each direction at work needs one
  /// transfer, of which nothing has been left out, in memory without a fault. The route is from a
  /// source, to a sink, or a loop-back whose bursts end at the same words. The caller has checked
  /// that no transfer writes what another one reads or writes.
  [[nodiscard]] Words most_to_leave_out(const Memory& memory) const;
  /// So many words are whole bursts, and whole groups.
  [[nodiscard]] bool whole(std::uint64_t words) const {
    return words % std::max(burst_words_, group_words_) == 0;
  }
  /// Move so many words at once, and go on behind them. Every byte and every counter is as if the
  /// engine had moved them. A sink compares them at once. Throws std::invalid_argument for more
  /// than most_to_leave_out(), for parts of a burst or group, and for a loop-back of unequal words.
  void leave_out(const Words& words, Memory& memory);

 protected:
  /// Throws std::invalid_argument for parameters out of range.
  explicit Master(const MasterParams& params);

  struct Word {
    std::uint64_t data = 0;
    bool last = false;
  };
  struct WaitingWord {
    Word word;
    std::uint64_t ready = 0;  // from that edge on
  };
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
  struct Transfer {
    std::uint64_t address = 0;  // of the next burst
    std::uint64_t base = 0;
    std::uint64_t words = 0;  // of a write that a packet ends: as many as it has then
    std::uint64_t addressed = 0;
    std::uint64_t moved = 0;       // on the data channel; of a write: taken from the stream
    std::uint64_t streamed = 0;    // of a read: gone to the stream
    std::uint64_t answered = 0;    // of a write
    std::uint64_t good = 0;        // before the first error
    std::uint64_t cut = kNowhere;  // behind so many words some are left out
    std::uint64_t left_out = 0;
    bool ends_packet = true;
    bool whole = false;  // of a write: the stream has nothing more for it
    Response response = Response::okay;
  };
  // Words of its transfers since it was without any: asked for by an address, moved on the data
  // channel, gone to or come from the stream; of writes: answered.
  struct Direction {
    Ring<Transfer> transfers{kMostTransfers};
    std::uint32_t addressing = 0;  // which transfer's next burst it is; none: their number
    std::uint32_t moving = 0;      // of a read: whose words come; of a write: that takes words
    std::uint32_t next_words = 0;  // of the next burst, 0: none is left
    std::uint64_t addressed = 0;
    std::uint64_t moved = 0;
    std::uint64_t streamed = 0;
    std::uint64_t answered = 0;
    std::uint32_t bursts_open = 0;
    std::uint64_t group_end = 0;  // words up to the end of the group in work
    std::uint32_t gap_left = 0;
    bool halting = false;
    Done done;
    std::uint64_t done_count = 0;
  };
  void begin(Direction& direction, const PortTransfer& transfer);
  [[nodiscard]] static Span span_of(const Direction& direction) {
    if (direction.transfers.empty()) return {};
    const Transfer& transfer = direction.transfers.front();
    return {transfer.base, transfer.base + (transfer.words + transfer.left_out) * 8U};
  }
  /// Two words of a counter, of 32 bits each.
  [[nodiscard]] static std::uint64_t counter_word(std::uint32_t first) {
    return first | std::uint64_t{first + 1U} << 32U;
  }
  /// Words between the last boundary of a burst, which is a power of two, and so many of a
  /// transfer.
  [[nodiscard]] std::uint64_t past_boundary(const Transfer& transfer, std::uint64_t words) const {
    return (transfer.base / 8U + words) & (burst_words_ - 1U);
  }
  /// Words of the burst that begins after so many of its transfer, and so many of its direction: up
  /// to its boundary, the end of its group or the end of the transfer.
  [[nodiscard]] std::uint32_t burst_at(const Transfer& transfer, std::uint64_t words,
                                       std::uint64_t of_direction) const;
  void plan_burst(Direction& direction) const;
  void burst_addressed(Direction& direction);
  void finish(Direction& direction);
  void halt(Direction& direction);
  void end_halt(Direction& direction, Ring<Word>& buffer);
  /// Where the next burst goes.
  [[nodiscard]] std::uint64_t place(const Direction& direction) const {
    const Transfer& transfer = direction.transfers.at(direction.addressing);
    return params_.scatter == 0 ? transfer.address : scattered(transfer);
  }
  [[nodiscard]] std::uint64_t scattered(const Transfer& transfer) const;
  void step_group(Direction& direction, bool done, std::uint32_t gap) const;
  [[nodiscard]] Word next_of_source();
  void step_stream();
  void absorb(const Word& word);
  // master_leave_out.cpp
  [[nodiscard]] std::uint64_t next_cut(const Transfer& transfer, std::uint64_t words) const;
  void compare(const Memory& memory, std::uint64_t address, std::uint64_t words,
               std::uint64_t later);
  void fill(Memory& memory, std::uint64_t address, std::uint64_t words, std::uint64_t later) const;
  static void cut(Transfer& transfer, std::uint64_t at, std::uint64_t words);
  void cut_read(Transfer& transfer, std::uint64_t at, std::uint64_t words);
  void cut_write(Transfer& transfer, std::uint64_t at, std::uint64_t words);
  static void pass_cut_of_addresses(Transfer& transfer) {
    if (transfer.addressed == transfer.cut) transfer.address += transfer.left_out * 8U;
  }
  void pass_cut_of_sink(const Transfer& transfer);
  void pass_cut_of_source(const Transfer& transfer);
  void take_into_write_buffer(const Word& word);
  void answered(Response response);

  MasterParams params_;
  std::uint32_t beat_words_;    // 64-bit words of an edge
  std::uint32_t burst_words_;   // a burst in 64-bit words
  std::uint32_t buffer_words_;  // the buffers in 64-bit words
  std::uint32_t loop_words_;    // of the loop-back FIFO
  std::uint32_t group_words_;   // a group, 0: none
  bool port_each_edge_;         // moves a word; else every second
  bool stream_each_edge_;
  bool odd_edge_ = false;  // with 32 bits it carries the upper half of a word
  Route route_ = Route::split;
  bool in_packet_ = false;  // of the writes' stream
  Direction read_, write_;
  Ring<Word> read_buffer_;
  Ring<WaitingWord> waiting_;  // before the writes, of a loop-back or a feed
  Ring<Word> write_buffer_;
  std::uint32_t unanswered_ = 0;                   // bursts, see max_write_bursts
  std::array<std::uint32_t, 3> unanswered_was_{};  // after the last edge, and the two before
  std::uint64_t edges_ = 0;                        // at work
  std::uint64_t source_in_packet_ = 0;
  std::uint64_t words_sent_ = 0;
  std::uint64_t words_received_ = 0;
  std::uint64_t words_written_ = 0;
  std::uint64_t packets_begun_ = 0;
  std::uint64_t moves_ = 0;
  Source source_;
  Sink sink_;
};

/// Bus: PortShare<AfiPort>, PortShare<F2sPort> or RamSplit.
template <typename Bus>
class PortMaster final : public Master {
 public:
  /// The port's only client.
  template <typename Port>
  PortMaster(Port& port, const MasterParams& params)
      : PortMaster(std::make_shared<Bus>(port, 1), 0, params) {}
  /// A client of the bus.
  PortMaster(std::shared_ptr<Bus> bus, unsigned client, const MasterParams& params);

  void pl_edge() override;
  [[nodiscard]] Stall write_stall() const override;

 private:
  // Words of a beat, a constant where a port has but one.
  [[nodiscard]] std::uint32_t beat_words() const {
    if constexpr (Bus::kWide) return beat_words_;
    return 1;
  }
  void step_read();
  void step_write();

  std::shared_ptr<Bus> bus_;
  unsigned client_;
};

using HpMaster = PortMaster<PortShare<AfiPort>>;
using F2sMaster = PortMaster<PortShare<F2sPort>>;
using RamMaster = PortMaster<RamSplit>;

}  // namespace sluice::model
