// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/cyclonev_controller.hpp"

#include <algorithm>
#include <stdexcept>

namespace sluice::model {

namespace {
const SinglePortParams& checked(const SinglePortParams& p) {
  const auto require = [](bool ok, const char* what) {
    if (!ok) throw std::invalid_argument(std::string("SDRAM controller: ") + what);
  };
  require(p.queue_commands >= 1 && p.queue_commands <= 64, "queue_commands must be 1 to 64");
  require(p.pool_commands >= 1 && p.pool_commands <= SinglePortController::kMostPool,
          "pool_commands must be 1 to 32");
  require(p.starve_limit >= 1 && p.starve_limit <= 63, "starve_limit must be 1 to 63");
  return p;
}
}  // namespace

SinglePortController::SinglePortController(const SinglePortParams& params, const Ddr3Timing& timing)
    : DramController(timing, checked(params).check_commands != 0),
      params_(params),
      queue_(params.queue_commands),
      returns_(1024) {}

void SinglePortController::accept(const Command& command, std::uint64_t ready_cycle) {
  if (!room()) throw std::logic_error("SDRAM controller: command without room");
  queue_.push({command, ready_cycle});
  next_step_ = std::min(next_step_, next_entry());
}

SinglePortController::Command SinglePortController::take_returned() {
  const Command command = returns_.front().command;
  returns_.pop();
  return command;
}

void SinglePortController::step(std::uint64_t cycle) {
  fill_pool(cycle);
  issue_if_due(cycle);
  rest_until(next_entry());
}

/// One command a clock.
void SinglePortController::fill_pool(std::uint64_t cycle) {
  if (cycle < next_entry()) return;
  pool_[count_++] = {queue_.front().command, 0};
  stats_.read_cam_entry_cycles -= cycle;
  queue_.pop();
  wake_ = cycle;
}

bool SinglePortController::issue_column(std::uint64_t cycle) {
  // The oldest starved command that waits only for its direction holds the other one back.
  bool held_back = false;
  bool kept_direction = false;
  for (std::uint32_t i = 0; i < count_ && !held_back; ++i) {
    if (starved(pool_[i]) && hits(pool_[i].command)) {
      held_back = true;
      kept_direction = pool_[i].command.write;
    }
  }
  std::uint32_t best = count_;
  for (std::uint32_t i = 0; i < count_; ++i) {
    const Command& c = pool_[i].command;
    if (!hits(c) || (held_back && c.write != kept_direction)) continue;
    const std::uint64_t when = device_.earliest(c.write ? DramOp::wr : DramOp::rd, c.bank);
    if (when > cycle) {
      wake_at(when);
      continue;
    }
    // Oldest first, unless it is passed by a starved one or by the first read.
    if (best == count_) {
      best = i;
    } else if (starved(pool_[i]) != starved(pool_[best])) {
      if (starved(pool_[i])) best = i;
    } else if (pool_[best].command.write && !c.write && !starved(pool_[best])) {
      best = i;
    }
  }
  if (best == count_) return false;
  serve(best, cycle);
  return true;
}

void SinglePortController::serve(std::uint32_t index, std::uint64_t cycle) {
  const Command command = pool_[index].command;
  for (std::uint32_t i = index + 1U; i < count_; ++i) pool_[i - 1U] = pool_[i];
  --count_;
  stats_.read_cam_entry_cycles += now_;
  for (std::uint32_t i = 0; i < count_; ++i) ++pool_[i].passed;
  read_or_write(command.write, command.bank, cycle);
  const Ddr3Timing& t = device_.timing();
  if (!command.write) returns_.push({command, cycle + t.CL + t.burst_cycles});
}

bool SinglePortController::issue_row(std::uint64_t cycle) {
  std::uint32_t looked_at = 0;  // banks, as a mask: the oldest command of a bank speaks for it
  std::uint32_t to_close = Ddr3Device::kMaxBanks;
  for (std::uint32_t i = 0; i < count_; ++i) {
    const Command& c = pool_[i].command;
    if ((looked_at >> c.bank & 1U) != 0) continue;
    if (!device_.open(c.bank)) {
      looked_at |= 1U << c.bank;
      const std::uint64_t when = device_.earliest(DramOp::act, c.bank);
      if (when <= cycle) {
        activate(c.bank, c.row, cycle);
        return true;
      }
      wake_at(when);
      continue;
    }
    if (hits(c)) continue;
    // A starved one overrules those behind it only: an older one would open its row again at once.
    const auto end = pool_.begin() + (starved(pool_[i]) ? i : count_);
    const bool wanted = std::any_of(pool_.begin(), end, [&](const Entry& e) {
      return e.command.bank == c.bank && hits(e.command);
    });
    if (wanted) continue;
    looked_at |= 1U << c.bank;
    const std::uint64_t when = device_.earliest(DramOp::pre, c.bank);
    if (when > cycle)
      wake_at(when);
    else if (to_close == Ddr3Device::kMaxBanks)
      to_close = c.bank;
  }
  if (to_close == Ddr3Device::kMaxBanks) return false;
  close_row(to_close, cycle);
  return true;
}

}  // namespace sluice::model
