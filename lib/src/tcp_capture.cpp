// SPDX-License-Identifier: Apache-2.0
#include "tcp_capture.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "error.hpp"
#include "tcp_board.hpp"

namespace sluice::tcp {
namespace {

constexpr size_t kRecords = 512;              // the least
constexpr uint64_t kFar = uint64_t{1} << 62;  // no number of a period comes near

[[noreturn]] void refuse(std::string_view name, const char* what) {
  throw Error(EPROTO, "sent {} of {}", what, name);
}

}  // namespace

bool RemoteCapture::running() const { return running_ && !board_.failed(); }

void RemoteCapture::start(const sluice_capture& capture) {
  if (running()) throw Error(EBUSY, "a capture runs on {}", name_);
  auto& buffer = static_cast<Buffer&>(*capture.buffer);
  const auto server = board_.start(channel_, capture);
  forget_buffer();
  asked_ = capture;
  server_ = server;
  buffer_ = &buffer;
  ring_ = static_cast<uint8_t*>(buffer.data()) + capture.offset;
  buffer.set_captured(true);
  coming_ = settled_ = released_ = shown_ = overrun_below_ = credit_below_ = 0;
  bytes_ = drops_ = 0;
  runs_.clear();
  losses_.clear();
  Record none{};
  none.number = ~uint64_t{0};
  records_.assign(std::max<size_t>(kRecords, capture.periods), none);
  taken_.assign(capture.periods, 0);
  errnum_ = 0;
  reason_.clear();
  started_ = running_ = true;
}

void RemoteCapture::forget_buffer() {
  if (buffer_ != nullptr) buffer_->set_captured(false);
  buffer_ = nullptr;
  ring_ = nullptr;
}

// The end of the run in which the first unreleased period is.
uint64_t RemoteCapture::visible() const {
  return std::max(runs_.empty() ? released_ : runs_.front().end, shown_);
}

// Tell the server of places that are free, at once or when it is worth a message.
void RemoteCapture::give_credit(bool now) {
  const uint64_t more = free_below() - credit_below_;
  if (more == 0 || !running() || (!now && more < std::max<uint64_t>(window() / 4, 1))) return;
  credit_below_ = free_below();
  board_.credit(channel_, credit_below_);
}

// The program waits for a period in whose place an unreleased one is, as an engine would write
// over it: those below are lost.
void RemoteCapture::overrun(uint64_t below) {
  shown_ = visible();  // the program may have been told so: what is lost below ends the first run
  overrun_below_ = std::max(overrun_below_, below);
  std::deque<Run> before;
  before.swap(runs_);
  const uint64_t end = settled_;
  settled_ = released_;
  for (const Run& run : before) {
    if (run.lost) {
      // It was counted when it came.
      settled_ = run.end;
      if (!runs_.empty() && runs_.back().lost)
        runs_.back().end = run.end;
      else
        runs_.push_back(run);
    } else {
      add(run.end, false, buffer_->board().now_ns());
    }
  }
  settled_ = end;
}

// Periods from settled_ on are good or lost.
void RemoteCapture::add(uint64_t end, bool lost, uint64_t time_ns) {
  if (!lost && settled_ < overrun_below_) {
    const uint64_t below = std::min(end, overrun_below_);
    add(below, true, time_ns);
  }
  if (settled_ >= end) return;
  if (!runs_.empty() && runs_.back().lost == lost)
    runs_.back().end = end;
  else
    runs_.push_back({.end = end, .lost = lost});
  if (lost) losses_.add(settled_, end, time_ns);
  settled_ = end;
}

void RemoteCapture::count(const Record& record) {
  records_[record.number % records_.size()] = record;
  bytes_ += record.period.bytes;
  drops_ += record.period.drops;
}

uint8_t* RemoteCapture::place(const Record& record) {
  if (!running_ || ring_ == nullptr) refuse(name_, "a period of no capture");
  uint64_t& taken = taken_[record.number % asked_.periods];
  if (record.number != coming_ || taken > credit_below_) refuse(name_, "a period out of turn");
  if (record.payload > asked_.period_bytes) refuse(name_, "more than a period");
  taken = record.number + 1;
  return ring_ + record.number % asked_.periods * asked_.period_bytes;
}

void RemoteCapture::arrived(const Record& record) {
  count(record);
  ++coming_;
}

void RemoteCapture::settle(const Settled& settled) {
  if (!running_ || settled.first != settled_ || settled.count == 0 ||
      settled.count > coming_ - settled_ || settled.lost > settled.count)
    refuse(name_, "a count of periods that it had not sent");
  if (settled.lost > 0) add(settled.first + settled.lost, true, settled.time_ns);
  add(settled.first + settled.count, false, settled.time_ns);
}

void RemoteCapture::lose(const Lost& lost, const uint8_t* records) {
  if (!running_ || lost.first != settled_ || lost.first != coming_ || lost.count == 0 ||
      lost.count > kFar || lost.first > kFar)
    refuse(name_, "a loss out of turn");
  uint64_t next = lost.first;
  const uint64_t end = lost.first + lost.count;
  for (uint32_t i = 0; i < lost.records; ++i, records += kRecordBytes) {
    const Record record = read_record(records);
    if (record.number < next || record.number >= end) refuse(name_, "records out of turn");
    next = record.number + 1;
    count(record);
  }
  coming_ = end;
  add(end, true, lost.time_ns);
}

void RemoteCapture::end(int errnum, std::string reason) {
  if (!running_) refuse(name_, "the end of no capture");
  running_ = false;
  errnum_ = errnum;
  reason_ = std::move(reason);
  forget_buffer();
}

std::optional<uint64_t> RemoteCapture::wait(uint64_t period, int64_t timeout_ns) {
  if (visible() > period) return visible();
  if (running() && !holds() && period >= released_ + window() && period < kFar &&
      period + 1 - window() > overrun_below_)
    overrun(period + 1 - window());
  const int64_t end_ns = timeout_ns < 0 ? 0 : host_after_ns(timeout_ns);
  // It has ended, though a run of another kind is before it.
  const auto ended = [&] {
    if (settled_ > period) shown_ = std::max(shown_, period + 1);
    return visible() > period;
  };
  bool passed = false;
  for (;;) {
    if (ended()) return visible();
    if (!running_) {
      if (errnum_ != 0 && errnum_ != EPIPE) throw Error(errnum_, "{}", reason_);
      throw Error(EPIPE, "the capture on {} has stopped", name_);
    }
    try {
      give_credit(true);
      if (board_.simulated()) {
        if (passed) return std::nullopt;
        board_.pass(channel_, period, timeout_ns);
        passed = timeout_ns >= 0;
        continue;
      }
      const int64_t left_ns = timeout_ns < 0 ? -1 : std::max<int64_t>(end_ns - host_ns(), 0);
      if (!board_.receive(left_ns, owed()) && timeout_ns >= 0) return std::nullopt;
    } catch (const Error&) {
      if (!ended()) throw;  // what came before the end counts
    }
  }
}

std::optional<sluice_capture_period> RemoteCapture::period(uint64_t period) const {
  const Record& record = records_[period % records_.size()];
  if (record.number != period || !record.known || period >= std::max(visible(), released_))
    return std::nullopt;
  return record.period;
}

std::optional<sluice_capture_loss> RemoteCapture::loss(uint64_t index) const {
  return losses_.at(index);
}

// Of those that were lost, how many lie behind what the program sees.
uint64_t RemoteCapture::hidden() const {
  uint64_t count = 0, first = released_;
  for (const Run& run : runs_) {
    if (run.lost && run.end > visible()) count += run.end - std::max(first, visible());
    first = run.end;
  }
  return count;
}

sluice_capture_status RemoteCapture::status() const {
  // What has come without being waited for.
  while (running() && visible() == released_ && board_.take_what_came()) continue;
  return {.produced = running() ? visible() : std::max(settled_, visible()),
          .released = released_,
          .lost = running() ? losses_.lost() - hidden() : losses_.lost(),
          .losses = losses_.seen(),
          .bytes = bytes_,
          .drops = drops_,
          .clock_hz = server_.clock_hz,
          .running = running(),
          .exact = server_.exact};
}

sluice_capture_answer RemoteCapture::release(uint64_t period) {
  const uint64_t produced = running() ? visible() : std::max(settled_, visible());
  if (period < released_ || period > produced)
    throw Error(EINVAL, "periods {} to {} of {} can be released, not up to {}", released_, produced,
                name_, period);
  // Where runs of both kinds are released at once, all before the last that is lost count as lost.
  uint64_t lost_end = released_, first = released_;
  bool good = false, mixed = false;
  for (const Run& run : runs_) {
    if (first >= period) break;
    if (run.lost) lost_end = std::min(run.end, period);
    mixed = mixed || (run.lost && good);
    good = good || !run.lost;
    first = run.end;
  }
  if (mixed) overrun(lost_end);
  first = lost_end = released_;
  while (!runs_.empty() && first < period) {
    Run& run = runs_.front();
    const uint64_t end = std::min(run.end, period);
    if (run.lost) lost_end = end;
    if (run.end > period) break;
    first = run.end;
    runs_.pop_front();
  }
  const sluice_capture_answer answer{
      .released = released_, .lost = lost_end - released_, .produced = produced};
  released_ = period;
  try {
    give_credit(false);
  } catch (const Error&) {
    // The next wait reports it: what was released counts.
  }
  return answer;
}

void RemoteCapture::stop() {
  if (!running()) return forget_buffer();
  give_credit(true);
  const sluice_capture_status last = board_.stop(channel_);
  if (!running_) return;  // it had stopped by itself meanwhile
  running_ = false;
  bytes_ = last.bytes;
  drops_ = last.drops;
  server_.exact = last.exact != 0;
  forget_buffer();
}

}  // namespace sluice::tcp
