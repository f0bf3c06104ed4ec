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
  std::string port;     // memory port: "HP0"
  std::string channel;  // prefix of its channels' names: "hp0"
  uint32_t base;        // of its registers
  unsigned interrupt;   // line of MM2S; S2MM has the next
};

struct DesignMap {
  unsigned width_bits;
  unsigned length_bits;  // of the engines' length registers
  bool unaligned;        // engines take any address and length
  std::vector<EngineEntry> engines;
  std::vector<Attribute> attributes;
};

// Read the design page of hp_stress, or of a design made of its lanes, and lay out what it has.
// The page follows the lanes; ports are called port_name and a number. Throws Error(ENODEV) if the
// page is not hp_stress's, has a version this library does not know, or makes no sense.
DesignMap map_lanes(Platform& platform, std::string_view port_name, unsigned lanes);

}  // namespace sluice
