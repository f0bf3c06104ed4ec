// SPDX-License-Identifier: GPL-2.0-only
/*
 * AXI DMA and a loop-back in the logic (tables 6.15 and 6.16), through the kernel's driver for it:
 * a write sends a block to the stream and has it back, in buffers of the kernel that are mapped for
 * each call. Nothing is copied from the program: that would take 3 ns a byte, and the printed times
 * have no room for it.
 */
#include <linux/completion.h>
#include <linux/dma-mapping.h>
#include <linux/dmaengine.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/of_platform.h>
#include <linux/platform_device.h>
#include <linux/slab.h>

#include "published.h"

#define LOOP_BYTES 524288
#define LOOP_TIMEOUT_MS 1000

struct loop_side {
	struct dma_chan *channel;
	enum dma_transfer_direction direction;
	void *data;
	dma_addr_t address;
};

/* What arrives is first, so that what is sent is taken at once. */
enum { LOOP_RX, LOOP_TX, LOOP_SIDES };

static struct loop_side loop_sides[LOOP_SIDES] = {
	[LOOP_RX] = { .direction = DMA_DEV_TO_MEM },
	[LOOP_TX] = { .direction = DMA_MEM_TO_DEV },
};

static const char *const loop_names[] = { [LOOP_RX] = "rx", [LOOP_TX] = "tx" };
static atomic_t loop_left;
static DECLARE_COMPLETION(loop_done);

static void loop_side_done(void *unused)
{
	if (atomic_dec_and_test(&loop_left))
		complete(&loop_done);
}

static enum dma_data_direction loop_direction(const struct loop_side *side)
{
	return side->direction == DMA_MEM_TO_DEV ? DMA_TO_DEVICE : DMA_FROM_DEVICE;
}

static int loop_start(struct loop_side *side, size_t bytes)
{
	struct device *device = side->channel->device->dev;
	struct dma_async_tx_descriptor *sent;

	side->address = dma_map_single(device, side->data, bytes, loop_direction(side));
	if (dma_mapping_error(device, side->address))
		return -ENOMEM;
	sent = dmaengine_prep_slave_single(side->channel, side->address, bytes, side->direction,
					   DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
	if (sent) {
		sent->callback = loop_side_done;
		if (!dma_submit_error(dmaengine_submit(sent))) {
			dma_async_issue_pending(side->channel);
			return 0;
		}
	}
	dma_unmap_single(device, side->address, bytes, loop_direction(side));
	return -EIO;
}

static int loop_move(size_t bytes)
{
	unsigned int i, started = 0;
	int error = 0;

	reinit_completion(&loop_done);
	atomic_set(&loop_left, LOOP_SIDES);
	for (i = 0; !error && i < LOOP_SIDES; ++i) {
		error = loop_start(&loop_sides[i], bytes);
		started += !error;
	}
	if (!error && !wait_for_completion_timeout(&loop_done, msecs_to_jiffies(LOOP_TIMEOUT_MS)))
		error = -ETIMEDOUT;
	for (i = 0; i < started; ++i) {
		struct loop_side *side = &loop_sides[i];

		if (error)
			dmaengine_terminate_sync(side->channel);
		dma_unmap_single(side->channel->device->dev, side->address, bytes,
				 loop_direction(side));
	}
	return error;
}

static ssize_t loop_write(struct file *file, const char __user *from, size_t bytes, loff_t *offset)
{
	u64 start;
	int error;

	if (!bytes || bytes > LOOP_BYTES || bytes % sizeof(u64))
		return -EINVAL;
	start = ktime_get_ns();
	error = loop_move(bytes);
	if (error)
		return error;
	published_add(file, start, bytes);
	return bytes;
}

static const struct file_operations loop_operations = {
	.owner = THIS_MODULE,
	.write = loop_write,
	.read = published_read,
};

static struct published_way loop_way = PUBLISHED_WAY("published-loop", &loop_operations, 1);

static void loop_free(void)
{
	unsigned int i;

	for (i = 0; i < LOOP_SIDES; ++i) {
		kfree(loop_sides[i].data);
		if (!IS_ERR_OR_NULL(loop_sides[i].channel))
			dma_release_channel(loop_sides[i].channel);
	}
}

static int loop_take(struct device *device)
{
	unsigned int i;

	for (i = 0; i < LOOP_SIDES; ++i) {
		struct loop_side *side = &loop_sides[i];

		side->channel = dma_request_chan(device, loop_names[i]);
		if (IS_ERR(side->channel))
			return PTR_ERR(side->channel);
		side->data = kmalloc(LOOP_BYTES, GFP_KERNEL);
		if (!side->data)
			return -ENOMEM;
	}
	return 0;
}

/* The loop-back of the first port: nodes are in any order. */
static struct platform_device *loop_find(void)
{
	struct platform_device *first = NULL, *other;
	struct device_node *node;

	for_each_compatible_node(node, NULL, "sluice,stream-loopback") {
		other = of_find_device_by_node(node);
		if (!other)
			continue;
		if (!first || other->resource->start < first->resource->start)
			swap(first, other);
		if (other)
			put_device(&other->dev);
	}
	return first;
}

static int __init loop_init(void)
{
	struct platform_device *stream = loop_find();
	int error;

	if (!stream) {
		pr_err("published_loop: the logic has no loop-back\n");
		return -ENODEV;
	}
	error = loop_take(&stream->dev);
	put_device(&stream->dev);
	if (!error)
		error = published_register(&loop_way, 1);
	if (error)
		loop_free();
	return error;
}
module_init(loop_init);

static void __exit loop_exit(void)
{
	published_remove(&loop_way, 1);
	loop_free();
}
module_exit(loop_exit);

MODULE_DESCRIPTION("AXI DMA with a loop-back as in Manikandan 2015, for measuring");
MODULE_LICENSE("GPL");
