// SPDX-License-Identifier: GPL-2.0-only
/*
 * The published FPGA-GPU system's tables of descriptors: Intel's Avalon-MM DMA (683514), as our
 * sl_avmm_table has them, with its extension: any address and length, error words, resets, vectors.
 *
 * A channel is a direction. Its table is the ring: descriptor n is requested by writing n to
 * LAST_PTR, with all between it and the last one requested, and sets status word n when it is done.
 * So a request is written for each transfer, whose last descriptor then interrupts. Those of a
 * direction are looked at in order; an engine that ends them in another order is only seen later.
 */

#include <linux/bitfield.h>
#include <linux/io.h>
#include <linux/pci.h>

#include "avmm_card.h"
#include "card.h"
#include "sl_avmm_control.h"
#include "sl_avmm_desc.h"
#include "sl_avmm_ext.h"
#include "sl_avmm_status.h"
#include "sl_design_page.h"

#define AVMM_PLACES	128U
/*
 * A place of the engine's is free when the write of its status word has been answered, which is
 * after the host has seen the word. So half of the table is used at once: the other half is free
 * by then.
 */
#define AVMM_IN_FLIGHT	64U
#define AVMM_DESCS	0x200U		/* from the table's base */
#define AVMM_DESIGN	0x534c4156U	/* SLAV */
#define AVMM_ID_MASK	SL_AVMM_EXT_CAPABILITY_ID_MASK
#define AVMM_NEEDS							\
	(SL_AVMM_EXT_CAPABILITY_BYTES_MASK | SL_AVMM_EXT_CAPABILITY_ERROR_WORDS_MASK)

/**
 * struct avmm_desc - A descriptor in the host's memory: regs/sl_avmm_desc.rdl
 * @source: address
 * @destination: address
 * @control: number of its status word; the published length is 0
 * @bytes: length
 * @reserved: 0
 */
struct avmm_desc {
	__le64 source;
	__le64 destination;
	__le32 control;
	__le32 bytes;
	__le32 reserved[2];
};

/**
 * struct avmm_memory - What a channel shares with the card
 * @status: a word for each descriptor
 * @desc: the table
 */
struct avmm_memory {
	__le32 status[AVMM_PLACES];
	struct avmm_desc desc[AVMM_PLACES];
};

static_assert(offsetof(struct avmm_memory, desc) == AVMM_DESCS);

static void avmm_request(struct sluice_chan *channel, u32 place)
{
	sluice_write(channel->registers, SL_AVMM_CONTROL_LAST_PTR_OFFSET, place);
}

/* ---------------------------------------------------------------------------------------------
 * Starting and stopping
 */
static void avmm_start(struct sluice_chan *channel)
{
	sluice_write(channel->registers, SL_AVMM_CONTROL_RC_BASE_LO_OFFSET,
		     lower_32_bits(channel->address));
	sluice_write(channel->registers, SL_AVMM_CONTROL_RC_BASE_HI_OFFSET,
		     upper_32_bits(channel->address));
	sluice_write(channel->registers, SL_AVMM_CONTROL_TABLE_SIZE_OFFSET, AVMM_PLACES - 1);
	sluice_write(channel->registers, SL_AVMM_CONTROL_CONTROL_OFFSET,
		     SL_AVMM_CONTROL_CONTROL_DONE_MASK);
	sluice_write(channel->extension, SL_AVMM_EXT_VECTOR_OFFSET, channel->vector);
	sluice_write(channel->extension, SL_AVMM_EXT_CONTROL_OFFSET,
		     SL_AVMM_EXT_CONTROL_BYTES_MASK | SL_AVMM_EXT_CONTROL_ERROR_WORDS_MASK);
}

static void avmm_put(struct sluice_chan *channel, struct sluice_tx *tx, u32 place, u32 places)
{
	const struct sluice_chunk *chunk = &tx->chunk[tx->given - 1];
	bool to_card = channel->direction == DMA_MEM_TO_DEV;
	struct avmm_memory *memory = channel->memory;
	struct avmm_desc *desc = &memory->desc[place];
	u64 card = tx->card + tx->placed;

	if (channel->state == SLUICE_IDLE && channel->head == 1)
		avmm_start(channel);
	memory->status[place] = 0;
	desc->source = cpu_to_le64(to_card ? chunk->host : card);
	desc->destination = cpu_to_le64(to_card ? card : chunk->host);
	desc->control = cpu_to_le32(FIELD_PREP(SL_AVMM_DESC_CONTROL_ID_MASK, place));
	desc->bytes = cpu_to_le32(chunk->bytes);
	if (tx->given == tx->chunks)
		avmm_request(channel, place);
}

