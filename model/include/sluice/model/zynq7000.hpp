// SPDX-License-Identifier: Apache-2.0
// Zynq7000: the memory system of a Zynq-7000 as its PL sees it.
//
//   HP0 HP1   HP2 HP3        AxiHp      pins of a port, one call a PL clock edge
//    |   |     |   |         AfiPort    FIFOs, acceptance and issue limits, clock crossing
//    +-+-+     +-+-+         HpSwitch   two ports share one port of the DDR controller
//      |         |           DdriPort   command FIFO, write RAM, read reorder RAM
//      +----+----+           DdriArbiter, Ddrc  UG585 10.4 stages 1, 2, 3; two 32-entry CAMs
//           |                Ddr3Device banks, rows, every timing constraint
//         memory             Memory     the bytes
// A9Core (the CPU's own accesses) and AcpPath (the ACP, through the SCU) share Pl310, the L2 cache,
// and its port of the controller. With cpu_copies the CPU copies memory all the time.
// GP0 and GP1 (AfiPort) and the DMA controller (Pl330, DmacPaths) reach the controller's port 1 by
// the central interconnect (CentralSwitch).
// All of them reach the on-chip memory (Ocm), past the DDR controller.
//
// Time: advance_to(t) brings the DDR side to board time t (ps, never backwards, else throws
// std::invalid_argument). The caller clocks each port's PL domain: for an edge at time t it calls
// advance_to(t), then hp(i).edge(in, out) once for each port whose clock rises at t. Ports may have
// different and changing clocks. Nothing runs between calls, and an idle memory costs nothing.
//
// A port is driven either by pins (hp, acp_pins) or by bursts (afi, acp: see HpMaster), not by
// both at once.
// Deterministic: no randomness inside. Not thread-safe; instances are independent of each other.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "sluice/model/a9_core.hpp"
#include "sluice/model/acp_path.hpp"
#include "sluice/model/afi_port.hpp"
#include "sluice/model/axi_hp.hpp"
#include "sluice/model/clock.hpp"
#include "sluice/model/ddrc.hpp"
#include "sluice/model/dmac_paths.hpp"
#include "sluice/model/hp_switch.hpp"
#include "sluice/model/memory.hpp"
#include "sluice/model/ocm.hpp"
#include "sluice/model/pl330.hpp"
#include "sluice/model/statistics.hpp"
#include "sluice/model/zynq7000_params.hpp"

namespace sluice::model {

class Zynq7000 {
 public:
  static constexpr unsigned kHpPorts = 4;
  static constexpr unsigned kGpPorts = 2;

  /// Throws std::invalid_argument naming the parameter that is out of range.
  explicit Zynq7000(const Zynq7000Params& params);
  Zynq7000(const Zynq7000&) = delete;
  Zynq7000& operator=(const Zynq7000&) = delete;

  [[nodiscard]] const Zynq7000Params& params() const { return params_; }
  [[nodiscard]] Memory& memory() { return memory_; }
  [[nodiscard]] Memory& on_chip_memory() { return ocm_.memory().bytes; }

  [[nodiscard]] std::uint64_t now_ps() const { return now_ps_; }
  void advance_to(std::uint64_t time_ps);

  /// Port i, 0..3; throws std::out_of_range otherwise.
  [[nodiscard]] AxiHp& hp(unsigned port) { return *hp_.at(port); }
  [[nodiscard]] AfiPort& afi(unsigned port) { return *afi_.at(port); }

  /// S_AXI_GP0 or 1, driven by bursts of 32-bit masters; throws std::out_of_range otherwise.
  [[nodiscard]] AfiPort& gp(unsigned port) { return *gp_.at(port); }
  /// The ACP, driven by bursts, and its pins (64 bits; the user signals are not there: every access
  /// is coherent).
  [[nodiscard]] AfiPort& acp() { return acp_; }
  [[nodiscard]] AxiHp& acp_pins() { return acp_pins_; }

  /// The DMA controller of the PS, which works by itself once its registers have started it, and
  /// what it reaches beside the DDR memory.
  [[nodiscard]] Pl330& dmac() { return dmac_; }
  [[nodiscard]] DmacPaths& dmac_paths() { return dmac_paths_; }
  /// It does nothing by itself.
  [[nodiscard]] bool dmac_quiet() const { return dmac_.quiet(); }

  /// The CPU runs a program: how much time its accesses take. Throws as A9Core::start().
  void start_cpu(const CpuProgram& program) { a9_.start(program, now_ps_); }
  [[nodiscard]] const A9Core& cpu() const { return a9_; }
  [[nodiscard]] const Pl310& l2() const { return l2_; }
  [[nodiscard]] const AcpPath& acp_path() const { return acp_path_; }

  /// No burst anywhere between the ports' pins and the DRAM.
  [[nodiscard]] bool idle() const { return ddr_side_quiet() && ports_idle(); }
  /// The same of what the ports' pins see.
  [[nodiscard]] bool ports_idle() const;

  /// Counted since construction; differences of two snapshots describe an interval.
  [[nodiscard]] Statistics statistics() const;

  /// Every DRAM command goes to the observer too (nullptr: none). Used by trace checkers.
  void observe_dram(DramObserver* observer) { ddrc_.observe_dram(observer); }

 private:
  void tick();
  void tick_cpu(std::uint64_t time_ps);
  void tick_central();
  [[nodiscard]] bool ddr_side_quiet() const;

  Zynq7000Params params_;
  Memory memory_;
  Clock ddr_clock_;
  std::uint64_t now_ps_ = 0;
  std::uint64_t cycle_ = 0;       ///< next DDR cycle to simulate
  std::uint32_t ddri_phase_ = 0;  ///< DDR_2x clock as a fraction of DDR_3x
  std::uint64_t last_ddri_cycle_ = 0;
  Ddrc ddrc_;
  Ocm ocm_;
  std::array<std::unique_ptr<AfiPort>, kHpPorts> afi_;
  std::array<std::unique_ptr<AxiHp>, kHpPorts> hp_;
  std::array<std::unique_ptr<HpSwitch>, 2> switch_;
  std::array<std::unique_ptr<AfiPort>, kGpPorts> gp_;
  std::unique_ptr<CentralSwitch> central_;
  Pl310 l2_;
  bool l2_busy_ = false;  ///< after its last cycle; only the CPU and the ACP give it work
  A9Core a9_;
  AfiPort acp_;
  AxiHp acp_pins_;
  AcpPath acp_path_;
  DmacPaths dmac_paths_;
  Pl330 dmac_;
  // Of the advance under way: whether there may be work for them.
  bool cpu_works_ = false;
  bool central_works_ = false;
};

}  // namespace sluice::model
