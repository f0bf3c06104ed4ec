// SPDX-License-Identifier: Apache-2.0
#include "sluice/cosim/processor_times.hpp"

#include <algorithm>

#include "sluice/model/zynq7000.hpp"

namespace sluice::cosim {
namespace {

constexpr uint32_t kLineBytes = model::Pl310::kLineBytes;
// UG585 chapter 22: a port of the DDR controller reads 2,840 MB/s at most.
constexpr uint64_t kPortBytesPerSecond = 2'840'000'000;
// Assumed: a register in the processor's private region (timer, GIC, PL310), behind the SCU, at
// half of the processor's clock; one of the PS's other peripherals, behind the central interconnect
// and a bridge to APB.
constexpr uint32_t kPrivateLoadPs = 45'000;
constexpr uint32_t kRegisterLoadPs = 150'000;
// What cleaning or invalidating a line takes, by CP15 or by a register of the PL310. Fitted to the
// slope of table 5.4 of Manikandan 2015 (`sluice run zynq-psdma-naive`).
constexpr uint32_t kMaintainPs = 10'600;
// The first words of a line that is not cached, from asking to having them, where the line before
// was read too. Fitted to the copy of 614,400 bytes by copy_to_user() in REDS 2024, 2.241 ms
// (`sluice run reds-copy`).
constexpr uint32_t kNextBurstPs = 107'000;
constexpr uint64_t kReadBytes = 2048;  // of one row
constexpr uint32_t kLoadBytes = 8;
constexpr uint32_t kMoreLoads = kLineBytes / kLoadBytes - 1;
constexpr uint64_t kStepPs = 100'000;

uint64_t run_ps(model::Zynq7000& chip, const model::CpuProgram& program) {
  const uint64_t start_ps = chip.now_ps();
  chip.start_cpu(program);
  while (chip.cpu().running()) chip.advance_to(chip.now_ps() + kStepPs);
  const uint64_t finished_ps = chip.cpu().finished_ps();
  chip.advance_to(finished_ps > chip.now_ps() ? finished_ps : chip.now_ps());
  return finished_ps - start_ps;
}

// A word of memory that is not cached, its row open, from asking to having it.
uint32_t uncached_load_ps(const model::Zynq7000Params& params) {
  model::Zynq7000Params own = params;
  own.memory_file = -1;
  own.cpu_copies = 0;
  model::Zynq7000 chip(own);
  const model::CpuProgram program{.kind = model::CpuProgram::Kind::read,
                                  .source = own.memory_base,
                                  .bytes = kReadBytes,
                                  .cached = false};
  (void)run_ps(chip, program);  // opens the row, and has the page's translation
  const uint64_t loads = kReadBytes / kLoadBytes;
  return static_cast<uint32_t>(run_ps(chip, program) / loads) -
         params.a9.load_use_cycles * params.a9.cycle_ps;
}

}  // namespace

sluice_pl_processor cortex_a9_times(const model::Zynq7000Params& params) {
  const model::A9Params& a9 = params.a9;
  const model::Pl310Params& l2 = params.l2;
  const model::Ddr3Timing& ddr = params.timing;
  const uint32_t tag_ps = l2.tag_latency_cycles * a9.cycle_ps;
  const uint32_t hit_ps = l2.path_ps + tag_ps + l2.data_latency_cycles * a9.cycle_ps;
  const double cycle_ps = 1e6 / params.ddr_mhz;
  const uint32_t memory_ps = uncached_load_ps(params);
  return {.timed = 1,
          .cycle_ps = a9.cycle_ps,
          .l2_hit_ps = hit_ps,
          .memory_ps = memory_ps,
          .memory_row_ps = static_cast<uint32_t>((ddr.tRP + ddr.tRCD) * cycle_ps),
          .memory_line_ps =
              static_cast<uint32_t>(kLineBytes * 1'000'000'000'000ULL / kPortBytesPerSecond),
          // One line at a time: the controller goes to writes and back for each.
          .memory_turn_ps = static_cast<uint32_t>((ddr.rd2wr + ddr.wr2rd()) * cycle_ps),
          .fetch_hit_ps = hit_ps,
          .fetch_memory_ps = memory_ps,
          .micro_tlb_miss_ps = a9.micro_tlb_miss_ps,
          .uncached_load_ps = memory_ps,
          // The other words of the line follow one a cycle of the DDR controller's port.
          .uncached_burst_ps = memory_ps + kMoreLoads * 2 * a9.cycle_ps,
          .posted_ps = l2.path_ps + tag_ps,
          .private_load_ps = kPrivateLoadPs,
          .register_load_ps = kRegisterLoadPs,
          .maintain_ps = kMaintainPs,
          .data_prefetch = l2.data_prefetch,
          .uncached_next_ps = std::min(kNextBurstPs, memory_ps)};
}

}  // namespace sluice::cosim
