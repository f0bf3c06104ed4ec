// SPDX-License-Identifier: GPL-2.0-only
/*
 * Jobs: from acceptance to completion, in order.
 *
 * Who owns a job:
 *   waiting  accepted, in channel->waiting: the driver's; what it needs is referenced, nothing is
 *            in the engine. Of the first ones a descriptor may be prepared (job->ahead).
 *   given    in channel->given, in the order of dmaengine: some or all of its pieces are in the
 *            engine, which may move data until it calls back or was stopped
 *   over     its completion is in the ring, or its done() was called; its memory is kept for
 *            another job, or freed
 * A job goes only forward. What a stopped engine had is over when dmaengine has synchronized.
 *
 * The engine is given a batch of jobs when it has none, and the next batch when it is done with
 * that: providers start what they hold beyond that no sooner, and some do not survive being
 * stopped then (xilinx_dma starts it while it is reset). Only a provider that says that it
 * appends (our own) is given more at any time. While the engine works, the descriptors of the
 * next batch are prepared, so that between two batches they need only be submitted. For that an
 * engine without work gets half of what waits, not all: programs answer a batch's completions
 * with new jobs while the other one runs. What is prepared counts as the engine's when the
 * channel stops: dmaengine frees no descriptor that was not submitted, so it is submitted to the
 * stopped engine, which is stopped again.
 *
 * The engine calls back for each descriptor of dmaengine; jobs are over in the order in which they
 * were given. What fails before it is in the engine waits until those before it are over, so
 * completions keep the order of submission.
 *
 * Locks: under channel->lock jobs are made and the channel is stopped. Stopping is the engine's,
 * under engine->lock, since it may concern other channels, whose lock is not held. Their order:
 * channel.h.
 */

#include <linux/dma-fence.h>
#include <linux/dmaengine.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#include "channel.h"
#include "engine.h"
#include "fence.h"
#include "job.h"
#include "queue.h"
#include "trace.h"
#include "work.h"

#define SLUICE_RING_ENTRIES	256U /* where the program does not say */
#define SLUICE_MAX_AHEAD	64U /* jobs of a channel that are prepared while others run */
#define SLUICE_DRAIN_MS		10000 /* for the last descriptor of what cannot be stopped */

/* ---------------------------------------------------------------------------------------------
 * The end of a job
 */
static void sluice_job_count(struct sluice_channel *channel, u64 bytes, int status)
{
	struct sluice_counters *counters = &channel->counters;

	switch (status) {
	case 0:
		counters->transfers++;
		counters->bytes += bytes;
		break;
	case -ETIMEDOUT:
		counters->timeouts++;
		break;
	case -ECANCELED:
	case -ENODEV:
		counters->cancelled++;
		break;
	default:
		counters->errors++;
		break;
	}
}

/* When the end of a job was known: of its whole batch at once, or as it calls back. */
static u64 sluice_known_ns(const struct sluice_channel *channel, const struct sluice_job *job,
			   int status)
{
	if (!status && job->batch && job->batch == channel->known_batch)
		return channel->known_ns;
	return ktime_get_raw_ns();
}

static void sluice_job_complete(struct sluice_channel *channel, const struct sluice_job *job,
				u32 bytes, int status)
{
	u64 time_ns = sluice_known_ns(channel, job, status);
	bool ended = channel->provider.direction == SLUICE_RX && !status && job->residue;

	*sluice_ring_next(&channel->completions) = (struct sluice_completion){
		.cookie = job->cookie,
		.bytes = bytes,
		.time_ns = time_ns,
		.status = status,
		.flags = ended ? SLUICE_COMPLETION_END_OF_PACKET : 0,
	};
	sluice_ring_push(&channel->completions);
	channel->under_way--;
}

/* queue_lock is held; the engine has no part of the job any longer. */
static void sluice_job_over(struct sluice_job *job, int status)
{
	struct sluice_channel *channel = job->channel;
	u32 bytes = status ? 0 : job->length - job->residue;

	WARN_ON_ONCE(job->ahead);
	list_del(&job->node);
	sluice_job_count(channel, bytes, status);
	trace_sluice_complete(channel, job, bytes, status);
	if (status)
		trace_sluice_error(channel, job, status);
	if (job->done && !channel->orphaned)
		job->done(job, bytes, status);
	else if (!channel->orphaned)
		sluice_job_complete(channel, job, bytes, status);
	if (job->out_fence)
		sluice_fence_over(job->out_fence, status);
	sluice_job_retire(job);
	if (wq_has_sleeper(&channel->wait))
		wake_up_all(&channel->wait); /* sluice_queue_drain() cannot be interrupted */
}

