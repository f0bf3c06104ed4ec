// SPDX-License-Identifier: Apache-2.0
// The order of a program's accesses to memory and to a device's registers. `volatile` orders
// registers among themselves for the compiler; memory, and the processor, it does not. What Linux
// has in writel() and readl() (Documentation/memory-barriers.txt, "Kernel I/O barrier effects"),
// for devices that are coherent with the caches.
#pragma once

namespace sluice {

// Where false, a processor's barriers are not known here, and its devices are left alone.
#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__) || defined(__arm__)
inline constexpr bool kOrdersDevices = true;
#else
inline constexpr bool kOrdersDevices = false;
#endif

// Before a register is written: what was written to memory is there for the device first.
inline void order_before_register_write() {
#if defined(__aarch64__)
  asm volatile("dmb oshst" ::: "memory");
#elif defined(__arm__)
  asm volatile("dsb st" ::: "memory");
#else
  asm volatile("" ::: "memory");  // x86: stores stay in order
#endif
}

// After a register was read: what memory is read from then on is what the device had written.
inline void order_after_register_read() {
#if defined(__aarch64__)
  asm volatile("dmb oshld" ::: "memory");
#elif defined(__arm__)
  asm volatile("dmb" ::: "memory");
#else
  asm volatile("" ::: "memory");  // x86: loads stay in order
#endif
}

// Between two looks at a register.
inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  asm volatile("yield" ::: "memory");
#endif
}

}  // namespace sluice
