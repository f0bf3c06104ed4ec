// SPDX-License-Identifier: GPL-2.0-only
/*
 * One submission: transfers of user space become jobs of the queue, all or the first of them.
 */

#include <linux/dma-fence.h>
#include <linux/file.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/sync_file.h>
#include <linux/uaccess.h>

#include "buffer.h"
#include "channel.h"
#include "fence.h"
#include "job.h"
#include "queue.h"
#include "submit.h"

/**
 * struct sluice_fences - The fences of a submission
 * @in: to wait for; may be NULL
 * @out: to signal; may be NULL
 * @file: of @out
 * @fd: of @file, not installed yet
 */
struct sluice_fences {
	struct dma_fence *in;
	struct dma_fence *out;
	struct sync_file *file;
	int fd;
};

static void sluice_fences_put(struct sluice_fences *fences)
{
	if (fences->file) {
		fput(fences->file->file);
		put_unused_fd(fences->fd);
	}
	dma_fence_put(fences->out);
	dma_fence_put(fences->in);
}

static int sluice_fences_get(struct sluice_channel *channel, const struct sluice_submit *arg,
			     struct sluice_fences *fences)
{
	*fences = (struct sluice_fences){ .fd = -1 };
	if (arg->flags & SLUICE_SUBMIT_IN_FENCE) {
		fences->in = sync_file_get_fence(arg->in_fence);
		if (!fences->in)
			return -EINVAL;
	}
	if (!(arg->flags & SLUICE_SUBMIT_OUT_FENCE))
		return 0;
	fences->out = sluice_fence_create(channel->name);
	if (!fences->out)
		return -ENOMEM;
	fences->fd = get_unused_fd_flags(O_CLOEXEC);
	if (fences->fd < 0)
		return fences->fd;
	fences->file = sync_file_create(fences->out);
	if (fences->file)
		return 0;
	put_unused_fd(fences->fd);
	return -ENOMEM;
}

static u32 sluice_ring_free(struct sluice_channel *channel)
{
	struct sluice_completions *ring = &channel->completions;
	unsigned long flags;
	u32 used;

	spin_lock_irqsave(&channel->queue_lock, flags);
	used = sluice_ring_filled(ring) + channel->under_way;
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	return ring->entries - used;
}

/* Returns how many transfers became jobs in the list; or why the first did not. */
static int sluice_submit_collect(struct sluice_channel *channel,
				 const struct sluice_transfers *transfers,
				 const struct sluice_fences *fences, struct list_head *jobs)
{
	u32 room = sluice_ring_free(channel);
	const struct sluice_transfer *transfer;
	int ret = transfers->error;
	struct sluice_job *job;
	u32 i;

	for (i = 0; i < transfers->count; i++) {
		ret = -EAGAIN;
		if (i == room)
			break;
		transfer = &transfers->transfer[i];
		job = sluice_job_create(channel, transfer,
					sluice_buffer_get(channel, transfer->buffer));
		ret = PTR_ERR_OR_ZERO(job);
		if (ret)
			break;
		job->in_fence = fences->in ? dma_fence_get(fences->in) : NULL;
		job->out_fence = fences->out ? dma_fence_get(fences->out) : NULL;
		list_add_tail(&job->node, jobs);
	}
	return i ? i : ret;
}

/**
 * sluice_submit_check - Can this be a submission at all?
 * @arg: of the ioctl
 *
 * Return: 0 or -errno.
 */
int sluice_submit_check(const struct sluice_submit *arg)
{
	if (!arg->count || arg->count > SLUICE_MAX_TRANSFERS || arg->reserved ||
	    arg->transfer_bytes < sizeof(struct sluice_transfer))
		return -EINVAL;
	return arg->transfer_bytes > PAGE_SIZE ? -E2BIG : 0;
}

/**
 * sluice_transfers_get - Copy the transfers of a submission
 * @arg: of the ioctl, checked
 * @transfers: to be filled in; those up to the first that cannot be copied
 *
 * No lock is held: a program can make reading its memory take as long as it likes.
 *
 * Return: 0 or -ENOMEM.
 */
int sluice_transfers_get(const struct sluice_submit *arg, struct sluice_transfers *transfers)
{
	void __user *from = u64_to_user_ptr(arg->transfers);
	struct sluice_transfer *to;
	int ret = 0;
	u32 i = 0;

	to = kvmalloc_array(arg->count, sizeof(*to), GFP_KERNEL);
	if (!to)
		return -ENOMEM;
	if (arg->transfer_bytes == sizeof(*to))
		i = arg->count - DIV_ROUND_UP(copy_from_user(to, from, arg->count * sizeof(*to)),
					      sizeof(*to));
	/* A copy of all may have stopped before the first that cannot be copied. */
	for (; i < arg->count; i++) {
		ret = copy_struct_from_user(&to[i], sizeof(to[i]), from + i * arg->transfer_bytes,
					    arg->transfer_bytes);
		if (ret)
			break;
	}
	*transfers = (struct sluice_transfers){ .transfer = to, .count = i, .error = ret };
	return 0;
}

/**
 * sluice_transfers_put - Free the copies
 * @transfers: of sluice_transfers_get()
 */
void sluice_transfers_put(struct sluice_transfers *transfers)
{
	kvfree(transfers->transfer);
}

/**
 * sluice_submit_transfers - Queue transfers
 * @channel: locked, used as a queue, with a ring
 * @arg: of the ioctl, checked
 * @transfers: of it
 *
 * Return: 0 or -errno.
 */
int sluice_submit_transfers(struct sluice_channel *channel, struct sluice_submit *arg,
			    const struct sluice_transfers *transfers)
{
	struct sluice_fences fences;
	LIST_HEAD(jobs);
	int count;

	lockdep_assert_held(&channel->lock);
	arg->time_ns = ktime_get_raw_ns();
	count = sluice_fences_get(channel, arg, &fences);
	if (!count)
		count = sluice_submit_collect(channel, transfers, &fences, &jobs);
	if (count < 0) {
		sluice_fences_put(&fences);
		return count;
	}
	arg->accepted = count;
	if (fences.file) {
		sluice_fence_expect(fences.out, count);
		arg->out_fence = fences.fd;
		fd_install(fences.fd, fences.file->file);
		fences.file = NULL;
	}
	sluice_queue_add(channel, &jobs, count);
	sluice_fences_put(&fences);
	return 0;
}
