// SPDX-License-Identifier: Apache-2.0
#include "interrupt_events.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "error.hpp"
#include "system_calls.hpp"

namespace sluice {

InterruptEvents::~InterruptEvents() {
  for (const Event& event : events_) ::close(event.descriptor);
}

int InterruptEvents::descriptor(uint64_t mask, uint64_t lines) {
  const auto found = std::ranges::find(events_, mask, &Event::mask);
  if (found != events_.end()) return found->descriptor;
  const int made = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (made < 0) throw Error(errno, "no descriptor for interrupts: {}", message(-errno));
  try {
    events_.push_back({.mask = mask, .descriptor = made});
  } catch (...) {
    ::close(made);
    throw;
  }
  update(events_.back(), lines);
  return made;
}

void InterruptEvents::update(const Event& event, uint64_t lines) noexcept {
  // Asked, not remembered: the program may have read it.
  pollfd state{.fd = event.descriptor, .events = POLLIN, .revents = 0};
  const bool readable = ::poll(&state, 1, 0) == 1;
  const bool high = (lines & event.mask) != 0;
  if (high == readable) return;
  eventfd_t value = 1;
  if (high)
    (void)::eventfd_write(event.descriptor, value);
  else
    (void)::eventfd_read(event.descriptor, &value);
}

}  // namespace sluice
