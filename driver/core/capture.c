// SPDX-License-Identifier: GPL-2.0-only
/*
 * Capture without end.
 *
 * The engine writes a ring of periods round and round, and is not asked to wait. How far it is, is
 * looked at: now and then by a timer, when its driver calls back, and whenever the program asks. A
 * callback is not a count: several may be merged, and some drivers never call (xilinx_dma of 6.12).
 * The capability block counts; without one the residue is as good as can be had, and what it gives
 * is marked inexact.
 *
 * With the stream held up, a period is a job of the queue instead, given again when it is released:
 * what its completion says is all that there is to know.
 *
 * A period counts when its descriptor is done, and the engine may have begun to write what follows:
 * the next period, and as far on as its buffer reaches. Periods so far back that this may have hit
 * them are lost if they were not released: `guard` is how many.
 */

#include <linux/dma-buf.h>
#include <linux/dmaengine.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <uapi/linux/dma-buf.h>

#include "capability.h"
#include "capture.h"
#include "compat.h"
#include "sluice_core.h"
#include "trace.h"

#define SLUICE_RECORDS		512U
#define SLUICE_LOSSES		64U
#define SLUICE_POLL_NS		NSEC_PER_MSEC
#define SLUICE_MIN_POLL_NS	(50 * NSEC_PER_USEC)
#define SLUICE_MAX_POLL_NS	NSEC_PER_SEC
#define SLUICE_INEXACT_GUARD	3 /* nobody knows the engine's buffer */
#define SLUICE_STALL_GUARD	1 /* periods that the engine has are nobody else's */

/**
 * struct sluice_capture_page - What user space sees
 * @status: counts
 * @records: of the last periods
 * @losses: the last ones
 */
struct sluice_capture_page {
	struct sluice_capture_status status;
	struct sluice_capture_period records[SLUICE_RECORDS];
	struct sluice_capture_loss losses[SLUICE_LOSSES];
};

/**
 * struct sluice_capture - A capture, running or not
 * @channel: whose it is
 * @page: mapped; stays while the channel is open
 * @lock: of all that follows, but @produced and @released are also under queue_lock
 * @timer: has @work look at the engine
 * @work: looks
 * @poll: how often
 * @buffer: the ring is in; NULL: none was started yet
 * @cookie: of dmaengine
 * @exact: the capability block counts
 * @periods: N
 * @guard: how many periods the engine may be ahead of what has ended
 * @watermark: for poll()
 * @period_bytes: of each
 * @produced: periods that have ended
 * @released: periods that the program is done with
 * @lost_below: periods below this number are not whole any longer
 * @lost: periods lost so far
 * @first: number that the capability block gives to period 0
 * @last: its counts at the end of the last period that it was asked for in time
 * @position: periods done in this round, by the residue
 * @stall: periods are jobs
 * @offset: of period 0 in @buffer
 * @done: jobs that have succeeded, under queue_lock
 * @done_bytes: of the last @periods of them, under queue_lock
 */
struct sluice_capture {
	struct sluice_channel *channel;
	struct sluice_capture_page *page;
	struct mutex lock; /* the capture */
	struct hrtimer timer;
	struct work_struct work;
	ktime_t poll;
	struct sluice_buffer *buffer;
	dma_cookie_t cookie;
	bool exact;
	u32 periods;
	u32 guard;
	u32 watermark;
	u64 period_bytes;
	u64 produced;
	u64 released;
	u64 lost_below;
	u64 lost;
	u32 first;
	struct sluice_snapshot last;
	u32 position;
	bool stall;
	u64 offset;
	u64 done;
	u32 *done_bytes;
};

static u32 sluice_place(const struct sluice_capture *capture, u64 number)
{
	u32 place;

	div_u64_rem(number, capture->periods, &place);
	return place;
}

