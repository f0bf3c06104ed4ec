// SPDX-License-Identifier: GPL-2.0-only
/*
 * From what user space asks for to jobs.
 */

#include <linux/dma-fence.h>
#include <linux/file.h>
#include <linux/ktime.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/sync_file.h>
#include <linux/uaccess.h>

#include "fence.h"
#include "sluice_core.h"

#define SLUICE_TRANSFER_FLAGS	SLUICE_TRANSFER_PACKET

/* ---------------------------------------------------------------------------------------------
 * One job
 */
static bool sluice_range_fits(const struct sluice_provider *provider,
			      const struct sluice_buffer *buffer, u64 offset, u64 length)
{
	u64 end;

	return !check_add_overflow(offset, length, &end) && end <= buffer->bytes &&
	       IS_ALIGNED(offset, provider->address_align) &&
	       IS_ALIGNED(length, provider->length_align);
}

/* Must it be in one piece, and fit the engine's length register? */
static bool sluice_is_one_piece(const struct sluice_provider *provider, u32 flags)
{
	return (flags & SLUICE_TRANSFER_PACKET) ||
	       (provider->direction == SLUICE_RX && provider->completes_all);
}

/**
 * sluice_max_length - Bytes of the longest transfer
 * @provider: any
 *
 * Return: as many, if the memory is in pieces that the engine takes.
 */
u32 sluice_max_length(const struct sluice_provider *provider)
{
	return sluice_is_one_piece(provider, 0) ? provider->max_segment : U32_MAX;
}

static int sluice_transfer_check(const struct sluice_channel *channel,
				 const struct sluice_transfer *transfer)
{
	const struct sluice_provider *provider = &channel->provider;
	bool copies = provider->direction == SLUICE_COPY;

	if (transfer->flags & ~SLUICE_TRANSFER_FLAGS)
		return -EOPNOTSUPP;
	if (transfer->reserved || !transfer->length || transfer->length > U32_MAX)
		return -EINVAL;
	if (!copies && (transfer->destination || transfer->destination_offset))
		return -EINVAL;
	if (transfer->timeout_ns && !provider->terminates)
		return -EOPNOTSUPP;
	if ((transfer->flags & SLUICE_TRANSFER_PACKET) &&
	    (provider->direction != SLUICE_RX || !provider->reports_bytes))
		return -EOPNOTSUPP;
	if (sluice_is_one_piece(provider, transfer->flags) &&
	    transfer->length > provider->max_segment)
		return -EINVAL;
	return 0;
}

static ktime_t sluice_deadline(u64 timeout_ns)
{
	ktime_t now;

	if (!timeout_ns)
		return KTIME_MAX;
	now = ktime_get();
	if (timeout_ns > (u64)(KTIME_MAX - now))
		return KTIME_MAX;
	return ktime_add_ns(now, timeout_ns);
}

/* The pieces that hold a range; their count alone, without a list. */
static unsigned int sluice_range_list(const struct sluice_buffer *buffer, u64 offset, u64 length,
				      struct scatterlist *sg)
{
	unsigned int first = sluice_buffer_find(buffer, offset), count = 0;

	for (unsigned int i = first; length; i++) {
		const struct sluice_piece *piece = &buffer->piece[i];
		u64 skip = offset - piece->start;
		u64 bytes = min(piece->bytes - skip, length);

		if (sg) {
			sg_dma_address(&sg[count]) = piece->address + skip;
			sg_dma_len(&sg[count]) = bytes;
		}
		offset += bytes;
		length -= bytes;
		count++;
	}
	return count;
}

/**
 * sluice_job_alloc - Make a job of nothing yet
 * @channel: whose it will be
 * @pieces: of memory of a stream
 *
 * Return: the job, without a time limit; or NULL.
 */
struct sluice_job *sluice_job_alloc(struct sluice_channel *channel, unsigned int pieces)
{
	struct sluice_job *job = kzalloc(struct_size(job, sg, pieces), GFP_KERNEL);

	if (!job)
		return NULL;
	job->channel = channel;
	job->deadline = KTIME_MAX;
	job->pieces = pieces;
	if (pieces)
		sg_init_table(job->sg, pieces);
	return job;
}

/**
 * sluice_job_destroy - Let go of a job and of what it holds, from any context
 * @job: in no list
 */
void sluice_job_destroy(struct sluice_job *job)
{
	dma_fence_put(job->in_fence);
	dma_fence_put(job->out_fence);
	sluice_buffer_put(job->buffer);
	sluice_buffer_put(job->destination);
	if (job->slot)
		sluice_slot_unmap(job);
	kfree(job);
}

