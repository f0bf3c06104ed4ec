// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/ddr3_trace_checker.hpp"

namespace sluice::model {

namespace {
constexpr std::size_t kMaxViolations = 100;
constexpr std::array<const char*, 6> kNames = {"ACT", "PRE", "PREA", "RD", "WR", "REF"};

std::string name(DramOp op) { return kNames[static_cast<std::size_t>(op)]; }
}  // namespace

Ddr3TraceChecker::Ddr3TraceChecker(const Ddr3Timing& timing) : t_(timing) {
  open_row_.fill(-1);
  const std::uint32_t write_end = t_.CWL + t_.burst_cycles;
  rules_ = {
      {DramOp::act, DramOp::rd, true, t_.tRCD, "tRCD"},
      {DramOp::act, DramOp::wr, true, t_.tRCD, "tRCD"},
      {DramOp::act, DramOp::pre, true, t_.tRAS, "tRAS"},
      {DramOp::act, DramOp::act, true, t_.tRC, "tRC"},
      {DramOp::act, DramOp::act, false, t_.tRRD, "tRRD"},
      {DramOp::act, DramOp::ref, false, t_.tRC, "tRC"},
      {DramOp::pre, DramOp::act, true, t_.tRP, "tRP"},
      {DramOp::pre, DramOp::ref, false, t_.tRP, "tRP"},
      // Of a bank that is closed already, its own PRE has kept these.
      {DramOp::act, DramOp::prea, false, t_.tRAS, "tRAS"},
      {DramOp::rd, DramOp::prea, false, t_.tRTP, "tRTP"},
      {DramOp::wr, DramOp::prea, false, write_end + t_.tWR, "tWR"},
      {DramOp::prea, DramOp::act, false, t_.tRP, "tRP"},
      {DramOp::prea, DramOp::ref, false, t_.tRP, "tRP"},
      {DramOp::rd, DramOp::rd, false, t_.tCCD, "tCCD"},
      {DramOp::wr, DramOp::wr, false, t_.tCCD, "tCCD"},
      {DramOp::rd, DramOp::wr, false, t_.rd2wr, "read to write"},
      {DramOp::wr, DramOp::rd, false, write_end + t_.tWTR, "tWTR"},
      {DramOp::rd, DramOp::pre, true, t_.tRTP, "tRTP"},
      {DramOp::wr, DramOp::pre, true, write_end + t_.tWR, "tWR"},
      {DramOp::ref, DramOp::act, false, t_.tRFC, "tRFC"},
      {DramOp::ref, DramOp::ref, false, t_.tRFC, "tRFC"},
      {DramOp::ref, DramOp::prea, false, t_.tRFC, "tRFC"},
  };
  horizon_cycles_ = t_.tFAW;
  for (const Rule& rule : rules_) {
    if (rule.cycles > horizon_cycles_) horizon_cycles_ = rule.cycles;
  }
}

void Ddr3TraceChecker::report(const std::string& what, const DramCommand& command,
                              std::uint64_t cycle) {
  if (violations_.size() >= kMaxViolations) return;
  violations_.push_back("cycle " + std::to_string(cycle) + ": " + name(command.op) + " bank " +
                        std::to_string(command.bank) + ": " + what);
}

void Ddr3TraceChecker::check_rows(const DramCommand& command, std::uint64_t cycle) {
  if (command.op == DramOp::ref) {
    for (const std::int64_t row : open_row_) {
      if (row >= 0) {
        report("a bank is open", command, cycle);
        break;
      }
    }
    return;
  }
  if (command.op == DramOp::prea) {
    open_row_.fill(-1);
    return;
  }
  if (command.bank >= t_.banks) {
    report("no such bank", command, cycle);
    return;
  }
  std::int64_t& row = open_row_[command.bank];
  if (command.op == DramOp::act) {
    if (row >= 0) report("the bank is already open", command, cycle);
    row = command.row;
  } else {
    if (row < 0) report("the bank is closed", command, cycle);
    if (command.op == DramOp::pre) row = -1;
  }
}

void Ddr3TraceChecker::check_data_bus(const DramCommand& command, std::uint64_t cycle) {
  if (command.op != DramOp::rd && command.op != DramOp::wr) return;
  const std::uint64_t first = cycle + (command.op == DramOp::rd ? t_.CL : t_.CWL);
  if (first < bus_busy_until_) report("data overlaps on the bus", command, cycle);
  bus_busy_until_ = first + t_.burst_cycles;
}

void Ddr3TraceChecker::on_command(const DramCommand& command, std::uint64_t cycle) {
  ++commands_;
  if (!recent_.empty() && cycle <= recent_.back().cycle) {
    report(cycle == recent_.back().cycle ? "two commands in one cycle" : "time went back", command,
           cycle);
  }
  while (!recent_.empty() && recent_.front().cycle + horizon_cycles_ < cycle) recent_.pop_front();

  std::uint32_t activates_in_window = 0;
  for (const Entry& earlier : recent_) {
    for (const Rule& rule : rules_) {
      if (rule.before != earlier.command.op || rule.after != command.op) continue;
      if (rule.same_bank && earlier.command.bank != command.bank) continue;
      if (cycle < earlier.cycle + rule.cycles) report(rule.name, command, cycle);
    }
    if (earlier.command.op == DramOp::act && earlier.cycle + t_.tFAW > cycle) {
      ++activates_in_window;
    }
  }
  if (command.op == DramOp::act && activates_in_window >= 4) report("tFAW", command, cycle);
  check_rows(command, cycle);
  check_data_bus(command, cycle);
  if (command.op == DramOp::ref) ++refreshes_;
  finish(cycle);
  recent_.push_back({command, cycle});
}

void Ddr3TraceChecker::finish(std::uint64_t cycle) {
  const std::uint64_t due = cycle / t_.tREFI;
  if (due > refreshes_ + t_.refresh_postpone) {
    report("refresh owed more than " + std::to_string(t_.refresh_postpone) + " times",
           {DramOp::ref}, cycle);
  }
}

}  // namespace sluice::model
