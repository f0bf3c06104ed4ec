// SPDX-License-Identifier: GPL-2.0-only
/*
 * The floor of what a copy by DMA costs: dmaengine alone, its client in the kernel.
 *
 * Loading measures, says so (floor.h), and fails with -ECANCELED. In a round `batch` copies of
 * `bytes` are prepared, submitted and issued, and waited for.
 */
#include <linux/completion.h>
#include <linux/dma-mapping.h>
#include <linux/dmaengine.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "floor.h"
#include "window.h"

static unsigned int batch = 32;
module_param(batch, uint, 0444);
MODULE_PARM_DESC(batch, "copies of a round");
static unsigned int bytes = 4096;
module_param(bytes, uint, 0444);
MODULE_PARM_DESC(bytes, "of a copy");
static unsigned int rounds = 16;
module_param(rounds, uint, 0444);
MODULE_PARM_DESC(rounds, "up to 64");

struct floor {
	struct dma_chan *chan;
	u8 *from;
	u8 *to;
	dma_addr_t from_address;
	dma_addr_t to_address;
	unsigned int left;
	bool failed;
	struct completion over;
};

/* Callbacks of a channel come one after the other. */
static void floor_done(void *param, const struct dmaengine_result *result)
{
	struct floor *floor = param;

	if (result->result != DMA_TRANS_NOERROR)
		floor->failed = true;
	if (!--floor->left)
		complete(&floor->over);
}

static int floor_round(struct floor *floor)
{
	struct dma_async_tx_descriptor *tx;

	floor->left = batch;
	for (unsigned int i = 0; i < batch; i++) {
		tx = dmaengine_prep_dma_memcpy(floor->chan, floor->to_address + i * bytes,
					       floor->from_address + i * bytes, bytes,
					       DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
		if (!tx)
			return -ENOSPC;
		tx->callback_result = floor_done;
		tx->callback_param = floor;
		if (dma_submit_error(dmaengine_submit(tx)))
			return -EIO;
	}
	dma_async_issue_pending(floor->chan);
	if (!wait_for_completion_timeout(&floor->over, msecs_to_jiffies(FLOOR_WAIT_MS)))
		return -ETIMEDOUT;
	return floor->failed ? -EIO : 0;
}

static int floor_measure(struct floor *floor)
{
	u64 took[FLOOR_ROUNDS], before;
	int ret = 0;

	for (unsigned int i = 0; i < rounds && !ret; i++) {
		before = ktime_get_raw_ns();
		WINDOW_BEGIN();
		ret = floor_round(floor);
		WINDOW_END();
		took[i] = ktime_get_raw_ns() - before;
	}
	if (ret)
		return ret;
	floor_report(took, rounds);
	return 0;
}

static int floor_run(struct floor *floor)
{
	struct device *dev = dmaengine_get_dma_device(floor->chan);
	size_t size = (size_t)batch * bytes;
	int ret = -ENOMEM;

	init_completion(&floor->over);
	floor->from = kmalloc(size, GFP_KERNEL);
	floor->to = kzalloc(size, GFP_KERNEL);
	if (!floor->from || !floor->to)
		goto free;
	get_random_bytes(floor->from, size);
	floor->from_address = dma_map_single(dev, floor->from, size, DMA_TO_DEVICE);
	if (dma_mapping_error(dev, floor->from_address))
		goto free;
	floor->to_address = dma_map_single(dev, floor->to, size, DMA_FROM_DEVICE);
	if (dma_mapping_error(dev, floor->to_address))
		goto unmap;
	ret = floor_measure(floor);
	dmaengine_terminate_sync(floor->chan);
	dma_unmap_single(dev, floor->to_address, size, DMA_FROM_DEVICE);
	if (!ret && memcmp(floor->from, floor->to, size))
		ret = -EIO;
unmap:
	dma_unmap_single(dev, floor->from_address, size, DMA_TO_DEVICE);
free:
	kfree(floor->to);
	kfree(floor->from);
	return ret;
}

static int __init floor_init(void)
{
	struct floor floor = {};
	dma_cap_mask_t mask;
	int ret;

	if (!batch || !bytes || !rounds || rounds > FLOOR_ROUNDS)
		return -EINVAL;
	dma_cap_zero(mask);
	dma_cap_set(DMA_MEMCPY, mask);
	floor.chan = dma_request_chan_by_mask(&mask);
	if (IS_ERR(floor.chan))
		return PTR_ERR(floor.chan);
	ret = floor_run(&floor);
	dma_release_channel(floor.chan);
	return ret ?: -ECANCELED;
}
module_init(floor_init);

MODULE_DESCRIPTION("What a copy costs by dmaengine alone");
MODULE_LICENSE("GPL");
