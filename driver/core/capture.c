// SPDX-License-Identifier: GPL-2.0-only
/*
 * Capture without end.
 *
 * The engine writes a ring of periods, and its driver is not asked to wait. The capture looks how
 * far the engine is: now and then by a timer, when its driver calls back, and whenever the program
 * asks. A callback is not a count: several may be merged, and some drivers never call (xilinx_dma
 * of 6.12). How periods are counted: count.c.
 *
 * The timer bounds how late a reader is woken, so it does not become slower where periods are long.
 * Most of its looks then find nothing. Such a look is one register that the timer's interrupt
 * reads; only where a period has ended it has the work count, which the reader pays for anyway.
 */

#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "buffer.h"
#include "capture.h"
#include "channel.h"
#include "compat.h"
#include "count.h"
#include "periods.h"
#include "queue.h"
#include "view.h"
#include "work.h"

#define SLUICE_MIN_POLL_NS	(50 * NSEC_PER_USEC)
#define SLUICE_MAX_POLL_NS	NSEC_PER_SEC

/* ---------------------------------------------------------------------------------------------
 * Looking at the engine
 */
/* capture->lock is held. */
static void sluice_capture_update(struct sluice_capture *capture)
{
	u64 before = capture->produced;

	sluice_periods_begin(capture);
	capture->ops->count(capture);
	if (capture->ops->overwrites)
		sluice_periods_find_losses(capture);
	sluice_periods_end(capture);
	if (capture->produced != before || !sluice_capture_running(capture->channel))
		sluice_periods_show(capture);
}

static void sluice_capture_work(struct work_struct *work)
{
	struct sluice_capture *capture = container_of(work, struct sluice_capture, work);

	mutex_lock(&capture->lock);
	sluice_capture_update(capture);
	mutex_unlock(&capture->lock);
}

static enum hrtimer_restart sluice_capture_timer(struct hrtimer *timer)
{
	struct sluice_capture *capture = container_of(timer, struct sluice_capture, timer);

	if (!capture->ops->ended || capture->ops->ended(capture))
		queue_work(sluice_workqueue, &capture->work);
	hrtimer_forward_now(timer, ns_to_ktime(READ_ONCE(capture->poll_ns)));
	return HRTIMER_RESTART;
}

/* ---------------------------------------------------------------------------------------------
 * Beginning and ending
 */
static struct sluice_capture *sluice_capture_create(struct sluice_channel *channel)
{
	struct sluice_capture *capture = channel->capture;

