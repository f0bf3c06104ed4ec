// SPDX-License-Identifier: Apache-2.0
// The attributes of a lane's streams (rtl/design/sl_lane_streams.sv): route, source, dropper, sink;
// of a test picture and a capability block (channel 0); and of the ports of hardware threads.
#include "lane_attributes.hpp"

#include <fmt/core.h>
#include <sl_capability.h>
#include <sl_hp_lane.h>
#include <sl_stream_sink.h>
#include <sl_stream_source.h>
#include <sl_streamif.h>
#include <sl_test_picture.h>

#include <algorithm>
#include <span>

namespace sluice {
namespace {

using Access = Attribute::Access;

struct LaneAttribute {
  std::string_view name;
  std::string_view text;
  uint32_t LanePages::* page;
  uint32_t offset;
  unsigned shift;
  uint32_t mask;
  Access access;
  uint32_t max = 0;  // that can be written; 0: whatever the field holds
};

// A field, from the names that the register headers give its block, register and field.
#define SLUICE_FIELD(page, block, reg, field)                                \
  &LanePages::page, block##_##reg##_OFFSET, block##_##reg##_##field##_SHIFT, \
      block##_##reg##_##field##_MASK >> block##_##reg##_##field##_SHIFT

const LaneAttribute kFifoAttribute = {"fifo_beats", "beats in the loop-back FIFO",
                                      SLUICE_FIELD(control, SL_HP_LANE, FIFO_LEVEL, BEATS),
                                      Access::read};

const LaneAttribute kRouteAttribute = {
    "loopback", "1: MM2S stream to S2MM stream; 0: source to S2MM, MM2S to sink",
    SLUICE_FIELD(control, SL_HP_LANE, ROUTE, LOOPBACK), Access::write};

const LaneAttribute kSourceAttributes[] = {
    {"source.enable", "1: run; 0: stop after the beat presented",
     SLUICE_FIELD(source, SL_STREAM_SOURCE, CONTROL, ENABLE), Access::write},
    {"source.clear", "write 1 while stopped: zero counters, restart the sequence",
     SLUICE_FIELD(source, SL_STREAM_SOURCE, CONTROL, CLEAR), Access::write},
    {"source.continuous", "1: frames without end; 0: as many as source.frames",
     SLUICE_FIELD(source, SL_STREAM_SOURCE, CONTROL, CONTINUOUS), Access::write},
    {"source.free_run", "1: a beat each due tick, dropped if nobody takes it",
     SLUICE_FIELD(source, SL_STREAM_SOURCE, CONTROL, FREE_RUN), Access::write},
    {"source.running", "1: running", SLUICE_FIELD(source, SL_STREAM_SOURCE, STATUS, RUNNING),
     Access::read},
    {"source.done", "1: a run of source.frames has ended",
     SLUICE_FIELD(source, SL_STREAM_SOURCE, STATUS, DONE), Access::read},
    {"source.packet_beats", "beats in a packet",
     SLUICE_FIELD(source, SL_STREAM_SOURCE, PACKET_BEATS, VALUE), Access::write},
    {"source.pause_ticks", "idle ticks between the packets of a frame",
     SLUICE_FIELD(source, SL_STREAM_SOURCE, PAUSE_TICKS, VALUE), Access::write},
    {"source.frame_packets", "packets in a frame",
     SLUICE_FIELD(source, SL_STREAM_SOURCE, FRAME_PACKETS, VALUE), Access::write},
    {"source.frame_ticks", "clock ticks from frame to frame; 0: at once",
     SLUICE_FIELD(source, SL_STREAM_SOURCE, FRAME_TICKS, VALUE), Access::write},
    {"source.frames", "frames of a run", SLUICE_FIELD(source, SL_STREAM_SOURCE, FRAMES, VALUE),
     Access::write},
    {"source.start", "first word of the sequence",
     SLUICE_FIELD(source, SL_STREAM_SOURCE, START, VALUE), Access::write},
    {"source.beats", "beats sent", SLUICE_FIELD(source, SL_STREAM_SOURCE, BEATS_LO, VALUE),
     Access::read_pair},
    {"source.packets", "packets sent", SLUICE_FIELD(source, SL_STREAM_SOURCE, PACKETS, VALUE),
     Access::read},
    {"source.frames_done", "frames sent",
     SLUICE_FIELD(source, SL_STREAM_SOURCE, FRAMES_DONE, VALUE), Access::read},
    {"source.late", "frames that started late", SLUICE_FIELD(source, SL_STREAM_SOURCE, LATE, VALUE),
     Access::read},

    {"drop.beats", "beats dropped", SLUICE_FIELD(source, SL_STREAM_SOURCE, DROP_BEATS_LO, VALUE),
     Access::read_pair},
    {"drop.runs", "gaps marked", SLUICE_FIELD(source, SL_STREAM_SOURCE, DROP_RUNS, VALUE),
     Access::read},
    {"drop.first", "index of the first beat dropped",
     SLUICE_FIELD(source, SL_STREAM_SOURCE, DROP_FIRST_LO, VALUE), Access::read_pair},
    {"drop.packets", "packets dropped whole",
     SLUICE_FIELD(source, SL_STREAM_SOURCE, DROP_PACKETS, VALUE), Access::read},
};

const LaneAttribute kSinkAttributes[] = {
    {"sink.enable", "1: take beats", SLUICE_FIELD(sink, SL_STREAM_SINK, CONTROL, ENABLE),
     Access::write},
    {"sink.clear", "write 1: zero counters, restart the check",
     SLUICE_FIELD(sink, SL_STREAM_SINK, CONTROL, CLEAR), Access::write},
    {"sink.check", "1: compare with the word pattern",
     SLUICE_FIELD(sink, SL_STREAM_SINK, CONTROL, CHECK), Access::write},
    {"sink.stall_mode", "0: never stall, 1: periodic, 2: random",
     SLUICE_FIELD(sink, SL_STREAM_SINK, CONTROL, STALL_MODE), Access::write,
     SL_STREAM_SINK_CONTROL_STALL_MODE_RANDOM},
    {"sink.ready_ticks", "periodic stalls: ticks ready",
     SLUICE_FIELD(sink, SL_STREAM_SINK, STALL, READY_TICKS), Access::write},
    {"sink.stall_ticks", "periodic stalls: ticks not ready",
     SLUICE_FIELD(sink, SL_STREAM_SINK, STALL, STALL_TICKS), Access::write},
    {"sink.stall_probability", "random stalls: chance of a stall in 256ths",
     SLUICE_FIELD(sink, SL_STREAM_SINK, STALL_PROB, VALUE), Access::write},
    {"sink.stall_seed", "random stalls: seed",
     SLUICE_FIELD(sink, SL_STREAM_SINK, STALL_SEED, VALUE), Access::write},
    {"sink.start", "first word expected", SLUICE_FIELD(sink, SL_STREAM_SINK, START, VALUE),
     Access::write},
    {"sink.mismatch", "1: a word was not the one expected",
     SLUICE_FIELD(sink, SL_STREAM_SINK, STATUS, MISMATCH), Access::read},
    {"sink.beats", "beats taken", SLUICE_FIELD(sink, SL_STREAM_SINK, BEATS_LO, VALUE),
     Access::read_pair},
    {"sink.bytes", "bytes taken", SLUICE_FIELD(sink, SL_STREAM_SINK, BYTES_LO, VALUE),
     Access::read_pair},
    {"sink.packets", "packets taken", SLUICE_FIELD(sink, SL_STREAM_SINK, PACKETS, VALUE),
     Access::read},
    {"sink.gaps", "places where the sequence jumped",
     SLUICE_FIELD(sink, SL_STREAM_SINK, GAPS, VALUE), Access::read},
    {"sink.first_bad", "index of the first beat that was wrong",
     SLUICE_FIELD(sink, SL_STREAM_SINK, FIRST_BAD_LO, VALUE), Access::read_pair},
    {"sink.first_tick", "clock tick of the first beat",
     SLUICE_FIELD(sink, SL_STREAM_SINK, FIRST_TICK_LO, VALUE), Access::read_pair},
    {"sink.last_tick", "clock tick of the last beat",
     SLUICE_FIELD(sink, SL_STREAM_SINK, LAST_TICK_LO, VALUE), Access::read_pair},
};

const LaneAttribute kPictureAttributes[] = {
    {"picture.enable", "1: a test picture in place of the source's words",
     SLUICE_FIELD(picture, SL_TEST_PICTURE, CONTROL, ENABLE), Access::write},
    {"picture.format", "0: grey, 8 bits, 1: RGB565, 2: YUYV",
     SLUICE_FIELD(picture, SL_TEST_PICTURE, CONTROL, FORMAT), Access::write,
     SL_TEST_PICTURE_CONTROL_FORMAT_YUYV},
    {"picture.width", "pixels of a line", SLUICE_FIELD(picture, SL_TEST_PICTURE, WIDTH, VALUE),
     Access::write},
    {"picture.height", "lines of a picture", SLUICE_FIELD(picture, SL_TEST_PICTURE, HEIGHT, VALUE),
     Access::write},
    {"picture.frame", "number of the picture that is being drawn",
     SLUICE_FIELD(picture, SL_TEST_PICTURE, FRAME, VALUE), Access::read},
};

const LaneAttribute kCapabilityAttributes[] = {
    {"capability.time", "clock ticks since reset",
     SLUICE_FIELD(capability, SL_CAPABILITY, TIME_LO, VALUE), Access::read_pair},
    {"capability.faults", "bit 0: the engine's memory has not answered",
     SLUICE_FIELD(capability, SL_CAPABILITY, FAULTS, VALUE), Access::read},
    {"capability.beats", "beats moved to memory",
     SLUICE_FIELD(capability, SL_CAPABILITY, CHANNEL0_BEATS_LO, VALUE), Access::read_pair},
    {"capability.bytes", "bytes of finished descriptors",
     SLUICE_FIELD(capability, SL_CAPABILITY, CHANNEL0_BYTES_LO, VALUE), Access::read_pair},
    {"capability.dones", "finished descriptors",
     SLUICE_FIELD(capability, SL_CAPABILITY, CHANNEL0_DONES_LO, VALUE), Access::read_pair},
    {"capability.drops", "beats dropped",
     SLUICE_FIELD(capability, SL_CAPABILITY, CHANNEL0_DROPS_LO, VALUE), Access::read_pair},
    {"capability.stall_addr", "ticks waited for an address to be taken",
     SLUICE_FIELD(capability, SL_CAPABILITY, CHANNEL0_STALL_ADDR_LO, VALUE), Access::read_pair},
    {"capability.stall_space", "ticks waited for memory to take data",
     SLUICE_FIELD(capability, SL_CAPABILITY, CHANNEL0_STALL_SPACE_LO, VALUE), Access::read_pair},
    {"capability.stall_data", "ticks waited for the stream",
     SLUICE_FIELD(capability, SL_CAPABILITY, CHANNEL0_STALL_DATA_LO, VALUE), Access::read_pair},
    {"capability.stall_resp", "ticks waited for a response",
     SLUICE_FIELD(capability, SL_CAPABILITY, CHANNEL0_STALL_RESP_LO, VALUE), Access::read_pair},
    {"capability.period", "descriptors in a period",
     SLUICE_FIELD(capability, SL_CAPABILITY, CHANNEL0_PERIOD, COUNT), Access::write},
    {"capability.periods", "periods finished",
     SLUICE_FIELD(capability, SL_CAPABILITY, CHANNEL0_PERIODS, COUNT), Access::read},
    {"capability.select", "period whose snapshot is shown",
     SLUICE_FIELD(capability, SL_CAPABILITY, CHANNEL0_SELECT, NUMBER), Access::write},
    {"capability.snap_valid", "1: the snapshot is there",
     SLUICE_FIELD(capability, SL_CAPABILITY, CHANNEL0_SNAP_STATE, VALID), Access::read},
    {"capability.snap_bytes", "bytes until the end of that period",
     SLUICE_FIELD(capability, SL_CAPABILITY, CHANNEL0_SNAP_BYTES_LO, VALUE), Access::read_pair},
    {"capability.snap_time", "clock ticks then",
     SLUICE_FIELD(capability, SL_CAPABILITY, CHANNEL0_SNAP_TIME_LO, VALUE), Access::read_pair},
    {"capability.snap_drops", "beats dropped until then",
     SLUICE_FIELD(capability, SL_CAPABILITY, CHANNEL0_SNAP_DROPS_LO, VALUE), Access::read_pair},
};

const LaneAttribute kTurnsAttribute = {
    "turn_cycles", "cycles for which reads or writes have the ports in turn; 0 or 1: no turns",
    SLUICE_FIELD(streamif, SL_STREAMIF, TURNS, CYCLES), Access::write};

Attribute place(const LaneAttribute& entry, const std::string& lane, const LanePages& pages) {
  const uint32_t max = entry.max != 0 ? entry.max : entry.mask;
  return {.name = fmt::format("{}.{}", lane, entry.name),
          .text = entry.text,
          .offset = pages.*entry.page + entry.offset,
          .shift = entry.shift,
          .mask = entry.mask,
          .max = entry.access == Access::write ? max : 0,
          .access = entry.access};
}

}  // namespace

std::string_view attribute_text(std::string_view name) {
  const std::string_view known = name.substr(std::min(name.find('.') + 1, name.size()));
  using Table = std::span<const LaneAttribute>;
  for (const Table table :
       {Table(&kFifoAttribute, 1), Table(&kRouteAttribute, 1), Table(kSourceAttributes),
        Table(kSinkAttributes), Table(kPictureAttributes), Table(kCapabilityAttributes),
        Table(&kTurnsAttribute, 1)})
    for (const LaneAttribute& entry : table)
      if (entry.name == known) return entry.text;
  return {};
}

void add_lane_attributes(std::vector<Attribute>& attributes, const std::string& lane,
                         const LanePages& pages) {
  attributes.push_back(place(kFifoAttribute, lane, pages));
  attributes.push_back(place(kRouteAttribute, lane, pages));
  for (const LaneAttribute& entry : kSourceAttributes)
    attributes.push_back(place(entry, lane, pages));
  for (const LaneAttribute& entry : kSinkAttributes)
    attributes.push_back(place(entry, lane, pages));
}

void add_fifo_attribute(std::vector<Attribute>& attributes, const std::string& lane,
                        uint32_t control) {
  attributes.push_back(place(kFifoAttribute, lane, {.control = control}));
}

void add_capture_attributes(std::vector<Attribute>& attributes, const std::string& lane,
                            const LanePages& pages) {
  for (const LaneAttribute& entry : kSourceAttributes)
    attributes.push_back(place(entry, lane, pages));
  for (const LaneAttribute& entry : kPictureAttributes)
    attributes.push_back(place(entry, lane, pages));
  add_capability_attributes(attributes, lane, pages.capability);
}

void add_capability_attributes(std::vector<Attribute>& attributes, const std::string& lane,
                               uint32_t capability) {
  for (const LaneAttribute& entry : kCapabilityAttributes)
    attributes.push_back(place(entry, lane, {.capability = capability}));
}

void add_turns_attribute(std::vector<Attribute>& attributes, const std::string& ports,
                         uint32_t streamif) {
  attributes.push_back(place(kTurnsAttribute, ports, {.streamif = streamif}));
}

}  // namespace sluice
