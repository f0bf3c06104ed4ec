// SPDX-License-Identifier: Apache-2.0
// Parameters of the Zynq-7000 DDR controller: DDRI ports and arbiter, DDRC scheduler.
//
// Register names are UG585's. "ps7" = the value in the Zybo's start-up registers (see
// ddr3_timing.hpp). "fitted" = no document gives it: `sluice calibrate` found it, and
// model/calibration/zynq7000.json holds the value, the tables it was fitted to and the residuals.
#pragma once

#include <cstdint>

#include "sluice/model/address_map.hpp"
#include "sluice/model/fitted_zynq7000.hpp"

namespace sluice::model {

/// Table 10-4 of UG585: one transaction store (LPR_reg, WR_reg).
struct TransactionStoreParams {
  std::uint32_t max_starve_x32 = 2;        ///< whole periods of 32 cycles until critical; ps7 2
  std::uint32_t xact_run_length = 8;       ///< transactions served while critical; ps7 8
  std::uint32_t min_non_critical_x32 = 1;  ///< then guaranteed non-critical; ps7 1
  /// Row hits that may pass an older request of another row of the same bank. Of writes assumed: 4
  /// and more make no difference to table 3, 3 slows its four-port write row by 10 %.
  std::uint32_t page_hit_limit = 8;
};

/// One AXI port of the DDRI (UG585 10.2), 64 bits at DDR_2x: 2843 MB/s a direction at 355 MHz.
struct DdriPortParams {
  /// Reorder RAM of the read port, 64-bit words: bounds the reads that a port has in the DRAM at
  /// one time. Fitted to the duplex rows of Vieira 2020 table 3. A bound on bursts instead would
  /// fit those rows too, but UG585's table of burst lengths (4, 8 and 16 alike) rules it out.
  std::uint32_t read_ram_words = fitted::zynq7000::read_ram_words;
  /// Read command FIFO: bursts whose data is not all back; fitted.
  std::uint32_t read_bursts = fitted::zynq7000::read_bursts;
  std::uint32_t write_bursts = 4;      ///< write command FIFO; assumed (2 to 8 give the same)
  std::uint32_t write_ram_words = 64;  ///< write data RAM, 64-bit words; assumed, not critical
  std::uint32_t priority = 0x3ff;      ///< axi_priority_{rd,wr}_port start of aging; ps7 0x3ff
};

struct DdrcParams {
  std::uint32_t read_cam_entries = 32;  ///< UG585 10.1: two 32-entry CAMs; 1..32
  std::uint32_t write_cam_entries = 32;
  /// Reads (all low priority: HPR is off by default); page_hit_limit fitted.
  TransactionStoreParams lpr{.page_hit_limit = fitted::zynq7000::read_page_hit_limit};
  TransactionStoreParams wr{};
  std::uint32_t rdwr_idle_gap = 1;  ///< cycles without preferred work before a switch; ps7 1
  /// While both stores are critical, the mode changes 1: in every cycle; 0: whenever the scheduler
  /// looks for a command, which is after one, when a request enters and when a timing has ended.
  /// No document says which; the fitted values are those of 0.
  std::uint32_t mode_every_cycle = 0;
  std::uint64_t page_mask = 0;  ///< page_mask register; 0 = no page match in stage 1; ps7 0
  /// DDR_2x cycles that the data of one write request (32 bytes) takes into the controller; fitted
  /// to the writes of UG585's table of DDR efficiency.
  std::uint32_t write_request_ticks = fitted::zynq7000::write_request_ticks;
  /// Cycles from the DDRI port's acceptance to its first grant, and from the last read data on the
  /// DRAM bus to the port (PHY, controller pipeline). The first assumed (0 to 8 move no row by more
  /// than 0.5 %), the second fitted to Vieira 2020 table 3.
  std::uint32_t command_latency_cycles = 4;
  std::uint32_t return_latency_cycles = fitted::zynq7000::return_latency_cycles;
  std::uint32_t response_latency_cycles = 8;  ///< last grant of a write to its B; assumed
  DdriPortParams port{};
  /// axi_priority_{rd,wr}_port0, the CPU's: start of aging, lower is sooner; ps7 0x3ff. The other
  /// ports have port.priority.
  std::uint32_t cpu_priority = 0x3ff;
  AddressMap map{};
  /// 1: a Ddr3TraceChecker reads every command; the first violation is an error of the simulator.
  std::uint32_t check_commands = 0;
};

}  // namespace sluice::model
