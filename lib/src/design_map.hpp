// SPDX-License-Identifier: Apache-2.0
// What a design puts where in its control space: engines and attributes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

class Platform;

// One setting or counter behind a name.
struct Attribute {
  enum class Access {
    read,       // a field that software only reads
    write,      // a field that software reads and writes
    read_pair,  // 64 bits in two registers; the upper one latches when the lower is read
  };
  std::string name;
  std::string_view text;
  uint32_t offset;  // of the register, of the lower one of a pair
  unsigned shift;   // of the field in its register
  uint32_t mask;    // of the field, shifted down
  Access access;
};

struct EngineEntry {
  enum class Kind { axi_dma, msgdma_mm2s, msgdma_s2mm, msgdma_copy, cdma };
  Kind kind;
  std::string port;     // memory port: "HP0"
  std::string channel;  // prefix of its channels' names: "hp0"
  uint32_t base;        // of its registers
  unsigned interrupt;   // line; of axi_dma MM2S's, S2MM has the next
};

struct DesignMap {
  unsigned ports;        // memory ports
  unsigned width_bits;   // of a port
  unsigned length_bits;  // of the engines' length registers
  bool unaligned;        // engines take any address and length
  std::vector<EngineEntry> engines;
  std::vector<Attribute> attributes;
};

// Read the design page and lay out what the design has. Throws Error(ENODEV) if it is not the page
// of the design of that name, has a version this library does not know, or makes no sense.
DesignMap map_design(Platform& platform, std::string_view name);

// Where the pages with a lane's attributes stand; those that it has not are not named.
struct LanePages {
  uint32_t source = 0;
  uint32_t sink = 0;
  uint32_t control = 0;
  uint32_t capability = 0;
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

}  // namespace sluice