/* ---------------------------------------------------------------------------------------------
 * To the engine
 */
static void sluice_queue_fill(struct sluice_channel *channel, bool over, bool settled);

static bool sluice_works_in_batches(const struct sluice_channel *channel)
{
	const struct sluice_provider *provider = &channel->provider;

	return provider->terminates && !provider->appends && provider->depth > 1;
}

/*
 * Some engines interrupt once for a whole batch. So when a job calls back, the queue asks dmaengine
 * whether the batch's last descriptor is complete. If it is, all jobs of the batch are over; the
 * other callbacks follow, perhaps while the next batch runs. pl330 is not asked: it cannot
 * synchronize, and calls back from its issue_pending(), under queue_lock.
 */
static void sluice_batch_ask(struct sluice_channel *channel, const struct sluice_job *job)
{
	struct dma_chan *chan = channel->provider.chan;

	if (!channel->in_engine || !chan->device->device_synchronize ||
	    job->batch != channel->batch || channel->known_batch == channel->batch ||
	    !sluice_works_in_batches(channel) ||
	    dma_async_is_tx_complete(chan, channel->last_cookie, NULL, NULL) != DMA_COMPLETE)
		return;
	channel->known_batch = channel->batch;
	channel->known_ns = ktime_get_raw_ns();
}

/* Is the engine done with its batch? `job` is the one that calls back. */
static bool sluice_batch_is_over(const struct sluice_channel *channel, const struct sluice_job *job)
{
	return !channel->in_engine || (channel->ahead && job->batch == channel->batch &&
				       channel->known_batch == channel->batch);
}

static void sluice_piece_done(void *param, const struct dmaengine_result *result)
{
	struct sluice_job *job = param;
	struct sluice_channel *channel = job->channel;
	unsigned long flags;
	bool over;

	spin_lock_irqsave(&channel->queue_lock, flags);
	channel->in_engine--;
	job->in_flight--;
	sluice_batch_ask(channel, job);
	over = sluice_batch_is_over(channel, job);
	if (result->result != DMA_TRANS_NOERROR)
		job->status = job->status ?: -EIO;
	else if (channel->provider.reports_bytes)
		job->residue += min(result->residue, job->length - job->residue);
	if (!job->in_flight && (job->status || job->given == job->length))
		sluice_job_over(job, job->status);
	if (over || channel->provider.appends) /* else there is nothing new to prepare */
		sluice_queue_fill(channel, over, false);
	spin_unlock_irqrestore(&channel->queue_lock, flags);
}

static struct dma_async_tx_descriptor *sluice_job_next(struct sluice_job *job, u32 *bytes)
{
	struct dma_async_tx_descriptor *tx = job->ahead;

	if (!tx)
		return sluice_job_prepare(job, bytes);
	*bytes = job->ahead_bytes;
	job->ahead = NULL;
	job->channel->ahead--;
	return tx;
}

/* 0: all of the job is in the engine. -EAGAIN: not yet. -ENOSPC: no descriptor is free. */
static int sluice_job_give(struct sluice_job *job)
{
	struct sluice_channel *channel = job->channel;
	struct dma_async_tx_descriptor *tx;
	dma_cookie_t cookie;
	u32 bytes;

	while (job->given < job->length) {
		if (channel->in_engine >= channel->provider.depth)
			return -EAGAIN;
		tx = sluice_job_next(job, &bytes);
		if (!tx)
			return -ENOSPC;
		tx->callback_result = sluice_piece_done;
		tx->callback_param = job;
		cookie = dmaengine_submit(tx);
		if (dma_submit_error(cookie))
			return -EIO;
		if (!job->given)
			list_move_tail(&job->node, &channel->given);
		job->given += bytes;
		job->in_flight++;
		job->batch = channel->batch;
		channel->last_cookie = cookie;
		channel->in_engine++;
	}
	return 0;
}

