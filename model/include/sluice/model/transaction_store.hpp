// SPDX-License-Identifier: Apache-2.0
// TransactionStore: starvation state of the read or the write CAM (UG585 table 10-4).
//
//   normal -> critical            pending and not served for max_starve_x32 pulses of the 32-cycle
//                                 timer; whole periods count, so after 64 to 95 cycles for a value
//                                 of 2
//   critical -> hard non-critical xact_run_length transactions served since it went critical
//   hard non-critical -> normal   min_non_critical_x32 pulses of that timer have passed
// An empty store has nothing that starves: its starvation count restarts when a request enters.
#pragma once

#include <cstdint>
#include <limits>

#include "sluice/model/ddrc_params.hpp"

namespace sluice::model {

class TransactionStore {
 public:
  enum class State : std::uint8_t { normal, critical, hard_non_critical };
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  explicit TransactionStore(const TransactionStoreParams& params) : params_(params) {}

  /// A request entered a store that was empty.
  void became_pending(std::uint64_t cycle) { starve_from(cycle); }
  /// A request was served; `left` says whether others are pending.
  void served(std::uint64_t cycle, bool left) {
    if (left)
      starve_from(cycle);
    else
      starved_at_ = kNever;
    if (state_ == State::critical && ++run_ >= params_.xact_run_length) {
      state_ = State::hard_non_critical;
      until_ = pulses_after(cycle, params_.min_non_critical_x32);
    }
  }
  [[nodiscard]] bool critical(std::uint64_t cycle) {
    update(cycle);
    return state_ == State::critical;
  }
  /// The next cycle at which the state can change without a service; kNever if none.
  [[nodiscard]] std::uint64_t next_change() const {
    if (state_ == State::critical || starved_at_ == kNever) return kNever;
    return state_ == State::hard_non_critical && starved_at_ < until_ ? until_ : starved_at_;
  }

 private:
  /// The pulse by which `pulses` whole periods have passed since `cycle`.
  static std::uint64_t pulses_after(std::uint64_t cycle, std::uint32_t pulses) {
    return ((cycle + 31U) / 32U + pulses) * 32U;
  }
  void starve_from(std::uint64_t cycle) {
    starved_at_ = pulses_after(cycle, params_.max_starve_x32);
  }
  void update(std::uint64_t cycle) {
    if (state_ == State::hard_non_critical && cycle >= until_) state_ = State::normal;
    if (state_ == State::normal && cycle >= starved_at_) {
      state_ = State::critical;
      run_ = 0;
    }
  }

  TransactionStoreParams params_;
  State state_ = State::normal;
  std::uint32_t run_ = 0;
  std::uint64_t starved_at_ = kNever;  ///< unless something is served before; kNever: empty
  std::uint64_t until_ = 0;
};

}  // namespace sluice::model
