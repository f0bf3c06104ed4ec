// SPDX-License-Identifier: Apache-2.0
#include "steady_state.hpp"

#include <algorithm>
#include <cmath>

namespace sluice::sim {

void SteadyState::see(std::span<const uint64_t> moved) {
  windows_[seen_++ % kWindows].assign(moved.begin(), moved.end());
}

bool SteadyState::steady() const {
  if (seen_ < kWindows || windows_.front().empty()) return false;
  for (size_t stream = 0; stream < windows_.front().size(); ++stream) {
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;
    for (const auto& window : windows_) {
      least = std::min(least, window[stream]);
      most = std::max(most, window[stream]);
    }
    const auto spread = static_cast<double>(most - least);
    if (least < least_words_ || spread > kTolerance * static_cast<double>(most)) return false;
  }
  return true;
}

SteadyState::LeaveOut SteadyState::most(std::span<const uint64_t> words, uint64_t cycles) const {
  std::vector<double> rates;  // units a cycle
  double longest = static_cast<double>(cycles);
  for (size_t stream = 0; stream < words.size(); ++stream) {
    double moved = 0;
    for (const auto& window : windows_) moved += static_cast<double>(window[stream]);
    rates.push_back(moved / static_cast<double>(kWindows * kWindowCycles * kUnitWords));
    longest = std::min(longest,
                       std::floor(static_cast<double>(words[stream]) / kUnitWords) / rates.back());
  }
  // Whole units of the first stream; of the others, what is nearest to as long a time.
  const double units = std::floor(longest * rates.front());
  double least_error = kRounding;
  LeaveOut best;
  for (double n = units; n > 0.75 * units && n >= 1; --n) {
    const double time = n / rates.front();
    double error = 0;
    for (const double rate : rates)
      error = std::max(error, std::abs(std::round(rate * time) / (rate * time) - 1));
    if (error >= least_error) continue;
    least_error = error;
    best.cycles = static_cast<uint64_t>(std::llround(time));
    best.words.clear();
    for (const double rate : rates)
      best.words.push_back(static_cast<uint64_t>(std::llround(rate * time)) * kUnitWords);
    if (error < kRounding / 100) break;  // shorter times would be no better
  }
  return best;
}

}  // namespace sluice::sim
