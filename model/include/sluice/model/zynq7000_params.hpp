// SPDX-License-Identifier: Apache-2.0
// Zynq7000Params: everything that makes one Zynq-7000 board differ from another, and board presets.
#pragma once

#include <cstdint>
#include <string>

#include "sluice/model/a9_params.hpp"
#include "sluice/model/afi_params.hpp"
#include "sluice/model/cpu_copy.hpp"
#include "sluice/model/ddr3_timing.hpp"
#include "sluice/model/ddrc_params.hpp"

namespace sluice::model {

/// CPU accesses to PL registers through M_AXI_GP (used by the simulator, not by the DDR model).
struct GpParams {
  std::uint64_t write_latency_ps = 80'000;  ///< store to the AXI-Lite write; assumed
  std::uint64_t read_latency_ps = 140'000;  ///< load to its data, without the slave's own; assumed
};

struct Zynq7000Params {
  std::string name = "zynq7010";
  std::uint64_t memory_base = 0;               ///< bytes; multiple of 4096
  std::uint64_t memory_bytes = 512ULL << 20U;  ///< Zybo: 512 MiB
  double ddr_mhz = 533.0;                      ///< DDR_3x: DDR3-1066
  std::uint32_t ddri_ratio_numerator = 2;      ///< DDR_2x = DDR_3x * 2 / 3 (UG585: 525/350 MHz)
  std::uint32_t ddri_ratio_denominator = 3;
  std::uint32_t bus_bytes = 4;  ///< x32
  Ddr3Timing timing{};
  DdrcParams ddrc{};
  AfiParams afi{};
  CpuParams cpu{};
  A9Params a9{};
  Pl310Params l2{};
  AcpParams acp{};
  GpParams gp{};

  /// Bytes a second / 10^6 of the DRAM data bus.
  [[nodiscard]] double peak_mb_s() const { return ddr_mhz * 2.0 * bus_bytes; }
};

/// Zybo: XC7Z010, 512 MiB DDR3-1066 x32 (4264 MB/s). HP0,1 on DDRI port 3, HP2,3 on port 2.
[[nodiscard]] Zynq7000Params zynq7010();
/// ZedBoard: XC7Z020, the same memory system.
[[nodiscard]] Zynq7000Params zynq7020();

}  // namespace sluice::model
