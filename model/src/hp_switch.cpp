// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/hp_switch.hpp"

namespace sluice::model {

namespace {
constexpr std::uint32_t kUrgentQos = 8;  // the most significant of four bits
}  // namespace

void HpSwitch::pass_read(std::uint64_t cycle) {
  const std::uint32_t source = choose(last_read_, afi_[last_read_]->ps_read_ready(),
                                      afi_[last_read_ ^ 1U]->ps_read_ready(), read_qos_);
  Response response = Response::okay;
  const AfiBurst burst = afi_[source]->ps_issue_read(response);
  port_.read(burst, {source, response != Response::okay, read_qos_[source] >= kUrgentQos}, cycle);
  last_read_ = source;
}

void HpSwitch::pass_write(std::uint64_t cycle) {
  const std::uint32_t source = choose(last_write_, afi_[last_write_]->ps_write_ready(),
                                      afi_[last_write_ ^ 1U]->ps_write_ready(), write_qos_);
  Response response = Response::okay;
  const AfiBurst burst = afi_[source]->ps_issue_write(response);
  port_.write(burst, {source, response != Response::okay, write_qos_[source] >= kUrgentQos}, cycle);
  write_source_ = last_write_ = source;
  write_words_left_ = burst.words;
}

}  // namespace sluice::model
