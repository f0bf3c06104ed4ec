// SPDX-License-Identifier: Apache-2.0
// What stands at the streams of a lane on the transaction level, and its registers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "sluice/model/port_master.hpp"
#include "transaction_engine.hpp"

namespace sluice::sim {

constexpr uint32_t kStreamPage = 0x1000;  // bytes of a block's registers

class LaneStreams {
 public:
  explicit LaneStreams(bool steps = false) : steps_(steps) {}
  virtual ~LaneStreams() = default;

  // offset: in the lane. Nothing, and false: it is not one of theirs. What only RTL does throws
  // NotModelled.
  [[nodiscard]] virtual std::optional<uint32_t> load(uint32_t offset, uint64_t cycle) = 0;
  virtual bool store(uint32_t offset, uint32_t value, uint64_t cycle) = 0;

  // An access takes a cycle less than one to a generated register file.
  [[nodiscard]] virtual bool quick(uint32_t /*offset*/) const { return false; }

  // An edge of the clock while the lane is busy: running() or its engine. For those that have
  // steps().
  [[nodiscard]] bool steps() const { return steps_; }
  virtual void edge(uint64_t /*cycle*/, const TransactionEngine& /*engine*/) {}
  // They move of themselves.
  [[nodiscard]] virtual bool running() const { return false; }
  // Of the edges after that of `cycle`, at so many nothing happens in them but counting, while the
  // engine and the port wait; pass_edges() has up to so many pass at once.
  [[nodiscard]] virtual uint64_t quiet_edges(uint64_t /*cycle*/) const { return 0; }
  virtual void pass_edges(uint64_t /*count*/) {}
  // Interrupts that are high, of a design of one lane: lines behind the engine's two.
  [[nodiscard]] virtual uint64_t interrupts() const { return 0; }

 private:
  bool steps_;
};

// A counter as source, a checking sink, or a loop-back, as ROUTE says (hp_stress, f2s_stress).
std::unique_ptr<LaneStreams> make_counter_streams(model::Master& master, unsigned width_bits);
// As those, with a source that paces its frames and may not wait, and a capability block for the
// writes (hp_stress_sg). length_bits: what the block reports.
std::unique_ptr<LaneStreams> make_counted_streams(model::Master& master, unsigned length_bits);
// A loop-back (dma_loopback), whose ROUTE has no effect.
std::unique_ptr<LaneStreams> make_loop_streams(model::Master& master);
// A counter that does not wait, a dropper and a FIFO before the writes; the capability block and
// the timer (capture). length_bits: what the block reports.
std::unique_ptr<LaneStreams> make_capture_streams(model::Master& master, unsigned length_bits);

}  // namespace sluice::sim
