// SPDX-License-Identifier: GPL-2.0-only
/*
 * One transfer: what it asks for, its memory, and its descriptors of dmaengine.
 */

#include <linux/dma-fence.h>
#include <linux/dmaengine.h>
#include <linux/ktime.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "buffer.h"
#include "channel.h"
#include "job.h"

#define SLUICE_TRANSFER_FLAGS	SLUICE_TRANSFER_PACKET
#define SLUICE_MAX_PIECES	4096U /* of one transfer */
#define SLUICE_KEPT_PIECES	1U /* of a job whose memory is kept for another one */
/* KASAN is to see what touches a job that is over. */
#define SLUICE_MAX_SPARES	(IS_ENABLED(CONFIG_KASAN) ? 0U : 256U)

/* ---------------------------------------------------------------------------------------------
 * What can be a transfer
 */
/* Must its memory be contiguous, and fit the engine's length register? */
static bool sluice_is_one_piece(const struct sluice_provider *provider, u32 flags)
{
	return (flags & SLUICE_TRANSFER_PACKET) || provider->direct ||
	       (provider->direction == SLUICE_RX && provider->completes_all);
}

/**
 * sluice_max_length - Bytes of the longest transfer
 * @provider: any
 *
 * Return: its length, if the engine takes each piece of the memory.
 */
u32 sluice_max_length(const struct sluice_provider *provider)
{
	return sluice_is_one_piece(provider, 0) ? provider->max_segment : U32_MAX;
}

static int sluice_transfer_check(const struct sluice_channel *channel,
				 const struct sluice_transfer *transfer)
{
	const struct sluice_provider *provider = &channel->provider;
	bool copies = provider->direction == SLUICE_COPY;

	if (transfer->flags & ~SLUICE_TRANSFER_FLAGS)
		return -EOPNOTSUPP;
	if (transfer->reserved || !transfer->length || transfer->length > U32_MAX ||
	    !IS_ALIGNED((u32)transfer->length, provider->length_align))
		return -EINVAL;
	if (!copies && (transfer->destination || transfer->destination_offset))
		return -EINVAL;
	if (transfer->timeout_ns && !provider->terminates)
		return -EOPNOTSUPP;
	if ((transfer->flags & SLUICE_TRANSFER_PACKET) &&
	    (provider->direction != SLUICE_RX || !provider->reports_bytes))
		return -EOPNOTSUPP;
	if (sluice_is_one_piece(provider, transfer->flags) &&
	    transfer->length > provider->max_segment)
		return -EINVAL;
	return 0;
}

static ktime_t sluice_deadline(u64 timeout_ns)
{
	ktime_t now;

	if (!timeout_ns)
		return KTIME_MAX;
	now = ktime_get();
	if (timeout_ns > (u64)(KTIME_MAX - now))
		return KTIME_MAX;
	return ktime_add_ns(now, timeout_ns);
}

/* ---------------------------------------------------------------------------------------------
 * Making and freeing
 */
/* How many pieces hold a range that begins in `first`. */
static unsigned int sluice_range_count(const struct sluice_piece *first, u64 offset, u32 length)
{
	const struct sluice_piece *last = first;

	while (offset + length > last->start + last->bytes)
		last++;
	return last - first + 1;
}

/* All pieces but the last are used to their ends. */
static void sluice_range_list(const struct sluice_piece *piece, unsigned int pieces, u64 offset,
			      u32 length, struct scatterlist *sg)
{
	for (; pieces > 1; pieces--, piece++, sg++) {
		u64 skip = offset - piece->start; /* a piece may have 4 GiB and more */
		u32 bytes = piece->bytes - skip;

		sg_dma_address(sg) = piece->address + skip;
		sg_dma_len(sg) = bytes;
		offset += bytes;
		length -= bytes;
	}
	sg_dma_address(sg) = piece->address + (offset - piece->start);
	sg_dma_len(sg) = length;
}

/* Memory of a job that is over, with its list of one piece; NULL: there is none. */
static struct sluice_job *sluice_job_reuse(struct sluice_channel *channel)
{
	struct sluice_job *job;
	unsigned long flags;

