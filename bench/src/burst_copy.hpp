// SPDX-License-Identifier: Apache-2.0
// A copy out of memory that the processor does not cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sluice::bench {

// As memcpy(). A 32-bit ARM reads 32 bytes with one instruction (LDM), a burst where the memory is
// not cached. The C library's copy loads 8 bytes at a time there, and waits for the memory at each.
#ifdef __arm__
[[gnu::target("arm"), gnu::noinline]] inline void burst_copy(void* to, const void* from,
                                                             std::size_t bytes) {
  constexpr std::size_t kBurst = 32;
  auto* out = static_cast<uint8_t*>(to);
  const auto* in = static_cast<const uint8_t*>(from);
  const bool aligned =
      ((reinterpret_cast<uintptr_t>(out) | reinterpret_cast<uintptr_t>(in)) & 3) == 0;
  for (std::size_t bursts = aligned ? bytes / kBurst : 0; bursts > 0; --bursts)
    asm volatile(
        "ldmia %1!, {r3, r4, r5, r6, r8, r9, r10, r12}\n\t"
        "stmia %0!, {r3, r4, r5, r6, r8, r9, r10, r12}"
        : "+r"(out), "+r"(in)
        :
        : "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r12", "memory");
  std::memcpy(out, in, aligned ? bytes % kBurst : bytes);
}
#else
inline void burst_copy(void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}
#endif

}  // namespace sluice::bench
