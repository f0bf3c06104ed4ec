// SPDX-License-Identifier: Apache-2.0
// PortSwitch: the AXI interconnect that joins AFIs to one port of the DDR controller. HpSwitch is
// the memory interconnect of HP0,1 and of HP2,3; CentralSwitch the slave and central interconnects,
// of GP0,1 and the DMA controller, which has a port for each memory. Commands for the on-chip
// memory leave a port by Ocm.
//
// Clocked by DDR_2x (UG585 22.3.1: 2840 MB/s a controller port), of the GP ports by CPU_2x (table
// 22-4). Per cycle and channel one transfer: AR and AW of the port that choose_by_qos() names; W
// carries one word and stays with a burst to its last word; R carries one word, in the order of the
// controller port; B one response. To the controller only the most significant bit of the QoS goes
// on, as "urgent": a reading of UG585 10.4.4 (urgency by QoS); which bit is assumed.
#pragma once

#include <array>
#include <cstdint>

#include "sluice/model/afi_port.hpp"
#include "sluice/model/ddri_port.hpp"

namespace sluice::model {

template <std::uint32_t kPorts>
class PortSwitch {
 public:
  PortSwitch(const std::array<AfiPort*, kPorts>& afi, DdriPort& port) : afi_(afi), port_(port) {
    for (std::uint32_t i = 0; i < kPorts; ++i) {
      read_qos_[i] = afi[i]->params().read_qos;
      write_qos_[i] = afi[i]->params().write_qos;
    }
  }

  /// A master's command is on its way through.
  [[nodiscard]] bool active() const {
    return any([](const AfiPort& afi) { return afi.ps_active(); });
  }
  void tick(std::uint64_t cycle) {
    if (!active()) return;
    for (AfiPort* afi : afi_)
      if (afi->ps_active()) afi->ps_tick();

    // AR
    if (port_.read_room() && any([](const AfiPort& afi) { return afi.ps_read_ready(); })) {
      pass_read(cycle);
    }
    // AW and W: the next burst's address goes with its first word.
    if (write_words_left_ == 0 && any([](const AfiPort& afi) { return afi.ps_write_ready(); }) &&
        port_.write_room(kMostWords)) {
      pass_write(cycle);
    }
    if (write_words_left_ != 0) {
      afi_[write_source_]->ps_fetch_write_word();
      port_.put_write_word();
      --write_words_left_;
    }
    // R
    if (port_.read_word_ready()) afi_[port_.take_read_word()]->ps_deliver_read_word();
    // B
    if (port_.response_ready(cycle)) afi_[port_.take_response()]->ps_respond();
  }
  /// Nothing can move until a master does something; the port of the controller apart.
  [[nodiscard]] bool quiet() const {
    return !active() ||
           (write_words_left_ == 0 && !any([](const AfiPort& afi) { return !afi.ps_quiet(); }));
  }

 private:
  static constexpr std::uint32_t kMostWords = 16;  // of a burst
  using Qos = std::array<std::uint32_t, kPorts>;

  template <typename Is>
  [[nodiscard]] bool any(Is is) const {
    for (const AfiPort* afi : afi_)
      if (is(*afi)) return true;
    return false;
  }
  void pass_read(std::uint64_t cycle);
  void pass_write(std::uint64_t cycle);

  std::array<AfiPort*, kPorts> afi_;
  DdriPort& port_;
  Qos read_qos_{};
  Qos write_qos_{};
  std::uint32_t last_read_ = kPorts - 1;
  std::uint32_t last_write_ = kPorts - 1;
  std::uint32_t write_source_ = 0;
  std::uint32_t write_words_left_ = 0;
};

using HpSwitch = PortSwitch<2>;
using CentralSwitch = PortSwitch<4>;
extern template class PortSwitch<2>;
extern template class PortSwitch<4>;

}  // namespace sluice::model
