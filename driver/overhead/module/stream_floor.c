// SPDX-License-Identifier: GPL-2.0-only
/*
 * The floor of what a transfer between memory and a stream costs: dmaengine alone, its client in
 * the kernel.
 *
 * Loading measures, and says so (floor.h). A round keeps `depth` transfers queued until `transfers`
 * are over: those for which there is room are prepared and submitted, and issued together; then
 * `wake` of them are waited for. Before the rounds each buffer has been used once.
 *
 * All words of all transfers are one count, as in stream.cpp.
 */
#include <linux/dma-mapping.h>
#include <linux/dmaengine.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/of_platform.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "floor.h"
#include "window.h"

#define FLOOR_DEPTH	64

static char *node;
module_param(node, charp, 0444);
MODULE_PARM_DESC(node, "path of a device-tree node that has the channels");
static char *channel;
module_param(channel, charp, 0444);
MODULE_PARM_DESC(channel, "in its dma-names: mm2s, which sends, or s2mm, which receives");
static unsigned int bytes = 4096;
module_param(bytes, uint, 0444);
MODULE_PARM_DESC(bytes, "of a transfer");
static unsigned int depth = 1;
module_param(depth, uint, 0444);
MODULE_PARM_DESC(depth, "of the queue, up to 64");
static unsigned int wake = 1;
module_param(wake, uint, 0444);
MODULE_PARM_DESC(wake, "transfers that are waited for at a time, up to depth");
static unsigned int transfers = 64;
module_param(transfers, uint, 0444);
MODULE_PARM_DESC(transfers, "of a round");
static unsigned int rounds = 3;
module_param(rounds, uint, 0444);
MODULE_PARM_DESC(rounds, "up to 64");

/**
 * struct floor - A queue
 * @chan: of dmaengine
 * @to_memory: it receives
 * @memory: of each place in the queue
 * @address: of @memory
 * @submitted: count of transfers
 * @over: count of those that have called back
 * @wanted: count at which a callback wakes who waits
 * @failed: one of them has
 * @wait: until @over is @wanted
 */
struct floor {
	struct dma_chan *chan;
	bool to_memory;
	u32 *memory[FLOOR_DEPTH];
	dma_addr_t address[FLOOR_DEPTH];
	unsigned int submitted;
	unsigned int over;
	unsigned int wanted;
	bool failed;
	wait_queue_head_t wait;
};

/* Callbacks of a channel come one after the other. */
static void floor_done(void *param, const struct dmaengine_result *result)
{
	struct floor *floor = param;

	if (result->result != DMA_TRANS_NOERROR || result->residue)
		floor->failed = true;
	WRITE_ONCE(floor->over, floor->over + 1);
	if (wq_has_sleeper(&floor->wait) && floor->over == READ_ONCE(floor->wanted))
		wake_up(&floor->wait);
}

