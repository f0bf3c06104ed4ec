// SPDX-License-Identifier: Apache-2.0
#include "sluice/cosim/faults.hpp"

#include <algorithm>

namespace sluice::cosim {

ArmedFault* response_fault(const std::vector<ArmedFault*>& faults, bool write, uint64_t beats,
                           uint64_t address, unsigned bytes) {
  for (ArmedFault* armed : faults) {
    const auto* fault = std::get_if<ResponseFault>(&armed->fault);
    if (fault == nullptr || fault->write != write) continue;
    if (armed->hits >= fault->beats || beats - armed->start < fault->skip) continue;
    if (fault->address && *fault->address - address >= bytes) continue;
    return armed;
  }
  return nullptr;
}

bool is_stuck(const std::vector<ArmedFault*>& faults, Channel channel, uint64_t handshakes) {
  return std::any_of(faults.begin(), faults.end(), [&](const ArmedFault* armed) {
    const auto* fault = std::get_if<StuckFault>(&armed->fault);
    return fault != nullptr && fault->channel == channel &&
           handshakes - armed->start >= fault->skip;
  });
}

}  // namespace sluice::cosim
