// SPDX-License-Identifier: GPL-2.0-only
/*
 * What dmaengine calls, and the end of channels.
 *
 * What a client stops is dropped, and freed when the card is done with its memory. Stopping has two
 * steps, as dmaengine has: device_terminate_all() tells the card, from any context, and
 * device_synchronize() waits for it, until 100 ms have passed and it has looked 1,000 times.
 * Whoever does not wait may go on at once all the same: the next transfer begins when the channel
 * has ended. A card that does not end in that time may no longer reach memory at all, until it is
 * reset.
 */

#include <linux/delay.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "card.h"

static struct sluice_chan *to_sluice_chan(struct dma_chan *chan)
{
	return container_of(chan, struct sluice_chan, chan);
}

static struct sluice_tx *to_sluice_tx(struct dma_async_tx_descriptor *tx)
{
	return container_of(tx, struct sluice_tx, tx);
}

/* ---------------------------------------------------------------------------------------------
 * The end of transfers
 */
static void sluice_tx_call(struct sluice_tx *tx)
{
	struct dma_async_tx_descriptor *descriptor = &tx->tx;

	if (descriptor->callback_result)
		descriptor->callback_result(descriptor->callback_param, &tx->result);
	else if (descriptor->callback)
		descriptor->callback(descriptor->callback_param);
}

static void sluice_txs_free(struct list_head *list)
{
	struct sluice_tx *tx, *next;

	list_for_each_entry_safe(tx, next, list, node)
		kfree(tx);
}

/* A transfer without end has called back for all periods so far when it does so once. */
static void sluice_chan_callbacks(struct tasklet_struct *tasklet)
{
	struct sluice_chan *channel = from_tasklet(channel, tasklet, callbacks);
	struct sluice_tx *tx, *cyclic = NULL;
	unsigned long flags;
	LIST_HEAD(ended);

	spin_lock_irqsave(&channel->lock, flags);
	list_splice_init(&channel->ended, &ended);
	if (channel->state == SLUICE_CYCLES)
		cyclic = list_first_entry_or_null(&channel->active, struct sluice_tx, node);
	spin_unlock_irqrestore(&channel->lock, flags);

	/* Dropped meanwhile, it is freed only after this has returned. */
	if (cyclic)
		sluice_tx_call(cyclic);
	list_for_each_entry(tx, &ended, node) {
		dma_descriptor_unmap(&tx->tx);
		sluice_tx_call(tx);
	}
	sluice_txs_free(&ended);
}

/* ---------------------------------------------------------------------------------------------
 * The end of channels
 */
/* The card may not reach memory any longer, by none of its channels, until it is reset. */
static void sluice_card_give_up(struct sluice_card *card, const char *culprit)
{
	unsigned long flags;

	if (pci_device_is_present(card->pdev))
		dev_err(&card->pdev->dev, "%s does not stop; the card cannot access memory until a reset\n",
			culprit);
	WRITE_ONCE(card->down, true);
	pci_clear_master(card->pdev);
	for (unsigned int i = 0; i < card->channels; i++) {
		spin_lock_irqsave(&card->channel[i].lock, flags);
		sluice_chan_dead(&card->channel[i]);
		spin_unlock_irqrestore(&card->channel[i].lock, flags);
	}
}

/* One look at a channel; true: it was told to stop, and has not yet. */
static bool sluice_chan_stops(struct sluice_chan *channel, bool *expired)
{
	unsigned long flags;
	bool stops;

	*expired = false;
	spin_lock_irqsave(&channel->lock, flags);
	if (channel->state == SLUICE_STOPS && channel->card->ops->stopped(channel))
		sluice_chan_stopped(channel);
	stops = channel->state == SLUICE_STOPS;
	if (stops)
		*expired = ++channel->looks >= SLUICE_STOP_LOOKS &&
			   ktime_after(ktime_get(), channel->stop_by);
	spin_unlock_irqrestore(&channel->lock, flags);
	return stops;
}

