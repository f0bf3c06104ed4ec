// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/settings.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace sluice::model {
namespace {

// Of the memory system: documented, fitted; and of the engines.
#define SLUICE_SETTING(name, least, most, field) \
  SLUICE_SETTING_OF(name, least, most, false, false, memory_system.field)
#define SLUICE_FITTED_SETTING(name, least, most, field) \
  SLUICE_SETTING_OF(name, least, most, true, false, memory_system.field)
#define SLUICE_ENGINE_SETTING(name, least, most) \
  SLUICE_SETTING_OF("engine." #name, least, most, false, true, engine.name)
#define SLUICE_SETTING_OF(name, least, most, fitted, of_engine, field)                   \
  SettingInfo<Params> {                                                                  \
    name, least, most, fitted, of_engine,                                                \
        [](Settings<Params>& settings, std::uint32_t value) { settings.field = value; }, \
        [](const Settings<Params>& settings) { return settings.field; }                  \
  }
// The same value for reads and for writes.
#define SLUICE_STORE_SETTING(name, least, most, field)                                         \
  SettingInfo<Params> {                                                                        \
    name, least, most, false, false,                                                           \
        [](Settings<Params>& settings, std::uint32_t value) {                                  \
          settings.memory_system.ddrc.lpr.field = value;                                       \
          settings.memory_system.ddrc.wr.field = value;                                        \
        },                                                                                     \
        [](const Settings<Params>& settings) { return settings.memory_system.ddrc.lpr.field; } \
  }
// A time, kept in ps.
#define SLUICE_NS_SETTING(name, field) SLUICE_NS_SETTING_OF(name, false, field)
#define SLUICE_FITTED_NS_SETTING(name, field) SLUICE_NS_SETTING_OF(name, true, field)
#define SLUICE_NS_SETTING_OF(name, fitted, field)                                  \
  SettingInfo<Params> {                                                            \
    name, 0, 100'000, fitted, false,                                               \
        [](Settings<Params>& settings, std::uint32_t value) {                      \
          settings.memory_system.field = std::uint64_t{value} * 1000U;             \
        },                                                                         \
        [](const Settings<Params>& settings) {                                     \
          return static_cast<std::uint32_t>(settings.memory_system.field / 1000U); \
        }                                                                          \
  }
#define SLUICE_ENGINE_SETTINGS                                                                 \
  SLUICE_ENGINE_SETTING(buffer_beats, 16, 65536), SLUICE_ENGINE_SETTING(loop_beats, 1, 65536), \
      SLUICE_ENGINE_SETTING(loop_latency_edges, 0, 1000),                                      \
      SLUICE_ENGINE_SETTING(max_read_bursts, 1, 1024),                                         \
      SLUICE_ENGINE_SETTING(max_write_bursts, 1, 1024),                                        \
      SLUICE_ENGINE_SETTING(group_bursts, 1, 64), SLUICE_ENGINE_SETTING(scatter, 0, 1),        \
      SLUICE_ENGINE_SETTING(stream_bits, 32, 64),                                              \
      SLUICE_ENGINE_SETTING(read_gap_edges, 0, 100000),                                        \
      SLUICE_ENGINE_SETTING(write_gap_edges, 0, 100000),                                       \
      SLUICE_ENGINE_SETTING(loop_gap_edges, 0, 100000)

}  // namespace

template <>
const std::vector<SettingInfo<Zynq7000Params>>& settings() {
  using Params = Zynq7000Params;
  static const std::vector<SettingInfo<Params>> table = {
      SLUICE_FITTED_SETTING("read_ram_words", 16, 512, ddrc.port.read_ram_words),
      SLUICE_FITTED_SETTING("read_bursts", 1, 32, ddrc.port.read_bursts),
      SLUICE_SETTING("write_ram_words", 16, 512, ddrc.port.write_ram_words),
      SLUICE_SETTING("write_bursts", 1, 32, ddrc.port.write_bursts),
      SLUICE_FITTED_SETTING("read_page_hit_limit", 0, 1000000, ddrc.lpr.page_hit_limit),
      SLUICE_SETTING("write_page_hit_limit", 0, 1000000, ddrc.wr.page_hit_limit),
      SLUICE_FITTED_SETTING("write_request_ticks", 1, 100, ddrc.write_request_ticks),
      SLUICE_SETTING("command_latency_cycles", 0, 200, ddrc.command_latency_cycles),
      SLUICE_FITTED_SETTING("return_latency_cycles", 0, 200, ddrc.return_latency_cycles),
      SLUICE_SETTING("response_latency_cycles", 0, 200, ddrc.response_latency_cycles),
      SLUICE_SETTING("rdwr_idle_gap", 0, 1000, ddrc.rdwr_idle_gap),
      SLUICE_SETTING("mode_every_cycle", 0, 1, ddrc.mode_every_cycle),
      SLUICE_SETTING("read_cam_entries", 1, 32, ddrc.read_cam_entries),
      SLUICE_SETTING("write_cam_entries", 1, 32, ddrc.write_cam_entries),
      SLUICE_SETTING("read_issue_capability", 1, 8, afi.read_issue_capability),
      SLUICE_SETTING("write_issue_capability", 1, 8, afi.write_issue_capability),
      SLUICE_SETTING("read_path_edges", 0, 1000, afi.read_path_edges),
      SLUICE_SETTING("read_fifo_words", 16, 1024, afi.read_fifo_words),
      SLUICE_SETTING("write_fifo_words", 16, 1024, afi.write_fifo_words),
      SLUICE_SETTING("check_commands", 0, 1, ddrc.check_commands),
      SLUICE_SETTING("cpu_copies", 0, 1, cpu_copies),
      SLUICE_FITTED_SETTING("l2_path_ps", 0, 1000000, l2.path_ps),
      SLUICE_FITTED_SETTING("l2_memory_path_ps", 0, 1000000, l2.memory_path_ps),
      SLUICE_FITTED_SETTING("micro_tlb_miss_ps", 0, 1000000, a9.micro_tlb_miss_ps),
      SLUICE_SETTING("l2_data_prefetch", 0, 1, l2.data_prefetch),
      SLUICE_SETTING("l2_linefill_buffers", 1, 16, l2.linefill_buffers),
      SLUICE_SETTING("l1_linefill_buffers", 1, 8, a9.linefill_buffers),
      SLUICE_SETTING("store_buffer", 1, 64, a9.store_buffer),
      SLUICE_SETTING("acp_allocate", 0, 1, acp.allocate),
      SLUICE_SETTING("cpu_priority", 0, 1023, ddrc.cpu_priority),
      SLUICE_SETTING("hp0_qos", 0, 15, hp_qos[0]),
      SLUICE_SETTING("hp1_qos", 0, 15, hp_qos[1]),
      SLUICE_SETTING("hp2_qos", 0, 15, hp_qos[2]),
      SLUICE_SETTING("hp3_qos", 0, 15, hp_qos[3]),
      SLUICE_SETTING("gp_central_cycle_ps", 1000, 1000000, gp.central_cycle_ps),
      SLUICE_SETTING("ocm_latency_ps", 0, 1000000, ocm.latency_ps),
      SLUICE_SETTING("hp_priority", 0, 1023, ddrc.port.priority),
      SLUICE_SETTING("tRCD", 1, 100, timing.tRCD),
      SLUICE_SETTING("tRP", 1, 100, timing.tRP),
      SLUICE_SETTING("tFAW", 1, 200, timing.tFAW),
      SLUICE_SETTING("tWTR", 0, 100, timing.tWTR),
      SLUICE_SETTING("rd2wr", 7, 100, timing.rd2wr),
      SLUICE_SETTING("tRFC", 1, 1000, timing.tRFC),
      SLUICE_SETTING("tREFI", 1000, 1000000000, timing.tREFI),
      SLUICE_STORE_SETTING("max_starve_x32", 1, 1000000, max_starve_x32),
      SLUICE_STORE_SETTING("xact_run_length", 1, 1000000, xact_run_length),
      SLUICE_STORE_SETTING("min_non_critical_x32", 0, 1000000, min_non_critical_x32),
      SLUICE_ENGINE_SETTINGS,
  };
  return table;
}

template <>
const std::vector<SettingInfo<CycloneVParams>>& settings() {
  using Params = CycloneVParams;
  static const std::vector<SettingInfo<Params>> table = {
      SLUICE_FITTED_SETTING("read_buffer_words", 0, 1024, mpfe.read_buffer_words),
      SLUICE_FITTED_SETTING("command_latency_cycles", 0, 200, mpfe.command_latency_cycles),
      SLUICE_SETTING("read_latency_cycles", 0, 200, mpfe.read_latency_cycles),
      SLUICE_FITTED_SETTING("queue_commands", 1, 64, controller.queue_commands),
      SLUICE_SETTING("response_latency_cycles", 0, 200, mpfe.response_latency_cycles),
      SLUICE_FITTED_SETTING("write_data_cycles", 1, 64, mpfe.write_data_cycles),
      SLUICE_SETTING("mpfe_cycles", 1, 16, mpfe.cycles),
      SLUICE_SETTING("read_priority", 0, 7, mpfe.priority[0]),
      SLUICE_SETTING("write_priority", 0, 7, mpfe.priority[1]),
      SLUICE_SETTING("async_data_words", 1, 512, f2s.async_data_words),
      SLUICE_SETTING("sync_data_words", 1, 512, f2s.sync_data_words),
      SLUICE_SETTING("async_commands", 1, 64, f2s.async_commands),
      SLUICE_SETTING("sync_commands", 1, 64, f2s.sync_commands),
      SLUICE_SETTING("pool_commands", 1, 32, controller.pool_commands),
      SLUICE_SETTING("starve_limit", 1, 63, controller.starve_limit),
      SLUICE_SETTING("check_commands", 0, 1, controller.check_commands),
      SLUICE_SETTING("tRCD", 1, 100, timing.tRCD),
      SLUICE_SETTING("tRP", 1, 100, timing.tRP),
      SLUICE_SETTING("tWTR", 0, 100, timing.tWTR),
      SLUICE_SETTING("rd2wr", 6, 100, timing.rd2wr),
      SLUICE_SETTING("tRFC", 1, 1000, timing.tRFC),
      SLUICE_SETTING("tREFI", 1000, 1000000000, timing.tREFI),
      SLUICE_ENGINE_SETTINGS,
  };
  return table;
}

template <>
const std::vector<SettingInfo<PcieParams>>& settings() {
  using Params = PcieParams;
  static const std::vector<SettingInfo<Params>> table = {
      SLUICE_SETTING("mps", 128, 1024, max_payload),
      SLUICE_SETTING("mrrs", 128, 4096, max_read_request),
      SLUICE_SETTING("rcb", 64, 128, read_completion_boundary),
      SLUICE_FITTED_SETTING("coalescing", 0, 1000, coalescing),
      SLUICE_SETTING("tags", 1, 256, tags),
      SLUICE_NS_SETTING("hop_ns", hop_ps),
      SLUICE_NS_SETTING("root_read_ns", root_read_ps),
      SLUICE_NS_SETTING("root_write_ns", root_write_ps),
      SLUICE_SETTING("posted_headers", 1, 2047, posted_headers),
      SLUICE_SETTING("posted_data", 1, 32767, posted_data),
      SLUICE_SETTING("nonposted_headers", 1, 2047, nonposted_headers),
      SLUICE_SETTING("ack_packets", 1, 64, ack_packets),
      SLUICE_NS_SETTING("credit_interval_ns", credit_interval_ps),
      SLUICE_SETTING("p2p_window", 1, 256, p2p_window),
      SLUICE_FITTED_NS_SETTING("p2p_read_ns", p2p_read_ps),
      SLUICE_SETTING("p2p_write_bytes", 64, 512, p2p_write_bytes),
      SLUICE_SETTING("gpu_generation", 1, 4, gpu.generation),
      SLUICE_SETTING("gpu_lanes", 1, 16, gpu.lanes),
      SLUICE_SETTING("gpu_mps", 128, 512, gpu.max_payload),
      SLUICE_SETTING("gpu_mrrs", 128, 512, gpu.max_read_request),
      SLUICE_SETTING("gpu_tags", 1, 256, gpu.tags),
      SLUICE_FITTED_NS_SETTING("gpu_start_ns", gpu.start_ps),
      SLUICE_FITTED_SETTING("gpu_rate_mb_s", 0, 1000000, gpu.rate_mb_s),
      SLUICE_SETTING("gpu_window", 1, 256, gpu.window),
      SLUICE_FITTED_NS_SETTING("gpu_service_ns", gpu.service_ps),
      SLUICE_SETTING("gpu_near_bytes", 0, 1U << 30U, gpu.near_bytes),
      SLUICE_FITTED_NS_SETTING("gpu_far_ns", gpu.far_ps),
      SLUICE_SETTING("iotlb_entries", 0, 65536, iotlb_entries),
      SLUICE_SETTING("iotlb_page_bytes", 4096, 1U << 30U, iotlb_page_bytes),
      SLUICE_NS_SETTING("iotlb_walk_ns", iotlb_walk_ps),
      SLUICE_SETTING("iotlb_walkers", 1, 64, iotlb_walkers),
      SLUICE_NS_SETTING("cpu_store_ns", cpu_store_ps),
      SLUICE_SETTING("cpu_combine_bytes", 4, 64, cpu_combine_bytes),
      SLUICE_SETTING("cpu_load_bytes", 4, 64, cpu_load_bytes),
      SLUICE_SETTING("cpu_copy_mb_s", 1, 1000000, cpu_copy_mb_s),
      SLUICE_SETTING("card_posted_headers", 1, 2047, card_posted_headers),
      SLUICE_NS_SETTING("card_read_ns", card_read_ps),
      SLUICE_NS_SETTING("card_write_ns", card_write_ps),
      SLUICE_SETTING("seed", 0, 0xffffffffU, seed),
  };
  return table;
}

template <typename Params>
void apply(Settings<Params>& target, std::string_view name, std::uint32_t value) {
  const auto found = std::ranges::find_if(
      settings<Params>(), [&](const SettingInfo<Params>& info) { return info.name == name; });
  if (found == settings<Params>().end()) {
    const bool of_engine = name.starts_with("engine.");
    std::string names;
    for (const SettingInfo<Params>& info : settings<Params>()) {
      if (info.of_engine != of_engine) continue;
      if (!names.empty()) names += ", ";
      names += info.name;
    }
    throw std::invalid_argument((of_engine ? "the transaction level's engines have no setting '"
                                           : "the memory model has no setting '") +
                                std::string(name) + "'; settings: " + names);
  }
  if (value < found->least || value > found->most) {
    throw std::invalid_argument(std::string(name) + " must be " + std::to_string(found->least) +
                                " to " + std::to_string(found->most) + ", not " +
                                std::to_string(value));
  }
  found->set(target, value);
}

template void apply(Settings<Zynq7000Params>&, std::string_view, std::uint32_t);
template void apply(Settings<CycloneVParams>&, std::string_view, std::uint32_t);
template void apply(Settings<PcieParams>&, std::string_view, std::uint32_t);

}  // namespace sluice::model
