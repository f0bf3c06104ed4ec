// SPDX-License-Identifier: Apache-2.0
// PcieGpu: a GPU in another slot, as far as transfers see it: a copy engine behind a link of its
// own, and memory on the bus.
//
//   copies    own memory to or from host memory or another device's, own to own: in packets of the
//             GPU's link, no faster than rate_mb_s, one copy after the other
//   memory    a PciePeer of the root complex: others' writes are taken as they come, their reads
//             by window, service time and footprint
//
// A copy ends with an interrupt message, which does not pass its data. What was written to another
// device is read back first (a word of it), since messages do not wait for that.
// Hypotheses, as no document says how a GPU copies: rate and start are fitted to published figures.
// Deterministic. Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>

#include "sluice/model/pcie_link.hpp"
#include "sluice/model/pcie_params.hpp"
#include "sluice/model/pcie_root.hpp"
#include "sluice/model/pcie_time.hpp"

namespace sluice::model {

class PcieGpu final : private PcieCard, private PcieActor {
 public:
  /// params.gpu.memory_bytes is not 0; the rest of params is the card's beside it, for what their
  /// links share. The root complex lives as long as this. Throws std::invalid_argument as
  /// PcieRoot::add_peer() and check().
  PcieGpu(const PcieParams& params, PcieRoot& root);
  PcieGpu(const PcieGpu&) = delete;
  PcieGpu& operator=(const PcieGpu&) = delete;

  [[nodiscard]] Memory& memory() { return memory_; }
  [[nodiscard]] PcieLink& link() { return link_; }

  /// Bus addresses, any alignment; 1 byte or more; source or destination is the GPU's own memory.
  struct Copy {
    std::uint64_t source;
    std::uint64_t destination;
    std::uint64_t bytes;
  };
  void copy(const Copy& copy);
  struct Ended {
    std::uint64_t time_ps;  ///< the message's arrival
    Response status;        ///< of its reads; writes are posted
  };
  /// Whether a copy has ended that was not yet taken, the oldest first.
  [[nodiscard]] bool has_ended() { return !link_.interrupts().empty(); }
  Ended take_ended();

 private:
  enum class Kind : std::uint8_t { begin, go_on, within, end };
  enum class State : std::uint8_t { idle, starting, moving, within, reading_back };

  void read_data(std::uint32_t token, std::uint32_t bytes, std::span<const std::uint8_t> data,
                 Response status) override;
  void write_sent(std::uint32_t token) override;
  // Nobody reaches it behind its link.
  void store(unsigned bar, std::uint64_t offset, std::span<const std::uint8_t> data) override;
  void load(unsigned bar, std::uint64_t offset, std::uint32_t bytes) override;
  void act(const PcieEvent& event) override;

  void start();
  void go_on();
  void go_on_soon();
  [[nodiscard]] bool in_pace(std::uint32_t bytes);
  void read_on();
  void write_on();
  void end();
  [[nodiscard]] bool owns(std::uint64_t address, std::uint64_t bytes) const {
    return memory_.contains(address, bytes);
  }
  [[nodiscard]] std::uint64_t time_of(std::uint64_t bytes) const;

  PcieGpuParams params_;
  PcieTime& time_;
  Memory& memory_;
  PcieLink link_;

  std::deque<Copy> copies_;  // the first is the one at hand
  State state_ = State::idle;
  std::uint64_t asked_ = 0;    // bytes of it that were asked for, or given to the link
  std::uint64_t there_ = 0;    // that have arrived, or left
  std::uint64_t pace_ps_ = 0;  // the rate lets nothing be asked for before
  bool soon_ = false;          // an event to go on is due
  Response status_ = Response::okay;
  std::uint32_t next_token_ = 0;
  std::unordered_map<std::uint32_t, std::uint64_t> reads_;  // token: offset of its next byte
  std::deque<Response> ended_;  // of copies whose message is on its way or has arrived
};

}  // namespace sluice::model
