// SPDX-License-Identifier: Apache-2.0
#include "lane_sink.hpp"

#include <sl_stream_sink.h>

#include "transaction_engine.hpp"
#include "words.hpp"

namespace sluice::sim {

std::optional<uint32_t> LaneSink::load(uint32_t offset) const {
  const model::Master::Sink& sink = master_.sink();
  const uint64_t bytes = sink.words * 8;
  switch (offset) {
    case SL_STREAM_SINK_CONTROL_OFFSET: return control_;
    case SL_STREAM_SINK_START_OFFSET: return start_;
    case SL_STREAM_SINK_STATUS_OFFSET:
      return field(bytes != 0, SL_STREAM_SINK_STATUS_SEEN_MASK) |
             field(sink.mismatch, SL_STREAM_SINK_STATUS_MISMATCH_MASK);
    case SL_STREAM_SINK_BEATS_LO_OFFSET: return low(bytes / (width_bits_ / 8));
    case SL_STREAM_SINK_BEATS_HI_OFFSET: return high(bytes / (width_bits_ / 8));
    case SL_STREAM_SINK_BYTES_LO_OFFSET: return low(bytes);
    case SL_STREAM_SINK_BYTES_HI_OFFSET: return high(bytes);
    case SL_STREAM_SINK_PACKETS_OFFSET: return low(sink.packets);
    // The sink is at the engine itself: nothing between them could lose a beat.
    case SL_STREAM_SINK_GAPS_OFFSET: return 0;
    default: return {};
  }
}

bool LaneSink::store(uint32_t offset, uint32_t value) {
  switch (offset) {
    case SL_STREAM_SINK_CONTROL_OFFSET:
      if ((value & SL_STREAM_SINK_CONTROL_STALL_MODE_MASK) != 0)
        refuse_access("stall mode", offset);
      control_ = value & ~SL_STREAM_SINK_CONTROL_CLEAR_MASK;
      if ((value & SL_STREAM_SINK_CONTROL_CLEAR_MASK) != 0) master_.sink() = {.expected = start_};
      master_.sink().check = (value & SL_STREAM_SINK_CONTROL_CHECK_MASK) != 0;
      master_.sink().enabled = (value & SL_STREAM_SINK_CONTROL_ENABLE_MASK) != 0;
      return true;
    case SL_STREAM_SINK_START_OFFSET: start_ = value; return true;
    default: return false;
  }
}

}  // namespace sluice::sim