	if (list_empty(&channel->stock)) {
		spin_lock_irqsave(&channel->queue_lock, flags);
		list_splice_init(&channel->spare, &channel->stock);
		channel->spares = 0;
		spin_unlock_irqrestore(&channel->queue_lock, flags);
	}
	job = list_first_entry_or_null(&channel->stock, struct sluice_job, node);
	if (job)
		list_del(&job->node);
	return job;
}

/* Memory for a job, whose fields are those of another one, but for its list's; NULL: no memory. */
static struct sluice_job *sluice_job_memory(struct sluice_channel *channel, unsigned int pieces)
{
	unsigned int room = max(pieces, SLUICE_KEPT_PIECES);
	struct sluice_job *job = NULL;

	lockdep_assert_held(&channel->lock);
	if (pieces <= SLUICE_KEPT_PIECES)
		job = sluice_job_reuse(channel);
	if (job)
		return job;
	job = kzalloc(struct_size(job, sg, room), GFP_KERNEL);
	if (job)
		sg_init_table(job->sg, room);
	return job;
}

/**
 * sluice_job_alloc - Make an empty job
 * @channel: whose it will be, locked
 * @pieces: of memory of a stream
 *
 * Return: the job, without a time limit; or NULL.
 */
struct sluice_job *sluice_job_alloc(struct sluice_channel *channel, unsigned int pieces)
{
	struct sluice_job *job = sluice_job_memory(channel, pieces);

	if (!job)
		return NULL;
	memset(job, 0, sizeof(*job));
	job->channel = channel;
	job->deadline = KTIME_MAX;
	job->pieces = pieces;
	return job;
}

static void sluice_job_release(struct sluice_job *job)
{
	dma_fence_put(job->in_fence);
	dma_fence_put(job->out_fence);
	sluice_buffer_put(job->buffer);
	sluice_buffer_put(job->destination);
	if (job->release)
		job->release(job);
}

/**
 * sluice_job_destroy - Free a job and release what it holds, from any context
 * @job: in no list
 */
void sluice_job_destroy(struct sluice_job *job)
{
	sluice_job_release(job);
	kfree(job);
}

/**
 * sluice_job_retire - Release what a job holds, and keep its memory for the next one
 * @job: in no list, the channel's queue_lock is held
 */
void sluice_job_retire(struct sluice_job *job)
{
	struct sluice_channel *channel = job->channel;

	sluice_job_release(job);
	if (job->pieces > SLUICE_KEPT_PIECES || channel->spares >= SLUICE_MAX_SPARES) {
		kfree(job);
		return;
	}
	list_add(&job->node, &channel->spare);
	channel->spares++;
}

/**
 * sluice_jobs_free - Free the memory of jobs that is kept
 * @channel: locked, or without users
 */
void sluice_jobs_free(struct sluice_channel *channel)
{
	struct sluice_job *job, *next;
	unsigned long flags;

	spin_lock_irqsave(&channel->queue_lock, flags);
	list_splice_init(&channel->spare, &channel->stock);
	channel->spares = 0;
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	list_for_each_entry_safe(job, next, &channel->stock, node)
		kfree(job);
	INIT_LIST_HEAD(&channel->stock);
}

/**
 * sluice_jobs_destroy - Free jobs that were not queued
 * @jobs: list of them
 */
void sluice_jobs_destroy(struct list_head *jobs)
{
	struct sluice_job *job, *next;

	list_for_each_entry_safe(job, next, jobs, node)
		sluice_job_destroy(job);
}

/* Is this range of a buffer what the channel reads from, or copies to? */
static __always_inline int sluice_memory_check(const struct sluice_provider *provider,
					       const struct sluice_buffer *buffer, u64 offset,
					       u32 length, enum sluice_card_side side)
{
	u64 reached;

	if (!buffer)
		return -ENOENT;
	if (!IS_ALIGNED((u32)offset, provider->address_align))
		return -EINVAL;
	if (offset < buffer->reach_first ||
	    check_sub_overflow(buffer->reach_end, offset, &reached) || length > reached)
		return sluice_buffer_holds(buffer, offset, length) ? -EXDEV : -EINVAL;
	if (buffer->kind == SLUICE_BUFFER_CARD ? provider->card != side : provider->card == side)
		return -EXDEV;
	return READ_ONCE(buffer->revoked) ? -ESTALE : 0;
}

