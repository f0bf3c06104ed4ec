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
  static constexpr std::uint32_t kPorts = 4;
  struct Grant {
    bool any = false;
    bool write = false;
    std::uint32_t port = 0;
  };

  explicit DdriArbiter(const DdrcParams& params) : params_(params) {}

  /// `read_credit`, `write_credit`: the CAM of that type has a free entry.
  Grant arbitrate(const std::array<DdriPort*, kPorts>& ports, std::uint64_t cycle, bool read_credit,
                  bool write_credit);

 private:
  struct Candidate {
    std::uint32_t port = 0;
    std::uint32_t priority = 0;
  };
  void note_pending(const std::array<DdriPort*, kPorts>& ports, std::uint64_t cycle);
  /// The best of the pending ports, of which there is one at least.
  [[nodiscard]] Candidate stage1(const std::array<DdriPort*, kPorts>& ports, bool write) const;

  DdrcParams params_;
  std::uint64_t tick_ = 0;
  // Indexed by type: 0 reads, 1 writes.
  std::array<std::array<std::uint64_t, kPorts>, 2> pending_since_{};
  std::array<std::uint32_t, 2> pending_{};  // bit a port
  std::array<std::uint32_t, 2> last_port_{};
  std::array<std::uint64_t, 2> last_address_{};
  bool last_write_ = false;
};

}  // namespace sluice::model
