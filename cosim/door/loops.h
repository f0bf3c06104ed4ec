/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_PL_LOOPS_H
#define SLUICE_PL_LOOPS_H

#include <stdbool.h>

/*
 * Have timers that the processor's own thread runs wake that thread alone. Each loop of events of
 * QEMU's has a list of timers on the virtual clock, and QEMU wakes all loops whenever one timer of
 * any list is due: with a timed processor some 50,000 times in a second of the guest, each for two
 * threads that find nothing to do and take the big lock from the processor. It changes no modelled
 * time. On other threads, as when the processor is idle, the loops are woken as before.
 *
 * timer: any on the virtual clock, of the main loop, whose list stays as it is. To be called with
 * the big lock, before the processor runs. Returns false where the lists are not as expected; then
 * nothing has changed, and QEMU is slower.
 */
bool pl_quiet_loops(const void *timer);

#endif /* SLUICE_PL_LOOPS_H */
