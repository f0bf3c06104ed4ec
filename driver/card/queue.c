// SPDX-License-Identifier: GPL-2.0-only
/*
 * A channel's transfers, from issue to end.
 *
 * A transfer is submitted, issued, active (in the ring, at least in part), ended. It goes only
 * forward, but for what a card has dropped after an error, which is issued again. The ring takes
 * what is issued as soon as it has room, also while the card works: nothing is stopped and started
 * in between.
 */

#include <linux/ktime.h>

#include "card.h"

static struct sluice_tx *sluice_tx_first(struct list_head *list)
{
	return list_first_entry_or_null(list, struct sluice_tx, node);
}

static void sluice_tx_end(struct sluice_chan *channel, struct sluice_tx *tx,
			  enum dmaengine_tx_result result)
{
	tx->result = (struct dmaengine_result){ .result = result,
						.residue = tx->bytes - tx->arrived };
	channel->chan.completed_cookie = tx->tx.cookie;
	list_move_tail(&tx->node, &channel->ended);
	tasklet_schedule(&channel->callbacks);
}

/* What is active, and what is issued, fails. */
static void sluice_chan_fail(struct sluice_chan *channel)
{
	struct sluice_tx *tx, *next;

	list_splice_init(&channel->active, &channel->issued);
	list_for_each_entry_safe(tx, next, &channel->issued, node)
		sluice_tx_end(channel, tx, DMA_TRANS_ABORTED);
}

/**
 * sluice_chan_dead - Be done with a channel that does not answer, or must not be asked
 * @channel: locked
 */
void sluice_chan_dead(struct sluice_chan *channel)
{
	channel->state = SLUICE_DEAD;
	sluice_chan_fail(channel);
}

static struct sluice_tx *sluice_chan_next(struct sluice_chan *channel)
{
	struct sluice_tx *last;

	if (!list_empty(&channel->active)) {
		last = list_last_entry(&channel->active, struct sluice_tx, node);
		if (last->given < last->chunks)
			return last;
	}
	return sluice_tx_first(&channel->issued);
}

static void sluice_chan_put(struct sluice_chan *channel, struct sluice_tx *tx, u32 places)
{
	u32 place = channel->head++ % places;
	u32 bytes = tx->chunk[tx->given].bytes;

	if (!tx->given)
		list_move_tail(&tx->node, &channel->active);
	tx->given++;
	channel->card->ops->put(channel, tx, place, places);
	tx->placed += bytes;
}

/**
 * sluice_chan_stopping - A channel was told to stop: see whether it does, and have it go on then
 * @channel: locked
 */
void sluice_chan_stopping(struct sluice_chan *channel)
{
	channel->state = SLUICE_STOPS;
	channel->stop_by = ktime_add_ms(ktime_get(), SLUICE_STOP_MS);
	channel->looks = 0;
	queue_work(system_highpri_wq, &channel->settle);
}

/**
 * sluice_chan_abort - Stop a channel that says what cannot be; what it has fails
 * @channel: locked, running
 */
void sluice_chan_abort(struct sluice_chan *channel)
{
	channel->card->ops->reset(channel);
	channel->failed = true;
	sluice_chan_stopping(channel);
}

/**
 * sluice_chan_stopped - A channel has stopped: go on
 * @channel: locked
 */
void sluice_chan_stopped(struct sluice_chan *channel)
{
	struct sluice_tx *tx, *next;

	channel->state = SLUICE_IDLE;
	if (channel->failed)
		list_for_each_entry_safe(tx, next, &channel->active, node)
			sluice_tx_end(channel, tx, DMA_TRANS_ABORTED);
	channel->failed = false;
	sluice_chan_feed(channel);
}

/**
 * sluice_chan_advance - A transfer without end may have gone on
 * @channel: locked, with one
 * @count: chunks that have completed, modulo 2^32; not believed of a card that reads as all ones
 */
