// SPDX-License-Identifier: Apache-2.0
// A design on a PCI Express card, as the card's bridge sees it.
#pragma once

#include "sluice/model/axi4.hpp"
#include "sluice/sim/design.hpp"

namespace sluice::sim {

// What the link tells the logic: constant from reset on, but for msix.
struct PcieConfig {
  uint16_t bdf;              // bus, device, function
  uint8_t max_payload;       // 128 << n bytes
  uint8_t max_read_request;  // 128 << n bytes
  bool msix;                 // the function's MSI-X is enabled
};

// Its control port is BAR 0; its host and card ports are masters, its BAR port is the slave that
// BAR 1 reaches.
class PcieDesign : public Design {
 public:
  virtual void drive_config(const PcieConfig& config) = 0;
  virtual void sample_host(model::Axi4Inputs& pins) const = 0;
  virtual void drive_host(const model::Axi4Outputs& pins) = 0;
  virtual void sample_card(model::Axi4Inputs& pins) const = 0;
  virtual void drive_card(const model::Axi4Outputs& pins) = 0;
  virtual void sample_bar(model::Axi4Outputs& pins) const = 0;
  virtual void drive_bar(const model::Axi4Inputs& pins) = 0;
};

}  // namespace sluice::sim
