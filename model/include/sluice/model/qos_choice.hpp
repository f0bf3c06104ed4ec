// SPDX-License-Identifier: Apache-2.0
// choose_by_qos(): the port whose command an interconnect accepts next. It is the one with the
// higher QoS (UG585 chapter 5), equals in turn (UG1085 says least recently granted of the next
// family).
#pragma once

#include <cstdint>

namespace sluice::model {

/// Of ports 0 to ports - 1, or `ports` if none is ready. `last`: the one before, which comes last
/// of those with the same QoS. ready(port), qos(port).
template <typename Ready, typename Qos>
[[nodiscard]] std::uint32_t choose_by_qos(std::uint32_t ports, std::uint32_t last, Ready ready,
                                          Qos qos) {
  std::uint32_t chosen = ports;
  for (std::uint32_t step = 1; step <= ports; ++step) {
    const std::uint32_t port = (last + step) % ports;
    if (ready(port) && (chosen == ports || qos(port) > qos(chosen))) chosen = port;
  }
  return chosen;
}

}  // namespace sluice::model
