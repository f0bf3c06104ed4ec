// SPDX-License-Identifier: Apache-2.0
// CycloneVParams: everything that makes one Cyclone V HPS board differ from another, and a preset.
//
// Sources, by short name:
//   TRM    Cyclone V HPS Technical Reference Manual (Intel 683126), chapter 12
//   EMI3   External Memory Interface Handbook volume 3 (Intel 683841), chapters 4 and 5
//   board  the DE1-SoC's start-up values (u-boot, board/terasic/de1-soc/qts/sdram_config.h)
//   HPC2   formulas and rules of the soft controller of the same family (alt_mem_ddrx), as EMI3 5
//   test   read delays measured on a DE10-Nano by MiSTerDDR3Test
//   (model/tools/cyclonev_ddr3test.hpp)
// "fitted" = no document gives it: `sluice calibrate` found it, and model/calibration/cyclonev.json
// holds the value, the rows of Vieira 2020 table 5 that it was fitted to and the residuals.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sluice/model/address_map.hpp"
#include "sluice/model/ddr3_timing.hpp"
#include "sluice/model/fitted_cyclonev.hpp"

namespace sluice::model {

/// One FPGA-to-SDRAM port. A port of W bits takes ceil(W / 64) data ports each way and, as AXI, a
/// command port for reads and one for writes. TRM 12.4.4: 6 command, 4 + 4 data ports.
struct F2sPortParams {
  /// TRM 12.2: an asynchronous and a synchronous FIFO, each of 8 words a data port.
  std::uint32_t async_data_words = 8;
  std::uint32_t sync_data_words = 8;
  /// TRM 12.2: both with 4 commands.
  std::uint32_t async_commands = 4;
  std::uint32_t sync_commands = 4;
};

/// Multi-port front end (TRM 12.5.1, 12.6.2).
struct MpfeParams {
  static constexpr std::uint32_t kCommandPorts = 6;
  /// DDR clocks a decision: one SDRAM burst, "two beats" of 128 bits, so half rate; a reading of
  /// TRM 12.6.2.
  std::uint32_t cycles = 2;
  /// mppriority and mpweight_* of the FPGA's command ports: highest priority wins, equals share by
  /// deficit round robin. board: weight 16 for all; priorities 0, 1, 2, 0, 1, 2 belong to its own
  /// design's ports, here all are equal.
  std::array<std::uint32_t, kCommandPorts> priority{};
  std::array<std::uint32_t, kCommandPorts> weight{16, 16, 16, 16, 16, 16};
  /// Words of the read data block's internal buffer (TRM 12.5.1), shared by all ports; fitted.
  std::uint32_t read_buffer_words = fitted::cyclonev::read_buffer_words;
  /// DDR clocks from a grant to the controller's pool; fitted.
  std::uint32_t command_latency_cycles = fitted::cyclonev::command_latency_cycles;
  /// Of a read, these and the DDR clocks from its last data on the DRAM bus to the port's FIFO;
  /// test: with it the delays of single reads are silicon's within a clock, and their rates within
  /// 0.5 %.
  std::uint32_t read_latency_cycles = 27;
  std::uint32_t response_latency_cycles = 8;  ///< last grant of a write to its response; assumed
  /// DDR clocks that the write data block takes for the data of a DRAM burst (32 bytes), and a part
  /// of them for a part of one. So writes alone reach 4 of 5 parts of the DRAM's rate whatever
  /// their port; fitted.
  std::uint32_t write_data_cycles = fitted::cyclonev::write_data_cycles;
};

/// Single-port controller (TRM 12.5.2, 12.6.3; EMI3 5.3).
struct SinglePortParams {
  /// Accepted from the front end, not yet in the pool; fitted.
  /// 4 and more cover the front end's latency, so that row hits stream without a gap
  /// (683375 6.5.1).
  std::uint32_t queue_commands = fitted::cyclonev::queue_commands;
  /// Timer bank pool: commands that may be reordered; CTL_LOOK_AHEAD_DEPTH of the HPS component.
  std::uint32_t pool_commands = 4;
  std::uint32_t starve_limit = 10;  ///< commands served before a waiting one; board 10
  /// 1: a Ddr3TraceChecker reads every command; the first violation is an error of the simulator.
  std::uint32_t check_commands = 0;
};

/// CPU accesses to registers in the logic, through the lightweight bridge (used by the simulator,
/// not by the memory model); assumed.
struct LightweightBridgeParams {
  std::uint64_t write_latency_ps = 100'000;  ///< store to the AXI-Lite write
  std::uint64_t read_latency_ps = 180'000;   ///< load to its data, without the slave's own
};

struct CycloneVParams {
  std::string name = "cyclonev";
  std::uint64_t memory_base = 0;                ///< bytes; multiple of 4096
  std::uint64_t memory_bytes = 1024ULL << 20U;  ///< DE1-SoC: 1 GiB
  double ddr_mhz = 400.0;                       ///< DDR3-800
  std::vector<std::uint32_t> port_bits{64};     ///< F2S ports: 32, 64, 128 or 256 bits each
  Ddr3Timing timing{};
  AddressMap map{};  ///< board: ADDRORDER 0 (row, bank, column), 10 column bits of 4 bytes
  F2sPortParams f2s{};
  MpfeParams mpfe{};
  SinglePortParams controller{};
  LightweightBridgeParams gp{};

  /// Bytes a second / 10^6 of the DRAM data bus.
  [[nodiscard]] double peak_mb_s() const { return ddr_mhz * 2.0 * 4.0; }
};

/// DE1-SoC (5CSEMA5), 1 GiB of DDR3-800, 32 bits (3200 MB/s); one F2S port of 64 bits.
[[nodiscard]] CycloneVParams cyclonev_de1soc();

}  // namespace sluice::model
