/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_CORE_H
#define SLUICE_CORE_H

#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/dma-buf.h>
#include <linux/dmaengine.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/scatterlist.h>
#include <linux/sluice.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

struct sluice_capability;
struct sluice_capture;
struct sluice_channel;
struct sluice_pipe;
struct sluice_slot;

#define SLUICE_MAX_TRANSFERS	4096U
#define SLUICE_RING_ENTRIES	256U
#define SLUICE_MAX_RING_ENTRIES	4096U
#define SLUICE_MAX_BUFFERS	1024U
#define SLUICE_RECENT_BUFFERS	4U
#define SLUICE_MAX_PIECES	4096U /* of one transfer */

/* Deferred work of all channels: letting go of buffers, looking at captures. */
extern struct workqueue_struct *sluice_workqueue;

/* ---------------------------------------------------------------------------------------------
 * main.c: what device nodes have in common
 */
void sluice_device_init(struct device *dev, struct device *parent,
			void (*release)(struct device *dev));
int sluice_device_publish(struct device *dev, struct cdev *cdev, const struct file_operations *fops,
			  const char *board, const char *name);
void sluice_device_free_number(struct device *dev);

/* ---------------------------------------------------------------------------------------------
 * provider.c: a channel of dmaengine
 */

/**
 * struct sluice_engine - What stops together
 * @node: in the list of all
 * @users: how many channels
 * @device: whose channels
 * @resets_all: whoever stops one channel resets them all
 * @lock: of stopping, and of whatever needs the channels of dmaengine to stay
 * @channels: ours, those that receive first
 */
struct sluice_engine {
	struct list_head node;
	unsigned int users;
	struct dma_device *device;
	bool resets_all;
	struct mutex lock; /* stopping */
	struct list_head channels;
};

struct sluice_engine *sluice_engine_join(struct sluice_channel *channel);
void sluice_engine_leave(struct sluice_channel *channel);

/**
 * struct sluice_provider - A channel of dmaengine, and what it can do
 * @client: our device, whose node names it
 * @name: of ours in dma-names
 * @direction: where it moves data
 * @chan: the channel; NULL if it could not be had again after it was stopped
 * @dma_dev: for whom memory is mapped
 * @address_align: of every address, in bytes
 * @length_align: of every length, in bytes
 * @max_segment: bytes that the engine's length register holds
 * @depth: descriptors of dmaengine that it may hold at once
 * @terminates: can be stopped
 * @completes_all: calls back for all that the engine has when any of it ends
 * @cyclic: has cyclic transfers
 * @reports_bytes: tells how much of a transfer came
 * @scratch: memory that sluice_provider_stop() may need; may be NULL
 * @scratch_address: of it, for the engine
 * @irq: of the engine's channel, where there is @scratch
 */
struct sluice_provider {
	struct device *client;
	const char *name;
	enum sluice_direction direction;
	struct dma_chan *chan;
	struct device *dma_dev;
	u32 address_align;
	u32 length_align;
	u32 max_segment;
	unsigned int depth;
	bool terminates;
	bool completes_all;
	bool cyclic;
	bool reports_bytes;
	void *scratch;
	dma_addr_t scratch_address;
	int irq;
};

int sluice_provider_init(struct sluice_provider *provider, struct device *client, const char *name,
			 enum sluice_direction direction);
int sluice_provider_renew(struct sluice_provider *provider);
void sluice_provider_release(struct sluice_provider *provider);
void sluice_provider_stop(struct sluice_provider *provider, bool busy);
void sluice_provider_exit(struct sluice_provider *provider);

/* ---------------------------------------------------------------------------------------------
 * buffer.c: imported dma-bufs
 */

/**
 * struct sluice_piece - Memory of a buffer that is in one piece for the engine
 * @start: where it begins in the buffer, in bytes
 * @address: for the engine
 * @bytes: its size
 */
struct sluice_piece {
	u64 start;
	dma_addr_t address;
	u64 bytes;
};

/**
 * struct sluice_buffer - A dma-buf, mapped for one channel's engine
 * @refs: one while it is attached, one for each job that uses it
 * @release: lets go of it where that may sleep
 * @dmabuf: the dma-buf
 * @attachment: to the engine's device
 * @table: its mapping
 * @id: number for user space
 * @bytes: its size
 * @pieces: count of @piece
 * @piece: all of its memory, in order
 */
