// SPDX-License-Identifier: Apache-2.0
// cyclonev_ddr3test: delays and rates of single reads and writes behind a 64-bit F2S port, beside
// those of silicon (cyclonev_ddr3test.hpp). See --help.
#include "cyclonev_ddr3test.hpp"

#include <cstdio>
#include <exception>

#include "options.hpp"

namespace {

using namespace sluice::model;
using namespace sluice::model::ddr3test;

void print(const Row& row, const Result& result) {
  std::printf("%-5s %-6s %5.1f MHz %3u words, %u at a time %8.0f %8.0f %+7.1f %%",
              row.write ? "write" : "read", row.random ? "random" : "next", row.clock_mhz,
              row.words, row.in_flight, result.mb_s, row.silicon_mb_s,
              100.0 * (result.mb_s / row.silicon_mb_s - 1.0));
  if (!row.write && row.silicon_delay != 0)
    std::printf("   %3llu, %4.1f      %3.0f, %4.1f", static_cast<unsigned long long>(result.delay),
                result.delay_mean, row.silicon_delay, row.silicon_delay_mean);
  std::puts("");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Settings<CycloneVParams> settings{.memory_system = de10_nano(), .engine = {}};
    std::uint64_t transfers = 20'000;
    if (!read_options(argc, argv, settings, "--transfers", transfers)) {
      std::puts(
          "cyclonev_ddr3test [--transfers N] [--set setting=value]\n"
          "Reads and writes of a 64-bit F2S port as MiSTerDDR3Test does them on a DE10-Nano.");
      return 0;
    }
    std::printf("%-44s %8s %8s %9s   %-12s   %s\n", "", "MB/s", "silicon", "", "delay, mean",
                "silicon (clocks)");
    for (const Row& row : kRows) print(row, Test(settings.memory_system, row).run(transfers));
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "cyclonev_ddr3test: %s\n", e.what());
    return 2;
  }
}
