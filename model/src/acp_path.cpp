// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/acp_path.hpp"

#include <algorithm>

namespace sluice::model {

AfiParams AcpPath::port_params(const AcpParams& params) {
  AfiParams afi{};
  // One read is between the clocks, the others have been issued. A write is issued with its last
  // word, so two wait: the one whose words come, and the next, which may follow without a gap.
  afi.read_command_depth = 1;
  afi.write_command_depth = 2;
  afi.read_issue_capability = params.read_acceptance - 1U;
  afi.write_issue_capability = params.write_acceptance - 2U;
  return afi;
}

void AcpPath::take_burst() {
  Response response = Response::okay;
  const bool on_chip = afi_.ps_ocm_read_ready();
  const AfiBurst burst = afi_.ps_issue_read(response);
  for (std::uint32_t beat = 0; beat < burst.words; ++beat) {
    const std::uint64_t line = burst.beat_address(beat) / Pl310::kLineBytes * Pl310::kLineBytes;
    if (beat == 0 || reads_.back().address != line)
      reads_.push_back({line, 0, response != Response::okay, on_chip, false, Pl310::kPending});
    ++reads_.back().words_left;
  }
}

void AcpPath::ask(std::uint64_t now_ps) {
  const auto next = std::ranges::find_if(reads_, [](const Line& line) { return !line.asked; });
  if (next == reads_.end()) return;
  if (next->failed || cpu_.holds(next->address)) {
    if (!next->failed) ++counts_.snoop_hits;
    next->ready_ps = now_ps + path_ps_;
  } else if (next->on_chip) {
    next->ready_ps = ocm_.access(now_ps, Pl310::kLineBytes);
  } else if (!l2_.read({.source = 1, .address = next->address, .allocate = params_.allocate != 0},
                       now_ps, next->ready_ps)) {
    return;
  }
  next->asked = true;
  ++counts_.lines_read;
}

void AcpPath::write(std::uint64_t now_ps) {
  if (write_words_ == 0 && (afi_.ps_write_ready() || afi_.ps_ocm_write_ready())) {
    Response response = Response::okay;
    write_on_chip_ = afi_.ps_ocm_write_ready();
    burst_ = afi_.ps_issue_write(response);
    write_failed_ = response != Response::okay;
    write_words_ = burst_.words;
  }
  if (write_words_ == 0) return;
  const std::uint64_t address = burst_.beat_address(burst_.words - write_words_);
  std::uint64_t over_ps = now_ps + path_ps_;
  if (!line_due_) {
    afi_.ps_fetch_write_word();
    line_due_ = write_words_ == 1 ||
                address / Pl310::kLineBytes !=
                    burst_.beat_address(burst_.words - write_words_ + 1U) / Pl310::kLineBytes;
  }
  if (line_due_) {
    if (!write_failed_) {
      cpu_.invalidate(address);
      if (write_on_chip_)
        over_ps = ocm_.access(now_ps, Pl310::kLineBytes);
      else if (!l2_.write(address, params_.allocate != 0))
        return;
      ++counts_.lines_written;
    }
    line_due_ = false;
  }
  if (--write_words_ == 0) responses_.push_back(over_ps);
}

void AcpPath::tick(std::uint64_t now_ps) {
  if (!afi_.ps_active()) return;
  afi_.ps_tick();
  if (afi_.ps_read_ready() || afi_.ps_ocm_read_ready()) take_burst();
  ask(now_ps);
  if (!reads_.empty() && reads_.front().asked && now_ps >= reads_.front().ready_ps) {
    afi_.ps_deliver_read_word();
    if (--reads_.front().words_left == 0) reads_.pop_front();
  }
  write(now_ps);
  if (!responses_.empty() && now_ps >= responses_.front()) {
    afi_.ps_respond();
    responses_.pop_front();
  }
}

}  // namespace sluice::model
