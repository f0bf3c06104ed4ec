// SPDX-License-Identifier: GPL-2.0-only
/*
 * read() and write(): the simple pipe, which copies.
 *
 * An open channel that is read or written has some slots of memory. A slot is idle, or under way as
 * a job, or, of a receiving channel, done: it holds data that was not read yet. All idle slots of a
 * receiving channel are given to the engine from the first read() on, so that the stream goes on
 * between two of them. What is written goes to the engine at once; a slot is one packet.
 *
 * Memory is mapped for the engine only while its job is under way, so an unbound device leaves
 * nothing behind but pages.
 */

#include <linux/dma-mapping.h>
#include <linux/gfp.h>
#include <linux/jiffies.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include "channel.h"
#include "job.h"
#include "pipe.h"
#include "queue.h"

#define SLUICE_PIPE_SLOTS	8
#define SLUICE_SLOT_BYTES	SZ_64K
#define SLUICE_LINGER_MS	10000 /* for what was written, when it is closed */

/**
 * struct sluice_slot - Memory of a pipe
 * @node: in the pipe's idle or done
 * @refs: one of the pipe, one of its job
 * @memory: whole pages
 * @filled: bytes received
 * @taken: of them, read
 * @status: of its job
 */
struct sluice_slot {
	struct list_head node;
	struct kref refs;
	void *memory;
	u32 filled;
	u32 taken;
	int status;
};

/**
 * struct sluice_pipe - A channel that is read or written
 * @channel: whose it is
 * @lock: one reader or writer at a time; outside of channel->lock
 * @slot: all of them
 * @slot_bytes: that are used of each slot
 * @idle: slots, under queue_lock, like all that follows
 * @done: slots received, in order
 * @under_way: count of slots that are jobs
 * @error: the first one of what was written, until it is told
 * @lingers: a close() has waited since the last write()
 * @linger_end: in jiffies: no close() waits any longer
 */
struct sluice_pipe {
	struct sluice_channel *channel;
	struct mutex lock; /* one reader or writer */
	struct sluice_slot *slot[SLUICE_PIPE_SLOTS];
	u32 slot_bytes;
	struct list_head idle;
	struct list_head done;
	unsigned int under_way;
	int error;
	bool lingers;
	unsigned long linger_end;
};

/* ---------------------------------------------------------------------------------------------
 * Slots
 */
static void sluice_slot_free(struct kref *refs)
{
	struct sluice_slot *slot = container_of(refs, struct sluice_slot, refs);

	free_pages_exact(slot->memory, SLUICE_SLOT_BYTES);
	kfree(slot);
}

static int sluice_slot_add(struct sluice_pipe *pipe, unsigned int index)
{
	struct sluice_slot *slot = kzalloc(sizeof(*slot), GFP_KERNEL_ACCOUNT);

	if (!slot)
		return -ENOMEM;
	/* What the engine says that it has received is shown: never what was there before. */
	slot->memory = alloc_pages_exact(SLUICE_SLOT_BYTES, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!slot->memory) {
		kfree(slot);
		return -ENOMEM;
	}
	kref_init(&slot->refs);
	list_add_tail(&slot->node, &pipe->idle);
	pipe->slot[index] = slot;
	return 0;
}

static enum dma_data_direction sluice_pipe_direction(const struct sluice_channel *channel)
{
	return channel->provider.direction == SLUICE_TX ? DMA_TO_DEVICE : DMA_FROM_DEVICE;
}

/* The job of a slot is freed, in any context. */
static void sluice_slot_release(struct sluice_job *job)
{
	struct sluice_channel *channel = job->channel;
	struct sluice_slot *slot = job->owner;

	dma_unmap_single(channel->provider.dma_dev, sg_dma_address(job->sg), sg_dma_len(job->sg),
			 sluice_pipe_direction(channel));
	kref_put(&slot->refs, sluice_slot_free);
}

