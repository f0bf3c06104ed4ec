// SPDX-License-Identifier: GPL-2.0-only
/*
 * read() and write() of streams: the simple pipe.
 *
 * All idle slots (slot.c) of a receiving channel are given to the engine from the first read() on,
 * so that the stream goes on between two of them. What is written goes to the engine at once; a
 * slot is one packet.
 */

#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/uio.h>

#include "channel.h"
#include "pipe.h"
#include "slot.h"

#define SLUICE_LINGER_MS	10000 /* for what was written, when it is closed */

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
		ret = sluice_slot_queue(pipe, slot, pipe->slot_bytes, DMA_FROM_DEVICE, 0);
		if (ret)
			sluice_slot_recycle(pipe, slot);
	}
	mutex_unlock(&channel->lock);
	return ret;
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
			ret = sluice_pipe_wait(pipe, &pipe->done, sluice_no_wait(iocb));
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
 * What went wrong with what was written; `unsent`, if some of it is still under way. Never success
 * if the device has been removed meanwhile. `told`: the next call does not report it again.
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
		ret = sluice_slot_queue(pipe, slot, bytes, DMA_TO_DEVICE, 0);
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
		ret = sluice_pipe_wait(pipe, &pipe->idle, sluice_no_wait(iocb));
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

	if (sluice_channel_has_positions(channel))
		return 0; /* each write() has waited */
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
