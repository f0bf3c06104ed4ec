// SPDX-License-Identifier: Apache-2.0
// Pins of an AXI4 port of 64 to 512 bits, with 64 bits of address and up to 8 of ID.
//
// Data is in the low words; a port of W bits uses W/8 strobes. Only INCR bursts of the port's
// full width (IHI 0022, A3.4).
#pragma once

#include <array>
#include <cstdint>

#include "sluice/model/axi.hpp"

namespace sluice::model {

inline constexpr unsigned kAxi4MostBytes = 64;
using Axi4Data = std::array<std::uint64_t, kAxi4MostBytes / 8>;  ///< least significant word first

/// Master-driven pins as they are just before a rising edge of the port's clock.
struct Axi4Inputs {
  bool arvalid = false;
  std::uint8_t arid = 0;
  std::uint64_t araddr = 0;  ///< byte address
  std::uint8_t arlen = 0;    ///< beats - 1
  bool rready = false;

  bool awvalid = false;
  std::uint8_t awid = 0;
  std::uint64_t awaddr = 0;
  std::uint8_t awlen = 0;

  bool wvalid = false;
  Axi4Data wdata{};
  std::uint64_t wstrb = 0;
  bool wlast = false;
  bool bready = false;
};

using Axi4Outputs = AxiOutputs<Axi4Data>;

}  // namespace sluice::model
