/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_BUFFER_H
#define SLUICE_BUFFER_H

#include <linux/kref.h>
#include <linux/sluice.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct dma_buf;
struct dma_buf_attachment;
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
 * struct sluice_buffer - A dma-buf, mapped for one channel's engine
 * @refs: one while it is attached, one for each job that uses it
 * @release: frees it where that may sleep
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

#endif