static int floor_submit(struct floor *floor, unsigned int up_to)
{
	struct dma_async_tx_descriptor *tx;

	for (; floor->submitted != up_to; floor->submitted++) {
		tx = dmaengine_prep_slave_single(floor->chan,
						 floor->address[floor->submitted % depth], bytes,
						 floor->to_memory ? DMA_DEV_TO_MEM : DMA_MEM_TO_DEV,
						 DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
		if (!tx)
			return -ENOSPC;
		tx->callback_result = floor_done;
		tx->callback_param = floor;
		if (dma_submit_error(dmaengine_submit(tx)))
			return -EIO;
	}
	dma_async_issue_pending(floor->chan);
	return 0;
}

static int floor_wait(struct floor *floor, unsigned int wanted)
{
	WRITE_ONCE(floor->wanted, wanted);
	if (!wait_event_timeout(floor->wait, (int)(READ_ONCE(floor->over) - wanted) >= 0,
				msecs_to_jiffies(FLOOR_WAIT_MS)))
		return -ETIMEDOUT;
	return floor->failed ? -EIO : 0;
}

static int floor_round(struct floor *floor, unsigned int count, unsigned int at_a_time)
{
	unsigned int over = floor->submitted, end = over + count;
	int ret = 0;

	while (over != end && !ret) {
		if (floor->submitted != end && floor->submitted - over < depth)
			ret = floor_submit(floor, min(over + depth, end));
		ret = ret ?: floor_wait(floor, min(over + at_a_time, end));
		over = READ_ONCE(floor->over);
	}
	return ret;
}

/* Each buffer has the words of its first use; the next ones repeat them. */
static void floor_fill(struct floor *floor)
{
	u32 words = bytes / sizeof(u32);

	for (unsigned int slot = 0; slot < depth; slot++)
		for (u32 i = 0; i < words; i++)
			floor->memory[slot][i] = slot * words + i;
}

static int floor_check(const struct floor *floor)
{
	u32 words = bytes / sizeof(u32);

	for (unsigned int number = floor->over - depth; number != floor->over; number++)
		for (u32 i = 0; i < words; i++)
			if (floor->memory[number % depth][i] != number * words + i)
				return -EIO;
	return 0;
}

static int floor_measure(struct floor *floor)
{
	u64 took[FLOOR_ROUNDS], before;
	int ret;

	ret = floor_round(floor, depth, depth);
	for (unsigned int i = 0; i < rounds && !ret; i++) {
		before = ktime_get_raw_ns();
		WINDOW_BEGIN();
		ret = floor_round(floor, transfers, wake);
		WINDOW_END();
		took[i] = ktime_get_raw_ns() - before;
	}
	if (!ret)
		floor_report(took, rounds);
	return ret;
}

static enum dma_data_direction floor_direction(const struct floor *floor)
{
	return floor->to_memory ? DMA_FROM_DEVICE : DMA_TO_DEVICE;
}

static int floor_map(struct floor *floor)
{
	struct device *dev = dmaengine_get_dma_device(floor->chan);

	for (unsigned int slot = 0; slot < depth; slot++) {
		floor->address[slot] = dma_map_single(dev, floor->memory[slot], bytes,
						      floor_direction(floor));
		if (dma_mapping_error(dev, floor->address[slot])) {
			floor->address[slot] = 0;
			return -EIO;
		}
	}
	return 0;
}

static void floor_unmap(struct floor *floor)
{
	struct device *dev = dmaengine_get_dma_device(floor->chan);

	for (unsigned int slot = 0; slot < depth && floor->address[slot]; slot++)
		dma_unmap_single(dev, floor->address[slot], bytes, floor_direction(floor));
}

static int floor_run(struct floor *floor)
{
	int ret = 0;

	for (unsigned int slot = 0; slot < depth && !ret; slot++) {
		floor->memory[slot] = kzalloc(bytes, GFP_KERNEL);
		ret = floor->memory[slot] ? 0 : -ENOMEM;
	}
	if (ret)
		goto free;
	if (!floor->to_memory)
		floor_fill(floor);
	ret = floor_map(floor) ?: floor_measure(floor);
	dmaengine_terminate_sync(floor->chan);
	floor_unmap(floor);
	if (!ret && floor->to_memory)
		ret = floor_check(floor);
free:
	for (unsigned int slot = 0; slot < depth; slot++)
		kfree(floor->memory[slot]);
	return ret;
}

static struct dma_chan *floor_request(void)
{
	struct device_node *there = of_find_node_by_path(node);
	struct platform_device *client = of_find_device_by_node(there);
	struct dma_chan *chan;

	of_node_put(there);
	if (!client)
		return ERR_PTR(-ENODEV);
	chan = dma_request_chan(&client->dev, channel);
	put_device(&client->dev);
	return chan;
}

static int __init floor_init(void)
{
	struct floor *floor;
	int ret;

	if (!node || !channel || !bytes || !depth || depth > FLOOR_DEPTH || !wake ||
	    wake > depth || !transfers || !rounds || rounds > FLOOR_ROUNDS)
		return -EINVAL;
	floor = kzalloc(sizeof(*floor), GFP_KERNEL);
	if (!floor)
		return -ENOMEM;
	init_waitqueue_head(&floor->wait);
	floor->to_memory = !strcmp(channel, "s2mm");
	floor->chan = floor_request();
	ret = PTR_ERR_OR_ZERO(floor->chan);
	if (!ret) {
		ret = floor_run(floor);
		dma_release_channel(floor->chan);
	}
	kfree(floor);
	return ret;
}
module_init(floor_init);

static void __exit floor_exit(void)
{
}
module_exit(floor_exit);

MODULE_DESCRIPTION("What a transfer of a stream costs by dmaengine alone");
MODULE_LICENSE("GPL");
