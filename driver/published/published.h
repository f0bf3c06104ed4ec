/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all of these drivers have: devices on which a write moves its data, and a read tells how
 * often that has been done since the last read, how much was moved, and how long it took in the
 * kernel.
 */
#ifndef PUBLISHED_H
#define PUBLISHED_H

#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/miscdevice.h>
#include <linux/uaccess.h>

struct published_count {
	u64 calls;
	u64 bytes;
	u64 ns; /* in the kernel, as the tables of kernel space count it */
};

/* A device, and what moves its data. */
struct published_way {
	struct miscdevice device;
	struct published_count count;
	unsigned int engines; /* or channels, as the driver has it */
};

#define PUBLISHED_WAY(NAME, OPERATIONS, ENGINES) \
	{ \
		.device = { \
			.minor = MISC_DYNAMIC_MINOR, \
			.name = NAME, \
			.fops = OPERATIONS, \
		}, \
		.engines = ENGINES, \
	}

static inline struct published_way *published_way_of(struct file *file)
{
	return container_of(file->private_data, struct published_way, device);
}

static inline void published_add(struct file *file, u64 start_ns, size_t bytes)
{
	struct published_count *count = &published_way_of(file)->count;

	count->ns += ktime_get_ns() - start_ns;
	count->bytes += bytes;
	++count->calls;
}

/* What a read gives: "CALLS BYTES NS\n", all of it or -EINVAL. */
static inline ssize_t published_read(struct file *file, char __user *to, size_t room,
				     loff_t *offset)
{
	struct published_count *count = &published_way_of(file)->count;
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

static inline void published_remove(struct published_way *ways, unsigned int count)
{
	while (count--)
		misc_deregister(&ways[count].device);
}

/* The first `count` ways, or none of them. */
static inline int published_register(struct published_way *ways, unsigned int count)
{
	unsigned int i;
	int error;

	for (i = 0; i < count; ++i) {
		error = misc_register(&ways[i].device);
		if (error) {
			published_remove(ways, i);
			return error;
		}
	}
	return 0;
}

#endif /* PUBLISHED_H */
