// SPDX-License-Identifier: Apache-2.0
// Zynq7000Params: everything that makes one Zynq-7000 board differ from another, and board presets.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sluice/model/a9_params.hpp"
#include "sluice/model/afi_params.hpp"
#include "sluice/model/ddr3_timing.hpp"
#include "sluice/model/ddrc_params.hpp"
#include "sluice/model/ocm_params.hpp"

namespace sluice::model {

/// The general-purpose ports.
struct GpParams {
  // M_AXI_GP: the CPU's accesses to registers in the logic (used by the simulator, not by the
  // memory model). With a slave's own cycles reads come to 22 MB/s; UG585 table 22-8: < 25 MB/s.
  std::uint64_t write_latency_ps = 80'000;  ///< store to the AXI-Lite write; assumed
  std::uint64_t read_latency_ps = 140'000;  ///< load to its data, without the slave's own; assumed
  // S_AXI_GP0,1: masters in the logic, 32 bits, through the slave and the central interconnect to
  // the DDR controller's port 1. No FIFO but the clock crossing.
  // Acceptance: UG585 chapter 5, table of interconnect attributes; quoted from memory.
  std::uint32_t read_acceptance = 8;
  std::uint32_t write_acceptance = 8;
  /// Clock of the central interconnect: CPU_2x, a third of 667 MHz in 6:2:1 mode. It carries 64
  /// bits a cycle and direction for both ports (UG585 table 22-4: 1776 MB/s each way at 222 MHz).
  std::uint32_t central_cycle_ps = 4500;
};

/// What the PS's DMA controller (Pl330) reaches beside the memories (DmacPaths). The latency is
/// assumed; it bounds small transfers and those of one load at a time, not a stream of bursts.
struct DmacParams {
  /// Cycles of the logic from an address at M_AXI_GP to the first word, and from the last word to
  /// its answer: two flops of the port's clock crossing, and two of a block RAM and its controller.
  std::uint32_t gp_latency_cycles = 4;
};

struct Zynq7000Params {
  std::string name = "zynq7010";
  std::uint64_t memory_base = 0;               ///< bytes; multiple of 4096
  std::uint64_t memory_bytes = 512ULL << 20U;  ///< Zybo: 512 MiB
  int memory_file = -1;                        ///< descriptor of its bytes; -1: a memory of its own
  double ddr_mhz = 533.0;                      ///< DDR_3x: DDR3-1066
  std::uint32_t ddri_ratio_numerator = 2;      ///< DDR_2x = DDR_3x * 2 / 3 (UG585: 525/350 MHz)
  std::uint32_t ddri_ratio_denominator = 3;
  std::uint32_t bus_bytes = 4;  ///< x32
  Ddr3Timing timing{};
  DdrcParams ddrc{};
  AfiParams afi{};
  /// 1: the CPU copies blocks far larger than its caches at the top of memory, without end.
  std::uint32_t cpu_copies = 0;
  A9Params a9{};
  Pl310Params l2{};
  AcpParams acp{};
  GpParams gp{};
  DmacParams dmac{};
  OcmParams ocm{};
  /// Of each HP port: AFI_RDQOS and AFI_WRQOS in one; 0 to 15, reset value 0.
  std::array<std::uint32_t, 4> hp_qos{};

  /// Bytes a second / 10^6 of the DRAM data bus.
  [[nodiscard]] double peak_mb_s() const { return ddr_mhz * 2.0 * bus_bytes; }
};

/// Zybo: XC7Z010, 512 MiB DDR3-1066 x32 (4264 MB/s). HP0,1 on DDRI port 3, HP2,3 on port 2.
[[nodiscard]] Zynq7000Params zynq7010();
/// ZedBoard: XC7Z020, the same memory system.
[[nodiscard]] Zynq7000Params zynq7020();

}  // namespace sluice::model
