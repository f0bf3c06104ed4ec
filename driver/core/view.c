// SPDX-License-Identifier: GPL-2.0-only
/*
 * The buffer of a capture, as the program sees it through the channel: mapped, maintained, read.
 */

#include <linux/dma-buf.h>
#include <linux/dma-direction.h>
#include <linux/err.h>
#include <linux/iosys-map.h>
#include <linux/kref.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uio.h>
#include <uapi/linux/dma-buf.h>

#include "buffer.h"
#include "channel.h"
#include "compat.h"
#include "periods.h"
#include "view.h"

/**
 * struct sluice_view - The kernel's mapping of a dma-buf, for read()
 * @references: of the capture, and of each read() that goes on
 * @dmabuf: held
 * @map: of all of it, in memory
 */
struct sluice_view {
	struct kref references;
	struct dma_buf *dmabuf;
	struct iosys_map map;
};

/*
 * A reference to the last capture's dma-buf, or NULL. Not to its mapping: the exporter may take as
 * long as it likes, and the engine's device may go meanwhile.
 */
static struct dma_buf *sluice_view_dmabuf(struct sluice_channel *channel)
{
	struct sluice_capture *capture;
	struct dma_buf *dmabuf = NULL;

	mutex_lock(&channel->setup_lock);
	capture = channel->capture;
	mutex_unlock(&channel->setup_lock);
	if (!capture)
		return NULL;
	mutex_lock(&capture->lock);
	if (capture->buffer) {
		dmabuf = capture->buffer->dmabuf;
		get_dma_buf(dmabuf);
	}
	mutex_unlock(&capture->lock);
	return dmabuf;
}

/**
 * sluice_view_mmap - Map the buffer that is captured into, as its exporter does
 * @channel: open
 * @vma: from %SLUICE_MMAP_BUFFER on
 *
 * Return: 0 or -errno.
 */
int sluice_view_mmap(struct sluice_channel *channel, struct vm_area_struct *vma)
{
	struct dma_buf *dmabuf = sluice_view_dmabuf(channel);
	int ret;

	if (!dmabuf)
		return -EINVAL;
	ret = dma_buf_mmap(dmabuf, vma, vma->vm_pgoff - (SLUICE_MMAP_BUFFER >> PAGE_SHIFT));
	dma_buf_put(dmabuf);
	return ret;
}

/**
 * sluice_view_sync - DMA_BUF_IOCTL_SYNC of the buffer that is captured into
 * @channel: open
 * @flags: of struct dma_buf_sync
 *
 * Return: 0 or -errno.
 */
int sluice_view_sync(struct sluice_channel *channel, u64 flags)
{
	static const enum dma_data_direction directions[] = {
		[DMA_BUF_SYNC_READ] = DMA_FROM_DEVICE,
		[DMA_BUF_SYNC_WRITE] = DMA_TO_DEVICE,
		[DMA_BUF_SYNC_RW] = DMA_BIDIRECTIONAL,
	};
	struct dma_buf *dmabuf;
	int ret;

	if ((flags & ~DMA_BUF_SYNC_VALID_FLAGS_MASK) || !(flags & DMA_BUF_SYNC_RW))
		return -EINVAL;
	dmabuf = sluice_view_dmabuf(channel);
	if (!dmabuf)
		return -EINVAL;
	if (flags & DMA_BUF_SYNC_END)
		ret = dma_buf_end_cpu_access(dmabuf, directions[flags & DMA_BUF_SYNC_RW]);
	else
		ret = dma_buf_begin_cpu_access(dmabuf, directions[flags & DMA_BUF_SYNC_RW]);
	dma_buf_put(dmabuf);
	return ret;
}

/* ---------------------------------------------------------------------------------------------
 * Reading
 */
static struct sluice_view *sluice_view_create(struct dma_buf *dmabuf)
{
	struct sluice_view *view = kzalloc(sizeof(*view), GFP_KERNEL);
	int ret;

	if (!view)
		return ERR_PTR(-ENOMEM);
	ret = dma_buf_vmap_unlocked(dmabuf, &view->map);
	if (!ret && view->map.is_iomem) {
		dma_buf_vunmap_unlocked(dmabuf, &view->map);
		ret = -EINVAL;
	}
	if (ret) {
		kfree(view);
		return ERR_PTR(ret == -EINVAL ? -EOPNOTSUPP : ret); /* -EINVAL: it has none */
	}
	kref_init(&view->references);
	get_dma_buf(dmabuf);
	view->dmabuf = dmabuf;
	return view;
}

static void sluice_view_release(struct kref *references)
{
	struct sluice_view *view = container_of(references, struct sluice_view, references);

	dma_buf_vunmap_unlocked(view->dmabuf, &view->map);
	dma_buf_put(view->dmabuf);
	kfree(view);
}

static void sluice_view_put(struct sluice_view *view)
{
	if (view)
		kref_put(&view->references, sluice_view_release);
}

/*
 * The mapping is kept for the next read(): to make and remove one takes longer than a copy does.
 * The lock is not held while a program's memory is written to, which may wait for that program.
 */
static struct sluice_view *sluice_view_get(struct sluice_capture *capture, struct dma_buf *dmabuf)
{
	struct sluice_view *view, *before = NULL;

	mutex_lock(&capture->view_lock);
	view = capture->view;
	if (!view || view->dmabuf != dmabuf) {
		view = sluice_view_create(dmabuf);
		if (!IS_ERR(view)) {
			before = capture->view;
			capture->view = view;
		}
	}
	if (!IS_ERR(view))
		kref_get(&view->references);
	mutex_unlock(&capture->view_lock);
	sluice_view_put(before);
	return view;
}

/**
 * sluice_view_forget - Release the mapping for read()
 * @capture: whose buffer changes, or goes
 */
void sluice_view_forget(struct sluice_capture *capture)
{
	struct sluice_view *view;

	mutex_lock(&capture->view_lock);
	view = capture->view;
	capture->view = NULL;
	mutex_unlock(&capture->view_lock);
	sluice_view_put(view);
}

/**
 * sluice_view_read - Copy from the buffer that is captured into to the program
 * @channel: open
 * @offset: in the buffer
 * @to: where to
 *
 * Return: bytes, less than asked for at the end of the buffer, or -errno. -EINVAL: no capture was
 * started. -EOPNOTSUPP: the exporter does not map the buffer for the kernel.
 */
ssize_t sluice_view_read(struct sluice_channel *channel, u64 offset, struct iov_iter *to)
{
	struct dma_buf *dmabuf = sluice_view_dmabuf(channel);
	struct sluice_view *view;
	size_t bytes, copied;
	int ret;

	if (!dmabuf)
		return -EINVAL;
	view = sluice_view_get(channel->capture, dmabuf);
	dma_buf_put(dmabuf); /* the view holds it */
	if (IS_ERR(view))
		return PTR_ERR(view);
	bytes = offset < dmabuf->size ? min_t(u64, iov_iter_count(to), dmabuf->size - offset) : 0;
	copied = 0;
	ret = bytes ? dma_buf_begin_cpu_access(dmabuf, DMA_FROM_DEVICE) : 0;
	if (!ret && bytes) {
		copied = copy_to_iter(view->map.vaddr + offset, bytes, to);
		ret = dma_buf_end_cpu_access(dmabuf, DMA_FROM_DEVICE);
	}
	if (!ret && bytes && !copied)
		ret = -EFAULT;
	sluice_view_put(view);
	return ret ?: (ssize_t)copied;
}
