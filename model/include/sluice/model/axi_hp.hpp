// SPDX-License-Identifier: Apache-2.0
// AxiHp: the pins of one S_AXI_HP port (AXI3 slave, 64 or 32 bits), or of the ACP, as AxiPins.
//
// Latency: two PL edges of synchroniser from the DDR side.
// Width: 64 bits; in 32-bit mode bursts are upsized when INCR, of 4-byte beats, an even number of
// them, 8-byte aligned and AxCACHE[1] is set, else expanded: one 64-bit FIFO entry a beat (UG585
// chapter 5, "32-bit Interface"; that an expanded read waits for others is not here). In 32-bit
// mode the data is on wdata/rdata[31:0]. AxSIZE is the port's width at most.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "sluice/model/afi_port.hpp"
#include "sluice/model/axi_pins.hpp"

namespace sluice::model {

struct HpKind {
  using Port = AfiPort;
  using Data = std::uint64_t;
  using Strobe = std::uint8_t;
  static constexpr bool kWriteIds = true;
  static constexpr bool kWholeBeats = false;
  static bool packed(std::uint32_t port_bytes, std::uint32_t address, std::uint32_t beats,
                     std::uint32_t size_bytes, unsigned cache) {
    return port_bytes == 4 && size_bytes == 4 && beats % 2U == 0 && address % 8U == 0 &&
           (cache & 2U) != 0;
  }
};
extern template class AxiPins<HpKind>;

class AxiHp : public AxiPins<HpKind> {
 public:
  AxiHp(AfiPort& afi, std::string name) : AxiPins(afi, std::move(name), 64) {}

  /// 32 or 64 (UG585 AFI_RDCHAN_CTRL/AFI_WRCHAN_CTRL n32BitEn); only while nothing is in flight.
  /// Throws std::invalid_argument or std::logic_error.
  void set_width(unsigned bits);
};

}  // namespace sluice::model
