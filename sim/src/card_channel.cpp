// SPDX-License-Identifier: Apache-2.0
#include "card_channel.hpp"

#include <sl_xdma_channel.h>
#include <sl_xdma_desc.h>

#include <algorithm>
#include <cstring>

namespace sluice::sim {
namespace {

using Kind = CardDescriptor::Kind;

// Parameters of sl_xdma_channel and its movers.
constexpr uint32_t kBurstBeats = 16;
constexpr uint64_t kBufferBeats = 512;
constexpr size_t kInFlight = 64;     // descriptors begun whose data has not been answered
constexpr size_t kEnds = 16;         // others that wait to be counted
constexpr size_t kWriteBursts = 30;  // of the writing mover, unanswered
constexpr uint64_t kAhead = 3;       // commands that the slice before the reading mover adds
constexpr size_t kAsks = 3;          // of those, without all of their addresses

// Of the reading mover: commands, and bursts of the host.
size_t read_depth(bool to_card, uint32_t width_bytes) {
  return to_card && width_bytes > 16 ? 64 : 32;
}

// Cycles of the logic, as traced on the RTL at its pins (lib/tests/card_levels_test.cpp holds
// them):
constexpr uint64_t kBeginCycles = 4;    // a descriptor that can begin to its first address
constexpr uint64_t kAddressCycles = 2;  // between two addresses
constexpr uint64_t kLeaveCycles = 5;    // a transfer's last beat to a command in its place
constexpr uint64_t kThroughCycles = 7;  // a burst's last beat read to its address to write
constexpr uint64_t kEndCycles = 4;      // last answer to the descriptor's end
constexpr uint64_t kRoomCycles = 1;     // one that begins in a descriptor's place, before its end
constexpr uint64_t kCountCycles = 1;    // an end to its count in the queue of sl_xdma_writeback
constexpr uint64_t kRetireCycles = 1;   // from then to the next end
constexpr uint64_t kTakenCycles =
    4;  // beats of a burst that the writing mover takes before its turn
constexpr uint64_t kQuietCycles = 3;  // all has ended to busy low

constexpr uint32_t kRun = SL_XDMA_CHANNEL_CONTROL_RUN_MASK;
constexpr uint32_t kPoll = SL_XDMA_CHANNEL_CONTROL_POLL_WB_ENABLE_MASK;
constexpr uint32_t kCountError = 0x8000'0000;

uint32_t error_bits(model::Response status, uint32_t slverr, uint32_t decerr) {
  if (status == model::Response::slverr) return slverr;
  return status == model::Response::decerr ? decerr : 0;
}

}  // namespace

CardChannel::CardChannel(const Card& card, bool to_card)
    : host_(card.host),
      memory_(card.memory),
      clock_(card.clock),
      read_ps_(card.params.card_read_ps),
      write_ps_(card.params.card_write_ps),
      width_(card.width_bytes),
      window_(kBurstBeats * card.width_bytes),
      to_card_(to_card),
      counts_writer_(to_card ? HostPort::kH2cCounts : HostPort::kC2hCounts),
      reads_(read_depth(to_card, card.width_bytes), kBufferBeats, kBurstBeats),
      staged_(to_card ? 2 * kBufferBeats * card.width_bytes : 0),
      fetch_(card.host, to_card ? HostPort::kH2cFetch : HostPort::kC2hFetch, card.width_bytes) {}

// ---- registers

bool CardChannel::running() const { return (control_ & kRun) != 0; }

uint32_t CardChannel::status() const {
  return status_ | (idle() ? 0 : SL_XDMA_CHANNEL_STATUS_BUSY_MASK);
}

void CardChannel::set_control(uint64_t cycle, uint32_t value) {
  const bool ran = running();
  control_ = resetting_ ? value & ~kRun : value;
  if (ran && !running()) {
    fetch_.clear_credits();
    fell_ = true;
    if (state_ == State::wait) state_ = State::idle;
    if (state_ == State::run) drain(cycle);
  }
  if (running() && state_ == State::idle && !resetting_) start(cycle);
}

void CardChannel::start(uint64_t cycle) {
  state_ = State::run;
  status_ = completed_ = events_ = 0;
  fell_ = last_ = failed_ = false;
  fetch_.hold(cycle, false);
  fetch_.start(cycle, first, adjacent);
}

void CardChannel::reset(uint64_t cycle) {
  resetting_ = true;
  control_ &= ~kRun;
  status_ = 0;
  fetch_.clear_credits();
  if (state_ != State::halt) halt(cycle);
}

// ---- descriptors

// For one more that has begun. A descriptor leaves its place ahead of its end.
bool CardChannel::has_room(uint64_t cycle) {
  const uint64_t begun = oldest_ + open_.size();
  answered_ = std::max(answered_, oldest_);
  while (begun - answered_ >= kInFlight) {
    const uint64_t end = transfer(answered_).end;
    if (end == kNever || answered_ - oldest_ == kEnds) return false;
    // Its way to those that wait to be counted may have been blocked until the last was.
    const bool blocked = answered_ - oldest_ + 1 == kEnds;
    const uint64_t from = std::max(end - kRoomCycles, blocked ? retire_from_ : 0);
    if (from > cycle) {
      due(from);
      return false;
    }
    ++answered_;
  }
  return true;
}

bool CardChannel::begin(uint64_t cycle) {
  const CardDescriptor* next = fetch_.front();
  if (next == nullptr || state_ != State::run || !running() || last_ || asks_.size() >= kAsks ||
      !has_room(cycle))
    return false;
  while (!leaves_.empty() && leaves_.front() <= cycle) {
    leaves_.pop_front();
    ++left_;
  }
  const uint64_t begun = oldest_ + open_.size();
  if (begun - left_ >= kAhead + read_depth(to_card_, width_)) {
    if (!leaves_.empty()) due(leaves_.front());
    return false;
  }
  const uint64_t from = std::max(next->ready, begin_from_);
  if (from > cycle) {
    due(from);
    return false;
  }
  begin_from_ = cycle + 1;
  open_.push_back({.descriptor = *next});
  Transfer& of = open_.back();
  last_ = !of.begun() || (next->control & SL_XDMA_DESC_CONTROL_STOP_MASK) != 0;
  if (of.begun()) {
    of.place = staged_to_;
    staged_to_ += next->bytes;
    asks_.push_back({next->source, next->bytes, of.place, cycle + kBeginCycles});
    if (to_card_) of.write_error = memory_.access(next->destination, next->bytes);
  } else {
    of.end = cycle + kEndCycles;
  }
  fetch_.pop(cycle);
  return true;
}

// ---- the source

bool CardChannel::ask(uint64_t cycle) {
  if (asks_.empty() || failed_) return false;
  Asked& asked = asks_.front();
  const uint64_t from = std::max({ask_from_, asked.from, reads_.from(cycle)});
  if (from > cycle) {
    due(from);
    return false;
  }
  if (to_card_ && !host_.takes(HostPort::kH2cData, cycle)) {
    due(host_.read_from());
    return false;
  }
  const auto room = static_cast<uint32_t>(window_ - asked.address % window_);
  const uint32_t bytes = std::min(asked.bytes, room);
  ask_from_ = cycle + kAddressCycles;
  reads_.request(beats_of(asked.address, bytes));
  if (to_card_) {
    host_.read(HostPort::kH2cData, cycle, asked.address, bytes, asked.place);
  } else {
    read_card(cycle, asked.address, bytes);
  }
  asked.address += bytes;
  asked.place += bytes;
  asked.bytes -= bytes;
  if (asked.bytes == 0) asks_.pop_front();
  return true;
}

void CardChannel::read_card(uint64_t cycle, uint64_t address, uint32_t bytes) {
  const auto beats = static_cast<uint32_t>(beats_of(address, bytes));
  const uint64_t base = address - address % width_;
  const uint64_t there = clock_.cycle_from(clock_.time_ps(cycle) + read_ps_);
  const uint64_t from = std::max(there, card_read_free_);
  card_read_free_ = from + beats;
  uint32_t good = beats;
  model::Response status = memory_.access(base, uint64_t{beats} * width_);
  if (status != model::Response::okay) {
    for (good = 0; memory_.access(base + uint64_t{good} * width_, width_) == model::Response::okay;)
      ++good;
    status = memory_.access(base + uint64_t{good} * width_, width_);
  }
  reads_.end(from + beats - 1);
  if (good != 0) stream(from, good);
  if (status != model::Response::okay) fail_read(from + good, status);
}

void CardChannel::data(uint64_t place, std::span<const uint8_t> bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const size_t at = (place + done) % staged_.size();
    const size_t count = std::min(bytes.size() - done, staged_.size() - at);
    std::memcpy(staged_.data() + at, bytes.data() + done, count);
    done += count;
  }
}

