// SPDX-License-Identifier: Apache-2.0
// AxiF2s: the pins of one FPGA-to-SDRAM port (AXI slave, 32 to 256 bits), as AxiPins. AxSIZE is the
// port's width.
#pragma once

#include <cstdint>

#include "sluice/model/axi_pins.hpp"
#include "sluice/model/cyclonev_axi.hpp"
#include "sluice/model/cyclonev_f2s_port.hpp"

namespace sluice::model {

struct F2sKind {
  using Port = F2sPort;
  using Data = F2sData;
  using Strobe = std::uint32_t;
  static constexpr bool kWriteIds = false;
  static constexpr bool kWholeBeats = true;
  static bool packed(std::uint32_t port_bytes, std::uint32_t /*address*/, std::uint32_t /*beats*/,
                     std::uint32_t /*size_bytes*/, unsigned /*cache*/) {
    return port_bytes == 4;
  }
};
extern template class AxiPins<F2sKind>;

using AxiF2s = AxiPins<F2sKind>;

}  // namespace sluice::model
