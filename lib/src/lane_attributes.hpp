// SPDX-License-Identifier: Apache-2.0
// The attributes of what is built around engines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// One setting or counter behind a name.
struct Attribute {
  std::string name;
  std::string_view text;
  uint32_t offset;  // of the register, of the lower one of a pair
  unsigned shift;   // of the field in its register
  uint32_t mask;    // of the field, shifted down
  uint32_t max;     // largest value that can be written; 0: none can
  bool wide;        // 64 bits in two registers; reading the lower one latches the upper one
};

// Where the pages with a lane's attributes stand; those that it has not are not named.
struct LanePages {
  uint32_t source = 0;
  uint32_t sink = 0;
  uint32_t control = 0;
  uint32_t capability = 0;
  uint32_t picture = 0;
};

// "LANE.loopback", "LANE.source.beats" and so on.
void add_lane_attributes(std::vector<Attribute>& attributes, const std::string& lane,
                         const LanePages& pages);
// "LANE.fifo_beats" alone, of a lane that only loops back; control is its lane control page.
void add_fifo_attribute(std::vector<Attribute>& attributes, const std::string& lane,
                        uint32_t control);
// "LANE.source.beats", "LANE.drop.beats", "LANE.capability.bytes" and so on, of a lane that
// captures.
void add_capture_attributes(std::vector<Attribute>& attributes, const std::string& lane,
                            const LanePages& pages);

// "LANE.capability.bytes" and so on: those of a capability block alone.
void add_capability_attributes(std::vector<Attribute>& attributes, const std::string& lane,
                               uint32_t capability);

// "PORTS.turn_cycles", of the ports of hardware threads on the sl_streamif at that offset.
void add_turns_attribute(std::vector<Attribute>& attributes, const std::string& ports,
                         uint32_t streamif);

// What an attribute of that name is; empty if this library does not know it.
std::string_view attribute_text(std::string_view name);

}  // namespace sluice
