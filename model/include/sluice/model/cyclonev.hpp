// SPDX-License-Identifier: Apache-2.0
// CycloneV: the SDRAM controller subsystem of a Cyclone V HPS as the FPGA sees it.
//
//   f2s(0)  f2s(1) ..            AxiF2s   pins of a port, one call an edge of its clock
//     |       |                  F2sPort  data and command FIFOs, clock crossing
//     +---+---+
//        Mpfe                    multi-port front end: priority, then deficit round robin
//     SinglePortController       timer bank pool: reads first, oldest first, starvation, refresh
//     Ddr3Device, Memory         banks, rows, every timing constraint; the bytes
//
// Ports: params.port_bits lists them, and each is 32, 64, 128 or 256 bits. An AXI port takes two
// of the interface's six command ports and one, two or four of its four data ports each way: three
// ports at most, 256 bits together.
// Time: advance_to(t) brings the DDR side to board time t (ps, never backwards, else throws
// std::invalid_argument). For an edge at time t the caller calls advance_to(t), then
// f2s(i).edge(in, out) once for each port whose clock rises at t. Ports may have different clocks.
// A port is driven either by pins (f2s) or by bursts (port: see F2sMaster), not by both at once.
// Deterministic: no randomness inside. Not thread-safe; instances are independent of each other.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sluice/model/clock.hpp"
#include "sluice/model/cyclonev_axi_f2s.hpp"
#include "sluice/model/cyclonev_controller.hpp"
#include "sluice/model/cyclonev_f2s_port.hpp"
#include "sluice/model/cyclonev_mpfe.hpp"
#include "sluice/model/cyclonev_params.hpp"
#include "sluice/model/memory.hpp"
#include "sluice/model/statistics.hpp"

namespace sluice::model {

class CycloneV {
 public:
  static constexpr unsigned kMaxPorts = 3;

  /// Throws std::invalid_argument naming the parameter that is out of range.
  explicit CycloneV(const CycloneVParams& params);
  CycloneV(const CycloneV&) = delete;
  CycloneV& operator=(const CycloneV&) = delete;

  [[nodiscard]] const CycloneVParams& params() const { return params_; }
  [[nodiscard]] Memory& memory() { return memory_; }

  [[nodiscard]] std::uint64_t now_ps() const { return now_ps_; }
  void advance_to(std::uint64_t time_ps);

  /// Ports are numbered from 0 in the order of params.port_bits; throw std::out_of_range otherwise.
  [[nodiscard]] unsigned ports() const { return static_cast<unsigned>(port_.size()); }
  [[nodiscard]] AxiF2s& f2s(unsigned port) { return *f2s_.at(port); }
  [[nodiscard]] F2sPort& port(unsigned port) { return *port_.at(port); }

  /// No burst anywhere between the ports' pins and the DRAM.
  [[nodiscard]] bool idle() const;

  /// Counted since construction; hp_read_bytes and hp_write_bytes are those of the F2S ports.
  [[nodiscard]] Statistics statistics() const;

  /// Every DRAM command goes to the observer too (nullptr: none). Used by trace checkers.
  void observe_dram(DramObserver* observer) { controller_.observe_dram(observer); }

 private:
  [[nodiscard]] bool ddr_side_quiet() const { return controller_.quiet() && mpfe_.quiet(); }

  CycloneVParams params_;
  Memory memory_;
  Clock ddr_clock_;
  std::uint64_t now_ps_ = 0;
  std::uint64_t cycle_ = 0;       ///< next DDR cycle to simulate
  std::uint64_t mpfe_cycle_ = 0;  ///< of the front end's next decision, every mpfe.cycles
  SinglePortController controller_;
  std::vector<std::unique_ptr<F2sPort>> port_;
  std::vector<std::unique_ptr<AxiF2s>> f2s_;
  Mpfe mpfe_;
};

}  // namespace sluice::model