/* queue_lock is held. */
static void sluice_slot_done(struct sluice_job *job, u64 bytes, int status)
{
	struct sluice_channel *channel = job->channel;
	struct sluice_pipe *pipe = channel->pipe;
	struct sluice_slot *slot = job->owner;

	pipe->under_way--;
	slot->filled = bytes;
	slot->taken = 0;
	slot->status = status;
	if (channel->provider.direction == SLUICE_RX) {
		list_add_tail(&slot->node, &pipe->done);
	} else {
		list_add_tail(&slot->node, &pipe->idle);
		pipe->error = pipe->error ?: status;
	}
}

static struct sluice_slot *sluice_slot_idle(struct sluice_pipe *pipe)
{
	struct sluice_channel *channel = pipe->channel;
	struct sluice_slot *slot;
	unsigned long flags;

	spin_lock_irqsave(&channel->queue_lock, flags);
	slot = list_first_entry_or_null(&pipe->idle, struct sluice_slot, node);
	if (slot)
		list_del(&slot->node);
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	return slot;
}

static void sluice_slot_recycle(struct sluice_pipe *pipe, struct sluice_slot *slot)
{
	struct sluice_channel *channel = pipe->channel;
	unsigned long flags;

	spin_lock_irqsave(&channel->queue_lock, flags);
	list_add(&slot->node, &pipe->idle);
	spin_unlock_irqrestore(&channel->queue_lock, flags);
}

