// SPDX-License-Identifier: Apache-2.0
// AfiPort: the FIFO block behind one S_AXI_HP port, at burst level.
//
// The PL side (methods pl_*) is called at PL clock edges; the PS side (ps_*) at DDR_2x cycles by
// HpSwitch. Both AxiHp (pins) and HpMaster (transactions) stand on the PL side. Words are the
// 64-bit entries of the FIFOs; a burst of B beats of S bytes covers address .. and uses one word a
// beat.
//
// Reads: a command waits in the queue (read_command_depth) until it is issued: at most
//   read_issue_capability unfinished, and only into reserved FIFO words, so the PS is never stalled
//   by a slow PL. Words come back in order of acceptance.
// Writes: words and commands enter separately; a command is issued when every word of its burst is
//   in the FIFO (UG585 chapter 5, "Write FIFO Store and Forward"; AFI_WRCHAN_CTRL's reset value)
//   and at most write_issue_capability wait for a response. Words enter in the order of their
//   commands and may come before them.
// Memory: Ocm takes bursts inside the on-chip memory. All others go to the DDR controller, where
//   those that leave the DDR memory fail. A command waits until all commands of its direction that
//   went the other way have ended, so that words and responses keep their order. Interconnects
//   avoid deadlocks so; that this one does it whatever the IDs is assumed.
// Clock crossing: counts go through two flops of the receiving clock (assumed, the usual design).
// A call whose "room"/"available" function says no throws std::logic_error.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "sluice/model/afi_params.hpp"
#include "sluice/model/axi.hpp"
#include "sluice/model/memory.hpp"
#include "sluice/model/ocm_memory.hpp"
#include "sluice/model/ring.hpp"
#include "sluice/model/synchronised.hpp"

namespace sluice::model {

/// A burst as the PS sees it. Legal: 1..16 words, size_bytes 1, 2, 4 or 8, inside a 4 KiB page.
struct AfiBurst {
  std::uint64_t address = 0;     ///< byte address of the first beat (may be unaligned)
  std::uint32_t words = 0;       ///< beats = FIFO words
  std::uint32_t size_bytes = 8;  ///< bytes a beat
  /// Address of beat i, aligned to its size after the first.
  [[nodiscard]] std::uint64_t beat_address(std::uint32_t i) const {
    return i == 0 ? address : (address & ~std::uint64_t{size_bytes - 1U}) + i * size_bytes;
  }
  [[nodiscard]] std::uint64_t end() const {
    return (address & ~std::uint64_t{size_bytes - 1U}) + std::uint64_t{words} * size_bytes;
  }
};

class AfiPort {
 public:
  struct ReadWord {
    std::uint64_t data;
    Response response;
    bool last;
  };

  /// ocm: nullptr: there is none.
  AfiPort(const AfiParams& params, Memory& memory, OcmMemory* ocm = nullptr);

  // ---- PL side -------------------------------------------------------------------------------
  /// Call once at the start of every PL edge, before the other pl_* calls of that edge.
  void pl_edge() {
    read_seen_.clock(read_put_);
    write_freed_seen_.clock(write_freed_);
    responded_seen_.clock(responded_);
  }
  [[nodiscard]] bool pl_read_room() const { return reads_waiting_ < params_.read_command_depth; }
  void pl_read(const AfiBurst& burst);
  [[nodiscard]] bool pl_read_word_available() const { return read_seen_.seen != read_taken_; }
  /// The data of the word that pl_take_read_word() would take.
  [[nodiscard]] std::uint64_t pl_peek_read_word() const {
    require(pl_read_word_available(), "AFI: read word looked at that is not there");
    return read_fifo_[read_taken_ & read_fifo_mask_];
  }
  ReadWord pl_take_read_word() {
    require(pl_read_word_available(), "AFI: read word taken that is not there");
    Read& read = reads_.front();
    ReadWord word{read_fifo_[read_taken_ & read_fifo_mask_], read.response, false};
    ++read_taken_;
    --read_reserved_;
    if (++read.taken == read.burst.words) {
      word.last = true;
      --reads_delivered_;
      reads_.pop();
    }
    return word;
  }
  [[nodiscard]] bool pl_write_room() const { return writes_waiting_ < params_.write_command_depth; }
  void pl_write(const AfiBurst& burst);
  [[nodiscard]] bool pl_write_word_room() const {
    return static_cast<std::uint32_t>(write_put_ - write_freed_seen_.seen) <
           params_.write_fifo_words;
  }
  void pl_put_write_word(std::uint64_t data, std::uint8_t strobe) {
    require(pl_write_word_room(), "AFI: write word pushed without room");
    write_fifo_[write_put_ & write_fifo_mask_] = {data, strobe};
    const std::uint64_t edge = cross();
    if (++write_put_ == write_lacks_to_) write_is_whole(edge);
  }
  [[nodiscard]] bool pl_response_available() const {
    return responded_seen_.seen != responses_taken_;
  }
  Response pl_take_response() {
    require(pl_response_available(), "AFI: response taken that is not there");
    const Response response = responses_.front();
    responses_.pop();
    ++responses_taken_;
    return response;
  }
  [[nodiscard]] const AfiParams& params() const { return params_; }
  /// No command or response anywhere in this port or behind it, no word in a FIFO.
  [[nodiscard]] bool idle() const;

