// SPDX-License-Identifier: Apache-2.0
// Chip: what surrounds a design on its board, its memory ports clocked with it.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>

#include "sluice/model/cyclonev_params.hpp"
#include "sluice/model/memory.hpp"
#include "sluice/model/zynq7000.hpp"
#include "sluice/model/zynq7000_params.hpp"
#include "sluice/sim/design.hpp"

namespace sluice::sim {

// Time that the CPU's accesses to the design's control port take on their way.
struct ControlLatency {
  uint64_t write_ps;
  uint64_t read_ps;
};

class Chip {
 public:
  virtual ~Chip() = default;

  // One clock edge at board time now_ps (never backwards): sample() takes the design's outputs as
  // they stand before it, drive() gives it what the chip drives after it.
  virtual void sample(uint64_t now_ps) = 0;
  virtual void drive() = 0;

  [[nodiscard]] virtual model::Memory& memory() = 0;
  // Beside that, at an address of its own; nullptr: there is none.
  [[nodiscard]] virtual model::Memory* on_chip_memory() { return nullptr; }
  [[nodiscard]] virtual ControlLatency control_latency() const = 0;
  // No burst anywhere between the ports' pins and the memory; of a chip that works by itself, none
  // of the ports.
  [[nodiscard]] virtual bool idle() const = 0;
  // A Zynq's chip beside its ports: its DMA controller; else nullptr.
  [[nodiscard]] virtual model::Zynq7000* zynq() { return nullptr; }
  // The chip alone, of which nobody sees the ports' pins: while its ports are idle.
  virtual void advance_to(uint64_t now_ps) = 0;
};

// A chip around a design, whose ports are width_bits wide. The design must live as long as the
// chip; throw std::invalid_argument if its ports are not the chip's.
std::unique_ptr<Chip> make_chip(const model::Zynq7000Params& params, Design& design,
                                unsigned width_bits);
// params.port_bits follows from the design.
std::unique_ptr<Chip> make_chip(const model::CycloneVParams& params, Design& design,
                                unsigned width_bits);

// What makes one chip of the catalogue.
using ChipParams = std::variant<model::Zynq7000Params, model::CycloneVParams>;

inline std::unique_ptr<Chip> make_chip(const ChipParams& params, Design& design,
                                       unsigned width_bits) {
  return std::visit([&](const auto& chip) { return make_chip(chip, design, width_bits); }, params);
}

}  // namespace sluice::sim
