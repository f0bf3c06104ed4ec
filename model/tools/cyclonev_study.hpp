// SPDX-License-Identifier: Apache-2.0
// The published F2S port study (Vieira 2020, table 5) on transaction-level masters, one row a run.
//
// One port of 32 to 256 bits. Rate = all bytes / (last finish - first start). One CPU starts the
// writer, then the reader (duplex), start_cost apart plus 0..skew at random. Placement rule, the
// same for all rows: the buffers one after the other, each aligned to 1 MiB, so that equal offsets
// share a DRAM bank; stagger_bytes moves the second one on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/model/cyclonev.hpp"
#include "sluice/model/port_master.hpp"
#include "sluice/model/settings.hpp"

namespace sluice::model::study {

/// A row of the table; its figures are for 100 MHz.
struct Row {
  const char* direction;
  std::uint32_t bits;
  double published_mb_s;  ///< 0: not given
  double published_min;
  double published_max;
};

inline const std::vector<Row> kRows = {
    {"duplex", 32, 799.59, 799.04, 799.91},    {"duplex", 64, 1579.80, 1563.76, 1583.54},
    {"duplex", 128, 2019.26, 1836.18, 2023.3}, {"duplex", 256, 2037.16, 1885.93, 2039.91},
    {"h2f", 32, 399.81, 399.69, 399.96},       {"h2f", 64, 799.60, 797.81, 799.87},
    {"h2f", 128, 1569.88, 1561.47, 1570.90},   {"h2f", 256, 0, 0, 0},
    {"f2h", 32, 399.81, 399.70, 399.95},       {"f2h", 64, 799.59, 797.83, 799.87},
    {"f2h", 128, 1576.78, 1574.66, 1579.18},   {"f2h", 256, 2464.66, 2137.91, 2473.06},
};

struct Options {
  std::uint64_t bytes = 4ULL << 20U;
  std::uint64_t seed = 1;
  double clock_mhz = 100.0;
  std::uint64_t skew_ps = 1'000'000;
  std::uint64_t start_cost_ps = 2'000'000;  ///< of one engine; assumed
  std::uint64_t stagger_bytes = 0;
  /// The engine's loop as in bench/experiments/cyclonev-f2s.toml.
  Settings<CycloneVParams> settings{.memory_system = cyclonev_de1soc(),
                                    .engine = {.loop_latency_edges = 20}};
};

/// What the port's clock and the DRAM's peak allow.
inline double asked_mb_s(const Row& row, const Options& o) {
  const double both = std::string_view(row.direction) == "duplex" ? 2.0 : 1.0;
  return std::min(o.settings.memory_system.peak_mb_s(), row.bits / 8U * o.clock_mhz * both);
}
/// The rows that are scored.
inline bool degraded(const Row& row, const Options& o) {
  return row.published_mb_s != 0 && row.published_mb_s < 0.995 * asked_mb_s(row, o);
}

struct Run {
  double mb_s = 0;
  Statistics statistics;
};

/// Skew number k of a row; throws std::runtime_error if a transfer fails.
inline Run simulate(const Row& row, const Options& o, unsigned k) {
  Settings<CycloneVParams> settings = o.settings;
  settings.memory_system.port_bits = {row.bits};
  settings.engine.port_bits = row.bits;
  CycloneV chip(settings.memory_system);
  std::mt19937_64 random(o.seed * 1000003U + k);
  const Clock pl(o.clock_mhz);
  const std::string_view direction = row.direction;
  const bool read = direction != "f2h";
  const bool write = direction != "h2f";
  constexpr std::uint64_t kAlign = 1ULL << 20U;
  const std::uint64_t pitch = (o.bytes + kAlign - 1U) / kAlign * kAlign;

  F2sMaster master(chip.port(0), settings.engine);
  master.set_loopback(read && write);
  const PortTransfer from{kAlign, o.bytes};
  const PortTransfer to{kAlign + pitch + o.stagger_bytes, o.bytes};
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
  const double bytes = static_cast<double>(o.bytes) * ((read ? 1 : 0) + (write ? 1 : 0));
  return {bytes * 1e6 / static_cast<double>(pl.time_ps(edge - first)), chip.statistics()};
}

}  // namespace sluice::model::study
