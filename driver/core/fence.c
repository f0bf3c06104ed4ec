// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fences that are signalled when the transfers of one submission are over.
 */

#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sluice.h>

#include "fence.h"

/**
 * struct sluice_fence - A fence
 * @base: what others see
 * @lock: of it
 * @left: transfers that are not over
 * @status: the first error of a transfer
 * @timeline: name of the channel, which may be gone before the fence is
 */
struct sluice_fence {
	struct dma_fence base;
	spinlock_t lock; /* of the fence */
	unsigned int left;
	int status;
	char timeline[sizeof_field(struct sluice_info, name)];
};

static struct sluice_fence *to_sluice_fence(struct dma_fence *fence)
{
	return container_of(fence, struct sluice_fence, base);
}

static const char *sluice_fence_driver(struct dma_fence *fence)
{
	return "sluice";
}

static const char *sluice_fence_timeline(struct dma_fence *fence)
{
	return to_sluice_fence(fence)->timeline;
}

static void sluice_fence_release(struct dma_fence *fence)
{
	dma_fence_free(&to_sluice_fence(fence)->base);
	module_put(THIS_MODULE);
}

static const struct dma_fence_ops sluice_fence_ops = {
	.get_driver_name = sluice_fence_driver,
	.get_timeline_name = sluice_fence_timeline,
	.release = sluice_fence_release,
};

/**
 * sluice_fence_create - Make a fence of its own timeline
 * @timeline: name of the channel
 *
 * Return: the fence, or NULL without memory.
 */
struct dma_fence *sluice_fence_create(const char *timeline)
{
	struct sluice_fence *fence = kzalloc(sizeof(*fence), GFP_KERNEL);

	if (!fence)
		return NULL;
	BUILD_BUG_ON(offsetof(struct sluice_fence, base)); /* dma_fence_free() frees it */
	__module_get(THIS_MODULE);
	spin_lock_init(&fence->lock);
	strscpy(fence->timeline, timeline, sizeof(fence->timeline));
	dma_fence_init(&fence->base, &sluice_fence_ops, &fence->lock,
		       dma_fence_context_alloc(1), 1);
	return &fence->base;
}

/**
 * sluice_fence_expect - Say how many transfers a fence is signalled after
 * @fence: of a submission
 * @transfers: count, not 0; none of them is queued yet
 */
void sluice_fence_expect(struct dma_fence *fence, unsigned int transfers)
{
	to_sluice_fence(fence)->left = transfers;
}

/**
 * sluice_fence_over - A transfer of a fence is over
 * @fence: of its submission; the channel's queue_lock is held
 * @status: of the transfer
 *
 * Transfers may be over in another order than that of their submission: what an engine has that
 * cannot be stopped is over after what was cancelled.
 */
void sluice_fence_over(struct dma_fence *fence, int status)
{
	struct sluice_fence *ours = to_sluice_fence(fence);

	if (!ours->status)
		ours->status = status;
	if (--ours->left)
		return;
	if (ours->status)
		dma_fence_set_error(fence, ours->status);
	dma_fence_signal(fence);
}
