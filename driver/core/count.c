// SPDX-License-Identifier: GPL-2.0-only
/*
 * Three ways to give the engine periods and to count them.
 *
 * exact: the engine writes the ring round and round, and the capability block counts its periods.
 *
 * residue: the same without a block; the residue of the cyclic transfer says how far the engine is.
 * What it gives is marked inexact: a whole round between two looks is not seen.
 *
 * jobs: the stream stalls where the program releases too late. A period is a job of the queue,
 * given again when it is released; what its completion says is all that there is to know.
 */

#include <linux/dmaengine.h>
#include <linux/kref.h>
#include <linux/math64.h>

#include "buffer.h"
#include "capability.h"
#include "channel.h"
#include "count.h"
#include "engine.h"
#include "job.h"
#include "periods.h"
#include "queue.h"
#include "work.h"

#define SLUICE_SHORTEST_NS	250000U /* from look to look, where the program has not said it */
#define SLUICE_RESIDUE_GUARD	3 /* the engine's buffer is not known */
#define SLUICE_JOBS_GUARD	1 /* periods that the engine has are nobody else's */

/* ---------------------------------------------------------------------------------------------
 * A ring that the engine writes round and round
 */
/* A transfer without end that ends has failed: the capture is over. */
static void sluice_cyclic_called(void *param, const struct dmaengine_result *result)
{
	struct sluice_capture *capture = param;

	if (result->result != DMA_TRANS_NOERROR)
		sluice_capture_set_running(capture->channel, false);
	queue_work(sluice_workqueue, &capture->work);
}

/* engine->lock is held. */
static int sluice_cyclic_start(struct sluice_capture *capture)
{
	struct sluice_channel *channel = capture->channel;
	const struct sluice_buffer *buffer = capture->buffer;
	u64 offset = capture->offset;
	const struct sluice_piece *piece = &buffer->piece[sluice_buffer_find(buffer, offset)];
	struct dma_async_tx_descriptor *tx;

	if (!channel->provider.chan)
		return -EIO; /* lost when another channel was stopped */
	tx = dmaengine_prep_dma_cyclic(channel->provider.chan,
				       piece->address + (offset - piece->start),
				       capture->periods * capture->period_bytes,
				       capture->period_bytes, DMA_DEV_TO_MEM, DMA_PREP_INTERRUPT);
	if (!tx)
		return -ENOSPC;
	tx->callback_result = sluice_cyclic_called;
	tx->callback_param = capture;
	capture->cookie = dmaengine_submit(tx);
	if (dma_submit_error(capture->cookie))
		return -EIO;
	sluice_capture_set_running(channel, true);
	dma_async_issue_pending(channel->provider.chan);
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * exact
 */
static u32 sluice_exact_guard(const struct sluice_channel *channel, u64 period_bytes)
{
	u64 ahead = sluice_capability_buffer_bytes(channel->capability);

	return 1 + div64_u64(ahead + period_bytes - 1, period_bytes);
}

/*
 * Look so often that half of what the ring holds beside the guard is left to the reader, and that
 * the block still has the snapshots, with a quarter of them to spare. Where periods are too short
 * for the latter, snapshots are lost anyway, and looking for them is not worth the time.
 */
static void sluice_exact_pace(struct sluice_capture *capture, u64 period_ticks)
{
	u64 period_ns, filled_ns, kept_ns, poll_ns = SLUICE_POLL_NS;
	u32 clock_hz = capture->page->status.clock_hz;

	if (!capture->paced || !clock_hz)
		return;
	/* Longer ones make no difference. */
	period_ticks = min_t(u64, period_ticks, clock_hz);
	period_ns = min_t(u64, div_u64(period_ticks * NSEC_PER_SEC, clock_hz), SLUICE_POLL_NS);
	filled_ns = period_ns * (capture->periods - capture->guard) / 2;
	kept_ns = period_ns * sluice_capability_snapshots(capture->channel->capability) * 3 / 4;
	poll_ns = min(poll_ns, filled_ns);
	if (kept_ns >= SLUICE_SHORTEST_NS)
		poll_ns = min(poll_ns, kept_ns);
	WRITE_ONCE(capture->poll_ns, max_t(u64, poll_ns, SLUICE_SHORTEST_NS));
}

static int sluice_exact_start(struct sluice_capture *capture)
{
	struct sluice_channel *channel = capture->channel;
	struct sluice_engine *engine = channel->provider.engine;
	u32 beat_bytes = sluice_capability_beat_bytes(channel->capability);
	int ret;

	capture->page->status.clock_hz = sluice_capability_clock(channel->capability);
	mutex_lock(&engine->lock);
	capture->first = sluice_capability_start(channel->capability, channel->capability_index,
						 &capture->last);
	capture->seen = capture->first;
	ret = sluice_cyclic_start(capture);
	mutex_unlock(&engine->lock);
	/* How long a period takes is not known yet. */
	if (beat_bytes)
		sluice_exact_pace(capture, div_u64(capture->period_bytes, beat_bytes));
	return ret;
}

static bool sluice_exact_ended(const struct sluice_capture *capture)
{
	const struct sluice_channel *channel = capture->channel;
	u32 periods;

	return !sluice_capability_periods(channel->capability, channel->capability_index,
					  &periods) &&
	       periods != READ_ONCE(capture->seen);
}

static void sluice_exact_count(struct sluice_capture *capture)
{
	struct sluice_channel *channel = capture->channel;
	struct sluice_capability *block = channel->capability;
	unsigned int index = channel->capability_index;
	struct sluice_capture_period period;
	struct sluice_snapshot then;
	u64 timed = capture->timed, ticks = capture->last.ticks;
	u32 periods, number, count;

	if (sluice_capability_periods(block, index, &periods))
		return;
	WRITE_ONCE(capture->seen, periods);
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
			capture->timed = capture->produced + 1;
		}
		sluice_periods_record(capture, &period);
	}
	if (timed && capture->timed > timed)
		sluice_exact_pace(capture, div64_u64(capture->last.ticks - ticks,
						     capture->timed - timed));
}

