// SPDX-License-Identifier: Apache-2.0
// TlpCapture: writes the packets of a link into a file that Wireshark reads.
//
// Format: pcap with times in nanoseconds (of the board), link type Ethernet. Each packet stands in
// an UDP datagram as NetTLP sends it (Kuga et al., "NetTLP: A Development Platform for PCIe devices
// in Software Interacting with Hardware", NSDI 2020): a sequence number of 16 bits, a time of 32
// bits (ns, it wraps), then header and payload as on the link, without sequence number, LCRC and
// framing. The card is 10.0.0.1, the host 10.0.0.2; the port is 0x3000 plus the low bits of the
// tag. How to read it: model/tools/tlp.lua, docs/howto/record-the-link.md.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

#include "sluice/model/pcie_wire.hpp"

namespace sluice::model {

class TlpCapture final : public TlpObserver {
 public:
  /// Makes or replaces the file; it is complete when this has ended. Throws std::system_error if it
  /// cannot be written.
  TlpCapture(const std::string& file, std::uint16_t card_id);
  /// Says on stderr if the end of the file could not be written: nobody asks failed() any more.
  ~TlpCapture() override;
  TlpCapture(const TlpCapture&) = delete;
  TlpCapture& operator=(const TlpCapture&) = delete;

  void packet(std::uint64_t time_ps, const Tlp& tlp) override;
  /// The file took no more, for want of room for instance; what came before is in it.
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  std::string name_;
  std::ofstream file_;
  std::uint16_t card_id_;
  std::uint16_t sequence_ = 0;
  bool failed_ = false;
};

}  // namespace sluice::model
