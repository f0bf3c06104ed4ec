// SPDX-License-Identifier: Apache-2.0
#include "paced_source.hpp"

#include <sl_stream_source.h>

#include <algorithm>
#include <string>

#include "sluice/sim/transaction_board.hpp"
#include "words.hpp"

namespace sluice::sim {
namespace {

constexpr uint32_t kEnable = SL_STREAM_SOURCE_CONTROL_ENABLE_MASK;
constexpr uint32_t kClear = SL_STREAM_SOURCE_CONTROL_CLEAR_MASK;
constexpr uint32_t kContinuous = SL_STREAM_SOURCE_CONTROL_CONTINUOUS_MASK;
constexpr uint32_t kFreeRun = SL_STREAM_SOURCE_CONTROL_FREE_RUN_MASK;

}  // namespace

std::optional<uint32_t> PacedSource::load(uint32_t offset) const {
  switch (offset) {
    case SL_STREAM_SOURCE_CONTROL_OFFSET: return control_ | (enable_ ? kEnable : 0U);
    case SL_STREAM_SOURCE_STATUS_OFFSET:
      return (running() ? SL_STREAM_SOURCE_STATUS_RUNNING_MASK : 0U) |
             (done_ ? SL_STREAM_SOURCE_STATUS_DONE_MASK : 0U);
    case SL_STREAM_SOURCE_PACKET_BEATS_OFFSET: return packet_beats_;
    case SL_STREAM_SOURCE_PAUSE_TICKS_OFFSET: return pause_ticks_;
    case SL_STREAM_SOURCE_FRAME_PACKETS_OFFSET: return frame_packets_;
    case SL_STREAM_SOURCE_FRAME_TICKS_OFFSET: return frame_ticks_;
    case SL_STREAM_SOURCE_FRAMES_OFFSET: return frames_;
    case SL_STREAM_SOURCE_START_OFFSET: return start_;
    case SL_STREAM_SOURCE_BEATS_LO_OFFSET: return low(beats_);
    case SL_STREAM_SOURCE_BEATS_HI_OFFSET: return high(beats_);
    case SL_STREAM_SOURCE_PACKETS_OFFSET: return packets_done_;
    case SL_STREAM_SOURCE_FRAMES_DONE_OFFSET: return frames_done_;
    case SL_STREAM_SOURCE_LATE_OFFSET: return late_;
    case SL_STREAM_SOURCE_DROP_BEATS_LO_OFFSET: return low(drop_beats_);
    case SL_STREAM_SOURCE_DROP_BEATS_HI_OFFSET: return high(drop_beats_);
    case SL_STREAM_SOURCE_DROP_RUNS_OFFSET: return drop_runs_;
    case SL_STREAM_SOURCE_DROP_FIRST_LO_OFFSET: return low(drop_first_);
    case SL_STREAM_SOURCE_DROP_FIRST_HI_OFFSET: return high(drop_first_);
    case SL_STREAM_SOURCE_DROP_PACKETS_OFFSET: return drop_packets_;
    default: return {};
  }
}

bool PacedSource::store(uint32_t offset, uint32_t value) {
  switch (offset) {
    case SL_STREAM_SOURCE_CONTROL_OFFSET:
      if ((value & kEnable) != 0) check_packet(packet_beats_);
      if ((value & kClear) != 0 && !running()) clear();
      control_ = value & (kContinuous | kFreeRun);
      enable_ = (value & kEnable) != 0;
      break;
    case SL_STREAM_SOURCE_PACKET_BEATS_OFFSET:
      value &= SL_STREAM_SOURCE_PACKET_BEATS_VALUE_MASK;
      if (running()) check_packet(value);
      packet_beats_ = value;
      break;
    case SL_STREAM_SOURCE_PAUSE_TICKS_OFFSET:
      pause_ticks_ = value & SL_STREAM_SOURCE_PAUSE_TICKS_VALUE_MASK;
      break;
    case SL_STREAM_SOURCE_FRAME_PACKETS_OFFSET:
      frame_packets_ = value & SL_STREAM_SOURCE_FRAME_PACKETS_VALUE_MASK;
      break;
    case SL_STREAM_SOURCE_FRAME_TICKS_OFFSET: frame_ticks_ = value; break;
    case SL_STREAM_SOURCE_FRAMES_OFFSET: frames_ = value; break;
    case SL_STREAM_SOURCE_START_OFFSET: start_ = value; break;
    default: return load(offset).has_value();  // read only
  }
  return true;
}

void PacedSource::check_packet(uint32_t beats) const {
  if (narrow_ && std::max(beats, 1U) % 2 != 0)
    throw NotModelled("a packet of " + std::to_string(std::max(beats, 1U)) +
                      " beats of 4 bytes is no multiple of 8 bytes: only the RTL level does");
}

void PacedSource::clear() {
  if (picture_) picture_->clear();
  fresh_ = true;
  upper_ = false;
  done_ = false;
  next_ = Next::frame;
  first_ = true;
  windowed_ = false;
  window_ = 0;
  beats_ = index_ = drop_beats_ = drop_first_ = 0;
  packets_done_ = frames_done_ = late_ = drop_runs_ = drop_packets_ = 0;
  gap_ = reached_ = false;
}

// The next beat, whose time has come.
void PacedSource::present() {
  const bool new_frame = next_ == Next::frame;
  const bool new_packet = new_frame || next_ == Next::packet;
  if (new_frame) {
    if (windowed_ && window_ == 0) ++late_;
    frames_left_ = first_ ? std::max(frames_, 1U) : frames_left_ - 1;
    packets_left_ = std::max(frame_packets_, 1U);
    first_ = false;
    windowed_ = frame_ticks_ != 0;
    window_ = frame_ticks_;
  } else if (new_packet) {
    --packets_left_;
  }
  beats_left_ = new_packet ? std::max(packet_beats_, 1U) : beats_left_ - 1;
  word_ = fresh_ ? start_ : word_ + (narrow_ ? 1 : 2);
  fresh_ = false;
  last_ = beats_left_ == 1;
  last_packet_ = packets_left_ == 1;
  last_frame_ = frames_left_ == 1;
  frame_end_ = last_ && last_packet_;
  pause_ = pause_ticks_;
  valid_ = true;
  if (!last_)
    next_ = Next::beat;
  else if (!last_packet_)
    next_ = Next::packet;
  else
    next_ = (control_ & kContinuous) == 0 && last_frame_ ? Next::none : Next::frame;
}

// The presented beat goes, into the FIFO or nowhere.
void PacedSource::take() {
  valid_ = false;
  ++beats_;
  if (last_) ++packets_done_;
  if (frame_end_) ++frames_done_;
  const bool drawn = picture_ && picture_->enabled();
  const uint32_t low = drawn ? picture_->draw() : word_;
  const uint32_t high = drawn ? low : word_ + 1;
  const bool drop = upper_ ? dropping_ : !master_.feed_room();
  if (drop) {
    ++all_drops_;
    if (drop_beats_++ == 0) drop_first_ = index_;
    if (!gap_) ++drop_runs_;
    if (last_ && !reached_) ++drop_packets_;
    if (last_) master_.end_pushed_packet();
  } else if (!narrow_) {
    master_.push_word(low | uint64_t{high} << 32, last_);
  } else if (upper_) {
    master_.push_word(lower_ | uint64_t{low} << 32, last_);
  }
  if (narrow_) {
    lower_ = low;
    dropping_ = drop;
    upper_ = !upper_;
  }
  ++index_;
  gap_ = drop;
  reached_ = !last_ && (reached_ || !drop);
  if (next_ != Next::none) return;
  done_ = true;
  enable_ = false;
  next_ = Next::frame;
  first_ = true;
  windowed_ = false;
  window_ = 0;
}

uint64_t PacedSource::quiet_edges() const {
  if (valid_ || enable_ != was_enabled_) return 0;
  if (!enable_) return UINT64_MAX;
  switch (next_) {
    case Next::packet: return pause_;
    case Next::frame: return window_ > 2 ? window_ - 2 : 0;  // at a window of 1 the frame begins
    default: return 0;
  }
}

void PacedSource::pass_edges(uint64_t count) {
  if (!enable_) return;
  const auto passed = static_cast<uint32_t>(count);  // fewer than a pause or a window has
  window_ -= std::min(window_, passed);
  if (next_ == Next::packet) pause_ -= passed;
}

void PacedSource::edge() {
  const bool tick = enable_ && was_enabled_;
  if (enable_ && !was_enabled_) done_ = false;
  was_enabled_ = enable_;
  if (tick && window_ != 0) --window_;
  if (valid_ && ((control_ & kFreeRun) != 0 || master_.feed_room())) take();
  if (!tick || !enable_ || valid_) return;
  switch (next_) {
    case Next::beat: present(); break;
    case Next::packet:
      if (pause_ == 0)
        present();
      else
        --pause_;
      break;
    case Next::frame:
      if (window_ <= 1) present();
      break;
    case Next::none: break;
  }
}

}  // namespace sluice::sim
