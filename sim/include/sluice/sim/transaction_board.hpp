// SPDX-License-Identifier: Apache-2.0
// TransactionBoard: hp_stress on a Zynq-7000 without its RTL, for long sweeps.
//
// Stands where Board stands: the same control space, interrupts, memory and time, so the same
// driver and the same measuring loop run on it. Behind the registers are transaction-level engines
// (model::HpMaster) instead of Verilated logic; the memory system is the same object. A run costs
// about a fiftieth. tests/levels_test.cpp holds both to the same rates.
//
// What is modelled of the control space: the design page, both channels of each DMA, the route, a
// source of one packet, a sink that checks. Any other register, a length that is no multiple of 8
// bytes, or a reset while a transfer runs throws NotModelled.
// Not thread-safe; boards are independent of each other. Deterministic.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "sluice/model/clock.hpp"
#include "sluice/model/hp_master.hpp"
#include "sluice/model/zynq7000.hpp"

namespace sluice::sim {

/// What a program asks of a transaction-level board and only RTL can do.
class NotModelled : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What stands behind the control space. A lane is an engine and its streams.
struct TransactionDesign {
  unsigned lanes = model::Zynq7000::kHpPorts;
  unsigned lanes_per_port = 1;  // 1 or 2: lane n is on HP(n / lanes_per_port)
  bool acp = false;             // instead: one lane, on the ACP
  unsigned length_bits = 26;    // of the engines' length registers
  model::HpMasterParams engine{};
};

class TransactionBoard {
 public:
  // The design page follows the lanes, which are 64 KiB each.
  TransactionBoard(const model::Zynq7000Params& memory_system, const TransactionDesign& design,
                   double clock_mhz);

  uint32_t read32(uint32_t offset);
  void write32(uint32_t offset, uint32_t value);

  [[nodiscard]] uint64_t now_ps() const { return clock_.time_ps(cycle_); }
  [[nodiscard]] uint64_t cycles() const { return cycle_; }

  // Run to the first clock edge at or after time_ps.
  void run_until(uint64_t time_ps) { run_until_interrupt(0, time_ps); }
  // The same, but stop after the edge at which a line of mask is high.
  void run_until_interrupt(uint64_t mask, uint64_t time_ps);

  // Let the CPU run a program to its end, beside whatever the engines do. Returns the ps that it
  // took; throws as model::Zynq7000::start_cpu().
  uint64_t run_cpu(const model::CpuProgram& program);

  [[nodiscard]] uint64_t interrupts() const { return interrupts_; }
  [[nodiscard]] uint64_t interrupt_rise_ps(unsigned line) const { return rise_ps_.at(line); }

  [[nodiscard]] model::Memory& memory() { return chip_.memory(); }
  [[nodiscard]] const model::Zynq7000& chip() const { return chip_; }

 private:
  static constexpr uint64_t kNever = ~uint64_t{0};

  struct Channel {
    uint32_t control = 0;
    uint32_t status = 0;
    uint64_t address = 0;
    uint32_t length = 0;
    uint64_t starts = kNever;    // cycle from which the engine works on the transfer
    uint64_t finishes = kNever;  // cycle at which its status stands
    bool active = false;
  };
  struct Lane {
    std::unique_ptr<model::HpMaster> master;
    std::array<Channel, 2> channel;  // MM2S, S2MM
    uint32_t packet_beats = 1;
    uint32_t source_start = 0;
    uint32_t source_control = 0;
    uint32_t sink_start = 0;
    uint32_t sink_control = 0;
  };

  void edge();
  void step(Lane& lane);
  void begin(Lane& lane, unsigned direction);
  void finish(Lane& lane, unsigned direction);
  void update_interrupts();
  [[nodiscard]] bool idle() const;
  void spend(uint64_t ps) { run_until(now_ps() + ps); }
  void spend_cycles(unsigned cycles) { run_until(clock_.time_ps(cycle_ + cycles)); }

  [[nodiscard]] uint32_t load(uint32_t offset) const;
  void store(uint32_t offset, uint32_t value);
  void store_dma(Lane& lane, uint32_t offset, uint32_t value);
  static void reset(Lane& lane);

  model::Zynq7000 chip_;
  model::Clock clock_;
  TransactionDesign design_;
  unsigned width_bits_;  // of a stream
  uint32_t page_offset_;
  uint64_t cycle_ = 0;
  uint64_t interrupts_ = 0;
  std::vector<uint64_t> rise_ps_;
  std::vector<Lane> lanes_;
};

}  // namespace sluice::sim
