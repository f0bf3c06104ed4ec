/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_FENCE_H
#define SLUICE_FENCE_H

#include <linux/dma-fence.h>

struct dma_fence *sluice_fence_create(const char *timeline);
void sluice_fence_expect(struct dma_fence *fence, unsigned int transfers);
void sluice_fence_over(struct dma_fence *fence, int status);

#endif
