/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_SLOT_H
#define SLUICE_SLOT_H

#include <linux/dma-direction.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sluice.h>
#include <linux/types.h>

struct sluice_channel;

#define SLUICE_PIPE_SLOTS	8

/**
 * struct sluice_slot - Memory of a pipe
 * @node: in the pipe's idle or done
 * @refs: one of the pipe, one of its job
 * @memory: whole pages
 * @direction: of its job
 * @filled: bytes received
 * @taken: of them, read
 * @status: of its job
 */
struct sluice_slot {
	struct list_head node;
	struct kref refs;
	void *memory;
	enum dma_data_direction direction;
	u32 filled;
	u32 taken;
	int status;
};

/**
 * struct sluice_pipe - A channel that is read or written
 * @channel: whose it is
 * @lock: one reader or writer at a time; outside of channel->lock
 * @slot: all of them
 * @slot_bytes: that are used of each slot
 * @idle: slots, under queue_lock, like all that follows
 * @done: slots received, or copied, in order
 * @under_way: count of slots that are jobs
 * @error: the first one of what was written, until it is told
 * @lingers: a close() has waited since the last write()
 * @linger_end: in jiffies: no close() waits any longer
 */
struct sluice_pipe {
	struct sluice_channel *channel;
	struct mutex lock; /* one reader or writer */
	struct sluice_slot *slot[SLUICE_PIPE_SLOTS];
	u32 slot_bytes;
	struct list_head idle;
	struct list_head done;
	unsigned int under_way;
	int error;
	bool lingers;
	unsigned long linger_end;
};

struct sluice_pipe *sluice_pipe_begin(struct kiocb *iocb, enum sluice_direction direction);
int sluice_pipe_wait(struct sluice_pipe *pipe, const struct list_head *list, bool no_wait);
int sluice_pipe_wait_done(struct sluice_pipe *pipe);
int sluice_pipe_settle(struct sluice_pipe *pipe);
bool sluice_no_wait(const struct kiocb *iocb);
void sluice_pipe_destroy(struct sluice_channel *channel);
struct sluice_slot *sluice_slot_idle(struct sluice_pipe *pipe);
void sluice_slot_recycle(struct sluice_pipe *pipe, struct sluice_slot *slot);
int sluice_slot_queue(struct sluice_pipe *pipe, struct sluice_slot *slot, u32 bytes,
		      enum dma_data_direction direction, u64 there);
struct sluice_slot *sluice_slot_received(struct sluice_pipe *pipe);
void sluice_slot_consume(struct sluice_pipe *pipe, struct sluice_slot *slot);

#endif