static bool sluice_capturing(struct sluice_channel *channel)
{
	unsigned long flags;
	bool capturing;

	spin_lock_irqsave(&channel->queue_lock, flags);
	capturing = channel->capturing;
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	return capturing;
}

/* ---------------------------------------------------------------------------------------------
 * What user space sees: everything between begin and end at once
 */
static void sluice_page_begin(struct sluice_capture *capture)
{
	struct sluice_capture_status *status = &capture->page->status;

	WRITE_ONCE(status->sequence, status->sequence + 1);
	smp_wmb(); /* odd before anything changes */
}

static void sluice_page_end(struct sluice_capture *capture)
{
	struct sluice_channel *channel = capture->channel;
	struct sluice_capture_status *status = &capture->page->status;
	u32 flags = capture->exact ? SLUICE_STATUS_EXACT : 0;

	flags |= capture->stall ? SLUICE_STATUS_STALL : 0;
	status->flags = flags | (sluice_capturing(channel) ? SLUICE_STATUS_RUNNING : 0);
	status->produced = capture->produced;
	status->released = capture->released;
	status->lost = capture->lost;
	smp_wmb(); /* even after everything has changed */
	WRITE_ONCE(status->sequence, status->sequence + 1);
}

/* The next period has ended. */
static void sluice_page_record(struct sluice_capture *capture, struct sluice_capture_period *period)
{
	struct sluice_capture_page *page = capture->page;

	period->period = capture->produced++;
	period->time_ns = ktime_get_raw_ns();
	page->records[period->period % SLUICE_RECORDS] = *period;
	page->status.bytes += period->bytes;
	page->status.drops += period->drops;
	trace_sluice_period(capture->channel, period);
}

static void sluice_page_lose(struct sluice_capture *capture, u64 first, u64 count)
{
	struct sluice_capture_page *page = capture->page;
	struct sluice_capture_status *status = &page->status;
	struct sluice_capture_loss *last = &page->losses[(status->losses - 1) % SLUICE_LOSSES];

	trace_sluice_loss(capture->channel, first, count);
	if (!status->losses || last->first + last->count != first) {
		last = &page->losses[status->losses++ % SLUICE_LOSSES];
		*last = (struct sluice_capture_loss){ .first = first };
	}
	last->count += count;
	last->time_ns = ktime_get_raw_ns();
}

/* ---------------------------------------------------------------------------------------------
 * Looking at the engine; capture->lock is held
 */
static void sluice_capture_count_exact(struct sluice_capture *capture)
{
	struct sluice_channel *channel = capture->channel;
	struct sluice_capability *block = channel->capability;
	unsigned int index = channel->capability_index;
	struct sluice_capture_period period;
	struct sluice_snapshot then;
	u32 periods, number, count;

	if (sluice_capability_periods(block, index, &periods))
		return;
	number = capture->first + (u32)capture->produced;
	count = periods - number;
	if (count > S32_MAX)
		return; /* went back: not a count */
	if (count > SLUICE_RECORDS) { /* nobody would see the records of those before */
		capture->produced += count - SLUICE_RECORDS;
		number += count - SLUICE_RECORDS;
		count = SLUICE_RECORDS;
	}
	for (; count; count--, number++) {
		period = (struct sluice_capture_period){ .flags = SLUICE_PERIOD_MERGED };
		if (count <= sluice_capability_snapshots(block) &&
		    sluice_capability_snapshot(block, index, number, &then)) {
			period.flags = SLUICE_PERIOD_EXACT;
			period.ticks = then.ticks;
			period.bytes = sluice_capability_since(block, capture->last.bytes,
							       then.bytes);
			period.drops = sluice_capability_since(block, capture->last.drops,
							       then.drops);
			capture->last = then;
		}
		sluice_page_record(capture, &period);
	}
}

