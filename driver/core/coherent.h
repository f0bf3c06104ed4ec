/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_COHERENT_H
#define SLUICE_COHERENT_H

#include <linux/types.h>

struct device;
struct dma_buf;

struct dma_buf *sluice_coherent_export(struct device *dev, u64 bytes);

#endif
