// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

#include <cerrno>
#include <utility>

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
  waiting_.push_back(request);
  if (!busy_) start_next();
}

void DmaChannel::write(uint32_t offset, uint32_t value) {
  const uint64_t before_ns = platform_.now_ns();
  platform_.write32(offset, value);
  last_write_ns_ = platform_.now_ns() - before_ns;
}

void DmaChannel::start_next() {
  const Request& request = waiting_.front();
  const uint64_t begin_ns = platform_.now_ns();
  program(request);
  // What is left of the start cost, when the last write has taken what the one before it took.
  const uint64_t spent_ns = platform_.now_ns() - begin_ns + last_write_ns_;
  if (spent_ns < start_cost_ns_) platform_.sleep_ns(start_cost_ns_ - spent_ns);
  go(request);
  start_ns_ = begin_ns;
  busy_ = true;
}

void DmaChannel::complete(const Outcome& outcome, uint64_t finish_ns) {
  const Request request = waiting_.front();
  waiting_.pop_front();
  --*request.users;
  if (request.destination_users != nullptr) --*request.destination_users;
  sluice_completion completion{};
  completion.cookie = request.cookie;
  completion.bytes = outcome.bytes;
  completion.start_ns = std::exchange(busy_, false) ? start_ns_ : finish_ns;
  completion.finish_ns = finish_ns;
  completion.status = outcome.status;
  completion.end_of_packet = outcome.end_of_packet;
  done_.push_back(completion);
}

void DmaChannel::cancel_all() {
  stuck_ = false;
  const uint64_t now_ns = platform_.now_ns();
  while (!waiting_.empty()) complete({-ECANCELED, 0, false}, now_ns);
}

void DmaChannel::service() {
  if (!busy_) return;
  if (platform_.has_interrupts() ? (platform_.interrupts() & expected_interrupt()) == 0
                                 : !signals())
    return;
  const uint64_t finish_ns = platform_.interrupt_rise_ns(interrupt_);
  const Outcome outcome = collect(waiting_.front());
  complete(outcome, finish_ns);
  if (outcome.status != 0)
    recover();
  else if (!waiting_.empty())
    start_next();
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

}  // namespace sluice
