// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/zynq7000.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace sluice::model {

namespace {
// UG585 figure 5-1: HP0,1 and HP2,3 each share a port of the DDR controller; port 0 is the CPU's,
// port 1 the central interconnect's.
constexpr std::array<std::uint32_t, 2> kDdriPortOfPair = {3, 2};
constexpr std::uint32_t kCpuDdriPort = 0;
constexpr std::uint32_t kCentralDdriPort = 1;
constexpr std::uint64_t kTableBytes = 4ULL << 20U;  // room of the CPU's translation tables
constexpr std::uint64_t kCopyBytes = 8ULL << 20U;   // a block of cpu_copies: 16 times the L2 cache
// How much further than a multiple of its size the second block lies: four DRAM banks, as in
// experiments about the CPU alone.
constexpr std::uint64_t kCopyStagger = 4U * 4096U;

const Zynq7000Params& checked(const Zynq7000Params& p) {
  if (!(p.ddr_mhz >= 100.0 && p.ddr_mhz <= 1000.0)) {
    throw std::invalid_argument("zynq7000: ddr_mhz must be 100 to 1000");
  }
  if (p.ddri_ratio_denominator == 0 || p.ddri_ratio_numerator == 0 ||
      p.ddri_ratio_numerator > p.ddri_ratio_denominator) {
    throw std::invalid_argument("zynq7000: the DDRI clock ratio must be in (0, 1]");
  }
  if (p.cpu_copies != 0 && p.memory_bytes < 8U * kCopyBytes) {
    throw std::invalid_argument("zynq7000: cpu_copies needs 64 MiB of memory");
  }
  for (const std::uint32_t qos : p.hp_qos)
    if (qos > 15) throw std::invalid_argument("zynq7000: hp_qos must be 0 to 15");
  if (p.gp.read_acceptance < 2 || p.gp.write_acceptance < 3 || p.gp.central_cycle_ps < 1000) {
    throw std::invalid_argument("zynq7000: gp accepts 2 reads and 3 writes at least");
  }
  if (p.bus_bytes != 4) throw std::invalid_argument("zynq7000: bus_bytes must be 4");
  return p;
}
/// What an AfiPort needs to accept as many bursts as a GP port does, as of the ACP.
AfiParams gp_port(const GpParams& gp) {
  AfiParams afi{};
  afi.read_command_depth = 1;
  afi.write_command_depth = 2;
  afi.read_issue_capability = gp.read_acceptance - 1U;
  afi.write_issue_capability = gp.write_acceptance - 2U;
  return afi;
}
}  // namespace

Zynq7000::Zynq7000(const Zynq7000Params& params)
    : params_(checked(params)),
      memory_(params.memory_file < 0
                  ? Memory(params.memory_base, params.memory_bytes)
                  : Memory(params.memory_base, params.memory_bytes, params.memory_file)),
      ddr_clock_(params.ddr_mhz),
      ddrc_(params.ddrc, params.timing),
      ocm_(params.ocm, params.gp.central_cycle_ps),
      l2_(params.l2, params.a9.cycle_ps, ddrc_.port(kCpuDdriPort)),
      a9_(params.a9, params.memory_base + params.memory_bytes - kTableBytes, l2_),
      acp_(AcpPath::port_params(params.acp), memory_, &ocm_.memory()),
      acp_pins_(acp_, "ACP"),
      acp_path_(params.acp, params.l2.path_ps, acp_, a9_, l2_, ocm_),
      dmac_paths_(params.dmac, params.gp.central_cycle_ps, memory_, ocm_.memory()),
      dmac_(dmac_paths_) {
  for (unsigned port = 0; port < kHpPorts; ++port) {
    AfiParams afi = params_.afi;
    afi.read_qos = afi.write_qos = params_.hp_qos[port];
    afi_[port] = std::make_unique<AfiPort>(afi, memory_, &ocm_.memory());
    ocm_.connect(*afi_[port]);
    hp_[port] = std::make_unique<AxiHp>(*afi_[port], "HP" + std::to_string(port));
  }
  if (params_.cpu_copies != 0) {
    const std::uint64_t end = params_.memory_base + params_.memory_bytes;
    a9_.start({.kind = CpuProgram::Kind::copy,
               .source = end - 4U * kCopyBytes,
               .destination = end - 3U * kCopyBytes + kCopyStagger,
               .bytes = kCopyBytes,
               .forever = true},
              0);
  }
  for (auto& gp : gp_) {
    gp = std::make_unique<AfiPort>(gp_port(params_.gp), memory_, &ocm_.memory());
    ocm_.connect(*gp);
  }
  ocm_.connect(dmac_paths_.on_chip());
  central_ = std::make_unique<CentralSwitch>(
      std::array<AfiPort*, 4>{gp_[0].get(), gp_[1].get(), &dmac_paths_.ddr(),
                              &dmac_paths_.on_chip()},
      ddrc_.port(kCentralDdriPort));
  for (unsigned pair = 0; pair < 2; ++pair) {
    switch_[pair] = std::make_unique<HpSwitch>(
        std::array<AfiPort*, 2>{afi_[2 * pair].get(), afi_[2 * pair + 1].get()},
        ddrc_.port(kDdriPortOfPair[pair]));
  }
}

