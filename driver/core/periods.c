// SPDX-License-Identifier: GPL-2.0-only
/*
 * The periods of a capture: what is known of them, and the page in which user space sees it.
 */

#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>

#include "channel.h"
#include "periods.h"
#include "trace.h"

/**
 * sluice_period_place - Where a period is in the ring
 * @capture: that was started
 * @number: of the period
 *
 * Return: index in the ring.
 */
u32 sluice_period_place(const struct sluice_capture *capture, u64 number)
{
	u32 place;

	div_u64_rem(number, capture->periods, &place);
	return place;
}

/**
 * sluice_capture_running - Does the engine write a ring of periods?
 * @channel: any
 *
 * Return: true if so.
 */
bool sluice_capture_running(struct sluice_channel *channel)
{
	unsigned long flags;
	bool capturing;

	spin_lock_irqsave(&channel->queue_lock, flags);
	capturing = channel->capturing;
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	return capturing;
}

/**
 * sluice_capture_set_running - The engine begins to write a ring, or it does not
 * @channel: locked
 * @running: which
 */
void sluice_capture_set_running(struct sluice_channel *channel, bool running)
{
	unsigned long flags;

	spin_lock_irqsave(&channel->queue_lock, flags);
	channel->capturing = running;
	spin_unlock_irqrestore(&channel->queue_lock, flags);
}

/**
 * sluice_periods_begin - User space is to see nothing of what follows before it is complete
 * @capture: locked
 */
void sluice_periods_begin(struct sluice_capture *capture)
{
	struct sluice_capture_status *status = &capture->page->status;

	WRITE_ONCE(status->sequence, status->sequence + 1);
	smp_wmb(); /* odd before anything changes */
}

/**
 * sluice_periods_end - User space is to see all since sluice_periods_begin()
 * @capture: locked
 */
void sluice_periods_end(struct sluice_capture *capture)
{
	struct sluice_capture_status *status = &capture->page->status;
	u32 running = sluice_capture_running(capture->channel) ? SLUICE_STATUS_RUNNING : 0;

	status->flags = capture->ops->flags | running;
	status->produced = capture->produced;
	status->released = capture->released;
	status->lost = capture->lost;
	smp_wmb(); /* even after everything has changed */
	WRITE_ONCE(status->sequence, status->sequence + 1);
}

/**
 * sluice_periods_record - Record that the next period has ended
 * @capture: locked, between sluice_periods_begin() and sluice_periods_end()
 * @period: what is known of it; its number and time are filled in
 */
void sluice_periods_record(struct sluice_capture *capture, struct sluice_capture_period *period)
{
	struct sluice_capture_page *page = capture->page;

	period->period = capture->produced++;
	period->time_ns = ktime_get_raw_ns();
	page->records[period->period % SLUICE_RECORDS] = *period;
	page->status.bytes += period->bytes;
	page->status.drops += period->drops;
	trace_sluice_period(capture->channel, period);
}

static void sluice_periods_lose(struct sluice_capture *capture, u64 first, u64 count)
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

/**
 * sluice_periods_find_losses - Record the unreleased periods that may be overwritten
 * @capture: locked, between sluice_periods_begin() and sluice_periods_end()
 *
 * A period counts when its descriptor is done, and the engine may have begun to write what follows:
 * the next period, and as far on as its buffer reaches. Periods so far back that this may have hit
 * them are lost if they were not released: `guard` is how many.
 */
void sluice_periods_find_losses(struct sluice_capture *capture)
{
	u64 whole_from, lost_from = max(capture->released, capture->lost_below);

	if (capture->produced + capture->guard <= capture->periods)
		return;
	whole_from = min(capture->produced + capture->guard - capture->periods, capture->produced);
	if (whole_from <= lost_from)
		return;
	sluice_periods_lose(capture, lost_from, whole_from - lost_from);
	capture->lost += whole_from - lost_from;
	capture->lost_below = whole_from;
}

/**
 * sluice_periods_show - Tell whoever waits and polls
 * @capture: locked
 */
void sluice_periods_show(struct sluice_capture *capture)
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
