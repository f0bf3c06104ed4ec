// SPDX-License-Identifier: GPL-2.0-only
/*
 * The character device of a channel: open, calls, poll, mmap, release.
 *
 * Every call takes its lock by the table at the end of the calls. A call that waits, or that
 * touches user memory for as long as a program likes, has none there and locks in between.
 */

#include <linux/dma-buf.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <uapi/linux/dma-buf.h>

#include "buffer.h"
#include "call.h"
#include "capture.h"
#include "channel.h"
#include "coherent.h"
#include "compat.h"
#include "file.h"
#include "job.h"
#include "pipe.h"
#include "position.h"
#include "queue.h"
#include "slot.h"
#include "submit.h"
#include "view.h"

#define SLUICE_REAP_CHUNK	16U

/* ---------------------------------------------------------------------------------------------
 * Opening and closing
 */
static int sluice_open(struct inode *inode, struct file *file)
{
	struct sluice_channel *channel = container_of(inode->i_cdev, struct sluice_channel, cdev);
	int ret;

	ret = sluice_channel_lock(channel);
	if (ret)
		return ret;
	if (channel->opened || !sluice_queue_idle(channel)) {
		ret = -EBUSY;
		goto unlock;
	}
	ret = sluice_channel_recover(channel);
	if (ret)
		goto unlock;
	channel->orphaned = false;
	channel->opened = true;
	channel->use = SLUICE_UNUSED;
	file->private_data = channel;
	if (!sluice_channel_has_positions(channel))
		stream_open(inode, file);
unlock:
	mutex_unlock(&channel->lock);
	return ret;
}

