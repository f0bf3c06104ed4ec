// SPDX-License-Identifier: Apache-2.0
// F2sPort: one FPGA-to-SDRAM port of a Cyclone V at burst level: its FIFOs and clock crossing.
//
// The PL side (pl_*) is called at edges of the port's clock by AxiF2s (pins) or F2sMaster
// (transactions), and is the same as AfiPort's. The DDR side (ddr_*) is called by Mpfe. Words have
// 64 bits, as the interface's data ports; a beat of a 128 or 256-bit port is two or four words and
// moves whole, two beats of a 32-bit port share a word.
//
// Commands: the asynchronous and the synchronous FIFO hold async_commands + sync_commands bursts a
//   direction, until the front end has scheduled their last DRAM burst (32 bytes).
// Reads: a DRAM burst is scheduled only into free words (read_words_over() says how many words
//   of the front end's own buffer it would take besides the FIFOs); data returns in order.
// Writes: a DRAM burst can be scheduled when its words are in the FIFOs, and frees them. The
//   response comes after the last one, in order.
// Clock crossing: counts go through two flops of the receiving clock (assumed, the usual design).
// A call whose "room"/"available" function says no throws std::logic_error.
#pragma once

#include <cstdint>
#include <vector>

#include "sluice/model/afi_port.hpp"
#include "sluice/model/axi.hpp"
#include "sluice/model/cyclonev_params.hpp"
#include "sluice/model/memory.hpp"
#include "sluice/model/ring.hpp"
#include "sluice/model/synchronised.hpp"

namespace sluice::model {

class F2sPort {
 public:
  using ReadWord = AfiPort::ReadWord;
  static constexpr std::uint32_t kDramBurstBytes = 32;
  static constexpr std::uint32_t kMostBeats = 16;

  /// A DRAM burst's worth of a command, for the front end.
  struct Request {
    std::uint64_t address = 0;
    std::uint32_t words = 0;
    bool failed = false;  ///< for no DRAM: outside the memory, or poisoned
  };

  F2sPort(const F2sPortParams& params, std::uint32_t port_bits, Memory& memory);

  [[nodiscard]] std::uint32_t bits() const { return port_bits_; }

  // ---- PL side -------------------------------------------------------------------------------
  /// Call once at the start of every PL edge, before the other pl_* calls of that edge.
  void pl_edge() {
    read_seen_.clock(read_put_);
    write_freed_seen_.clock(write_freed_);
    reads_freed_seen_.clock(reads_scheduled_);
    writes_freed_seen_.clock(writes_scheduled_);
    responded_seen_.clock(responded_);
  }
  [[nodiscard]] bool pl_read_room() const {
    return reads_accepted_ - reads_freed_seen_.seen < commands_;
  }
  /// Legal: 8-byte words (size_bytes 8), aligned to the port's beat, 1 to 16 beats, inside a 4 KiB
  /// page.
  void pl_read(const AfiBurst& burst);
  /// The rest of a beat is there.
  [[nodiscard]] bool pl_read_word_available() const {
    return read_seen_.seen - read_taken_ >= beat_words_ - read_taken_ % beat_words_;
  }
  ReadWord pl_take_read_word();
  [[nodiscard]] bool pl_write_room() const {
    return writes_accepted_ - writes_freed_seen_.seen < commands_;
  }
  void pl_write(const AfiBurst& burst);
  /// The rest of a beat has room.
  [[nodiscard]] bool pl_write_word_room() const {
    return write_put_ + (beat_words_ - write_put_ % beat_words_) - write_freed_seen_.seen <=
           fifo_words_;
  }
  void pl_put_write_word(std::uint64_t data, std::uint8_t strobe);
  [[nodiscard]] bool pl_response_available() const {
    return responded_seen_.seen != responses_taken_;
  }
  Response pl_take_response();
  /// No command or response anywhere in this port or behind it, no word in a FIFO.
  [[nodiscard]] bool idle() const;

