// SPDX-License-Identifier: Apache-2.0
// Parameters of the Cortex-A9's own accesses: core and L1, TLBs, store buffer; L2 cache; ACP.
//
// Names are those of the Cortex-A9 TRM (ARM DDI 0388I), the PL310 TRM (ARM DDI 0246) and UG585.
// "fitted" = no document gives it: `sluice calibrate` found it, and
// model/calibration/cortex_a9.json holds the value and the residual; the figure that it was fitted
// to stands beside it. REDS 2024 (reds2024.json) measured a Zybo: 30 cycles of 44.65 ns are a clock
// of 667 MHz.
#pragma once

#include <cstdint>

#include "sluice/model/fitted_cortex_a9.hpp"

namespace sluice::model {

struct A9Params {
  std::uint32_t cycle_ps = 1500;         ///< CPU_6x4x at 667 MHz (DS187, -1 parts)
  std::uint32_t cache_bytes = 32768;     ///< L1 data cache: UG585 3.2.2
  std::uint32_t cache_ways = 4;          ///< TRM 7.1.1
  std::uint32_t linefill_buffers = 2;    ///< TRM 7.1: two 32-byte linefill buffers
  std::uint32_t eviction_buffers = 1;    ///< TRM 7.1: one 32-byte eviction buffer
  std::uint32_t store_buffer = 4;        ///< TRM 7.1: entries of 64 bits, merging
  std::uint32_t load_use_cycles = 4;     ///< L1 hit to an address made of it; TRM B.3, 4 cycles
  std::uint32_t micro_tlb_entries = 32;  ///< TRM 6.2.1, data side; reds2024 counts 32
  std::uint32_t main_tlb_entries = 128;  ///< TRM 6.2.2: 2 ways of 64
  std::uint32_t main_tlb_ways = 2;
  std::uint32_t page_bytes = 4096;  ///< small pages, as Linux maps a program's memory
  /// Miss of the micro TLB that hits the main TLB; fitted to 18.78 ns, reds2024.
  std::uint32_t micro_tlb_miss_ps = fitted::cortex_a9::micro_tlb_miss_ps;
  /// Loop control of the programs (CpuProgram) a line of 32 bytes; assumed.
  std::uint32_t loop_cycles = 2;
};

struct Pl310Params {
  std::uint32_t cache_bytes = 524'288;    ///< UG585 3.4
  std::uint32_t cache_ways = 8;           ///< UG585 3.4
  std::uint32_t tag_latency_cycles = 2;   ///< Linux zynq-7000.dtsi: arm,tag-latency
  std::uint32_t data_latency_cycles = 3;  ///< Linux zynq-7000.dtsi: arm,data-latency
  std::uint32_t linefill_buffers = 4;     ///< PL310 TRM 2.5.1: LFB
  std::uint32_t eviction_buffers = 3;     ///< PL310 TRM 2.5.1: EB
  std::uint32_t store_buffers = 3;        ///< PL310 TRM 2.5.1: STB
  /// Auxiliary Control [28]; Xilinx's start-up code writes 0x72360000, which sets it.
  std::uint32_t data_prefetch = 1;
  /// L1 miss to the L2 cache and back, RAM latencies apart; fitted: with them 44.65 ns, reds2024.
  std::uint32_t path_ps = fitted::cortex_a9::l2_path_ps;
  /// L2 miss to the controller's port and back, beside path_ps; fitted to 342.6 MB/s, reds2024.
  std::uint32_t memory_path_ps = fitted::cortex_a9::l2_memory_path_ps;
};

struct AcpParams {
  // Acceptance: UG585 chapter 5, table of interconnect attributes; quoted from memory.
  std::uint32_t read_acceptance = 7;
  std::uint32_t write_acceptance = 3;
  std::uint32_t allocate = 1;  ///< AxCACHE asks the L2 cache to allocate
};

}  // namespace sluice::model