static void sluice_chan_settle(struct sluice_chan *channel)
{
	bool expired;

	while (sluice_chan_stops(channel, &expired)) {
		/* What is not there any longer, reaches nothing. */
		if (!pci_device_is_present(channel->card->pdev) || expired) {
			sluice_card_give_up(channel->card, channel->name);
			return;
		}
		usleep_range(20, 100);
	}
}

static void sluice_chan_settle_work(struct work_struct *work)
{
	sluice_chan_settle(container_of(work, struct sluice_chan, settle));
}

/* channel->lock is held. */
static void sluice_chan_reset(struct sluice_chan *channel)
{
	channel->card->ops->reset(channel);
	sluice_chan_stopping(channel);
}

/* channel->lock is held. */
static void sluice_chan_stop(struct sluice_chan *channel)
{
	if (channel->state == SLUICE_RUNS || channel->state == SLUICE_CYCLES)
		sluice_chan_reset(channel);
}

/**
 * sluice_chan_down - End all that a channel has with an error
 * @channel: of a card that is down, so that it starts nothing
 */
void sluice_chan_down(struct sluice_chan *channel)
{
	unsigned long flags;

	spin_lock_irqsave(&channel->lock, flags);
	sluice_chan_stop(channel);
	spin_unlock_irqrestore(&channel->lock, flags);
	sluice_chan_settle(channel);
	cancel_work_sync(&channel->settle);
	spin_lock_irqsave(&channel->lock, flags);
	sluice_chan_dead(channel);
	spin_unlock_irqrestore(&channel->lock, flags);
}

/**
 * sluice_chan_up - Begin to use a channel
 * @channel: down, or new, of a card that may not reach memory; nobody knows what it did before
 *
 * Return: true, or false if it does not become idle.
 */
bool sluice_chan_up(struct sluice_chan *channel)
{
	ktime_t end = ktime_add_ms(ktime_get(), SLUICE_STOP_MS);
	const struct sluice_engine_ops *ops = channel->card->ops;
	unsigned int looks = 0;
	unsigned long flags;

	ops->reset(channel);
	while (!ops->stopped(channel)) {
		if (++looks >= SLUICE_STOP_LOOKS && ktime_after(ktime_get(), end))
			return false;
		usleep_range(20, 100);
	}
	spin_lock_irqsave(&channel->lock, flags);
	if (ops->setup)
		ops->setup(channel);
	channel->state = SLUICE_IDLE;
	spin_unlock_irqrestore(&channel->lock, flags);
	return true;
}

/**
 * sluice_chan_begin - Carry out what a channel was given while its card was down
 * @channel: up
 * @rests: its card is up, too; else all that it has and is given fails
 */
void sluice_chan_begin(struct sluice_chan *channel, bool rests)
{
	unsigned long flags;

	spin_lock_irqsave(&channel->lock, flags);
	if (rests)
		sluice_chan_feed(channel);
	else
		sluice_chan_dead(channel);
	spin_unlock_irqrestore(&channel->lock, flags);
}

/* ---------------------------------------------------------------------------------------------
 * Preparing
 */
static dma_cookie_t sluice_tx_submit(struct dma_async_tx_descriptor *descriptor)
{
	struct sluice_chan *channel = to_sluice_chan(descriptor->chan);
	struct sluice_tx *tx = to_sluice_tx(descriptor);
	dma_cookie_t cookie;
	unsigned long flags;

	spin_lock_irqsave(&channel->lock, flags);
	cookie = channel->chan.cookie + 1;
	if (cookie < DMA_MIN_COOKIE)
		cookie = DMA_MIN_COOKIE;
	descriptor->cookie = cookie;
	channel->chan.cookie = cookie;
	list_move_tail(&tx->node, &channel->submitted);
	spin_unlock_irqrestore(&channel->lock, flags);
	return cookie;
}

