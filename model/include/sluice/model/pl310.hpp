// SPDX-License-Identifier: Apache-2.0
// Pl310: the L2 cache of a Zynq-7000, between the CPU or the ACP and their port of the DDR
// controller (DDRI port 0).
//
// Reads: a hit answers after path_ps and the RAM latencies; a miss takes a linefill buffer, reads
//   its line from the port, and answers path_ps and memory_path_ps beside the memory's time. The
//   critical word comes first. A second read of a line on its way waits for the same fill.
// Writes of a whole line: a hit, or an allocating miss, changes the cache alone; other misses go
//   to the memory through a store buffer. A dirty line that is replaced goes there through an
//   eviction buffer. Writes wait for nobody but a free buffer.
// Each source (0: CPU, 1: ACP) has a slave port of 64 bits: a line each four cycles of the CPU.
// data_prefetch: a cacheable read also fetches the next line of its 4 KiB page.
// Only timing and tags: the bytes are in Memory at all times. tick() once a DDR_2x cycle; times of
// requests may be later than it, by what the requester has run ahead.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "sluice/model/a9_params.hpp"
#include "sluice/model/ddri_port.hpp"
#include "sluice/model/set_cache.hpp"

namespace sluice::model {

class Pl310 {
 public:
  static constexpr std::uint32_t kLineBytes = 32;
  static constexpr std::uint64_t kPending = std::numeric_limits<std::uint64_t>::max();
  struct Read {
    std::uint32_t source;
    std::uint64_t address;
    bool cacheable = true;
    bool allocate = true;
  };
  struct Counts {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t prefetches = 0;
    std::uint64_t lines_read = 0;     ///< from the memory
    std::uint64_t lines_written = 0;  ///< to the memory
    std::uint64_t evictions = 0;      ///< of dirty lines
  };

  Pl310(const Pl310Params& params, std::uint32_t cycle_ps, DdriPort& port);

  /// `ready_ps` receives the time of the critical word at the requester, kPending until it is
  /// known: it must live until then. False: no linefill buffer is free, nothing has happened.
  bool read(const Read& what, std::uint64_t time_ps, std::uint64_t& ready_ps);
  /// A whole line. False: no buffer is free, nothing has happened.
  bool write(std::uint64_t address, bool allocate);

  void tick(std::uint64_t cycle, std::uint64_t now_ps);
  [[nodiscard]] bool quiet() const {
    return fills_.empty() && writes_.empty() && write_words_ == 0 && responses_open_ == 0;
  }
  [[nodiscard]] bool contains(std::uint64_t address) const {
    return tags_.contains(address / kLineBytes);
  }
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  static constexpr std::uint32_t kLineWords = kLineBytes / 8;
  struct Fill {
    std::uint64_t line;
    std::uint32_t source;
    bool cacheable;
    bool allocate;
    bool dirty;   // written while on its way
    bool issued;  // to the port
    std::uint64_t issue_ps;
    std::uint32_t words_left;
    std::uint64_t address;
    std::uint64_t critical_ps;  // at the requester, kPending before the first word
    std::vector<std::uint64_t*> waiting;
  };

  [[nodiscard]] bool buffer_free() const {
    return fills_.size() < params_.linefill_buffers && writes_.size() < write_buffers();
  }
  [[nodiscard]] std::size_t write_buffers() const {
    return params_.eviction_buffers + params_.store_buffers;
  }
  Fill& start_fill(const Read& what, std::uint64_t time_ps);
  void prefetch(const Read& what, std::uint64_t time_ps);
  void install(std::uint64_t line, bool dirty);
  void take_word(std::uint64_t now_ps);

  Pl310Params params_;
  std::uint32_t cycle_ps_;
  DdriPort& port_;
  SetCache tags_;
  std::deque<Fill> fills_;  // in the order of asking, finished ones leave from anywhere
  std::deque<std::uint64_t> writes_;
  std::uint32_t write_words_ = 0;  // of the write that was accepted, still to go
  std::uint32_t responses_open_ = 0;
  std::array<std::uint64_t, DdriPort::kSources> port_free_ps_{};
  Counts counts_{};
};

}  // namespace sluice::model