void CardChannel::beats(uint64_t cycle, uint32_t count, bool last, model::Response status) {
  const bool dropped = state_ == State::halt || failed_;
  if (last) reads_.end(cycle + count - 1);
  if (dropped) return;
  reads_.leave(cycle, count);
  if (status == model::Response::okay)
    stream(cycle, count);
  else
    fail_read(cycle, status);
}

// Beats of the transfer whose turn it is, the first in `cycle`.
void CardChannel::stream(uint64_t cycle, uint32_t count) {
  if (state_ == State::drain && streaming_ > drain_to_) return;
  Transfer& of = transfer(streaming_);
  const CardDescriptor& what = of.descriptor;
  const uint32_t before = of.beats;
  of.beats += count;
  for (;;) {
    const uint64_t target = what.destination + of.written;
    const auto room = static_cast<uint32_t>(window_ - target % window_);
    const uint32_t bytes = std::min(what.bytes - of.written, room);
    const uint64_t needed = beats_of(what.source, uint64_t{of.written} + bytes);
    if (bytes == 0 || needed > of.beats) break;
    const uint64_t complete = cycle + needed - std::min<uint64_t>(needed, before + 1);
    if (to_card_)
      write_card(complete, of, bytes);
    else
      collect(complete, of, bytes);
    of.written += bytes;
  }
  if (of.written != what.bytes) return;
  ++streaming_;
  if (to_card_) leaves_.push_back(cycle + count - 1 + kLeaveCycles);
}