static int sluice_memories_check(const struct sluice_provider *provider,
				 const struct sluice_transfer *transfer,
				 const struct sluice_buffer *buffer,
				 const struct sluice_buffer *destination)
{
	int ret = sluice_memory_check(provider, buffer, transfer->offset, transfer->length,
				      SLUICE_CARD_SOURCE);

	if (ret || provider->direction != SLUICE_COPY)
		return ret;
	return sluice_memory_check(provider, destination, transfer->destination_offset,
				   transfer->length, SLUICE_CARD_DESTINATION);
}

/* The memory that the engine is given as a list; NULL: it copies, piece by piece. */
static const struct sluice_buffer *sluice_listed(const struct sluice_provider *provider,
						 const struct sluice_transfer *transfer,
						 const struct sluice_buffer *buffer,
						 const struct sluice_buffer *destination,
						 u64 *offset)
{
	*offset = transfer->offset;
	if (provider->direction != SLUICE_COPY || provider->card == SLUICE_CARD_DESTINATION)
		return buffer;
	*offset = transfer->destination_offset;
	return provider->card == SLUICE_CARD_SOURCE ? destination : NULL;
}

/* All fields, whatever they were. */
static void sluice_job_set(struct sluice_job *job, struct sluice_channel *channel,
			   const struct sluice_transfer *transfer, struct sluice_buffer *buffer,
			   struct sluice_buffer *destination, unsigned int pieces)
{
	memset_startat(job, 0, given);
	job->channel = channel;
	job->cookie = transfer->cookie;
	job->length = transfer->length;
	job->deadline = sluice_deadline(transfer->timeout_ns);
	job->buffer = buffer;
	job->destination = destination;
	job->offset = transfer->offset;
	job->destination_offset = transfer->destination_offset;
	job->piece = 0;
	job->destination_piece = 0;
	job->pieces = pieces;
}

/**
 * sluice_job_create - Make a job of a transfer
 * @channel: locked
 * @transfer: what user space, or the driver, asks for
 * @buffer: a reference, whatever number the transfer has; the job takes it over, or it is put
 *
 * Return: the job, or an ERR_PTR.
 */
struct sluice_job *sluice_job_create(struct sluice_channel *channel,
				     const struct sluice_transfer *transfer,
				     struct sluice_buffer *buffer)
{
	const struct sluice_provider *provider = &channel->provider;
	struct sluice_buffer *destination = NULL;
	const struct sluice_piece *first = NULL;
	const struct sluice_buffer *listed;
	unsigned int pieces = 0;
	struct sluice_job *job;
	u64 offset;
	int ret;

	ret = sluice_transfer_check(channel, transfer);
	if (ret)
		goto put;
	if (provider->direction == SLUICE_COPY)
		destination = sluice_buffer_get(channel, transfer->destination);
	ret = sluice_memories_check(provider, transfer, buffer, destination);
	if (ret)
		goto put;
	listed = sluice_listed(provider, transfer, buffer, destination, &offset);
	if (listed) {
		first = listed->piece;
		pieces = 1;
		if (listed->pieces > 1) {
			first += sluice_buffer_find(listed, offset);
			pieces = sluice_range_count(first, offset, transfer->length);
		}
	}
	ret = -EINVAL;
	if (pieces > 1 && sluice_is_one_piece(provider, transfer->flags))
		goto put;
	ret = -EMSGSIZE;
	if (pieces > SLUICE_MAX_PIECES)
		goto put;
	ret = -ENOMEM;
	job = sluice_job_memory(channel, pieces);
	if (!job)
		goto put;
	sluice_job_set(job, channel, transfer, buffer, destination, pieces);
	if (listed) {
		sluice_range_list(first, pieces, offset, transfer->length, job->sg);
	} else {
		job->piece = sluice_buffer_find(buffer, transfer->offset);
		job->destination_piece = sluice_buffer_find(destination,
							    transfer->destination_offset);
	}
	return job;

put:
	sluice_buffer_put(buffer);
	sluice_buffer_put(destination);
	return ERR_PTR(ret);
}

