// SPDX-License-Identifier: GPL-2.0-only
/*
 * The DMA controller of the processing system (PL330), through the kernel's driver for it:
 *
 *	published-dma-naive	(tables 5.3 and 5.4) maps two buffers of the kernel for each call,
 *				and polls until one is copied to the other. Nothing is copied from
 *				the program: the printed times have no room for it.
 *	published-dma-N		(5.5 to 5.8) the program has put its data into memory that is
 *				mapped uncached; N channels copy a part each, and call back. The
 *				processor spins until they have: the printed times have no step
 *				where a program would begin to sleep.
 *
 * Where target= is given, data goes there, to memory in the logic, in place of to other memory.
 */
#include <linux/dma-mapping.h>
#include <linux/dmaengine.h>
#include <linux/iopoll.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "published.h"

#define DMA_BYTES 131072
#define DMA_CHANNELS 8
#define DMA_TIMEOUT_US 1000000

static ulong target;
module_param(target, ulong, 0444);
MODULE_PARM_DESC(target, "physical address in the logic to copy to. Default: memory");

static struct dma_chan *dma_channels[DMA_CHANNELS];
static struct device *dma_device;
static void *dma_source, *dma_mapped, *dma_destination;
static dma_addr_t dma_from, dma_to;

struct dma_parts {
	atomic_t left;
	struct dma_async_tx_descriptor *sent[DMA_CHANNELS];
};

static void dma_part_done(void *given)
{
	struct dma_parts *parts = given;

	atomic_dec(&parts->left);
}

static struct dma_async_tx_descriptor *dma_submit(struct dma_chan *channel, dma_addr_t to,
						  dma_addr_t from, size_t bytes, void *parts)
{
	const unsigned long flags = DMA_PREP_INTERRUPT | DMA_CTRL_ACK;
	struct dma_async_tx_descriptor *sent =
		dmaengine_prep_dma_memcpy(channel, to, from, bytes, flags);

	if (!sent)
		return NULL;
	if (parts) {
		sent->callback = dma_part_done;
		sent->callback_param = parts;
	}
	return dma_submit_error(dmaengine_submit(sent)) ? NULL : sent;
}

static int dma_copy(unsigned int channels, size_t bytes)
{
	const size_t share = round_up(bytes / channels, sizeof(u64));
	struct dma_parts parts;
	unsigned int i, used;
	int left;

	used = min_t(unsigned int, channels, DIV_ROUND_UP(bytes, share));
	atomic_set(&parts.left, used);
	for (i = 0; i < used; ++i) {
		const size_t at = i * share;

		if (!dma_submit(dma_channels[i], dma_to + at, dma_from + at,
				min(share, bytes - at), &parts))
			goto stop;
		dma_async_issue_pending(dma_channels[i]);
	}
	if (!read_poll_timeout(atomic_read, left, !left, 0, DMA_TIMEOUT_US, false, &parts.left))
		return 0;
stop:
	for (i = 0; i < used; ++i)
		dmaengine_terminate_sync(dma_channels[i]);
	return -EIO;
}

static int dma_copy_mapped(size_t bytes)
{
	struct dma_chan *channel = dma_channels[0];
	struct dma_async_tx_descriptor *sent;
	dma_addr_t from, to = target;
	int error = -EIO;

	from = dma_map_single(dma_device, dma_source, bytes, DMA_TO_DEVICE);
	if (dma_mapping_error(dma_device, from))
		return -ENOMEM;
	if (!target)
		to = dma_map_single(dma_device, dma_destination, bytes, DMA_FROM_DEVICE);
	if (!dma_mapping_error(dma_device, to)) {
		sent = dma_submit(channel, to, from, bytes, NULL);
		if (sent && dma_sync_wait(channel, sent->cookie) == DMA_COMPLETE)
			error = 0;
		else
			dmaengine_terminate_sync(channel);
		if (!target)
			dma_unmap_single(dma_device, to, bytes, DMA_FROM_DEVICE);
	}
	dma_unmap_single(dma_device, from, bytes, DMA_TO_DEVICE);
	return error;
}