// What follows is not written; what came before completes.
void CardChannel::fail_read(uint64_t cycle, model::Response status) {
  failed_ = true;
  Transfer& of = transfer(streaming_);
  of.read_error = status;
  of.write_error = model::Response::okay;
  of.end = cycle + kThroughCycles;
}

// ---- the target

void CardChannel::write_card(uint64_t cycle, Transfer& of, uint32_t bytes) {
  const uint64_t address = of.descriptor.destination + of.written;
  if (memory_.access(address, bytes) == model::Response::okay) {
    uint8_t* const to = memory_.host(address, bytes);
    for (uint32_t done = 0; done < bytes;) {
      const size_t at = (of.place + of.written + done) % staged_.size();
      const auto part = static_cast<uint32_t>(std::min<size_t>(bytes - done, staged_.size() - at));
      std::memcpy(to + done, staged_.data() + at, part);
      done += part;
    }
  }
  const uint64_t beats = beats_of(address, bytes);
  const uint64_t from = cycle + kThroughCycles + (beats < 3 ? 4 - beats : 1);
  card_write_free_ = std::max(from, card_write_free_) + beats;
  const uint64_t answer = clock_.cycle_from(clock_.time_ps(card_write_free_ - 1) + write_ps_);
  card_answer_ = std::max(answer, card_answer_ + 1);
  if (of.written + bytes == of.descriptor.bytes) of.end = card_answer_ + kEndCycles;
}