static struct sluice_tx *sluice_tx_alloc(struct sluice_chan *channel, unsigned int chunks,
					 unsigned long flags)
{
	struct sluice_tx *tx = kzalloc(struct_size(tx, chunk, chunks), GFP_NOWAIT);

	if (!tx)
		return NULL;
	dma_async_tx_descriptor_init(&tx->tx, &channel->chan);
	tx->tx.flags = flags;
	tx->tx.tx_submit = sluice_tx_submit;
	tx->card = channel->direction == DMA_MEM_TO_DEV ? channel->config.dst_addr :
							  channel->config.src_addr;
	return tx;
}

/* From here on a client that does not submit it loses nothing: it goes with the channel. */
static struct dma_async_tx_descriptor *sluice_tx_prepared(struct sluice_chan *channel,
							  struct sluice_tx *tx)
{
	unsigned long flags;

	spin_lock_irqsave(&channel->lock, flags);
	list_add_tail(&tx->node, &channel->prepared);
	spin_unlock_irqrestore(&channel->lock, flags);
	return &tx->tx;
}

static void sluice_tx_add_chunk(struct sluice_tx *tx, dma_addr_t host, u32 bytes)
{
	tx->chunk[tx->chunks++] = (struct sluice_chunk){ .host = host, .bytes = bytes };
	tx->bytes += bytes;
}

static struct dma_async_tx_descriptor *
sluice_chan_prep_slave_sg(struct dma_chan *chan, struct scatterlist *list, unsigned int length,
			  enum dma_transfer_direction direction, unsigned long flags, void *context)
{
	struct sluice_chan *channel = to_sluice_chan(chan);
	u32 max = channel->card->ops->max_bytes;
	unsigned int chunks = 0, i;
	struct sluice_tx *tx;
	struct scatterlist *sg;

	if (direction != channel->direction)
		return NULL;
	for_each_sg(list, sg, length, i) {
		if (!sg_dma_len(sg)) /* the card would stop at it */
			return NULL;
		chunks += DIV_ROUND_UP(sg_dma_len(sg), max);
	}
	if (!chunks)
		return NULL;
	tx = sluice_tx_alloc(channel, chunks, flags);
	if (!tx)
		return NULL;
	for_each_sg(list, sg, length, i) {
		dma_addr_t host = sg_dma_address(sg);

		for (u32 left = sg_dma_len(sg), bytes; left; left -= bytes, host += bytes) {
			bytes = min(left, max);
			sluice_tx_add_chunk(tx, host, bytes);
		}
	}
	return sluice_tx_prepared(channel, tx);
}

static struct dma_async_tx_descriptor *
sluice_chan_prep_cyclic(struct dma_chan *chan, dma_addr_t host, size_t bytes, size_t period,
			enum dma_transfer_direction direction, unsigned long flags)
{
	struct sluice_chan *channel = to_sluice_chan(chan);
	const struct sluice_engine_ops *ops = channel->card->ops;
	struct sluice_tx *tx;

	if (direction != channel->direction || !period || period > ops->max_bytes ||
	    bytes % period || !bytes || bytes > U32_MAX || bytes / period > ops->max_cyclic)
		return NULL;
	tx = sluice_tx_alloc(channel, bytes / period, flags);
	if (!tx)
		return NULL;
	tx->cyclic = true;
	for (size_t at = 0; at < bytes; at += period)
		sluice_tx_add_chunk(tx, host + at, period);
	return sluice_tx_prepared(channel, tx);
}

