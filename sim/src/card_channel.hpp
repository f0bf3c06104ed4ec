// SPDX-License-Identifier: Apache-2.0
// CardChannel: a memory-mapped channel of sl_xdma at transaction level: its registers, and what
// sl_xdma_channel does with its two movers, burst by burst.
//
// Reads run ahead of writes by the movers' buffers; a burst of the write goes when all of it is in
// the buffer. The card's memory takes and gives a beat a cycle, as Axi4Memory does; H2C's writes
// into it are calculated as their data comes. Time as HostPort. Not modelled: accesses of the CPU
// and the other channel at the card's port meanwhile, cycles lost where a descriptor begins inside
// a beat.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "card_fetch.hpp"
#include "host_port.hpp"
#include "read_window.hpp"
#include "sluice/model/clock.hpp"
#include "sluice/model/memory.hpp"
#include "sluice/model/pcie_params.hpp"

namespace sluice::sim {

class CardChannel {
 public:
  // What all channels share of the card.
  struct Card {
    HostPort& host;
    model::Memory& memory;
    const model::Clock& clock;
    const model::PcieParams& params;
    unsigned width_bytes;
  };

  CardChannel(const Card& card, bool to_card);

  // Registers, in the cycle in which they take effect.
  void set_control(uint64_t cycle, uint32_t value);
  [[nodiscard]] uint32_t control() const { return control_; }
  [[nodiscard]] uint32_t status() const;
  void clear_status(uint32_t bits) {
    status_ &= ~bits;
    seen_ = true;
  }
  // Whether software has looked at STATUS and acknowledged since the last call.
  bool take_seen() { return std::exchange(seen_, false); }
  [[nodiscard]] uint32_t completed() const { return completed_; }
  void reset(uint64_t cycle);
  [[nodiscard]] bool resetting() const { return resetting_; }
  uint32_t irq_mask = 0;
  uint64_t poll_address = 0;
  uint64_t first = 0;
  uint32_t adjacent = 0;
  [[nodiscard]] CardFetch& fetch() { return fetch_; }
  [[nodiscard]] bool interrupt() const { return (status_ & irq_mask) != 0; }

  // From the host's port. data(), beats(): of H2C; data_written(): of C2H.
  void data(uint64_t place, std::span<const uint8_t> bytes);
  void beats(uint64_t cycle, uint32_t count, bool last, model::Response status);
  void data_written(uint64_t cycle);
  void count_written(uint64_t cycle);

  // A burst to read, if one is due; step() does all.
  bool ask(uint64_t cycle);
  void step(uint64_t cycle);
  [[nodiscard]] uint64_t next() const { return next_ < fetch_.next() ? next_ : fetch_.next(); }
  [[nodiscard]] bool idle() const { return state_ == State::idle || state_ == State::wait; }

 private:
  // As in sl_xdma_channel.
  enum class State : uint8_t { idle, run, drain, off, halt, wait };

  struct Transfer {
    CardDescriptor descriptor;
    uint32_t beats = 0;    // that have come from the source
    uint32_t written = 0;  // bytes in bursts of the write
    uint64_t place = 0;    // of its first byte, among all to the card
    uint64_t end = kNever;
    model::Response read_error = model::Response::okay;
    model::Response write_error = model::Response::okay;
    [[nodiscard]] bool begun() const { return descriptor.kind == CardDescriptor::Kind::data; }
  };
  struct Asked {  // what is left of a descriptor's read
    uint64_t address;
    uint32_t bytes;
    uint64_t place;
    uint64_t from;  // the cycle of its first address
  };
  struct Collected {        // a burst of C2H's write that the writing mover has no room for
    HostPort::Burst burst;  // ready: the cycle in which its last beat came
    uint32_t beats;         // of the read
    uint64_t number;        // of its transfer
    bool last;              // of its transfer
  };
  struct Unanswered {  // a burst that the host's port has
    uint64_t there;    // the cycle in which its last beat came
    uint64_t number;   // of its transfer
    bool last;         // of its transfer
  };

  [[nodiscard]] bool running() const;
  [[nodiscard]] Transfer& transfer(uint64_t number) { return open_[number - oldest_]; }
  [[nodiscard]] uint64_t beats_of(uint64_t address, uint64_t bytes) const {
    return sim::beats_of(address, bytes, width_);
  }
  void due(uint64_t cycle) { next_ = cycle < next_ ? cycle : next_; }

  void start(uint64_t cycle);
  [[nodiscard]] bool has_room(uint64_t cycle);
  bool begin(uint64_t cycle);
  void read_card(uint64_t cycle, uint64_t address, uint32_t bytes);
  void stream(uint64_t cycle, uint32_t count);
  void write_card(uint64_t cycle, Transfer& of, uint32_t bytes);
  void collect(uint64_t cycle, Transfer& of, uint32_t bytes);
  void fail_read(uint64_t cycle, model::Response status);
  [[nodiscard]] uint64_t last_taken(uint64_t cycle) const;
  void drain(uint64_t cycle);
  void write_host(uint64_t cycle);
  void retire(uint64_t cycle);
  void halt(uint64_t cycle);
  [[nodiscard]] bool quiet(uint64_t cycle);
  void finish(uint64_t cycle);
  void note(uint32_t bits) { status_ |= bits & control_; }

  HostPort& host_;
  model::Memory& memory_;
  const model::Clock& clock_;
  uint64_t read_ps_;
  uint64_t write_ps_;
  unsigned width_;
  uint32_t window_;  // bytes whose multiples end a burst
  bool to_card_;
  HostPort::Writer counts_writer_;
  ReadWindow reads_;
  // To the card: bytes that were read and are not in a burst of the write yet, by place.
  std::vector<uint8_t> staged_;
  CardFetch fetch_;

  State state_ = State::idle;
  uint32_t control_ = 0;
  uint32_t status_ = 0;
  uint32_t completed_ = 0;
  uint32_t events_ = 0;  // that wait for the end
  bool fell_ = false;    // RUN, since the start
  bool resetting_ = false;
  bool seen_ = false;
  uint64_t next_ = kNever;

  std::deque<Transfer> open_;    // begun and not completed, oldest first
  uint64_t oldest_ = 0;          // number of the first of them
  uint64_t answered_ = 0;        // number of the first whose data is not known to be answered
  uint64_t streaming_ = 0;       // number of that whose beats come next
  uint64_t left_ = 0;            // number of that which the reading mover has at its end
  std::deque<uint64_t> leaves_;  // when those that follow leave it
  uint64_t drain_to_ = 0;        // number of the last that completes after RUN has fallen
  bool last_ = false;            // none begins any more
  uint64_t begin_from_ = 0;
  uint64_t retire_from_ = 0;

  // The source: what is to be asked for, and room for its beats.
  std::deque<Asked> asks_;
  uint64_t ask_from_ = 0;
  uint64_t card_read_free_ = 0;
  bool failed_ = false;

  uint64_t staged_to_ = 0;  // bytes ever asked for

  // The target.
  uint64_t card_write_free_ = 0;
  uint64_t card_answer_ = 0;   // the last
  uint64_t through_from_ = 0;  // when the next beat can go from mover to mover
  std::deque<Collected> collected_;
  std::deque<Unanswered> unanswered_;
  uint64_t answering_ = 0;  // number of the transfer that is answered next

  bool count_due_ = false;    // a count is to be written
  uint64_t count_from_ = 0;   // from when
  bool count_error_ = false;  // of an error
  bool count_event_ = false;
  std::deque<bool> counts_;  // on their way: an event with them?
};

}  // namespace sluice::sim