/* A fence's own context, its lock held: only look again. */
static void sluice_fence_signalled(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct sluice_channel *channel = container_of(cb, struct sluice_channel, fence_cb);

	queue_work(sluice_workqueue, &channel->refill_work);
}

/* queue_lock is held. At most one callback is registered, for the first job that waits. */
static bool sluice_job_may_begin(struct sluice_job *job)
{
	struct sluice_channel *channel = job->channel;
	int status;

	if (job->status || !job->in_fence) /* what has failed waits no longer */
		return true;
	status = dma_fence_get_status(job->in_fence);
	if (status) {
		job->status = min(status, 0);
		return true;
	}
	if (!channel->fence_waited &&
	    !dma_fence_add_callback(job->in_fence, &channel->fence_cb, sluice_fence_signalled))
		channel->fence_waited = dma_fence_get(job->in_fence);
	else if (!channel->fence_waited)
		queue_work(sluice_workqueue, &channel->refill_work); /* signalled by now */
	return false;
}

/* queue_lock is not held. A fence calls back until its callback is removed. */
static void sluice_fence_forget(struct sluice_channel *channel)
{
	struct dma_fence *fence;
	unsigned long flags;

	spin_lock_irqsave(&channel->queue_lock, flags);
	fence = channel->fence_waited;
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	if (!fence)
		return;
	dma_fence_remove_callback(fence, &channel->fence_cb);
	spin_lock_irqsave(&channel->queue_lock, flags);
	channel->fence_waited = NULL;
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	dma_fence_put(fence);
}

/*
 * A job that the engine has a part of goes on first. After a failure it gets no further part; it is
 * over when its last part calls back, or here if the engine has none of it.
 */
static struct sluice_job *sluice_queue_next(struct sluice_channel *channel)
{
	struct sluice_job *last;

	if (!list_empty(&channel->given)) {
		last = list_last_entry(&channel->given, struct sluice_job, node);
		if (last->given < last->length && (!last->status || !last->in_flight))
			return last;
	}
	return list_first_entry_or_null(&channel->waiting, struct sluice_job, node);
}

/* How many jobs an engine without work is given. */
static unsigned int sluice_batch_jobs(const struct sluice_channel *channel)
{
	unsigned int waiting = 0;
	struct sluice_job *job;

	if (!sluice_works_in_batches(channel))
		return UINT_MAX;
	if (channel->ahead)
		return channel->ahead;
	list_for_each_entry(job, &channel->waiting, node)
		if (++waiting == 2 * SLUICE_MAX_AHEAD)
			break;
	return max(DIV_ROUND_UP(waiting, 2), 1U);
}

static bool sluice_job_is_free(const struct sluice_job *job)
{
	return !job->status && (!job->in_fence || dma_fence_get_status(job->in_fence) == 1);
}

/* Those behind it in the list of waiting jobs are not prepared. */
static struct list_head *sluice_last_prepared(struct sluice_channel *channel)
{
	struct sluice_job *job;

	if (!channel->ahead)
		return &channel->waiting;
	list_for_each_entry_reverse(job, &channel->waiting, node)
		if (job->ahead)
			break;
	return &job->node;
}

/* The engine works: prepare what it is given next. queue_lock is held. */
static void sluice_queue_prepare(struct sluice_channel *channel)
{
	const struct sluice_provider *provider = &channel->provider;
	struct sluice_job *job;

	if (list_empty(&channel->waiting) || channel->stopping ||
	    channel->ahead >= SLUICE_MAX_AHEAD || !sluice_works_in_batches(channel))
		return;
	if (!list_empty(&channel->given)) {
		job = list_last_entry(&channel->given, struct sluice_job, node);
		if (job->given < job->length) /* it needs descriptors first */
			return;
	}
	job = list_entry(sluice_last_prepared(channel), struct sluice_job, node);
	list_for_each_entry_continue(job, &channel->waiting, node) {
		if (channel->ahead == SLUICE_MAX_AHEAD ||
		    channel->in_engine + channel->ahead >= provider->depth ||
		    !sluice_job_is_free(job))
			break;
		job->ahead = sluice_job_prepare(job, &job->ahead_bytes);
		if (!job->ahead)
			break;
		channel->ahead++;
	}
}

