// SPDX-License-Identifier: Apache-2.0
// 64 bits that are copied by the core's registers.
#pragma once

#include <cstdint>

namespace sluice {

// On 32-bit Arm compilers copy 64 bits by a register for floating point where those of the core are
// short. After every switch to the program the first use of such a register is a trap, of hundreds
// of instructions: what each transfer goes through does without.
inline uint64_t in_core(uint64_t value) {
#ifdef __arm__
  __asm__("" : "+r"(value));
#endif
  return value;
}

}  // namespace sluice