struct sluice_buffer {
	struct kref refs;
	struct work_struct release;
	struct dma_buf *dmabuf;
	struct dma_buf_attachment *attachment;
	struct sg_table *table;
	u32 id;
	u64 bytes;
	unsigned int pieces;
	struct sluice_piece *piece;
};

int sluice_buffer_attach(struct sluice_channel *channel, struct sluice_attach *arg);
int sluice_buffer_detach(struct sluice_channel *channel, u32 id);
void sluice_buffer_detach_all(struct sluice_channel *channel);
struct sluice_buffer *sluice_buffer_get(struct sluice_channel *channel, u32 id);
void sluice_buffer_put(struct sluice_buffer *buffer);
unsigned int sluice_buffer_find(const struct sluice_buffer *buffer, u64 offset);

/* ---------------------------------------------------------------------------------------------
 * ring.c: completions, shared with user space
 */

/**
 * struct sluice_completions - The ring of completions of an open channel
 * @shared: what user space sees; NULL until it is needed
 * @tail_page: where user space says what it has consumed
 * @bytes: of @shared
 * @entries: a power of two
 * @head: produced
 * @tail: consumed, as believed
 *
 * Under the channel's queue_lock, but for the creation of the memory.
 */
struct sluice_completions {
	struct sluice_ring *shared;
	struct sluice_ring_tail *tail_page;
	u32 bytes;
	u32 entries;
	u32 head;
	u32 tail;
};

int sluice_ring_create(struct sluice_channel *channel, u32 entries);
void sluice_ring_destroy(struct sluice_channel *channel);
void sluice_ring_push(struct sluice_channel *channel, const struct sluice_completion *completion);
u32 sluice_ring_filled(struct sluice_channel *channel);
u32 sluice_ring_take(struct sluice_channel *channel, struct sluice_completion *to, u32 count);

/* ---------------------------------------------------------------------------------------------
 * queue.c: jobs
 *
 * Who owns a job:
 *   waiting  accepted, in channel->waiting: ours; what it needs is held, nothing is in the engine
 *   given    in channel->given, in the order of dmaengine: some or all of its pieces are in the
 *	      engine, which may move data until it calls back or was stopped
 *   over     in no list: its completion is in the ring, and the job is gone
 * A job goes only forward. What a stopped engine held is over when dmaengine has synchronized.
 */

/**
 * struct sluice_job - A transfer under way
 * @node: in channel->waiting or channel->given
 * @channel: whose it is
 * @done: what to do when it is over, under queue_lock; NULL: an entry in the ring
 * @cookie: of the transfer
 * @length: in bytes
 * @given: bytes that were given to the engine
 * @residue: bytes that did not come
 * @deadline: point of time; KTIME_MAX: none
 * @status: 0, or what went wrong so far
 * @in_flight: descriptors in the engine
 * @buffer: source, or only one
 * @destination: of a copy
 * @slot: memory of a pipe instead, mapped; may be NULL
 * @offset: in @buffer
 * @destination_offset: in @destination
 * @piece: of @buffer that @offset + @given is in, for a copy
 * @destination_piece: the same for @destination
 * @in_fence: to wait for; may be NULL
 * @out_fence: to signal; may be NULL
 * @signals: the last job of its @out_fence
 * @pieces: of @sg
 * @sg: memory of a stream's job
 */
struct sluice_job {
	struct list_head node;
	struct sluice_channel *channel;
	void (*done)(struct sluice_job *job, u64 bytes, int status);
	u64 cookie;
	u64 length;
	u64 given;
	u64 residue;
	ktime_t deadline;
	int status;
	unsigned int in_flight;
	struct sluice_buffer *buffer;
	struct sluice_buffer *destination;
	struct sluice_slot *slot;
	u64 offset;
	u64 destination_offset;
	unsigned int piece;
	unsigned int destination_piece;
	struct dma_fence *in_fence;
	struct dma_fence *out_fence;
	bool signals;
	unsigned int pieces;
	struct scatterlist sg[];
};

/**
 * struct sluice_transfers - Transfers of a submission, copied from the program
 * @transfer: the transfers
 * @count: of @transfer
 * @error: why the next one is not there, if more were asked for
 */
struct sluice_transfers {
	struct sluice_transfer *transfer;
	u32 count;
	int error;
};

