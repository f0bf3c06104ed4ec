/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_MEMORY_H
#define SLUICE_MEMORY_H

struct platform_device;
struct sluice_card_memory;

const struct sluice_card_memory *sluice_memory_add(struct platform_device *pdev, const char *board,
						   unsigned int channels);

#endif
