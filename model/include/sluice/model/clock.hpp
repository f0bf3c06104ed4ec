// SPDX-License-Identifier: Apache-2.0
// Clock: conversion between board time and the cycles of one clock.
//
// Cycle n begins at floor(n * period). The period is kept in femtoseconds, so a rounded period is
// wrong by less than 1e-6; times are exact to 1 ps up to 5 hours of board time.
#pragma once

#include <cstdint>

namespace sluice::model {

class Clock {
 public:
  constexpr explicit Clock(double mhz) : period_fs_(static_cast<std::uint64_t>(1e9 / mhz + 0.5)) {}
  [[nodiscard]] constexpr std::uint64_t period_fs() const { return period_fs_; }
  /// Start of cycle n.
  [[nodiscard]] constexpr std::uint64_t time_ps(std::uint64_t cycle) const {
    return cycle * period_fs_ / 1000U;
  }
  /// Number of cycles that begin at or before time_ps, not counting cycle 0's own start.
  [[nodiscard]] constexpr std::uint64_t cycle_at(std::uint64_t time_ps) const {
    return (time_ps * 1000U + 999U) / period_fs_;
  }
  /// The first cycle that begins at or after time_ps.
  [[nodiscard]] constexpr std::uint64_t cycle_from(std::uint64_t time_ps) const {
    return (time_ps * 1000U + period_fs_ - 1U) / period_fs_;
  }

 private:
  std::uint64_t period_fs_;
};

}  // namespace sluice::model
