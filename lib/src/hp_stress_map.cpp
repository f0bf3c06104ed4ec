// SPDX-License-Identifier: Apache-2.0
// hp_stress: up to four lanes of DMA engine, pattern source, checking sink and loop-back
// (rtl/design/hp_stress.sv; registers: regs/hp_stress.rdl).
#include <fmt/core.h>
#include <hp_stress.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <string>
#include <utility>

#include "design_map.hpp"
#include "error.hpp"
#include "platform.hpp"

namespace sluice {
namespace {

// A field of lane 0, from the names that the register headers give its block, register and field.
#define SLUICE_FIELD(place, block, reg, field)                                             \
  HP_STRESS_HP_##place##_OFFSET + block##_##reg##_OFFSET, block##_##reg##_##field##_SHIFT, \
      block##_##reg##_##field##_MASK >> block##_##reg##_##field##_SHIFT
#define SLUICE_LANE(reg, field) SLUICE_FIELD(CONTROL, SL_HP_LANE, reg, field)
#define SLUICE_SOURCE(reg, field) SLUICE_FIELD(SOURCE, SL_STREAM_SOURCE, reg, field)
#define SLUICE_SINK(reg, field) SLUICE_FIELD(SINK, SL_STREAM_SINK, reg, field)

using Access = Attribute::Access;

const Attribute kLaneAttributes[] = {
    {"loopback", "1: MM2S stream to S2MM stream; 0: source to S2MM, MM2S to sink",
     SLUICE_LANE(ROUTE, LOOPBACK), Access::write},
    {"fifo_beats", "beats in the loop-back FIFO", SLUICE_LANE(FIFO_LEVEL, BEATS), Access::read},

    {"source.enable", "1: run; 0: stop after the beat presented", SLUICE_SOURCE(CONTROL, ENABLE),
     Access::write},
    {"source.clear", "write 1 while stopped: zero counters, restart the sequence",
     SLUICE_SOURCE(CONTROL, CLEAR), Access::write},
    {"source.continuous", "1: frames without end; 0: as many as source.frames",
     SLUICE_SOURCE(CONTROL, CONTINUOUS), Access::write},
    {"source.free_run", "1: a beat each due tick, dropped if nobody takes it",
     SLUICE_SOURCE(CONTROL, FREE_RUN), Access::write},
    {"source.running", "1: running", SLUICE_SOURCE(STATUS, RUNNING), Access::read},
    {"source.done", "1: a run of source.frames has ended", SLUICE_SOURCE(STATUS, DONE),
     Access::read},
    {"source.packet_beats", "beats in a packet", SLUICE_SOURCE(PACKET_BEATS, VALUE), Access::write},
    {"source.pause_ticks", "idle ticks between the packets of a frame",
     SLUICE_SOURCE(PAUSE_TICKS, VALUE), Access::write},
    {"source.frame_packets", "packets in a frame", SLUICE_SOURCE(FRAME_PACKETS, VALUE),
     Access::write},
    {"source.frame_ticks", "clock ticks from frame to frame; 0: at once",
     SLUICE_SOURCE(FRAME_TICKS, VALUE), Access::write},
    {"source.frames", "frames of a run", SLUICE_SOURCE(FRAMES, VALUE), Access::write},
    {"source.start", "first word of the sequence", SLUICE_SOURCE(START, VALUE), Access::write},
    {"source.beats", "beats sent", SLUICE_SOURCE(BEATS_LO, VALUE), Access::read_pair},
    {"source.packets", "packets sent", SLUICE_SOURCE(PACKETS, VALUE), Access::read},
    {"source.frames_done", "frames sent", SLUICE_SOURCE(FRAMES_DONE, VALUE), Access::read},
    {"source.late", "frames that started late", SLUICE_SOURCE(LATE, VALUE), Access::read},

    {"drop.beats", "beats dropped", SLUICE_SOURCE(DROP_BEATS_LO, VALUE), Access::read_pair},
    {"drop.runs", "gaps marked", SLUICE_SOURCE(DROP_RUNS, VALUE), Access::read},
    {"drop.first", "index of the first beat dropped", SLUICE_SOURCE(DROP_FIRST_LO, VALUE),
     Access::read_pair},
    {"drop.packets", "packets dropped whole", SLUICE_SOURCE(DROP_PACKETS, VALUE), Access::read},

    {"sink.enable", "1: take beats", SLUICE_SINK(CONTROL, ENABLE), Access::write},
    {"sink.clear", "write 1: zero counters, restart the check", SLUICE_SINK(CONTROL, CLEAR),
     Access::write},
    {"sink.check", "1: compare with the word pattern", SLUICE_SINK(CONTROL, CHECK), Access::write},
    {"sink.stall_mode", "0: never stall, 1: periodic, 2: random", SLUICE_SINK(CONTROL, STALL_MODE),
     Access::write},
    {"sink.ready_ticks", "periodic stalls: ticks ready", SLUICE_SINK(STALL, READY_TICKS),
     Access::write},
    {"sink.stall_ticks", "periodic stalls: ticks not ready", SLUICE_SINK(STALL, STALL_TICKS),
     Access::write},
    {"sink.stall_probability", "random stalls: chance of a stall in 256ths",
     SLUICE_SINK(STALL_PROB, VALUE), Access::write},
    {"sink.stall_seed", "random stalls: seed", SLUICE_SINK(STALL_SEED, VALUE), Access::write},
    {"sink.start", "first word expected", SLUICE_SINK(START, VALUE), Access::write},
    {"sink.mismatch", "1: a word was not the one expected", SLUICE_SINK(STATUS, MISMATCH),
     Access::read},
    {"sink.beats", "beats taken", SLUICE_SINK(BEATS_LO, VALUE), Access::read_pair},
    {"sink.bytes", "bytes taken", SLUICE_SINK(BYTES_LO, VALUE), Access::read_pair},
    {"sink.packets", "packets taken", SLUICE_SINK(PACKETS, VALUE), Access::read},
    {"sink.gaps", "places where the sequence jumped", SLUICE_SINK(GAPS, VALUE), Access::read},
    {"sink.first_bad", "index of the first beat that was wrong", SLUICE_SINK(FIRST_BAD_LO, VALUE),
     Access::read_pair},
    {"sink.first_tick", "clock tick of the first beat", SLUICE_SINK(FIRST_TICK_LO, VALUE),
     Access::read_pair},
    {"sink.last_tick", "clock tick of the last beat", SLUICE_SINK(LAST_TICK_LO, VALUE),
     Access::read_pair},
};

// A field of a register of the design page, shifted down.
#define SLUICE_PAGE_FIELD(value, reg, field) \
  (((value) & HP_STRESS_PAGE_##reg##_##field##_MASK) >> HP_STRESS_PAGE_##reg##_##field##_SHIFT)

}  // namespace

DesignMap map_lanes(Platform& platform, std::string_view port_name, unsigned lanes) {
  std::string channel_name(port_name);
  std::ranges::transform(channel_name, channel_name.begin(),
                         [](char c) { return static_cast<char>(std::tolower(c)); });
  const auto page = [&](uint32_t offset) {
    return platform.read32(lanes * HP_STRESS_HP_STRIDE + offset);
  };
  const uint32_t identity = page(HP_STRESS_PAGE_IDENTITY_OFFSET);
  if (identity != HP_STRESS_PAGE_IDENTITY_DEFAULT)
    throw Error(ENODEV, "the design says it is 0x{:08x}, not hp_stress", identity);
  constexpr uint32_t kKnownMajor =
      SLUICE_PAGE_FIELD(HP_STRESS_PAGE_VERSION_DEFAULT, VERSION, MAJOR);
  const uint32_t major = SLUICE_PAGE_FIELD(page(HP_STRESS_PAGE_VERSION_OFFSET), VERSION, MAJOR);
  if (major != kKnownMajor)
    throw Error(ENODEV, "hp_stress has version {}; this library knows {}", major, kKnownMajor);

  const uint32_t config = page(HP_STRESS_PAGE_CONFIG_OFFSET);
  // The field is as wide as hp_stress needs; of more lanes it holds the lower bits.
  constexpr uint32_t kPortsMask =
      HP_STRESS_PAGE_CONFIG_NUM_PORTS_MASK >> HP_STRESS_PAGE_CONFIG_NUM_PORTS_SHIFT;
  const bool as_expected = SLUICE_PAGE_FIELD(config, CONFIG, NUM_PORTS) == (lanes & kPortsMask);
  DesignMap map{
      .width_bits = 8 * SLUICE_PAGE_FIELD(config, CONFIG, DATA_BYTES),
      .length_bits = SLUICE_PAGE_FIELD(config, CONFIG, LEN_BITS),
      .unaligned = SLUICE_PAGE_FIELD(config, CONFIG, UNALIGNED) != 0,
      .engines = {},
      .attributes = {},
  };
  if (!as_expected || map.width_bits < 32 || map.width_bits > 512 || map.length_bits < 8 ||
      map.length_bits > 26)
    throw Error(ENODEV, "hp_stress describes itself as 0x{:08x}, which makes no sense", config);

  for (uint32_t port = 0; port < lanes; ++port) {
    map.engines.push_back({
        .port = fmt::format("{}{}", port_name, port),
        .channel = fmt::format("{}{}", channel_name, port),
        .base = HP_STRESS_HP_DMA(port),
        .interrupt = 2 * port,
    });
    for (const Attribute& lane_attribute : kLaneAttributes) {
      Attribute attribute = lane_attribute;
      attribute.name = fmt::format("{}{}.{}", channel_name, port, lane_attribute.name);
      attribute.offset += port * HP_STRESS_HP_STRIDE;
      map.attributes.push_back(std::move(attribute));
    }
  }
  return map;
}

}  // namespace sluice
