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
#include <linux/spinlock.h>
#include <linux/uio.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>
#include <uapi/linux/dma-buf.h>

#include "buffer.h"
#include "channel.h"
#include "compat.h"
#include "periods.h"
#include "view.h"
#include "work.h"

/**
 * struct sluice_view - The kernel's mapping of a dma-buf, for read()
 * @references: of the capture, and of each read() that goes on
 * @release: removes the mapping, which takes the reservation lock of its dma-buf
 * @dmabuf: held
 * @map: of all of it, in memory
 */
struct sluice_view {
	struct kref references;
	struct work_struct release;
	struct dma_buf *dmabuf;
	struct iosys_map map;
};

/*
 * A reference to the last capture's dma-buf, or an ERR_PTR. Not to its mapping: the exporter may
 * take as long as it likes, and the engine's device may go meanwhile. `views`, unless NULL: how
 * often the capture's view had been forgotten then.
 */
static struct dma_buf *sluice_view_dmabuf(struct sluice_channel *channel, u32 *views)
{
	struct dma_buf *dmabuf = ERR_PTR(READ_ONCE(channel->gone) ? -ENODEV : -EINVAL);
	struct sluice_capture *capture;

	mutex_lock(&channel->setup_lock);
	capture = channel->capture;
	mutex_unlock(&channel->setup_lock);
	if (!capture)
		return dmabuf;
	mutex_lock(&capture->lock);
	if (capture->buffer) {
		dmabuf = capture->buffer->dmabuf;
		get_dma_buf(dmabuf);
		if (views)
			*views = READ_ONCE(capture->views_forgotten);
		if (views && READ_ONCE(capture->buffer->revoked)) {
			dma_buf_put(dmabuf);
			dmabuf = ERR_PTR(-ESTALE);
		}
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
	struct dma_buf *dmabuf = sluice_view_dmabuf(channel, NULL);
	int ret;

	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
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
	dmabuf = sluice_view_dmabuf(channel, NULL);
	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
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
static void sluice_view_release(struct work_struct *work)
{
	struct sluice_view *view = container_of(work, struct sluice_view, release);

	dma_buf_vunmap_unlocked(view->dmabuf, &view->map);
	dma_buf_put(view->dmabuf);
	kfree(view);
}

static struct sluice_view *sluice_view_create(struct dma_buf *dmabuf)
{
	struct sluice_view *view;
	int ret;

	/* What has no room would be a warning of the kernel's. */
	if (dmabuf->size > VMALLOC_TOTAL / 2)
		return ERR_PTR(-ENOMEM);
	view = kzalloc(sizeof(*view), GFP_KERNEL);
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
	INIT_WORK(&view->release, sluice_view_release);
	get_dma_buf(dmabuf);
	view->dmabuf = dmabuf;
	return view;
}

static void sluice_view_release_later(struct kref *references)
{
	struct sluice_view *view = container_of(references, struct sluice_view, references);

	queue_work(sluice_release_workqueue, &view->release);
}

static void sluice_view_put(struct sluice_view *view)
{
	if (view)
		kref_put(&view->references, sluice_view_release_later);
}

/*
 * The view is kept for the next read(): to make and remove a mapping takes longer than a copy does.
 * No lock is held while an exporter maps, or while a program's memory is written to, which may wait
 * for that program. A view of a buffer that was forgotten meanwhile is used once.
 */
static struct sluice_view *sluice_view_get(struct sluice_capture *capture, struct dma_buf *dmabuf,
					   u32 views)
{
	struct sluice_view *view;

	spin_lock(&capture->view_lock);
	view = capture->view;
	if (view && view->dmabuf == dmabuf)
		kref_get(&view->references);
	else
		view = NULL;
	spin_unlock(&capture->view_lock);
	if (view)
		return view;
	view = sluice_view_create(dmabuf);
	if (IS_ERR(view))
		return view;
	spin_lock(&capture->view_lock);
	if (!capture->view && capture->views_forgotten == views) {
		capture->view = view;
		kref_get(&view->references);
	}
	spin_unlock(&capture->view_lock);
	return view;
}

/**
 * sluice_view_forget - Release the mapping for read(), from any context but an interrupt
 * @capture: whose buffer changes, or goes
 */
void sluice_view_forget(struct sluice_capture *capture)
{
	struct sluice_view *view;

	spin_lock(&capture->view_lock);
	view = capture->view;
	capture->view = NULL;
	capture->views_forgotten++;
	spin_unlock(&capture->view_lock);
	sluice_view_put(view);
}

/**
 * sluice_view_read - Copy from the buffer that is captured into to the program
 * @channel: open
 * @offset: in the buffer
 * @to: where to
 *
 * Return: bytes, less than asked for at the end of the buffer, or -errno. -EINVAL: no capture was
 * started. -ENODEV: the device has been removed, and the buffer. -ESTALE: the exporter took it
 * back. -EOPNOTSUPP: the exporter does not map it for the kernel.
 */
ssize_t sluice_view_read(struct sluice_channel *channel, u64 offset, struct iov_iter *to)
{
	struct sluice_view *view;
	struct dma_buf *dmabuf;
	size_t bytes, copied = 0;
	u32 views;
	int ret;

	dmabuf = sluice_view_dmabuf(channel, &views);
	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	bytes = offset < dmabuf->size ? min_t(u64, iov_iter_count(to), dmabuf->size - offset) : 0;
	view = bytes ? sluice_view_get(channel->capture, dmabuf, views) : NULL;
	dma_buf_put(dmabuf); /* the view holds it */
	if (IS_ERR_OR_NULL(view))
		return PTR_ERR_OR_ZERO(view);
	ret = dma_buf_begin_cpu_access(dmabuf, DMA_FROM_DEVICE);
	if (!ret) {
		copied = copy_to_iter(view->map.vaddr + offset, bytes, to);
		ret = dma_buf_end_cpu_access(dmabuf, DMA_FROM_DEVICE);
	}
	sluice_view_put(view);
	if (ret)
		return ret;
	return copied ?: -EFAULT;
}
