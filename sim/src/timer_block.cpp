// SPDX-License-Identifier: Apache-2.0
#include "timer_block.hpp"

#include <sl_timer.h>

#include "words.hpp"

namespace sluice::sim {
namespace {

// Cycles, measured on the RTL (tests/descriptors_test.cpp holds them):
constexpr unsigned kEvent = 3;  // the beginning of a write of DELAY to the event, less the delay
constexpr unsigned kRead = 2;   // CYCLES as it is read to the end of the read

}  // namespace

std::optional<uint32_t> TimerBlock::load(uint32_t offset, uint64_t cycle) const {
  switch (offset) {
    case SL_TIMER_IDENTITY_OFFSET: return SL_TIMER_IDENTITY_DEFAULT;
    case SL_TIMER_SCRATCH_OFFSET: return scratch_;
    case SL_TIMER_IRQ_ENABLE_OFFSET: return enable_;
    case SL_TIMER_DELAY_OFFSET: return delay_;
    case SL_TIMER_EVENT_OFFSET: return event_;
    case SL_TIMER_CYCLES_LO_OFFSET: return low(cycle - kRead);
    case SL_TIMER_CYCLES_HI_OFFSET: return high(cycle - kRead);
    case SL_TIMER_EXPIRED_OFFSET: return expired_;
    default: return {};
  }
}

bool TimerBlock::store(uint32_t offset, uint32_t value, uint64_t cycle) {
  switch (offset) {
    case SL_TIMER_SCRATCH_OFFSET: scratch_ = value; break;
    case SL_TIMER_IRQ_ENABLE_OFFSET: enable_ = value; break;
    case SL_TIMER_DELAY_OFFSET:
      delay_ = value;
      expires_at_ = value == 0 ? 0 : cycle + kEvent + value;
      break;
    case SL_TIMER_EVENT_OFFSET: event_ &= ~value; break;
    default: return load(offset, cycle).has_value();  // read only
  }
  return true;
}

void TimerBlock::edge(uint64_t cycle) {
  if (!running() || cycle < expires_at_) return;
  event_ |= SL_TIMER_EVENT_EXPIRED_MASK;
  expired_ = low(expires_at_);
  expires_at_ = 0;
}

}  // namespace sluice::sim