  // ---- PS side (HpSwitch) --------------------------------------------------------------------
  /// Commands accepted and not finished on this side: without any, ps_tick() may be left out (words
  /// that were put early are then seen together with their command).
  [[nodiscard]] bool ps_active() const { return ps_open_ != 0; }
  /// An edge of the PS's clock, for the synchronisers of the PL-to-PS direction; call once a DDR_2x
  /// cycle before the other ps_* calls.
  void ps_tick() { ++ps_edge_; }
  /// Nothing can happen on the PS side until the PL side does something.
  [[nodiscard]] bool ps_quiet() const;
  [[nodiscard]] bool ps_read_ready() const { return ps_edge_ >= next_read_.edge && read_slot(); }
  /// The same of a read of the on-chip memory.
  [[nodiscard]] bool ps_ocm_read_ready() const {
    return ps_edge_ >= next_read_.ocm_edge && read_slot();
  }
  /// Issues the oldest waiting read; `response` is okay unless the access must fail.
  AfiBurst ps_issue_read(Response& response);
  /// One word of the oldest issued read, loaded from memory now.
  void ps_deliver_read_word() {
    require(reads_issued_ != 0, "AFI: read word delivered for no burst");
    // The oldest issued burst; one that is partly delivered counts as issued.
    Read& read = reads_.at(reads_delivered_);
    const std::uint64_t word_address = read.burst.beat_address(read.delivered) & ~std::uint64_t{7};
    const bool readable = read.response == Response::okay;
    read_fifo_[read_put_ & read_fifo_mask_] = readable ? read.memory->load_word(word_address) : 0;
    ++read_put_;
    read_bytes_ += read.burst.size_bytes;
    if (++read.delivered == read.burst.words) {
      --reads_issued_;
      --ps_open_;
      ++reads_delivered_;
      if (next_read_.held && reads_issued_ == 0) find_next_read();
    }
  }
  [[nodiscard]] bool ps_write_ready() const { return ps_edge_ >= next_write_.edge && write_slot(); }
  /// The same of a write to the on-chip memory.
  [[nodiscard]] bool ps_ocm_write_ready() const {
    return ps_edge_ >= next_write_.ocm_edge && write_slot();
  }
  /// The next read or write is for the on-chip memory.
  [[nodiscard]] bool ps_asks_ocm() const {
    return next_read_.ocm_edge != kNever || next_write_.ocm_edge != kNever;
  }
  AfiBurst ps_issue_write(Response& response);
  /// One word of the oldest issued write whose words have not all gone: stored to memory now.
  void ps_fetch_write_word() {
    require(writes_fetching_ != 0, "AFI: write word fetched for no burst");
    Write& write = writes_.at(writes_fetched_);
    const Word& word = write_fifo_[write_freed_ & write_fifo_mask_];
    if (write.response == Response::okay) {
      write.memory->store_word(write.burst.beat_address(write.fetched) & ~std::uint64_t{7},
                               word.data, word.strobe);
      write_bytes_ += write.burst.size_bytes;
    }
    ++write_freed_;
    if (++write.fetched == write.burst.words) {
      --writes_fetching_;
      ++writes_fetched_;
    }
  }
  /// The oldest issued write is finished.
  void ps_respond() {
    require(writes_fetched_ != 0, "AFI: response for no write");
    responses_.push(writes_.front().response);
    ++responded_;
    --ps_open_;
    writes_.pop();
    --writes_fetched_;
    if (next_write_.held && writes_fetched_ + writes_fetching_ == 0) find_next_write();
  }

  [[nodiscard]] std::uint64_t read_bytes() const { return read_bytes_; }
  [[nodiscard]] std::uint64_t write_bytes() const { return write_bytes_; }

