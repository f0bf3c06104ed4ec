// SPDX-License-Identifier: Apache-2.0
// cyclonev_study: the published F2S port study (Vieira 2020, table 5) on transaction-level masters.
//
// Prints, per row, what the port asks for, the mean and range over skews, and silicon. See --help.
// `sluice calibrate model/calibration/cyclonev.toml` is what fits.
#include "cyclonev_study.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <utility>

#include "options.hpp"

namespace {

using namespace sluice::model;
using namespace sluice::model::study;

struct Command {
  Options study{};
  unsigned skews = 16;
  bool verbose = false;
  std::string only;
};

struct Result {
  double mean = 0;
  double least = 1e12;
  double most = 0;
  double cycles = 0;
};

void print_statistics(const Statistics& s);

Result measure(const Row& row, const Command& command) {
  Result result;
  for (unsigned k = 0; k < command.skews; ++k) {
    const Run run = simulate(row, command.study, k);
    result.mean += run.mb_s / command.skews;
    result.least = std::min(result.least, run.mb_s);
    result.most = std::max(result.most, run.mb_s);
    result.cycles += static_cast<double>(run.statistics.cycles);
    if (command.verbose) {
      std::printf("  %.1f", run.mb_s);
      print_statistics(run.statistics);
    }
  }
  return result;
}

Command parse(int argc, char** argv) {
  Command command;
  Options& o = command.study;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--verbose") {
      command.verbose = true;
      continue;
    }
    if (name == "--help" || i + 1 == argc) {
      std::puts(
          "cyclonev_study [--mib N] [--skews N] [--seed N] [--clock-mhz F] [--skew-ns N]\n"
          "               [--start-cost-ns N] [--stagger-bytes N] [--only duplex:128]\n"
          "               [--set setting=value] [--verbose]");
      std::fputs("settings:", stdout);
      for (const auto& setting : settings<CycloneVParams>())
        std::printf(" %.*s", static_cast<int>(setting.name.size()), setting.name.data());
      std::puts("");
      std::exit(name == "--help" ? 0 : 2);
    }
    const std::string value = argv[++i];
    if (name == "--mib")
      o.bytes = std::stoull(value) << 20U;
    else if (name == "--skews")
      command.skews = static_cast<unsigned>(std::stoul(value));
    else if (name == "--seed")
      o.seed = std::stoull(value);
    else if (name == "--clock-mhz")
      o.clock_mhz = std::stod(value);
    else if (name == "--skew-ns")
      o.skew_ps = std::stoull(value) * 1000U;
    else if (name == "--start-cost-ns")
      o.start_cost_ps = std::stoull(value) * 1000U;
    else if (name == "--stagger-bytes")
      o.stagger_bytes = std::stoull(value);
    else if (name == "--only")
      command.only = value;
    else if (name == "--set")
      set(o.settings, value);
    else
      throw std::invalid_argument("unknown option " + name);
  }
  return command;
}

void print_statistics(const Statistics& s) {
  const auto columns = static_cast<double>(s.reads + s.writes);
  std::printf(
      "    bus %.1f %%, hit/miss/empty %.3f/%.3f/%.3f, RD+WR a pair of turnarounds %.1f, REF %llu, "
      "pool mean %.1f\n",
      100.0 * s.bus_utilisation(), static_cast<double>(s.row_hits) / columns,
      static_cast<double>(s.row_misses) / columns, static_cast<double>(s.row_empties) / columns,
      columns / std::max(1.0, static_cast<double>(s.read_to_write)),
      static_cast<unsigned long long>(s.refreshes),
      static_cast<double>(s.read_cam_entry_cycles) / static_cast<double>(s.cycles));
}

int print_study(const Command& command) {
  const Options& o = command.study;
  std::printf("%u skews of 0..%llu ns, seed %llu, %llu MiB a transfer, %.0f MHz, peak %.0f MB/s\n",
              command.skews, static_cast<unsigned long long>(o.skew_ps / 1000U),
              static_cast<unsigned long long>(o.seed),
              static_cast<unsigned long long>(o.bytes >> 20U), o.clock_mhz,
              o.settings.memory_system.peak_mb_s());
  std::printf("%-7s %5s %9s %9s %9s %9s %10s %19s %8s\n", "", "bits", "asked", "mean", "min", "max",
              "published", "min..max", "error %");
  double degraded_error = 0;
  unsigned scored = 0;
  double cycles = 0;
  const std::clock_t begin = std::clock();
  for (const Row& row : kRows) {
    if (!command.only.empty() &&
        command.only != std::string(row.direction) + ":" + std::to_string(row.bits) &&
        command.only != row.direction) {
      continue;
    }
    const Result result = measure(row, command);
    const double mean = result.mean;
    cycles += result.cycles;
    const double asked = asked_mb_s(row, o);
    std::printf("%-7s %5u %9.1f %9.1f %9.1f %9.1f", row.direction, row.bits, asked, mean,
                result.least, result.most);
    if (o.clock_mhz == 100.0 && row.published_mb_s != 0) {
      const double error = 100.0 * (mean / row.published_mb_s - 1.0);
      if (degraded(row, o)) {
        degraded_error += std::abs(error);
        ++scored;
      }
      std::printf(" %10.1f %9.1f..%-8.1f %+8.2f", row.published_mb_s, row.published_min,
                  row.published_max, error);
    }
    std::puts("");
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  if (scored != 0) {
    std::printf("mean |error| of the %u degraded rows: %.2f %%\n", scored, degraded_error / scored);
  }
  std::printf("%.1f million DDR cycles in %.2f s of one core: %.1f million a second\n",
              cycles / 1e6, seconds, cycles / 1e6 / seconds);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Command command = parse(argc, argv);
    return print_study(command);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "cyclonev_study: %s\n", e.what());
    return 2;
  }
}
