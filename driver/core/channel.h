/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_CHANNEL_H
#define SLUICE_CHANNEL_H

#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/dmaengine.h>
#include <linux/dma-fence.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sluice.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "memory.h"
#include "provider.h"
#include "ring.h"

struct sluice_buffer;
struct sluice_capability;
struct sluice_capture;
struct sluice_pipe;

#define SLUICE_RECENT_BUFFERS	64U /* as many as programs queue, each with a buffer of its own */

/**
 * enum sluice_use - What an open channel is used as
 * @SLUICE_UNUSED: not yet anything
 * @SLUICE_QUEUE: transfers and completions
 * @SLUICE_CAPTURE: capture without end
 * @SLUICE_PIPE: read() or write()
 */
enum sluice_use {
	SLUICE_UNUSED,
	SLUICE_QUEUE,
	SLUICE_CAPTURE,
	SLUICE_PIPE,
};

/**
 * struct sluice_counters - What a channel has done since it was added
 * @transfers: that succeeded
 * @bytes: that they moved
 * @errors: transfers that the engine failed
 * @timeouts: transfers whose timeout expired
 * @cancelled: transfers that were stopped
 */
struct sluice_counters {
	u64 transfers;
	u64 bytes;
	u64 errors;
	u64 timeouts;
	u64 cancelled;
};

/**
 * struct sluice_channel - A channel and its device node
 * @dev: in the class sluice; holds this structure
 * @cdev: the node
 * @board: name of the board
 * @name: of the channel
 * @index: of that name in the description
 * @provider: the channel of dmaengine
 * @part: of the board's memory, which its engine reaches
 * @capability: block beside the engine; may be NULL
 * @capability_index: of this channel in the block
 * @lock: of opening and closing, use, buffers, submission, stopping
 * @import_lock: of importing buffers; the engine's device stays while it is held and @gone is false
 * @import_error: of the last import; 0: none
 * @setup_lock: of the creation of mapped memory; no user memory is touched under it
 * @opened: a process has it open
 * @gone: the device was unbound: no jobs, no buffers, no engine
 * @use: what the open channel is used as
 * @buffers: attached, by number
 * @attached: count of @buffers
 * @recent: of @buffers, those last used: programs go on with the same few
 * @stock: memory of jobs to be used again
 * @capture: made for the first capture, stays until the channel is closed
 * @queue_lock: of all that follows
 * @pipe: made for the first read() or write(), stays until the channel is closed
 * @waiting: jobs that the engine does not have yet
 * @given: jobs that the engine has
 * @spare: memory of jobs that are over, for @stock
 * @spares: count of @spare
 * @under_way: jobs of both that will have an entry in the ring
 * @in_engine: descriptors of dmaengine that have not called back
 * @ahead: jobs in @waiting whose next descriptor is prepared: the first ones
 * @batch: counts what was issued to an engine without work
 * @known_batch: the last one that was known to be over before all of it had called back; 0: none
 * @known_ns: when that was
 * @last_cookie: dmaengine's, of the last descriptor of @batch
 * @stopping: give the engine nothing
 * @had_work: as the last stop began
 * @orphaned: those in @given have no owner any longer
 * @capturing: the engine writes a ring of periods
 * @captured: periods that have ended
 * @unreleased: those of them that were not released
 * @watermark: of @unreleased
 * @next_deadline: of the jobs; KTIME_MAX: none
 * @completions: the ring
 * @counters: for sysfs
 * @wait: for completions, periods, space
 * @deadline_work: stops the channel when a job's timeout expires
 * @refill_work: gives jobs to the engine where that may wait for it
 * @fence_cb: looks at the fence that the first waiting job waits for
 * @fence_waited: which one that is; NULL: none
 *
 * Locks, outermost first: the pipe's, @import_lock, a memory node's, a dma-buf's reservation lock,
 * @lock, the capture's, @setup_lock or the engine's, @queue_lock. A provider's own locks and a
 * fence's are taken under @queue_lock, which callbacks of dmaengine take; no lock of a fence is
 * held while @queue_lock is taken.
 */
struct sluice_channel {
	struct device dev;
	struct cdev cdev;
	char board[sizeof_field(struct sluice_info, board)];
	char name[sizeof_field(struct sluice_info, name)];
	unsigned int index;
	struct sluice_provider provider;
	struct sluice_part part;
	struct sluice_capability *capability;
	unsigned int capability_index;

	struct mutex lock; /* use, buffers, submission, stopping */
	struct mutex import_lock; /* importing buffers, and unmapping what was imported */
	int import_error;
	struct mutex setup_lock; /* creation of mapped memory */
	bool opened;
	bool gone;
	enum sluice_use use;
	struct xarray buffers;
	unsigned int attached;
	struct sluice_buffer *recent[SLUICE_RECENT_BUFFERS];
	struct list_head stock;

	struct sluice_capture *capture;

	spinlock_t queue_lock; /* jobs and completions */
	struct sluice_pipe *pipe;
	struct list_head waiting;
	struct list_head given;
	struct list_head spare;
	unsigned int spares;
	u32 under_way;
	unsigned int in_engine;
	unsigned int ahead;
	unsigned int batch;
	unsigned int known_batch;
	u64 known_ns;
	dma_cookie_t last_cookie;
	bool stopping;
	bool had_work;
	bool orphaned;
	bool capturing;
	u64 captured;
	u64 unreleased;
	u32 watermark;
	ktime_t next_deadline;
	struct sluice_completions completions;
	struct sluice_counters counters;

	wait_queue_head_t wait;
	struct delayed_work deadline_work;
	struct work_struct refill_work;
	struct dma_fence_cb fence_cb;
	struct dma_fence *fence_waited;
};

/* Is it read and written at positions, those of the board's memory? */
static inline bool sluice_channel_has_positions(const struct sluice_channel *channel)
{
	return channel->provider.direction == SLUICE_COPY && channel->part.bytes;
}

u64 sluice_channel_capabilities(const struct sluice_channel *channel);
int sluice_channel_lock(struct sluice_channel *channel);
int sluice_channel_lock_as(struct sluice_channel *channel, enum sluice_use use);
int sluice_channel_use(struct sluice_channel *channel, enum sluice_use use);
int sluice_channel_recover(struct sluice_channel *channel);

#endif
