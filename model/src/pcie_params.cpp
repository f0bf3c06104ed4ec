// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/pcie_params.hpp"

#include <bit>
#include <stdexcept>

namespace sluice::model {
namespace {

void refuse(const char* name, const std::string& allowed, std::uint64_t value) {
  throw std::invalid_argument(std::string(name) + " must be " + allowed + ", not " +
                              std::to_string(value));
}

std::string range(std::uint64_t least, std::uint64_t most) {
  return std::to_string(least) + " to " + std::to_string(most);
}

void within(const char* name, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  if (value < least || value > most) refuse(name, range(least, most), value);
}

void power_within(const char* name, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  if (value < least || value > most || !std::has_single_bit(value))
    refuse(name, "a power of two, " + range(least, most), value);
}

// Times are named as the settings that a user gives, in ns.
void ns_within(const char* name, std::uint64_t value_ps, std::uint64_t most_ps) {
  if (value_ps > most_ps) refuse(name, range(0, most_ps / 1000U), value_ps / 1000U);
}

}  // namespace

double PcieParams::raw_mb_s() const {
  constexpr double kGigatransfers[] = {2.5, 5.0, 8.0, 16.0};
  const double coding = generation <= 2 ? 8.0 / 10.0 : 128.0 / 130.0;
  constexpr double kSkip = 1.0 - 4.0 / 1538.0;
  return kGigatransfers[generation - 1U] * 1e3 * lanes * coding / 8.0 * kSkip;
}

void check(const PcieParams& p) {
  constexpr std::uint64_t kMost = 100'000'000;  // 100 us
  within("generation", p.generation, 1, 4);
  power_within("lanes", p.lanes, 1, 16);
  power_within("mps", p.max_payload, 128, 1024);
  power_within("mrrs", p.max_read_request, 128, 4096);
  power_within("rcb", p.read_completion_boundary, 64, 128);
  within("tags", p.tags, 1, 256);
  ns_within("hop_ns", p.hop_ps, kMost);
  within("ack_packets", p.ack_packets, 1, 64);
  ns_within("credit_interval_ns", p.credit_interval_ps, kMost);
  within("posted_headers", p.posted_headers, 1, 2047);
  within("posted_data", p.posted_data, p.max_payload / 16U + 1U, 32767);
  within("nonposted_headers", p.nonposted_headers, 1, 2047);
  ns_within("root_read_ns", p.root_read_ps, kMost);
  ns_within("root_write_ns", p.root_write_ps, p.root_read_ps);
  within("coalescing", p.coalescing, 0, 1000);
  within("p2p_window", p.p2p_window, 1, 256);
  ns_within("p2p_read_ns", p.p2p_read_ps, kMost);
  power_within("p2p_write_bytes", p.p2p_write_bytes, 64, 512);
  within("gpu_generation", p.gpu.generation, 1, 4);
  power_within("gpu_lanes", p.gpu.lanes, 1, 16);
  power_within("gpu_mps", p.gpu.max_payload, 128, 512);
  power_within("gpu_mrrs", p.gpu.max_read_request, 128, 512);
  within("gpu_tags", p.gpu.tags, 1, 256);
  ns_within("gpu_start_ns", p.gpu.start_ps, kMost);
  within("gpu_rate_mb_s", p.gpu.rate_mb_s, 0, 1'000'000);
  within("gpu_window", p.gpu.window, 1, 256);
  ns_within("gpu_service_ns", p.gpu.service_ps, kMost);
  ns_within("gpu_far_ns", p.gpu.far_ps, kMost);
  within("iotlb_entries", p.iotlb_entries, 0, 65536);
  power_within("iotlb_page_bytes", p.iotlb_page_bytes, 4096, std::uint64_t{1} << 30);
  ns_within("iotlb_walk_ns", p.iotlb_walk_ps, kMost);
  within("iotlb_walkers", p.iotlb_walkers, 1, 64);
  ns_within("cpu_store_ns", p.cpu_store_ps, kMost);
  power_within("cpu_combine_bytes", p.cpu_combine_bytes, 4, 64);
  power_within("cpu_load_bytes", p.cpu_load_bytes, 4, 64);
  within("cpu_copy_mb_s", p.cpu_copy_mb_s, 1, 1'000'000);
  within("card_posted_headers", p.card_posted_headers, 1, 2047);
  ns_within("card_read_ns", p.card_read_ps, kMost);
  ns_within("card_write_ns", p.card_write_ps, kMost);
}

PcieParams pcie_gen2x4() {
  PcieParams params;
  params.name = "pcie-gen2x4";
  params.generation = 2;
  params.lanes = 4;
  params.tags = 32;
  // Fitted to HF of Garrone ten Brink 2017, table 8: `sluice run pcie-transfers`.
  params.coalescing = 745;
  params.credit_interval_ps = 300'000;
  params.p2p_read_ps = 868'000;  // fitted to FGR of table 6
  return params;
}

PcieGpuParams quadro_m2000() {
  PcieGpuParams gpu;
  gpu.memory_bytes = std::uint64_t{256} << 20U;
  // Fitted to Garrone ten Brink 2017, table 8 (GH, HG) and the text's GR: `sluice run
  // pcie-transfers`.
  gpu.start_ps = 8'000'000;
  gpu.rate_mb_s = 6'389;
  gpu.service_ps = 512'000;
  gpu.near_bytes = 1U << 20U;
  gpu.far_ps = 356'000;
  return gpu;
}

PcieGpuParams gtx_950() {
  PcieGpuParams gpu = quadro_m2000();
  gpu.start_ps += gpu.start_ps / 8U;  // 12.5 %
  return gpu;
}

PcieParams pcie_gen3x8() { return {}; }

PcieParams pcie_gen4x8() {
  PcieParams params;
  params.name = "pcie-gen4x8";
  params.generation = 4;
  return params;
}

}  // namespace sluice::model
