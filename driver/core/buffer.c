// SPDX-License-Identifier: GPL-2.0-only
/*
 * Imported dma-bufs.
 *
 * Memory of another device may be taken back by its exporter at any moment: it tells us, holding
 * the dma-buf's reservation lock, and waits for the fence that we leave there, and for the end of
 * our mapping. So a work stops the engine, under the channel's lock, and only then is the mapping
 * undone. What the engine had is over with an error. Such a buffer stays attached, and can be used
 * for nothing. Hence the order of locks: nothing takes a reservation lock under the channel's lock.
 * An engine that cannot be stopped gets no such memory: it attaches as one that wants the memory
 * kept where it is.
 *
 * A buffer is mapped for its channel's engine while it is attached and while jobs use it. The
 * program maintains caches: it brackets what it does with the CPU by DMA_BUF_IOCTL_SYNC, upon which
 * the exporter maintains all of its mappings, in the direction that the program gives. So a mapping
 * is for both directions, whatever the engine's.
 */

#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/iommu.h>
#include <linux/ioport.h>
#include <linux/mm.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "buffer.h"
#include "channel.h"
#include "compat.h"
#include "export.h"
#include "fence.h"
#include "work.h"

/* ---------------------------------------------------------------------------------------------
 * Mapping
 */
static bool sluice_buffer_is_dynamic(const struct sluice_buffer *buffer)
{
	return buffer->channel->provider.terminates;
}

static void sluice_buffer_lock(struct sluice_buffer *buffer)
{
	if (sluice_buffer_is_dynamic(buffer))
		dma_resv_lock(buffer->dmabuf->resv, NULL);
}

static void sluice_buffer_unlock(struct sluice_buffer *buffer)
{
	if (sluice_buffer_is_dynamic(buffer))
		dma_resv_unlock(buffer->dmabuf->resv);
}

/* The reservation lock is not held. */
static void sluice_buffer_unmap(struct sluice_buffer *buffer)
{
	sluice_buffer_lock(buffer);
	if (buffer->table && sluice_buffer_is_dynamic(buffer))
		dma_buf_unmap_attachment(buffer->attachment, buffer->table, DMA_BIDIRECTIONAL);
	else if (buffer->table)
		dma_buf_unmap_attachment_unlocked(buffer->attachment, buffer->table,
						  DMA_BIDIRECTIONAL);
	buffer->table = NULL;
	if (buffer->pinned)
		dma_buf_unpin(buffer->attachment);
	buffer->pinned = false;
	sluice_buffer_unlock(buffer);
}

static void sluice_buffer_free(struct sluice_buffer *buffer)
{
	if (buffer->attachment) {
		sluice_buffer_unmap(buffer);
		dma_buf_detach(buffer->dmabuf, buffer->attachment);
	}
	dma_fence_put(buffer->let_go);
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

	queue_work(sluice_release_workqueue, &buffer->release);
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
	struct sluice_buffer *buffer = *recent;

	lockdep_assert_held(&channel->lock);
	if (!buffer || buffer->id != id) {
		buffer = xa_load(&channel->buffers, id);
		*recent = buffer;
	}
	if (buffer)
		kref_get(&buffer->refs);
	return buffer;
}

/**
 * sluice_buffer_search - Find the piece that holds a byte, of several
 * @buffer: to search
 * @offset: of the byte, below the buffer's size
 *
 * Return: number of the piece.
 */
unsigned int sluice_buffer_search(const struct sluice_buffer *buffer, u64 offset)
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

/* ---------------------------------------------------------------------------------------------
 * Memory that may be taken back
 */
/*
 * What an exporter waits for, holding the reservation lock, takes that lock in no work of this
 * queue: works that wait for it, of which a dma-buf may have many, would leave no room for others.
 */
