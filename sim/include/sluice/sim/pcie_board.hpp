// SPDX-License-Identifier: Apache-2.0
// PcieBoard: a CardBoard whose card is RTL: a design behind the bridge PcieAxi, and the card's
// memory behind an AXI4 port, edge by edge.
//
// Errors: those of CardBoard; DesignFault, when an assertion of the RTL fails.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sluice/model/axi4_memory.hpp"
#include "sluice/model/pcie_axi.hpp"
#include "sluice/sim/card_board.hpp"
#include "sluice/sim/pcie_design.hpp"

namespace sluice::sim {

class PcieBoard final : public CardBoard {
 public:
  // Every packet of the link goes into the file `capture` (tlp_capture.hpp), unless that is empty.
  // Throws std::invalid_argument: a parameter is out of range, or the design is not one for a card;
  // std::system_error: the file cannot be written.
  PcieBoard(const model::PcieParams& params, std::unique_ptr<Design> design, unsigned width_bits,
            double clock_mhz, const std::string& capture = {});

  [[nodiscard]] model::PcieLink& link() override { return bridge_.link(); }
  [[nodiscard]] bool idle() const override { return bridge_.idle() && card_port_.idle(); }

 private:
  // The bridge's accesses to the design's control port.
  class Control final : public model::PcieControl {
   public:
    void begin_write(uint32_t offset, uint32_t value, uint8_t enables) override;
    void begin_read(uint32_t offset) override;
    bool answered(uint32_t& value, model::Response& status) override;

    // Before an edge: what the design drives; after it: what it is driven with.
    void sample(const Design& design) { design.sample_control(out_); }
    [[nodiscard]] const ControlInputs& pins() const { return in_; }

   private:
    ControlInputs in_{};
    ControlOutputs out_{};
    bool reads_ = false;
  };

  void reset();
  void step(uint64_t last_cycle) override;

  std::unique_ptr<Design> owned_;
  PcieDesign& design_;
  Control control_;
  model::PcieAxi bridge_;
  model::Axi4Memory card_port_;
  model::Axi4Outputs host_out_{}, card_out_{}, bar_in_{};
  model::Axi4Inputs host_in_{}, card_in_{}, bar_out_{};
};

}  // namespace sluice::sim
