// SPDX-License-Identifier: Apache-2.0
// What a design puts where in its control space: engines and attributes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lane_attributes.hpp"

namespace sluice {

class Platform;

struct EngineEntry {
  enum class Kind {
    axi_dma,
    axi_dma_ring,  // S2MM alone, with descriptors
    msgdma_mm2s,
    msgdma_s2mm,
    msgdma_copy,
    cdma,
    xdma_h2c,
    xdma_c2h,
    avmm
  };
  Kind kind;
  std::string port;     // memory port: "HP0"
  std::string channel;  // prefix of its channels' names: "hp0"
  uint32_t base;        // of its registers
  unsigned interrupt;   // line; of axi_dma and axi_dma_ring MM2S's, S2MM has the next
  unsigned number = 0;  // of xdma_h2c and xdma_c2h, each way from 0 on; of avmm 0: to the card; of
                        // cdma the part of the card's memory that is its own (Platform)
  bool stream = true;   // false: the other side is the card's memory
  // Of the capability block whose channel 0 is the engine's, for captures.
  std::optional<uint32_t> capability{};
};

// Hardware threads on sl_streamif. Thread t: channels 2t and 2t + 1 of it and their lines, its page
// (sl_hwt) at first_page + t * page_stride.
struct HwtEntry {
  uint32_t control;     // of sl_streamif
  unsigned count;       // threads
  unsigned fault_line;  // of refused commands
  unsigned mail_line;   // of thread 0's mail; the others' follow
  uint32_t first_page;
  uint32_t page_stride;
  bool routes;  // a thread may take its stream from another
};

struct DesignMap {
  unsigned ports;        // memory ports
  unsigned width_bits;   // of a port
  unsigned length_bits;  // of the engines' length registers
  bool unaligned;        // engines take any address and length
  std::vector<EngineEntry> engines;
  std::vector<Attribute> attributes;
  std::optional<HwtEntry> hwts;
};

// The name of the design that is there, by the design pages of all that are known: reads where
// others have something else. Throws Error(ENODEV).
std::string_view identify_design(Platform& platform);

// Read the design page and lay out what the design has. Throws Error(ENODEV) if it is not the page
// of the design of that name, has a version this library does not know, or makes no sense.
DesignMap map_design(Platform& platform, std::string_view name);

}  // namespace sluice