static void sluice_buffer_revoke_work(struct work_struct *work)
{
	struct sluice_buffer *buffer = container_of(work, struct sluice_buffer, revoke);
	struct sluice_channel *channel = buffer->channel;

	mutex_lock(&channel->lock);
	if (!channel->gone) /* else the engine has nothing */
		buffer->stop(channel, buffer);
	mutex_unlock(&channel->lock);
	dma_fence_signal(buffer->let_go);
	queue_work(sluice_release_workqueue, &buffer->return_work);
}

static void sluice_buffer_return_work(struct work_struct *work)
{
	struct sluice_buffer *buffer = container_of(work, struct sluice_buffer, return_work);

	sluice_buffer_unmap(buffer);
	kref_put(&buffer->refs, sluice_buffer_release_now);
}

/* Called by the exporter, which holds the reservation lock. */
static void sluice_buffer_invalidate(struct dma_buf_attachment *attachment)
{
	struct sluice_buffer *buffer = attachment->importer_priv;

	dma_resv_assert_held(attachment->dmabuf->resv);
	/* Without a reference left, the engine has nothing, and it is being unmapped. */
	if (buffer->revoked || !buffer->table || !kref_get_unless_zero(&buffer->refs))
		return;
	WRITE_ONCE(buffer->revoked, true);
	if (WARN_ON_ONCE(dma_resv_reserve_fences(buffer->dmabuf->resv, 1)))
		dma_fence_signal(buffer->let_go); /* then it waits for the mapping alone */
	else
		dma_resv_add_fence(buffer->dmabuf->resv, buffer->let_go, DMA_RESV_USAGE_BOOKKEEP);
	queue_work(sluice_workqueue, &buffer->revoke);
}

static const struct dma_buf_attach_ops sluice_buffer_peer_ops = {
	.allow_peer2peer = true,
	.invalidate_mappings = sluice_buffer_invalidate,
};

/* For engines that are not on PCI Express, whatever they are behind. */
static const struct dma_buf_attach_ops sluice_buffer_host_ops = {
	.invalidate_mappings = sluice_buffer_invalidate,
};

/* ---------------------------------------------------------------------------------------------
 * Importing
 */
/* An exporter that does not move, or cannot promise not to, need not be pinned. */
static int sluice_buffer_pin(struct sluice_buffer *buffer)
{
	int ret = dma_buf_pin(buffer->attachment);

	buffer->pinned = !ret;
	return ret == -EOPNOTSUPP ? 0 : ret;
}

/* What is no memory of the host's is another device's. A list does not say it in every kernel. */
static void sluice_buffer_locate(struct sluice_buffer *buffer)
{
	struct iommu_domain *domain = iommu_get_domain_for_dev(buffer->attachment->dev);
	dma_addr_t address = buffer->piece[0].address;
	phys_addr_t place = address;

	buffer->translated = domain && domain->type != IOMMU_DOMAIN_IDENTITY;
	if (buffer->translated)
		place = iommu_iova_to_phys(domain, address);
	if (region_intersects(place, PAGE_SIZE, IORESOURCE_SYSTEM_RAM, IORES_DESC_NONE) ==
	    REGION_DISJOINT)
		buffer->kind = SLUICE_BUFFER_PEER;
}

/* Its exporter may still be moving or clearing it: whoever attaches like this has to wait. */
static int sluice_buffer_wait(struct sluice_buffer *buffer)
{
	long ret = dma_resv_wait_timeout(buffer->dmabuf->resv, DMA_RESV_USAGE_KERNEL, true,
					 MAX_SCHEDULE_TIMEOUT);

	return min(ret, 0L);
}

static int sluice_buffer_map_dynamic(struct sluice_buffer *buffer)
{
	int ret;

	dma_resv_lock(buffer->dmabuf->resv, NULL);
	ret = sluice_buffer_pin(buffer);
	if (!ret) {
		buffer->table = dma_buf_map_attachment(buffer->attachment, DMA_BIDIRECTIONAL);
		ret = PTR_ERR_OR_ZERO(buffer->table);
		if (ret)
			buffer->table = NULL;
	}
	if (!ret)
		ret = sluice_buffer_list_pieces(buffer);
	if (!ret)
		ret = sluice_buffer_wait(buffer);
	if (!ret)
		sluice_buffer_locate(buffer);
	dma_resv_unlock(buffer->dmabuf->resv);
	return ret;
}

