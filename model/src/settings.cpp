// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/settings.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace sluice::model {
namespace {

#define SLUICE_SETTING(name, least, most, fitted, of_engine, field)              \
  SettingInfo {                                                                  \
    name, least, most, fitted, of_engine,                                        \
        [](Settings& settings, std::uint32_t value) { settings.field = value; }, \
        [](const Settings& settings) { return settings.field; }                  \
  }
// The same value for reads and for writes.
#define SLUICE_STORE_SETTING(name, least, most, field)                                 \
  SettingInfo {                                                                        \
    name, least, most, false, false,                                                   \
        [](Settings& settings, std::uint32_t value) {                                  \
          settings.memory_system.ddrc.lpr.field = value;                               \
          settings.memory_system.ddrc.wr.field = value;                                \
        },                                                                             \
        [](const Settings& settings) { return settings.memory_system.ddrc.lpr.field; } \
  }

}  // namespace

const std::vector<SettingInfo>& settings() {
  static const std::vector<SettingInfo> table = {
      SLUICE_SETTING("read_ram_words", 8, 512, true, false, memory_system.ddrc.port.read_ram_words),
      SLUICE_SETTING("read_bursts", 1, 32, true, false, memory_system.ddrc.port.read_bursts),
      SLUICE_SETTING("write_ram_words", 16, 512, false, false,
                     memory_system.ddrc.port.write_ram_words),
      SLUICE_SETTING("write_bursts", 1, 32, false, false, memory_system.ddrc.port.write_bursts),
      SLUICE_SETTING("read_page_hit_limit", 0, 1000000, true, false,
                     memory_system.ddrc.lpr.page_hit_limit),
      SLUICE_SETTING("write_page_hit_limit", 0, 1000000, false, false,
                     memory_system.ddrc.wr.page_hit_limit),
      SLUICE_SETTING("write_request_ticks", 1, 100, true, false,
                     memory_system.ddrc.write_request_ticks),
      SLUICE_SETTING("command_latency_cycles", 0, 200, false, false,
                     memory_system.ddrc.command_latency_cycles),
      SLUICE_SETTING("return_latency_cycles", 0, 200, true, false,
                     memory_system.ddrc.return_latency_cycles),
      SLUICE_SETTING("response_latency_cycles", 0, 200, false, false,
                     memory_system.ddrc.response_latency_cycles),
      SLUICE_SETTING("rdwr_idle_gap", 0, 1000, false, false, memory_system.ddrc.rdwr_idle_gap),
      SLUICE_SETTING("read_cam_entries", 1, 32, false, false, memory_system.ddrc.read_cam_entries),
      SLUICE_SETTING("write_cam_entries", 1, 32, false, false,
                     memory_system.ddrc.write_cam_entries),
      SLUICE_SETTING("read_issue_capability", 1, 8, false, false,
                     memory_system.afi.read_issue_capability),
      SLUICE_SETTING("write_issue_capability", 1, 8, false, false,
                     memory_system.afi.write_issue_capability),
      SLUICE_SETTING("read_fifo_words", 16, 1024, false, false, memory_system.afi.read_fifo_words),
      SLUICE_SETTING("write_fifo_words", 16, 1024, false, false,
                     memory_system.afi.write_fifo_words),
      SLUICE_SETTING("check_commands", 0, 1, false, false, memory_system.ddrc.check_commands),
      SLUICE_SETTING("cpu_copies", 0, 1, false, false, memory_system.cpu.copies),
      SLUICE_SETTING("cpu_line_cycles", 0, 1000, true, false, memory_system.cpu.line_cycles),
      SLUICE_SETTING("cpu_priority", 0, 1023, false, false, memory_system.ddrc.cpu_priority),
      SLUICE_SETTING("hp_priority", 0, 1023, false, false, memory_system.ddrc.port.priority),
      SLUICE_SETTING("tRCD", 1, 100, false, false, memory_system.timing.tRCD),
      SLUICE_SETTING("tRP", 1, 100, false, false, memory_system.timing.tRP),
      SLUICE_SETTING("tFAW", 1, 200, false, false, memory_system.timing.tFAW),
      SLUICE_SETTING("tWTR", 0, 100, false, false, memory_system.timing.tWTR),
      SLUICE_SETTING("rd2wr", 7, 100, false, false, memory_system.timing.rd2wr),
      SLUICE_SETTING("tRFC", 1, 1000, false, false, memory_system.timing.tRFC),
      SLUICE_SETTING("tREFI", 1000, 1000000000, false, false, memory_system.timing.tREFI),
      SLUICE_STORE_SETTING("max_starve_x32", 1, 1000000, max_starve_x32),
      SLUICE_STORE_SETTING("xact_run_length", 1, 1000000, xact_run_length),
      SLUICE_STORE_SETTING("min_non_critical_x32", 0, 1000000, min_non_critical_x32),
      SLUICE_SETTING("engine.buffer_beats", 16, 65536, false, true, engine.buffer_beats),
      SLUICE_SETTING("engine.loop_beats", 1, 65536, false, true, engine.loop_beats),
      SLUICE_SETTING("engine.max_read_bursts", 1, 1024, false, true, engine.max_read_bursts),
      SLUICE_SETTING("engine.max_write_bursts", 1, 1024, false, true, engine.max_write_bursts),
      SLUICE_SETTING("engine.group_bursts", 1, 64, false, true, engine.group_bursts),
      SLUICE_SETTING("engine.scatter", 0, 1, false, true, engine.scatter),
      SLUICE_SETTING("engine.stream_bits", 32, 64, false, true, engine.stream_bits),
      SLUICE_SETTING("engine.read_gap_edges", 0, 100000, false, true, engine.read_gap_edges),
      SLUICE_SETTING("engine.write_gap_edges", 0, 100000, false, true, engine.write_gap_edges),
      SLUICE_SETTING("engine.loop_gap_edges", 0, 100000, false, true, engine.loop_gap_edges),
  };
  return table;
}

void apply(Settings& target, std::string_view name, std::uint32_t value) {
  const auto found = std::find_if(settings().begin(), settings().end(),
                                  [&](const SettingInfo& info) { return info.name == name; });
  if (found == settings().end()) {
    std::string names;
    for (const SettingInfo& info : settings()) {
      if (!names.empty()) names += ", ";
      names += info.name;
    }
    throw std::invalid_argument("the model has no setting '" + std::string(name) +
                                "'; settings: " + names);
  }
  if (value < found->least || value > found->most) {
    throw std::invalid_argument(std::string(name) + " must be " + std::to_string(found->least) +
                                " to " + std::to_string(found->most) + ", not " +
                                std::to_string(value));
  }
  found->set(target, value);
}

}  // namespace sluice::model
