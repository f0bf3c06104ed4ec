/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all of these drivers have: a write moves its data, and a read tells how often that has been
 * done since the last read, how much was moved, and how long it took in the kernel.
 */
#ifndef PUBLISHED_H
#define PUBLISHED_H

#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/uaccess.h>

struct published_count {
	u64 calls;
	u64 bytes;
	u64 ns; /* in the kernel, as the tables of kernel space count it */
};

static inline void published_add(struct published_count *count, u64 start_ns, size_t bytes)
{
	count->ns += ktime_get_ns() - start_ns;
	count->bytes += bytes;
	++count->calls;
}

/* What a read gives: "CALLS BYTES NS\n", all of it or -EINVAL. */
static inline ssize_t published_tell(struct published_count *count, char __user *to, size_t room)
{
	char text[64];
	int length = scnprintf(text, sizeof(text), "%llu %llu %llu\n", count->calls, count->bytes,
			       count->ns);

	if (room < length)
		return -EINVAL;
	if (copy_to_user(to, text, length))
		return -EFAULT;
	*count = (struct published_count){};
	return length;
}

#endif /* PUBLISHED_H */