/* The position goes back when the engine begins a new round, or its driver sees that it did. */
static void sluice_capture_count_inexact(struct sluice_capture *capture)
{
	struct sluice_channel *channel = capture->channel;
	struct dma_tx_state state = { };
	u32 position, count;
	bool capturing;
	u64 done;

	mutex_lock(&channel->engine->lock); /* the channel stays, and its cookie's */
	capturing = sluice_capturing(channel);
	if (capturing)
		dmaengine_tx_status(channel->provider.chan, capture->cookie, &state);
	mutex_unlock(&channel->engine->lock);
	if (!capturing)
		return;
	done = capture->periods * capture->period_bytes - state.residue;
	position = min_t(u64, div64_u64(done, capture->period_bytes), capture->periods);
	count = position >= capture->position ? position - capture->position :
						capture->periods - capture->position + position;
	capture->position = position;
	for (; count; count--) {
		struct sluice_capture_period period = { .bytes = capture->period_bytes };

		sluice_page_record(capture, &period);
	}
}

static void sluice_capture_count_done(struct sluice_capture *capture)
{
	struct sluice_channel *channel = capture->channel;
	unsigned long flags;
	u64 done;

	spin_lock_irqsave(&channel->queue_lock, flags);
	done = capture->done;
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	/* What is done stays until it is released, which only happens after it was counted. */
	while (capture->produced < done) {
		struct sluice_capture_period period = {
			.bytes = capture->done_bytes[sluice_place(capture, capture->produced)],
		};

		sluice_page_record(capture, &period);
	}
}

static void sluice_capture_find_losses(struct sluice_capture *capture)
{
	u64 whole_from, lost_from = max(capture->released, capture->lost_below);

	if (capture->produced + capture->guard <= capture->periods)
		return;
	whole_from = min(capture->produced + capture->guard - capture->periods, capture->produced);
	if (whole_from <= lost_from)
		return;
	sluice_page_lose(capture, lost_from, whole_from - lost_from);
	capture->lost += whole_from - lost_from;
	capture->lost_below = whole_from;
}

static void sluice_capture_show(struct sluice_capture *capture)
{
	struct sluice_channel *channel = capture->channel;
	unsigned long flags;

	spin_lock_irqsave(&channel->queue_lock, flags);
	channel->captured = capture->produced;
	channel->unreleased = capture->produced - capture->released;
	channel->watermark = capture->watermark;
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	wake_up_interruptible_all(&channel->wait);
}

static void sluice_capture_update(struct sluice_capture *capture)
{
	u64 before = capture->produced;

	sluice_page_begin(capture);
	if (capture->stall) {
		sluice_capture_count_done(capture);
	} else {
		if (capture->exact)
			sluice_capture_count_exact(capture);
		else
			sluice_capture_count_inexact(capture);
		sluice_capture_find_losses(capture);
	}
	sluice_page_end(capture);
	if (capture->produced != before || !sluice_capturing(capture->channel))
		sluice_capture_show(capture);
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

	queue_work(sluice_workqueue, &capture->work);
	hrtimer_forward_now(timer, capture->poll);
	return HRTIMER_RESTART;
}

static void sluice_capture_called(void *param)
{
	struct sluice_capture *capture = param;

	queue_work(sluice_workqueue, &capture->work);
}

/* ---------------------------------------------------------------------------------------------
 * Periods as jobs
 */

/* queue_lock is held. */
static void sluice_capture_job_done(struct sluice_job *job, u64 bytes, int status)
{
	struct sluice_channel *channel = job->channel;
	struct sluice_capture *capture = channel->capture;

	/* After one that failed the next would stand in the wrong place: it counts no longer. */
	if (status) {
		channel->capturing = false;
	} else if (channel->capturing) {
		capture->done_bytes[sluice_place(capture, job->cookie)] = bytes;
		capture->done++;
	}
	queue_work(sluice_workqueue, &capture->work);
}

