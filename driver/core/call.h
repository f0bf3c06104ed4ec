/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_CALL_H
#define SLUICE_CALL_H

#include <linux/build_bug.h>
#include <linux/ioctl.h>
#include <linux/stddef.h>
#include <linux/types.h>

struct file;

#define SLUICE_MAX_ARGUMENT	192 /* bytes */

/**
 * struct sluice_call - An ioctl
 * @check: refuses bad arguments, without a lock; may be NULL
 * @lock: takes the lock that @run needs, and refuses a device that is in another state;
 *	  NULL: @run needs none, or takes it itself since it also waits or touches user memory
 * @run: does it; what it changes of its argument is copied to user space
 * @flags: that it knows
 * @bytes: of the argument as this kernel knows it
 * @first_bytes: the same in version 1
 */
struct sluice_call {
	int (*check)(struct file *file, const void *data);
	int (*lock)(struct file *file);
	int (*run)(struct file *file, void *data);
	u32 flags;
	u32 bytes;
	u32 first_bytes;
};

/*
 * An entry of a table whose first call has the number `base`. `type` is the structure, `last` its
 * last member in version 1, `known` the flags.
 */
#define SLUICE_CALL_ENTRY(base, command, type, last, known, check_, lock_, run_)	\
	[_IOC_NR(command) - _IOC_NR(base)] = {						\
		.check = (check_),							\
		.lock = (lock_),							\
		.run = (run_),								\
		.flags = (known),							\
		.bytes = sizeof(struct type) +						\
			 BUILD_BUG_ON_ZERO(sizeof(struct type) > SLUICE_MAX_ARGUMENT),	\
		.first_bytes = offsetofend(struct type, last),				\
	}

/**
 * struct sluice_calls - The ioctls of a device
 * @first: the first one's number
 * @count: of @call
 * @call: in order; an entry without @run is no call
 * @unlock: releases what each @lock takes
 */
struct sluice_calls {
	unsigned int first;
	unsigned int count;
	const struct sluice_call *call;
	void (*unlock)(struct file *file);
};

long sluice_call(struct file *file, const struct sluice_calls *calls, unsigned int command,
		 unsigned long address);

#endif
