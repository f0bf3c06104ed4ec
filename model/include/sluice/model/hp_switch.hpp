// SPDX-License-Identifier: Apache-2.0
// HpSwitch: the AXI interconnect that joins two AFIs to one port of the DDR controller: the memory
// interconnect of HP0,1 and of HP2,3, and the slave and central interconnects of GP0,1.
//
// Clocked by DDR_2x (UG585 22.3.1: 2840 MB/s a controller port), of the GP ports by CPU_2x (table
// 22-4). Per cycle and channel one transfer: AR and AW of the port with the higher QoS (UG585
// chapter 5), equals in turn (UG1085 says least recently granted of the next family); W carries one
// word and stays with a burst to its last word; R carries one word, in the order of the controller
// port; B one response. To the controller only the most significant bit of the QoS goes on, as
// "urgent": a reading of UG585 10.4.4 (urgency by QoS); which bit is assumed.
#pragma once

#include <array>
#include <cstdint>

#include "sluice/model/afi_port.hpp"
#include "sluice/model/ddri_port.hpp"

namespace sluice::model {

class HpSwitch {
 public:
  HpSwitch(std::array<AfiPort*, 2> afi, DdriPort& port)
      : afi_(afi),
        port_(port),
        read_qos_{afi[0]->params().read_qos, afi[1]->params().read_qos},
        write_qos_{afi[0]->params().write_qos, afi[1]->params().write_qos} {}

  /// A master's command is on its way through.
  [[nodiscard]] bool active() const { return afi_[0]->ps_active() || afi_[1]->ps_active(); }
  void tick(std::uint64_t cycle) {
    const bool active0 = afi_[0]->ps_active();
    const bool active1 = afi_[1]->ps_active();
    if (!active0 && !active1) return;
    if (active0) afi_[0]->ps_tick();
    if (active1) afi_[1]->ps_tick();

    // AR
    if (port_.read_room() && (afi_[0]->ps_read_ready() || afi_[1]->ps_read_ready())) {
      pass_read(cycle);
    }
    // AW and W: the next burst's address goes with its first word.
    if (write_words_left_ == 0 && (afi_[0]->ps_write_ready() || afi_[1]->ps_write_ready()) &&
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
    return !active() || (write_words_left_ == 0 && afi_[0]->ps_quiet() && afi_[1]->ps_quiet());
  }

 private:
  static constexpr std::uint32_t kMostWords = 16;  // of a burst

  void pass_read(std::uint64_t cycle);
  void pass_write(std::uint64_t cycle);
  // The port, 0 or 1, whose command is next, when one or both are ready. `last`: the one before.
  [[nodiscard]] static std::uint32_t choose(std::uint32_t last, bool last_ready, bool other_ready,
                                            const std::array<std::uint32_t, 2>& qos) {
    const std::uint32_t other = last ^ 1U;
    return other_ready && (!last_ready || qos[other] >= qos[last]) ? other : last;
  }

  std::array<AfiPort*, 2> afi_;
  DdriPort& port_;
  std::array<std::uint32_t, 2> read_qos_;
  std::array<std::uint32_t, 2> write_qos_;
  std::uint32_t last_read_ = 1;
  std::uint32_t last_write_ = 1;
  std::uint32_t write_source_ = 0;
  std::uint32_t write_words_left_ = 0;
};

}  // namespace sluice::model
