// SPDX-License-Identifier: GPL-2.0
/*
 * Makes trouble on command, for the tests of what notices trouble: a word written to
 * /sys/kernel/debug/trouble says which.
 */
#include <linux/debugfs.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

static struct dentry *file;
static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);

static noinline void trouble_spin(void)
{
	pr_info("trouble: spins\n");
	local_irq_disable();
	for (;;)
		cpu_relax();
}

static noinline void trouble_overrun(void)
{
	volatile char *object = kmalloc(24, GFP_KERNEL);

	if (!object)
		return;
	object[24] = 1;
	kfree((void *)object);
}

static noinline void trouble_locks(void)
{
	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);
	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
}

static ssize_t trouble_write(struct file *f, const char __user *from, size_t size, loff_t *at)
{
	char word[16] = "";

	if (size >= sizeof(word) || copy_from_user(word, from, size))
		return -EINVAL;
	if (sysfs_streq(word, "warn"))
		WARN(1, "trouble: as you wish\n");
	else if (sysfs_streq(word, "oops"))
		*(volatile int *)NULL = 1;
	else if (sysfs_streq(word, "spin"))
		trouble_spin();
	else if (sysfs_streq(word, "overrun"))
		trouble_overrun();
	else if (sysfs_streq(word, "locks"))
		trouble_locks();
	else if (sysfs_streq(word, "chat"))
		pr_info("trouble: a line of the kernel\n");
	else
		return -EINVAL;
	return size;
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.write = trouble_write,
};

static int __init trouble_init(void)
{
	file = debugfs_create_file("trouble", 0200, NULL, NULL, &operations);
	return PTR_ERR_OR_ZERO(file);
}
module_init(trouble_init);

static void __exit trouble_exit(void)
{
	debugfs_remove(file);
}
module_exit(trouble_exit);

MODULE_DESCRIPTION("Makes trouble on command");
MODULE_LICENSE("GPL");
