/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_CALL_H
#define SLUICE_CALL_H

#include <linux/build_bug.h>
#include <linux/ioctl.h>
#include <linux/stddef.h>
#include <linux/types.h>

struct file;

#define SLUICE_MAX_ARGUMENT	128 /* bytes */

/**
 * struct sluice_call - An ioctl
 * @run: does it; what it changes of its argument goes back to user space
 * @flags: that it knows
 * @bytes: of the argument as this kernel knows it
 * @first_bytes: the same in version 1
 */
struct sluice_call {
	int (*run)(struct file *file, void *data);
	u32 flags;
	u32 bytes;
	u32 first_bytes;
};

/* Of a table of calls, which begins with number `first`. */
#define SLUICE_CALL_FLAGS(first, command, function, type, last, known)			\
	[_IOC_NR(command) - _IOC_NR(first)] = {						\
		.run = (function),							\
		.flags = (known),							\
		.bytes = sizeof(struct type) +						\
			 BUILD_BUG_ON_ZERO(sizeof(struct type) > SLUICE_MAX_ARGUMENT),	\
		.first_bytes = offsetofend(struct type, last),				\
	}

/**
 * struct sluice_calls - The ioctls of a device
 * @first: the first one's number
 * @count: of @call
 * @call: in order; those without a function are none
 */
struct sluice_calls {
	unsigned int first;
	unsigned int count;
	const struct sluice_call *call;
};

long sluice_call(struct file *file, const struct sluice_calls *calls, unsigned int command,
		 unsigned long address);

#endif