/*
 * Give the engine what it takes. queue_lock is held. `over`: it is done with its batch. `settled`:
 * what the engine's driver has called back for, it has also freed; so if it has no descriptor then,
 * it will not have one for this job.
 */
static void sluice_queue_fill(struct sluice_channel *channel, bool over, bool settled)
{
	unsigned int before, jobs;
	bool issue = false;
	struct sluice_job *job;
	int ret;

	if (!channel->provider.chan ||
	    (list_empty(&channel->waiting) && list_empty(&channel->given)))
		return;
	if (!over && !channel->provider.appends) {
		sluice_queue_prepare(channel);
		return;
	}
	jobs = sluice_batch_jobs(channel);
	channel->batch++;
	while (jobs && !channel->stopping) {
		job = sluice_queue_next(channel);
		if (!job || !sluice_job_may_begin(job))
			break;
		if (job->status) {
			if (channel->in_engine || job->ahead) /* the latter: a stop is on its way */
				break;
			sluice_job_over(job, job->status);
			continue;
		}
		before = channel->in_engine;
		ret = sluice_job_give(job);
		if (channel->in_engine != before)
			issue = true;
		if (!ret) {
			jobs--;
			continue;
		}
		if (ret == -EIO)
			job->status = -EIO;
		else if (ret == -ENOSPC && !channel->in_engine && settled)
			job->status = -ENOMEM;
		else if (ret == -ENOSPC && !channel->in_engine)
			queue_work(sluice_workqueue, &channel->refill_work);
		if (!job->status)
			break;
	}
	if (issue)
		dma_async_issue_pending(channel->provider.chan);
	if (channel->in_engine)
		sluice_queue_prepare(channel);
}

static void sluice_refill_work(struct work_struct *work)
{
	struct sluice_channel *channel = container_of(work, struct sluice_channel, refill_work);
	struct sluice_engine *engine = channel->provider.engine;
	unsigned long flags;

	mutex_lock(&channel->lock);
	sluice_fence_forget(channel);
	mutex_lock(&engine->lock);
	if (channel->provider.chan) {
		dmaengine_synchronize(channel->provider.chan); /* it may run, and goes on */
		spin_lock_irqsave(&channel->queue_lock, flags);
		sluice_queue_fill(channel, !channel->in_engine, true);
		spin_unlock_irqrestore(&channel->queue_lock, flags);
	}
	mutex_unlock(&engine->lock);
	mutex_unlock(&channel->lock);
}

/* ---------------------------------------------------------------------------------------------
 * Timeouts
 */

/* queue_lock is held. */
static void sluice_queue_arm(struct sluice_channel *channel, ktime_t deadline)
{
	ktime_t left = ktime_sub(deadline, ktime_get());
	u64 ticks = left > 0 ? nsecs_to_jiffies64(left) + 1 : 0;

	channel->next_deadline = deadline;
	/* If that is more than a timer takes, the work finds nothing expired, and arms it again. */
	mod_delayed_work(sluice_workqueue, &channel->deadline_work,
			 min_t(u64, ticks, MAX_JIFFY_OFFSET));
}

static bool sluice_jobs_expire(struct list_head *jobs, ktime_t now, ktime_t *next)
{
	struct sluice_job *job;
	bool expired = false;

	list_for_each_entry(job, jobs, node) {
		if (ktime_after(job->deadline, now)) {
			*next = min(*next, job->deadline);
		} else {
			job->status = -ETIMEDOUT;
			expired = true;
		}
	}
	return expired;
}

static void sluice_deadline_work(struct work_struct *work)
{
	struct sluice_channel *channel = container_of(to_delayed_work(work), struct sluice_channel,
						      deadline_work);
	ktime_t next = KTIME_MAX;
	unsigned long flags;
	bool expired;

	mutex_lock(&channel->lock);
	spin_lock_irqsave(&channel->queue_lock, flags);
	expired = sluice_jobs_expire(&channel->given, ktime_get(), &next);
	expired |= sluice_jobs_expire(&channel->waiting, ktime_get(), &next);
	channel->next_deadline = KTIME_MAX;
	if (expired)
		channel->stopping = true; /* so that what has expired stays where it is */
	else if (next != KTIME_MAX)
		sluice_queue_arm(channel, next);
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	if (expired)
		sluice_queue_stop(channel, -ECANCELED);
	mutex_unlock(&channel->lock);
}