static int sluice_chan_config(struct dma_chan *chan, struct dma_slave_config *config)
{
	struct sluice_chan *channel = to_sluice_chan(chan);

	channel->config = *config;
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * Running
 */
static void sluice_chan_issue(struct dma_chan *chan)
{
	struct sluice_chan *channel = to_sluice_chan(chan);
	unsigned long flags;

	spin_lock_irqsave(&channel->lock, flags);
	list_splice_tail_init(&channel->submitted, &channel->issued);
	sluice_chan_feed(channel);
	spin_unlock_irqrestore(&channel->lock, flags);
}

static struct sluice_tx *sluice_tx_find(struct list_head *list, dma_cookie_t cookie)
{
	struct sluice_tx *tx;

	list_for_each_entry(tx, list, node)
		if (tx->tx.cookie == cookie)
			return tx;
	return NULL;
}

/* Of a transfer without end: to the end of the loop, as it was last seen once it is stopped. */
static u32 sluice_tx_residue(struct sluice_chan *channel, const struct sluice_tx *tx)
{
	if (!tx->cyclic || !tx->given)
		return tx->bytes - tx->arrived;
	if (channel->state == SLUICE_CYCLES)
		sluice_chan_advance(channel, channel->card->ops->count(channel));
	return (tx->chunks - channel->position) * tx->chunk[0].bytes;
}

static enum dma_status sluice_chan_status(struct dma_chan *chan, dma_cookie_t cookie,
					  struct dma_tx_state *state)
{
	struct sluice_chan *channel = to_sluice_chan(chan);
	struct sluice_tx *tx;
	enum dma_status status;
	unsigned long flags;
	u32 residue = 0;

	spin_lock_irqsave(&channel->lock, flags);
	status = dma_async_is_complete(cookie, chan->completed_cookie, chan->cookie);
	if (status != DMA_COMPLETE) {
		tx = sluice_tx_find(&channel->active, cookie) ?:
		     sluice_tx_find(&channel->issued, cookie) ?:
		     sluice_tx_find(&channel->submitted, cookie);
		if (tx)
			residue = sluice_tx_residue(channel, tx);
	}
	dma_set_tx_state(state, chan->completed_cookie, chan->cookie, residue);
	spin_unlock_irqrestore(&channel->lock, flags);
	return status;
}

static int sluice_chan_terminate(struct dma_chan *chan)
{
	struct sluice_chan *channel = to_sluice_chan(chan);
	unsigned long flags;

	spin_lock_irqsave(&channel->lock, flags);
	sluice_chan_stop(channel);
	list_splice_tail_init(&channel->ended, &channel->dropped);
	list_splice_tail_init(&channel->active, &channel->dropped);
	list_splice_tail_init(&channel->issued, &channel->dropped);
	list_splice_tail_init(&channel->submitted, &channel->dropped);
	spin_unlock_irqrestore(&channel->lock, flags);
	return 0;
}

/* Also of a channel that runs: what ends while the callbacks are waited for is called for after. */
static void sluice_chan_synchronize(struct dma_chan *chan)
{
	struct sluice_chan *channel = to_sluice_chan(chan);
	unsigned long flags;
	LIST_HEAD(dropped);

	sluice_chan_settle(channel);
	flush_work(&channel->settle);
	tasklet_kill(&channel->callbacks);
	spin_lock_irqsave(&channel->lock, flags);
	list_splice_init(&channel->dropped, &dropped);
	if (!list_empty(&channel->ended) || channel->state == SLUICE_CYCLES)
		tasklet_schedule(&channel->callbacks);
	spin_unlock_irqrestore(&channel->lock, flags);
	sluice_txs_free(&dropped);
}

/* Also of a card that is down: what it is given fails until a reset. */
static int sluice_chan_alloc(struct dma_chan *chan)
{
	struct sluice_chan *channel = to_sluice_chan(chan);
	unsigned long flags;
	dma_addr_t address;
	void *memory;

	memory = dma_alloc_coherent(chan->device->dev, channel->card->ops->memory_bytes, &address,
				    GFP_KERNEL);
	if (!memory)
		return -ENOMEM;
	spin_lock_irqsave(&channel->lock, flags);
	channel->memory = memory;
	channel->address = address;
	spin_unlock_irqrestore(&channel->lock, flags);
	return 1;
}

/* The channel is at rest, or may not reach memory. Its client and its card may both end. */
static void sluice_chan_free_memory(struct sluice_chan *channel)
{
	unsigned long flags;
	dma_addr_t address;
	void *memory;

	spin_lock_irqsave(&channel->lock, flags);
	memory = channel->memory;
	address = channel->address;
	channel->memory = NULL;
	spin_unlock_irqrestore(&channel->lock, flags);
	if (memory)
		dma_free_coherent(channel->chan.device->dev, channel->card->ops->memory_bytes,
				  memory, address);
}

static void sluice_chan_free(struct dma_chan *chan)
{
	struct sluice_chan *channel = to_sluice_chan(chan);
	unsigned long flags;
	LIST_HEAD(prepared);

	sluice_chan_terminate(chan);
	sluice_chan_synchronize(chan);
	spin_lock_irqsave(&channel->lock, flags);
	list_splice_init(&channel->prepared, &prepared);
	spin_unlock_irqrestore(&channel->lock, flags);
	sluice_txs_free(&prepared);
	sluice_chan_free_memory(channel);
}

/* ---------------------------------------------------------------------------------------------
 * Beginning and end
 */

/**
 * sluice_chan_init - Prepare a channel
 * @channel: its name, place and registers are set
 */
void sluice_chan_init(struct sluice_chan *channel)
{
	channel->chan.device = &channel->card->dma;
	spin_lock_init(&channel->lock);
	INIT_LIST_HEAD(&channel->prepared);
	INIT_LIST_HEAD(&channel->submitted);
	INIT_LIST_HEAD(&channel->issued);
	INIT_LIST_HEAD(&channel->active);
	INIT_LIST_HEAD(&channel->ended);
	INIT_LIST_HEAD(&channel->dropped);
	tasklet_setup(&channel->callbacks, sluice_chan_callbacks);
	INIT_WORK(&channel->settle, sluice_chan_settle_work);
	channel->state = SLUICE_DEAD;
	channel->chan.cookie = DMA_MIN_COOKIE;
	channel->chan.completed_cookie = DMA_MIN_COOKIE;
	list_add_tail(&channel->chan.device_node, &channel->card->dma.channels);
}

/**
 * sluice_chan_exit - Be done with a channel, whoever holds it
 * @channel: down, its interrupt freed
 */
void sluice_chan_exit(struct sluice_chan *channel)
{
	tasklet_kill(&channel->callbacks);
	sluice_chan_free_memory(channel);
}

static bool sluice_card_filter(struct dma_chan *chan, void *param)
{
	return chan == param;
}

/**
 * sluice_card_register - Offer a card's channels to clients
 * @card: its channels are prepared, and its map names them
 *
 * Return: 0 or -errno.
 */
int sluice_card_register(struct sluice_card *card)
{
	struct dma_device *dma = &card->dma;

	dma_cap_set(DMA_SLAVE, dma->cap_mask);
	dma_cap_set(DMA_PRIVATE, dma->cap_mask);
	if (card->ops->max_cyclic)
		dma_cap_set(DMA_CYCLIC, dma->cap_mask);
	dma->dev = &card->pdev->dev;
	dma->directions = BIT(DMA_MEM_TO_DEV) | BIT(DMA_DEV_TO_MEM);
	dma->residue_granularity = DMA_RESIDUE_GRANULARITY_SEGMENT;
	dma->filter.map = card->map;
	dma->filter.mapcnt = 2 * card->channels;
	dma->filter.fn = sluice_card_filter;
	dma->device_alloc_chan_resources = sluice_chan_alloc;
	dma->device_free_chan_resources = sluice_chan_free;
	dma->device_prep_slave_sg = sluice_chan_prep_slave_sg;
	if (card->ops->max_cyclic)
		dma->device_prep_dma_cyclic = sluice_chan_prep_cyclic;
	dma->device_config = sluice_chan_config;
	dma->device_issue_pending = sluice_chan_issue;
	dma->device_tx_status = sluice_chan_status;
	dma->device_terminate_all = sluice_chan_terminate;
	dma->device_synchronize = sluice_chan_synchronize;
	return dma_async_device_register(dma);
}
