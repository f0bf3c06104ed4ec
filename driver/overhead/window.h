/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Marks of what is counted, which count.c finds: two moves of a register to itself that no compiler
 * emits. On processors that are not counted they are nothing.
 */
#ifndef WINDOW_H
#define WINDOW_H

#if defined(__arm__)
#define WINDOW_BEGIN() __asm__ volatile("mov r9, r9" ::: "memory")
#define WINDOW_END() __asm__ volatile("mov r10, r10" ::: "memory")
#elif defined(__aarch64__)
#define WINDOW_BEGIN() __asm__ volatile("mov x9, x9" ::: "memory")
#define WINDOW_END() __asm__ volatile("mov x10, x10" ::: "memory")
#else
#define WINDOW_BEGIN() __asm__ volatile("" ::: "memory")
#define WINDOW_END() __asm__ volatile("" ::: "memory")
#endif

#endif