static int sluice_release(struct inode *inode, struct file *file)
{
	struct sluice_channel *channel = file->private_data;
	LIST_HEAD(buffers);

	mutex_lock(&channel->import_lock); /* until they are unmapped the engine's device stays */
	mutex_lock(&channel->lock);
	if (!channel->gone) {
		sluice_capture_stop(channel, -ECANCELED);
		sluice_capture_detach(channel);
		sluice_buffer_detach_all(channel, &buffers);
	}
	mutex_unlock(&channel->lock);
	sluice_buffers_put(&buffers);
	mutex_unlock(&channel->import_lock);
	/* Nothing queues these any longer: no job is left, and nobody has the file. */
	cancel_delayed_work_sync(&channel->deadline_work);
	cancel_work_sync(&channel->refill_work);

	mutex_lock(&channel->lock);
	sluice_ring_destroy(&channel->completions);
	sluice_capture_destroy(channel);
	sluice_pipe_destroy(channel);
	sluice_jobs_free(channel);
	channel->opened = false;
	mutex_unlock(&channel->lock);
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * Locks of the calls
 */
static int sluice_lock_queue(struct file *file)
{
	return sluice_channel_lock_as(file->private_data, SLUICE_QUEUE);
}

static int sluice_lock_capture(struct file *file)
{
	return sluice_channel_lock_as(file->private_data, SLUICE_CAPTURE);
}

/* There is a capture, running or not. */
static int sluice_lock_captured(struct file *file)
{
	struct sluice_channel *channel = file->private_data;
	int ret;

	ret = sluice_channel_lock(channel);
	if (ret)
		return ret;
	if (channel->use == SLUICE_CAPTURE && channel->capture)
		return 0;
	ret = channel->use == SLUICE_UNUSED || channel->use == SLUICE_CAPTURE ? -EPIPE : -EBUSY;
	mutex_unlock(&channel->lock);
	return ret;
}

static void sluice_unlock(struct file *file)
{
	struct sluice_channel *channel = file->private_data;

	mutex_unlock(&channel->lock);
}

/* ---------------------------------------------------------------------------------------------
 * Calls
 */
static int sluice_ioctl_info(struct file *file, void *data)
{
	struct sluice_channel *channel = file->private_data;
	const struct sluice_provider *provider = &channel->provider;
	struct sluice_info *info = data;
	u32 size = info->size;

	*info = (struct sluice_info){
		.size = size,
		.api_version = SLUICE_API_VERSION,
		.direction = provider->direction,
		.capabilities = sluice_channel_capabilities(channel),
		.max_length = sluice_max_length(provider),
		.max_packet = provider->max_segment,
		.address_align = provider->address_align,
		.length_align = provider->length_align,
		.max_transfers = SLUICE_MAX_TRANSFERS,
		.max_ring_entries = SLUICE_MAX_RING_ENTRIES,
		.max_buffers = SLUICE_MAX_BUFFERS,
		.max_periods = SLUICE_MAX_PERIODS,
		.memory_first = channel->part.first,
		.memory_bytes = channel->part.bytes,
	};
	memcpy(info->board, channel->board, sizeof(info->board));
	memcpy(info->name, channel->name, sizeof(info->name));
	return 0;
}

static int sluice_check_attach(struct file *file, const void *data)
{
	const struct sluice_attach *arg = data;

	return arg->reserved ? -EINVAL : 0;
}

/* A buffer goes back to its exporter: whatever uses it ends. channel->lock is held. */
static void sluice_revoke(struct sluice_channel *channel, struct sluice_buffer *buffer)
{
	if (sluice_capture_uses(channel, buffer)) {
		sluice_capture_stop(channel, -ESTALE);
		sluice_view_forget(channel->capture);
	} else {
		sluice_queue_revoke(channel, buffer);
	}
}

static int sluice_ioctl_attach(struct file *file, void *data)
{
	return sluice_buffer_attach(file->private_data, data, sluice_revoke);
}

static int sluice_check_detach(struct file *file, const void *data)
{
	const struct sluice_detach *arg = data;

	return arg->reserved ? -EINVAL : 0;
}

static int sluice_ioctl_detach(struct file *file, void *data)
{
	const struct sluice_detach *arg = data;

	return sluice_buffer_detach(file->private_data, arg->buffer);
}

static int sluice_check_allocate(struct file *file, const void *data)
{
	const struct sluice_allocate *arg = data;

	return arg->reserved ? -EINVAL : 0;
}

/* import_lock is held: the engine's device is there. */
static struct dma_buf *sluice_allocate(struct sluice_channel *channel, u64 bytes)
{
	if (READ_ONCE(channel->gone))
		return ERR_PTR(-ENODEV);
	return sluice_coherent_export(channel->provider.dma_dev, bytes);
}

static int sluice_ioctl_allocate(struct file *file, void *data)
{
	struct sluice_channel *channel = file->private_data;
	struct sluice_allocate *arg = data;
	struct dma_buf *dmabuf;

	if (mutex_lock_interruptible(&channel->import_lock))
		return -ERESTARTSYS;
	dmabuf = sluice_allocate(channel, arg->bytes);
	mutex_unlock(&channel->import_lock);
	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	arg->fd = dma_buf_fd(dmabuf, O_CLOEXEC);
	if (arg->fd >= 0)
		return 0;
	dma_buf_put(dmabuf);
	return arg->fd;
}

static int sluice_ioctl_setup(struct file *file, void *data)
{
	struct sluice_channel *channel = file->private_data;
	struct sluice_setup *arg = data;
	int ret;

	ret = sluice_queue_make_ring(channel, arg->ring_entries);
	arg->ring_entries = channel->completions.entries;
	arg->ring_bytes = channel->completions.bytes;
	return ret;
}

static int sluice_check_submit(struct file *file, const void *data)
{
	return sluice_submit_check(data);
}

/* The transfers are copied without the lock. */
static int sluice_ioctl_submit(struct file *file, void *data)
{
	struct sluice_channel *channel = file->private_data;
	struct sluice_transfers transfers;
	int ret;

	ret = sluice_transfers_get(data, &transfers);
	if (ret)
		return ret;
	ret = sluice_lock_queue(file);
	if (!ret) {
		ret = sluice_queue_make_ring(channel, 0);
		if (!ret)
			ret = sluice_submit_transfers(channel, data, &transfers);
		sluice_unlock(file);
	}
	sluice_transfers_put(&transfers);
	return ret;
}

static ktime_t sluice_timeout(struct file *file, u64 timeout_ns)
{
	return file->f_flags & O_NONBLOCK ? 0 : min_t(u64, timeout_ns, KTIME_MAX);
}

static bool sluice_reap_ready(struct sluice_channel *channel, u32 min, u32 *filled)
{
	unsigned long flags;
	bool ready;

	spin_lock_irqsave(&channel->queue_lock, flags);
	*filled = sluice_ring_filled(&channel->completions);
	ready = *filled >= min || !channel->under_way;
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	return ready || READ_ONCE(channel->gone);
}

static int sluice_reap_wait(struct file *file, struct sluice_channel *channel,
			    const struct sluice_reap *arg, u32 *filled)
{
	u32 min = min(arg->min, channel->completions.entries);
	ktime_t timeout = sluice_timeout(file, arg->timeout_ns);
	int ret;

	if (sluice_reap_ready(channel, min, filled) || !timeout)
		return 0;
	ret = wait_event_interruptible_hrtimeout(channel->wait,
						 sluice_reap_ready(channel, min, filled), timeout);
	return ret == -ERESTARTSYS ? -EINTR : 0;
}

/* To an array whose entries may be larger. */
static int sluice_completions_copy(void __user *to, u32 bytes,
				   const struct sluice_completion *from, u32 count)
{
	size_t rest = bytes - sizeof(*from);

	if (!rest)
		return copy_to_user(to, from, count * sizeof(*from)) ? -EFAULT : 0;
	for (u32 i = 0; i < count; i++, to += bytes)
		if (copy_to_user(to, &from[i], sizeof(*from)) ||
		    clear_user(to + sizeof(*from), rest))
			return -EFAULT;
	return 0;
}

static int sluice_reap_copy(struct sluice_channel *channel, struct sluice_reap *arg)
{
	struct sluice_completion chunk[SLUICE_REAP_CHUNK];
	void __user *to = u64_to_user_ptr(arg->completions);
	unsigned long flags;
	u32 taken;
	int ret;

	for (arg->taken = 0; arg->taken < arg->count; arg->taken += taken) {
		spin_lock_irqsave(&channel->queue_lock, flags);
		taken = sluice_ring_take(&channel->completions, chunk,
					 min(arg->count - arg->taken, SLUICE_REAP_CHUNK));
		spin_unlock_irqrestore(&channel->queue_lock, flags);
		if (!taken)
			break;
		ret = sluice_completions_copy(to, arg->completion_bytes, chunk, taken);
		if (ret)
			return ret;
		to += taken * arg->completion_bytes;
	}
	if (arg->taken)
		wake_up_interruptible_all(&channel->wait); /* there is room */
	return 0;
}

static int sluice_check_reap(struct file *file, const void *data)
{
	const struct sluice_reap *arg = data;

	if (!arg->count)
		return arg->completions || arg->completion_bytes ? -EINVAL : 0;
	return arg->completion_bytes < sizeof(struct sluice_completion) ||
	       arg->completion_bytes > PAGE_SIZE ? -EINVAL : 0;
}

/* The lock is held only to settle the use: waiting and copying do without it. */
static int sluice_ioctl_reap(struct file *file, void *data)
{
	struct sluice_channel *channel = file->private_data;
	struct sluice_reap *arg = data;
	u32 filled;
	int ret = 0;

	/* What was completed before the device went can still be taken. */
	mutex_lock(&channel->lock);
	if (channel->use != SLUICE_QUEUE || !channel->completions.shared)
		ret = sluice_channel_use(channel, SLUICE_QUEUE) ?:
		      sluice_queue_make_ring(channel, 0);
	mutex_unlock(&channel->lock);
	if (ret)
		return ret;
	ret = sluice_reap_wait(file, channel, arg, &filled);
	if (ret)
		return ret;
	arg->taken = filled;
	if (arg->count)
		ret = sluice_reap_copy(channel, arg);
	if (!ret && !arg->taken && arg->min)
		ret = READ_ONCE(channel->gone) ? -ENODEV : -EAGAIN;
	return ret;
}

static int sluice_check_cancel(struct file *file, const void *data)
{
	const struct sluice_channel *channel = file->private_data;

	return channel->provider.terminates ? 0 : -EOPNOTSUPP;
}

static int sluice_ioctl_cancel(struct file *file, void *data)
{
	return sluice_queue_stop(file->private_data, -ECANCELED);
}

static int sluice_check_capture_start(struct file *file, const void *data)
{
	const struct sluice_channel *channel = file->private_data;
	const struct sluice_capture_start *arg = data;
	u64 needs = arg->flags & SLUICE_CAPTURE_STALL ? SLUICE_CAP_STALL : SLUICE_CAP_CYCLIC;

	if (!(sluice_channel_capabilities(channel) & needs))
		return -EOPNOTSUPP;
	if ((arg->flags & SLUICE_CAPTURE_INEXACT) && channel->provider.completes_all)
		return -EOPNOTSUPP;
	return 0;
}

static int sluice_ioctl_capture_start(struct file *file, void *data)
{
	int ret = sluice_capture_start(file->private_data, data);

	if (!ret) {
		spin_lock(&file->f_lock);
		file->f_mode |= FMODE_PREAD; /* of what is captured; a pipe has no positions */
		spin_unlock(&file->f_lock);
	}
	return ret;
}

/* The lock is held only to find the capture, which stays while the file is open. */
static int sluice_ioctl_capture_wait(struct file *file, void *data)
{
	struct sluice_capture_wait *arg = data;
	int ret;

	ret = sluice_lock_captured(file);
	if (ret)
		return ret;
	sluice_unlock(file);
	return sluice_capture_wait(file->private_data, arg, sluice_timeout(file, arg->timeout_ns));
}

static int sluice_ioctl_capture_release(struct file *file, void *data)
{
	return sluice_capture_release(file->private_data, data);
}

static int sluice_ioctl_capture_stop(struct file *file, void *data)
{
	struct sluice_channel *channel = file->private_data;
	struct sluice_capture_stop *arg = data;
	int ret;

	ret = sluice_capture_stop(channel, -ECANCELED);
	arg->produced = channel->captured;
	return ret;
}

/* The call, its structure with the last member of version 1, and: check, lock, run. */
#define SLUICE_CALL_FLAGS(command, type, last, flags, check, lock, run)	\
	SLUICE_CALL_ENTRY(SLUICE_INFO, command, type, last, flags, check, lock, run)
#define SLUICE_CALL(command, type, last, check, lock, run)		\
	SLUICE_CALL_FLAGS(command, type, last, 0, check, lock, run)

static const struct sluice_call sluice_channel_call[] = {
	SLUICE_CALL(SLUICE_INFO, sluice_info, name,
		    NULL, NULL, sluice_ioctl_info),
	SLUICE_CALL(SLUICE_ATTACH, sluice_attach, reserved,
		    sluice_check_attach, NULL, sluice_ioctl_attach),
	SLUICE_CALL(SLUICE_DETACH, sluice_detach, reserved,
		    sluice_check_detach, NULL, sluice_ioctl_detach),
	SLUICE_CALL(SLUICE_SETUP, sluice_setup, ring_bytes,
		    NULL, sluice_lock_queue, sluice_ioctl_setup),
	SLUICE_CALL_FLAGS(SLUICE_SUBMIT, sluice_submit, reserved,
			  SLUICE_SUBMIT_IN_FENCE | SLUICE_SUBMIT_OUT_FENCE,
			  sluice_check_submit, NULL, sluice_ioctl_submit),
	SLUICE_CALL(SLUICE_REAP, sluice_reap, timeout_ns,
		    sluice_check_reap, NULL, sluice_ioctl_reap),
	SLUICE_CALL(SLUICE_CANCEL, sluice_cancel, flags,
		    sluice_check_cancel, sluice_lock_queue, sluice_ioctl_cancel),
	SLUICE_CALL_FLAGS(SLUICE_CAPTURE_START, sluice_capture_start, poll_ns,
			  SLUICE_CAPTURE_STALL | SLUICE_CAPTURE_INEXACT,
			  sluice_check_capture_start, sluice_lock_capture,
			  sluice_ioctl_capture_start),
	SLUICE_CALL(SLUICE_CAPTURE_WAIT, sluice_capture_wait, produced,
		    NULL, NULL, sluice_ioctl_capture_wait),
	SLUICE_CALL(SLUICE_CAPTURE_RELEASE, sluice_capture_release, produced,
		    NULL, sluice_lock_captured, sluice_ioctl_capture_release),
	SLUICE_CALL(SLUICE_CAPTURE_STOP, sluice_capture_stop, produced,
		    NULL, sluice_lock_captured, sluice_ioctl_capture_stop),
	SLUICE_CALL(SLUICE_ALLOCATE, sluice_allocate, reserved,
		    sluice_check_allocate, NULL, sluice_ioctl_allocate),
};

static const struct sluice_calls sluice_channel_calls = {
	.first = SLUICE_INFO,
	.count = ARRAY_SIZE(sluice_channel_call),
	.call = sluice_channel_call,
	.unlock = sluice_unlock,
};

static long sluice_ioctl(struct file *file, unsigned int command, unsigned long address)
{
	struct dma_buf_sync sync;

	if (command == DMA_BUF_IOCTL_SYNC) {
		if (copy_from_user(&sync, (void __user *)address, sizeof(sync)))
			return -EFAULT;
		return sluice_view_sync(file->private_data, sync.flags);
	}
	return sluice_call(file, &sluice_channel_calls, command, address);
}

/* ---------------------------------------------------------------------------------------------
 * Polling and mapping
 */
static __poll_t sluice_poll(struct file *file, poll_table *table)
{
	struct sluice_channel *channel = file->private_data;
	unsigned long flags;
	__poll_t mask = 0;

	poll_wait(file, &channel->wait, table);
	if (READ_ONCE(channel->gone))
		mask |= EPOLLERR | EPOLLHUP;
	spin_lock_irqsave(&channel->queue_lock, flags);
	if (channel->use == SLUICE_CAPTURE && channel->unreleased >= channel->watermark &&
	    channel->watermark)
		mask |= EPOLLIN | EPOLLRDNORM;
	if (channel->use == SLUICE_CAPTURE && !channel->capturing)
		mask |= EPOLLHUP;
	if (channel->use == SLUICE_UNUSED && channel->provider.direction == SLUICE_TX)
		mask |= EPOLLOUT | EPOLLWRNORM;
	if (channel->use == SLUICE_PIPE && sluice_channel_has_positions(channel))
		mask |= sluice_position_poll(channel);
	else
		mask |= sluice_pipe_poll(channel);
	if (channel->completions.shared) {
		u32 filled = sluice_ring_filled(&channel->completions);

		if (filled)
			mask |= EPOLLIN | EPOLLRDNORM;
		if (filled + channel->under_way < channel->completions.entries)
			mask |= EPOLLOUT | EPOLLWRNORM;
	}
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	return mask;
}

static int sluice_map_read_only(struct vm_area_struct *vma, void *memory)
{
	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	vm_flags_clear(vma, VM_MAYWRITE);
	return remap_vmalloc_range(vma, memory, 0);
}

/* The memory stays while the file is open; the lock keeps its creation away. */
static int sluice_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct sluice_channel *channel = file->private_data;
	struct sluice_completions *ring = &channel->completions;
	void *capture;
	bool has_ring;

	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	mutex_lock(&channel->setup_lock);
	has_ring = ring->shared;
	capture = sluice_capture_page(channel);
	mutex_unlock(&channel->setup_lock);
	if (capture && (u64)vma->vm_pgoff << PAGE_SHIFT >= SLUICE_MMAP_BUFFER)
		return sluice_view_mmap(channel, vma);
	switch ((u64)vma->vm_pgoff << PAGE_SHIFT) {
	case SLUICE_MMAP_RING:
		return has_ring ? sluice_map_read_only(vma, ring->shared) : -EINVAL;
	case SLUICE_MMAP_TAIL:
		return has_ring ? remap_vmalloc_range(vma, ring->tail_page, 0) : -EINVAL;
	case SLUICE_MMAP_CAPTURE:
		return capture ? sluice_map_read_only(vma, capture) : -EINVAL;
	default:
		return -EINVAL;
	}
}

