/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_CARD_H
#define SLUICE_CARD_H

#include <linux/device.h>
#include <linux/dma-mapping.h>
#include <linux/dmaengine.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct pci_dev;
struct platform_device;
struct sluice_chan;

#define SLUICE_CARD_CHANNELS	8		/* of a card, at most */
#define SLUICE_ALL_ONES		(~0U)		/* what nobody answers with */
/*
 * A channel that stops is given up after this time and this many looks at it. A simulated card, or
 * the processor, may pause for longer than the time; a working card would then be given up.
 */
#define SLUICE_STOP_MS		100
#define SLUICE_STOP_LOOKS	1000
#define SLUICE_CLIENTS		"sluice-channels" /* name of the device for sluice.ko */

/**
 * struct sluice_chunk - One descriptor's worth of a transfer
 * @host: address in the host's memory, for the card
 * @bytes: of it
 */
struct sluice_chunk {
	dma_addr_t host;
	u32 bytes;
};

/**
 * struct sluice_tx - A transfer
 * @tx: for dmaengine
 * @node: in one of the channel's lists
 * @card: address in the card's memory; streams: not looked at
 * @bytes: of all chunks
 * @placed: bytes of those chunks that were put into the ring
 * @arrived: bytes that came with those that have completed
 * @result: for its callback
 * @cyclic: it has no end: the first chunk follows the last one
 * @given: chunks that were put into the ring
 * @retired: chunks that have completed
 * @chunks: count of @chunk
 * @chunk: all of its memory, in order
 */
struct sluice_tx {
	struct dma_async_tx_descriptor tx;
	struct list_head node;
	u64 card;
	u64 bytes;
	u64 placed;
	u64 arrived;
	struct dmaengine_result result;
	bool cyclic;
	u32 given;
	u32 retired;
	u32 chunks;
	struct sluice_chunk chunk[];
};

/**
 * enum sluice_chan_state - What a channel does
 * @SLUICE_IDLE: nothing
 * @SLUICE_RUNS: it carries out what is in the ring
 * @SLUICE_CYCLES: it carries out a transfer without end
 * @SLUICE_STOPS: it was told to stop, and may not have yet
 * @SLUICE_DEAD: it does not stop, or its card is gone: all it is given fails
 */
enum sluice_chan_state {
	SLUICE_IDLE,
	SLUICE_RUNS,
	SLUICE_CYCLES,
	SLUICE_STOPS,
	SLUICE_DEAD,
};

/**
 * struct sluice_engine_ops - What an engine's registers make of it
 * @places: of a channel's ring
 * @ring: of them that may be in use at once
 * @max_cyclic: of them that a transfer without end may have; 0: there are none
 * @max_bytes: of a chunk
 * @memory_bytes: that a channel shares with the card, zeroed, while it is someone's
 * @setup: writes what a reset of the function clears and a start does not; NULL: nothing
 * @put: writes the next chunk of a transfer to a place of a ring of so many
 * @kick: has the channel carry out so many chunks that were put; starts it if it is idle
 * @cycle: starts a transfer without end whose chunks were put; NULL: there are none
 * @serve: looks at what has happened, upon the interrupt
 * @count: chunks that have completed since a transfer without end was started; NULL: see @cycle
 * @reset: has the channel drop what it has
 * @pause: has a channel end that has nothing to do, or has stopped by itself; NULL: none does
 * @stopped: is it done with all memory? Not so while it does not answer
 *
 * channel->lock is held.
 */
struct sluice_engine_ops {
	u32 places;
	u32 ring;
	u32 max_cyclic;
	u32 max_bytes;
	size_t memory_bytes;
	void (*setup)(struct sluice_chan *channel);
	void (*put)(struct sluice_chan *channel, struct sluice_tx *tx, u32 place, u32 places);
	void (*kick)(struct sluice_chan *channel, u32 chunks);
	void (*cycle)(struct sluice_chan *channel, u32 chunks);
	void (*serve)(struct sluice_chan *channel);
	u32 (*count)(struct sluice_chan *channel);
	void (*reset)(struct sluice_chan *channel);
	void (*pause)(struct sluice_chan *channel);
	bool (*stopped)(struct sluice_chan *channel);
};