static int sluice_buffer_map_static(struct sluice_buffer *buffer)
{
	int ret;

	buffer->table = dma_buf_map_attachment_unlocked(buffer->attachment, DMA_BIDIRECTIONAL);
	ret = PTR_ERR_OR_ZERO(buffer->table);
	if (!ret)
		return sluice_buffer_list_pieces(buffer);
	buffer->table = NULL;
	return ret;
}

/* Map a dma-buf for the channel's engine, and learn where it lies. */
static int sluice_buffer_map(struct sluice_buffer *buffer)
{
	struct device *dev = buffer->channel->provider.dma_dev;
	struct dma_buf_attachment *attachment;

	if (sluice_buffer_is_dynamic(buffer)) {
		buffer->let_go = sluice_fence_create(buffer->channel->name);
		if (!buffer->let_go)
			return -ENOMEM;
		attachment = dma_buf_dynamic_attach(buffer->dmabuf, dev,
						    dev_is_pci(dev) ? &sluice_buffer_peer_ops :
								      &sluice_buffer_host_ops,
						    buffer);
	} else {
		attachment = dma_buf_attach(buffer->dmabuf, dev);
	}
	if (IS_ERR(attachment))
		return PTR_ERR(attachment);
	buffer->attachment = attachment;
	return sluice_buffer_is_dynamic(buffer) ? sluice_buffer_map_dynamic(buffer) :
						  sluice_buffer_map_static(buffer);
}

/* Memory of the channel's own card has an address already. */
static int sluice_buffer_place(struct sluice_buffer *buffer, const struct sluice_card_range *range)
{
	buffer->piece = kvmalloc_array(1, sizeof(*buffer->piece), GFP_KERNEL);
	if (!buffer->piece)
		return -ENOMEM;
	buffer->piece[0] = (struct sluice_piece){
		.address = range->address,
		.bytes = range->bytes,
	};
	buffer->pieces = 1;
	buffer->bytes = range->bytes;
	buffer->kind = SLUICE_BUFFER_CARD;
	return 0;
}

static struct sluice_buffer *sluice_buffer_import(struct sluice_channel *channel, int fd,
						  void (*stop)(struct sluice_channel *channel,
							       struct sluice_buffer *buffer))
{
	struct sluice_card_range range;
	struct sluice_buffer *buffer;
	int ret;

	buffer = kzalloc(sizeof(*buffer), GFP_KERNEL);
	if (!buffer)
		return ERR_PTR(-ENOMEM);
	buffer->dmabuf = dma_buf_get(fd);
	if (IS_ERR(buffer->dmabuf)) {
		ret = PTR_ERR(buffer->dmabuf);
		kfree(buffer);
		return ERR_PTR(ret);
	}
	kref_init(&buffer->refs);
	INIT_WORK(&buffer->release, sluice_buffer_release_work);
	INIT_WORK(&buffer->revoke, sluice_buffer_revoke_work);
	INIT_WORK(&buffer->return_work, sluice_buffer_return_work);
	buffer->channel = channel;
	buffer->stop = stop;
	ret = sluice_export_reach(buffer->dmabuf, channel->provider.client, channel->index,
				  &range);
	if (!ret)
		ret = range.on_card ? sluice_buffer_place(buffer, &range) :
				      sluice_buffer_map(buffer);
	if (!ret) {
		buffer->reach_first = range.first;
		buffer->reach_end = min(buffer->bytes, range.first + range.bytes);
		return buffer;
	}
	kref_put(&buffer->refs, sluice_buffer_release_now);
	return ERR_PTR(ret);
}

/* import_lock is held: the engine's device is there. */
static int sluice_buffer_attach_locked(struct sluice_channel *channel, struct sluice_attach *arg,
				       void (*stop)(struct sluice_channel *channel,
						    struct sluice_buffer *buffer))
{
	struct sluice_buffer *buffer;
	int ret = -ENOSPC;

