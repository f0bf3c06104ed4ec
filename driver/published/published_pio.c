// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programmed I/O (tables 5.1 and 5.2): in a write, the processor stores what the program gives, a
 * word of 32 bits at a time, to memory that is mapped as a device's. The data is taken a little at
 * a time, as it is stored: by the printed times it was not copied first.
 */
#include <linux/io.h>
#include <linux/module.h>

#include "published.h"

#define PIO_BYTES 65536
#define PIO_WORDS 64 /* taken from the program at a time */

static ulong target;
module_param(target, ulong, 0444);
MODULE_PARM_DESC(target, "physical address that is written to: 64 KiB that the kernel does not use");

static u32 __iomem *pio_target;

static ssize_t pio_write(struct file *file, const char __user *from, size_t bytes, loff_t *offset)
{
	u32 __iomem *to = pio_target;
	u32 words[PIO_WORDS];
	size_t at, i, count;
	u64 start;

	if (bytes > PIO_BYTES || bytes % sizeof(u32))
		return -EINVAL;
	start = ktime_get_ns();
	for (at = 0; at < bytes; at += count * sizeof(u32)) {
		count = min_t(size_t, PIO_WORDS, (bytes - at) / sizeof(u32));
		if (copy_from_user(words, from + at, count * sizeof(u32)))
			return -EFAULT;
		for (i = 0; i < count; ++i)
			__raw_writel(words[i], to++);
	}
	published_add(file, start, bytes);
	return bytes;
}

static const struct file_operations pio_operations = {
	.owner = THIS_MODULE,
	.write = pio_write,
	.read = published_read,
};

static struct published_way pio_way = PUBLISHED_WAY("published-pio", &pio_operations, 1);

static int __init pio_init(void)
{
	int error;

	if (!target) {
		pr_err("published_pio: target=ADDRESS must say where to write to\n");
		return -EINVAL;
	}
	pio_target = ioremap(target, PIO_BYTES);
	error = pio_target ? published_register(&pio_way, 1) : -ENOMEM;
	if (!error)
		return 0;
	if (pio_target)
		iounmap(pio_target);
	return error;
}
module_init(pio_init);

static void __exit pio_exit(void)
{
	published_remove(&pio_way, 1);
	iounmap(pio_target);
}
module_exit(pio_exit);

MODULE_DESCRIPTION("Programmed I/O as in Manikandan 2015, for measuring");
MODULE_LICENSE("GPL");
