// SPDX-License-Identifier: GPL-2.0-only
/*
 * Imported dma-bufs.
 *
 * A buffer is mapped for its channel's engine while it is attached and while jobs use it. The
 * program maintains caches: it brackets what it does with the CPU by DMA_BUF_IOCTL_SYNC, upon which
 * the exporter maintains all of its mappings, in the direction that the program gives. So a mapping
 * is for both directions, whatever the engine's.
 */

#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/slab.h>

#include "buffer.h"
#include "channel.h"
#include "compat.h"
#include "work.h"

static void sluice_buffer_free(struct sluice_buffer *buffer)
{
	dma_buf_unmap_attachment_unlocked(buffer->attachment, buffer->table, DMA_BIDIRECTIONAL);
	dma_buf_detach(buffer->dmabuf, buffer->attachment);
	dma_buf_put(buffer->dmabuf);
	kvfree(buffer->piece);
	kfree(buffer);
}

static void sluice_buffer_release_work(struct work_struct *work)
{
	sluice_buffer_free(container_of(work, struct sluice_buffer, release));
}

static void sluice_buffer_release_later(struct kref *refs)
{
	struct sluice_buffer *buffer = container_of(refs, struct sluice_buffer, refs);

	queue_work(sluice_workqueue, &buffer->release);
}

static void sluice_buffer_release_now(struct kref *refs)
{
	sluice_buffer_free(container_of(refs, struct sluice_buffer, refs));
}

/**
 * sluice_buffer_put - Release a buffer, from any context
 * @buffer: may be NULL
 */
void sluice_buffer_put(struct sluice_buffer *buffer)
{
	if (buffer)
		kref_put(&buffer->refs, sluice_buffer_release_later);
}

/**
 * sluice_buffer_get - Find a buffer and hold it
 * @channel: locked
 * @id: number that user space has
 *
 * Return: the buffer, or NULL.
 */
struct sluice_buffer *sluice_buffer_get(struct sluice_channel *channel, u32 id)
{
	struct sluice_buffer **recent = &channel->recent[id % SLUICE_RECENT_BUFFERS];

	lockdep_assert_held(&channel->lock);
	if (!*recent || (*recent)->id != id)
		*recent = xa_load(&channel->buffers, id);
	if (*recent)
		kref_get(&(*recent)->refs);
	return *recent;
}

/**
 * sluice_buffer_find - Find the piece that holds a byte
 * @buffer: to search
 * @offset: of the byte, below the buffer's size
 *
 * Return: number of the piece.
 */
unsigned int sluice_buffer_find(const struct sluice_buffer *buffer, u64 offset)
{
	unsigned int low = 0, high = buffer->pieces;

	while (high - low > 1) {
		unsigned int middle = low + (high - low) / 2;

		if (buffer->piece[middle].start <= offset)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Neighbours that are contiguous for the engine become one piece. */
static int sluice_buffer_list_pieces(struct sluice_buffer *buffer)
{
	struct sluice_piece *last = NULL;
	struct scatterlist *sg;
	u64 start = 0;
	int i;

	buffer->piece = kvmalloc_array(buffer->table->nents, sizeof(*buffer->piece), GFP_KERNEL);
	if (!buffer->piece)
		return -ENOMEM;
	for_each_sgtable_dma_sg(buffer->table, sg, i) {
		if (!sg_dma_len(sg))
			continue;
		if (last && last->address + last->bytes == sg_dma_address(sg)) {
			last->bytes += sg_dma_len(sg);
		} else {
			last = &buffer->piece[buffer->pieces++];
			*last = (struct sluice_piece){
				.start = start,
				.address = sg_dma_address(sg),
				.bytes = sg_dma_len(sg),
			};
		}
		start += sg_dma_len(sg);
	}
	/* What the exporter maps may be less than the dma-buf claims to be, not more. */
	buffer->bytes = min_t(u64, start, buffer->dmabuf->size);
	return buffer->bytes ? 0 : -EINVAL;
}

static struct sluice_buffer *sluice_buffer_import(struct sluice_channel *channel, int fd)
{
	struct sluice_buffer *buffer;
	int ret;

	buffer = kzalloc(sizeof(*buffer), GFP_KERNEL);
	if (!buffer)
		return ERR_PTR(-ENOMEM);
	kref_init(&buffer->refs);
	INIT_WORK(&buffer->release, sluice_buffer_release_work);

	buffer->dmabuf = dma_buf_get(fd);
	if (IS_ERR(buffer->dmabuf)) {
		ret = PTR_ERR(buffer->dmabuf);
		goto free;
	}
	buffer->attachment = dma_buf_attach(buffer->dmabuf, channel->provider.dma_dev);
	if (IS_ERR(buffer->attachment)) {
		ret = PTR_ERR(buffer->attachment);
		goto put;
	}
	buffer->table = dma_buf_map_attachment_unlocked(buffer->attachment, DMA_BIDIRECTIONAL);
	if (IS_ERR(buffer->table)) {
		ret = PTR_ERR(buffer->table);
		goto detach;
	}
	ret = sluice_buffer_list_pieces(buffer);
	if (ret)
		goto unmap;
	return buffer;

unmap:
	kvfree(buffer->piece);
	dma_buf_unmap_attachment_unlocked(buffer->attachment, buffer->table, DMA_BIDIRECTIONAL);
detach:
	dma_buf_detach(buffer->dmabuf, buffer->attachment);
put:
	dma_buf_put(buffer->dmabuf);
free:
	kfree(buffer);
	return ERR_PTR(ret);
}

/**
 * sluice_buffer_attach - Import a dma-buf
 * @channel: locked
 * @arg: of the ioctl
 *
 * Return: 0 or -errno.
 */
int sluice_buffer_attach(struct sluice_channel *channel, struct sluice_attach *arg)
{
	struct sluice_buffer *buffer;
	int ret;

	lockdep_assert_held(&channel->lock);
	if (channel->attached >= SLUICE_MAX_BUFFERS)
		return -ENOSPC;
	buffer = sluice_buffer_import(channel, arg->fd);
	if (IS_ERR(buffer))
		return PTR_ERR(buffer);
	ret = xa_alloc(&channel->buffers, &buffer->id, buffer, xa_limit_31b, GFP_KERNEL);
	if (ret) {
		kref_put(&buffer->refs, sluice_buffer_release_now);
		return ret;
	}
	channel->attached++;
	arg->buffer = buffer->id;
	arg->bytes = buffer->bytes;
	arg->pieces = buffer->pieces;
	return 0;
}

/**
 * sluice_buffer_detach - Forget the number of a buffer
 * @channel: locked
 * @id: the number
 *
 * Return: 0 or -ENOENT.
 */
int sluice_buffer_detach(struct sluice_channel *channel, u32 id)
{
	struct sluice_buffer *buffer = xa_erase(&channel->buffers, id);

	lockdep_assert_held(&channel->lock);
	if (!buffer)
		return -ENOENT;
	if (channel->recent[id % SLUICE_RECENT_BUFFERS] == buffer)
		channel->recent[id % SLUICE_RECENT_BUFFERS] = NULL;
	channel->attached--;
	kref_put(&buffer->refs, sluice_buffer_release_now);
	return 0;
}

/**
 * sluice_buffer_detach_all - Forget all buffers
 * @channel: locked
 */
void sluice_buffer_detach_all(struct sluice_channel *channel)
{
	struct sluice_buffer *buffer;
	unsigned long id;

	xa_for_each(&channel->buffers, id, buffer)
		sluice_buffer_detach(channel, id);
}