/* channel->lock and capture->lock are held. All of them, or none. */
static int sluice_capture_queue(struct sluice_capture *capture, u64 from, u64 to)
{
	struct sluice_channel *channel = capture->channel;
	struct sluice_job *job, *next;
	LIST_HEAD(jobs);
	int ret;

	for (; from < to; from++) {
		struct sluice_transfer transfer = {
			.cookie = from,
			.flags = SLUICE_TRANSFER_PACKET,
			.length = capture->period_bytes,
		};

		transfer.offset = capture->offset +
				  sluice_place(capture, from) * capture->period_bytes;
		kref_get(&capture->buffer->refs);
		job = sluice_job_create(channel, &transfer, capture->buffer);
		ret = PTR_ERR_OR_ZERO(job);
		if (ret)
			goto destroy;
		job->done = sluice_capture_job_done;
		list_add_tail(&job->node, &jobs);
	}
	sluice_queue_add(channel, &jobs, 0);
	return 0;

destroy:
	list_for_each_entry_safe(job, next, &jobs, node)
		sluice_job_destroy(job);
	return ret;
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
	mutex_init(&capture->lock);
	INIT_WORK(&capture->work, sluice_capture_work);
	hrtimer_setup(&capture->timer, sluice_capture_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	mutex_lock(&channel->setup_lock);
	channel->capture = capture;
	mutex_unlock(&channel->setup_lock);
	return capture;
}

static int sluice_capture_check(const struct sluice_channel *channel,
				const struct sluice_buffer *buffer,
				const struct sluice_capture_start *arg, u32 guard)
{
	const struct sluice_provider *provider = &channel->provider;
	const struct sluice_piece *piece;
	u64 bytes;

	if (!arg->period_bytes || arg->period_bytes > provider->max_segment ||
	    !IS_ALIGNED(arg->period_bytes | arg->offset, provider->address_align))
		return -EINVAL;
	if (arg->periods > SLUICE_MAX_PERIODS || arg->periods <= guard + 1 ||
	    !arg->watermark || arg->watermark > arg->periods)
		return -EINVAL;
	if (arg->poll_ns &&
	    (arg->poll_ns < SLUICE_MIN_POLL_NS || arg->poll_ns > SLUICE_MAX_POLL_NS))
		return -EINVAL;
	bytes = arg->periods * arg->period_bytes; /* below 2^48 */
	if (arg->offset >= buffer->bytes || bytes > buffer->bytes - arg->offset)
		return -EINVAL;
	if (arg->flags & SLUICE_CAPTURE_STALL)
		return 0;
	piece = &buffer->piece[sluice_buffer_find(buffer, arg->offset)];
	return piece->start + piece->bytes - arg->offset < bytes ? -EINVAL : 0;
}

static void sluice_capture_reset(struct sluice_capture *capture,
				 const struct sluice_capture_start *arg)
{
	struct sluice_capture_page *page = capture->page;
	struct sluice_capability *block = capture->channel->capability;
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
		.clock_hz = capture->exact ? sluice_capability_clock(block) : 0,
	};
	capture->periods = arg->periods;
	capture->period_bytes = arg->period_bytes;
	capture->watermark = arg->watermark;
	capture->poll = ns_to_ktime(arg->poll_ns ?: SLUICE_POLL_NS);
	capture->produced = 0;
	capture->released = 0;
	capture->lost_below = 0;
	capture->lost = 0;
	capture->position = 0;
	capture->done = 0;
}

static void sluice_set_capturing(struct sluice_channel *channel, bool capturing)
{
	unsigned long flags;

	spin_lock_irqsave(&channel->queue_lock, flags);
	channel->capturing = capturing;
	spin_unlock_irqrestore(&channel->queue_lock, flags);
}

