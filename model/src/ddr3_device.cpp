// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/ddr3_device.hpp"

#include <stdexcept>
#include <string>

namespace sluice::model {

namespace {
const char* name(DramOp op) {
  switch (op) {
    case DramOp::act: return "ACT";
    case DramOp::pre: return "PRE";
    case DramOp::prea: return "PREA";
    case DramOp::rd: return "RD";
    case DramOp::wr: return "WR";
    case DramOp::ref: return "REF";
  }
  return "?";
}

void require(bool ok, const char* what) {
  if (!ok) throw std::invalid_argument(std::string("DDR3 timing: ") + what);
}
}  // namespace

Ddr3Device::Ddr3Device(const Ddr3Timing& timing) : t_(timing) {
  require(t_.banks == 4 || t_.banks == 8, "banks must be 4 or 8");
  require(t_.burst_cycles >= 1, "burst_cycles must be at least 1");
  require(t_.tCCD >= t_.burst_cycles, "tCCD must be at least burst_cycles");
  require(t_.tRCD >= 1 && t_.tRP >= 1 && t_.tRRD >= 1, "tRCD, tRP, tRRD must be at least 1");
  require(t_.tRC >= t_.tRAS, "tRC must be at least tRAS");
  require(t_.CL >= 1 && t_.CWL >= 1, "CL and CWL must be at least 1");
  require(t_.CL + t_.burst_cycles <= t_.rd2wr + t_.CWL, "rd2wr lets read and write data overlap");
  require(t_.tREFI > t_.tRFC, "tREFI must be larger than tRFC");
}

std::uint64_t Ddr3Device::earliest_precharge_all() const {
  if (all_closed()) return kNever;
  std::uint64_t when = 0;
  for (const Bank& bank : bank_) {
    if (bank.open) when = std::max(when, bank.next_pre);
  }
  return when;
}

void Ddr3Device::close(std::uint32_t bank, std::uint64_t cycle) {
  Bank& b = bank_[bank];
  b.open = false;
  b.next_act = std::max(b.next_act, cycle + t_.tRP);
  next_ref_ = std::max(next_ref_, cycle + t_.tRP);
  open_banks_ &= ~(1U << bank);
}

void Ddr3Device::issue(const DramCommand& command, std::uint64_t cycle) {
  if (!can_issue(command, cycle)) {
    throw std::logic_error(std::string("DRAM ") + name(command.op) + " of bank " +
                           std::to_string(command.bank) + " is not legal at cycle " +
                           std::to_string(cycle));
  }
  next_command_ = cycle + 1;
  Bank& b = bank_[command.bank];
  switch (command.op) {
    case DramOp::act:
      b.open = true;
      b.row = command.row;
      b.next_act = cycle + t_.tRC;
      b.next_pre = cycle + t_.tRAS;
      b.next_column = cycle + t_.tRCD;
      next_act_ = cycle + t_.tRRD;
      faw_[faw_head_] = cycle + t_.tFAW;
      faw_head_ = (faw_head_ + 1U) % 4U;
      next_ref_ = std::max(next_ref_, cycle + t_.tRC);
      open_banks_ |= 1U << command.bank;
      break;
    case DramOp::pre: close(command.bank, cycle); break;
    case DramOp::prea:
      // tRP counts from the last PRECHARGE to a bank, whether it was open or not.
      for (std::uint32_t bank = 0; bank < t_.banks; ++bank) close(bank, cycle);
      break;
    case DramOp::rd:
      b.next_pre = std::max(b.next_pre, cycle + t_.tRTP);
      next_rd_ = std::max(next_rd_, cycle + t_.tCCD);
      next_wr_ = std::max(next_wr_, cycle + t_.rd2wr);
      break;
    case DramOp::wr:
      b.next_pre = std::max(b.next_pre, cycle + t_.wr2pre());
      next_wr_ = std::max(next_wr_, cycle + t_.tCCD);
      next_rd_ = std::max(next_rd_, cycle + t_.wr2rd());
      break;
    case DramOp::ref:
      next_act_ = std::max(next_act_, cycle + t_.tRFC);
      next_ref_ = cycle + t_.tRFC;
      break;
  }
  if (observer_ != nullptr) observer_->on_command(command, cycle);
}

}  // namespace sluice::model
