// SPDX-License-Identifier: Apache-2.0
// cyclonev_study: the published F2S port study (Vieira 2020, table 5) on transaction-level masters.
//
// One port of 32 to 256 bits. Rate = all bytes / (last finish - first start), mean over skews. One
// CPU starts the writer, then the reader (duplex), start_cost apart plus 0..skew at random.
// Placement rule, the same for all rows: the buffers one after the other, each aligned to 1 MiB, so
// that equal offsets share a DRAM bank. See --help.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/model/cyclonev.hpp"
#include "sluice/model/cyclonev_master.hpp"
#include "sluice/model/ddr3_trace_checker.hpp"

namespace {

using namespace sluice::model;

struct Row {
  const char* direction;
  std::uint32_t bits;
  double published_mb_s;  // at 100 MHz; 0: not published here
  double published_min;
  double published_max;
};

const std::vector<Row> kRows = {
    {"duplex", 32, 799.59, 799.04, 799.91},    {"duplex", 64, 1579.80, 1563.76, 1583.54},
    {"duplex", 128, 2019.26, 1836.18, 2023.3}, {"duplex", 256, 2037.16, 1885.93, 2039.91},
    {"h2f", 32, 399.81, 399.69, 399.96},       {"h2f", 64, 799.60, 797.81, 799.87},
    {"h2f", 128, 1569.88, 1561.47, 1570.90},   {"h2f", 256, 0, 0, 0},
    {"f2h", 32, 399.81, 399.70, 399.95},       {"f2h", 64, 799.59, 797.83, 799.87},
    {"f2h", 128, 1576.78, 1574.66, 1579.18},   {"f2h", 256, 0, 0, 0},
};

struct Options {
  std::uint64_t bytes = 4ULL << 20U;
  unsigned skews = 16;
  std::uint64_t seed = 1;
  double clock_mhz = 100.0;
  std::uint64_t skew_ps = 1'000'000;
  std::uint64_t start_cost_ps = 0;
  std::uint64_t stagger_bytes = 0;
  bool check = false;
  bool verbose = false;
  std::string only;
  CycloneVParams board = cyclonev_de1soc();
  F2sMasterParams engine{};
};

struct Setting {
  std::string_view name;
  std::uint32_t& (*field)(Options& options);
};
#define SLUICE_SETTING(name, field) {name, [](Options& o) -> std::uint32_t& { return o.field; }}
constexpr Setting kSettings[] = {
    SLUICE_SETTING("read_buffer_words", board.mpfe.read_buffer_words),
    SLUICE_SETTING("async_data_words", board.f2s.async_data_words),
    SLUICE_SETTING("sync_data_words", board.f2s.sync_data_words),
    SLUICE_SETTING("async_commands", board.f2s.async_commands),
    SLUICE_SETTING("sync_commands", board.f2s.sync_commands),
    SLUICE_SETTING("mpfe_cycles", board.mpfe.cycles),
    SLUICE_SETTING("read_priority", board.mpfe.priority[0]),
    SLUICE_SETTING("write_priority", board.mpfe.priority[1]),
    SLUICE_SETTING("command_latency_cycles", board.mpfe.command_latency_cycles),
    SLUICE_SETTING("return_latency_cycles", board.mpfe.return_latency_cycles),
    SLUICE_SETTING("response_latency_cycles", board.mpfe.response_latency_cycles),
    SLUICE_SETTING("queue_commands", board.controller.queue_commands),
    SLUICE_SETTING("pool_commands", board.controller.pool_commands),
    SLUICE_SETTING("starve_limit", board.controller.starve_limit),
    SLUICE_SETTING("tRFC", board.timing.tRFC),
    SLUICE_SETTING("tWTR", board.timing.tWTR),
    SLUICE_SETTING("rd2wr", board.timing.rd2wr),
    SLUICE_SETTING("tRP", board.timing.tRP),
    SLUICE_SETTING("tRCD", board.timing.tRCD),
    SLUICE_SETTING("engine.buffer_beats", engine.buffer_beats),
    SLUICE_SETTING("engine.loop_beats", engine.loop_beats),
    SLUICE_SETTING("engine.max_read_bursts", engine.max_read_bursts),
    SLUICE_SETTING("engine.max_write_bursts", engine.max_write_bursts),
};
#undef SLUICE_SETTING

struct Run {
  double mb_s = 0;
  Statistics statistics;
};

Run simulate(const Row& row, const Options& o, unsigned k) {
  CycloneVParams board = o.board;
  board.port_bits = {row.bits};
  CycloneV chip(board);
  Ddr3TraceChecker checker(board.timing);
  if (o.check) chip.observe_dram(&checker);
  std::mt19937_64 random(o.seed * 1000003U + k);
  const Clock pl(o.clock_mhz);
  const std::string_view direction = row.direction;
  const bool read = direction != "f2h";
  const bool write = direction != "h2f";
  constexpr std::uint64_t kAlign = 1ULL << 20U;
  const std::uint64_t pitch = (o.bytes + kAlign - 1U) / kAlign * kAlign;

  F2sMaster master(chip.port(0), o.engine);
  master.set_loopback(read && write);
  const F2sTransfer from{kAlign, o.bytes};
  const F2sTransfer to{kAlign + pitch + o.stagger_bytes, o.bytes};
  const auto start_edge = [&](std::uint64_t software_ps) {
    return (software_ps + random() % (o.skew_ps + 1U)) * 1000U / pl.period_fs();
  };
  const std::uint64_t write_edge = write ? start_edge(0) : ~0ULL;
  const std::uint64_t read_edge = read ? start_edge(write ? o.start_cost_ps : 0) : ~0ULL;
  const std::uint64_t first = std::min(write_edge, read_edge);
  std::uint64_t edge = first;
  bool waiting = true;
  for (; waiting || !master.finished(); ++edge) {
    chip.advance_to(pl.time_ps(edge));
    if (edge == write_edge) master.start_write(to);
    if (edge == read_edge) master.start_read(from);
    waiting = (write && edge < write_edge) || (read && edge < read_edge);
    master.pl_edge();
  }
  if (master.read_response() != Response::okay || master.write_response() != Response::okay) {
    throw std::runtime_error("a transfer failed");
  }
  for (const std::string& v : checker.violations()) throw std::runtime_error("DRAM trace: " + v);
  const double bytes = static_cast<double>(o.bytes) * ((read ? 1 : 0) + (write ? 1 : 0));
  return {bytes * 1e6 / static_cast<double>(pl.time_ps(edge - first)), chip.statistics()};
}

void set(Options& o, const std::string& assignment) {
  const auto split = assignment.find('=');
  if (split == std::string::npos) throw std::invalid_argument("--set takes setting=value");
  const std::string name = assignment.substr(0, split);
  for (const Setting& setting : kSettings) {
    if (setting.name != name) continue;
    setting.field(o) = static_cast<std::uint32_t>(std::stoul(assignment.substr(split + 1)));
    return;
  }
  throw std::invalid_argument("unknown setting " + name);
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
          "cyclonev_study [--mib N] [--skews N] [--seed N] [--clock-mhz F] [--skew-ns N]\n"
          "               [--start-cost-ns N] [--stagger-bytes N] [--only duplex:128]\n"
          "               [--set setting=value] [--check] [--verbose]");
      std::fputs("settings:", stdout);
      for (const Setting& setting : kSettings)
        std::printf(" %.*s", static_cast<int>(setting.name.size()), setting.name.data());
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
    else if (name == "--stagger-bytes")
      o.stagger_bytes = std::stoull(value);
    else if (name == "--only")
      o.only = value;
    else if (name == "--set")
      set(o, value);
    else
      throw std::invalid_argument("unknown option " + name);
  }
  return o;
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

