/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_PROVIDER_H
#define SLUICE_PROVIDER_H

#include <linux/list.h>
#include <linux/sluice.h>
#include <linux/types.h>

struct device;
struct dma_chan;
struct dma_device;
struct sluice_engine;

/**
 * enum sluice_card_side - Which side of a channel's copies is the memory of its card
 * @SLUICE_CARD_NONE: neither: the engine copies, or has streams
 * @SLUICE_CARD_DESTINATION: what it copies to
 * @SLUICE_CARD_SOURCE: what it copies from
 */
enum sluice_card_side {
	SLUICE_CARD_NONE,
	SLUICE_CARD_DESTINATION,
	SLUICE_CARD_SOURCE,
};

/**
 * struct sluice_provider - A channel of dmaengine, and what it can do
 * @client: the platform device, whose node names the channel
 * @name: in dma-names
 * @direction: where it moves data
 * @card: side of a copy that is the card's memory, by an address for its engine alone
 * @chan: the channel; NULL if the request after a stop failed
 * @engine: whom it stops with
 * @engine_node: in the engine's channels
 * @dma_dev: device that memory is mapped for
 * @address_align: of every address, in bytes
 * @length_align: of every length, in bytes
 * @max_segment: bytes that the engine's length register holds
 * @depth: descriptors of dmaengine that it may hold at once
 * @terminates: can be stopped
 * @completes_all: calls back for all that the engine has when any of it ends
 * @direct: takes no descriptors, so each transfer is one contiguous piece
 * @appends: what is issued while the engine works starts without delay; a stop ends it, too, and
 *	     leaves the channel as new
 * @cyclic: has cyclic transfers
 * @reports_bytes: reports how much of a transfer arrived
 * @scratch: memory that sluice_provider_stop() may need; may be NULL
 * @scratch_address: of it, for the engine
 * @irq: of the engine's channel, where there is @scratch
 */
struct sluice_provider {
	struct device *client;
	const char *name;
	enum sluice_direction direction;
	enum sluice_card_side card;
	struct dma_chan *chan;
	struct sluice_engine *engine;
	struct list_head engine_node;
	struct device *dma_dev;
	u32 address_align;
	u32 length_align;
	u32 max_segment;
	unsigned int depth;
	bool terminates;
	bool completes_all;
	bool direct;
	bool appends;
	bool cyclic;
	bool reports_bytes;
	void *scratch;
	dma_addr_t scratch_address;
	int irq;
};

bool sluice_provider_resets_all(struct dma_device *device);
int sluice_provider_init(struct sluice_provider *provider, struct device *client,
			 const char *name);
int sluice_provider_renew(struct sluice_provider *provider);
void sluice_provider_stop(struct sluice_provider *provider, bool busy);
void sluice_provider_exit(struct sluice_provider *provider);

#endif
