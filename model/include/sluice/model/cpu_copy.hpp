// SPDX-License-Identifier: Apache-2.0
// CpuCopy: the memory traffic of a Cortex-A9 that copies blocks far larger than its caches.
//
// Stands at the CPU's port of the DDR controller (DDRI port 0), clocked by DDR_2x. Lines of 32
// bytes are read in turn from the source and from the destination (write-allocate), three in flight
// (the core has two linefill buffers, and the L2 cache reads ahead): the next one is asked for
// line_cycles after one has come. With each destination line an older one leaves the cache as a
// write. So the copy is as fast as the memory lets it: alone 342.6 MB/s, less under load. Writes
// are posted; a full write port holds the copy back. Source and destination are regions at the top
// of memory, which the copy goes through again and again; only their timing is simulated, no byte
// of Memory changes. Never finishes.
#pragma once

#include <cstdint>

#include "sluice/model/ddri_port.hpp"

namespace sluice::model {

struct CpuParams {
  std::uint32_t copies = 0;  ///< 1: the CPU copies all the time
  /// DDR cycles from a line's arrival to the next miss; fitted to 342.6 MB/s (reds2024.json).
  std::uint32_t line_cycles = 28;
};

class CpuCopy {
 public:
  /// The regions lie below `memory_end` (bytes).
  CpuCopy(const CpuParams& params, std::uint64_t memory_end, DdriPort& port);

  void tick(std::uint64_t cycle);
  [[nodiscard]] std::uint64_t copied_bytes() const { return words_ / 2U * 8U; }

 private:
  static constexpr std::uint32_t kLineBytes = 32;
  static constexpr std::uint32_t kLineWords = kLineBytes / 8;
  static constexpr std::uint64_t kInFlight = 3;
  static constexpr std::uint64_t kRegionBytes = 8ULL << 20U;

  /// Line `line` of the source or of the destination, round and round.
  [[nodiscard]] AfiBurst line_of(bool destination, std::uint64_t line) const;

  CpuParams params_;
  std::uint64_t source_;
  std::uint64_t destination_;
  DdriPort& port_;
  // Counted since the start; even misses are of the source, odd ones of the destination.
  std::uint64_t asked_ = 0;
  std::uint64_t words_ = 0;
  std::uint64_t next_cycle_ = 0;  // of the next miss
  std::uint64_t writes_ = 0;
  std::uint32_t write_words_ = 0;  // of the write that was accepted, still to go
};

}  // namespace sluice::model