void sluice_chan_advance(struct sluice_chan *channel, u32 count)
{
	const struct sluice_tx *tx = sluice_tx_first(&channel->active);

	if (count == channel->tail || count == SLUICE_ALL_ONES)
		return;
	tasklet_schedule(&channel->callbacks);
	channel->position = (channel->position + (count - channel->tail) % tx->chunks) % tx->chunks;
	channel->tail = count;
}

static void sluice_chan_pause(struct sluice_chan *channel)
{
	channel->card->ops->pause(channel);
	sluice_chan_stopping(channel);
}

/* Start a transfer without end, alone: in a ring that is as long as it is. */
static void sluice_chan_cycle(struct sluice_chan *channel, struct sluice_tx *tx)
{
	if (!list_empty(&channel->active))
		return;
	if (channel->state == SLUICE_RUNS) {
		sluice_chan_pause(channel);
		return;
	}
	while (tx->given < tx->chunks)
		sluice_chan_put(channel, tx, tx->chunks);
	channel->position = 0;
	channel->state = SLUICE_CYCLES;
	channel->card->ops->cycle(channel, tx->chunks);
}

/**
 * sluice_chan_feed - Give the card what is issued, as far as the ring has room
 * @channel: locked
 */
void sluice_chan_feed(struct sluice_chan *channel)
{
	const struct sluice_engine_ops *ops = channel->card->ops;
	struct sluice_tx *tx;
	u32 before;

	if (channel->state == SLUICE_DEAD)
		sluice_chan_fail(channel);
	if (READ_ONCE(channel->card->down) ||
	    (channel->state != SLUICE_IDLE && channel->state != SLUICE_RUNS))
		return;
	if (channel->state == SLUICE_IDLE) {
		channel->head = 0;
		channel->tail = 0;
	}
	before = channel->head;
	while (channel->head - channel->tail < ops->ring) {
		tx = sluice_chan_next(channel);
		if (!tx)
			break;
		if (tx->cyclic) {
			if (channel->head == before)
				sluice_chan_cycle(channel, tx);
			break;
		}
		sluice_chan_put(channel, tx, ops->places);
	}
	if (channel->state == SLUICE_CYCLES || channel->head == before)
		return;
	ops->kick(channel, channel->head - before);
	channel->state = SLUICE_RUNS;
}

/**
 * sluice_chan_oldest - Which chunk completes next?
 * @channel: locked, with chunks in the ring
 *
 * Return: the chunk.
 */
const struct sluice_chunk *sluice_chan_oldest(struct sluice_chan *channel)
{
	const struct sluice_tx *tx = sluice_tx_first(&channel->active);

	return &tx->chunk[tx->retired];
}

/**
 * sluice_chan_retire - The oldest chunk in the ring has completed
 * @channel: locked
 * @bytes: that have come
 * @result: other than DMA_TRANS_NOERROR: its transfer fails
 */
void sluice_chan_retire(struct sluice_chan *channel, u32 bytes, enum dmaengine_tx_result result)
{
	struct sluice_tx *tx = sluice_tx_first(&channel->active);

	channel->tail++;
	if (result == DMA_TRANS_NOERROR)
		tx->arrived += bytes;
	else
		tx->result.result = result;
	if (++tx->retired == tx->chunks)
		sluice_tx_end(channel, tx, tx->result.result);
}

/**
 * sluice_chan_fail_first - A card has stopped at an error, and dropped what follows
 * @channel: locked
 * @result: what went wrong
 *
 * The first transfer that has not completed is the one that failed. The others are given to the
 * card again, from their first chunk on, when it is idle.
 */
void sluice_chan_fail_first(struct sluice_chan *channel, enum dmaengine_tx_result result)
{
	struct sluice_tx *tx = sluice_tx_first(&channel->active);

	if (tx)
		sluice_tx_end(channel, tx, result);
	list_for_each_entry(tx, &channel->active, node) {
		tx->given = 0;
		tx->retired = 0;
		tx->placed = 0;
		tx->arrived = 0;
		tx->result.result = DMA_TRANS_NOERROR;
	}
	list_splice_init(&channel->active, &channel->issued);
	sluice_chan_pause(channel);
}
