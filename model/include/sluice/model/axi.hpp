// SPDX-License-Identifier: Apache-2.0
// AXI3 words shared by the model: responses, the pins of a PL-side HP port, the error a master
// earns.
//
// Source: ARM IHI 0022 (AXI3); UG585 v1.11 chapter 5.3 (AXI_HP interfaces).
#pragma once

#include <cstdint>
#include <stdexcept>

namespace sluice::model {

/// RRESP/BRESP coding.
enum class Response : std::uint8_t { okay = 0, exokay = 1, slverr = 2, decerr = 3 };

/// A master broke the AXI3 protocol, or used a part of it that the HP port does not have.
/// The text is one sentence that names the port, the signal and the rule.
class AxiProtocolError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Master-driven pins of one S_AXI_HP port, as they stand just before a rising PL clock edge.
/// Widths in bits are given where they are narrower than the C++ type.
struct HpInputs {
  bool arvalid = false;
  std::uint8_t arid = 0;     ///< 6
  std::uint32_t araddr = 0;  ///< byte address
  std::uint8_t arlen = 0;    ///< 4, beats - 1
  std::uint8_t arsize = 3;   ///< 3, log2(bytes a beat)
  std::uint8_t arburst = 1;  ///< 2, only INCR (1) is modelled
  std::uint8_t arlock = 0;   ///< 2, only 0
  std::uint8_t arcache = 3;  ///< 4, bit 1 allows upsizing in 32-bit mode
  std::uint8_t arprot = 0;   ///< 3
  std::uint8_t arqos = 0;    ///< 4
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
  std::uint8_t awqos = 0;

  bool wvalid = false;
  std::uint8_t wid = 0;
  std::uint64_t wdata = 0;  ///< 64 or 32
  std::uint8_t wstrb = 0;   ///< 8 or 4
  bool wlast = false;
  bool bready = false;
};

/// Model-driven pins of one S_AXI_HP port, valid from just after the edge to the next one.
struct HpOutputs {
  bool arready = false;
  bool rvalid = false;
  std::uint8_t rid = 0;
  std::uint64_t rdata = 0;
  std::uint8_t rresp = 0;
  bool rlast = false;

  bool awready = false;
  bool wready = false;
  bool bvalid = false;
  std::uint8_t bid = 0;
  std::uint8_t bresp = 0;
};

}  // namespace sluice::model
