// SPDX-License-Identifier: Apache-2.0
// TransactionChip: a chip without pins, and the masters and descriptor ports on its ports.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "descriptor_chain.hpp"
#include "sluice/model/a9_core.hpp"
#include "sluice/model/port_master.hpp"
#include "sluice/sim/chip.hpp"
#include "sluice/sim/transaction_board.hpp"

namespace sluice::sim {

// What a lane has of the chip's ports. With descriptors, whoever steps the lane calls begin_edge()
// of each port that is there, before anything else of the edge.
struct LanePorts {
  std::unique_ptr<model::Master> master;
  std::shared_ptr<DescriptorPort> shared{};       // of data and descriptors
  std::shared_ptr<DescriptorPort> descriptors{};  // of its own
};

class TransactionChip {
 public:
  virtual ~TransactionChip() = default;
  virtual void advance_to(uint64_t time_ps) = 0;
  [[nodiscard]] virtual model::Memory& memory() = 0;
  // As Chip's.
  [[nodiscard]] virtual model::Zynq7000* zynq() { return nullptr; }
  [[nodiscard]] virtual model::Memory* on_chip_memory() { return nullptr; }
  [[nodiscard]] virtual ControlLatency control_latency() const = 0;
  // In the order of their numbers. ram: the lane's block RAM, which must outlive its master; empty:
  // it has none.
  [[nodiscard]] virtual LanePorts make_ports(unsigned lane, std::span<uint8_t> ram) = 0;
  // The processor; throws NotModelled where there is none.
  virtual void start_cpu(const model::CpuProgram& program) = 0;
  [[nodiscard]] virtual const model::A9Core& cpu() const = 0;
  // No program of the CPU or the DMA controller is under way, so that the chip may lack time that
  // passes on the board.
  [[nodiscard]] virtual bool may_rest() const { return true; }
};

// Throws std::invalid_argument if the design's ports are not the chip's.
std::unique_ptr<TransactionChip> make_transaction_chip(const ChipParams& params,
                                                       const TransactionDesign& design);

}  // namespace sluice::sim