bool Zynq7000::ddr_side_quiet() const {
  // The DDR controller first: it is what works most of the time.
  return ddrc_.quiet() && !a9_.running() && !l2_busy_ && (!acp_.ps_active() || acp_path_.quiet()) &&
         switch_[0]->quiet() && switch_[1]->quiet() && central_->quiet() && dmac_.quiet() &&
         ocm_.quiet();
}

bool Zynq7000::ports_idle() const {
  const auto is_idle = [](const auto& port) { return port->idle(); };
  return acp_.idle() && std::ranges::all_of(afi_, is_idle) && std::ranges::all_of(gp_, is_idle);
}

void Zynq7000::tick_cpu(std::uint64_t time_ps) {
  if (a9_.running()) a9_.advance(time_ps);
  acp_path_.tick(time_ps);
  l2_.tick(cycle_, time_ps);
  l2_busy_ = !l2_.quiet();
}

/// At the first cycle of DDR_2x after an edge of the interconnects' own clock.
void Zynq7000::tick_central() {
  const std::uint64_t before = ddr_clock_.time_ps(last_ddri_cycle_);
  const std::uint64_t now = ddr_clock_.time_ps(cycle_);
  if (now / params_.gp.central_cycle_ps == before / params_.gp.central_cycle_ps) return;
  if (!dmac_.quiet()) dmac_.tick(now);
  central_->tick(cycle_);
  if (ocm_.active()) ocm_.tick(now);
}

void Zynq7000::tick() {
  ddri_phase_ += params_.ddri_ratio_numerator;
  if (ddri_phase_ >= params_.ddri_ratio_denominator) {
    ddri_phase_ -= params_.ddri_ratio_denominator;
    switch_[0]->tick(cycle_);
    switch_[1]->tick(cycle_);
    if (cpu_works_) tick_cpu(ddr_clock_.time_ps(cycle_));
    if (central_works_ || ocm_.active()) tick_central();
    ddrc_.ddri_tick(cycle_);
    last_ddri_cycle_ = cycle_;
  }
  ddrc_.tick(cycle_);
  ++cycle_;
}

void Zynq7000::advance_to(std::uint64_t time_ps) {
  if (time_ps < now_ps_) {
    throw std::invalid_argument("zynq7000: time cannot go back from " + std::to_string(now_ps_) +
                                " ps to " + std::to_string(time_ps) + " ps");
  }
  now_ps_ = time_ps;
  // Only what is called between two advances gives these work.
  cpu_works_ = a9_.running() || acp_.ps_active() || l2_busy_;
  central_works_ = central_->active() || !dmac_.quiet();
  const std::uint64_t end = ddr_clock_.cycle_at(time_ps);
  while (cycle_ < end) {
    if (ddr_side_quiet() && cycle_ < ddrc_.next_refresh_cycle()) {
      const std::uint64_t skipped = std::min(end, ddrc_.next_refresh_cycle()) - cycle_;
      cycle_ += skipped;
      ddrc_.skip_idle(skipped);
      continue;
    }
    tick();
  }
}

Statistics Zynq7000::statistics() const {
  Statistics s = ddrc_.statistics();
  s.cycles = cycle_;
  for (unsigned port = 0; port < kHpPorts; ++port) {
    s.hp_read_bytes[port] = afi_[port]->read_bytes();
    s.hp_write_bytes[port] = afi_[port]->write_bytes();
  }
  return s;
}

}  // namespace sluice::model
