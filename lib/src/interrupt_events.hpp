// SPDX-License-Identifier: Apache-2.0
// Interrupt lines as descriptors for poll(2): eventfds, each readable while a line of its mask is
// high. A read takes the event; the next update() gives it again if the line is still high.
#pragma once

#include <cstdint>
#include <vector>

namespace sluice {

class InterruptEvents {
 public:
  InterruptEvents() = default;
  InterruptEvents(const InterruptEvents&) = delete;
  InterruptEvents& operator=(const InterruptEvents&) = delete;
  ~InterruptEvents();

  // The descriptor for a mask, made at the first call with it. Throws Error.
  int descriptor(uint64_t mask, uint64_t lines);

  // The lines are so now.
  void update(uint64_t lines) noexcept {
    for (const Event& event : events_) update(event, lines);
  }

 private:
  struct Event {
    uint64_t mask;
    int descriptor;
  };
  static void update(const Event& event, uint64_t lines) noexcept;

  std::vector<Event> events_;
};

}  // namespace sluice
