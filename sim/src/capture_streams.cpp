// SPDX-License-Identifier: Apache-2.0
// The streams of design capture on the transaction level: a source that does not wait, a
// picture that is drawn over its words, and the capability block that counts what comes of it; the
// timer beside them.
#include <capture.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "capability_block.hpp"
#include "lane_streams.hpp"
#include "paced_source.hpp"
#include "test_picture.hpp"
#include "timer_block.hpp"

namespace sluice::sim {
namespace {

class CaptureStreams final : public LaneStreams {
 public:
  CaptureStreams(model::Master& master, unsigned length_bits)
      : LaneStreams(true),
        picture_(master.params().port_bits),
        source_(master, &picture_),
        capability_(master, length_bits) {
    master.set_route(model::Master::Route::fed);
  }

  [[nodiscard]] std::optional<uint32_t> load(uint32_t offset, uint64_t cycle) override {
    switch (offset / kStreamPage * kStreamPage) {
      case CAPTURE_HP_SOURCE_OFFSET: return source_.load(offset % kStreamPage);
      case CAPTURE_HP_CAPABILITY_OFFSET: return capability_.load(offset % kStreamPage, cycle);
      case CAPTURE_HP_TIMER_OFFSET: return timer_.load(offset % kStreamPage, cycle);
      case CAPTURE_HP_PICTURE_OFFSET: return picture_.load(offset % kStreamPage);
      default: return {};
    }
  }
  bool store(uint32_t offset, uint32_t value, uint64_t cycle) override {
    switch (offset / kStreamPage * kStreamPage) {
      case CAPTURE_HP_SOURCE_OFFSET: return source_.store(offset % kStreamPage, value);
      case CAPTURE_HP_CAPABILITY_OFFSET: return capability_.store(offset % kStreamPage, value);
      case CAPTURE_HP_TIMER_OFFSET: return timer_.store(offset % kStreamPage, value, cycle);
      case CAPTURE_HP_PICTURE_OFFSET: return picture_.store(offset % kStreamPage, value);
      default: return false;
    }
  }
  [[nodiscard]] bool quick(uint32_t offset) const override {
    return offset / kStreamPage * kStreamPage == CAPTURE_HP_TIMER_OFFSET;
  }
  void edge(uint64_t cycle, const TransactionEngine& engine) override {
    source_.edge();
    capability_.edge(cycle, engine.received(), source_.drops());
    timer_.edge(cycle);
  }
  [[nodiscard]] uint64_t quiet_edges(uint64_t cycle) const override {
    return capability_.settled() ? std::min(source_.quiet_edges(), timer_.quiet_edges(cycle)) : 0;
  }
  void pass_edges(uint64_t count) override {
    source_.pass_edges(count);
    capability_.pass_edges(count);
  }
  [[nodiscard]] bool running() const override { return source_.running() || timer_.running(); }
  [[nodiscard]] uint64_t interrupts() const override { return timer_.interrupt() ? 1 : 0; }

 private:
  TestPicture picture_;
  PacedSource source_;
  CapabilityBlock capability_;
  TimerBlock timer_;
};

}  // namespace

std::unique_ptr<LaneStreams> make_capture_streams(model::Master& master, unsigned length_bits) {
  return std::make_unique<CaptureStreams>(master, length_bits);
}

}  // namespace sluice::sim