	if (READ_ONCE(channel->gone))
		return -ENODEV;
	buffer = sluice_buffer_import(channel, arg->fd, stop);
	WRITE_ONCE(channel->import_error, PTR_ERR_OR_ZERO(buffer));
	if (IS_ERR(buffer))
		return PTR_ERR(buffer);
	mutex_lock(&channel->lock);
	if (channel->gone)
		ret = -ENODEV;
	else if (channel->attached < SLUICE_MAX_BUFFERS)
		ret = xa_alloc(&channel->buffers, &buffer->id, buffer, xa_limit_31b, GFP_KERNEL);
	if (!ret) {
		channel->attached++;
		arg->buffer = buffer->id;
		arg->bytes = buffer->bytes;
		arg->pieces = buffer->pieces;
	}
	mutex_unlock(&channel->lock);
	if (ret)
		kref_put(&buffer->refs, sluice_buffer_release_now);
	return ret;
}

/**
 * sluice_buffer_attach - Import a dma-buf
 * @channel: not locked
 * @arg: of the ioctl
 * @stop: makes the engine release a buffer, channel->lock is held
 *
 * Return: 0 or -errno.
 */
int sluice_buffer_attach(struct sluice_channel *channel, struct sluice_attach *arg,
			 void (*stop)(struct sluice_channel *channel, struct sluice_buffer *buffer))
{
	int ret;

	if (mutex_lock_interruptible(&channel->import_lock))
		return -ERESTARTSYS;
	ret = sluice_buffer_attach_locked(channel, arg, stop);
	mutex_unlock(&channel->import_lock);
	return ret;
}

/* channel->lock is held. */
static struct sluice_buffer *sluice_buffer_forget(struct sluice_channel *channel, u32 id)
{
	struct sluice_buffer *buffer = xa_erase(&channel->buffers, id);

	lockdep_assert_held(&channel->lock);
	if (!buffer)
		return NULL;
	if (channel->recent[id % SLUICE_RECENT_BUFFERS] == buffer)
		channel->recent[id % SLUICE_RECENT_BUFFERS] = NULL;
	channel->attached--;
	return buffer;
}

/**
 * sluice_buffer_detach - Forget the number of a buffer
 * @channel: not locked
 * @id: the number
 *
 * Return: 0, -ENOENT, -ENODEV or -ERESTARTSYS.
 */
int sluice_buffer_detach(struct sluice_channel *channel, u32 id)
{
	struct sluice_buffer *buffer = NULL;
	int ret;

	/* Until it is unmapped the engine's device stays. */
	if (mutex_lock_interruptible(&channel->import_lock))
		return -ERESTARTSYS;
	ret = sluice_channel_lock(channel);
	if (!ret) {
		buffer = sluice_buffer_forget(channel, id);
		mutex_unlock(&channel->lock);
		ret = buffer ? 0 : -ENOENT;
	}
	if (buffer)
		kref_put(&buffer->refs, sluice_buffer_release_now);
	mutex_unlock(&channel->import_lock);
	return ret;
}

/**
 * sluice_buffer_detach_all - Forget all buffers
 * @channel: locked
 * @detached: list of those that sluice_buffers_put() is to release
 */
void sluice_buffer_detach_all(struct sluice_channel *channel, struct list_head *detached)
{
	struct sluice_buffer *buffer;
	unsigned long id;

	xa_for_each(&channel->buffers, id, buffer)
		list_add_tail(&sluice_buffer_forget(channel, id)->detached, detached);
}

/**
 * sluice_buffers_put - Release buffers that were forgotten
 * @detached: list of them; of the channel's locks @import_lock alone may be held
 */
void sluice_buffers_put(struct list_head *detached)
{
	struct sluice_buffer *buffer, *next;

	list_for_each_entry_safe(buffer, next, detached, detached)
		kref_put(&buffer->refs, sluice_buffer_release_now);
}
