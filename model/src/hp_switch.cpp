// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/hp_switch.hpp"

namespace sluice::model {

void HpSwitch::tick(std::uint64_t cycle) {
  const bool active0 = afi_[0]->ps_active();
  const bool active1 = afi_[1]->ps_active();
  if (!active0 && !active1) return;
  if (active0) afi_[0]->ps_tick();
  if (active1) afi_[1]->ps_tick();

  // AR
  if (port_.read_room()) {
    for (std::uint32_t step = 0; step < 2; ++step) {
      const std::uint32_t source = (next_read_ + step) % 2U;
      if (!afi_[source]->ps_read_ready()) continue;
      Response response = Response::okay;
      const AfiBurst burst = afi_[source]->ps_issue_read(response);
      port_.read(burst, source, response != Response::okay, cycle);
      next_read_ = (source + 1U) % 2U;
      break;
    }
  }

  // AW and W: the next burst's address goes with its first word.
  if (write_words_left_ == 0) {
    for (std::uint32_t step = 0; step < 2; ++step) {
      const std::uint32_t source = (next_write_ + step) % 2U;
      if (!afi_[source]->ps_write_ready() || !port_.write_room(16)) continue;
      Response response = Response::okay;
      const AfiBurst burst = afi_[source]->ps_issue_write(response);
      port_.write(burst, source, response != Response::okay, cycle);
      write_source_ = source;
      write_words_left_ = burst.words;
      next_write_ = (source + 1U) % 2U;
      break;
    }
  }
  if (write_words_left_ != 0) {
    afi_[write_source_]->ps_fetch_write_word();
    port_.put_write_word();
    --write_words_left_;
  }

  // R
  if (!port_.read_word_ready(read_source_)) read_source_ ^= 1U;
  if (port_.read_word_ready(read_source_)) {
    port_.take_read_word(read_source_);
    afi_[read_source_]->ps_deliver_read_word();
  }

  // B
  if (port_.response_ready(cycle)) afi_[port_.take_response()]->ps_respond();
}

}  // namespace sluice::model
