// SPDX-License-Identifier: Apache-2.0
// DramController: what a DDR controller does at the DRAM's command bus whatever it schedules: rows,
// refresh, statistics, checks. Ddrc and SinglePortController are derived from it.
//
// Per DDR cycle tick() issues at most one DRAM command to a Ddr3Device.
// Refresh: when a REF is due (tREFI) column commands stop, banks are precharged (one by one, or all
// at once), REF is issued.
// With check_commands a Ddr3TraceChecker reads every command, and tick() throws std::logic_error at
// the first violation.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>

#include "sluice/model/ddr3_device.hpp"
#include "sluice/model/ddr3_trace_checker.hpp"
#include "sluice/model/statistics.hpp"

namespace sluice::model {

/// Scheduler, the derived class, has:
///   static constexpr bool kPrechargeAll
///                               before a REF: one PREA when every open bank may be closed, or
///                               else a PRE for each bank as soon as it may
///   void step(cycle)            calls issue_if_due(), and rest_until() at its end
///   bool schedule(cycle)        issues a command that is legal now; false: there is none, and
///                               wake_at() was called for those that will be
///   void row_opened(bank, row)  and
///   void row_closed(bank)       are called behind each ACT, PRE and PREA
template <typename Scheduler>
class DramController {
 public:
  void tick(std::uint64_t cycle) {
    now_ = cycle + 1U;
    if (cycle >= next_step_) self().step(cycle);
  }

  /// While quiet, nothing happens before this cycle (the next refresh).
  [[nodiscard]] std::uint64_t next_refresh_cycle() const { return refresh_due_; }
  /// So many cycles are left out, in which it is quiet.
  void skip_idle(std::uint64_t cycles) {
    stats_.idle_cycles += cycles;
    now_ += cycles;
  }
  /// In the place of check_commands.
  void observe_dram(DramObserver* observer) { device_.observe(observer); }

 protected:
  static constexpr std::uint64_t kNever = Ddr3Device::kNever;

  DramController(const Ddr3Timing& timing, bool check_commands)
      : device_(timing), refresh_due_(timing.tREFI) {
    if (!check_commands) return;
    checker_ = std::make_unique<Ddr3TraceChecker>(timing);
    device_.observe(checker_.get());
  }

  [[nodiscard]] Statistics counted() const {
    Statistics s = stats_;
    // A column command that needed its own ACT was no hit.
    s.row_hits = columns() - std::min(columns(), s.row_misses + s.row_empties);
    return s;
  }
  /// A REF is owed.
  [[nodiscard]] bool refreshing() const { return refreshing_; }

  void issue_if_due(std::uint64_t cycle) {
    if (cycle < wake_ && cycle < refresh_due_) return;
    wake_ = kNever;
    if (cycle >= refresh_due_)
      refresh(cycle);
    else if (self().schedule(cycle))
      wake_ = cycle + 1U;
    if (checker_ && !checker_->violations().empty())
      throw std::logic_error("DRAM trace: " + checker_->violations().front());
  }
  /// Something may be issued at that cycle.
  void wake_at(std::uint64_t cycle) { wake_ = std::min(wake_, cycle); }
  /// The next step is when something may be issued, or at `cycle`.
  void rest_until(std::uint64_t cycle) { next_step_ = std::min({wake_, refresh_due_, cycle}); }

  void activate(std::uint32_t bank, std::uint32_t row, std::uint64_t cycle) {
    device_.issue({DramOp::act, static_cast<std::uint8_t>(bank), row}, cycle);
    self().row_opened(bank, row);
    ++(closed_by_conflict_[bank] ? stats_.row_misses : stats_.row_empties);
    closed_by_conflict_[bank] = false;
  }
  /// For a request of another row.
  void close_row(std::uint32_t bank, std::uint64_t cycle) {
    closed_by_conflict_[bank] = true;
    precharge(bank, cycle);
  }
  void read_or_write(bool write, std::uint32_t bank, std::uint64_t cycle) {
    device_.issue({write ? DramOp::wr : DramOp::rd, static_cast<std::uint8_t>(bank)}, cycle);
    stats_.data_cycles += device_.timing().burst_cycles;
    ++(write ? stats_.writes : stats_.reads);
    if (last_column_ == (write ? Last::read : Last::write))
      ++(write ? stats_.read_to_write : stats_.write_to_read);
    last_column_ = write ? Last::write : Last::read;
  }

  Ddr3Device device_;
  std::uint64_t now_ = 0;        ///< cycles before it have been simulated
  std::uint64_t wake_ = 0;       ///< nothing can be issued before this cycle
  std::uint64_t next_step_ = 0;  ///< nor does anything else happen
  Statistics stats_{};           ///< counted() has row_hits, too

 private:
  enum class Last : std::uint8_t { none, read, write };

  Scheduler& self() { return static_cast<Scheduler&>(*this); }
  [[nodiscard]] std::uint64_t columns() const { return stats_.reads + stats_.writes; }

  void precharge(std::uint32_t bank, std::uint64_t cycle) {
    device_.issue({DramOp::pre, static_cast<std::uint8_t>(bank)}, cycle);
    self().row_closed(bank);
    ++stats_.precharges;
  }
  void precharge_all(std::uint64_t cycle) {
    const std::uint32_t open = device_.open_banks();
    device_.issue({DramOp::prea}, cycle);
    for (std::uint32_t bank = 0; bank < device_.timing().banks; ++bank) {
      if ((open >> bank & 1U) != 0) self().row_closed(bank);
    }
    ++stats_.precharges;
  }
  void refresh(std::uint64_t cycle) {
    refreshing_ = true;
    if (device_.all_closed()) {
      const DramCommand ref{DramOp::ref};
      if (!device_.can_issue(ref, cycle)) return;
      device_.issue(ref, cycle);
      ++stats_.refreshes;
      refresh_due_ += device_.timing().tREFI;
      refreshing_ = false;
      wake_ = cycle;
      return;
    }
    if constexpr (Scheduler::kPrechargeAll) {
      if (device_.can_issue({DramOp::prea}, cycle)) precharge_all(cycle);
      return;
    }
    for (std::uint32_t bank = 0; bank < device_.timing().banks; ++bank) {
      if (device_.open(bank) &&
          device_.can_issue({DramOp::pre, static_cast<std::uint8_t>(bank)}, cycle)) {
        precharge(bank, cycle);
        return;
      }
    }
  }

  std::unique_ptr<Ddr3TraceChecker> checker_;  ///< with check_commands
  std::array<bool, Ddr3Device::kMaxBanks> closed_by_conflict_{};
  std::uint64_t refresh_due_;
  bool refreshing_ = false;
  Last last_column_ = Last::none;
};

}  // namespace sluice::model
