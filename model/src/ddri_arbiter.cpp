// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/ddri_arbiter.hpp"

#include <algorithm>

namespace sluice::model {

/// Counters of requests that have become pending start.
void DdriArbiter::note_pending(DdriRequests::Type& requests, std::uint32_t type,
                               std::uint64_t cycle) {
  requests.next = DdriRequests::kNever;
  for (std::uint32_t port = 0; port < kPorts; ++port) {
    if ((pending_[type] >> port & 1U) != 0) continue;
    const std::uint64_t from = requests.from[port];
    if (cycle >= from) {
      pending_[type] |= 1U << port;
      pending_since_[type][port] = tick_;
    } else {
      requests.next = std::min(requests.next, from);
    }
  }
}

DdriArbiter::Candidate DdriArbiter::stage1(const std::array<DdriPort*, kPorts>& ports,
                                           bool write) const {
  const std::uint32_t type = write ? 1U : 0U;
  Candidate best;
  bool any = false;
  bool best_page_match = false;
  // Round robin: the port after the last winner looks first, and later ones must be strictly
  // better.
  for (std::uint32_t step = 1; step <= kPorts; ++step) {
    const std::uint32_t port = (last_port_[type] + step) % kPorts;
    if ((pending_[type] >> port & 1U) == 0) continue;
    const DdriPort& candidate = *ports[port];
    const std::uint64_t waited = tick_ - pending_since_[type][port];
    const std::uint32_t start = port == 0 ? params_.cpu_priority : params_.port.priority;
    const bool urgent = write ? candidate.write_urgent() : candidate.read_urgent();
    const auto counter =
        urgent || waited >= start ? 0U : start - static_cast<std::uint32_t>(waited);
    const std::uint32_t priority = counter >> 5U;  // only the upper five of ten bits count
    bool page_match = false;
    if (params_.page_mask != 0 && priority != 0) {
      const std::uint64_t address =
          write ? candidate.next_write_address() : candidate.next_read_address();
      page_match = ((address ^ last_address_[type]) & params_.page_mask) == 0;
    }
    const bool better =
        !any || (priority == 0 && best.priority != 0) ||
        (best.priority != 0 && page_match != best_page_match ? page_match
                                                             : priority < best.priority);
    if (better) {
      any = true;
      best = {port, priority};
      best_page_match = page_match;
    }
  }
  return best;
}

DdriArbiter::Grant DdriArbiter::choose(const std::array<DdriPort*, kPorts>& ports, bool can_read,
                                       bool can_write) {
  const Candidate read = can_read ? stage1(ports, false) : Candidate{};
  const Candidate write = can_write ? stage1(ports, true) : Candidate{};

  // Stage 2.
  bool choose_write = can_write;
  if (can_read && can_write) {
    const Candidate& same = last_write_ ? write : read;
    const Candidate& other = last_write_ ? read : write;
    const bool stay = same.priority == 0 || other.priority != 0;
    choose_write = stay == last_write_;
  }
  const std::uint32_t type = choose_write ? 1U : 0U;
  const std::uint32_t port = choose_write ? write.port : read.port;
  last_write_ = choose_write;
  last_port_[type] = port;
  last_address_[type] =
      choose_write ? ports[port]->next_write_address() : ports[port]->next_read_address();
  pending_[type] &= ~(1U << port);  // reload
  return {true, choose_write, port};
}

}  // namespace sluice::model
