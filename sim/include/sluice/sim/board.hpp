// SPDX-License-Identifier: Apache-2.0
// Board: a design joined to the memory system of a chip, and the chip's own view of it
// (logic_board.hpp).
//
// Errors: BusError, when the control port answers with an error; DesignFault, when an assertion
// of the RTL fails; model::AxiProtocolError, when the design breaks the rules of a port.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "sluice/model/clock.hpp"
#include "sluice/sim/chip.hpp"
#include "sluice/sim/control_port.hpp"
#include "sluice/sim/design.hpp"
#include "sluice/sim/logic_board.hpp"

namespace sluice::sim {

class Board final : public LogicBoard {
 public:
  // Params are those of a make_chip(). clock_mhz is the clock of the logic and of all ports. The
  // design is out of reset when the constructor returns.
  template <typename Params>
  Board(const Params& memory_system, std::unique_ptr<Design> design, unsigned width_bits,
        double clock_mhz)
      : design_(std::move(design)),
        chip_(make_chip(memory_system, *design_, width_bits)),
        clock_(clock_mhz),
        control_(*design_, [this] { edge(); }) {
    start();
  }

  uint32_t read_register(uint32_t offset) override;
  void write_register(uint32_t offset, uint32_t value, uint8_t enables) override;
  [[nodiscard]] ControlLatency control_latency() const override { return chip_->control_latency(); }

  [[nodiscard]] uint64_t now_ps() const override { return clock_.time_ps(cycle_); }
  [[nodiscard]] uint64_t cycles() const override { return cycle_; }
  [[nodiscard]] bool at_rest() const override { return design_rests() && !dmac_works(); }

  void run_until_interrupt(uint64_t mask, uint64_t time_ps) override;
  void run_until_change(uint64_t time_ps) override;

  [[nodiscard]] model::Memory& memory() override { return chip_->memory(); }
  [[nodiscard]] model::Memory* on_chip_memory() override { return chip_->on_chip_memory(); }
  // The block RAM of the design's lanes (design.hpp), in bytes: of all, and of a lane.
  [[nodiscard]] uint64_t ram_bytes() const;
  [[nodiscard]] uint64_t lane_ram_bytes() const { return design_->ram(0).size(); }
  // Bytes of it, counted from the first lane's, that lie in one lane's; else nullptr.
  [[nodiscard]] uint8_t* ram(uint64_t offset, uint64_t bytes);
  [[nodiscard]] const Chip& chip() const { return *chip_; }

 private:
  void start();
  void edge();
  void watch();
  void pass(uint64_t cycle);
  void chip_edge();
  [[nodiscard]] bool design_rests() const { return rest_cycles_ != 0; }
  void disturb();
  template <typename Done>
  void run(uint64_t time_ps, Done done);

  std::unique_ptr<Design> design_;
  std::unique_ptr<Chip> chip_;
  model::Clock clock_;
  uint64_t cycle_ = 0;
  bool watching_ = false;  // nothing has moved at the ports since watched_from_
  uint64_t watched_from_ = 0;
  uint64_t rest_cycles_ = 0;  // the design is the same again after so many; 0: not known
  ControlPort control_;
};

}  // namespace sluice::sim