/* ---------------------------------------------------------------------------------------------
 * Descriptors
 */
static struct dma_async_tx_descriptor *sluice_job_prepare_stream(struct sluice_job *job, u32 *bytes)
{
	const struct sluice_provider *provider = &job->channel->provider;

	*bytes = job->length;
	return dmaengine_prep_slave_sg(provider->chan, job->sg, job->pieces,
				       provider->direction == SLUICE_TX ? DMA_MEM_TO_DEV :
									  DMA_DEV_TO_MEM,
				       DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
}

/* The card's side is one piece, at an address for the engine alone. */
static struct dma_async_tx_descriptor *sluice_job_prepare_card(struct sluice_job *job, u32 *bytes)
{
	const struct sluice_provider *provider = &job->channel->provider;
	struct dma_slave_config config = {};

	*bytes = job->length;
	if (provider->card == SLUICE_CARD_DESTINATION) {
		config.direction = DMA_MEM_TO_DEV;
		config.dst_addr = job->destination ? job->destination->piece[0].address +
							     job->destination_offset :
						     job->there;
	} else {
		config.direction = DMA_DEV_TO_MEM;
		config.src_addr = job->buffer ? job->buffer->piece[0].address + job->offset :
						job->there;
	}
	if (dmaengine_slave_config(provider->chan, &config))
		return NULL;
	return dmaengine_prep_slave_sg(provider->chan, job->sg, job->pieces, config.direction,
				       DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
}

/*
 * Where one side of a copy goes on: `piece` holds `offset`, or one behind it does. `bytes` becomes
 * what is contiguous there, if that is less.
 */
static __always_inline dma_addr_t sluice_copy_side(const struct sluice_buffer *buffer,
						   unsigned int *piece, u64 offset, u32 *bytes)
{
	const struct sluice_piece *found = buffer->piece;

	if (buffer->pieces > 1) {
		found += *piece;
		while (offset >= found->start + found->bytes) {
			found++;
			(*piece)++;
		}
		*bytes = min_t(u64, *bytes, found->start + found->bytes - offset);
	}
	return found->address + (offset - found->start);
}

/* From one buffer to another, or between a slot and memory in no buffer: one descriptor. */
static struct dma_async_tx_descriptor *sluice_job_prepare_copy(struct sluice_job *job, u32 *bytes)
{
	const struct sluice_provider *provider = &job->channel->provider;
	dma_addr_t from, to;

	if (!job->buffer) {
		*bytes = job->length;
		from = job->to_there ? sg_dma_address(job->sg) : job->there;
		to = job->to_there ? job->there : sg_dma_address(job->sg);
		return dmaengine_prep_dma_memcpy(provider->chan, to, from, *bytes,
						 DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
	}
	*bytes = min(provider->max_segment, job->length - job->given);
	from = sluice_copy_side(job->buffer, &job->piece, job->offset + job->given, bytes);
	to = sluice_copy_side(job->destination, &job->destination_piece,
			      job->destination_offset + job->given, bytes);
	return dmaengine_prep_dma_memcpy(provider->chan, to, from, *bytes,
					 DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
}

/**
 * sluice_job_prepare - Prepare the next descriptor of a job
 * @job: not given to the engine completely
 * @bytes: out: that the descriptor moves
 *
 * A stream's job has one descriptor, and so has one to or from the card; another copy has one for
 * each piece that is contiguous on both sides.
 *
 * Return: the descriptor, or NULL if dmaengine has none free.
 */
struct dma_async_tx_descriptor *sluice_job_prepare(struct sluice_job *job, u32 *bytes)
{
	const struct sluice_provider *provider = &job->channel->provider;

	if (provider->direction != SLUICE_COPY)
		return sluice_job_prepare_stream(job, bytes);
	return provider->card ? sluice_job_prepare_card(job, bytes) :
				sluice_job_prepare_copy(job, bytes);
}
