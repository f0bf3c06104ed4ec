/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_BUFFER_H
#define SLUICE_BUFFER_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/sluice.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct dma_buf;
struct dma_buf_attachment;
struct dma_fence;
struct sg_table;
struct sluice_channel;

#define SLUICE_MAX_BUFFERS	1024U

/**
 * struct sluice_piece - Memory of a buffer that is contiguous for the engine
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
 * enum sluice_buffer_kind - Where a buffer's memory is, for the engine
 * @SLUICE_BUFFER_HOST: in the host
 * @SLUICE_BUFFER_PEER: in another device
 * @SLUICE_BUFFER_CARD: on the engine's own card: not mapped, the address is the card's own
 */
enum sluice_buffer_kind {
	SLUICE_BUFFER_HOST,
	SLUICE_BUFFER_PEER,
	SLUICE_BUFFER_CARD,
};

/**
 * struct sluice_buffer - A dma-buf, mapped for one channel's engine
 * @refs: one while it is attached, one for each job that uses it, one while it is revoked
 * @release: frees it where that may sleep
 * @channel: whose engine it is mapped for
 * @stop: makes the engine release it, channel->lock is held
 * @revoke: takes it from the engine
 * @return_work: then gives it back to its exporter
 * @revoked: its exporter wants it back; no job may use it any longer
 * @let_go: signalled when the engine has released it; NULL of memory that nobody can take
 *          back, a static attachment's or the card's own
 * @pinned: its exporter has promised not to move it
 * @kind: where it is
 * @translated: the engine reaches it through an IOMMU
 * @detached: in a list of those that are released without a lock
 * @dmabuf: the dma-buf
 * @attachment: to the engine's device; NULL of the card's own memory
 * @table: its mapping, under the dma-buf's reservation lock; NULL once it was revoked
 * @id: number for user space
 * @bytes: its size
 * @reach_first: first byte that the engine reaches
 * @reach_end: after the last one
 * @pieces: count of @piece
 * @piece: all of its memory, in order
 */
struct sluice_buffer {
	struct kref refs;
	struct work_struct release;
	struct sluice_channel *channel;
	void (*stop)(struct sluice_channel *channel, struct sluice_buffer *buffer);
	struct work_struct revoke;
	struct work_struct return_work;
	bool revoked;
	struct dma_fence *let_go;
	bool pinned;
	enum sluice_buffer_kind kind;
	bool translated;
	struct list_head detached;
	struct dma_buf *dmabuf;
	struct dma_buf_attachment *attachment;
	struct sg_table *table;
	u32 id;
	u64 bytes;
	u64 reach_first;
	u64 reach_end;
	unsigned int pieces;
	struct sluice_piece *piece;
};

/* Has a buffer these bytes? */
static inline bool sluice_buffer_holds(const struct sluice_buffer *buffer, u64 offset, u64 bytes)
{
	return offset <= buffer->bytes && bytes <= buffer->bytes - offset;
}

/* Does the engine reach these bytes of a buffer, which has them? */
static inline bool sluice_buffer_reaches(const struct sluice_buffer *buffer, u64 offset, u64 bytes)
{
	return offset >= buffer->reach_first && offset + bytes <= buffer->reach_end;
}

int sluice_buffer_attach(struct sluice_channel *channel, struct sluice_attach *arg,
			 void (*stop)(struct sluice_channel *channel,
				      struct sluice_buffer *buffer));
int sluice_buffer_detach(struct sluice_channel *channel, u32 id);
void sluice_buffer_detach_all(struct sluice_channel *channel, struct list_head *detached);
void sluice_buffers_put(struct list_head *detached);
struct sluice_buffer *sluice_buffer_get(struct sluice_channel *channel, u32 id);
void sluice_buffer_put(struct sluice_buffer *buffer);
unsigned int sluice_buffer_search(const struct sluice_buffer *buffer, u64 offset);

/**
 * sluice_buffer_find - Find the piece that holds a byte
 * @buffer: to search
 * @offset: of the byte, below the buffer's size
 *
 * Return: number of the piece.
 */
static inline unsigned int sluice_buffer_find(const struct sluice_buffer *buffer, u64 offset)
{
	return buffer->pieces > 1 ? sluice_buffer_search(buffer, offset) : 0;
}

#endif