	if (capture)
		return capture;
	capture = kzalloc(sizeof(*capture), GFP_KERNEL);
	if (!capture)
		return NULL;
	capture->page = vmalloc_user(PAGE_ALIGN(sizeof(*capture->page)));
	if (!capture->page) {
		kfree(capture);
		return NULL;
	}
	capture->channel = channel;
	capture->ops = &sluice_count_residue; /* which counts nothing before a start */
	mutex_init(&capture->lock);
	spin_lock_init(&capture->view_lock);
	INIT_WORK(&capture->work, sluice_capture_work);
	hrtimer_setup(&capture->timer, sluice_capture_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	mutex_lock(&channel->setup_lock);
	channel->capture = capture;
	mutex_unlock(&channel->setup_lock);
	return capture;
}

static const struct sluice_capture_ops *sluice_capture_ops(const struct sluice_channel *channel,
							   u32 flags)
{
	if (flags & SLUICE_CAPTURE_STALL)
		return &sluice_count_jobs;
	if (channel->capability && !(flags & SLUICE_CAPTURE_INEXACT))
		return &sluice_count_exact;
	return &sluice_count_residue;
}

static int sluice_capture_check(const struct sluice_channel *channel,
				const struct sluice_buffer *buffer,
				const struct sluice_capture_start *arg,
				const struct sluice_capture_ops *ops)
{
	const struct sluice_provider *provider = &channel->provider;
	const struct sluice_piece *piece;
	u64 bytes;

	if (READ_ONCE(buffer->revoked))
		return -ESTALE;
	if (buffer->kind == SLUICE_BUFFER_CARD)
		return -EXDEV;
	if (!arg->period_bytes || arg->period_bytes > provider->max_segment ||
	    !IS_ALIGNED(arg->period_bytes | arg->offset, provider->address_align))
		return -EINVAL;
	if (arg->periods > SLUICE_MAX_PERIODS ||
	    arg->periods <= ops->guard_periods(channel, arg->period_bytes) + 1 ||
	    !arg->watermark || arg->watermark > arg->periods)
		return -EINVAL;
	if (arg->poll_ns &&
	    (arg->poll_ns < SLUICE_MIN_POLL_NS || arg->poll_ns > SLUICE_MAX_POLL_NS))
		return -EINVAL;
	bytes = arg->periods * arg->period_bytes; /* below 2^48 */
	if (arg->offset >= buffer->bytes || bytes > buffer->bytes - arg->offset)
		return -EINVAL;
	if (!sluice_buffer_reaches(buffer, arg->offset, bytes))
		return -EXDEV;
	if (!ops->overwrites) /* each period may have a descriptor of its own */
		return 0;
	piece = &buffer->piece[sluice_buffer_find(buffer, arg->offset)];
	return piece->start + piece->bytes - arg->offset < bytes ? -EINVAL : 0;
}

static void sluice_capture_reset(struct sluice_capture *capture,
				 const struct sluice_capture_start *arg,
				 const struct sluice_capture_ops *ops)
{
	struct sluice_capture_page *page = capture->page;
	u32 sequence = page->status.sequence;

	memset(page, 0, sizeof(*page));
	page->status = (struct sluice_capture_status){
		.sequence = sequence,
		.periods = arg->periods,
		.watermark = arg->watermark,
		.record_count = SLUICE_RECORDS,
		.record_bytes = sizeof(page->records[0]),
		.records_offset = offsetof(struct sluice_capture_page, records),
		.loss_count = SLUICE_LOSSES,
		.loss_bytes = sizeof(page->losses[0]),
		.losses_offset = offsetof(struct sluice_capture_page, losses),
		.period_bytes = arg->period_bytes,
	};
	capture->ops = ops;
	capture->guard = ops->guard_periods(capture->channel, arg->period_bytes);
	capture->offset = arg->offset;
	capture->periods = arg->periods;
	capture->period_bytes = arg->period_bytes;
	capture->watermark = arg->watermark;
	capture->poll_ns = arg->poll_ns ?: SLUICE_POLL_NS;
	capture->paced = !arg->poll_ns;
	capture->timed = 0;
	capture->produced = 0;
	capture->released = 0;
	capture->lost_below = 0;
	capture->lost = 0;
}

/* The timer ends and its work is over; the counts are final. */
static void sluice_capture_settle(struct sluice_capture *capture)
{
	hrtimer_cancel(&capture->timer);
	cancel_work_sync(&capture->work);
	if (!capture->buffer)
		return;
	mutex_lock(&capture->lock);
	sluice_capture_update(capture);
	sluice_periods_show(capture);
	mutex_unlock(&capture->lock);
}

/**
 * sluice_capture_stop - End the capture
 * @channel: locked
 * @status: of jobs, see sluice_queue_stop()
 *
 * Return: 0 or -EIO, as sluice_queue_stop().
 */
int sluice_capture_stop(struct sluice_channel *channel, int status)
{
	struct sluice_capture *capture = channel->capture;
	int ret;

	if (capture)
		hrtimer_cancel(&capture->timer);
	ret = sluice_queue_stop(channel, status);
	if (capture)
		sluice_capture_settle(capture);
	return ret;
}

/**
 * sluice_capture_start - Begin to capture
 * @channel: locked, used for capture
 * @arg: of the ioctl, its flags checked
 *
 * Return: 0 or -errno.
 */
int sluice_capture_start(struct sluice_channel *channel, struct sluice_capture_start *arg)
{
	const struct sluice_capture_ops *ops = sluice_capture_ops(channel, arg->flags);
	struct sluice_capture *capture = sluice_capture_create(channel);
	struct sluice_buffer *buffer;
	u32 *done_bytes;
	int ret;

	lockdep_assert_held(&channel->lock);
	if (!capture)
		return -ENOMEM;
	if (sluice_capture_running(channel))
		return -EBUSY;
	ret = sluice_capture_stop(channel, -ECANCELED); /* periods that a failed one has left */
	if (ret)
		return ret;
	buffer = sluice_buffer_get(channel, arg->buffer);
	if (!buffer)
		return -ENOENT;
	ret = sluice_capture_check(channel, buffer, arg, ops);
	if (ret)
		goto put;
	ret = -ENOMEM;
	done_bytes = kcalloc(arg->periods, sizeof(*done_bytes), GFP_KERNEL);
	if (!done_bytes)
		goto put;

	mutex_lock(&capture->lock);
	swap(capture->buffer, buffer); /* that of a capture before is released */
	swap(capture->done_bytes, done_bytes);
	sluice_periods_begin(capture);
	sluice_capture_reset(capture, arg, ops);
	ret = ops->start(capture);
	sluice_periods_end(capture);
	sluice_periods_show(capture);
	mutex_unlock(&capture->lock);
	if (!ret && (ops->overwrites || arg->poll_ns)) /* else each period's job says when */
		hrtimer_start(&capture->timer, ns_to_ktime(capture->poll_ns), HRTIMER_MODE_REL);
	sluice_view_forget(capture); /* it may be of the buffer before */
	arg->status_bytes = PAGE_ALIGN(sizeof(*capture->page));
	kfree(done_bytes);
put:
	sluice_buffer_put(buffer);
	return ret;
}

/**
 * sluice_capture_uses - Is a buffer the one that is captured into?
 * @channel: locked
 * @buffer: any
 *
 * Return: true if so.
 */
bool sluice_capture_uses(struct sluice_channel *channel, const struct sluice_buffer *buffer)
{
	lockdep_assert_held(&channel->lock);
	return channel->capture && channel->capture->buffer == buffer;
}

/**
 * sluice_capture_detach - Release the ring's buffer
 * @channel: locked, not capturing
 */
void sluice_capture_detach(struct sluice_channel *channel)
{
	struct sluice_capture *capture = channel->capture;

	if (!capture)
		return;
	mutex_lock(&capture->lock);
	sluice_buffer_put(capture->buffer);
	capture->buffer = NULL;
	mutex_unlock(&capture->lock);
	sluice_view_forget(capture);
}

/**
 * sluice_capture_destroy - Remove what a capture needs
 * @channel: locked, not capturing, being closed
 */
void sluice_capture_destroy(struct sluice_channel *channel)
{
	struct sluice_capture *capture = channel->capture;

	if (!capture)
		return;
	sluice_capture_detach(channel);
	channel->capture = NULL;
	vfree(capture->page);
	kfree(capture->done_bytes);
	mutex_destroy(&capture->lock);
	kfree(capture);
}

void *sluice_capture_page(struct sluice_channel *channel)
{
	return channel->capture ? channel->capture->page : NULL;
}

/* ---------------------------------------------------------------------------------------------
 * While it runs, and after
 */
static bool sluice_capture_ready(struct sluice_channel *channel, u64 period, u64 *produced)
{
	unsigned long flags;
	bool ready;

	spin_lock_irqsave(&channel->queue_lock, flags);
	*produced = channel->captured;
	ready = *produced > period || !channel->capturing;
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	return ready;
}

/**
 * sluice_capture_wait - Wait until a period has ended
 * @channel: with a capture, not locked
 * @arg: of the ioctl
 * @timeout: at most
 *
 * Return: 0 or -errno.
 */
int sluice_capture_wait(struct sluice_channel *channel, struct sluice_capture_wait *arg,
			ktime_t timeout)
{
	struct sluice_capture *capture = channel->capture;
	int ret = 0;

	mutex_lock(&capture->lock);
	if (!READ_ONCE(channel->gone))
		sluice_capture_update(capture);
	mutex_unlock(&capture->lock);
	if (!sluice_capture_ready(channel, arg->period, &arg->produced) && timeout)
		ret = wait_event_interruptible_hrtimeout(channel->wait,
							 sluice_capture_ready(channel, arg->period,
									      &arg->produced),
							 timeout);
	if (arg->produced > arg->period)
		return 0;
	if (ret == -ERESTARTSYS)
		return -EINTR;
	return sluice_capture_running(channel) ? -EAGAIN : -EPIPE;
}

/**
 * sluice_capture_release - Be done with periods
 * @channel: locked, with a capture
 * @arg: of the ioctl
 *
 * Return: 0 or -errno.
 */
int sluice_capture_release(struct sluice_channel *channel, struct sluice_capture_release *arg)
{
	struct sluice_capture *capture = channel->capture;
	int ret = -EINVAL;

	mutex_lock(&capture->lock);
	sluice_capture_update(capture);
	if (arg->period < capture->released || arg->period > capture->produced)
		goto unlock;
	ret = 0;
	if (capture->ops->release && sluice_capture_running(channel))
		ret = capture->ops->release(capture, arg->period);
	if (ret)
		goto unlock;
	arg->released = capture->released;
	arg->produced = capture->produced;
	arg->lost = clamp(capture->lost_below, capture->released, arg->period) - capture->released;
	sluice_periods_begin(capture);
	capture->released = arg->period;
	sluice_periods_end(capture);
	sluice_periods_show(capture);
unlock:
	mutex_unlock(&capture->lock);
	return ret;
}
