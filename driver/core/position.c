// SPDX-License-Identifier: GPL-2.0-only
/*
 * read() and write() of channels that copy: between the program and the board's memory, at the
 * file's position, by the engine. Position 0 is the first byte that the engine reaches.
 *
 * The program's data goes through slots (slot.c), some of which the engine has while others are
 * copied. A call returns when the engine is done with all that the call gave it: after a signal it
 * gives no more, and waits for those few slots.
 */

#include <linux/sched/signal.h>
#include <linux/uio.h>

#include "channel.h"
#include "position.h"
#include "slot.h"

static bool sluice_position_can(const struct sluice_channel *channel, bool out)
{
	switch (channel->provider.card) {
	case SLUICE_CARD_DESTINATION:
		return out;
	case SLUICE_CARD_SOURCE:
		return !out;
	default:
		return true;
	}
}

/* Give one more slot to the engine, with what is to be written; the number of bytes, or -errno. */
static ssize_t sluice_position_give(struct sluice_pipe *pipe, struct sluice_slot *slot,
				    struct iov_iter *iter, u64 position, u64 left, bool out)
{
	struct sluice_channel *channel = pipe->channel;
	u32 bytes = min_t(u64, left, pipe->slot_bytes);
	int ret = -EFAULT;

	if (out && !copy_from_iter_full(slot->memory, bytes, iter))
		goto recycle;
	ret = sluice_channel_lock_as(channel, SLUICE_PIPE);
	if (ret)
		goto recycle;
	ret = sluice_slot_queue(pipe, slot, bytes, out ? DMA_TO_DEVICE : DMA_FROM_DEVICE,
				channel->part.address + position);
	mutex_unlock(&channel->lock);
	if (!ret)
		return bytes;

recycle:
	sluice_slot_recycle(pipe, slot);
	return ret;
}

/* Wait for the first slot of those that the engine has; its bytes, or -errno. */
static ssize_t sluice_position_take(struct sluice_pipe *pipe, struct iov_iter *iter, bool out)
{
	struct sluice_slot *slot;
	ssize_t ret;

	ret = sluice_pipe_wait_done(pipe);
	if (ret)
		return ret;
	slot = sluice_slot_received(pipe);
	ret = slot->status ?: (ssize_t)slot->filled;
	if (ret > 0 && !out && copy_to_iter(slot->memory, ret, iter) != ret)
		ret = -EFAULT;
	sluice_slot_consume(pipe, slot);
	return ret;
}

/* What an error, or a fatal signal, leaves under way is waited for by the next call. */
static ssize_t sluice_position_run(struct sluice_pipe *pipe, struct iov_iter *iter, u64 position,
				   u64 bytes, bool out)
{
	struct sluice_slot *slot;
	ssize_t ret, failed = 0, moved = 0; /* a call moves less than 2 GiB */
	u64 given = 0;

	do {
		while (!failed && given < bytes) {
			if (signal_pending(current)) {
				failed = -ERESTARTSYS;
				break;
			}
			slot = sluice_slot_idle(pipe);
			if (!slot)
				break;
			ret = sluice_position_give(pipe, slot, iter, position + given,
						   bytes - given, out);
			if (ret < 0)
				failed = ret;
			else
				given += ret;
		}
		if ((u64)moved == given)
			break;
		ret = sluice_position_take(pipe, iter, out);
		if (ret < 0)
			return moved ?: ret;
		moved += ret;
	} while ((u64)moved < bytes);
	return moved ?: failed;
}

static ssize_t sluice_position_move(struct kiocb *iocb, struct iov_iter *iter, bool out)
{
	struct sluice_channel *channel = iocb->ki_filp->private_data;
	const struct sluice_provider *provider = &channel->provider;
	u64 bytes = iov_iter_count(iter), end = channel->part.bytes;
	struct sluice_pipe *pipe;
	ssize_t ret;

	if (!sluice_channel_has_positions(channel) || !sluice_position_can(channel, out))
		return -EOPNOTSUPP;
	if (!bytes || iocb->ki_pos >= end)
		return bytes && out ? -ENOSPC : 0;
	bytes = min(bytes, end - iocb->ki_pos);
	if (!IS_ALIGNED(channel->part.address + iocb->ki_pos, provider->address_align) ||
	    !IS_ALIGNED(bytes, provider->length_align))
		return -EINVAL;
	pipe = sluice_pipe_begin(iocb, SLUICE_COPY);
	if (IS_ERR(pipe))
		return PTR_ERR(pipe);
	ret = sluice_pipe_settle(pipe);
	if (!ret)
		ret = sluice_position_run(pipe, iter, iocb->ki_pos, bytes, out);
	mutex_unlock(&pipe->lock);
	if (ret > 0)
		iocb->ki_pos += ret;
	return ret;
}

/**
 * sluice_position_read - read() and pread() of a channel that copies
 * @iocb: of it, open
 * @to: where to
 *
 * Return: bytes, 0 at the end of what the engine reaches, or -errno.
 */
ssize_t sluice_position_read(struct kiocb *iocb, struct iov_iter *to)
{
	return sluice_position_move(iocb, to, false);
}

/**
 * sluice_position_write - write() and pwrite() of a channel that copies
 * @iocb: of it, open
 * @from: where from
 *
 * Return: bytes, or -errno: -ENOSPC at the end of what the engine reaches.
 */
ssize_t sluice_position_write(struct kiocb *iocb, struct iov_iter *from)
{
	return sluice_position_move(iocb, from, true);
}

/**
 * sluice_position_seek - lseek() of a channel that copies
 * @file: open
 * @offset: to where
 * @whence: from where
 *
 * Return: the new position, or -errno.
 */
loff_t sluice_position_seek(struct file *file, loff_t offset, int whence)
{
	const struct sluice_channel *channel = file->private_data;

	return fixed_size_llseek(file, offset, whence, channel->part.bytes);
}

/**
 * sluice_position_poll - poll() of a channel that copies, which never has to be waited for
 * @channel: open
 *
 * Return: EPOLLIN, EPOLLOUT.
 */
__poll_t sluice_position_poll(const struct sluice_channel *channel)
{
	__poll_t mask = 0;

	if (sluice_position_can(channel, false))
		mask |= EPOLLIN | EPOLLRDNORM;
	if (sluice_position_can(channel, true))
		mask |= EPOLLOUT | EPOLLWRNORM;
	return mask;
}
