// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/ocm.hpp"

#include <algorithm>
#include <stdexcept>

#include "sluice/model/qos_choice.hpp"

namespace sluice::model {

namespace {
constexpr std::uint32_t kWordBytes = 8;
constexpr std::uint32_t kRamBytes = 16;  // of an operation

const OcmParams& checked(const OcmParams& p) {
  if (p.acceptance == 0) throw std::invalid_argument("ocm: acceptance must be at least 1");
  return p;
}
}  // namespace

Ocm::Ocm(const OcmParams& params, std::uint64_t cycle_ps)
    : params_(checked(params)),
      cycle_ps_(cycle_ps),
      memory_{.bytes = Memory(params.base, params.bytes)} {}

template <typename Ready, typename Issue>
void Ocm::accept(std::deque<Burst>& bursts, std::uint32_t& last, Ready ready,
                 std::uint32_t AfiParams::* qos, Issue issue, std::uint64_t now_ps) {
  if (bursts.size() == params_.acceptance) return;
  const auto ports = static_cast<std::uint32_t>(ports_.size());
  const std::uint32_t chosen = choose_by_qos(
      ports, last, [&](std::uint32_t port) { return (ports_[port]->*ready)(); },
      [&](std::uint32_t port) { return ports_[port]->params().*qos; });
  if (chosen == ports) return;
  last = chosen;
  Response response{};
  bursts.push_back(
      {ports_[chosen], (ports_[chosen]->*issue)(response), now_ps + params_.latency_ps});
}

std::uint32_t Ocm::words_at_once(const Burst& burst) {
  const bool whole = burst.burst.size_bytes == kWordBytes &&
                     burst.operated + 1U < burst.burst.words &&
                     burst.burst.beat_address(burst.operated) % kRamBytes < kWordBytes;
  return whole ? kRamBytes / kWordBytes : 1U;
}

Ocm::Burst* Ocm::next_read(std::uint64_t now_ps) {
  std::uint32_t waiting = 0;  // words in the buffer
  for (Burst& read : reads_) {
    waiting += read.operated - read.travelled;
    if (read.operated == read.burst.words) continue;
    const bool room = waiting + words_at_once(read) <= kBufferWords;
    return room && now_ps >= read.from_ps ? &read : nullptr;
  }
  return nullptr;
}

Ocm::Burst* Ocm::next_write() {
  const auto next = std::ranges::find_if(
      writes_, [](const Burst& write) { return write.operated != write.burst.words; });
  if (next == writes_.end() || next->travelled - next->operated < words_at_once(*next))
    return nullptr;
  return &*next;
}

void Ocm::operate(std::uint64_t now_ps) {
  if (scu_operations_ != 0) {
    --scu_operations_;
    return;
  }
  Burst* const read = next_read(now_ps);
  Burst* const write = next_write();
  const bool writes = write != nullptr && (read == nullptr || !write_was_last_);
  Burst* const chosen = writes ? write : read;
  if (chosen == nullptr) return;
  chosen->operated += words_at_once(*chosen);
  write_was_last_ = writes;
}

void Ocm::tick(std::uint64_t now_ps) {
  // R, B
  if (!reads_.empty() && reads_.front().travelled < reads_.front().operated) {
    Burst& read = reads_.front();
    read.port->ps_deliver_read_word();
    if (++read.travelled == read.burst.words) reads_.pop_front();
  }
  if (!writes_.empty() && writes_.front().operated == writes_.front().burst.words &&
      now_ps >= writes_.front().from_ps) {
    writes_.front().port->ps_respond();
    writes_.pop_front();
  }
  operate(now_ps);
  // W
  std::uint32_t waiting = 0;  // words in the buffer
  for (Burst& write : writes_) {
    waiting += write.travelled - write.operated;
    if (write.travelled == write.burst.words) continue;
    if (waiting < kBufferWords) {
      write.port->ps_fetch_write_word();
      ++write.travelled;
    }
    break;
  }
  // AR, AW
  accept(reads_, last_read_, &AfiPort::ps_ocm_read_ready, &AfiParams::read_qos,
         &AfiPort::ps_issue_read, now_ps);
  accept(writes_, last_write_, &AfiPort::ps_ocm_write_ready, &AfiParams::write_qos,
         &AfiPort::ps_issue_write, now_ps);
  memory_.active = !quiet() || std::ranges::any_of(
                                   ports_, [](const AfiPort* port) { return port->ps_asks_ocm(); });
}

std::uint64_t Ocm::access(std::uint64_t now_ps, std::uint32_t bytes) {
  memory_.active = true;
  const std::uint64_t waits_ps = scu_operations_ * cycle_ps_;
  scu_operations_ += (bytes + kRamBytes - 1U) / kRamBytes;
  return now_ps + waits_ps + params_.latency_ps;
}

}  // namespace sluice::model
