// SPDX-License-Identifier: Apache-2.0
#include "register_capture.hpp"

#include <sl_capability.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "error.hpp"

namespace sluice {
namespace {

constexpr uint32_t kRecords = 512;  // as many as the driver keeps
constexpr uint32_t kMostPeriods = 1024;
constexpr uint32_t kGuessGuard = 3;   // the engine's buffer is not known
constexpr uint32_t kHoldGuard = 1;    // periods that the engine has are nobody else's
constexpr uint64_t kPollNs = 20'000;  // between two looks, where no interrupt tells

uint64_t now_plus(const Platform& platform, int64_t timeout_ns) {
  constexpr uint64_t kForever = std::numeric_limits<uint64_t>::max();
  if (timeout_ns < 0) return kForever;
  const uint64_t now_ns = platform.now_ns();
  return now_ns + std::min(static_cast<uint64_t>(timeout_ns), kForever - now_ns);
}

}  // namespace

uint32_t RegisterCapture::block(uint32_t offset) {
  return platform_.read32(place_.capability + offset);
}

uint64_t RegisterCapture::block_pair(uint32_t offset) {
  const uint64_t lower = block(offset);  // first: it keeps the upper half
  return lower | uint64_t{block(offset + 4)} << 32;
}

uint64_t RegisterCapture::since(uint64_t before, uint64_t now) const {
  const uint64_t mask = count_bits_ >= 64 ? ~uint64_t{0} : (uint64_t{1} << count_bits_) - 1;
  return (now - before) & mask;
}

uint32_t RegisterCapture::guard_periods(const sluice_capture& capture) {
  if ((capture.flags & SLUICE_CAPTURE_HOLD) != 0) return kHoldGuard;
  if ((capture.flags & SLUICE_CAPTURE_GUESS) != 0) return kGuessGuard;
  const uint64_t beat_bytes =
      (block(SL_CAPABILITY_WIDTHS_OFFSET) & SL_CAPABILITY_WIDTHS_DATA_BYTES_MASK) >>
      SL_CAPABILITY_WIDTHS_DATA_BYTES_SHIFT;
  const uint64_t beats =
      (block(SL_CAPABILITY_DEPTH_OFFSET) & SL_CAPABILITY_DEPTH_BUFFER_BEATS_MASK) >>
      SL_CAPABILITY_DEPTH_BUFFER_BEATS_SHIFT;
  const uint64_t ahead = beats * beat_bytes;
  return static_cast<uint32_t>(1 + (ahead + capture.period_bytes - 1) / capture.period_bytes);
}

void RegisterCapture::start(const sluice_capture& capture) {
  engine_.revive();
  if (running_) throw Error(EBUSY, "a capture runs on {}", place_.name);
  if (!engine_.idle())
    throw Error(EBUSY, "{} has transfers that are queued or not reaped", place_.name);
  if (capture.buffer->access() != 0)
    throw Error(EBUSY, "the CPU's access to the buffer of a capture on {} has not ended",
                place_.name);
  if (capture.periods > kMostPeriods)
    throw Error(EINVAL, "a capture on {} has at most {} periods, not {}", place_.name, kMostPeriods,
                capture.periods);
  const uint32_t guard = guard_periods(capture);
  if (capture.periods <= guard + 1)
    throw Error(EINVAL,
                "the engine of {} may be {} periods of {} bytes ahead: a capture needs at least "
                "{}, not {}",
                place_.name, guard, capture.period_bytes, guard + 2, capture.periods);
  asked_ = capture;
  guard_ = guard;
  buffer_ = static_cast<RegisterBuffer*>(capture.buffer);
  buffer_->set_captured(true);
  produced_ = released_ = bytes_ = drops_ = queued_ = 0;
  records_.clear();
  losses_.clear();
  last_ = {};
  seen_at_ = 0;
  clock_hz_ = 0;
  started_ = running_ = true;
  try {
    give_to_engine();
  } catch (...) {
    // A stuck engine may still have the memory, which then stays the capture's.
    if (!engine_.stuck()) end();
    throw;
  }
}

void RegisterCapture::give_to_engine() {
  if ((asked_.flags & SLUICE_CAPTURE_HOLD) != 0) {
    queue_periods();
    return;
  }
  if ((asked_.flags & SLUICE_CAPTURE_GUESS) == 0) {
    const uint32_t told_hz = block(SL_CAPABILITY_CLOCK_OFFSET);
    clock_hz_ = told_hz != 0 ? told_hz : place_.clock_hz;
    count_bits_ = (block(SL_CAPABILITY_WIDTHS_OFFSET) & SL_CAPABILITY_WIDTHS_COUNT_BITS_MASK) >>
                  SL_CAPABILITY_WIDTHS_COUNT_BITS_SHIFT;
    snapshots_ = (block(SL_CAPABILITY_FEATURES_OFFSET) & SL_CAPABILITY_FEATURES_SNAPSHOTS_MASK) >>
                 SL_CAPABILITY_FEATURES_SNAPSHOTS_SHIFT;
    platform_.write32(place_.capability + SL_CAPABILITY_CHANNEL0_PERIOD_OFFSET, 1);
    first_ = block(SL_CAPABILITY_CHANNEL0_PERIODS_OFFSET);
    last_.bytes = block_pair(SL_CAPABILITY_CHANNEL0_BYTES_LO_OFFSET);
    last_.drops = block_pair(SL_CAPABILITY_CHANNEL0_DROPS_LO_OFFSET);
  }
  ring_ = board_.allocate(uint64_t{asked_.periods} * AxiDmaRing::kDescriptorBytes);
  engine_.start_periods(ring_, buffer_->address() + asked_.offset, asked_.period_bytes,
                        asked_.periods);
}

// The engine has nothing of a capture any longer: its memory goes.
void RegisterCapture::end() {
  running_ = false;
  if (ring_.data != nullptr) board_.release(ring_);
  ring_ = {};
  if (buffer_ != nullptr) buffer_->set_captured(false);
  buffer_ = nullptr;
}

void RegisterCapture::record(const sluice_capture_period& period) {
  sluice_capture_period& kept = records_.emplace_back(period);
  kept.time_ns = platform_.now_ns();
  if (records_.size() > kRecords) records_.pop_front();
  bytes_ += period.bytes;
  drops_ += period.drops;
  ++produced_;
}

void RegisterCapture::record_bytes(uint64_t bytes) {
  sluice_capture_period period{};
  period.bytes = bytes;
  record(period);
}

// Snapshots of those that were replaced are merged into the next one that is there.
void RegisterCapture::count_exact() {
  const uint32_t ended = block(SL_CAPABILITY_CHANNEL0_PERIODS_OFFSET);
  uint32_t number = first_ + static_cast<uint32_t>(produced_);
  uint32_t left = ended - number;
  if (left > static_cast<uint32_t>(std::numeric_limits<int32_t>::max())) return;  // not a count
  if (left > kRecords) {  // nobody would see the records of those before
    produced_ += left - kRecords;
    number += left - kRecords;
    left = kRecords;
    records_.clear();
  }
  for (; left != 0; --left, ++number) {
    sluice_capture_period period{};
    period.merged = 1;
    if (left <= snapshots_) {
      platform_.write32(place_.capability + SL_CAPABILITY_CHANNEL0_SELECT_OFFSET, number);
      const uint64_t bytes = block_pair(SL_CAPABILITY_CHANNEL0_SNAP_BYTES_LO_OFFSET);
      const uint64_t ticks = block_pair(SL_CAPABILITY_CHANNEL0_SNAP_TIME_LO_OFFSET);
      const uint64_t drops = block_pair(SL_CAPABILITY_CHANNEL0_SNAP_DROPS_LO_OFFSET);
      if ((block(SL_CAPABILITY_CHANNEL0_SNAP_STATE_OFFSET) &
           SL_CAPABILITY_CHANNEL0_SNAP_STATE_VALID_MASK) != 0) {
        period = {.bytes = since(last_.bytes, bytes),
                  .ticks = ticks,
                  .time_ns = 0,
                  .drops = since(last_.drops, drops),
                  .exact = 1,
                  .merged = 0};
        last_ = {.bytes = bytes, .drops = drops};
      }
    }
    record(period);
  }
}

void RegisterCapture::count_by_place() {
  const uint32_t place = engine_.period_place();
  if (place >= asked_.periods) return;  // a register is not to be believed
  for (; seen_at_ != place; seen_at_ = (seen_at_ + 1) % asked_.periods)
    record_bytes(asked_.period_bytes);
}

void RegisterCapture::count_transfers() {
  while (engine_.has_completion()) {
    const sluice_completion completion = engine_.take_completion();
    // After one that failed the next would be in the wrong place: it no longer counts.
    if (completion.status != 0) running_ = false;
    if (!running_) continue;
    record_bytes(completion.bytes);
  }
}

void RegisterCapture::queue_periods() {
  const uint64_t below = released_ + asked_.periods;
  while (queued_ < below && engine_.room() != 0) {
    const uint64_t place = queued_ % asked_.periods;
    engine_.submit({.address = buffer_->address() + asked_.offset + place * asked_.period_bytes,
                    .bytes = asked_.period_bytes,
                    .cookie = queued_++,
                    .users = &transfers_});
  }
  engine_.flush();
}

void RegisterCapture::find_losses() {
  const uint64_t writes_below = produced_ + guard_;
  if (writes_below <= asked_.periods) return;
  losses_.overwrite(released_, std::min(writes_below - asked_.periods, produced_),
                    [this] { return platform_.now_ns(); });
}

void RegisterCapture::look() {
  if (!running_) return;
  engine_.service();
  if ((asked_.flags & SLUICE_CAPTURE_HOLD) != 0) {
    count_transfers();
    if (running_) queue_periods();
  } else {
    if ((asked_.flags & SLUICE_CAPTURE_GUESS) == 0)
      count_exact();
    else if (engine_.runs_periods())
      count_by_place();
    find_losses();
    running_ = engine_.runs_periods();
  }
  // The engine has failed, and was reset: its memory goes, what was counted stays.
  if (!running_) end();
}

std::optional<uint64_t> RegisterCapture::wait(uint64_t period, int64_t timeout_ns) {
  const uint64_t deadline_ns = now_plus(platform_, timeout_ns);
  for (look(); produced_ <= period; look()) {
    engine_.revive();
    if (!running_) throw Error(EPIPE, "the capture on {} has stopped", place_.name);
    const uint64_t now_ns = platform_.now_ns();
    if (now_ns >= deadline_ns) return std::nullopt;
    // Where nothing tells, as soon as that.
    board_.wait(platform_.has_interrupts() ? deadline_ns
                                           : now_ns + std::min(kPollNs, deadline_ns - now_ns));
  }
  return produced_;
}

std::optional<sluice_capture_period> RegisterCapture::period(uint64_t period) const {
  const uint64_t first = produced_ - records_.size();
  if (period < first || period >= produced_) return std::nullopt;
  return records_[static_cast<size_t>(period - first)];
}

std::optional<sluice_capture_loss> RegisterCapture::loss(uint64_t index) const {
  return losses_.at(index);
}

sluice_capture_status RegisterCapture::status() const {
  const bool exact = (asked_.flags & (SLUICE_CAPTURE_HOLD | SLUICE_CAPTURE_GUESS)) == 0;
  return {.produced = produced_,
          .released = released_,
          .lost = losses_.lost(),
          .losses = losses_.seen(),
          .bytes = bytes_,
          .drops = drops_,
          .clock_hz = clock_hz_,
          .running = running_,
          .exact = exact};
}

sluice_capture_answer RegisterCapture::release(uint64_t period) {
  look();
  if (period < released_ || period > produced_)
    throw Error(EINVAL, "periods {} to {} of {} can be released, not up to {}", released_,
                produced_, place_.name, period);
  const sluice_capture_answer answer{
      .released = released_,
      .lost = std::clamp(losses_.below(), released_, period) - released_,
      .produced = produced_};
  released_ = period;
  if (running_ && (asked_.flags & SLUICE_CAPTURE_HOLD) != 0) queue_periods();
  return answer;
}

void RegisterCapture::stop() {
  look();
  if (!running_) return;
  const bool holds = (asked_.flags & SLUICE_CAPTURE_HOLD) != 0;
  engine_.reset();
  // What ended before the reset counts, what was queued does not.
  if (holds)
    count_transfers();
  else if ((asked_.flags & SLUICE_CAPTURE_GUESS) == 0)
    count_exact();
  if (!holds) find_losses();
  end();
}

}  // namespace sluice
