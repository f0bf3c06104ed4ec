// SPDX-License-Identifier: Apache-2.0
// What stands at a channel's stream: its attributes, and how wide the stream is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sluice.hpp"

namespace sluice::bench {

// "hp0" of "hp0.s2mm": the names of a port's attributes begin with it.
inline std::string lane_of(std::string_view channel) {
  return std::string(channel.substr(0, channel.find('.')));
}

// Bytes of a beat of the stream. A driver does not say the width. But a transfer begins at a
// multiple of a beat, unless the engine takes any byte; of such an engine 64 bits are assumed.
inline uint64_t beat_bytes(const sluice_channel_info& info) {
  if (info.width_bits != 0) return info.width_bits / 8;
  return info.offset_alignment > 1 ? info.offset_alignment : 8;
}

// Set an attribute that only some designs have.
inline void set_if_there(sluice_board* board, const std::string& name, uint64_t value) {
  if (uint64_t now = 0; sluice_board_get_attribute(board, name.c_str(), &now) == 0)
    set_attribute(board, name, value);
}

}  // namespace sluice::bench