static int sluice_job_set_memory(struct sluice_job *job, const struct sluice_transfer *transfer)
{
	struct sluice_channel *channel = job->channel;
	const struct sluice_provider *provider = &channel->provider;

	if (provider->direction != SLUICE_COPY) {
		sluice_range_list(job->buffer, transfer->offset, transfer->length, job->sg);
		return 0;
	}
	job->destination = sluice_buffer_get(channel, transfer->destination);
	if (!job->destination)
		return -ENOENT;
	if (!sluice_range_fits(provider, job->destination, transfer->destination_offset,
			       transfer->length))
		return -EINVAL;
	job->piece = sluice_buffer_find(job->buffer, transfer->offset);
	job->destination_piece = sluice_buffer_find(job->destination,
						    transfer->destination_offset);
	return 0;
}

/**
 * sluice_job_create - Make a job of a transfer
 * @channel: locked
 * @transfer: what user space, or we, ask for
 * @buffer: held, whatever number the transfer has; the job's, or let go of
 *
 * Return: the job, or an ERR_PTR.
 */
struct sluice_job *sluice_job_create(struct sluice_channel *channel,
				     const struct sluice_transfer *transfer,
				     struct sluice_buffer *buffer)
{
	const struct sluice_provider *provider = &channel->provider;
	unsigned int pieces = 0;
	struct sluice_job *job;
	int ret;

	ret = sluice_transfer_check(channel, transfer);
	if (ret)
		goto put;
	ret = -ENOENT;
	if (!buffer)
		goto put;
	ret = -EINVAL;
	if (!sluice_range_fits(provider, buffer, transfer->offset, transfer->length))
		goto put;
	if (provider->direction != SLUICE_COPY)
		pieces = sluice_range_list(buffer, transfer->offset, transfer->length, NULL);
	if (pieces > 1 && sluice_is_one_piece(provider, transfer->flags))
		goto put;
	ret = -EMSGSIZE;
	if (pieces > SLUICE_MAX_PIECES)
		goto put;
	ret = -ENOMEM;
	job = sluice_job_alloc(channel, pieces);
	if (!job)
		goto put;
	job->cookie = transfer->cookie;
	job->length = transfer->length;
	job->deadline = sluice_deadline(transfer->timeout_ns);
	job->buffer = buffer;
	job->offset = transfer->offset;
	job->destination_offset = transfer->destination_offset;
	ret = sluice_job_set_memory(job, transfer);
	if (!ret)
		return job;
	sluice_job_destroy(job);
	return ERR_PTR(ret);

put:
	sluice_buffer_put(buffer);
	return ERR_PTR(ret);
}

/* ---------------------------------------------------------------------------------------------
 * One submission
 */

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
	fences->out = sluice_fence_create(channel);
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
	unsigned long flags;
	u32 used;

	spin_lock_irqsave(&channel->queue_lock, flags);
	used = sluice_ring_filled(channel) + channel->under_way;
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	return channel->completions.entries - used;
}

/* How many transfers are jobs in the list; or why the first is not. */
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
 * The memory may be such that reading it takes as long as a program likes: no lock is held.
 *
 * Return: 0 or -ENOMEM.
 */
int sluice_transfers_get(const struct sluice_submit *arg, struct sluice_transfers *transfers)
{
	void __user *from = u64_to_user_ptr(arg->transfers);
	struct sluice_transfer *to;
	int ret = 0;
	u32 i;

	to = kvmalloc_array(arg->count, sizeof(*to), GFP_KERNEL);
	if (!to)
		return -ENOMEM;
	for (i = 0; i < arg->count; i++, from += arg->transfer_bytes) {
		ret = copy_struct_from_user(&to[i], sizeof(to[i]), from, arg->transfer_bytes);
		if (ret)
			break;
	}
	*transfers = (struct sluice_transfers){ .transfer = to, .count = i, .error = ret };
	return 0;
}

/**
 * sluice_transfers_put - Let go of them
 * @transfers: of sluice_transfers_get()
 */
void sluice_transfers_put(struct sluice_transfers *transfers)
{
	kvfree(transfers->transfer);
}

/**
 * sluice_queue_submit - Queue transfers
 * @channel: locked, used as a queue, with a ring
 * @arg: of the ioctl, checked
 * @transfers: of it
 *
 * Return: 0 or -errno.
 */
int sluice_queue_submit(struct sluice_channel *channel, struct sluice_submit *arg,
			const struct sluice_transfers *transfers)
{
	struct sluice_fences fences;
	LIST_HEAD(jobs);
	int count;

	count = sluice_fences_get(channel, arg, &fences);
	if (!count)
		count = sluice_submit_collect(channel, transfers, &fences, &jobs);
	if (count < 0) {
		sluice_fences_put(&fences);
		return count;
	}
	list_last_entry(&jobs, struct sluice_job, node)->signals = true;
	arg->accepted = count;
	if (fences.file) {
		arg->out_fence = fences.fd;
		fd_install(fences.fd, fences.file->file);
		fences.file = NULL;
	}
	sluice_queue_add(channel, &jobs, count);
	sluice_fences_put(&fences);
	return 0;
}
