// SPDX-License-Identifier: Apache-2.0
#include "read_window.hpp"

#include <algorithm>

namespace sluice::sim {
namespace {

// Cycles of sl_mm2s, as traced on the RTL at its pins (lib/tests/card_levels_test.cpp holds them):
constexpr uint64_t kSpaceCycles = 5;  // a beat at the pins to an address in its place
constexpr uint64_t kSlotCycles = 3;   // a burst's last beat to an address in its place

}  // namespace

uint64_t ReadWindow::from(uint64_t cycle) {
  if (slots_.empty()) return kNever;
  for (; !leaving_.empty(); leaving_.pop_front()) {
    const Run& run = leaving_.front();
    if (run.cycle + run.count - 1 > cycle) break;
    left_ += run.count;
  }
  uint64_t needed = requested_ + burst_beats_;
  if (needed <= left_ + beats_) return slots_.front();
  needed -= left_ + beats_;
  for (const Run& run : leaving_) {
    if (needed <= run.count) return std::max(slots_.front(), run.cycle + needed - 1);
    needed -= run.count;
  }
  return kNever;
}

void ReadWindow::end(uint64_t cycle) { slots_.push_back(cycle + kSlotCycles); }

void ReadWindow::leave(uint64_t cycle, uint32_t count) {
  leaving_.push_back({cycle + kSpaceCycles, count});
}

}  // namespace sluice::sim