static int sluice_capture_engage_ring(struct sluice_capture *capture, u64 offset)
{
	struct sluice_channel *channel = capture->channel;
	const struct sluice_buffer *buffer = capture->buffer;
	const struct sluice_piece *piece = &buffer->piece[sluice_buffer_find(buffer, offset)];
	struct dma_async_tx_descriptor *tx;

	if (!channel->provider.chan)
		return -EIO; /* lost when another channel was stopped */
	if (capture->exact)
		capture->first = sluice_capability_start(channel->capability,
							 channel->capability_index,
							 &capture->last);
	tx = dmaengine_prep_dma_cyclic(channel->provider.chan,
				       piece->address + (offset - piece->start),
				       capture->periods * capture->period_bytes,
				       capture->period_bytes, DMA_DEV_TO_MEM, DMA_PREP_INTERRUPT);
	if (!tx)
		return -ENOSPC;
	tx->callback = sluice_capture_called;
	tx->callback_param = capture;
	capture->cookie = dmaengine_submit(tx);
	if (dma_submit_error(capture->cookie))
		return -EIO;
	sluice_set_capturing(channel, true);
	dma_async_issue_pending(channel->provider.chan);
	return 0;
}

static int sluice_capture_engage(struct sluice_capture *capture, u64 offset)
{
	struct sluice_engine *engine = capture->channel->engine;
	int ret;

	mutex_lock(&engine->lock);
	ret = sluice_capture_engage_ring(capture, offset);
	mutex_unlock(&engine->lock);
	return ret;
}

static int sluice_capture_engage_jobs(struct sluice_capture *capture)
{
	int ret;

	sluice_set_capturing(capture->channel, true);
	ret = sluice_capture_queue(capture, 0, capture->periods);
	if (ret)
		sluice_set_capturing(capture->channel, false);
	return ret;
}

/* The timer ends, what it had begun is over; the counts are final. */
static void sluice_capture_settle(struct sluice_capture *capture)
{
	hrtimer_cancel(&capture->timer);
	cancel_work_sync(&capture->work);
	if (!capture->buffer)
		return;
	mutex_lock(&capture->lock);
	sluice_capture_update(capture);
	sluice_capture_show(capture);
	mutex_unlock(&capture->lock);
}

/**
 * sluice_capture_stop - End the capture
 * @channel: locked
 * @status: for nobody; as sluice_queue_stop() has it
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
	struct sluice_capture *capture = sluice_capture_create(channel);
	bool stall = arg->flags & SLUICE_CAPTURE_STALL;
	bool exact = channel->capability && !stall && !(arg->flags & SLUICE_CAPTURE_INEXACT);
	struct sluice_buffer *buffer;
	u32 guard = stall ? SLUICE_STALL_GUARD : SLUICE_INEXACT_GUARD;
	u32 *done_bytes;
	int ret;

	if (!capture)
		return -ENOMEM;
	if (sluice_capturing(channel))
		return -EBUSY;
	ret = sluice_capture_stop(channel, -ECANCELED); /* periods that a failed one has left */
	if (ret)
		return ret;
	buffer = sluice_buffer_get(channel, arg->buffer);
	if (!buffer)
		return -ENOENT;
	if (exact && arg->period_bytes)
		guard = 1 + div64_u64(sluice_capability_buffer_bytes(channel->capability) +
				      arg->period_bytes - 1, arg->period_bytes);
	ret = sluice_capture_check(channel, buffer, arg, guard);
	if (ret)
		goto put;
	ret = -ENOMEM;
	done_bytes = kcalloc(arg->periods, sizeof(*done_bytes), GFP_KERNEL);
	if (!done_bytes)
		goto put;

	mutex_lock(&capture->lock);
	swap(capture->buffer, buffer); /* that of a capture before is let go of */
	swap(capture->done_bytes, done_bytes);
	capture->exact = exact;
	capture->stall = stall;
	capture->guard = guard;
	capture->offset = arg->offset;
	sluice_page_begin(capture);
	sluice_capture_reset(capture, arg);
	ret = stall ? sluice_capture_engage_jobs(capture) :
		      sluice_capture_engage(capture, arg->offset);
	sluice_page_end(capture);
	sluice_capture_show(capture);
	mutex_unlock(&capture->lock);
	if (!ret)
		hrtimer_start(&capture->timer, capture->poll, HRTIMER_MODE_REL);
	arg->status_bytes = PAGE_ALIGN(sizeof(*capture->page));
	kfree(done_bytes);
