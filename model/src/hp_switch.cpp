// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/hp_switch.hpp"

namespace sluice::model {

namespace {
constexpr std::uint32_t kNone = 2;
constexpr std::uint32_t kUrgentQos = 8;  // the most significant of four bits
}  // namespace

template <typename Ready>
std::uint32_t HpSwitch::choose(std::uint32_t last, const std::array<std::uint32_t, 2>& qos,
                               Ready ready) const {
  const std::uint32_t other = last ^ 1U;
  const bool ready_other = ready(other);
  const bool ready_last = ready(last);
  if (ready_other && (!ready_last || qos[other] >= qos[last])) return other;
  return ready_last ? last : kNone;
}

void HpSwitch::move(std::uint64_t cycle) {
  for (AfiPort* afi : afi_)
    if (afi->ps_active()) afi->ps_tick();

  // AR
  if (port_.read_room()) {
    const std::uint32_t source = choose(
        last_read_, read_qos_, [&](std::uint32_t port) { return afi_[port]->ps_read_ready(); });
    if (source != kNone) {
      Response response = Response::okay;
      const AfiBurst burst = afi_[source]->ps_issue_read(response);
      port_.read(burst, {source, response != Response::okay, read_qos_[source] >= kUrgentQos},
                 cycle);
      last_read_ = source;
    }
  }

  // AW and W: the next burst's address goes with its first word.
  if (write_words_left_ == 0 && port_.write_room(16)) {
    const std::uint32_t source = choose(
        last_write_, write_qos_, [&](std::uint32_t port) { return afi_[port]->ps_write_ready(); });
    if (source != kNone) {
      Response response = Response::okay;
      const AfiBurst burst = afi_[source]->ps_issue_write(response);
      port_.write(burst, {source, response != Response::okay, write_qos_[source] >= kUrgentQos},
                  cycle);
      write_source_ = last_write_ = source;
      write_words_left_ = burst.words;
    }
  }
  if (write_words_left_ != 0) {
    afi_[write_source_]->ps_fetch_write_word();
    port_.put_write_word();
    --write_words_left_;
  }

  // R
  if (port_.read_word_ready()) afi_[port_.take_read_word()]->ps_deliver_read_word();

  // B
  if (port_.response_ready(cycle)) afi_[port_.take_response()]->ps_respond();
}

}  // namespace sluice::model
