/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_FENCE_H
#define SLUICE_FENCE_H

#include <linux/dma-fence.h>

struct sluice_channel;

struct dma_fence *sluice_fence_create(struct sluice_channel *channel);
void sluice_fence_over(struct dma_fence *fence, int status, bool last);

#endif
