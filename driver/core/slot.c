// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of read() and write(), which copy.
 *
 * An open channel that is read or written has some slots of memory. A slot is idle, or under way as
 * a job, or, of what was received or copied, done, until its data was taken.
 *
 * Memory is mapped for the engine only while its job is under way, so an unbound device leaves
 * nothing behind but pages.
 */

#include <linux/dma-mapping.h>
#include <linux/gfp.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "channel.h"
#include "job.h"
#include "queue.h"
#include "slot.h"

#define SLUICE_SLOT_BYTES	SZ_64K
#define SLUICE_COPY_MS		30000 /* for what the engine has of a read() or write() */

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

/* The job of a slot is freed, in any context. */
static void sluice_slot_release(struct sluice_job *job)
{
	struct sluice_channel *channel = job->channel;
	struct sluice_slot *slot = job->owner;

	dma_unmap_single(channel->provider.dma_dev, sg_dma_address(job->sg), sg_dma_len(job->sg),
			 slot->direction);
	if (job->there_mapped)
		dma_unmap_resource(channel->provider.dma_dev, job->there, sg_dma_len(job->sg),
				   slot->direction == DMA_TO_DEVICE ? DMA_FROM_DEVICE :
								      DMA_TO_DEVICE,
				   DMA_ATTR_SKIP_CPU_SYNC);
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
	if (channel->provider.direction != SLUICE_TX) {
		list_add_tail(&slot->node, &pipe->done);
	} else {
		list_add_tail(&slot->node, &pipe->idle);
		pipe->error = pipe->error ?: status;
	}
}

/**
 * sluice_slot_idle - Take an idle slot
 * @pipe: locked
 *
 * Return: a slot that is in no list, or NULL.
 */
struct sluice_slot *sluice_slot_idle(struct sluice_pipe *pipe)
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

/**
 * sluice_slot_recycle - Give back a slot that was not used
 * @pipe: locked
 * @slot: in no list
 */
void sluice_slot_recycle(struct sluice_pipe *pipe, struct sluice_slot *slot)
{
	struct sluice_channel *channel = pipe->channel;
	unsigned long flags;

	spin_lock_irqsave(&channel->queue_lock, flags);
	list_add(&slot->node, &pipe->idle);
	spin_unlock_irqrestore(&channel->queue_lock, flags);
}

/*
 * The other side of a copy: memory of a card at its own address, memory of logic in a SoC mapped as
 * that of another device.
 */
static int sluice_slot_map_there(struct sluice_job *job, u32 bytes,
				 enum dma_data_direction direction, u64 there)
{
	struct sluice_channel *channel = job->channel;
	struct device *dev = channel->provider.dma_dev;

	job->there = there;
	if (channel->provider.direction != SLUICE_COPY || channel->part.on_card)
		return 0;
	job->there = dma_map_resource(dev, there, bytes,
				      direction == DMA_TO_DEVICE ? DMA_FROM_DEVICE : DMA_TO_DEVICE,
				      DMA_ATTR_SKIP_CPU_SYNC);
	job->there_mapped = !dma_mapping_error(dev, job->there);
	return job->there_mapped ? 0 : -EIO;
}

/**
 * sluice_slot_queue - Give a slot to the engine
 * @pipe: of a channel that is locked
 * @slot: not in a list
 * @bytes: of it
 * @direction: of the slot's memory, for the engine
 * @there: of a copy the other side: for a card's engine, or physical
 *
 * Return: 0 or -errno; then the slot is the caller's still.
 */
int sluice_slot_queue(struct sluice_pipe *pipe, struct sluice_slot *slot, u32 bytes,
		      enum dma_data_direction direction, u64 there)
{
	struct sluice_channel *channel = pipe->channel;
	struct device *dev = channel->provider.dma_dev;
	struct sluice_job *job = sluice_job_alloc(channel, 1);
	unsigned long flags;
	dma_addr_t address;
	LIST_HEAD(jobs);

	if (!job)
		return -ENOMEM;
	address = dma_map_single(dev, slot->memory, bytes, direction);
	if (dma_mapping_error(dev, address)) {
		sluice_job_destroy(job);
		return -ENOMEM;
	}
	if (sluice_slot_map_there(job, bytes, direction, there)) {
		dma_unmap_single(dev, address, bytes, direction);
		sluice_job_destroy(job);
		return -EIO;
	}
	slot->direction = direction;
	sg_dma_address(job->sg) = address;
	sg_dma_len(job->sg) = bytes;
	job->length = bytes;
	job->to_there = direction == DMA_TO_DEVICE;
	/* An engine that has met an error may never call back. A stream may take its time. */
	if (channel->provider.direction == SLUICE_COPY && channel->provider.terminates)
		job->deadline = ktime_add_ms(ktime_get(), SLUICE_COPY_MS);
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

/**
 * sluice_slot_received - Find the first slot that is done
 * @pipe: locked
 *
 * Return: the slot, which stays in its list; or NULL.
 */
struct sluice_slot *sluice_slot_received(struct sluice_pipe *pipe)
{
	struct sluice_channel *channel = pipe->channel;
	struct sluice_slot *slot;
	unsigned long flags;

