// SPDX-License-Identifier: Apache-2.0
// The traffic of AMD's UG1145 (System Performance Analysis, chapters 6 and 7) on the model: a
// traffic generator on each of four HP ports of a ZC702 starts a read and a write of 16 beats every
// 25 clocks of 100 MHz, or as soon after that as its port lets it. So each port asks for 512 MB/s
// each way. The monitor on silicon counted bytes, and clocks from a read's address to its last
// beat.
//
// UG1145 does not say where the streams lie in memory, nor how far the generators start from each
// other. Here each generator has a region of 64 MiB, which it reads and writes from the start on,
// and starts at random within the time of two rows of all banks. Nothing in the model is fitted to
// this.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>

#include "sluice/model/ring.hpp"
#include "sluice/model/zynq7000.hpp"

namespace sluice::model::ug1145 {

/// What silicon did, in MB/s of all ports together; no software ran.
inline constexpr double kReadMbS = 1728.6;
inline constexpr double kWriteMbS = 1848.8;
/// Clocks of a read from its address to its last beat, with HP0 and HP1 at the DDR memory and HP2
/// and HP3 at the on-chip memory.
inline constexpr double kDdrDelayLeast = 40, kDdrDelayMost = 44;
inline constexpr double kOcmDelayLeast = 31, kOcmDelayMost = 32;

struct Result {
  double read_mb_s = 0;  ///< of all ports
  double write_mb_s = 0;
  std::array<double, Zynq7000::kHpPorts> delay{};  ///< mean of a port's reads, clocks
};

class Traffic {
 public:
  /// on_chip: HP2 and HP3 reach the on-chip memory. seed: of the generators' starts.
  Traffic(const Zynq7000Params& params, bool on_chip, std::uint64_t seed)
      : on_chip_(on_chip), chip_(params) {
    std::mt19937_64 random(seed);
    for (Generator& g : generators_) g.next_read = g.next_write = 1U + random() % kStarts;
  }

  /// Simulates so many clocks, and measures behind the starts.
  Result run(std::uint64_t clocks) {
    const Clock pl(100.0);
    for (std::uint64_t edge = 1; edge <= kStarts + clocks; ++edge) {
      chip_.advance_to(pl.time_ps(edge));
      for (unsigned port = 0; port < Zynq7000::kHpPorts; ++port) {
        chip_.afi(port).pl_edge();
        step(port, edge);
      }
    }
    Result result;
    const double us = static_cast<double>(clocks) * 0.01;
    for (unsigned port = 0; port < Zynq7000::kHpPorts; ++port) {
      const Generator& g = generators_[port];
      result.read_mb_s += static_cast<double>(g.reads) * kBytes / us;
      result.write_mb_s += static_cast<double>(g.writes) * kBytes / us;
      result.delay[port] =
          static_cast<double>(g.delays) / static_cast<double>(std::max<std::uint64_t>(g.reads, 1));
    }
    return result;
  }

 private:
  static constexpr std::uint32_t kBeats = 16;
  static constexpr std::uint64_t kBytes = kBeats * 8U;
  static constexpr std::uint64_t kInterval = 25;
  static constexpr std::uint32_t kInFlight = 8;     // of each direction; assumed
  static constexpr std::uint64_t kStarts = 12'800;  // clocks: 64 KiB at 512 MB/s
  static constexpr std::uint64_t kRegion = 64ULL << 20U;
  static constexpr std::uint64_t kOcmBase = 0xfffc'0000;
  static constexpr std::uint64_t kOcmRegion = 64ULL << 10U;

  struct Generator {
    std::uint64_t next_read = 0;  // edge
    std::uint64_t next_write = 0;
    std::uint64_t read_at = 0;  // of its region
    std::uint64_t write_at = 0;
    std::uint32_t writes_in_flight = 0;
    std::uint32_t words_due = 0;
    Ring<std::uint64_t> started{kInFlight};  // edges of the reads in flight
    std::uint64_t reads = 0;                 // ended behind the starts
    std::uint64_t writes = 0;
    std::uint64_t delays = 0;
  };

  AfiBurst next(unsigned port, std::uint64_t& at) const {
    const bool ocm = on_chip_ && port >= 2;
    const std::uint64_t base = ocm ? kOcmBase + (port - 2U) * kOcmRegion : (port + 1U) * kRegion;
    const AfiBurst burst{base + at, kBeats, 8};
    at = (at + kBytes) % (ocm ? kOcmRegion : kRegion);
    return burst;
  }

  void step(unsigned port, std::uint64_t edge) {
    AfiPort& afi = chip_.afi(port);
    Generator& g = generators_[port];
    const bool measures = edge > kStarts;
    if (afi.pl_read_word_available() && afi.pl_take_read_word().last) {
      if (measures) {
        ++g.reads;
        g.delays += edge - g.started.front();
      }
      g.started.pop();
    }
    if (edge >= g.next_read && !g.started.full() && afi.pl_read_room()) {
      afi.pl_read(next(port, g.read_at));
      g.started.push(edge);
      g.next_read = edge + kInterval;
    }
    if (afi.pl_response_available()) {
      (void)afi.pl_take_response();
      if (measures) ++g.writes;
      --g.writes_in_flight;
    }
    if (g.words_due == 0 && edge >= g.next_write && g.writes_in_flight < kInFlight &&
        afi.pl_write_room()) {
      afi.pl_write(next(port, g.write_at));
      ++g.writes_in_flight;
      g.words_due = kBeats;
      g.next_write = edge + kInterval;
    }
    if (g.words_due != 0 && afi.pl_write_word_room()) {
      afi.pl_put_write_word(edge, 0xff);
      --g.words_due;
    }
  }

  bool on_chip_;
  Zynq7000 chip_;
  std::array<Generator, Zynq7000::kHpPorts> generators_{};
};

}  // namespace sluice::model::ug1145
