// SPDX-License-Identifier: Apache-2.0
// SteadyState: whether streams move at rates that do not change, and how much of each may be left
// out of a simulation then.
//
// Streams are steady once each of them has moved as many words in each of the last kWindows windows
// of time, but for kTolerance, and not too few. Of every stream a number of words is left out that
// leaves its addresses in the same banks of the memory (kUnitWords). At the rates of the windows
// all of them take the same time, but for kRounding.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::sim {

class SteadyState {
 public:
  static constexpr uint64_t kWindowCycles = 1 << 16;
  static constexpr size_t kWindows = 4;
  static constexpr double kTolerance = 3e-4;
  static constexpr double kRounding = 1e-4;
  // 64 KiB: twice the rows of all banks, on every chip (model::AddressMap).
  static constexpr uint64_t kUnitWords = 8192;

  // least_words: that a steady stream moves in a window.
  explicit SteadyState(uint64_t least_words) : least_words_(least_words) {}

  // Forgets what it has seen. The next window begins.
  void restart() { seen_ = 0; }

  // At the end of a window: how many words each stream has moved in it, as many streams as in the
  // window before or a restart() between.
  void see(std::span<const uint64_t> moved);

  [[nodiscard]] bool steady() const;

  struct LeaveOut {
    uint64_t cycles = 0;  // 0: nothing
    std::vector<uint64_t> words;
  };
  // Of streams that are steady(): the most that may be left out, at most so many words of each and
  // so many cycles.
  [[nodiscard]] LeaveOut most(std::span<const uint64_t> words, uint64_t cycles) const;

 private:
  uint64_t least_words_;
  std::array<std::vector<uint64_t>, kWindows> windows_;  // a ring
  size_t seen_ = 0;
};

}  // namespace sluice::sim
