// SPDX-License-Identifier: GPL-2.0-only
/*
 * What all ioctls have in common: structures of any size and version, see <linux/sluice.h>, and the
 * lock that each runs under.
 */

#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/sluice.h>
#include <linux/uaccess.h>

#include "call.h"

/* How each structure begins. */
struct sluice_head {
	u32 size;
	u32 flags;
};

static int sluice_call_run(struct file *file, const struct sluice_calls *calls,
			   const struct sluice_call *call, void *arg)
{
	int ret = 0;

	if (call->check)
		ret = call->check(file, arg);
	if (!ret && call->lock)
		ret = call->lock(file);
	if (ret)
		return ret;
	ret = call->run(file, arg);
	if (call->lock)
		calls->unlock(file);
	return ret;
}

/**
 * sluice_call - Do an ioctl
 * @file: open
 * @calls: of its device
 * @command: of the ioctl
 * @address: of its argument
 *
 * Return: 0 or -errno.
 */
long sluice_call(struct file *file, const struct sluice_calls *calls, unsigned int command,
		 unsigned long address)
{
	unsigned int index = _IOC_NR(command) - _IOC_NR(calls->first);
	u8 arg[SLUICE_MAX_ARGUMENT] __aligned(8);
	void __user *from = (void __user *)address;
	struct sluice_head *head = (void *)arg;
	const struct sluice_call *call;
	u32 size;
	int ret;

	/* All calls differ in _IOC_NR() alone. */
	if (_IO(SLUICE_IOCTL_TYPE, _IOC_NR(command)) != command || index >= calls->count)
		return -ENOTTY;
	call = &calls->call[array_index_nospec(index, calls->count)];
	if (!call->run)
		return -ENOTTY;
	if (get_user(size, (u32 __user *)from))
		return -EFAULT;
	if (size < call->first_bytes)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	ret = copy_struct_from_user(arg, call->bytes, from, size);
	if (ret)
		return ret;
	head->size = size; /* may have been changed meanwhile */
	if (head->flags & ~call->flags)
		return -EOPNOTSUPP;
	ret = sluice_call_run(file, calls, call, arg);
	if (!ret && copy_to_user(from, arg, min(size, call->bytes)))
		ret = -EFAULT;
	return ret;
}