/* What of the last transfer was put and not requested, since the table is full. */
static void avmm_kick(struct sluice_chan *channel, u32 chunks)
{
	const struct sluice_tx *last = list_last_entry(&channel->active, struct sluice_tx, node);

	if (last->given < last->chunks)
		avmm_request(channel, (channel->head - 1) % AVMM_PLACES);
}

static void avmm_reset(struct sluice_chan *channel)
{
	sluice_write(channel->extension, SL_AVMM_EXT_CONTROL_OFFSET,
		     SL_AVMM_EXT_CONTROL_RESET_MASK);
}

static bool avmm_stopped(struct sluice_chan *channel)
{
	u32 control = sluice_read(channel->extension, SL_AVMM_EXT_CONTROL_OFFSET);

	return !(control & SL_AVMM_EXT_CONTROL_RESET_MASK); /* all ones: not so */
}

/* ---------------------------------------------------------------------------------------------
 * What the card says
 */
static enum dmaengine_tx_result avmm_result(u32 word)
{
	u32 cause = FIELD_GET(SL_AVMM_STATUS_STATUS_CAUSE_MASK, word);

	if (!(word & SL_AVMM_STATUS_STATUS_ERROR_MASK))
		return DMA_TRANS_NOERROR;
	return cause & SL_AVMM_EXT_ERROR_READ_MASK  ? DMA_TRANS_READ_FAILED :
	       cause & SL_AVMM_EXT_ERROR_WRITE_MASK ? DMA_TRANS_WRITE_FAILED :
						      DMA_TRANS_ABORTED;
}

static void avmm_serve(struct sluice_chan *channel)
{
	const struct avmm_memory *memory = channel->memory;

	while (channel->tail != channel->head) {
		u32 word = le32_to_cpu(READ_ONCE(memory->status[channel->tail % AVMM_PLACES]));
		enum dmaengine_tx_result result;

		if (!word)
			break;
		dma_rmb(); /* the word before the data */
		result = avmm_result(word);
		if (result != DMA_TRANS_NOERROR)
			dev_err_ratelimited(&channel->card->pdev->dev, "%s: error, status %#x\n",
					    channel->name, word);
		sluice_chan_retire(channel, sluice_chan_oldest(channel)->bytes, result);
	}
	sluice_chan_feed(channel);
}

static const struct sluice_engine_ops avmm_ops = {
	.places = AVMM_PLACES,
	.ring = AVMM_IN_FLIGHT,
	.max_bytes = SL_AVMM_DESC_LENGTH_BYTES_MASK & ~0xfffU,
	.memory_bytes = sizeof(struct avmm_memory),
	.put = avmm_put,
	.kick = avmm_kick,
	.serve = avmm_serve,
	.reset = avmm_reset,
	.stopped = avmm_stopped,
};

static void avmm_find_channel(struct sluice_card *card, const char *name,
			      enum dma_transfer_direction direction, unsigned int registers,
			      unsigned int extension)
{
	struct sluice_chan *channel = sluice_card_add_channel(card, name, direction);

	channel->registers = card->registers + registers;
	channel->extension = card->registers + extension;
}

/**
 * sluice_avmm_find - Look for our card with tables of descriptors behind a BAR
 * @card: with registers
 *
 * Return: 0, or -ENODEV.
 */
int sluice_avmm_find(struct sluice_card *card)
{
	resource_size_t needs = AVMM_CARD_PAGE_OFFSET + SL_DESIGN_PAGE_WINDOW;
	u32 capability;

	if (pci_resource_len(card->pdev, card->bar) < needs ||
	    sluice_read(card->registers, AVMM_CARD_PAGE_OFFSET) != AVMM_DESIGN)
		return -ENODEV;
	capability = sluice_read(card->registers, AVMM_CARD_RD_EXT_OFFSET);
	if ((capability & AVMM_ID_MASK) != (SL_AVMM_EXT_CAPABILITY_DEFAULT & AVMM_ID_MASK) ||
	    (capability & AVMM_NEEDS) != AVMM_NEEDS)
		return dev_err_probe(&card->pdev->dev, -ENODEV,
				     "tables of descriptors with extension %#x\n", capability);
	card->ops = &avmm_ops;
	card->ours = true;
	avmm_find_channel(card, "h2c0", DMA_MEM_TO_DEV, AVMM_CARD_RD_OFFSET,
			  AVMM_CARD_RD_EXT_OFFSET);
	avmm_find_channel(card, "c2h0", DMA_DEV_TO_MEM, AVMM_CARD_WR_OFFSET,
			  AVMM_CARD_WR_EXT_OFFSET);
	return 0;
}
