// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/pcie_time.hpp"

#include <stdexcept>

namespace sluice::model {

void PcieTime::at(std::uint64_t time_ps, PcieActor& actor, std::uint8_t kind, std::uint32_t a,
                  std::uint32_t b, std::uint32_t c) {
  events_.push({.time_ps = time_ps,
                .order = order_++,
                .actor = &actor,
                .kind = kind,
                .a = a,
                .b = b,
                .c = c});
}

void PcieTime::advance_to(std::uint64_t time_ps) {
  if (time_ps < now_ps_) throw std::invalid_argument("the link's time cannot go back");
  while (!events_.empty() && events_.top().time_ps <= time_ps) {
    const PcieEvent event = events_.top();
    events_.pop();
    now_ps_ = event.time_ps;
    event.actor->act(event);
  }
  now_ps_ = time_ps;
}

}  // namespace sluice::model