/* ---------------------------------------------------------------------------------------------
 * In and out
 */

/**
 * sluice_queue_make_ring - Make the ring of completions, unless there is one
 * @channel: locked
 * @entries: a power of two; 0: any size, and a ring that exists will do
 *
 * Return: 0, -ENOMEM, -EINVAL, or -EBUSY if there is a ring already.
 */
int sluice_queue_make_ring(struct sluice_channel *channel, u32 entries)
{
	struct sluice_completions *ring = &channel->completions;
	struct sluice_completions made;
	unsigned long flags;
	int ret;

	lockdep_assert_held(&channel->lock);
	if (entries && !sluice_ring_size_valid(entries))
		return -EINVAL;
	if (ring->shared)
		return entries ? -EBUSY : 0;
	ret = sluice_ring_create(&made, entries ?: SLUICE_RING_ENTRIES);
	if (ret)
		return ret;
	mutex_lock(&channel->setup_lock);
	spin_lock_irqsave(&channel->queue_lock, flags); /* poll() finds all of it, or nothing */
	*ring = made;
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	mutex_unlock(&channel->setup_lock);
	return 0;
}

/**
 * sluice_queue_add - Accept jobs
 * @channel: locked; the ring has room for those without a done() of their own
 * @jobs: list of them, empty afterwards
 * @count: how many have an entry in the ring
 */
void sluice_queue_add(struct sluice_channel *channel, struct list_head *jobs, unsigned int count)
{
	ktime_t deadline = KTIME_MAX;
	struct sluice_job *job;
	unsigned long flags;

	list_for_each_entry(job, jobs, node) {
		deadline = min(deadline, job->deadline);
		trace_sluice_submit(channel, job);
	}
	spin_lock_irqsave(&channel->queue_lock, flags);
	list_splice_tail_init(jobs, &channel->waiting);
	channel->under_way += count;
	if (ktime_before(deadline, channel->next_deadline))
		sluice_queue_arm(channel, deadline);
	sluice_queue_fill(channel, !channel->in_engine, false);
	spin_unlock_irqrestore(&channel->queue_lock, flags);
}

static void sluice_jobs_end(struct list_head *jobs, int status)
{
	struct sluice_job *job, *next;

	list_for_each_entry_safe(job, next, jobs, node)
		sluice_job_over(job, job->status ?: status);
}

/*
 * An engine that cannot be stopped keeps what it has; but for fences, nobody is told when that is
 * over. Of a copy it may have no part just now.
 */
static void sluice_queue_orphan(struct sluice_channel *channel)
{
	struct sluice_job *job, *next;
	unsigned long flags;

	spin_lock_irqsave(&channel->queue_lock, flags);
	channel->orphaned = true;
	sluice_jobs_end(&channel->waiting, -ECANCELED);
	list_for_each_entry_safe(job, next, &channel->given, node) {
		job->length = job->given;
		if (!job->in_flight)
			sluice_job_over(job, job->status ?: -ECANCELED);
	}
	channel->under_way = 0;
	spin_unlock_irqrestore(&channel->queue_lock, flags);
}

/* queue_lock is held. */
static bool sluice_engine_has_work(const struct sluice_channel *channel)
{
	return !list_empty(&channel->given) || channel->ahead || channel->capturing;
}

static bool sluice_queue_busy(struct sluice_channel *channel)
{
	unsigned long flags;
	bool busy;

	spin_lock_irqsave(&channel->queue_lock, flags);
	busy = sluice_engine_has_work(channel);
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	return busy;
}

/* Have the engine given nothing from now on; has it something? */
static bool sluice_queue_close(struct sluice_channel *channel)
{
	unsigned long flags;

	spin_lock_irqsave(&channel->queue_lock, flags);
	channel->stopping = true;
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	return sluice_queue_busy(channel);
}

/*
 * The engine has stopped: what it had is over. `all`: so is what waits, in one step, so that
 * whoever waits for several completions has all of them at once.
 */