int study(const Options& o) {
  std::printf("%u skews of 0..%llu ns, seed %llu, %llu MiB a transfer, %.0f MHz, peak %.0f MB/s\n",
              o.skews, static_cast<unsigned long long>(o.skew_ps / 1000U),
              static_cast<unsigned long long>(o.seed),
              static_cast<unsigned long long>(o.bytes >> 20U), o.clock_mhz, o.board.peak_mb_s());
  std::printf("%-7s %5s %9s %9s %9s %9s %10s %19s %8s\n", "", "bits", "asked", "mean", "min", "max",
              "published", "min..max", "error %");
  double degraded_error = 0;
  unsigned degraded = 0;
  double cycles = 0;
  const std::clock_t begin = std::clock();
  for (const Row& row : kRows) {
    if (!o.only.empty() && o.only != std::string(row.direction) + ":" + std::to_string(row.bits) &&
        o.only != row.direction) {
      continue;
    }
    double sum = 0, least = 1e12, most = 0;
    for (unsigned k = 0; k < o.skews; ++k) {
      const Run run = simulate(row, o, k);
      sum += run.mb_s;
      least = std::min(least, run.mb_s);
      most = std::max(most, run.mb_s);
      cycles += static_cast<double>(run.statistics.cycles);
      if (o.verbose) {
        std::printf("  %.1f", run.mb_s);
        print_statistics(run.statistics);
      }
    }
    const double mean = sum / o.skews;
    const double asked =
        std::min(o.board.peak_mb_s(), row.bits / 8U * o.clock_mhz *
                                          (std::string_view(row.direction) == "duplex" ? 2 : 1));
    std::printf("%-7s %5u %9.1f %9.1f %9.1f %9.1f", row.direction, row.bits, asked, mean, least,
                most);
    if (o.clock_mhz == 100.0 && row.published_mb_s != 0) {
      const double error = 100.0 * (mean / row.published_mb_s - 1.0);
      if (row.published_mb_s < 0.995 * asked) {
        degraded_error += std::abs(error);
        ++degraded;
      }
      std::printf(" %10.1f %9.1f..%-8.1f %+8.2f", row.published_mb_s, row.published_min,
                  row.published_max, error);
    }
    std::puts("");
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
    std::fprintf(stderr, "cyclonev_study: %s\n", e.what());
    return 2;
  }
}
