// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

#include <algorithm>
#include <cerrno>

#include "error.hpp"

namespace sluice {
namespace {

// A reset waits for the bursts already issued, a few microseconds; this many reads of the
// register take longer than any memory system needs. The RTL's own limit, ResetTimeout, is some
// 10 ms: where time is real, so much has to pass too.
constexpr unsigned kResetReads = 10'000;
constexpr uint64_t kResetNs = 100'000'000;

}  // namespace

void DmaChannel::submit(const Request& request) {
  ++*request.users;
  if (request.destination_users != nullptr) ++*request.destination_users;
  waiting_.push_back({.request = request, .start_ns = 0});
}

void DmaChannel::write(uint32_t offset, uint32_t value) {
  const uint64_t before_ns = platform_.now_ns();
  platform_.write32(offset, value);
  last_write_ns_ = platform_.now_ns() - before_ns;
}

void DmaChannel::spend_start_cost(uint64_t begin_ns) {
  const uint64_t spent_ns = platform_.now_ns() - begin_ns + last_write_ns_;
  if (spent_ns < start_cost_ns_) platform_.sleep_ns(start_cost_ns_ - spent_ns);
}

void DmaChannel::complete(const Outcome& outcome, uint64_t finish_ns) {
  const auto [request, begun_ns] = waiting_.front();
  waiting_.pop_front();
  const uint64_t start_ns = started_ == 0 ? finish_ns : begun_ns;
  if (started_ != 0) --started_;
  --*request.users;
  if (request.destination_users != nullptr) --*request.destination_users;
  sluice_completion completion{};
  completion.cookie = request.cookie;
  completion.bytes = outcome.bytes;
  completion.start_ns = start_ns;
  completion.finish_ns = std::max(start_ns, finish_ns);
  completion.status = outcome.status;
  completion.end_of_packet = outcome.end_of_packet;
  done_.push_back(completion);
}

void DmaChannel::cancel_all() {
  stuck_ = false;
  const uint64_t now_ns = platform_.now_ns();
  while (!waiting_.empty()) complete({-ECANCELED, 0, false}, now_ns);
}

void DmaChannel::wait_clear(uint32_t offset, uint32_t mask, const std::string& name) {
  stuck_ = true;
  const uint64_t begin_ns = platform_.now_ns();
  const uint64_t least_ns = platform_.simulated_time() ? 0 : kResetNs;
  for (unsigned i = 0; platform_.read32(offset) & mask; ++i) {
    if (i >= kResetReads && platform_.now_ns() - begin_ns >= least_ns)
      throw Error(ETIMEDOUT, "the DMA engine of {} does not come out of reset", name);
  }
}

sluice_completion DmaChannel::take_completion() {
  const sluice_completion completion = done_.front();
  done_.pop_front();
  return completion;
}

void SerialChannel::flush() {
  if (started() != 0 || waiting() == 0) return;
  const uint64_t begin_ns = platform_.now_ns();
  program(request(0));
  spend_start_cost(begin_ns);
  go(request(0));
  begin(begin_ns);
}

void SerialChannel::service() {
  if (started() == 0) return;
  if (platform_.has_interrupts() ? (platform_.interrupts() & expected_interrupt()) == 0
                                 : !signals())
    return;
  const uint64_t finish_ns = platform_.interrupt_rise_ns(interrupt_);
  const Outcome outcome = collect(request(0));
  complete(outcome, finish_ns);
  if (outcome.status != 0)
    recover();
  else
    flush();
}

}  // namespace sluice