void sluice_queue_init(struct sluice_channel *channel);
u32 sluice_max_length(const struct sluice_provider *provider);
int sluice_submit_check(const struct sluice_submit *arg);
int sluice_transfers_get(const struct sluice_submit *arg, struct sluice_transfers *transfers);
void sluice_transfers_put(struct sluice_transfers *transfers);
int sluice_queue_submit(struct sluice_channel *channel, struct sluice_submit *arg,
			const struct sluice_transfers *transfers);
struct sluice_job *sluice_job_create(struct sluice_channel *channel,
				     const struct sluice_transfer *transfer,
				     struct sluice_buffer *buffer);
struct sluice_job *sluice_job_alloc(struct sluice_channel *channel, unsigned int pieces);
void sluice_job_destroy(struct sluice_job *job);
void sluice_slot_unmap(struct sluice_job *job);
void sluice_queue_add(struct sluice_channel *channel, struct list_head *jobs, unsigned int count);
int sluice_queue_stop(struct sluice_channel *channel, int status);
bool sluice_queue_idle(struct sluice_channel *channel);
bool sluice_queue_drain(struct sluice_channel *channel);

/* ---------------------------------------------------------------------------------------------
 * channel.c: device nodes
 */

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
 * struct sluice_counters - What a channel has done since it is there
 * @transfers: that succeeded
 * @bytes: that they moved
 * @errors: transfers that the engine failed
 * @timeouts: transfers whose time was over
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
 * @provider: the channel of dmaengine
 * @engine: whose that is
 * @engine_node: in the engine's channels
 * @capability: block beside the engine; may be NULL
 * @capability_index: of this channel in the block
 * @lock: of opening and closing, use, buffers, submission, stopping
 * @setup_lock: of the creation of mapped memory; nothing of user space is touched under it
 * @opened: by somebody
 * @gone: the device was unbound: no jobs, no buffers, no engine
 * @use: what the open channel is used as
 * @buffers: attached, by number
 * @attached: count of @buffers
 * @recent: of @buffers, those last used: programs go on with the same few
 * @capture: made for the first capture, stays until the channel is closed
 * @queue_lock: of all that follows
 * @pipe: made for the first read() or write(), stays until the channel is closed
 * @waiting: jobs that the engine does not have yet
 * @given: jobs that the engine has
 * @under_way: jobs of both that will have an entry in the ring
 * @in_engine: descriptors of dmaengine that have not called back
 * @stopping: give the engine nothing
 * @orphaned: those in @given have no owner any longer
 * @capturing: the engine writes a ring
 * @captured: periods that have ended
 * @unreleased: those of them that were not released
 * @watermark: of @unreleased
 * @next_deadline: of the jobs; KTIME_MAX: none
 * @completions: the ring
 * @counters: for sysfs
 * @wait: for completions, periods, space
 * @deadline_work: stops the channel when a job's time is over
 * @refill_work: gives jobs to the engine where that may wait for it
 * @fence_cb: looks at the fence that the first waiting job waits for
 * @fence_waited: which one that is; NULL: none
 */
struct sluice_channel {
	struct device dev;
	struct cdev cdev;
	char board[sizeof_field(struct sluice_info, board)];
	char name[sizeof_field(struct sluice_info, name)];
	struct sluice_provider provider;
	struct sluice_engine *engine;
	struct list_head engine_node;
	struct sluice_capability *capability;
	unsigned int capability_index;

	struct mutex lock; /* use, buffers, submission, stopping */
	struct mutex setup_lock; /* creation of mapped memory */
	bool opened;
	bool gone;
	enum sluice_use use;
	struct xarray buffers;
	unsigned int attached;
	struct sluice_buffer *recent[SLUICE_RECENT_BUFFERS];

	struct sluice_capture *capture;

	spinlock_t queue_lock; /* jobs and completions */
	struct sluice_pipe *pipe;
	struct list_head waiting;
	struct list_head given;
	u32 under_way;
	unsigned int in_engine;
	bool stopping;
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

extern const struct file_operations sluice_channel_fops;
extern const struct attribute_group *sluice_channel_groups[];

int sluice_lock_as(struct sluice_channel *channel, enum sluice_use use);
int sluice_channel_use(struct sluice_channel *channel, enum sluice_use use);
u64 sluice_channel_capabilities(const struct sluice_channel *channel);

#endif
