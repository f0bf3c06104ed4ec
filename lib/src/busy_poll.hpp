// SPDX-License-Identifier: Apache-2.0
// BusyPoll: waits on the processor for something that is expected soon, before a system call would
// put the program to sleep.
//
// Sleeping and waking costs a processor some ten microseconds, and its caches; a short transfer
// takes less. So a program that has nothing else to do may look at the ring of completions again
// and again for a while, as `net.core.busy_read` does for sockets.
#pragma once

#include <algorithm>
#include <cstdint>

#include "system_calls.hpp"

namespace sluice {

class BusyPoll {
 public:
  // `limit_ns`: of one wait; 0: it never polls.
  BusyPoll(SystemCalls& calls, uint64_t limit_ns) : calls_(calls), limit_ns_(limit_ns) {}

  // Whether `ready()` returns true within the limit, and within `timeout_ns` where that is not
  // negative: of which, if it does not, what is left is left. `ready` reads memory that the kernel
  // writes.
  template <typename Ready>
  [[nodiscard]] bool until(int64_t& timeout_ns, Ready ready) const {
    uint64_t limit_ns = limit_ns_;
    if (timeout_ns >= 0) limit_ns = std::min(limit_ns, static_cast<uint64_t>(timeout_ns));
    if (limit_ns == 0) return false;
    const uint64_t start_ns = calls_.now_ns();
    uint64_t spent_ns = 0;
    do {
      for (unsigned look = 0; look < kLooksPerClock; ++look) {
        if (ready()) return true;
        relax();
      }
      spent_ns = calls_.now_ns() - start_ns;
    } while (spent_ns < limit_ns);
    if (timeout_ns >= 0)
      timeout_ns -= static_cast<int64_t>(std::min(spent_ns, static_cast<uint64_t>(timeout_ns)));
    return false;
  }

 private:
  // Reading the clock is a system call where the kernel has no vDSO for it.
  static constexpr unsigned kLooksPerClock = 64;

  static void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    asm volatile("yield");
#endif
  }

  SystemCalls& calls_;
  uint64_t limit_ns_;
};

}  // namespace sluice
