// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/ddrc.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

namespace sluice::model {

namespace {
const DdrcParams& checked(const DdrcParams& p) {
  const auto require = [](bool ok, const char* what) {
    if (!ok) throw std::invalid_argument(std::string("DDRC: ") + what);
  };
  require(p.read_cam_entries >= 1 && p.read_cam_entries <= 32, "read_cam_entries must be 1 to 32");
  require(p.write_cam_entries >= 1 && p.write_cam_entries <= 32,
          "write_cam_entries must be 1 to 32");
  require(p.lpr.xact_run_length >= 1 && p.wr.xact_run_length >= 1,
          "xact_run_length must be at least 1");
  require(p.write_request_ticks >= 1, "write_request_ticks must be at least 1");
  require(p.port.read_bursts >= 1 && p.port.read_bursts <= 32, "read_bursts must be 1 to 32");
  require(p.port.write_bursts >= 1 && p.port.write_bursts <= 32, "write_bursts must be 1 to 32");
  // A request of beats of one byte may need as many at once.
  require(p.port.read_ram_words >= 16, "read_ram_words must be at least 16");
  require(p.port.write_ram_words >= 16, "write_ram_words must be at least 16");
  require(p.port.priority <= 0x3ff, "priority must be 0 to 0x3ff");
  require(p.map.bank_bits == 2 || p.map.bank_bits == 3, "bank_bits must be 2 or 3");
  require(p.map.page_bits >= 5 && p.map.page_bits <= 16, "page_bits must be 5 to 16");
  return p;
}
}  // namespace

Ddrc::Ddrc(const DdrcParams& params, const Ddr3Timing& timing)
    : DramController(timing, checked(params).check_commands != 0),
      params_(params),
      ports_{DdriPort(params, 0, requests_), DdriPort(params, 1, requests_),
             DdriPort(params, 2, requests_), DdriPort(params, 3, requests_)},
      arbiter_(params, requests_),
      cam_{RequestCam(params.read_cam_entries), RequestCam(params.write_cam_entries)},
      store_{TransactionStore(params.lpr), TransactionStore(params.wr)},
      returns_(64) {
  if ((1U << params.map.bank_bits) > timing.banks) {
    throw std::invalid_argument("DDRC: bank_bits names more banks than the device has");
  }
  for (std::uint32_t port = 0; port < kPorts; ++port) port_list_[port] = &ports_[port];
  for (std::uint32_t bank = 0; bank < Ddr3Device::kMaxBanks; ++bank) set_passed(bank, 0);
}

Statistics Ddrc::statistics() const {
  Statistics s = counted();
  s.read_cam_entry_cycles += cam_[kRead].size() * now_;
  s.write_cam_entry_cycles += cam_[kWrite].size() * now_;
  count_mode(s);
  return s;
}

void Ddrc::enter(const DdriArbiter::Grant& grant, std::uint64_t cycle) {
  bool failed = false;
  if (grant.write) {
    write_ticks_left_ = params_.write_request_ticks;
    const DramRequest request = ports_[grant.port].grant_write(cycle, failed);
    if (!failed) insert(kWrite, request, cycle);
  } else {
    const DramRequest request = ports_[grant.port].grant_read(failed);
    if (failed) {
      ports_[grant.port].read_returned(request.burst, request.index);
    } else {
      insert(kRead, request, cycle);
    }
  }
}

void Ddrc::insert(Type type, const DramRequest& request, std::uint64_t cycle) {
  RequestCam& cam = cam_[type];
  if (cam.empty()) store_[type].became_pending(cycle);
  cam.insert(request, device_.open(request.bank) && device_.open_row(request.bank) == request.row);
  (type == kRead ? stats_.read_cam_entry_cycles : stats_.write_cam_entry_cycles) -= cycle;
  wake_ = next_step_ = cycle;
}

void Ddrc::step(std::uint64_t cycle) {
  while (!returns_.empty() && returns_.front().cycle <= cycle) {
    const DramRequest& r = returns_.front().request;
    ports_[r.port].read_returned(r.burst, r.index);
    returns_.pop();
  }
  issue_if_due(cycle);
  rest_until(returns_.empty() ? kNever : returns_.front().cycle);
}

bool Ddrc::schedule(std::uint64_t cycle) {
  choose_mode(cycle);
  const std::uint32_t exhausted = exhausted_banks();
  return issue_column(cycle, exhausted) || issue_row(cycle, exhausted);
}

/// Figure 10-9. Looked at whenever something may be issued or a store's state may have changed.
void Ddrc::choose_mode(std::uint64_t cycle) {
  const Type other = mode_ == kRead ? kWrite : kRead;
  if (!cam_[mode_].empty())
    mode_empty_since_ = kNever;
  else if (mode_empty_since_ == kNever)
    mode_empty_since_ = cycle;

  if (!cam_[other].empty()) {
    bool change = false;
    if (cam_[mode_].empty()) {
      change = cycle >= mode_empty_since_ + params_.rdwr_idle_gap;
      if (!change) wake_at(mode_empty_since_ + params_.rdwr_idle_gap);
    } else {
      change = store_[other].critical(cycle);
      if (!change) wake_at(std::max(cycle + 1U, store_[other].next_change()));
    }
    if (change) {
      count_mode(stats_);
      mode_since_ = now_;
      mode_ = other;
      mode_empty_since_ = kNever;
      if (params_.mode_every_cycle != 0) wake_at(cycle + 1U);
    }
  }
}

std::uint32_t Ddrc::exhausted_banks() const {
  const RequestCam& cam = cam_[mode_];
  std::uint32_t exhausted = 0;
  for (std::uint32_t rest = cam.hit_banks() & passed_enough_[mode_]; rest != 0; rest &= rest - 1U) {
    const auto bank = static_cast<std::uint32_t>(std::countr_zero(rest));
    // A hit that is itself the bank's oldest request passes nobody.
    if ((cam.hits() >> cam.oldest(cam.in_bank(bank)) & 1U) == 0) exhausted |= 1U << bank;
  }
  return exhausted;
}

void Ddrc::set_passed(std::uint32_t bank, std::uint32_t passed) {
  const std::uint32_t bit = 1U << bank;
  passed_[bank] = passed;
  for (const Type type : {kRead, kWrite}) {
    const std::uint32_t limit = (type == kRead ? params_.lpr : params_.wr).page_hit_limit;
    passed_enough_[type] = (passed_enough_[type] & ~bit) | (passed >= limit ? bit : 0U);
  }
}

bool Ddrc::issue_column(std::uint64_t cycle, std::uint32_t exhausted) {
  RequestCam& cam = cam_[mode_];
  std::uint32_t banks = cam.hit_banks() & ~exhausted;
  if (banks == 0) return false;
  const DramOp op = mode_ == kRead ? DramOp::rd : DramOp::wr;
  const std::uint64_t bus_free = device_.earliest_column(op);
  std::uint32_t ready = 0;  // mask of banks
  std::uint64_t first = kNever;
  for (; banks != 0; banks &= banks - 1U) {
    const auto bank = static_cast<std::uint32_t>(std::countr_zero(banks));
    const std::uint64_t when = device_.row_ready(bank);
    ready |= static_cast<std::uint32_t>(when <= cycle) << bank;
    first = std::min(first, when);
  }
  if (ready == 0 || bus_free > cycle) {
    wake_at(std::max(first, bus_free));
    return false;
  }
  RequestCam::Mask candidates = 0;
  for (; ready != 0; ready &= ready - 1U) {
    candidates |= cam.in_bank(static_cast<std::uint32_t>(std::countr_zero(ready)));
  }

  const std::uint32_t entry = cam.oldest(candidates & cam.hits());
  const DramRequest request = cam.request(entry);
  const RequestCam::Mask misses_of_bank = cam.in_bank(request.bank) & ~cam.hits();
  if (cam.older_than(entry, misses_of_bank) != 0) {
    set_passed(request.bank, passed_[request.bank] + 1U);
  }
  read_or_write(mode_ == kWrite, request.bank, cycle);
  cam.remove(entry);
  (mode_ == kRead ? stats_.read_cam_entry_cycles : stats_.write_cam_entry_cycles) += now_;
  store_[mode_].served(cycle, !cam.empty());
  if (mode_ == kRead) {
    const Ddr3Timing& t = device_.timing();
    returns_.push({cycle + t.CL + t.burst_cycles + params_.return_latency_cycles, request});
  }
  return true;
}

bool Ddrc::issue_row(std::uint64_t cycle, std::uint32_t exhausted) {
  RequestCam& cam = cam_[mode_];
  const std::uint32_t open = device_.open_banks();
  RequestCam::Mask to_open = 0;  // requests of closed banks
  for (std::uint32_t rest = cam.banks() & ~open; rest != 0; rest &= rest - 1U) {
    const auto bank = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint64_t when = device_.earliest(DramOp::act, bank);
    if (when <= cycle)
      to_open |= cam.in_bank(bank);
    else
      wake_at(when);
  }
  std::uint32_t to_close = 0;  // mask of banks
  for (std::uint32_t rest = cam.banks() & open & (~cam.hit_banks() | exhausted); rest != 0;
       rest &= rest - 1U) {
    const auto bank = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint64_t when = device_.earliest(DramOp::pre, bank);
    if (when <= cycle)
      to_close |= 1U << bank;
    else
      wake_at(when);
  }
  if (to_open != 0) {
    const DramRequest& request = cam.request(cam.oldest(to_open));
    activate(request.bank, request.row, cycle);
    return true;
  }
  if (to_close != 0) {
    close_row(static_cast<std::uint32_t>(std::countr_zero(to_close)), cycle);
    return true;
  }
  return false;
}

void Ddrc::row_opened(std::uint32_t bank, std::uint32_t row) {
  for (RequestCam& cam : cam_) cam.row_opened(bank, row);
  set_passed(bank, 0);
}

void Ddrc::row_closed(std::uint32_t bank) {
  for (RequestCam& cam : cam_) cam.row_closed(bank);
}

}  // namespace sluice::model