	spin_lock_irqsave(&channel->queue_lock, flags);
	slot = list_first_entry_or_null(&pipe->done, struct sluice_slot, node);
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	return slot;
}

/**
 * sluice_slot_consume - Be done with a slot
 * @pipe: locked
 * @slot: in the list of those that are done
 */
void sluice_slot_consume(struct sluice_pipe *pipe, struct sluice_slot *slot)
{
	struct sluice_channel *channel = pipe->channel;
	unsigned long flags;

	spin_lock_irqsave(&channel->queue_lock, flags);
	list_move_tail(&slot->node, &pipe->idle);
	spin_unlock_irqrestore(&channel->queue_lock, flags);
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

/**
 * sluice_no_wait - May a read() or write() not wait?
 * @iocb: of it
 *
 * Return: true if so.
 */
bool sluice_no_wait(const struct kiocb *iocb)
{
	return (iocb->ki_flags & IOCB_NOWAIT) || (iocb->ki_filp->f_flags & O_NONBLOCK);
}

/**
 * sluice_pipe_begin - Begin a read() or write()
 * @iocb: of an open channel
 * @direction: that the channel has to have
 *
 * Return: the pipe, locked, whose lock the caller gives back; or an ERR_PTR.
 */
struct sluice_pipe *sluice_pipe_begin(struct kiocb *iocb, enum sluice_direction direction)
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
	if (direction == SLUICE_COPY || !sluice_no_wait(iocb))
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

/**
 * sluice_pipe_wait - Wait until there is a slot in one of the lists
 * @pipe: locked
 * @list: its idle or done
 * @no_wait: do not
 *
 * Return: 0, -EAGAIN, -ENODEV or -ERESTARTSYS.
 */
int sluice_pipe_wait(struct sluice_pipe *pipe, const struct list_head *list, bool no_wait)
{
	struct sluice_channel *channel = pipe->channel;
	int ret;

	if (sluice_list_filled(pipe, list))
		return 0;
	if (no_wait)
		return READ_ONCE(channel->gone) ? -ENODEV : -EAGAIN;
	ret = wait_event_interruptible(channel->wait, sluice_pipe_ready(pipe, list));
	if (ret)
		return ret;
	return sluice_list_filled(pipe, list) ? 0 : -ENODEV;
}

/**
 * sluice_pipe_wait_done - Wait until a slot is done, whatever signal comes but a fatal one
 * @pipe: locked
 *
 * Return: 0, -ENODEV or -ERESTARTSYS.
 */
int sluice_pipe_wait_done(struct sluice_pipe *pipe)
{
	int ret;

	ret = wait_event_killable(pipe->channel->wait, sluice_pipe_ready(pipe, &pipe->done));
	if (ret)
		return ret;
	return sluice_list_filled(pipe, &pipe->done) ? 0 : -ENODEV;
}

static bool sluice_pipe_at_rest(struct sluice_pipe *pipe)
{
	struct sluice_channel *channel = pipe->channel;
	unsigned long flags;
	bool at_rest;

	spin_lock_irqsave(&channel->queue_lock, flags);
	at_rest = !pipe->under_way;
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	return at_rest;
}

static bool sluice_pipe_settled(struct sluice_pipe *pipe)
{
	return sluice_pipe_at_rest(pipe) || READ_ONCE(pipe->channel->gone);
}

/**
 * sluice_pipe_settle - Wait for the end of what an earlier call has left, and forget it
 * @pipe: locked
 *
 * Return: 0, -ENODEV or -ERESTARTSYS.
 */
int sluice_pipe_settle(struct sluice_pipe *pipe)
{
	struct sluice_slot *slot;
	int ret;

	ret = wait_event_interruptible(pipe->channel->wait, sluice_pipe_settled(pipe));
	if (ret)
		return ret;
	for (slot = sluice_slot_received(pipe); slot; slot = sluice_slot_received(pipe))
		sluice_slot_consume(pipe, slot);
	return sluice_pipe_at_rest(pipe) ? 0 : -ENODEV;
}
