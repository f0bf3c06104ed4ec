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
#include <bit>
#include <span>

namespace sluice {
namespace {

// Which fields have names is said in regs: a list of each block in its header.
struct NamedField {
  std::string_view name;
  std::string_view text;
  uint32_t offset;  // in the block's page
  uint32_t mask;    // in place
  uint32_t max;
  bool wide;
};

#define SLUICE_FIELD(name, text, offset, mask, max, wide) {name, text, offset, mask, max, wide},

constexpr NamedField kSource[] = {SL_STREAM_SOURCE_ATTRIBUTES(SLUICE_FIELD)};
constexpr NamedField kSink[] = {SL_STREAM_SINK_ATTRIBUTES(SLUICE_FIELD)};
constexpr NamedField kPicture[] = {SL_TEST_PICTURE_ATTRIBUTES(SLUICE_FIELD)};
constexpr NamedField kLane[] = {SL_HP_LANE_ATTRIBUTES(SLUICE_FIELD)};
constexpr NamedField kRoute[] = {SL_HP_LANE_ROUTE_ATTRIBUTES(SLUICE_FIELD)};
constexpr NamedField kCapability[] = {SL_CAPABILITY_ATTRIBUTES(SLUICE_FIELD)
                                          SL_CAPABILITY_CAPTURE_ATTRIBUTES(SLUICE_FIELD)};
constexpr NamedField kStreamif[] = {SL_STREAMIF_ATTRIBUTES(SLUICE_FIELD)};

#undef SLUICE_FIELD

void add(std::vector<Attribute>& attributes, const std::string& lane, uint32_t page,
         std::span<const NamedField> fields) {
  for (const NamedField& field : fields) {
    const auto shift = static_cast<unsigned>(std::countr_zero(field.mask));
    attributes.push_back({.name = fmt::format("{}.{}", lane, field.name),
                          .text = field.text,
                          .offset = page + field.offset,
                          .shift = shift,
                          .mask = field.mask >> shift,
                          .max = field.max,
                          .wide = field.wide});
  }
}

}  // namespace

std::string_view attribute_text(std::string_view name) {
  const std::string_view known = name.substr(std::min(name.find('.') + 1, name.size()));
  using Fields = std::span<const NamedField>;
  for (const Fields fields : {Fields(kLane), Fields(kRoute), Fields(kSource), Fields(kSink),
                              Fields(kPicture), Fields(kCapability), Fields(kStreamif)})
    for (const NamedField& field : fields)
      if (field.name == known) return field.text;
  return {};
}

void add_lane_attributes(std::vector<Attribute>& attributes, const std::string& lane,
                         const LanePages& pages) {
  add(attributes, lane, pages.control, kLane);
  add(attributes, lane, pages.control, kRoute);
  add(attributes, lane, pages.source, kSource);
  add(attributes, lane, pages.sink, kSink);
}

void add_fifo_attribute(std::vector<Attribute>& attributes, const std::string& lane,
                        uint32_t control) {
  add(attributes, lane, control, kLane);
}

void add_capture_attributes(std::vector<Attribute>& attributes, const std::string& lane,
                            const LanePages& pages) {
  add(attributes, lane, pages.source, kSource);
  add(attributes, lane, pages.picture, kPicture);
  add_capability_attributes(attributes, lane, pages.capability);
}

void add_capability_attributes(std::vector<Attribute>& attributes, const std::string& lane,
                               uint32_t capability) {
  add(attributes, lane, capability, kCapability);
}

void add_turns_attribute(std::vector<Attribute>& attributes, const std::string& ports,
                         uint32_t streamif) {
  add(attributes, ports, streamif, kStreamif);
}

}  // namespace sluice