static bool sluice_queue_settle(struct sluice_channel *channel, int status, bool all)
{
	bool busy, capturing;
	unsigned long flags;

	spin_lock_irqsave(&channel->queue_lock, flags);
	busy = sluice_engine_has_work(channel);
	channel->in_engine = 0;
	capturing = channel->capturing; /* until its first job ends */
	sluice_jobs_end(&channel->given, status);
	if (capturing || all) /* periods of a capture follow one another */
		sluice_jobs_end(&channel->waiting, status);
	channel->capturing = false;
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	return busy;
}

static void sluice_queue_reopen(struct sluice_channel *channel)
{
	unsigned long flags;

	spin_lock_irqsave(&channel->queue_lock, flags);
	channel->stopping = false;
	sluice_queue_fill(channel, !channel->in_engine, false);
	spin_unlock_irqrestore(&channel->queue_lock, flags);
}

static struct sluice_channel *sluice_channel_of(struct sluice_provider *provider)
{
	return container_of(provider, struct sluice_channel, provider);
}

/* engine->lock is held, as for the two below. Does a channel stop with another one? */
static bool sluice_stops_with(const struct sluice_channel *stopped,
			      const struct sluice_provider *provider)
{
	return provider == &stopped->provider || provider->engine->resets_all;
}

/* dmaengine frees what is prepared, but not submitted, in one way: it is stopped once submitted. */
static bool sluice_queue_submit_ahead(struct sluice_channel *channel)
{
	bool submitted = false;
	struct sluice_job *job;
	unsigned long flags;

	spin_lock_irqsave(&channel->queue_lock, flags);
	list_for_each_entry(job, &channel->waiting, node) {
		if (!job->ahead)
			continue;
		dmaengine_submit(job->ahead);
		job->ahead = NULL;
		submitted = true;
	}
	channel->ahead = 0;
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	return submitted;
}

/*
 * What is submitted starts when it is issued, so it may be before the stop; but xilinx_dma starts
 * it at its next interrupt. After the stop there is none, but a provider that cannot synchronize
 * gives its channel back then.
 */
static void sluice_channel_stop(struct sluice_channel *channel)
{
	struct sluice_provider *provider = &channel->provider;
	bool busy = sluice_queue_busy(channel);

	if (!provider->chan->device->device_synchronize)
		sluice_queue_submit_ahead(channel);
	sluice_provider_stop(provider, busy);
	if (provider->chan && sluice_queue_submit_ahead(channel))
		sluice_provider_stop(provider, false);
}

/* `all`: what waits in the stopped channel is over too. */
static int sluice_engine_stop(struct sluice_channel *stopped, int status, bool all)
{
	struct sluice_engine *engine = stopped->provider.engine;
	struct sluice_provider *provider;
	struct sluice_channel *channel;
	int ret = 0;
	bool busy;

	list_for_each_entry(provider, &engine->channels, engine_node) {
		channel = sluice_channel_of(provider);
		if (sluice_stops_with(stopped, provider))
			channel->had_work = sluice_queue_close(channel);
	}
	list_for_each_entry(provider, &engine->channels, engine_node) {
		if (sluice_stops_with(stopped, provider) && provider->chan)
			sluice_channel_stop(sluice_channel_of(provider));
	}
	list_for_each_entry(provider, &engine->channels, engine_node) {
		if (!sluice_stops_with(stopped, provider))
			continue;
		channel = sluice_channel_of(provider);
		if (channel == stopped)
			busy = sluice_queue_settle(channel, status, all);
		else
			busy = sluice_queue_settle(channel, -ECANCELED, false);
		busy |= channel->had_work; /* what was prepared is gone by now */
		if (provider->chan && (!busy || provider->appends))
			continue;
		if (!channel->gone && sluice_provider_renew(provider) && channel == stopped)
			ret = -EIO;
	}
	return ret;
}

static void sluice_engine_resume(struct sluice_channel *stopped)
{
	struct sluice_provider *provider;

	list_for_each_entry(provider, &stopped->provider.engine->channels, engine_node)
		if (sluice_stops_with(stopped, provider))
			sluice_queue_reopen(sluice_channel_of(provider));
}

/**
 * sluice_queue_stop - End all jobs
 * @channel: locked
 * @status: of the jobs that have no status of their own yet
 *
 * On return no job is in flight, and the channel can be used again; unless the engine cannot be
 * stopped: then what it has belongs to nobody any longer, see sluice_queue_idle(). Where the engine
 * stops as a whole, what it has of other channels ends with -ECANCELED, and so does a capture; what
 * it does not have yet goes on.
 *
 * Return: 0, or -EIO if requesting the engine's channel again failed.
 */
