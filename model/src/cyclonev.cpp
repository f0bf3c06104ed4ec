// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/cyclonev.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace sluice::model {

namespace {
// TRM 12.4.4: what the interface to the FPGA has.
constexpr std::uint32_t kDataPorts = 4;

const CycloneVParams& checked(const CycloneVParams& p) {
  if (!(p.ddr_mhz >= 100.0 && p.ddr_mhz <= 1000.0)) {
    throw std::invalid_argument("cyclonev: ddr_mhz must be 100 to 1000");
  }
  if (p.port_bits.empty() || p.port_bits.size() > CycloneV::kMaxPorts) {
    throw std::invalid_argument(
        "cyclonev: 1 to 3 F2S ports; an AXI port takes two of six command ports");
  }
  std::uint32_t data_ports = 0;
  for (const std::uint32_t bits : p.port_bits) {
    if (bits != 32 && bits != 64 && bits != 128 && bits != 256) {
      throw std::invalid_argument("cyclonev: an F2S port has 32, 64, 128 or 256 bits, not " +
                                  std::to_string(bits));
    }
    data_ports += std::max(bits / 64U, 1U);
  }
  if (data_ports > kDataPorts) {
    throw std::invalid_argument(
        "cyclonev: the F2S ports need more than the four 64-bit data ports there are");
  }
  if ((1U << p.map.bank_bits) > p.timing.banks) {
    throw std::invalid_argument("cyclonev: bank_bits names more banks than the device has");
  }
  return p;
}
}  // namespace

CycloneV::CycloneV(const CycloneVParams& params)
    : params_(checked(params)),
      memory_(params.memory_base, params.memory_bytes),
      ddr_clock_(params.ddr_mhz),
      controller_(params.controller, params.timing),
      mpfe_(params.mpfe, params.map, controller_) {
  for (unsigned i = 0; i < params_.port_bits.size(); ++i) {
    port_.push_back(std::make_unique<F2sPort>(params_.f2s, params_.port_bits[i], memory_));
    f2s_.push_back(
        std::make_unique<AxiF2s>(*port_.back(), "F2S" + std::to_string(i), params_.port_bits[i]));
    mpfe_.connect(*port_.back());
  }
}

bool CycloneV::idle() const {
  return ddr_side_quiet() &&
         std::all_of(port_.begin(), port_.end(), [](const auto& port) { return port->idle(); });
}

void CycloneV::advance_to(std::uint64_t time_ps) {
  if (time_ps < now_ps_) {
    throw std::invalid_argument("cyclonev: time cannot go back from " + std::to_string(now_ps_) +
                                " ps to " + std::to_string(time_ps) + " ps");
  }
  now_ps_ = time_ps;
  const std::uint64_t end = ddr_clock_.cycle_at(time_ps);
  while (cycle_ < end) {
    if (ddr_side_quiet() && cycle_ < controller_.next_refresh_cycle()) {
      const std::uint64_t skipped = std::min(end, controller_.next_refresh_cycle()) - cycle_;
      cycle_ += skipped;
      controller_.skip_idle(skipped);
      continue;
    }
    if (cycle_ > mpfe_cycle_) {  // idle cycles were left out
      mpfe_cycle_ = (cycle_ + params_.mpfe.cycles - 1U) / params_.mpfe.cycles * params_.mpfe.cycles;
    }
    if (cycle_ == mpfe_cycle_) {
      mpfe_.tick(cycle_);
      mpfe_cycle_ += params_.mpfe.cycles;
    }
    controller_.tick(cycle_);
    mpfe_.take_returns(cycle_);
    ++cycle_;
  }
}

Statistics CycloneV::statistics() const {
  Statistics s = controller_.statistics();
  s.cycles = cycle_;
  for (unsigned i = 0; i < port_.size(); ++i) {
    s.hp_read_bytes[i] = port_[i]->read_bytes();
    s.hp_write_bytes[i] = port_[i]->write_bytes();
  }
  return s;
}

}  // namespace sluice::model
