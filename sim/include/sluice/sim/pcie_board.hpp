// SPDX-License-Identifier: Apache-2.0
// PcieBoard: a CardBoard whose card is RTL, edge by edge: PcieLogic below the link.
//
// Errors: those of CardBoard; DesignFault, when an assertion of the RTL fails.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sluice/model/pcie_link.hpp"
#include "sluice/sim/card_board.hpp"
#include "sluice/sim/pcie_logic.hpp"

namespace sluice::sim {

class PcieBoard final : public CardBoard {
 public:
  // Every packet of the link goes into the file `capture` (tlp_capture.hpp), unless that is empty.
  // Throws std::invalid_argument: a parameter is out of range, or the design is not one for a card;
  // std::system_error: the file cannot be written.
  PcieBoard(const model::PcieParams& params, std::unique_ptr<Design> design, unsigned width_bits,
            double clock_mhz, const std::string& capture = {});

  [[nodiscard]] model::PcieLink& link() override { return link_; }
  [[nodiscard]] bool idle() const override { return logic_.idle(); }

 private:
  void step(uint64_t last_cycle) override;

  PcieLogic logic_;
  model::PcieLink link_;
};

}  // namespace sluice::sim
