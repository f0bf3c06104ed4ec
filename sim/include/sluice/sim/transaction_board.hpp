// SPDX-License-Identifier: Apache-2.0
// TransactionBoard: a board without RTL, for long sweeps: designs of the HP ports, the ACP or the
// GP ports of a Zynq-7000, f2s_stress on the F2S ports of a Cyclone V.
//
// Stands where Board stands: the same control space, interrupts, memory and time, so the same
// driver and the same measuring loop run on it. Behind the registers are transaction-level engines
// (model::Master) instead of Verilated logic; the memory system is the same object. A run costs
// about a fiftieth. tests/levels_test.cpp holds both to the same rates.
//
// What is modelled of the control space: the design page; of each lane the engine, in direct
// register mode and by descriptors where the design has them, and what stands at its streams
// (lane_streams.hpp), its block RAM. Any other register and a write of part of one throw
// NoRegister, a length that is no multiple of 8 bytes and of the beat throws NotModelled. Where
// nothing moves any more, time passes at once.
//
// With leaves_out a board does not simulate the middle of long transfers. When all streams have
// kept their rates for four windows of 65,536 cycles (steady_state.hpp), the board moves a part of
// each transfer at once. It adds the time that this part takes at these rates, and simulates at
// least the last 128 KiB of each. Registers, memory and interrupts are as without; transfers end a
// few parts in ten thousand earlier or later. docs/explanation/simulated-board.md says when nothing
// is left out.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "sluice/model/a9_core.hpp"
#include "sluice/model/clock.hpp"
#include "sluice/model/port_master.hpp"
#include "sluice/sim/chip.hpp"
#include "sluice/sim/logic_board.hpp"

namespace sluice::sim {

/// What a program asks of a transaction-level board and only RTL can do.
class NotModelled : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A register that is not there, or what only RTL's has; the board is as it was.
class NoRegister : public NotModelled {
 public:
  using NotModelled::NotModelled;
};

// What stands behind the control space. A lane is an engine and its streams.
struct TransactionDesign {
  enum class Ports : uint8_t { hp, acp, gp, f2s };
  enum class Engine : uint8_t { axi_dma, cdma, msgdma };
  // What is at an engine's streams: counter source and checking sink; these, with a source that may
  // not wait, and a capability block; a loop-back; such a source alone, and more (capture); or
  // nothing, as of a CDMA.
  enum class Streams : uint8_t { counter, counted, loop, capture, none };
  // Of an engine that takes descriptors: by the lane's port, or by the next one.
  enum class Descriptors : uint8_t { none, same_port, next_port };

  Ports ports = Ports::hp;
  Engine kind = Engine::axi_dma;
  Streams streams = Streams::counter;
  Descriptors descriptors = Descriptors::none;
  uint32_t identity = 0;  // of the design page
  uint32_t page = 0;      // where that is; 0: behind the lanes
  unsigned lanes = 4;
  unsigned lanes_per_port = 1;  // 1 or, of HP ports, 2: lane n is on port n / lanes_per_port
  unsigned length_bits = 26;    // of the engines' length registers
  uint64_t ram_bytes = 0;       // block RAM of a lane, at kRamAddress and kRamOffset (design.hpp)
  unsigned write_cycles = 6;    // of an AXI4-Lite write to a lane, address to response
  model::MasterParams engine{};
};

class LaneStreams;
class TransactionChip;
class TransactionEngine;

class TransactionBoard final : public LogicBoard {
 public:
  // Lanes have 64 KiB each. Throws std::invalid_argument if the ports are not the chip's.
  TransactionBoard(const ChipParams& memory_system, const TransactionDesign& design,
                   double clock_mhz, bool leaves_out = false);
  ~TransactionBoard() override;

  uint32_t read_register(uint32_t offset) override;
  void write_register(uint32_t offset, uint32_t value, uint8_t enables) override;
  [[nodiscard]] ControlLatency control_latency() const override;

  [[nodiscard]] uint64_t now_ps() const override { return clock_.time_ps(cycle_); }
  [[nodiscard]] uint64_t cycles() const override { return cycle_; }
  [[nodiscard]] bool at_rest() const override { return (rests_ || busy_ == 0) && !dmac_works(); }

  [[nodiscard]] uint64_t quiet_until_ps() const override;

  void run_until_interrupt(uint64_t mask, uint64_t time_ps) override;
  void run_until_change(uint64_t time_ps) override;

  // Let the CPU run a program to its end, beside whatever the engines do. Returns the ps that it
  // took; throws as model::Zynq7000::start_cpu(), NotModelled without a processor.
  uint64_t run_cpu(const model::CpuProgram& program);

  [[nodiscard]] model::Memory& memory() override;
  [[nodiscard]] model::Memory* on_chip_memory() override;
  // As Board's.
  [[nodiscard]] uint64_t ram_bytes() const { return ram_.size(); }
  [[nodiscard]] uint64_t lane_ram_bytes() const { return design_.ram_bytes; }
  [[nodiscard]] uint8_t* ram(uint64_t offset, uint64_t bytes);

 private:
  struct Lane;
  struct Windows;

  void make_lane(unsigned number);
  void edge();
  void step(unsigned number);
  void look_after(unsigned number);
  void update_interrupts();
  void watch();
  [[nodiscard]] uint64_t quiet_edges() const;
  void pass_edges(uint64_t count);
  template <typename Done>
  void run(uint64_t time_ps, Done done);
  void end_window(uint64_t time_ps);
  void leave_out(uint64_t most_cycles);
  [[nodiscard]] bool may_leave_out() const;
  // Time of the chip, for which no time passes with what is left out.
  [[nodiscard]] uint64_t chip_ps() const { return clock_.time_ps(cycle_ - left_out_); }
  void spend_cycles(unsigned cycles) { run_until(clock_.time_ps(cycle_ + cycles)); }

  [[nodiscard]] unsigned saved_cycles(uint32_t offset) const;
  [[nodiscard]] uint32_t load_page(uint32_t offset) const;
  [[nodiscard]] uint8_t* ram_word(uint32_t offset);

  std::unique_ptr<TransactionChip> chip_;
  model::Clock clock_;
  TransactionDesign design_;
  unsigned width_bits_;  // of a stream
  uint32_t page_offset_;
  uint64_t cycle_ = 0;
  std::vector<uint8_t> ram_;  // of all lanes
  std::vector<Lane> lanes_;
  uint32_t busy_ = 0;        // of which lanes something may happen at the next edge
  uint64_t moves_seen_ = 0;  // of all lanes, when watch() looked last
  bool waits_ = false;       // nothing has moved since, and nothing is under way but in streams
  bool rests_ = false;       // nor there
  std::unique_ptr<Windows> windows_;  // of a board that leaves out
  uint64_t left_out_ = 0;             // cycles
  bool lines_stale_ = true;           // an interrupt may have changed since update_interrupts()
};

}  // namespace sluice::sim