int sluice_queue_stop(struct sluice_channel *channel, int status)
{
	struct sluice_engine *engine = channel->provider.engine;
	unsigned long flags;
	int ret = 0;

	lockdep_assert_held(&channel->lock);
	if (!channel->provider.terminates) {
		sluice_queue_orphan(channel);
		sluice_fence_forget(channel);
		return 0;
	}
	mutex_lock(&engine->lock);
	if (sluice_queue_close(channel))
		ret = sluice_engine_stop(channel, status, true);
	spin_lock_irqsave(&channel->queue_lock, flags);
	sluice_jobs_end(&channel->waiting, status);
	channel->next_deadline = KTIME_MAX;
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	sluice_engine_resume(channel);
	mutex_unlock(&engine->lock);
	sluice_fence_forget(channel); /* no other one follows: no job waits */
	return ret;
}

/* Jobs of a buffer fail. Return: whether the engine has any part of them. queue_lock is held. */
static bool sluice_jobs_revoke(struct list_head *jobs, const struct sluice_buffer *buffer)
{
	struct sluice_job *job;
	bool found = false;

	list_for_each_entry(job, jobs, node) {
		if (job->buffer != buffer && job->destination != buffer)
			continue;
		job->status = job->status ?: -ESTALE;
		found |= job->in_flight || job->ahead;
	}
	return found;
}

/**
 * sluice_queue_revoke - End all jobs of a buffer
 * @channel: locked; its engine can be stopped
 * @buffer: which no new job will use
 *
 * On return the engine has no part of it. If it had, what else it had ends with -ECANCELED; what it
 * did not have yet goes on.
 *
 * Return: 0, or -EIO if requesting the engine's channel again failed.
 */
int sluice_queue_revoke(struct sluice_channel *channel, const struct sluice_buffer *buffer)
{
	struct sluice_engine *engine = channel->provider.engine;
	unsigned long flags;
	int ret = 0;
	bool given;

	lockdep_assert_held(&channel->lock);
	spin_lock_irqsave(&channel->queue_lock, flags);
	channel->stopping = true; /* so that what is marked is given no longer */
	given = sluice_jobs_revoke(&channel->given, buffer);
	given |= sluice_jobs_revoke(&channel->waiting, buffer);
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	sluice_fence_forget(channel); /* what waited for it may have failed: another job is first */
	mutex_lock(&engine->lock);
	if (given && sluice_queue_close(channel))
		ret = sluice_engine_stop(channel, -ECANCELED, false);
	sluice_engine_resume(channel);
	mutex_unlock(&engine->lock);
	return ret;
}

/**
 * sluice_queue_idle - Has the engine nothing any longer?
 * @channel: any
 *
 * Return: true if so.
 */
bool sluice_queue_idle(struct sluice_channel *channel)
{
	unsigned long flags;
	bool idle;

	spin_lock_irqsave(&channel->queue_lock, flags);
	idle = list_empty(&channel->given);
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	return idle;
}

/**
 * sluice_queue_drain - Wait for what an engine has that cannot be stopped
 * @channel: gone, its queue stopped
 *
 * Return: true, or false if the engine still has something after some seconds.
 */
bool sluice_queue_drain(struct sluice_channel *channel)
{
	return wait_event_timeout(channel->wait, sluice_queue_idle(channel),
				  msecs_to_jiffies(SLUICE_DRAIN_MS));
}

/**
 * sluice_queue_init - Prepare the queue of a new channel
 * @channel: the channel
 */
void sluice_queue_init(struct sluice_channel *channel)
{
	spin_lock_init(&channel->queue_lock);
	INIT_LIST_HEAD(&channel->waiting);
	INIT_LIST_HEAD(&channel->given);
	INIT_LIST_HEAD(&channel->stock);
	INIT_LIST_HEAD(&channel->spare);
	init_waitqueue_head(&channel->wait);
	INIT_DELAYED_WORK(&channel->deadline_work, sluice_deadline_work);
	INIT_WORK(&channel->refill_work, sluice_refill_work);
	channel->next_deadline = KTIME_MAX;
}
