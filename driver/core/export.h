/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_EXPORT_H
#define SLUICE_EXPORT_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>

struct device;
struct dma_buf;
struct pci_dev;

/**
 * struct sluice_card_memory - Memory of a card behind a PCI function's BAR, or of logic in a SoC
 * @client: the device whose channels reach it
 * @function: the PCI function; NULL: logic in a SoC, all of whose engines use physical addresses
 * @start: physical address
 * @card_start: the same byte for the card's engine, by an address of its own
 * @bytes: of both
 * @part_bytes: each channel's engine reaches as much of it, the first one the first part and so
 *		on; 0: each reaches all
 * @lock: of what follows
 * @gone: the function was unbound: there is nothing behind those addresses
 * @exports: dma-bufs of parts of it
 */
struct sluice_card_memory {
	struct device *client;
	struct pci_dev *function;
	phys_addr_t start;
	u64 card_start;
	u64 bytes;
	u64 part_bytes;
	struct mutex lock; /* what follows */
	bool gone;
	struct list_head exports;
};

/**
 * struct sluice_card_range - Memory that a channel's engine reaches
 * @on_card: it is of the engine's own card, at @address: not to be mapped
 * @address: for the card's engine
 * @first: its first byte in the dma-buf
 * @bytes: of it
 */
struct sluice_card_range {
	bool on_card;
	u64 address;
	u64 first;
	u64 bytes;
};

struct dma_buf *sluice_export(struct sluice_card_memory *memory, struct device *holder, u64 offset,
			      u64 bytes);
int sluice_export_reach(struct dma_buf *dmabuf, struct device *client, unsigned int part,
			struct sluice_card_range *range);
void sluice_exports_revoke(struct sluice_card_memory *memory);

#endif
