// SPDX-License-Identifier: Apache-2.0
// HpSwitch: the AXI interconnect that joins two AFIs to one port of the DDR controller.
//
// Clocked by DDR_2x (UG585 table 25: the HP to DDR path runs on DDR_2x). Per cycle and channel one
// transfer: AR, AW round robin between the two; W carries one word and stays with a burst to its
// last word; R carries one word and stays with a port while it has words; B one response.
#pragma once

#include <array>
#include <cstdint>

#include "sluice/model/afi_port.hpp"
#include "sluice/model/ddri_port.hpp"

namespace sluice::model {

class HpSwitch {
 public:
  HpSwitch(std::array<AfiPort*, 2> afi, DdriPort& port) : afi_(afi), port_(port) {}

  void tick(std::uint64_t cycle);
  [[nodiscard]] bool quiet() const {
    return write_words_left_ == 0 && afi_[0]->ps_quiet() && afi_[1]->ps_quiet() && port_.quiet();
  }

 private:
  std::array<AfiPort*, 2> afi_;
  DdriPort& port_;
  std::uint32_t next_read_ = 0;  // round robin
  std::uint32_t next_write_ = 0;
  std::uint32_t read_source_ = 0;  // R stays here while there are words
  std::uint32_t write_source_ = 0;
  std::uint32_t write_words_left_ = 0;
};

}  // namespace sluice::model
