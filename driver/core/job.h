/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_JOB_H
#define SLUICE_JOB_H

#include <linux/build_bug.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/scatterlist.h>
#include <linux/sluice.h>
#include <linux/stddef.h>
#include <linux/types.h>

struct dma_async_tx_descriptor;
struct dma_fence;
struct sluice_buffer;
struct sluice_channel;
struct sluice_provider;

/**
 * struct sluice_job - A transfer in flight
 * @node: in the channel's waiting or given
 * @channel: whose it is
 * @length: in bytes, as all such fields: no transfer is longer than U32_MAX
 * @cookie: of the transfer
 * @deadline: point of time; KTIME_MAX: none
 * @buffer: source, or the only one; may be NULL
 * @destination: of a copy
 * @offset: in @buffer
 * @destination_offset: in @destination
 * @piece: of @buffer that @offset + @given is in, for a copy
 * @destination_piece: the same for @destination
 * @pieces: of @sg
 * @given: bytes that were given to the engine
 * @residue: bytes that did not arrive
 * @status: 0, or what went wrong so far
 * @in_flight: descriptors in the engine
 * @ahead: next descriptor, prepared while the engine works; NULL: none
 * @ahead_bytes: that @ahead moves
 * @batch: of the engine's work that the last descriptor is in
 * @in_fence: to wait for; may be NULL
 * @out_fence: to signal when all of its jobs are over; may be NULL
 * @done: takes the result in place of the ring, under queue_lock; may be NULL
 * @release: releases what the job's maker has lent it, from any context; may be NULL
 * @owner: for @done and @release
 * @there: other side of a copy between @sg and memory that is in no buffer: for the engine
 * @there_mapped: it is unmapped when the job is over
 * @to_there: @sg is copied to it
 * @sg: memory of a stream's job, or of one side of such a copy
 *
 * A job's maker owns it until sluice_queue_add(), and the queue from there on: see queue.c.
 */
struct sluice_job {
	struct list_head node;
	struct sluice_channel *channel;
	u32 length;
	u64 cookie;
	ktime_t deadline;
	struct sluice_buffer *buffer;
	struct sluice_buffer *destination;
	u64 offset;
	u64 destination_offset;
	unsigned int piece;
	unsigned int destination_piece;
	unsigned int pieces;

	/* What is 0 in a job that is to begin, up to the end. */
	u32 given;
	u32 residue;
	int status;
	unsigned int in_flight;
	struct dma_async_tx_descriptor *ahead;
	u32 ahead_bytes;
	unsigned int batch;
	struct dma_fence *in_fence;
	struct dma_fence *out_fence;
	void (*done)(struct sluice_job *job, u64 bytes, int status);
	void (*release)(struct sluice_job *job);
	void *owner;
	dma_addr_t there;
	bool there_mapped;
	bool to_there;
	struct scatterlist sg[] __aligned(8);
};

/* A list that is used again keeps its marks when all before it becomes 0. */
static_assert(offsetof(struct sluice_job, sg) == sizeof(struct sluice_job));

u32 sluice_max_length(const struct sluice_provider *provider);
struct sluice_job *sluice_job_create(struct sluice_channel *channel,
				     const struct sluice_transfer *transfer,
				     struct sluice_buffer *buffer);
struct sluice_job *sluice_job_alloc(struct sluice_channel *channel, unsigned int pieces);
struct dma_async_tx_descriptor *sluice_job_prepare(struct sluice_job *job, u32 *bytes);
void sluice_job_destroy(struct sluice_job *job);
void sluice_job_retire(struct sluice_job *job);
void sluice_jobs_free(struct sluice_channel *channel);
void sluice_jobs_destroy(struct list_head *jobs);

#endif