 private:
  struct Read {
    AfiBurst burst;
    Response response;
    std::uint32_t delivered;     ///< words put into the FIFO
    std::uint32_t taken;         ///< words the PL has taken
    std::uint64_t visible_edge;  ///< of the PS's clock
    Memory* memory;              ///< that it is for
  };
  struct Write {
    AfiBurst burst;
    Response response;
    std::uint32_t fetched;
    std::uint64_t words_end;   ///< number of the word after its last, counted since construction
    std::uint64_t whole_edge;  ///< of the PS's clock: all of it is visible; kNever: words lack
    Memory* memory;            ///< that it is for
  };
  /// The oldest command of a direction that waits for its issue: from which edge on, by way.
  struct Next {
    std::uint64_t edge = kNever;
    std::uint64_t ocm_edge = kNever;
    bool held = false;  ///< until those on the other way have ended
  };
  struct Word {
    std::uint64_t data;
    std::uint8_t strobe;
  };

  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  static void require(bool ok, const char* sentence) {
    if (!ok) throw std::logic_error(sentence);
  }
  void check_burst(const AfiBurst& burst) const;
  /// The edge at which the PS sees what the PL does now: the second from here, or `more` later.
  std::uint64_t cross(std::uint32_t more = 0) {
    const std::uint64_t edge = ps_edge_ + 2U + more;
    last_crossing_ = std::max(last_crossing_, edge);
    return edge;
  }
  [[nodiscard]] Memory* memory_of(const AfiBurst& burst) const {
    return ocm_ != nullptr && ocm_->bytes.contains(burst.address, burst.end() - burst.address)
               ? &ocm_->bytes
               : &memory_;
  }
  [[nodiscard]] bool read_slot() const {
    return reads_issued_ < params_.read_issue_capability &&
           read_reserved_ + next_read_words_ <= params_.read_fifo_words;
  }
  [[nodiscard]] bool write_slot() const {
    return writes_fetching_ == 0 &&
           writes_fetched_ + responses_.size() < params_.write_issue_capability;
  }
  /// From this edge on.
  void write_is_whole(std::uint64_t edge);
  void find_next_read();
  void find_next_write();
  /// memory: that it is for. before: that of the command before it; nullptr: that has ended.
  [[nodiscard]] Next next_command(std::uint64_t edge, const Memory* memory, const Memory* before);

  AfiParams params_;
  Memory& memory_;
  OcmMemory* ocm_;

  // Reads: a ring of bursts from acceptance until the PL took the last word.
  Ring<Read> reads_;
  std::uint32_t reads_waiting_ = 0;    ///< accepted, not issued (at the ring's end)
  std::uint32_t reads_issued_ = 0;     ///< issued, not fully delivered
  std::uint32_t reads_delivered_ = 0;  ///< delivered, not fully taken (at the ring's front)
  std::uint32_t read_reserved_ = 0;    ///< FIFO words reserved or occupied
  std::vector<std::uint64_t> read_fifo_;
  std::uint32_t read_fifo_mask_;
  std::uint64_t read_put_ = 0;
  std::uint64_t read_taken_ = 0;
  Synchronised read_seen_;

  // Writes: a ring of bursts from acceptance until the response is generated.
  Ring<Write> writes_;
  std::uint32_t writes_waiting_ = 0;
  std::uint32_t writes_fetching_ = 0;  ///< issued, words not all fetched
  std::uint32_t writes_fetched_ = 0;   ///< issued and fetched, response not yet generated
  std::vector<Word> write_fifo_;
  std::uint32_t write_fifo_mask_;
  std::uint64_t write_put_ = 0;
  std::uint64_t write_freed_ = 0;
  std::uint64_t write_claimed_ = 0;        ///< words that belong to accepted commands
  std::uint32_t writes_lacking_ = 0;       ///< commands whose words are not all there
  std::uint64_t write_lacks_to_ = kNever;  ///< words_end of the oldest of them
  Synchronised write_freed_seen_;
  Ring<Response> responses_;
  std::uint64_t responded_ = 0;
  std::uint64_t responses_taken_ = 0;
  Synchronised responded_seen_;

  // PL to PS: what the PS sees from which edge of its clock on.
  std::uint64_t ps_edge_ = 0;
  std::uint64_t last_crossing_ = 0;
  std::uint32_t ps_open_ = 0;  ///< commands accepted, not fully delivered or answered
  Next next_read_, next_write_;
  std::uint32_t next_read_words_ = 0;

  std::uint64_t read_bytes_ = 0;
  std::uint64_t write_bytes_ = 0;
};

}  // namespace sluice::model
