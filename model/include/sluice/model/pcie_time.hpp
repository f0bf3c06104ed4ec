// SPDX-License-Identifier: Apache-2.0
// PcieTime: simulated time of a root complex and of all that is below it: one queue of events, so
// that links and devices that call each other stand at the same time.
//
// Deterministic: events of one time come in the order in which they were asked for. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace sluice::model {

class PcieActor;

/// What `actor` asked for with at(): `kind` and the numbers are its own.
struct PcieEvent {
  std::uint64_t time_ps;
  std::uint64_t order;
  PcieActor* actor;
  std::uint8_t kind;
  std::uint32_t a, b, c;
  bool operator>(const PcieEvent& other) const {
    return time_ps != other.time_ps ? time_ps > other.time_ps : order > other.order;
  }
};

class PcieActor {
 public:
  virtual ~PcieActor() = default;
  virtual void act(const PcieEvent& event) = 0;
};

class PcieTime {
 public:
  [[nodiscard]] std::uint64_t now_ps() const { return now_ps_; }
  /// When the next event is; UINT64_MAX if none is due.
  [[nodiscard]] std::uint64_t next_ps() const {
    return events_.empty() ? UINT64_MAX : events_.top().time_ps;
  }
  /// The actor lives until then. time_ps is no earlier than now_ps().
  void at(std::uint64_t time_ps, PcieActor& actor, std::uint8_t kind, std::uint32_t a = 0,
          std::uint32_t b = 0, std::uint32_t c = 0);
  /// Lets happen what is due until time_ps. Throws std::invalid_argument if that is before now.
  void advance_to(std::uint64_t time_ps);

 private:
  std::uint64_t now_ps_ = 0;
  std::uint64_t order_ = 0;
  std::priority_queue<PcieEvent, std::vector<PcieEvent>, std::greater<>> events_;
};

}  // namespace sluice::model
