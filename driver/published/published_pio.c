// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programmed I/O (tables 5.1 and 5.2): a write takes the data from the program, and the processor
 * stores it, a word of 32 bits at a time, to memory that is mapped as a device's.
 */
#include <linux/io.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "published.h"

#define PIO_BYTES 65536

static ulong target;
module_param(target, ulong, 0444);
MODULE_PARM_DESC(target, "physical address that is written to: 64 KiB that the kernel does not use");

static u32 *pio_words;
static u32 __iomem *pio_target;
static struct published_count pio_count;

static ssize_t pio_write(struct file *file, const char __user *from, size_t bytes, loff_t *offset)
{
	u64 start;
	size_t i;

	if (bytes > PIO_BYTES || bytes % sizeof(u32))
		return -EINVAL;
	if (copy_from_user(pio_words, from, bytes))
		return -EFAULT;
	start = ktime_get_ns();
	for (i = 0; i < bytes / sizeof(u32); ++i)
		__raw_writel(pio_words[i], pio_target + i);
	published_add(&pio_count, start, bytes);
	return bytes;
}

static ssize_t pio_read(struct file *file, char __user *to, size_t room, loff_t *offset)
{
	return published_tell(&pio_count, to, room);
}

static const struct file_operations pio_operations = {
	.owner = THIS_MODULE,
	.write = pio_write,
	.read = pio_read,
};

static struct miscdevice pio_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "published-pio",
	.fops = &pio_operations,
};

static int __init pio_init(void)
{
	int error;

	if (!target) {
		pr_err("published_pio: target=ADDRESS must say where to write to\n");
		return -EINVAL;
	}
	pio_words = kmalloc(PIO_BYTES, GFP_KERNEL);
	if (!pio_words)
		return -ENOMEM;
	pio_target = ioremap(target, PIO_BYTES);
	error = pio_target ? misc_register(&pio_device) : -ENOMEM;
	if (!error)
		return 0;
	if (pio_target)
		iounmap(pio_target);
	kfree(pio_words);
	return error;
}
module_init(pio_init);

static void __exit pio_exit(void)
{
	misc_deregister(&pio_device);
	iounmap(pio_target);
	kfree(pio_words);
}
module_exit(pio_exit);

MODULE_DESCRIPTION("Programmed I/O as in Manikandan 2015, for measuring");
MODULE_LICENSE("GPL");