const struct sluice_capture_ops sluice_count_exact = {
	.flags = SLUICE_STATUS_EXACT,
	.overwrites = true,
	.guard_periods = sluice_exact_guard,
	.start = sluice_exact_start,
	.count = sluice_exact_count,
	.ended = sluice_exact_ended,
};

/* ---------------------------------------------------------------------------------------------
 * residue
 */
static u32 sluice_residue_guard(const struct sluice_channel *channel, u64 period_bytes)
{
	return SLUICE_RESIDUE_GUARD;
}

static int sluice_residue_start(struct sluice_capture *capture)
{
	struct sluice_engine *engine = capture->channel->provider.engine;
	int ret;

	capture->position = 0;
	mutex_lock(&engine->lock);
	ret = sluice_cyclic_start(capture);
	mutex_unlock(&engine->lock);
	return ret;
}

/* The position goes back when the engine begins a new round, or its driver sees that it did. */
static void sluice_residue_count(struct sluice_capture *capture)
{
	struct sluice_channel *channel = capture->channel;
	struct sluice_engine *engine = channel->provider.engine;
	enum dma_status status = DMA_ERROR;
	struct dma_tx_state state = { };
	u32 position, count;
	u64 done;

	mutex_lock(&engine->lock); /* the channel and its cookie stay */
	if (sluice_capture_running(channel))
		status = dmaengine_tx_status(channel->provider.chan, capture->cookie, &state);
	mutex_unlock(&engine->lock);
	if (status != DMA_IN_PROGRESS) /* it has no end but one that is none of its periods' */
		return;
	done = capture->periods * capture->period_bytes - state.residue;
	position = min_t(u64, div64_u64(done, capture->period_bytes), capture->periods);
	count = position >= capture->position ? position - capture->position :
						capture->periods - capture->position + position;
	capture->position = position;
	for (; count; count--) {
		struct sluice_capture_period period = { .bytes = capture->period_bytes };

		sluice_periods_record(capture, &period);
	}
}

const struct sluice_capture_ops sluice_count_residue = {
	.overwrites = true,
	.guard_periods = sluice_residue_guard,
	.start = sluice_residue_start,
	.count = sluice_residue_count,
};

/* ---------------------------------------------------------------------------------------------
 * jobs
 */
static u32 sluice_jobs_guard(const struct sluice_channel *channel, u64 period_bytes)
{
	return SLUICE_JOBS_GUARD;
}

/* queue_lock is held. */
static void sluice_period_done(struct sluice_job *job, u64 bytes, int status)
{
	struct sluice_channel *channel = job->channel;
	struct sluice_capture *capture = job->owner;

	/* After one that failed the next would be in the wrong place: it no longer counts. */
	if (status) {
		channel->capturing = false;
	} else if (channel->capturing) {
		capture->done_bytes[sluice_period_place(capture, job->cookie)] = bytes;
		capture->done++;
	}
	queue_work(sluice_workqueue, &capture->work);
}

/* channel->lock and capture->lock are held. All of them, or none. */
static int sluice_periods_queue(struct sluice_capture *capture, u64 from, u64 to)
{
	struct sluice_channel *channel = capture->channel;
	struct sluice_job *job;
	LIST_HEAD(jobs);
	int ret;

	for (; from < to; from++) {
		struct sluice_transfer transfer = {
			.cookie = from,
			.flags = SLUICE_TRANSFER_PACKET,
			.length = capture->period_bytes,
		};

		transfer.offset = capture->offset +
				  sluice_period_place(capture, from) * capture->period_bytes;
		kref_get(&capture->buffer->refs);
		job = sluice_job_create(channel, &transfer, capture->buffer);
		ret = PTR_ERR_OR_ZERO(job);
		if (ret)
			goto destroy;
		job->done = sluice_period_done;
		job->owner = capture;
		list_add_tail(&job->node, &jobs);
	}
	sluice_queue_add(channel, &jobs, 0);
	return 0;

destroy:
	sluice_jobs_destroy(&jobs);
	return ret;
}

static int sluice_jobs_start(struct sluice_capture *capture)
{
	int ret;

	capture->done = 0;
	sluice_capture_set_running(capture->channel, true);
	ret = sluice_periods_queue(capture, 0, capture->periods);
	if (ret)
		sluice_capture_set_running(capture->channel, false);
	return ret;
}

static int sluice_jobs_release(struct sluice_capture *capture, u64 below)
{
	return sluice_periods_queue(capture, capture->released + capture->periods,
				    below + capture->periods);
}

static void sluice_jobs_count(struct sluice_capture *capture)
{
	struct sluice_channel *channel = capture->channel;
	unsigned long flags;
	u64 done;

	spin_lock_irqsave(&channel->queue_lock, flags);
	done = capture->done;
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	/* What is done stays until it is released, which only happens after it was counted. */
	while (capture->produced < done) {
		u32 place = sluice_period_place(capture, capture->produced);
		struct sluice_capture_period period = { .bytes = capture->done_bytes[place] };

		sluice_periods_record(capture, &period);
	}
}

const struct sluice_capture_ops sluice_count_jobs = {
	.flags = SLUICE_STATUS_STALL,
	.guard_periods = sluice_jobs_guard,
	.start = sluice_jobs_start,
	.count = sluice_jobs_count,
	.release = sluice_jobs_release,
};