static ssize_t sluice_read(struct kiocb *iocb, struct iov_iter *to)
{
	struct sluice_channel *channel = iocb->ki_filp->private_data;

	if (channel->provider.direction == SLUICE_COPY)
		return sluice_position_read(iocb, to);
	/* Asynchronous calls hand positions to a pipe, too, which ignores them. */
	if (iocb->ki_filp->f_mode & FMODE_PREAD && iocb->ki_pos >= SLUICE_MMAP_BUFFER)
		return sluice_view_read(channel, iocb->ki_pos - SLUICE_MMAP_BUFFER, to);
	return sluice_pipe_read(iocb, to);
}

static ssize_t sluice_write(struct kiocb *iocb, struct iov_iter *from)
{
	const struct sluice_channel *channel = iocb->ki_filp->private_data;

	return channel->provider.direction == SLUICE_COPY ? sluice_position_write(iocb, from) :
							    sluice_pipe_write(iocb, from);
}

const struct file_operations sluice_channel_fops = {
	.owner = THIS_MODULE,
	.open = sluice_open,
	.llseek = sluice_position_seek,
	.release = sluice_release,
	.unlocked_ioctl = sluice_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.read_iter = sluice_read,
	.write_iter = sluice_write,
	.fsync = sluice_pipe_sync,
	.flush = sluice_pipe_flush,
	.poll = sluice_poll,
	.mmap = sluice_mmap,
};