  // ---- DDR side (Mpfe) -----------------------------------------------------------------------
  /// Synchronisers of the PL-to-DDR direction and due responses; once a front end's clock.
  void ddr_tick(std::uint64_t cycle);
  [[nodiscard]] bool ddr_active() const { return ddr_open_ != 0; }
  /// Nothing can happen on the DDR side until the PL side does something.
  [[nodiscard]] bool ddr_quiet() const;

  [[nodiscard]] bool ddr_read_pending() const {
    return reads_scheduled_ != reads_accepted_seen_.seen;
  }
  [[nodiscard]] Request ddr_next_read() const;
  /// Words that `words` more would occupy beyond the port's own FIFOs.
  [[nodiscard]] std::uint32_t read_words_over(std::uint32_t words) const {
    const std::uint32_t total = read_reserved_ + words;
    return total > fifo_words_ ? total - fifo_words_ : 0;
  }
  /// Schedules the next DRAM burst of a read; returns its number.
  std::uint32_t ddr_grant_read();
  /// The data of burst `number` is in the read data block.
  void ddr_returned(std::uint32_t number);

  [[nodiscard]] bool ddr_write_pending() const;
  [[nodiscard]] Request ddr_next_write() const;
  /// Schedules it; if it ends its command, the response is due at `respond_cycle`.
  void ddr_grant_write(std::uint64_t respond_cycle);

  [[nodiscard]] std::uint64_t read_bytes() const { return read_bytes_; }
  [[nodiscard]] std::uint64_t write_bytes() const { return write_bytes_; }

 private:
  struct Command {
    AfiBurst burst;
    Response response;
    std::uint32_t scheduled;   ///< words
    std::uint64_t first_word;  ///< writes: its number, counted since construction
  };
  struct Chunk {  ///< a scheduled DRAM burst of a read
    std::uint64_t address;
    std::uint32_t words;
    Response response;
    bool last;  ///< of its command
    bool returned;
  };
  struct Word {
    std::uint64_t data;
    std::uint8_t strobe;
  };
  struct Due {
    std::uint64_t cycle;
    Response response;
  };

  void check_burst(const AfiBurst& burst) const;
  static Request request(const Command& command);
  void deliver();

  Memory& memory_;
  std::uint32_t port_bits_;
  std::uint32_t beat_words_;
  std::uint32_t fifo_words_;  ///< both FIFOs, all data ports, a direction
  std::uint32_t commands_;

  // Reads
  Ring<Command> reads_;  ///< not yet wholly scheduled
  Ring<Chunk> chunks_;   ///< scheduled, data not yet in the FIFO
  std::uint32_t chunks_delivered_ = 0;
  std::uint32_t read_reserved_ = 0;  ///< words scheduled and not taken by the PL
  Ring<ReadWord> read_fifo_;
  std::uint64_t read_put_ = 0;
  std::uint64_t read_taken_ = 0;
  std::uint64_t reads_accepted_ = 0;
  std::uint64_t reads_scheduled_ = 0;
  Synchronised read_seen_, reads_accepted_seen_, reads_freed_seen_;

  // Writes
  Ring<Command> writes_;
  Ring<Word> write_fifo_;
  std::uint64_t write_put_ = 0;
  std::uint64_t write_freed_ = 0;
  std::uint64_t write_claimed_ = 0;  ///< words that belong to accepted commands
  std::uint64_t writes_accepted_ = 0;
  std::uint64_t writes_scheduled_ = 0;
  Synchronised write_put_seen_, write_freed_seen_, writes_accepted_seen_, writes_freed_seen_;
  Ring<Due> due_;
  Ring<Response> responses_;
  std::uint64_t responded_ = 0;
  std::uint64_t responses_taken_ = 0;
  Synchronised responded_seen_;

  std::uint32_t ddr_open_ = 0;  ///< commands whose data or response has not left this side
  std::uint64_t read_bytes_ = 0;
  std::uint64_t write_bytes_ = 0;
};

}  // namespace sluice::model
