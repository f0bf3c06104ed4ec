// SPDX-License-Identifier: Apache-2.0
// model_study: the published port study (Vieira 2020, table 3) on transaction-level masters. The
// published column is shown for 64 bits at 100 MHz.
//
// Rate = all bytes / (last finish - first start), mean over skews. One CPU starts the engines one
// after the other, writers before readers, each start_cost after the one before (published: 2.1
// us), plus 0..skew at random. Placement rule, the same for all rows: buffers of all ports one
// after the other, each aligned to 1 MiB, so that equal offsets share a DRAM bank. See --help.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "options.hpp"
#include "sluice/model/ddr3_trace_checker.hpp"
#include "sluice/model/settings.hpp"
#include "sluice/model/zynq7000.hpp"

namespace {

using namespace sluice::model;

struct Row {
  const char* direction;
  std::vector<unsigned> ports;
  double published_mb_s;  // of 64-bit ports at 100 MHz
  double published_min;
  double published_max;
};

const std::vector<Row> kRows = {
    {"duplex", {0}, 1599.82, 1599.81, 1599.82},
    {"duplex", {0, 1}, 2236.12, 2212.38, 2267.40},
    {"duplex", {0, 2}, 3197.63, 3193.18, 3198.68},
    {"duplex", {0, 1, 2}, 2659.35, 2639.86, 2682.41},
    {"duplex", {0, 1, 2, 3}, 2675.65, 2108.10, 2969.61},
    {"mm2s", {0}, 799.96, 799.95, 799.96},
    {"mm2s", {0, 1}, 1599.84, 1599.83, 1599.84},
    {"mm2s", {0, 2}, 1599.84, 1599.83, 1599.85},
    {"mm2s", {0, 1, 2}, 2399.66, 2399.64, 2399.66},
    {"mm2s", {0, 1, 2, 3}, 3184.87, 3103.57, 3199.38},
    {"s2mm", {0}, 799.98, 799.95, 800.00},
    {"s2mm", {0, 1}, 1599.91, 1599.83, 1600.00},
    {"s2mm", {0, 2}, 1599.91, 1599.83, 1600.00},
    {"s2mm", {0, 1, 2}, 2399.83, 2399.63, 2400.00},
    {"s2mm", {0, 1, 2, 3}, 3199.70, 3199.39, 3200.00},
};

struct Options {
  std::uint64_t bytes = 4ULL << 20U;
  unsigned skews = 8;
  std::uint64_t seed = 1;
  double clock_mhz = 100.0;
  std::uint64_t skew_ps = 1'000'000;
  std::uint64_t start_cost_ps = 2'100'000;
  std::uint64_t stagger_bytes = 0;
  bool check = false;
  bool verbose = false;
  std::string only;
  Settings<Zynq7000Params> settings{.memory_system = zynq7010(), .engine = {}};
};

struct Run {
  double mb_s = 0;
  std::vector<double> port_mb_s;
  std::uint64_t ddr_cycles = 0;
  Statistics statistics;
};

Run simulate(const Row& row, const Options& o, unsigned k) {
  Zynq7000 zynq(o.settings.memory_system);
  Ddr3TraceChecker checker(o.settings.memory_system.timing);
  if (o.check) zynq.observe_dram(&checker);
  std::mt19937_64 random(o.seed * 1000003U + k);
  const Clock pl(o.clock_mhz);
  const bool read = std::strcmp(row.direction, "s2mm") != 0;
  const bool write = std::strcmp(row.direction, "mm2s") != 0;
  constexpr std::uint64_t kAlign = 1ULL << 20U;
  const std::uint64_t pitch = (o.bytes + o.stagger_bytes + kAlign - 1U) / kAlign * kAlign;

  struct Lane {
    std::unique_ptr<HpMaster> master;
    PortTransfer read, write;
    std::uint64_t start_edge = 0;
    std::uint64_t finish_edge = 0;
    bool started = false;
    bool done = false;
  };
  std::vector<Lane> lanes;
  std::uint64_t address = kAlign;
  std::uint64_t number = 0;
  std::uint64_t software_ps = read && write ? row.ports.size() * o.start_cost_ps : 0;
  for (const unsigned port : row.ports) {
    Lane lane;
    lane.master = std::make_unique<HpMaster>(zynq.afi(port), o.settings.engine);
    const auto place = [&] {
      const std::uint64_t at = address + number++ * o.stagger_bytes;
      address += pitch;
      return at;
    };
    if (read) lane.read = {place(), o.bytes};
    if (write) lane.write = {place(), o.bytes};
    // One CPU starts the engines one after the other: writers first, so that a loop-back moves when
    // its reader starts.
    software_ps += o.start_cost_ps;
    const std::uint64_t jitter_ps = random() % (o.skew_ps + 1U);
    lane.start_edge = (software_ps + jitter_ps) * 1000U / pl.period_fs();
    lanes.push_back(std::move(lane));
  }

  std::uint64_t first_start = ~0ULL;
  for (const Lane& lane : lanes) first_start = std::min(first_start, lane.start_edge);
  std::uint64_t edge = 0;
  for (std::size_t left = lanes.size(); left != 0; ++edge) {
    zynq.advance_to(pl.time_ps(edge));
    for (Lane& lane : lanes) {
      if (lane.done || edge < lane.start_edge) continue;
      if (!lane.started) {
        lane.master->start(lane.read, lane.write);
        lane.started = true;
      }
      lane.master->pl_edge();
      if (lane.master->finished()) {
        lane.done = true;
        lane.finish_edge = edge;
        --left;
      }
    }
  }
  Run run;
  std::uint64_t last_finish = 0;
  const double per_lane = static_cast<double>(o.bytes) * ((read ? 1 : 0) + (write ? 1 : 0));
  for (const Lane& lane : lanes) {
    last_finish = std::max(last_finish, lane.finish_edge);
    run.port_mb_s.push_back(per_lane * 1e6 /
                            static_cast<double>(pl.time_ps(lane.finish_edge - lane.start_edge)));
    if (lane.master->error()) throw std::runtime_error("a transfer failed");
  }
  run.mb_s = per_lane * static_cast<double>(lanes.size()) * 1e6 /
             static_cast<double>(pl.time_ps(last_finish - first_start));
  run.statistics = zynq.statistics();
  run.ddr_cycles = run.statistics.cycles;
  for (const std::string& v : checker.violations()) {
    throw std::runtime_error("DRAM trace: " + v);
  }
  return run;
}

Options parse(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--check") {
      o.check = true;
      continue;
    }
    if (name == "--verbose") {
      o.verbose = true;
      continue;
    }
    if (name == "--help" || i + 1 == argc) {
      std::puts(
          "model_study [--mib N] [--skews N] [--seed N] [--clock-mhz F] [--skew-ns N] [--width "
          "32|64]\n"
          "            [--start-cost-ns N] [--stagger-bytes N] [--only duplex:0,1] [--set "
          "parameter=value]\n"
          "            [--check] [--verbose]");
      std::fputs("parameters:", stdout);
      for (const auto& info : settings<Zynq7000Params>())
        std::printf(" %.*s", static_cast<int>(info.name.size()), info.name.data());
      std::puts("");
      std::exit(name == "--help" ? 0 : 2);
    }
    const std::string value = argv[++i];
    if (name == "--mib")
      o.bytes = std::stoull(value) << 20U;
    else if (name == "--skews")
      o.skews = static_cast<unsigned>(std::stoul(value));
    else if (name == "--seed")
      o.seed = std::stoull(value);
    else if (name == "--clock-mhz")
      o.clock_mhz = std::stod(value);
    else if (name == "--skew-ns")
      o.skew_ps = std::stoull(value) * 1000U;
    else if (name == "--start-cost-ns")
      o.start_cost_ps = std::stoull(value) * 1000U;
    else if (name == "--width")
      o.settings.engine.port_bits = static_cast<std::uint32_t>(std::stoul(value));
    else if (name == "--stagger-bytes")
      o.stagger_bytes = std::stoull(value);
    else if (name == "--only")
      o.only = value;
    else if (name == "--set")
      set(o.settings, value);
    else
      throw std::invalid_argument("unknown option " + name);
  }
  return o;
}

