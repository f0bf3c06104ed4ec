/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_MEMORY_H
#define SLUICE_MEMORY_H

#include <linux/types.h>

struct device;
struct platform_device;

/**
 * struct sluice_part - What a channel's engine reaches of its board's memory
 * @on_card: by an address of the card's own; else by the physical one, which is mapped
 * @address: of its first byte
 * @first: number of that byte in the memory
 * @bytes: of it; 0: there is no memory
 */
struct sluice_part {
	bool on_card;
	u64 address;
	u64 first;
	u64 bytes;
};

int sluice_memory_part(struct device *dev, unsigned int index, unsigned int channels,
		       struct sluice_part *part);
int sluice_memory_add(struct platform_device *pdev, const char *board, unsigned int channels);

#endif
