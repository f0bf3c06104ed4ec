// SPDX-License-Identifier: Apache-2.0
// The guest's clock, and what an instruction takes of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>

namespace overhead {

inline uint64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

// A loop of known length: what an instruction takes by the guest's clock.
constexpr unsigned kSpinInstructions = 20'000;
inline void spin() {
#ifdef __arm__
  unsigned turns = kSpinInstructions / 2;
  __asm__ volatile("1: subs %0, %0, #1\n\tbne 1b" : "+r"(turns) : : "cc");
#endif
}

// The least of some runs: one without a tick of the kernel's.
inline uint64_t least_ns(void (*what)()) {
  uint64_t least = ~uint64_t{0};
  for (unsigned i = 0; i < 64; ++i) {
    const uint64_t before = now_ns();
    what();
    least = std::min(least, now_ns() - before);
  }
  return least;
}

// What reading the clock takes, and a loop and of how many instructions, for measure.py.
inline void print_clock() {
  const uint64_t clock_ns = least_ns([] {});
  std::printf("clock %llu\n", static_cast<unsigned long long>(clock_ns));
  std::printf("scale %llu %u\n", static_cast<unsigned long long>(least_ns(spin) - clock_ns),
              kSpinInstructions);
}

}  // namespace overhead
