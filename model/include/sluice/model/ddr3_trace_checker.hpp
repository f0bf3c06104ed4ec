// SPDX-License-Identifier: Apache-2.0
// Ddr3TraceChecker: reads a DRAM command trace and reports every violation of JESD79-3.
//
// Independent of Ddr3Device and the scheduler: it keeps the recent commands themselves and compares
// each new one with all of them by a table of minimum distances (previous op, next op, same bank or
// any), follows which row is open, checks that data windows on the bus do not overlap, that five
// ACTs do not fit in tFAW, and that refresh is never owed more than refresh_postpone times.
// Violations are collected as sentences (at most 100); the trace is judged to the end.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "sluice/model/ddr3_device.hpp"

namespace sluice::model {

class Ddr3TraceChecker : public DramObserver {
 public:
  explicit Ddr3TraceChecker(const Ddr3Timing& timing);

  void on_command(const DramCommand& command, std::uint64_t cycle) override;
  /// Call at the end of a trace to judge refresh up to there.
  void finish(std::uint64_t cycle);

  [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }
  [[nodiscard]] std::uint64_t commands() const { return commands_; }
  [[nodiscard]] std::uint64_t refreshes() const { return refreshes_; }

 private:
  struct Entry {
    DramCommand command;
    std::uint64_t cycle;
  };
  struct Rule {
    DramOp before;
    DramOp after;
    bool same_bank;
    std::uint32_t cycles;
    const char* name;
  };
  void report(const std::string& what, const DramCommand& command, std::uint64_t cycle);
  void check_rows(const DramCommand& command, std::uint64_t cycle);
  void check_data_bus(const DramCommand& command, std::uint64_t cycle);

  Ddr3Timing t_;
  std::vector<Rule> rules_;
  std::uint64_t horizon_cycles_ = 0;  ///< the longest rule
  std::deque<Entry> recent_;
  std::array<std::int64_t, 8> open_row_{};  ///< -1: closed
  std::uint64_t bus_busy_until_ = 0;
  std::uint64_t commands_ = 0;
  std::uint64_t refreshes_ = 0;
  std::vector<std::string> violations_;
};

}  // namespace sluice::model
