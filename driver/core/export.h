/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_EXPORT_H
#define SLUICE_EXPORT_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>

struct device;
struct dma_buf;

/**
 * struct sluice_card_memory - Memory of a card behind a PCI function's BAR
 * @client: the device whose channels reach it by addresses of their own
 * @start: physical address in the BAR
 * @card_start: the same byte for the card's engine
 * @bytes: of both
 * @lock: of what follows
 * @gone: the function was unbound: there is nothing behind those addresses
 * @exports: dma-bufs of parts of it
 */
struct sluice_card_memory {
	struct device *client;
	phys_addr_t start;
	u64 card_start;
	u64 bytes;
	struct mutex lock; /* what follows */
	bool gone;
	struct list_head exports;
};

/**
 * struct sluice_card_range - A part of a card's memory
 * @address: for the card's engine
 * @bytes: of it
 */
struct sluice_card_range {
	u64 address;
	u64 bytes;
};

struct dma_buf *sluice_export(struct sluice_card_memory *memory, struct device *holder, u64 offset,
			      u64 bytes);
bool sluice_export_is_of(struct dma_buf *dmabuf, struct device *client,
			 struct sluice_card_range *range);
void sluice_exports_revoke(struct sluice_card_memory *memory);

#endif
