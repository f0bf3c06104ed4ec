// SPDX-License-Identifier: Apache-2.0
// Pins of one FPGA-to-SDRAM port in AXI4 form, 32 to 256 bits.
//
// The hard interface is AXI3; a burst has at most 16 beats there, so LEN stays below 16, and there
// is no WID. Data stands in the low words; a port of W bits uses W/8 strobes.
#pragma once

#include <array>
#include <cstdint>

namespace sluice::model {

using F2sData = std::array<std::uint64_t, 4>;  ///< 256 bits, least significant word first

/// Master-driven pins as they stand just before a rising edge of the port's clock.
struct F2sInputs {
  bool arvalid = false;
  std::uint8_t arid = 0;     ///< 8
  std::uint32_t araddr = 0;  ///< byte address
  std::uint8_t arlen = 0;    ///< beats - 1; 0..15
  std::uint8_t arsize = 3;   ///< log2(bytes a beat); the port's full width
  std::uint8_t arburst = 1;  ///< INCR (1) only
  std::uint8_t arlock = 0;   ///< 0 only
  std::uint8_t arcache = 3;
  std::uint8_t arprot = 0;
  bool rready = false;

  bool awvalid = false;
  std::uint8_t awid = 0;
  std::uint32_t awaddr = 0;
  std::uint8_t awlen = 0;
  std::uint8_t awsize = 3;
  std::uint8_t awburst = 1;
  std::uint8_t awlock = 0;
  std::uint8_t awcache = 3;
  std::uint8_t awprot = 0;

  bool wvalid = false;
  F2sData wdata{};
  std::uint32_t wstrb = 0;
  bool wlast = false;
  bool bready = false;
};

/// Model-driven pins, valid from just after the edge to the next one.
struct F2sOutputs {
  bool arready = false;
  bool rvalid = false;
  std::uint8_t rid = 0;
  F2sData rdata{};
  std::uint8_t rresp = 0;
  bool rlast = false;

  bool awready = false;
  bool wready = false;
  bool bvalid = false;
  std::uint8_t bid = 0;
  std::uint8_t bresp = 0;
};

}  // namespace sluice::model
