// SPDX-License-Identifier: Apache-2.0
// PcieLogic: a card's design behind its bridge, with the card's memory on its other side; what is
// above the bridge is for the user to give.
//
// Not thread-safe. Errors: DesignFault, when an assertion of the RTL fails.
#pragma once

#include <cstdint>
#include <memory>

#include "sluice/model/axi4_memory.hpp"
#include "sluice/model/pcie_axi.hpp"
#include "sluice/model/pcie_upstream.hpp"
#include "sluice/sim/axi_filter.hpp"
#include "sluice/sim/pcie_design.hpp"

namespace sluice::sim {

class PcieLogic {
 public:
  // card_memory lives as long as this. width_bits: of the design's ports. read_ps and write_ps: of
  // the card's memory, as Axi4Memory. Throws std::invalid_argument: the design is not one for a
  // card.
  PcieLogic(std::unique_ptr<Design> design, unsigned width_bits, uint32_t max_payload,
            model::Memory& card_memory, uint64_t read_ps, uint64_t write_ps);

  // Before the first edge. The upstream lives as long as this.
  void connect(model::PcieUpstream& upstream) { bridge_.connect(upstream); }

  // For the upstream to call.
  [[nodiscard]] model::PcieAxi& bridge() { return bridge_; }

  // What stands at the design's host port and at that of the card's memory; null: nothing. They
  // live as long as this.
  void filter(AxiFilter* host, AxiFilter* card) {
    host_filter_ = host;
    card_filter_ = card;
  }

  // As after power-on; what is under way is forgotten. The upstream forgets it, too.
  void reset(const PcieConfig& config);
  // What the link tells the logic from the next edge on.
  void configure(const PcieConfig& config) { design_.drive_config(config); }

  // One rising edge at time now_ps, to which the upstream was brought.
  void edge(uint64_t now_ps);

  // Nothing is under way in the bridge, the upstream or the card's memory. The design may be busy.
  [[nodiscard]] bool idle() const { return bridge_.idle() && card_port_.idle(); }
  // At the last edge the design presented something on one of its ports, or was given something.
  [[nodiscard]] bool moved() const;

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

  std::unique_ptr<Design> owned_;
  PcieDesign& design_;
  Control control_;
  model::PcieAxi bridge_;
  model::Axi4Memory card_port_;
  AxiFilter* host_filter_ = nullptr;
  AxiFilter* card_filter_ = nullptr;
  model::Axi4Outputs host_out_{}, card_out_{}, bar_in_{};
  model::Axi4Inputs host_in_{}, card_in_{}, bar_out_{};
};

}  // namespace sluice::sim
