/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What modules say that measure dmaengine alone: in the kernel log the nanoseconds that reading the
 * clock takes ("clock NS") and those of each round ("round NS"), behind the module's name.
 */
#ifndef FLOOR_H
#define FLOOR_H

#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/printk.h>

#define FLOOR_WAIT_MS	10000
#define FLOOR_ROUNDS	64

static inline u64 floor_clock(void)
{
	u64 least = U64_MAX, before;

	for (unsigned int i = 0; i < 64; i++) {
		before = ktime_get_raw_ns();
		least = min(least, ktime_get_raw_ns() - before);
	}
	return least;
}

static inline void floor_report(const u64 *took, unsigned int rounds)
{
	pr_info(KBUILD_MODNAME ": clock %llu\n", floor_clock());
	for (unsigned int i = 0; i < rounds; i++)
		pr_info(KBUILD_MODNAME ": round %llu\n", took[i]);
}

#endif
