// SPDX-License-Identifier: Apache-2.0
// How long the processor has worked for this process, all its threads together.
#pragma once

#include <cstdint>
#include <ctime>

namespace sluice::bench {

inline uint64_t process_work_ns() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  constexpr uint64_t kSecond = 1'000'000'000;
  return static_cast<uint64_t>(now.tv_sec) * kSecond + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace sluice::bench
