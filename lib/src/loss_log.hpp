// SPDX-License-Identifier: Apache-2.0
// The periods of a capture that were lost: how many, and where the last runs of them lie.
#pragma once

#include <sluice.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace sluice {

class LossLog {
 public:
  // Periods from `first` to below `end`. A run that follows the last one goes on.
  void add(uint64_t first, uint64_t end, uint64_t time_ns) {
    if (runs_.empty() || runs_.back().first + runs_.back().count != first) {
      runs_.push_back({.first = first, .count = 0, .time_ns = 0});
      if (runs_.size() > kKept) runs_.pop_front();
      ++seen_;
    }
    runs_.back().count += end - first;
    runs_.back().time_ns = time_ns;
    lost_ += end - first;
    below_ = end;
  }

  // The engine has, or may have, written over those below `end` that the program has not released.
  // The clock is asked only if some of them are new.
  template <typename Clock>
  void overwrite(uint64_t released, uint64_t end, Clock now_ns) {
    const uint64_t first = std::max(released, below_);
    if (end > first) add(first, end, now_ns());
  }

  void clear() { *this = {}; }

  [[nodiscard]] uint64_t lost() const { return lost_; }    // periods
  [[nodiscard]] uint64_t seen() const { return seen_; }    // runs
  [[nodiscard]] uint64_t below() const { return below_; }  // the end of the last run
  // A run by its number among seen(); none: it is no longer kept, or there were no more.
  [[nodiscard]] std::optional<sluice_capture_loss> at(uint64_t index) const {
    const uint64_t first = seen_ - runs_.size();
    if (index < first || index >= seen_) return std::nullopt;
    return runs_[static_cast<size_t>(index - first)];
  }

 private:
  static constexpr size_t kKept = 64;

  std::deque<sluice_capture_loss> runs_;  // the last ones
  uint64_t seen_ = 0, lost_ = 0, below_ = 0;
};

}  // namespace sluice