static ssize_t dma_write(struct file *file, const char __user *from, size_t bytes, loff_t *offset)
{
	const unsigned int channels = published_way_of(file)->engines;
	u64 start;
	int error;

	if (!bytes || bytes > DMA_BYTES || bytes % sizeof(u64))
		return -EINVAL;
	start = ktime_get_ns();
	error = channels ? dma_copy(channels, bytes) : dma_copy_mapped(bytes);
	if (error)
		return error;
	published_add(file, start, bytes);
	return bytes;
}

static int dma_mmap(struct file *file, struct vm_area_struct *area)
{
	return dma_mmap_coherent(dma_device, area, dma_mapped, dma_from, DMA_BYTES);
}

static const struct file_operations dma_operations = {
	.owner = THIS_MODULE,
	.write = dma_write,
	.read = published_read,
	.mmap = dma_mmap,
};

/* With their channels; 0: naive. */
static struct published_way dma_ways[] = {
	PUBLISHED_WAY("published-dma-naive", &dma_operations, 0),
	PUBLISHED_WAY("published-dma-1", &dma_operations, 1),
	PUBLISHED_WAY("published-dma-2", &dma_operations, 2),
	PUBLISHED_WAY("published-dma-4", &dma_operations, 4),
	PUBLISHED_WAY("published-dma-8", &dma_operations, 8),
};

static bool dma_is_pl330(struct dma_chan *channel, void *unused)
{
	return !strcmp(dev_driver_string(channel->device->dev), "dma-pl330");
}

static void dma_free(void)
{
	unsigned int i;

	if (dma_mapped) {
		dma_free_coherent(dma_device, DMA_BYTES, dma_mapped, dma_from);
		if (dma_to && !target)
			dma_unmap_single(dma_device, dma_to, DMA_BYTES, DMA_FROM_DEVICE);
	}
	kfree(dma_source);
	kfree(dma_destination);
	for (i = 0; i < DMA_CHANNELS && dma_channels[i]; ++i)
		dma_release_channel(dma_channels[i]);
}

static int dma_allocate(void)
{
	dma_cap_mask_t mask;
	unsigned int i;
	dma_addr_t to;

	dma_cap_zero(mask);
	dma_cap_set(DMA_MEMCPY, mask);
	for (i = 0; i < DMA_CHANNELS; ++i) {
		dma_channels[i] = dma_request_channel(mask, dma_is_pl330, NULL);
		if (!dma_channels[i])
			return -ENODEV;
	}
	dma_device = dma_channels[0]->device->dev;
	dma_mapped = dma_alloc_coherent(dma_device, DMA_BYTES, &dma_from, GFP_KERNEL);
	dma_source = kmalloc(DMA_BYTES, GFP_KERNEL);
	dma_destination = kmalloc(DMA_BYTES, GFP_KERNEL);
	if (!dma_mapped || !dma_source || !dma_destination)
		return -ENOMEM;
	if (target) {
		dma_to = target;
		return 0;
	}
	/* Nobody reads what arrives, so a mapping that stays is enough. */
	to = dma_map_single(dma_device, dma_destination, DMA_BYTES, DMA_FROM_DEVICE);
	if (dma_mapping_error(dma_device, to))
		return -ENOMEM;
	dma_to = to;
	return 0;
}

static int __init dma_init(void)
{
	int error = dma_allocate();

	if (!error)
		error = published_register(dma_ways, ARRAY_SIZE(dma_ways));
	if (error)
		dma_free();
	return error;
}
module_init(dma_init);

static void __exit dma_exit(void)
{
	published_remove(dma_ways, ARRAY_SIZE(dma_ways));
	dma_free();
}
module_exit(dma_exit);

MODULE_DESCRIPTION("PS-DMA as in Manikandan 2015, for measuring");
MODULE_LICENSE("GPL");
