/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_PERIODS_H
#define SLUICE_PERIODS_H

#include <linux/dmaengine.h>
#include <linux/hrtimer.h>
#include <linux/mutex.h>
#include <linux/sluice.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "capability.h"

struct sluice_buffer;
struct sluice_capture;
struct sluice_channel;

#define SLUICE_RECORDS	512U
#define SLUICE_LOSSES	64U
#define SLUICE_POLL_NS	1000000U /* unless the program says how often, or the ring is soon full */

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
 * struct sluice_capture_ops - How the engine is given periods, and how they are counted
 * @flags: of the status that user space sees, SLUICE_STATUS_*
 * @overwrites: the engine does not wait for a release, so periods can be lost
 * @guard_periods: how many the engine may be ahead of what has ended; their size is not 0
 * @start: gives the engine the ring; the capture's counts are 0
 * @count: records the periods that have ended since the last call
 * @ended: may a period have ended since the last count? NULL: always
 * @release: gives the engine the periods below a number again; NULL: it has them all the time
 *
 * The channel's lock is held but for @count and @ended, the capture's but for @guard_periods and
 * @ended, which an interrupt calls.
 */
struct sluice_capture_ops {
	u32 flags;
	bool overwrites;
	u32 (*guard_periods)(const struct sluice_channel *channel, u64 period_bytes);
	int (*start)(struct sluice_capture *capture);
	void (*count)(struct sluice_capture *capture);
	bool (*ended)(const struct sluice_capture *capture);
	int (*release)(struct sluice_capture *capture, u64 below);
};

/**
 * struct sluice_capture - A capture, running or not
 * @channel: whose it is
 * @page: mapped; stays while the channel is open
 * @lock: of all that follows, but @done and @done_bytes
 * @timer: has @work count where a period may have ended
 * @work: counts
 * @poll_ns: how often @timer looks, which reads it without the lock
 * @paced: @poll_ns follows from how long periods take (exact)
 * @ops: how it counts
 * @buffer: the ring is in; NULL: none was started yet
 * @offset: of period 0 in @buffer
 * @periods: N
 * @guard: how many periods the engine may be ahead of what has ended
 * @watermark: for poll()
 * @period_bytes: of each
 * @produced: periods that have ended
 * @released: periods that the program has released
 * @lost_below: periods below this number may be overwritten
 * @lost: periods lost so far
 * @first: number that the capability block gives to period 0 (exact)
 * @last: its counts at the end of the last period that it still had then (exact)
 * @timed: number of periods up to and with that one; 0: none yet (exact)
 * @seen: what it had counted when this was looked at, which @timer reads without the lock (exact)
 * @cookie: of dmaengine (residue)
 * @position: periods done in this round (residue)
 * @done: jobs that have succeeded, under queue_lock (jobs)
 * @done_bytes: of the last @periods of them, under queue_lock (jobs)
 * @view_lock: of @view and @views_forgotten
 * @view: the kernel's mapping of the buffer, for read(); NULL: none was needed yet
 * @views_forgotten: how often it was released, as the buffer changed
 */
struct sluice_capture {
	struct sluice_channel *channel;
	struct sluice_capture_page *page;
	struct mutex lock; /* the capture */
	struct hrtimer timer;
	struct work_struct work;
	u32 poll_ns;
	bool paced;
	const struct sluice_capture_ops *ops;
	struct sluice_buffer *buffer;
	u64 offset;
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
	u64 timed;
	u32 seen;
	dma_cookie_t cookie;
	u32 position;
	u64 done;
	u32 *done_bytes;
	spinlock_t view_lock; /* the view */
	struct sluice_view *view;
	u32 views_forgotten;
};

u32 sluice_period_place(const struct sluice_capture *capture, u64 number);
bool sluice_capture_running(struct sluice_channel *channel);
void sluice_capture_set_running(struct sluice_channel *channel, bool running);
void sluice_periods_begin(struct sluice_capture *capture);
void sluice_periods_end(struct sluice_capture *capture);
void sluice_periods_record(struct sluice_capture *capture, struct sluice_capture_period *period);
void sluice_periods_find_losses(struct sluice_capture *capture);
void sluice_periods_show(struct sluice_capture *capture);

#endif