put:
	sluice_buffer_put(buffer);
	return ret;
}

/**
 * sluice_capture_detach - Let go of the ring's buffer
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

/*
 * Of the last capture, held; NULL: there is none. Not its mapping: the exporter may take as long as
 * it likes, and the engine's device may go meanwhile.
 */
static struct dma_buf *sluice_capture_dmabuf(struct sluice_channel *channel)
{
	struct sluice_capture *capture;
	struct dma_buf *dmabuf = NULL;

	mutex_lock(&channel->setup_lock);
	capture = channel->capture;
	mutex_unlock(&channel->setup_lock);
	if (!capture)
		return NULL;
	mutex_lock(&capture->lock);
	if (capture->buffer) {
		dmabuf = capture->buffer->dmabuf;
		get_dma_buf(dmabuf);
	}
	mutex_unlock(&capture->lock);
	return dmabuf;
}

/**
 * sluice_capture_mmap - Map the buffer that is captured into, as its exporter does
 * @channel: open
 * @vma: from %SLUICE_MMAP_BUFFER on
 *
 * Return: 0 or -errno.
 */
int sluice_capture_mmap(struct sluice_channel *channel, struct vm_area_struct *vma)
{
	struct dma_buf *dmabuf = sluice_capture_dmabuf(channel);
	int ret;

	if (!dmabuf)
		return -EINVAL;
	ret = dma_buf_mmap(dmabuf, vma, vma->vm_pgoff - (SLUICE_MMAP_BUFFER >> PAGE_SHIFT));
	dma_buf_put(dmabuf);
	return ret;
}

/**
 * sluice_capture_sync - DMA_BUF_IOCTL_SYNC of the buffer that is captured into
 * @channel: open
 * @flags: of struct dma_buf_sync
 *
 * Return: 0 or -errno.
 */
int sluice_capture_sync(struct sluice_channel *channel, u64 flags)
{
	static const enum dma_data_direction directions[] = {
		[DMA_BUF_SYNC_READ] = DMA_FROM_DEVICE,
		[DMA_BUF_SYNC_WRITE] = DMA_TO_DEVICE,
		[DMA_BUF_SYNC_RW] = DMA_BIDIRECTIONAL,
	};
	struct dma_buf *dmabuf;
	int ret;

	if ((flags & ~DMA_BUF_SYNC_VALID_FLAGS_MASK) || !(flags & DMA_BUF_SYNC_RW))
		return -EINVAL;
	dmabuf = sluice_capture_dmabuf(channel);
	if (!dmabuf)
		return -EINVAL;
	if (flags & DMA_BUF_SYNC_END)
		ret = dma_buf_end_cpu_access(dmabuf, directions[flags & DMA_BUF_SYNC_RW]);
	else
		ret = dma_buf_begin_cpu_access(dmabuf, directions[flags & DMA_BUF_SYNC_RW]);
	dma_buf_put(dmabuf);
	return ret;
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
	return sluice_capturing(channel) ? -EAGAIN : -EPIPE;
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
	if (capture->stall && sluice_capturing(channel))
		ret = sluice_capture_queue(capture, capture->released + capture->periods,
					   arg->period + capture->periods);
	if (ret)
		goto unlock;
	arg->released = capture->released;
	arg->produced = capture->produced;
	arg->lost = clamp(capture->lost_below, capture->released, arg->period) - capture->released;
	sluice_page_begin(capture);
	capture->released = arg->period;
	sluice_page_end(capture);
	sluice_capture_show(capture);
unlock:
	mutex_unlock(&capture->lock);
	return ret;
}
