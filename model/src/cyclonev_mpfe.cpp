// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/cyclonev_mpfe.hpp"

#include <algorithm>
#include <stdexcept>

namespace sluice::model {

namespace {
constexpr std::uint32_t kBurstWords = F2sPort::kDramBurstBytes / 8U;

const MpfeParams& checked(const MpfeParams& p) {
  const auto require = [](bool ok, const char* what) {
    if (!ok) throw std::invalid_argument(std::string("MPFE: ") + what);
  };
  require(p.cycles >= 1 && p.cycles <= 16, "cycles must be 1 to 16");
  require(p.write_data_cycles >= 1 && p.write_data_cycles <= 64,
          "write_data_cycles must be 1 to 64");
  require(p.command_latency_cycles <= p.read_latency_cycles,
          "command_latency_cycles must not be larger than read_latency_cycles");
  require(p.read_buffer_words <= 1024, "read_buffer_words must be 0 to 1024");
  for (const std::uint32_t priority : p.priority) require(priority <= 7, "priority must be 0 to 7");
  for (const std::uint32_t weight : p.weight) {
    require(weight >= 1 && weight <= 31, "weight must be 1 to 31");
  }
  return p;
}
}  // namespace

Mpfe::Mpfe(const MpfeParams& params, const AddressMap& map, SinglePortController& controller)
    : params_(checked(params)),
      return_latency_cycles_(params.read_latency_cycles - params.command_latency_cycles),
      map_(map),
      controller_(controller) {
  if (map.page_bits < 5 || map.page_bits > 16 || map.bank_bits < 2 || map.bank_bits > 3) {
    throw std::invalid_argument("cyclonev: page_bits must be 5 to 16, bank_bits 2 or 3");
  }
}

void Mpfe::connect(F2sPort& port) {
  if (2U * (ports_.size() + 1U) > MpfeParams::kCommandPorts) {
    throw std::logic_error("MPFE: no command ports left");
  }
  ports_.push_back(&port);
}

bool Mpfe::quiet() const {
  return std::all_of(ports_.begin(), ports_.end(), [](const F2sPort* p) { return p->ddr_quiet(); });
}

bool Mpfe::read_competes(std::uint32_t port) const {
  if (!ports_[port]->ddr_read_pending()) return false;
  const std::uint32_t words = ports_[port]->ddr_next_read().words;
  std::uint32_t buffered = 0;
  for (std::uint32_t i = 0; i < ports_.size(); ++i) {
    buffered += ports_[i]->read_words_over(i == port ? words : 0);
  }
  return buffered <= params_.read_buffer_words ||
         ports_[port]->read_words_over(words) == 0;  // into its own FIFOs always
}

void Mpfe::tick(std::uint64_t cycle) {
  for (F2sPort* port : ports_) {
    if (port->ddr_active()) port->ddr_tick(cycle);
  }
  if (!controller_.room()) return;
  std::uint32_t competitors = 0;  // mask of command ports
  std::uint32_t highest = 0;
  const auto compete = [&](std::uint32_t command_port) {
    const std::uint32_t priority = params_.priority[command_port];
    if (competitors == 0 || priority > highest) {
      competitors = 0;
      highest = priority;
    }
    if (priority == highest) competitors |= 1U << command_port;
  };
  const bool write_data_soon = write_data_free_ < cycle + params_.cycles;
  for (std::uint32_t port = 0; port < ports_.size(); ++port) {
    if (!ports_[port]->ddr_active()) continue;
    if (read_competes(port)) compete(2U * port);
    if (write_data_soon && ports_[port]->ddr_write_pending()) compete(2U * port + 1U);
  }
  if (competitors == 0) return;

  std::int64_t sum = 0;
  std::uint32_t winner = MpfeParams::kCommandPorts;
  for (std::uint32_t i = 0; i < MpfeParams::kCommandPorts; ++i) {
    if ((competitors >> i & 1U) == 0) continue;
    deficit_[i] += params_.weight[i];
    sum += params_.weight[i];
    if (winner == MpfeParams::kCommandPorts || deficit_[i] > deficit_[winner]) winner = i;
  }
  deficit_[winner] -= sum;
  grant(winner, cycle);
}

void Mpfe::grant(std::uint32_t command_port, std::uint64_t cycle) {
  F2sPort& port = *ports_[command_port / 2U];
  const bool write = command_port % 2U != 0;
  const F2sPort::Request next = write ? port.ddr_next_write() : port.ddr_next_read();
  std::uint32_t number = 0;
  if (write) {
    // Of a part of a DRAM burst, a part of the time.
    write_data_free_ = std::max(write_data_free_, cycle) +
                       (params_.write_data_cycles * next.words + kBurstWords - 1U) / kBurstWords;
    port.ddr_grant_write(cycle + params_.response_latency_cycles);
  } else {
    number = port.ddr_grant_read();
  }
  if (next.failed) {
    if (!write) port.ddr_returned(number);
    return;
  }
  controller_.accept({.row = map_.row(next.address),
                      .bank = static_cast<std::uint8_t>(map_.bank(next.address)),
                      .write = write,
                      .port = static_cast<std::uint8_t>(command_port / 2U),
                      .number = number},
                     cycle + params_.command_latency_cycles);
}

}  // namespace sluice::model
