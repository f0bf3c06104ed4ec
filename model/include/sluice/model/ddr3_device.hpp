// SPDX-License-Identifier: Apache-2.0
// Ddr3Device: bank states and earliest-issue rules of one DDR3 rank (JESD79-3, chapter 4).
//
// A command is given at a cycle of the DDR clock; cycles never go backwards, and one command fits
// in a cycle. earliest() says from which cycle a command is legal (kNever: not in this bank state,
// e.g. RD of a closed bank, ACT of an open one, PREA with none open, REF with one); can_issue()
// compares, issue() takes it and throws std::logic_error if it is not legal, so a faulty scheduler
// cannot pass. Refresh interval is not enforced here (the controller owes it; Ddr3TraceChecker
// watches it).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "sluice/model/ddr3_timing.hpp"

namespace sluice::model {

enum class DramOp : std::uint8_t { act, pre, prea, rd, wr, ref };

struct DramCommand {
  DramOp op;
  std::uint8_t bank = 0;  ///< not used by prea and ref
  std::uint32_t row = 0;  ///< act only
};

/// Sees every command as it is issued.
class DramObserver {
 public:
  virtual ~DramObserver() = default;
  virtual void on_command(const DramCommand& command, std::uint64_t cycle) = 0;
};

class Ddr3Device {
 public:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint32_t kMaxBanks = 8;

  /// Throws std::invalid_argument naming the timing that is out of range.
  explicit Ddr3Device(const Ddr3Timing& timing);

  [[nodiscard]] const Ddr3Timing& timing() const { return t_; }
  [[nodiscard]] bool open(std::uint32_t bank) const { return bank_[bank].open; }
  [[nodiscard]] std::uint32_t open_row(std::uint32_t bank) const { return bank_[bank].row; }
  [[nodiscard]] std::uint32_t open_banks() const { return open_banks_; }  ///< bit a bank
  [[nodiscard]] bool all_closed() const { return open_banks_ == 0; }

  [[nodiscard]] std::uint64_t earliest(DramOp op, std::uint32_t bank) const {
    const Bank& b = bank_[bank];
    switch (op) {
      case DramOp::act: return b.open ? kNever : std::max({b.next_act, next_act_, faw_limit()});
      case DramOp::pre: return b.open ? b.next_pre : kNever;
      case DramOp::prea: return earliest_precharge_all();
      case DramOp::rd: return b.open ? std::max(b.next_column, next_rd_) : kNever;
      case DramOp::wr: return b.open ? std::max(b.next_column, next_wr_) : kNever;
      case DramOp::ref: return open_banks_ != 0 ? kNever : next_ref_;
    }
    return kNever;
  }
  /// The two bounds of a column command of an open bank: the bus's, for every bank, and its row's.
  [[nodiscard]] std::uint64_t earliest_column(DramOp op) const {
    return op == DramOp::rd ? next_rd_ : next_wr_;
  }
  [[nodiscard]] std::uint64_t row_ready(std::uint32_t bank) const {
    return bank_[bank].next_column;
  }
  [[nodiscard]] bool can_issue(const DramCommand& command, std::uint64_t cycle) const {
    return cycle >= next_command_ && cycle >= earliest(command.op, command.bank);
  }
  void issue(const DramCommand& command, std::uint64_t cycle);

  void observe(DramObserver* observer) { observer_ = observer; }

 private:
  struct Bank {
    bool open = false;
    std::uint32_t row = 0;
    std::uint64_t next_act = 0;     // tRP, tRC, tRFC
    std::uint64_t next_pre = 0;     // tRAS, tRTP, tWR
    std::uint64_t next_column = 0;  // tRCD
  };
  [[nodiscard]] std::uint64_t earliest_precharge_all() const;
  void close(std::uint32_t bank, std::uint64_t cycle);
  [[nodiscard]] std::uint64_t faw_limit() const { return faw_[faw_head_]; }

  Ddr3Timing t_;
  std::array<Bank, kMaxBanks> bank_{};
  std::uint32_t open_banks_ = 0;
  std::uint64_t next_command_ = 0;      // one command a cycle
  std::uint64_t next_act_ = 0;          // tRRD, tRFC
  std::uint64_t next_rd_ = 0;           // tCCD, wr2rd
  std::uint64_t next_wr_ = 0;           // tCCD, rd2wr
  std::uint64_t next_ref_ = 0;          // tRP of the last PRE or PREA, tRFC, tRC
  std::array<std::uint64_t, 4> faw_{};  // cycle from which the ACT four later may go
  std::uint32_t faw_head_ = 0;
  DramObserver* observer_ = nullptr;
};

}  // namespace sluice::model
