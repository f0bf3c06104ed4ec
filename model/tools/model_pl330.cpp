// SPDX-License-Identifier: Apache-2.0
// What the Zynq's DMA controller takes for the programs that Linux' pl330 writes: time from the
// start of a channel to its end, by length, by target, and with several channels.
#include <cstdio>
#include <cstring>
#include <vector>

#include "../tests/pl330_program.hpp"
#include "sluice/model/zynq7000.hpp"

namespace {

using namespace sluice::model;

constexpr std::uint32_t kCode = 0x0010'0000, kSource = 0x0020'0000;
constexpr std::uint32_t kApart = 0x0100'4000;  // sources and targets in other DRAM banks
constexpr std::uint32_t kSameBank = 0x0100'0000;
constexpr std::uint32_t kLogic = 0x4008'0000, kOnChip = 0xfffc'0000;
constexpr std::uint64_t kLogicCyclePs = 10'000;  // 100 MHz
constexpr std::uint64_t kStepPs = 1000;

// ns until all channels have ended; blocks lie `stride` apart.
double took_ns(std::uint32_t target, std::uint32_t source, std::uint32_t bytes,
               unsigned channels = 1, std::uint32_t stride = 0) {
  std::vector<std::uint8_t> ram(1U << 18U);
  Zynq7000 zynq(zynq7010());
  zynq.dmac_paths().attach_logic(kLogicCyclePs, [&](std::uint64_t address, std::uint64_t count) {
    return address >= kLogic && address + count <= kLogic + ram.size() ? &ram[address - kLogic]
                                                                       : nullptr;
  });
  const std::uint64_t begin_ps = zynq.now_ps();
  for (unsigned channel = 0; channel < channels; ++channel) {
    const auto program = Pl330Program::of_linux(target + channel * stride,
                                                source + channel * stride, bytes, channel);
    const std::uint32_t at = kCode + 0x200 * channel;
    std::memcpy(zynq.memory().host(at, program.code.size()), program.code.data(),
                program.code.size());
    zynq.dmac().write(0xd08, 0xa0U << 16U | channel << 24U);
    zynq.dmac().write(0xd0c, at);
    zynq.dmac().write(0xd04, 0);
    while (zynq.dmac().read(0xd00) != 0) zynq.advance_to(zynq.now_ps() + kStepPs);
  }
  while (!zynq.dmac().quiet()) zynq.advance_to(zynq.now_ps() + kStepPs);
  return static_cast<double>(zynq.now_ps() - begin_ps) / 1e3;
}

void lengths(const char* what, std::uint32_t target, std::uint32_t source) {
  std::printf("%s\n", what);
  for (const std::uint32_t kib : {1U, 4U, 8U, 16U, 32U, 64U}) {
    const std::uint32_t bytes = kib << 10U;
    const double ns = took_ns(target, source, bytes);
    std::printf("  %2u KiB %9.2f us %6.0f MB/s\n", kib, ns / 1e3, bytes * 1e3 / ns);
  }
}

}  // namespace

int main() {
  lengths("DDR to DDR, other banks", kSource + kApart, kSource);
  lengths("DDR to DDR, the same banks", kSource + kSameBank, kSource);
  lengths("DDR to block RAM at M_AXI_GP0, 100 MHz", kLogic, kSource);
  lengths("block RAM to DDR", kSource, kLogic);
  lengths("DDR to on-chip memory", kOnChip, kSource);
  constexpr std::uint32_t kEach = 1U << 16U, kPage = 4096;
  std::puts("channels, 64 KiB each: MB/s of all; blocks in other banks, in the same");
  for (const unsigned channels : {1U, 2U, 4U, 8U}) {
    const double bytes = 1e3 * channels * kEach;
    std::printf("  %u %6.0f %6.0f\n", channels,
                bytes / took_ns(kSource + kApart, kSource, kEach, channels, kEach + kPage),
                bytes / took_ns(kSource + kSameBank, kSource, kEach, channels, kEach));
  }
  std::puts("4 KiB less some bytes: beats of 8, 4, 2, 1 bytes");
  for (const std::uint32_t less : {0U, 8U, 4U, 2U, 1U}) {
    const std::uint32_t bytes = 4096 - less;
    const double ns = took_ns(kSource + kApart, kSource, bytes);
    std::printf("  %4u bytes %9.2f us %6.1f MB/s\n", bytes, ns / 1e3, bytes * 1e3 / ns);
  }
}