/**
 * struct sluice_chan - A channel
 * @chan: of dmaengine
 * @card: whose it is
 * @name: in the card: h2c0
 * @direction: DMA_MEM_TO_DEV, host to card, or DMA_DEV_TO_MEM
 * @line: number of it among the card's channels
 * @vector: of its interrupt
 * @common: bit of it in registers that all channels share
 * @registers: of the channel
 * @extension: more of them
 * @lock: of all that follows
 * @state: what it does
 * @stop_by: when it must have stopped, if it was looked at often enough
 * @looks: at it since it was told to stop
 * @memory: shared with the card, while the channel is someone's
 * @address: of @memory, for the card
 * @config: of the client
 * @prepared: not submitted yet
 * @submitted: not to be started yet
 * @issued: those that the ring takes next
 * @active: those in the ring; the last one may be there in part
 * @ended: their callbacks are to be called
 * @dropped: stopped: freed once the card is done with them
 * @head: chunks that were put into the ring since the channel was idle
 * @tail: chunks that have completed since then
 * @position: of a transfer without end: the chunk that it is in
 * @failed: what it has fails once it has stopped
 * @callbacks: calls them
 * @settle: waits for the end of a channel that was stopped, and has it go on
 */
struct sluice_chan {
	struct dma_chan chan;
	struct sluice_card *card;
	char name[8];
	enum dma_transfer_direction direction;
	unsigned int line;
	unsigned int vector;
	u32 common;
	void __iomem *registers;
	void __iomem *extension;

	spinlock_t lock; /* all that follows */
	enum sluice_chan_state state;
	ktime_t stop_by;
	unsigned int looks;
	void *memory;
	dma_addr_t address;
	struct dma_slave_config config;
	struct list_head prepared;
	struct list_head submitted;
	struct list_head issued;
	struct list_head active;
	struct list_head ended;
	struct list_head dropped;
	u32 head;
	u32 tail;
	u32 position;
	bool failed;

	struct tasklet_struct callbacks;
	struct work_struct settle;
};

/**
 * struct sluice_card - A card
 * @dma: for dmaengine
 * @ops: of its engine
 * @pdev: the PCI function
 * @bar: which one holds @registers
 * @registers: of the engine, and behind it those of our designs
 * @ours: one of our designs, with what they have beyond the engine that they are like
 * @stream: streams on the card's side, not memory
 * @down: the function is being reset, or is gone, or a channel does not stop: nothing is started
 * @vectors: of MSI-X or MSI
 * @id: number of @clients
 * @client: name of @clients
 * @map: whose names are which channel, for dmaengine
 * @clients: the platform device that sluice.ko binds to
 * @channels: count of @channel
 * @channel: those to the card first
 */
struct sluice_card {
	struct dma_device dma;
	const struct sluice_engine_ops *ops;
	struct pci_dev *pdev;
	int bar;
	void __iomem *registers;
	bool ours;
	bool stream;
	bool down;
	unsigned int vectors;
	int id;
	char client[32];
	struct dma_slave_map map[2 * SLUICE_CARD_CHANNELS];
	struct platform_device *clients;
	unsigned int channels;
	struct sluice_chan channel[SLUICE_CARD_CHANNELS];
};

/* queue.c: a channel's transfers, from issue to end. channel->lock is held. */
void sluice_chan_feed(struct sluice_chan *channel);
void sluice_chan_retire(struct sluice_chan *channel, u32 bytes, enum dmaengine_tx_result result);
void sluice_chan_fail_first(struct sluice_chan *channel, enum dmaengine_tx_result result);
void sluice_chan_abort(struct sluice_chan *channel);
void sluice_chan_advance(struct sluice_chan *channel, u32 count);
void sluice_chan_dead(struct sluice_chan *channel);
void sluice_chan_stopping(struct sluice_chan *channel);
void sluice_chan_stopped(struct sluice_chan *channel);
const struct sluice_chunk *sluice_chan_oldest(struct sluice_chan *channel);

/* dmaengine.c: what dmaengine calls, and the end of channels. No lock is held. */
void sluice_chan_init(struct sluice_chan *channel);
void sluice_chan_down(struct sluice_chan *channel);
bool sluice_chan_up(struct sluice_chan *channel);
void sluice_chan_begin(struct sluice_chan *channel, bool rests);
void sluice_chan_exit(struct sluice_chan *channel);
int sluice_card_register(struct sluice_card *card);

/* clients.c: the device by which sluice.ko knows the card. */
int sluice_clients_add(struct sluice_card *card);

/* The engines: has this card one, and which channels? 0, -ENODEV, or an error that was said. */
int sluice_xdma_find(struct sluice_card *card);
int sluice_avmm_find(struct sluice_card *card);
struct sluice_chan *sluice_card_add_channel(struct sluice_card *card, const char *name,
					    enum dma_transfer_direction direction);

static inline u32 sluice_read(void __iomem *block, unsigned int offset)
{
	return readl(block + offset);
}

static inline void sluice_write(void __iomem *block, unsigned int offset, u32 value)
{
	writel(value, block + offset);
}

#endif
