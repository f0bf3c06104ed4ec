// SPDX-License-Identifier: Apache-2.0
// AcpPath: from the accelerator coherency port through the SCU into the L2 cache.
//
// Stands behind an AfiPort that is the port's clock crossing, as HpSwitch does behind those of the
// HP ports, and is called once a DDR_2x cycle. Bursts are split into lines of 32 bytes.
// Reads: one line is looked up a cycle. The SCU answers what the CPU's L1 cache holds, the L2 cache
//   the rest; R carries one word a cycle, in the order of the bursts.
// Writes: one word a cycle; at the end of a line the SCU takes it out of the L1 cache, and the L2
//   cache takes it (a part of a line as if it were whole: reads that merge are not modelled). The
//   response follows the last line by the way back.
// On-chip memory: the SCU reaches it by a port of its own (Ocm), past the L2 cache.
// A failed burst (range error) takes the same way past the caches.
#pragma once

#include <cstdint>
#include <deque>

#include "sluice/model/a9_core.hpp"
#include "sluice/model/afi_port.hpp"
#include "sluice/model/ocm.hpp"
#include "sluice/model/pl310.hpp"

namespace sluice::model {

class AcpPath {
 public:
  struct Counts {
    std::uint64_t lines_read = 0;
    std::uint64_t lines_written = 0;
    std::uint64_t snoop_hits = 0;  ///< lines that the CPU's L1 cache held
  };

  /// `path_ps` is the way to the SCU and back, for a line that the L1 cache holds.
  AcpPath(const AcpParams& params, std::uint64_t path_ps, AfiPort& afi, A9Core& cpu, Pl310& l2,
          Ocm& ocm)
      : params_(params), path_ps_(path_ps), afi_(afi), cpu_(cpu), l2_(l2), ocm_(ocm) {}

  /// What an AfiPort needs to accept as many bursts as the port does.
  static AfiParams port_params(const AcpParams& params);

  void tick(std::uint64_t now_ps);
  [[nodiscard]] bool quiet() const {
    return reads_.empty() && responses_.empty() && write_words_ == 0 && afi_.ps_quiet();
  }
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  struct Line {
    std::uint64_t address;
    std::uint32_t words_left;
    bool failed;
    bool on_chip;
    bool asked;
    std::uint64_t ready_ps;
  };
  void take_burst();
  void ask(std::uint64_t now_ps);
  void write(std::uint64_t now_ps);

  AcpParams params_;
  std::uint64_t path_ps_;
  AfiPort& afi_;
  A9Core& cpu_;
  Pl310& l2_;
  Ocm& ocm_;
  std::deque<Line> reads_;
  AfiBurst burst_{};  // being written
  std::uint32_t write_words_ = 0;
  bool write_failed_ = false;
  bool write_on_chip_ = false;
  bool line_due_ = false;  // the line of the last word waits for the L2 cache
  std::deque<std::uint64_t> responses_;
  Counts counts_{};
};

}  // namespace sluice::model
