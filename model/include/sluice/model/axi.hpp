// SPDX-License-Identifier: Apache-2.0
// AXI words shared by the model: responses, the pins of a port, the error a master earns.
//
// Source: ARM IHI 0022 (AXI3); UG585 v1.11 chapter 5.3 (AXI_HP interfaces).
#pragma once

#include <cstdint>
#include <stdexcept>

namespace sluice::model {

/// RRESP/BRESP coding.
enum class Response : std::uint8_t { okay = 0, exokay = 1, slverr = 2, decerr = 3 };

/// A master broke the AXI3 protocol, or used a part of it that the port does not have.
/// The text is one sentence that names the port, the signal and the rule.
class AxiProtocolError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Master-driven pins of one port of a chip, as they are just before a rising edge of its clock.
/// Widths in bits are given where they are narrower than the C++ type; those of an F2S port, whose
/// pins here have no QOS and no WID, in brackets.
template <typename Data, typename Strobe>
struct AxiInputs {
  bool arvalid = false;
  std::uint8_t arid = 0;     ///< 6 [8]
  std::uint32_t araddr = 0;  ///< byte address
  std::uint8_t arlen = 0;    ///< beats - 1; 0 to 15
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
  Data wdata{};      ///< in the low bits
  Strobe wstrb = 0;  ///< one for each byte of the port
  bool wlast = false;
  bool bready = false;
};

/// Slave-driven pins, valid from just after the edge to the next one.
template <typename Data>
struct AxiOutputs {
  bool arready = false;
  bool rvalid = false;
  std::uint8_t rid = 0;
  Data rdata{};
  std::uint8_t rresp = 0;
  bool rlast = false;

  bool awready = false;
  bool wready = false;
  bool bvalid = false;
  std::uint8_t bid = 0;
  std::uint8_t bresp = 0;
};

/// Of an S_AXI_HP port or the ACP: 64 or 32 bits.
using HpInputs = AxiInputs<std::uint64_t, std::uint8_t>;
using HpOutputs = AxiOutputs<std::uint64_t>;

}  // namespace sluice::model
