// SPDX-License-Identifier: Apache-2.0
// The streams of hp_stress_sg on the transaction level: a checking sink, and a source that paces
// its frames and may not wait, or both ends in loop-back; the capability block that counts what the
// writes take.
#include <hp_stress.h>
#include <sl_hp_lane.h>

#include <memory>
#include <optional>

#include "capability_block.hpp"
#include "lane_sink.hpp"
#include "lane_streams.hpp"
#include "paced_source.hpp"

namespace sluice::sim {
namespace {

using Route = model::Master::Route;

constexpr uint32_t kRoute = HP_STRESS_HP_CONTROL_OFFSET + SL_HP_LANE_ROUTE_OFFSET;

class CountedStreams final : public LaneStreams {
 public:
  CountedStreams(model::Master& master, unsigned length_bits)
      : LaneStreams(true),
        master_(master),
        sink_(master, master.params().port_bits),
        source_(master),
        capability_(master, length_bits) {
    master_.set_route(Route::fed);
  }

  [[nodiscard]] std::optional<uint32_t> load(uint32_t offset, uint64_t cycle) override {
    if (offset == kRoute) return master_.loopback() ? SL_HP_LANE_ROUTE_LOOPBACK_MASK : 0U;
    switch (offset / kStreamPage * kStreamPage) {
      case HP_STRESS_HP_SOURCE_OFFSET: return source_.load(offset % kStreamPage);
      case HP_STRESS_HP_SINK_OFFSET: return sink_.load(offset % kStreamPage);
      case HP_STRESS_HP_CAPABILITY_OFFSET: return capability_.load(offset % kStreamPage, cycle);
      default: return {};
    }
  }
  bool store(uint32_t offset, uint32_t value, uint64_t /*cycle*/) override {
    if (offset == kRoute) {
      const bool loopback = (value & SL_HP_LANE_ROUTE_LOOPBACK_MASK) != 0;
      if (loopback != master_.loopback())
        master_.set_route(loopback ? Route::loopback : Route::fed);
      return true;
    }
    switch (offset / kStreamPage * kStreamPage) {
      case HP_STRESS_HP_SOURCE_OFFSET: return source_.store(offset % kStreamPage, value);
      case HP_STRESS_HP_SINK_OFFSET: return sink_.store(offset % kStreamPage, value);
      case HP_STRESS_HP_CAPABILITY_OFFSET: return capability_.store(offset % kStreamPage, value);
      default: return false;
    }
  }
  void edge(uint64_t cycle, const TransactionEngine& engine) override {
    source_.edge();
    capability_.edge(cycle, engine.received(), source_.drops());
  }
  [[nodiscard]] uint64_t quiet_edges(uint64_t /*cycle*/) const override {
    return capability_.settled() ? source_.quiet_edges() : 0;
  }
  void pass_edges(uint64_t count) override {
    source_.pass_edges(count);
    capability_.pass_edges(count);
  }
  [[nodiscard]] bool running() const override { return source_.running(); }

 private:
  model::Master& master_;
  LaneSink sink_;
  PacedSource source_;
  CapabilityBlock capability_;
};

}  // namespace

std::unique_ptr<LaneStreams> make_counted_streams(model::Master& master, unsigned length_bits) {
  return std::make_unique<CountedStreams>(master, length_bits);
}

}  // namespace sluice::sim