void CardChannel::collect(uint64_t cycle, Transfer& of, uint32_t bytes) {
  const CardDescriptor& what = of.descriptor;
  const uint64_t end = uint64_t{of.written} + bytes;
  const uint64_t before = of.written == 0 ? 0 : beats_of(what.source, of.written);
  collected_.push_back({{.address = what.destination + of.written,
                         .bytes = bytes,
                         .data = memory_.host(what.source + of.written, bytes),
                         .word = 0,
                         .ready = cycle},
                        static_cast<uint32_t>(beats_of(what.source, end) - before),
                        streaming_,
                        end == what.bytes});
}

// The writing mover takes a transfer when it has all data of the one before.
uint64_t CardChannel::last_taken(uint64_t cycle) const {
  uint64_t taken = answering_;
  for (const Unanswered& burst : unanswered_) {
    if (burst.there > cycle) return taken;
    taken = burst.number + (burst.last ? 1 : 0);
  }
  return taken;
}

// RUN has fallen: what the writing mover has not taken is not written.
void CardChannel::drain(uint64_t cycle) {
  state_ = State::drain;
  fetch_.hold(cycle, true);
  drain_to_ = to_card_ ? streaming_ : last_taken(cycle);
  while (!collected_.empty() && collected_.back().number > drain_to_) collected_.pop_back();
  size_t dropped = 0;
  for (; !unanswered_.empty() && unanswered_.back().number > drain_to_; ++dropped)
    unanswered_.pop_back();
  host_.drop_data(dropped);
}

// Bursts go from mover to mover, while not too many are unanswered.
void CardChannel::write_host(uint64_t cycle) {
  for (; !collected_.empty() && unanswered_.size() < kWriteBursts; collected_.pop_front()) {
    Collected& next = collected_.front();
    const uint64_t from = std::max(cycle - std::min(cycle, kTakenCycles), through_from_);
    const uint64_t last = std::max(next.burst.ready, from + next.beats - 1);
    through_from_ = last + 1;
    reads_.leave(last + 1 - next.beats, next.beats);
    if (next.last) leaves_.push_back(last + kLeaveCycles);
    next.burst.ready = last + kThroughCycles;
    host_.write(HostPort::kC2hData, next.burst);
    unanswered_.push_back({last, next.number, next.last});
  }
}

void CardChannel::data_written(uint64_t cycle) {
  const bool last = unanswered_.front().last;
  unanswered_.pop_front();
  if (state_ == State::halt || !last) return;
  transfer(answering_++).end = cycle + kEndCycles;
}

// ---- ends

void CardChannel::retire(uint64_t cycle) {
  while (!open_.empty() && (state_ == State::run || state_ == State::drain)) {
    const Transfer& of = open_.front();
    if (of.end == kNever || count_due_) break;
    const uint64_t from = std::max(of.end, retire_from_);
    if (from > cycle) {
      due(from);
      break;
    }
    retire_from_ = cycle + 1;
    const bool data = of.begun();
    const bool bad =
        !data || of.read_error != model::Response::okay || of.write_error != model::Response::okay;
    const bool stop = data && (of.descriptor.control & SL_XDMA_DESC_CONTROL_STOP_MASK) != 0;
    const bool tells = data && (of.descriptor.control & SL_XDMA_DESC_CONTROL_COMPLETED_MASK) != 0;
    if (!bad) ++completed_;
    switch (of.descriptor.kind) {
      case Kind::data:
        events_ |= error_bits(of.read_error, SL_XDMA_CHANNEL_STATUS_READ_SLVERR_MASK,
                              SL_XDMA_CHANNEL_STATUS_READ_DECERR_MASK) |
                   error_bits(of.write_error, SL_XDMA_CHANNEL_STATUS_WRITE_SLVERR_MASK,
                              SL_XDMA_CHANNEL_STATUS_WRITE_DECERR_MASK);
        break;
      case Kind::magic: events_ |= SL_XDMA_CHANNEL_STATUS_MAGIC_STOPPED_MASK; break;
      case Kind::length: events_ |= SL_XDMA_CHANNEL_STATUS_INVALID_LENGTH_MASK; break;
      case Kind::slverr: events_ |= SL_XDMA_CHANNEL_STATUS_DESC_SLVERR_MASK; break;
      case Kind::decerr: events_ |= SL_XDMA_CHANNEL_STATUS_DESC_DECERR_MASK; break;
    }
    if (stop && !bad) {
      events_ |= SL_XDMA_CHANNEL_STATUS_DESC_STOPPED_MASK;
      if (tells) events_ |= SL_XDMA_CHANNEL_STATUS_DESC_COMPLETED_MASK;
    }
    const bool event = tells && !stop && !bad;
    if ((control_ & kPoll) != 0 && (stop || tells || bad)) {
      count_due_ = true;
      count_from_ = cycle + kCountCycles;
      count_error_ = bad;
      count_event_ = event;
    } else if (event) {
      note(SL_XDMA_CHANNEL_STATUS_DESC_COMPLETED_MASK);
    }
    open_.pop_front();
    ++oldest_;
    if (bad) {
      halt(cycle);
    } else if (stop) {
      state_ = State::off;
      fetch_.stop();
    }
  }
  const bool none = open_.empty() && !count_due_;
  if (state_ != State::drain) return;
  // One that has no data is never begun, and ends with its event.
  if (!none && (oldest_ <= drain_to_ || (!open_.empty() && !open_.front().begun()))) return;
  events_ |= SL_XDMA_CHANNEL_STATUS_IDLE_STOPPED_MASK;
  if (none) {
    state_ = State::off;
    fetch_.stop();
  } else {
    halt(cycle);
  }
}