void print_statistics(const Run& r) {
  const Statistics& s = r.statistics;
  std::printf("    ports");
  for (const double rate : r.port_mb_s) std::printf(" %.0f", rate);
  std::printf(
      "; bus %.1f %%, hit/miss/empty %.3f/%.3f/%.3f, turnarounds %llu (RD+WR a pair %.1f), REF "
      "%llu, "
      "CAM mean %.1f/%.1f\n",
      100.0 * s.bus_utilisation(),
      static_cast<double>(s.row_hits) / static_cast<double>(s.reads + s.writes),
      static_cast<double>(s.row_misses) / static_cast<double>(s.reads + s.writes),
      static_cast<double>(s.row_empties) / static_cast<double>(s.reads + s.writes),
      static_cast<unsigned long long>(s.read_to_write + s.write_to_read),
      static_cast<double>(s.reads + s.writes) / std::max(1.0, static_cast<double>(s.read_to_write)),
      static_cast<unsigned long long>(s.refreshes),
      static_cast<double>(s.read_cam_entry_cycles) / static_cast<double>(s.cycles),
      static_cast<double>(s.write_cam_entry_cycles) / static_cast<double>(s.cycles));
}

int study(const Options& o) {
  std::printf(
      "%u skews of 0..%llu ns, seed %llu, %llu MiB a transfer, %u bits, %.0f MHz, peak %.0f MB/s\n",
      o.skews, static_cast<unsigned long long>(o.skew_ps / 1000U),
      static_cast<unsigned long long>(o.seed), static_cast<unsigned long long>(o.bytes >> 20U),
      o.settings.engine.port_bits, o.clock_mhz, o.settings.memory_system.peak_mb_s());
  std::printf("%-7s %-12s %9s %9s %9s %10s %8s\n", "", "ports", "mean", "min", "max", "published",
              "error %");
  double degraded_error = 0;
  unsigned degraded = 0;
  double cycles = 0;
  const std::clock_t begin = std::clock();
  for (const Row& row : kRows) {
    std::string ports;
    for (const unsigned port : row.ports) {
      if (!ports.empty()) ports += ',';
      ports += std::to_string(port);
    }
    if (!o.only.empty() && o.only != std::string(row.direction) + ":" + ports &&
        o.only != row.direction) {
      continue;
    }
    double sum = 0, least = 1e12, most = 0;
    Run last;
    for (unsigned k = 0; k < o.skews; ++k) {
      last = simulate(row, o, k);
      sum += last.mb_s;
      least = std::min(least, last.mb_s);
      most = std::max(most, last.mb_s);
      cycles += static_cast<double>(last.ddr_cycles);
      if (o.verbose) {
        std::printf("  %.0f", last.mb_s);
        print_statistics(last);
      }
    }
    const double mean = sum / o.skews;
    if (o.clock_mhz == 100.0 && o.settings.engine.port_bits == 64) {
      const double error = 100.0 * (mean / row.published_mb_s - 1.0);
      const double offered = 8.0 * o.clock_mhz * static_cast<double>(row.ports.size()) *
                             (std::strcmp(row.direction, "duplex") == 0 ? 2.0 : 1.0);
      if (row.published_mb_s < 0.9975 * std::min(offered, o.settings.memory_system.peak_mb_s())) {
        degraded_error += std::abs(error);
        ++degraded;
      }
      std::printf("%-7s %-12s %9.1f %9.1f %9.1f %10.1f %+8.2f\n", row.direction, ports.c_str(),
                  mean, least, most, row.published_mb_s, error);
    } else {
      std::printf("%-7s %-12s %9.1f %9.1f %9.1f\n", row.direction, ports.c_str(), mean, least,
                  most);
    }
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  if (degraded != 0) {
    std::printf("mean |error| of the %u degraded rows: %.2f %%\n", degraded,
                degraded_error / degraded);
  }
  std::printf("%.1f million DDR cycles in %.2f s of one core: %.1f million a second\n",
              cycles / 1e6, seconds, cycles / 1e6 / seconds);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return study(parse(argc, argv));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "model_study: %s\n", e.what());
    return 2;
  }
}
