// SPDX-License-Identifier: Apache-2.0
#include "sluice/sim/catalogue.hpp"

#include "hp_stress.hpp"

namespace sluice::sim {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr unsigned kHpStressLengthBits = 26;  // parameter LenWidth of hp_stress, as built

DesignEntry hp_stress() {
  return {
      .name = "hp_stress",
      .text =
          "1 to 4 HP ports, an AXI DMA on each, with pattern source, checking sink and loop-back",
      .port_count = kHpStressPorts,
      .widths_bits = {32, 64},
      .max_transfer_bytes = (uint64_t{1} << kHpStressLengthBits) - 1,
      .make = make_hp_stress,
  };
}

std::vector<BoardEntry> build() {
  std::vector<BoardEntry> boards;
  boards.push_back({
      .name = "zynq7010",
      .text = "XC7Z010 (Zybo): four AXI HP ports, 512 MiB of DDR3-1066, 32 bits wide",
      .memory_system = model::zynq7010(),
      .default_clock_mhz = 100.0,
      .min_clock_mhz = 10.0,
      .max_clock_mhz = 250.0,  // DS187: F_AXI_MAX of the PL's AXI ports
      // vieira2020 table 3: the rows at full rate fall short of it by this much per engine.
      .start_cost_ns = 2100,
      .reserved_bytes = 1 * kMiB,  // UG585 table 4-1: the HP ports do not reach the first 512 KiB
      .designs = {hp_stress()},
  });
  return boards;
}

}  // namespace

const std::vector<BoardEntry>& catalogue() {
  static const std::vector<BoardEntry> boards = build();
  return boards;
}

}  // namespace sluice::sim
