// SPDX-License-Identifier: Apache-2.0
// Each design's page and address map (regs/hp_stress.rdl and its siblings), as engines and
// attributes.
#include "design_map.hpp"

#include <avmm_card.h>
#include <capture.h>
#include <cdma.h>
#include <dma_loopback.h>
#include <f2s_stress.h>
#include <fmt/core.h>
#include <hp_stress.h>
#include <msgdma.h>
#include <sl_streamif.h>
#include <xdma_card.h>

#include <bit>
#include <cerrno>

#include "error.hpp"
#include "platform.hpp"

namespace sluice {
namespace {

using Kind = EngineEntry::Kind;

// A field of a register of the design page, shifted down.
#define SLUICE_PAGE_FIELD(value, reg, field) \
  (((value) & SL_DESIGN_PAGE_##reg##_##field##_MASK) >> SL_DESIGN_PAGE_##reg##_##field##_SHIFT)

// Each adds what lane n of its design has; `port` has the names, the rest is to be filled in.
void add_hp_streams(DesignMap& map, const EngineEntry& port, uint32_t lane) {
  add_lane_attributes(map.attributes, port.channel,
                      {.source = HP_STRESS_HP_SOURCE(lane),
                       .sink = HP_STRESS_HP_SINK(lane),
                       .control = HP_STRESS_HP_CONTROL(lane)});
}

void add_hp_lane(DesignMap& map, const EngineEntry& port, uint32_t lane) {
  EngineEntry engine = port;
  engine.kind = Kind::axi_dma;
  engine.base = HP_STRESS_HP_DMA(lane);
  engine.interrupt = 2 * lane;
  map.engines.push_back(engine);
  add_hp_streams(map, port, lane);
}

// Of an AXI DMA with descriptors this library drives S2MM alone.
void add_hp_sg_lane(DesignMap& map, const EngineEntry& port, uint32_t lane) {
  EngineEntry engine = port;
  engine.kind = Kind::axi_dma_ring;
  engine.base = HP_STRESS_HP_DMA(lane);
  engine.interrupt = 2 * lane;
  engine.capability = HP_STRESS_HP_CAPABILITY(lane);
  map.engines.push_back(engine);
  add_hp_streams(map, port, lane);
  add_capability_attributes(map.attributes, port.channel, HP_STRESS_HP_CAPABILITY(lane));
}

void add_loopback_lane(DesignMap& map, const EngineEntry& port, uint32_t lane) {
  EngineEntry engine = port;
  engine.kind = Kind::axi_dma;
  engine.base = DMA_LOOPBACK_HP_DMA(lane);
  engine.interrupt = 2 * lane;
  map.engines.push_back(engine);
  add_fifo_attribute(map.attributes, port.channel, DMA_LOOPBACK_HP_CONTROL(lane));
}

void add_cdma_lane(DesignMap& map, const EngineEntry& port, uint32_t lane) {
  EngineEntry engine = port;
  engine.kind = Kind::cdma;
  engine.base = CDMA_HP_CDMA(lane);
  engine.interrupt = lane;
  engine.number = lane;
  map.engines.push_back(engine);
}

void add_msgdma_lane(DesignMap& map, const EngineEntry& port, uint32_t lane) {
  EngineEntry engine = port;
  engine.kind = Kind::msgdma_copy;
  engine.base = MSGDMA_HP_CSR(lane);
  engine.interrupt = lane;
  map.engines.push_back(engine);
}

void add_capture_lane(DesignMap& map, const EngineEntry& port, uint32_t lane) {
  EngineEntry engine = port;
  engine.kind = Kind::axi_dma_ring;
  engine.base = CAPTURE_HP_DMA(lane);
  engine.interrupt = 2 * lane;
  engine.capability = CAPTURE_HP_CAPABILITY(lane);
  map.engines.push_back(engine);
  add_capture_attributes(map.attributes, port.channel,
                         {.source = CAPTURE_HP_SOURCE(lane),
                          .capability = CAPTURE_HP_CAPABILITY(lane),
                          .picture = CAPTURE_HP_PICTURE(lane)});
}

void add_f2s_lane(DesignMap& map, const EngineEntry& port, uint32_t lane) {
  EngineEntry engine = port;
  engine.kind = Kind::msgdma_mm2s;
  engine.base = F2S_STRESS_F2S_MM2S_CSR(lane);
  engine.interrupt = 2 * lane;
  map.engines.push_back(engine);
  engine.kind = Kind::msgdma_s2mm;
  engine.base = F2S_STRESS_F2S_S2MM_CSR(lane);
  ++engine.interrupt;
  map.engines.push_back(engine);
  add_lane_attributes(map.attributes, port.channel,
                      {.source = F2S_STRESS_F2S_SOURCE(lane),
                       .sink = F2S_STRESS_F2S_SINK(lane),
                       .control = F2S_STRESS_F2S_CONTROL(lane)});
}

// The control space of hardware threads (rtl/design/streamif_threads.sv).
constexpr uint32_t kThreadStride = 0x8000;
constexpr uint32_t kThreadSource = 0x1000;
constexpr uint32_t kThreadSink = 0x2000;
constexpr uint32_t kThreadLane = 0x3000;
constexpr uint32_t kThreadPage = 0x4000;
constexpr uint32_t kThreadDesignPage = 0x4'0000;
constexpr uint32_t kThreadControl = 0x5'0000;
constexpr unsigned kThreadFaultLine = 16;
constexpr unsigned kThreadMailLine = 17;

// No lanes by port: the threads, however many there are, and the lane of each. Routes and turns are
// those of streamif_threads.
void add_threads(DesignMap& map, Platform& platform, bool streamif) {
  const uint32_t config = platform.read32(kThreadControl + SL_STREAMIF_CONFIG_OFFSET);
  const unsigned count =
      (config & SL_STREAMIF_CONFIG_THREADS_MASK) >> SL_STREAMIF_CONFIG_THREADS_SHIFT;
  map.hwts = HwtEntry{.control = kThreadControl,
                      .count = count,
                      .fault_line = kThreadFaultLine,
                      .mail_line = kThreadMailLine,
                      .first_page = kThreadPage,
                      .page_stride = kThreadStride,
                      .routes = streamif};
  for (uint32_t thread = 0; thread < count; ++thread)
    add_lane_attributes(map.attributes, fmt::format("t{}", thread),
                        {.source = thread * kThreadStride + kThreadSource,
                         .sink = thread * kThreadStride + kThreadSink,
                         .control = thread * kThreadStride + kThreadLane});
  if (streamif) add_turns_attribute(map.attributes, "ports", kThreadControl);
}

// A card's channels: as many to it as from it.
void add_xdma_channels(DesignMap& map, bool stream) {
  for (unsigned way = 0; way < 2; ++way)
    for (unsigned number = 0; number < map.ports; ++number)
      map.engines.push_back({.kind = way == 0 ? Kind::xdma_h2c : Kind::xdma_c2h,
                             .port = "PCIe",
                             .channel = fmt::format("{}{}", way == 0 ? "h2c" : "c2h", number),
                             .base = 0,
                             .interrupt = way * map.ports + number,
                             .number = number,
                             .stream = stream});
  if (!stream) return;
  for (uint32_t lane = 0; lane < map.ports; ++lane)
    add_lane_attributes(map.attributes, fmt::format("s{}", lane),
                        {.source = XDMA_CARD_STREAM_SOURCE(lane),
                         .sink = XDMA_CARD_STREAM_SINK(lane),
                         .control = XDMA_CARD_STREAM_CONTROL(lane)});
}

// The published card: a direction each.
void add_avmm_channels(DesignMap& map) {
  for (unsigned way = 0; way < 2; ++way)
    map.engines.push_back({.kind = Kind::avmm,
                           .port = "PCIe",
                           .channel = way == 0 ? "h2c0" : "c2h0",
                           .base = 0,
                           .interrupt = way,
                           .number = way,
                           .stream = false});
}

constexpr uint32_t identity_of(const char (&text)[5]) {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | static_cast<uint8_t>(text[i]);
  return value;
}

struct KnownDesign {
  std::string_view name;
  uint32_t identity;
  uint32_t major;
  const char* port_name;     // of its ports, with their number
  const char* channel_name;  // the same for its channels
  uint32_t page;             // of the design page, behind the lanes
  uint32_t most_lanes;
  void (*add_lane)(DesignMap& map, const EngineEntry& port, uint32_t lane);  // of each port; or
  void (*add_all)(DesignMap& map, Platform& platform) = nullptr;             // of all together
};

constexpr KnownDesign kDesigns[] = {
    {"hp_stress", identity_of("SLHP"), 1, "HP", "hp", HP_STRESS_PAGE_OFFSET, HP_STRESS_HP_COUNT,
     add_hp_lane},
    {"hp_stress_sg", identity_of("SLHS"), 1, "HP", "hp", HP_STRESS_PAGE_OFFSET, HP_STRESS_HP_COUNT,
     add_hp_sg_lane},
    {"dma_loopback", identity_of("SLLB"), 1, "HP", "hp", DMA_LOOPBACK_PAGE_OFFSET,
     DMA_LOOPBACK_HP_COUNT, add_loopback_lane},
    {"dma_loopback_acp", identity_of("SLLB"), 1, "ACP", "acp", DMA_LOOPBACK_PAGE_OFFSET, 1,
     add_loopback_lane},
    {"cdma", identity_of("SLCD"), 1, "HP", "hp", CDMA_PAGE_OFFSET, CDMA_HP_COUNT, add_cdma_lane},
    {"cdma_acp", identity_of("SLCD"), 1, "ACP", "acp", CDMA_PAGE_OFFSET, 1, add_cdma_lane},
    {"msgdma", identity_of("SLMS"), 1, "HP", "hp", MSGDMA_PAGE_OFFSET, MSGDMA_HP_COUNT,
     add_msgdma_lane},
    {"capture", identity_of("SLCA"), 1, "HP", "hp", CAPTURE_PAGE_OFFSET, CAPTURE_HP_COUNT,
     add_capture_lane},
    {"capture_32", identity_of("SLCA"), 1, "HP", "hp", CAPTURE_PAGE_OFFSET, 1, add_capture_lane},
    {"capture_acp", identity_of("SLCA"), 1, "ACP", "acp", CAPTURE_PAGE_OFFSET, 1, add_capture_lane},
    {"f2s_stress", identity_of("SLF2"), 1, "F2S", "f2s", F2S_STRESS_PAGE_OFFSET,
     F2S_STRESS_F2S_COUNT, add_f2s_lane},
    {"streamif_threads", identity_of("SLST"), 1, "HP", "hp", kThreadDesignPage, 4, nullptr,
     [](DesignMap& map, Platform& platform) { add_threads(map, platform, true); }},
    {"memif_threads", identity_of("SLMI"), 1, "ACP", "acp", kThreadDesignPage, 1, nullptr,
     [](DesignMap& map, Platform& platform) { add_threads(map, platform, false); }},
    {"xdma", identity_of("SLXM"), 1, "PCIe", "", XDMA_CARD_PAGE_OFFSET, 4, nullptr,
     [](DesignMap& map, Platform&) { add_xdma_channels(map, false); }},
    {"xdma_stream", identity_of("SLXS"), 1, "PCIe", "", XDMA_CARD_PAGE_OFFSET, 4, nullptr,
     [](DesignMap& map, Platform&) { add_xdma_channels(map, true); }},
    {"avmm", identity_of("SLAV"), 1, "PCIe", "", AVMM_CARD_PAGE_OFFSET, 1, nullptr,
     [](DesignMap& map, Platform&) { add_avmm_channels(map); }},
    // Lanes of hp_stress, and more of them (sim/include/sluice/sim/transaction_board.hpp).
    {"acp_stress", identity_of("SLHP"), 1, "ACP", "acp", HP_STRESS_HP_STRIDE, 1, add_hp_lane},
    {"gp_stress", identity_of("SLHP"), 1, "GP", "gp", 2 * HP_STRESS_HP_STRIDE, 2, add_hp_lane},
    {"streamif", identity_of("SLHP"), 1, "T", "t", 8 * HP_STRESS_HP_STRIDE, 8, add_hp_lane},
};

const KnownDesign& find_design(std::string_view name) {
  for (const KnownDesign& design : kDesigns)
    if (design.name == name) return design;
  throw Error(ENODEV, "this library has no map of a design '{}'", name);
}

}  // namespace

std::string_view identify_design(Platform& platform) {
  for (const KnownDesign& design : kDesigns) {
    try {
      if (platform.read32(design.page + SL_DESIGN_PAGE_IDENTITY_OFFSET) == design.identity)
        return design.name;
    } catch (const Error& error) {
      if (error.errnum() != EIO) throw;  // there is nothing at that address
    }
  }
  throw Error(ENODEV, "there is no design here that this library has a map of");
}

DesignMap map_design(Platform& platform, std::string_view name) {
  const KnownDesign& design = find_design(name);
  const auto page = [&](uint32_t offset) { return platform.read32(design.page + offset); };
  const uint32_t identity = page(SL_DESIGN_PAGE_IDENTITY_OFFSET);
  if (identity != design.identity)
    throw Error(ENODEV, "the design says it is 0x{:08x}, not {}", identity, name);
  const uint32_t major = SLUICE_PAGE_FIELD(page(SL_DESIGN_PAGE_VERSION_OFFSET), VERSION, MAJOR);
  if (major != design.major)
    throw Error(ENODEV, "{} has version {}; this library knows {}", name, major, design.major);

  const uint32_t config = page(SL_DESIGN_PAGE_CONFIG_OFFSET);
  // The field holds up to 7; a design of more ports has all of them.
  const uint32_t told = SLUICE_PAGE_FIELD(config, CONFIG, NUM_PORTS);
  DesignMap map{
      .ports = told == 0 && design.most_lanes == 8 ? 8 : told,
      .width_bits = 8 * SLUICE_PAGE_FIELD(config, CONFIG, DATA_BYTES),
      .length_bits = SLUICE_PAGE_FIELD(config, CONFIG, LEN_BITS),
      .unaligned = SLUICE_PAGE_FIELD(config, CONFIG, UNALIGNED) != 0,
      .engines = {},
      .attributes = {},
      .hwts = {},
  };
  if (map.ports < 1 || map.ports > design.most_lanes || map.width_bits < 32 ||
      map.width_bits > 512 || !std::has_single_bit(map.width_bits) || map.length_bits < 8 ||
      map.length_bits > 32)
    throw Error(ENODEV, "{} describes itself as 0x{:08x}, which makes no sense", name, config);
  if (design.add_all != nullptr) {
    design.add_all(map, platform);
    return map;
  }
  for (uint32_t lane = 0; lane < map.ports; ++lane)
    design.add_lane(map,
                    {.kind = {},
                     .port = fmt::format("{}{}", design.port_name, lane),
                     .channel = fmt::format("{}{}", design.channel_name, lane),
                     .base = 0,
                     .interrupt = 0},
                    lane);
  return map;
}

}  // namespace sluice