/* channel->lock is held. */
static int sluice_slot_queue(struct sluice_pipe *pipe, struct sluice_slot *slot, u32 bytes)
{
	struct sluice_channel *channel = pipe->channel;
	struct device *dev = channel->provider.dma_dev;
	struct sluice_job *job = sluice_job_alloc(channel, 1);
	unsigned long flags;
	dma_addr_t address;
	LIST_HEAD(jobs);

	if (!job)
		return -ENOMEM;
	address = dma_map_single(dev, slot->memory, bytes, sluice_pipe_direction(channel));
	if (dma_mapping_error(dev, address)) {
		sluice_job_destroy(job);
		return -ENOMEM;
	}
	sg_dma_address(job->sg) = address;
	sg_dma_len(job->sg) = bytes;
	job->length = bytes;
	job->owner = slot;
	job->done = sluice_slot_done;
	job->release = sluice_slot_release;
	kref_get(&slot->refs);
	spin_lock_irqsave(&channel->queue_lock, flags);
	pipe->under_way++;
	pipe->lingers = false;
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	list_add_tail(&job->node, &jobs);
	sluice_queue_add(channel, &jobs, 0);
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * The pipe
 */

/* An engine that cannot be stopped may still have slots, which are in no list. */
static void sluice_pipe_free(struct sluice_pipe *pipe)
{
	for (unsigned int i = 0; i < SLUICE_PIPE_SLOTS && pipe->slot[i]; i++)
		kref_put(&pipe->slot[i]->refs, sluice_slot_free);
	mutex_destroy(&pipe->lock);
	kfree(pipe);
}

/* channel->lock is held. */
static int sluice_pipe_create(struct sluice_channel *channel)
{
	struct sluice_pipe *pipe;
	unsigned long flags;
	int ret;

	if (channel->pipe)
		return 0;
	pipe = kzalloc(sizeof(*pipe), GFP_KERNEL_ACCOUNT);
	if (!pipe)
		return -ENOMEM;
	pipe->channel = channel;
	mutex_init(&pipe->lock);
	INIT_LIST_HEAD(&pipe->idle);
	INIT_LIST_HEAD(&pipe->done);
	pipe->slot_bytes = min_t(u32, SLUICE_SLOT_BYTES, channel->provider.max_segment);
	for (unsigned int i = 0; i < SLUICE_PIPE_SLOTS; i++) {
		ret = sluice_slot_add(pipe, i);
		if (ret) {
			sluice_pipe_free(pipe);
			return ret;
		}
	}
	spin_lock_irqsave(&channel->queue_lock, flags);
	channel->pipe = pipe;
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	return 0;
}

/**
 * sluice_pipe_destroy - Remove what a pipe needs
 * @channel: locked, being closed; jobs of an engine that cannot be stopped keep what they use
 */
void sluice_pipe_destroy(struct sluice_channel *channel)
{
	struct sluice_pipe *pipe = channel->pipe;
	unsigned long flags;

	if (!pipe)
		return;
	spin_lock_irqsave(&channel->queue_lock, flags);
	channel->pipe = NULL;
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	sluice_pipe_free(pipe);
}

static bool sluice_no_wait(const struct kiocb *iocb)
{
	return (iocb->ki_flags & IOCB_NOWAIT) || (iocb->ki_filp->f_flags & O_NONBLOCK);
}

static struct sluice_pipe *sluice_pipe_begin(struct kiocb *iocb, enum sluice_direction direction)
{
	struct sluice_channel *channel = iocb->ki_filp->private_data;
	int ret;

	if (channel->provider.direction != direction ||
	    !(sluice_channel_capabilities(channel) & SLUICE_CAP_PIPE))
		return ERR_PTR(-EOPNOTSUPP);
	ret = sluice_channel_lock_as(channel, SLUICE_PIPE);
	if (!ret) {
		ret = sluice_pipe_create(channel);
		mutex_unlock(&channel->lock);
	}
	/* What came before the device went can still be read. */
	if (ret && !(ret == -ENODEV && channel->pipe))
		return ERR_PTR(ret);
	if (!sluice_no_wait(iocb))
		ret = mutex_lock_interruptible(&channel->pipe->lock) ? -ERESTARTSYS : 0;
	else
		ret = mutex_trylock(&channel->pipe->lock) ? 0 : -EAGAIN;
	return ret ? ERR_PTR(ret) : channel->pipe;
}

static bool sluice_list_filled(struct sluice_pipe *pipe, const struct list_head *list)
{
	struct sluice_channel *channel = pipe->channel;
	unsigned long flags;
	bool filled;

	spin_lock_irqsave(&channel->queue_lock, flags);
	filled = !list_empty(list);
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	return filled;
}

static bool sluice_pipe_ready(struct sluice_pipe *pipe, const struct list_head *list)
{
	return sluice_list_filled(pipe, list) || READ_ONCE(pipe->channel->gone);
}

/* Wait until there is a slot in one of the lists. */
static int sluice_pipe_wait(struct kiocb *iocb, struct sluice_pipe *pipe,
			    const struct list_head *list)
{
	struct sluice_channel *channel = pipe->channel;
	int ret;

	if (sluice_list_filled(pipe, list))
		return 0;
	if (sluice_no_wait(iocb))
		return READ_ONCE(channel->gone) ? -ENODEV : -EAGAIN;
	ret = wait_event_interruptible(channel->wait, sluice_pipe_ready(pipe, list));
	if (ret)
		return ret;
	return sluice_list_filled(pipe, list) ? 0 : -ENODEV;
}

/* ---------------------------------------------------------------------------------------------
 * Reading
 */
static int sluice_pipe_refill(struct sluice_pipe *pipe)
{
	struct sluice_channel *channel = pipe->channel;
	struct sluice_slot *slot;
	int ret;

	ret = sluice_channel_lock_as(channel, SLUICE_PIPE);
	if (ret)
		return ret;
	while (!ret) {
		slot = sluice_slot_idle(pipe);
		if (!slot)
			break;
		ret = sluice_slot_queue(pipe, slot, pipe->slot_bytes);
		if (ret)
			sluice_slot_recycle(pipe, slot);
	}
	mutex_unlock(&channel->lock);
	return ret;
}

static struct sluice_slot *sluice_slot_received(struct sluice_pipe *pipe)
{
	struct sluice_channel *channel = pipe->channel;
	struct sluice_slot *slot;
	unsigned long flags;

	spin_lock_irqsave(&channel->queue_lock, flags);
	slot = list_first_entry_or_null(&pipe->done, struct sluice_slot, node);
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	return slot;
}

static void sluice_slot_consume(struct sluice_pipe *pipe, struct sluice_slot *slot)
{
	struct sluice_channel *channel = pipe->channel;
	unsigned long flags;

	spin_lock_irqsave(&channel->queue_lock, flags);
	list_move_tail(&slot->node, &pipe->idle);
	spin_unlock_irqrestore(&channel->queue_lock, flags);
}

/* From one slot only: what came in another packet is another read()'s. 0: nothing was there. */
static ssize_t sluice_pipe_take(struct sluice_pipe *pipe, struct iov_iter *to)
{
	struct sluice_slot *slot;
	ssize_t ret = 0;

	for (slot = sluice_slot_received(pipe); slot; slot = sluice_slot_received(pipe)) {
		if (!slot->status && slot->taken < slot->filled)
			break;
		ret = ret ?: slot->status; /* those that ended together are told once */
		sluice_slot_consume(pipe, slot);
	}
	if (ret || !slot)
		return ret;
	ret = copy_to_iter(slot->memory + slot->taken, slot->filled - slot->taken, to);
	slot->taken += ret;
	if (slot->taken == slot->filled)
		sluice_slot_consume(pipe, slot);
	return ret ?: -EFAULT;
}

/**
 * sluice_pipe_read - read()
 * @iocb: of an open channel
 * @to: where to
 *
 * Return: bytes, or -errno.
 */
ssize_t sluice_pipe_read(struct kiocb *iocb, struct iov_iter *to)
{
	struct sluice_pipe *pipe = sluice_pipe_begin(iocb, SLUICE_RX);
	ssize_t ret;

	if (IS_ERR(pipe))
		return PTR_ERR(pipe);
	ret = iov_iter_count(to) ? sluice_pipe_take(pipe, to) : 0;
	while (!ret && iov_iter_count(to)) {
		ret = sluice_pipe_refill(pipe);
		if (!ret)
			ret = sluice_pipe_wait(iocb, pipe, &pipe->done);
		if (!ret)
			ret = sluice_pipe_take(pipe, to);
	}
	if (ret > 0)
		sluice_pipe_refill(pipe); /* if it cannot, the next one says so */
	mutex_unlock(&pipe->lock);
	return ret;
}

/* ---------------------------------------------------------------------------------------------
 * Writing
 */

/*
 * What went wrong with what was written; `unsent`, if some of it is still under way, and never
 * success if it is so because the device has gone. `told`: the next one need not hear of it.
 */
static int sluice_pipe_error(struct sluice_channel *channel, bool told, int unsent)
{
	struct sluice_pipe *pipe = channel->pipe;
	unsigned long flags;
	int error = 0;

	spin_lock_irqsave(&channel->queue_lock, flags);
	if (pipe) {
		error = pipe->error;
		if (told)
			pipe->error = 0;
		if (!error && pipe->under_way)
			error = READ_ONCE(channel->gone) ? -ENODEV : unsent;
	}
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	return error;
}

static ssize_t sluice_pipe_send(struct sluice_pipe *pipe, struct iov_iter *from)
{
	size_t bytes = min_t(size_t, iov_iter_count(from), pipe->slot_bytes);
	struct sluice_channel *channel = pipe->channel;
	struct sluice_slot *slot = sluice_slot_idle(pipe);
	ssize_t ret;

	if (!copy_from_iter_full(slot->memory, bytes, from)) {
		sluice_slot_recycle(pipe, slot);
		return -EFAULT;
	}
	ret = sluice_channel_lock_as(channel, SLUICE_PIPE);
	if (!ret) {
		ret = sluice_slot_queue(pipe, slot, bytes);
		mutex_unlock(&channel->lock);
	}
	if (!ret)
		return bytes;
	sluice_slot_recycle(pipe, slot);
	iov_iter_revert(from, bytes);
	return ret;
}

/**
 * sluice_pipe_write - write()
 * @iocb: of an open channel
 * @from: where from
 *
 * Return: bytes, or -errno.
 */
ssize_t sluice_pipe_write(struct kiocb *iocb, struct iov_iter *from)
{
	struct sluice_pipe *pipe = sluice_pipe_begin(iocb, SLUICE_TX);
	ssize_t ret, written = 0;

	if (IS_ERR(pipe))
		return PTR_ERR(pipe);
	ret = sluice_pipe_error(pipe->channel, true, 0);
	while (!ret && iov_iter_count(from)) {
		ret = sluice_pipe_wait(iocb, pipe, &pipe->idle);
		if (ret)
			break;
		ret = sluice_pipe_send(pipe, from);
		if (ret < 0)
			break;
		written += ret;
		ret = 0;
	}
	mutex_unlock(&pipe->lock);
	return written ?: ret;
}

/* ---------------------------------------------------------------------------------------------
 * What was written
 */
static bool sluice_pipe_sent(struct sluice_channel *channel)
{
	unsigned long flags;
	bool sent;

	spin_lock_irqsave(&channel->queue_lock, flags);
	sent = !channel->pipe || !channel->pipe->under_way;
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	return sent || READ_ONCE(channel->gone);
}

/**
 * sluice_pipe_sync - fsync(): wait until all that was written has been sent
 * @file: an open channel
 * @start: not used
 * @end: not used
 * @datasync: not used
 *
 * Return: 0 or -errno.
 */
int sluice_pipe_sync(struct file *file, loff_t start, loff_t end, int datasync)
{
	struct sluice_channel *channel = file->private_data;
	int ret;

	if (channel->provider.direction != SLUICE_TX)
		return -EINVAL;
	ret = wait_event_interruptible(channel->wait, sluice_pipe_sent(channel));
	return ret ?: sluice_pipe_error(channel, true, 0);
}

/* How long close() still waits, however many descriptors are closed: since the first of them. */
static unsigned long sluice_pipe_linger(struct sluice_channel *channel)
{
	unsigned long flags, now = jiffies, left = 0;
	struct sluice_pipe *pipe = channel->pipe;

	spin_lock_irqsave(&channel->queue_lock, flags);
	if (pipe && pipe->under_way) {
		if (!pipe->lingers)
			pipe->linger_end = now + msecs_to_jiffies(SLUICE_LINGER_MS);
		pipe->lingers = true;
		left = time_before(now, pipe->linger_end) ? pipe->linger_end - now : 0;
	}
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	return left;
}

/**
 * sluice_pipe_flush - close(): the same, for some seconds or until a signal
 * @file: an open channel
 * @id: not used
 *
 * It may be one descriptor of several, or another process's: what went wrong is told to the next
 * write() or fsync(), too.
 *
 * Return: 0 or -errno.
 */
int sluice_pipe_flush(struct file *file, fl_owner_t id)
{
	struct sluice_channel *channel = file->private_data;
	long ret;

	if (channel->provider.direction != SLUICE_TX)
		return 0;
	ret = wait_event_interruptible_timeout(channel->wait, sluice_pipe_sent(channel),
					       sluice_pipe_linger(channel));
	return sluice_pipe_error(channel, false, ret < 0 ? -EINTR : -ETIMEDOUT);
}

/**
 * sluice_pipe_poll - poll()
 * @channel: open, queue_lock is held
 *
 * Return: EPOLLIN, EPOLLOUT, EPOLLERR.
 */
__poll_t sluice_pipe_poll(const struct sluice_channel *channel)
{
	const struct sluice_pipe *pipe = channel->pipe;
	__poll_t mask = 0;

	if (!pipe)
		return 0;
	if (!list_empty(&pipe->done))
		mask |= EPOLLIN | EPOLLRDNORM;
	if (channel->provider.direction == SLUICE_TX && !list_empty(&pipe->idle))
		mask |= EPOLLOUT | EPOLLWRNORM;
	return pipe->error ? mask | EPOLLERR : mask;
}
