// SPDX-License-Identifier: Apache-2.0
// DdriArbiter: which port's request enters the controller next (UG585 10.4.3 to 10.4.5).
//
// One request is granted a DDR_2x cycle. Stage 1 finds the best read port and the best write port:
// a port whose aging counter is 0 wins; else a port whose request is in the page of the one served
// last (if the page_mask register is not 0); else the lowest counter (upper five bits); ties go
// round robin. Stage 2 chooses between the two: the same type as last time if its counter is 0,
// else the other type if its counter is 0, else the same type. A type without a free CAM entry does
// not compete. A counter starts at the port's priority register when its request becomes pending
// and counts down once a DDR_2x cycle; it reloads at each grant. An urgent request counts as 0.
#pragma once

#include <array>
#include <cstdint>

#include "sluice/model/ddri_port.hpp"

namespace sluice::model {

class DdriArbiter {
 public:
  static constexpr std::uint32_t kPorts = DdriRequests::kPorts;
  struct Grant {
    bool any = false;
    bool write = false;
    std::uint32_t port = 0;
  };

  /// `requests` is where the ports say what they ask for.
  DdriArbiter(const DdrcParams& params, DdriRequests& requests)
      : params_(params), requests_(requests) {}

  /// `read_credit`, `write_credit`: the CAM of that type has a free entry.
  Grant arbitrate(const std::array<DdriPort*, kPorts>& ports, std::uint64_t cycle, bool read_credit,
                  bool write_credit) {
    ++tick_;
    if (cycle >= requests_.reads.next) note_pending(requests_.reads, 0, cycle);
    if (cycle >= requests_.writes.next) note_pending(requests_.writes, 1, cycle);
    const bool can_read = pending_[0] != 0 && read_credit;
    const bool can_write = pending_[1] != 0 && write_credit;
    if (!can_read && !can_write) return {};
    return choose(ports, can_read, can_write);
  }

 private:
  struct Candidate {
    std::uint32_t port = 0;
    std::uint32_t priority = 0;
  };
  void note_pending(DdriRequests::Type& requests, std::uint32_t type, std::uint64_t cycle);
  /// The best of the pending ports, of which there is one at least.
  [[nodiscard]] Candidate stage1(const std::array<DdriPort*, kPorts>& ports, bool write) const;

  Grant choose(const std::array<DdriPort*, kPorts>& ports, bool can_read, bool can_write);

  DdrcParams params_;
  DdriRequests& requests_;
  std::uint64_t tick_ = 0;
  // Indexed by type: 0 reads, 1 writes.
  std::array<std::array<std::uint64_t, kPorts>, 2> pending_since_{};
  std::array<std::uint32_t, 2> pending_{};  // bit a port
  std::array<std::uint32_t, 2> last_port_{};
  std::array<std::uint64_t, 2> last_address_{};
  bool last_write_ = false;
};

}  // namespace sluice::model
