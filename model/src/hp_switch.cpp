// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/hp_switch.hpp"

#include "sluice/model/qos_choice.hpp"

namespace sluice::model {

namespace {
constexpr std::uint32_t kUrgentQos = 8;  // the most significant of four bits
}  // namespace

template <std::uint32_t kPorts>
void PortSwitch<kPorts>::pass_read(std::uint64_t cycle) {
  const std::uint32_t source = choose_by_qos(
      kPorts, last_read_, [this](std::uint32_t port) { return afi_[port]->ps_read_ready(); },
      [this](std::uint32_t port) { return read_qos_[port]; });
  Response response = Response::okay;
  const AfiBurst burst = afi_[source]->ps_issue_read(response);
  port_.read(burst, {source, response != Response::okay, read_qos_[source] >= kUrgentQos}, cycle);
  last_read_ = source;
}

template <std::uint32_t kPorts>
void PortSwitch<kPorts>::pass_write(std::uint64_t cycle) {
  const std::uint32_t source = choose_by_qos(
      kPorts, last_write_, [this](std::uint32_t port) { return afi_[port]->ps_write_ready(); },
      [this](std::uint32_t port) { return write_qos_[port]; });
  Response response = Response::okay;
  const AfiBurst burst = afi_[source]->ps_issue_write(response);
  port_.write(burst, {source, response != Response::okay, write_qos_[source] >= kUrgentQos}, cycle);
  write_source_ = last_write_ = source;
  write_words_left_ = burst.words;
}

template class PortSwitch<2>;
template class PortSwitch<4>;

}  // namespace sluice::model