void CardChannel::count_written(uint64_t /*cycle*/) {
  if (counts_.front() && !resetting_) note(SL_XDMA_CHANNEL_STATUS_DESC_COMPLETED_MASK);
  counts_.pop_front();
}

// Bursts that were issued end on the bus; all else is dropped.
void CardChannel::halt(uint64_t /*cycle*/) {
  state_ = State::halt;
  fetch_.stop();
  if (!to_card_) {
    const size_t waiting = host_.waiting_data();
    for (size_t i = 0; i < waiting; ++i) unanswered_.pop_back();
    host_.drop_data(waiting);
  }
  oldest_ += open_.size();
  streaming_ = answering_ = left_ = oldest_;
  leaves_.clear();
  open_.clear();
  collected_.clear();
  asks_.clear();
}

// Nothing is under way but counts.
bool CardChannel::quiet(uint64_t cycle) {
  if (!fetch_.idle() || !unanswered_.empty()) return false;
  if (to_card_ && host_.reads(HostPort::kH2cData) != 0) return false;
  if (card_answer_ + kQuietCycles <= cycle) return true;
  due(card_answer_ + kQuietCycles);
  return false;
}

void CardChannel::finish(uint64_t cycle) {
  if (state_ != State::off && state_ != State::halt) return;
  if (!quiet(cycle) || !counts_.empty() || count_due_) return;
  reads_.clear();
  const bool stays = running() && !fell_;
  if (!resetting_) note(events_);
  events_ = 0;
  resetting_ = false;
  state_ = stays ? State::wait : State::idle;
  if (state_ == State::idle && running()) start(cycle);
}

// ---- time

void CardChannel::step(uint64_t cycle) {
  next_ = kNever;
  retire(cycle);
  if (count_due_ && resetting_) count_due_ = false;
  if (count_due_ && (!count_error_ || quiet(cycle)) && host_.count_from() != kNever) {
    const uint32_t word = (completed_ & 0x00ff'ffff) | (count_error_ ? kCountError : 0);
    const uint64_t from = count_error_ ? cycle + kCountCycles : count_from_;
    const uint64_t queued = std::max(from, host_.count_from());
    host_.count(counts_writer_, queued, poll_address & ~uint64_t{3}, word);
    counts_.push_back(count_event_);
    count_due_ = false;
    retire_from_ = std::max(retire_from_, queued + kRetireCycles);
    retire(cycle);
  }
  do {
    while (ask(cycle)) {
    }
  } while (begin(cycle));
  write_host(cycle);
  finish(cycle);
  fetch_.step(cycle);
}

}  // namespace sluice::sim
