// SPDX-License-Identifier: Apache-2.0
// TransactionBoard: a board without RTL, for long sweeps: hp_stress on the HP ports, the ACP or the
// GP ports of a Zynq-7000, cdma on its HP ports or the ACP, f2s_stress on the F2S ports of a
// Cyclone V.
//
// Stands where Board stands: the same control space, interrupts, memory and time, so the same
// driver and the same measuring loop run on it. Behind the registers are transaction-level engines
// (model::Master) instead of Verilated logic; the memory system is the same object. A run costs
// about a fiftieth. tests/levels_test.cpp holds both to the same rates.
//
// What is modelled of the control space: the design page, both channels of each engine
// (transaction_engines.hpp), the route, a source of one packet, a sink that checks; of cdma the
// page and the engines in simple mode, without block RAM. Any other register, a write of part of
// one, a length that is no multiple of 8 bytes and of the beat, or a reset while a transfer runs
// throws NotModelled. Not thread-safe; boards are independent of each other. Deterministic.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "sluice/model/a9_core.hpp"
#include "sluice/model/clock.hpp"
#include "sluice/model/port_master.hpp"
#include "sluice/sim/chip.hpp"

namespace sluice::sim {

/// What a program asks of a transaction-level board and only RTL can do.
class NotModelled : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What stands behind the control space. A lane is an engine and its streams.
struct TransactionDesign {
  enum class Ports : uint8_t { hp, acp, gp, f2s };
  Ports ports = Ports::hp;
  unsigned lanes = 4;
  unsigned lanes_per_port = 1;  // 1 or, of HP ports, 2: lane n is on port n / lanes_per_port
  unsigned length_bits = 26;    // of the engines' length registers
  bool copies = false;          // cdma: the engines copy, and lanes have no streams
  model::MasterParams engine{};
};

// A chip without pins, and the masters on its ports.
class TransactionChip {
 public:
  virtual ~TransactionChip() = default;
  virtual void advance_to(uint64_t time_ps) = 0;
  [[nodiscard]] virtual model::Memory& memory() = 0;
  [[nodiscard]] virtual ControlLatency control_latency() const = 0;
  [[nodiscard]] virtual std::unique_ptr<model::Master> make_master(unsigned lane) = 0;
  // The processor; throws NotModelled where there is none.
  virtual void start_cpu(const model::CpuProgram& program) = 0;
  [[nodiscard]] virtual const model::A9Core& cpu() const = 0;
};

class TransactionEngine;

class TransactionBoard {
 public:
  // The design page follows the lanes, which are 64 KiB each (cdma: as many as four). Throws
  // std::invalid_argument if the ports are not the chip's.
  TransactionBoard(const ChipParams& memory_system, const TransactionDesign& design,
                   double clock_mhz);
  ~TransactionBoard();

  uint32_t read32(uint32_t offset);
  void write32(uint32_t offset, uint32_t value, uint8_t enables = 0xf);

  [[nodiscard]] uint64_t now_ps() const { return clock_.time_ps(cycle_); }
  [[nodiscard]] uint64_t cycles() const { return cycle_; }

  // Run to the first clock edge at or after time_ps.
  void run_until(uint64_t time_ps) { run_until_interrupt(0, time_ps); }
  // The same, but stop after the edge at which a line of mask is high.
  void run_until_interrupt(uint64_t mask, uint64_t time_ps);

  // Let the CPU run a program to its end, beside whatever the engines do. Returns the ps that it
  // took; throws as model::Zynq7000::start_cpu(), NotModelled without a processor.
  uint64_t run_cpu(const model::CpuProgram& program);

  [[nodiscard]] uint64_t interrupts() const { return interrupts_; }
  [[nodiscard]] uint64_t interrupt_rise_ps(unsigned line) const { return rise_ps_.at(line); }

  [[nodiscard]] model::Memory& memory() { return chip_->memory(); }

 private:
  static constexpr uint64_t kNever = ~uint64_t{0};

  struct Lane {
    std::unique_ptr<model::Master> master;
    std::unique_ptr<TransactionEngine> engine;
    // Of a direction: the cycle from which the master works on its transfer, and the one at which
    // the engine tells its end.
    std::array<uint64_t, 2> starts{kNever, kNever};
    std::array<uint64_t, 2> finishes{kNever, kNever};
    uint32_t packet_beats = 1;
    uint32_t source_start = 0;
    uint32_t source_control = 0;
    uint32_t sink_start = 0;
    uint32_t sink_control = 0;
  };

  void edge();
  void step(Lane& lane);
  void start(Lane& lane, unsigned directions);
  void finish(Lane& lane, unsigned direction);
  void update_interrupts();
  [[nodiscard]] bool idle() const;
  void spend(uint64_t ps) { run_until(now_ps() + ps); }
  void spend_cycles(unsigned cycles) { run_until(clock_.time_ps(cycle_ + cycles)); }

  [[nodiscard]] uint32_t load(uint32_t offset);
  void store(uint32_t offset, uint32_t value);

  std::unique_ptr<TransactionChip> chip_;
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
