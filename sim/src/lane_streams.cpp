// SPDX-License-Identifier: Apache-2.0
#include "lane_streams.hpp"

#include <dma_loopback.h>
#include <f2s_stress.h>
#include <hp_stress.h>
#include <sl_hp_lane.h>
#include <sl_stream_source.h>

#include <string>

#include "lane_sink.hpp"
#include "sluice/sim/transaction_board.hpp"
#include "words.hpp"

namespace sluice::sim {
namespace {

// The streams of a lane have the same registers at the same places in all designs.
static_assert(HP_STRESS_HP_SOURCE_OFFSET == F2S_STRESS_F2S_SOURCE_OFFSET);
static_assert(HP_STRESS_HP_SINK_OFFSET == F2S_STRESS_F2S_SINK_OFFSET);
static_assert(HP_STRESS_HP_CONTROL_OFFSET == F2S_STRESS_F2S_CONTROL_OFFSET);
static_assert(HP_STRESS_HP_CONTROL_OFFSET == DMA_LOOPBACK_HP_CONTROL_OFFSET);

bool in_sink(uint32_t offset) {
  return offset / kStreamPage * kStreamPage == HP_STRESS_HP_SINK_OFFSET;
}

class CounterStreams final : public LaneStreams {
 public:
  CounterStreams(model::Master& master, unsigned width_bits)
      : master_(master), width_bits_(width_bits), sink_(master, width_bits) {
    master_.source() = {.enabled = false};
  }

  [[nodiscard]] std::optional<uint32_t> load(uint32_t offset, uint64_t cycle) override;
  bool store(uint32_t offset, uint32_t value, uint64_t cycle) override;

 private:
  model::Master& master_;
  unsigned width_bits_;
  uint32_t packet_beats_ = 1;
  uint32_t source_start_ = 0;
  uint32_t source_control_ = 0;
  LaneSink sink_;
};

std::optional<uint32_t> CounterStreams::load(uint32_t offset, uint64_t /*cycle*/) {
  switch (offset) {
    case HP_STRESS_HP_CONTROL_OFFSET + SL_HP_LANE_ROUTE_OFFSET:
      return master_.loopback() ? SL_HP_LANE_ROUTE_LOOPBACK_MASK : 0U;
    case HP_STRESS_HP_SOURCE_OFFSET + SL_STREAM_SOURCE_CONTROL_OFFSET: return source_control_;
    case HP_STRESS_HP_SOURCE_OFFSET + SL_STREAM_SOURCE_PACKET_BEATS_OFFSET: return packet_beats_;
    case HP_STRESS_HP_SOURCE_OFFSET + SL_STREAM_SOURCE_START_OFFSET: return source_start_;
    case HP_STRESS_HP_SOURCE_OFFSET + SL_STREAM_SOURCE_PACKETS_OFFSET:
      return low(master_.source().packets_sent);
    default: return in_sink(offset) ? sink_.load(offset - HP_STRESS_HP_SINK_OFFSET) : std::nullopt;
  }
}

bool CounterStreams::store(uint32_t offset, uint32_t value, uint64_t /*cycle*/) {
  switch (offset) {
    case HP_STRESS_HP_CONTROL_OFFSET + SL_HP_LANE_ROUTE_OFFSET:
      master_.set_loopback((value & SL_HP_LANE_ROUTE_LOOPBACK_MASK) != 0);
      break;
    case HP_STRESS_HP_SOURCE_OFFSET + SL_STREAM_SOURCE_CONTROL_OFFSET:
      if ((value & SL_STREAM_SOURCE_CONTROL_FREE_RUN_MASK) != 0) refuse_access("free run", offset);
      source_control_ = value & ~SL_STREAM_SOURCE_CONTROL_CLEAR_MASK;
      if ((value & SL_STREAM_SOURCE_CONTROL_CLEAR_MASK) != 0) master_.source() = {};
      master_.source() = {.next = (value & SL_STREAM_SOURCE_CONTROL_CLEAR_MASK) != 0
                                      ? source_start_
                                      : master_.source().next,
                          .packet_words = uint64_t{packet_beats_} * width_bits_ / 64,
                          .packets_sent = master_.source().packets_sent,
                          .one_packet = (value & SL_STREAM_SOURCE_CONTROL_CONTINUOUS_MASK) == 0,
                          .enabled = (value & SL_STREAM_SOURCE_CONTROL_ENABLE_MASK) != 0};
      break;
    case HP_STRESS_HP_SOURCE_OFFSET + SL_STREAM_SOURCE_PACKET_BEATS_OFFSET:
      if (uint64_t{value} * width_bits_ % 64 != 0)
        throw NotModelled("a packet of " + std::to_string(value) + " beats is no multiple of 8 " +
                          "bytes: only the RTL level does");
      packet_beats_ = value;
      break;
    case HP_STRESS_HP_SOURCE_OFFSET + SL_STREAM_SOURCE_START_OFFSET: source_start_ = value; break;
    default: return in_sink(offset) && sink_.store(offset - HP_STRESS_HP_SINK_OFFSET, value);
  }
  return true;
}

class LoopStreams final : public LaneStreams {
 public:
  explicit LoopStreams(model::Master& master) { master.set_loopback(true); }

  [[nodiscard]] std::optional<uint32_t> load(uint32_t offset, uint64_t /*cycle*/) override {
    if (offset != kRoute) return {};
    return route_;
  }
  bool store(uint32_t offset, uint32_t value, uint64_t /*cycle*/) override {
    if (offset != kRoute) return false;
    route_ = value & SL_HP_LANE_ROUTE_LOOPBACK_MASK;
    return true;
  }

 private:
  static constexpr uint32_t kRoute = DMA_LOOPBACK_HP_CONTROL_OFFSET + SL_HP_LANE_ROUTE_OFFSET;
  uint32_t route_ = 0;
};

}  // namespace

std::unique_ptr<LaneStreams> make_counter_streams(model::Master& master, unsigned width_bits) {
  return std::make_unique<CounterStreams>(master, width_bits);
}

std::unique_ptr<LaneStreams> make_loop_streams(model::Master& master) {
  return std::make_unique<LoopStreams>(master);
}

}  // namespace sluice::sim
