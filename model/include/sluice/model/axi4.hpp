// SPDX-License-Identifier: Apache-2.0
// Pins of an AXI4 port of 64 to 512 bits, with 64 bits of address and up to 8 of ID.
//
// Data stands in the low words; a port of W bits uses W/8 strobes. Only INCR bursts of the port's
// full width (IHI 0022, A3.4).
#pragma once

#include <array>
#include <cstdint>

namespace sluice::model {

inline constexpr unsigned kAxi4MostBytes = 64;
using Axi4Data = std::array<std::uint64_t, kAxi4MostBytes / 8>;  ///< least significant word first

/// Master-driven pins as they stand just before a rising edge of the port's clock.
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

/// Slave-driven pins, valid from just after the edge to the next one.
struct Axi4Outputs {
  bool arready = false;
  bool rvalid = false;
  std::uint8_t rid = 0;
  Axi4Data rdata{};
  std::uint8_t rresp = 0;
  bool rlast = false;

  bool awready = false;
  bool wready = false;
  bool bvalid = false;
  std::uint8_t bid = 0;
  std::uint8_t bresp = 0;
};

}  // namespace sluice::model
