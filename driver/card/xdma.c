// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registers of AMD's XDMA (PG195), and the ring of descriptors that a channel works through.
 *
 * The channel fetches by credits: a descriptor is put into the ring, a credit allows its fetch, and
 * the channel goes on without being stopped and started. So one write to the card starts any number
 * of transfers, and what follows later is appended while the card works. COMPLETED_COUNT says how
 * far it is. A transfer without end does without credits: its descriptors are a loop.
 *
 * What a register says is believed only so far as it can be true: at a count beyond what the ring
 * has, and at all ones, which nobody answers with, the channel is reset, and what it had fails.
 *
 * At an error the channel stops by itself, and drops what follows. RUN has to be cleared and the
 * channel to be idle before it starts again, from the transfer after the failed one on.
 */

#include <linux/bitfield.h>
#include <linux/io.h>
#include <linux/pci.h>

#include "card.h"
#include "sl_design_page.h"
#include "sl_xdma.h"
#include "sl_xdma_channel.h"
#include "sl_xdma_common.h"
#include "sl_xdma_config.h"
#include "sl_xdma_desc.h"
#include "sl_xdma_irq.h"
#include "sl_xdma_result.h"
#include "sl_xdma_sgdma.h"
#include "xdma_card.h"

#define XDMA_RING	512U	/* a power of two, and fewer than credits can be counted */
#define XDMA_BLOCK	64U	/* descriptors that lie together */
#define XDMA_TELL	128U	/* chunks of a long transfer after which it is told */
#define XDMA_BLOCK_ID	0xffff0000U	/* of an identifier: all but the version */
#define XDMA_MEMORY	0x534c584dU	/* SLXM: our card with memory */
#define XDMA_STREAM	0x534c5853U	/* SLXS: with streams */

/* Bits of STATUS, of IRQ_MASK, and of CONTROL, where they have the same places. */
#define XDMA_READ_ERRORS	SL_XDMA_CHANNEL_CONTROL_IE_READ_ERROR_MASK
#define XDMA_WRITE_ERRORS	SL_XDMA_CHANNEL_CONTROL_IE_WRITE_ERROR_MASK
#define XDMA_ERRORS							\
	(XDMA_READ_ERRORS | XDMA_WRITE_ERRORS |				\
	 SL_XDMA_CHANNEL_CONTROL_IE_DESC_ERROR_MASK |			\
	 SL_XDMA_CHANNEL_CONTROL_IE_ALIGN_MISMATCH_MASK |		\
	 SL_XDMA_CHANNEL_CONTROL_IE_MAGIC_STOPPED_MASK |		\
	 SL_XDMA_CHANNEL_CONTROL_IE_INVALID_LENGTH_MASK)
#define XDMA_EVENTS	(XDMA_ERRORS | SL_XDMA_CHANNEL_CONTROL_IE_DESC_COMPLETED_MASK)

/**
 * struct xdma_desc - A descriptor in the host's memory: regs/sl_xdma_desc.rdl
 * @control: magic number and flags
 * @length: in bytes
 * @source: address
 * @destination: address
 * @next: address of the next one
 */
struct xdma_desc {
	__le32 control;
	__le32 length;
	__le64 source;
	__le64 destination;
	__le64 next;
};

/**
 * struct xdma_result - What a card says of a received descriptor: regs/sl_xdma_result.rdl
 * @status: magic number, end of packet
 * @length: in bytes
 */
struct xdma_result {
	__le32 status;
	__le32 length;
};

/**
 * struct xdma_memory - What a channel shares with the card
 * @desc: the ring
 * @result: one for each of them
 * @ignored: where results go that nobody reads
 */
struct xdma_memory {
	struct xdma_desc desc[XDMA_RING];
	struct xdma_result result[XDMA_RING];
	struct xdma_result ignored;
};

static void __iomem *xdma_config(struct sluice_chan *channel)
{
	return channel->card->registers + SL_XDMA_CONFIG_OFFSET;
}

static void __iomem *xdma_irq(struct sluice_chan *channel)
{
	return channel->card->registers + SL_XDMA_IRQ_OFFSET;
}

static bool xdma_receives(const struct sluice_chan *channel)
{
	return channel->card->stream && channel->direction == DMA_DEV_TO_MEM;
}

/* ---------------------------------------------------------------------------------------------
 * The ring
 */
/* Descriptors that lie together behind one, in a ring of so many. */
static u32 xdma_adjacent(u32 place, u32 places)
{
	u32 block = round_down(place, XDMA_BLOCK);

	return min(XDMA_BLOCK, places - block) - 1 - (place - block);
}

static dma_addr_t xdma_desc_address(struct sluice_chan *channel, u32 place)
{
	return channel->address + offsetof(struct xdma_memory, desc[place]);
}

/* Where a stream's channel says what has come; 0 would mean "nowhere" to our cards alone. */
static dma_addr_t xdma_result_address(struct sluice_chan *channel, u32 place, bool cyclic)
{
	return channel->address + (cyclic ? offsetof(struct xdma_memory, ignored) :
					    offsetof(struct xdma_memory, result[place]));
}

static u32 xdma_desc_control(const struct sluice_chan *channel, const struct sluice_tx *tx)
{
	bool last = tx->given == tx->chunks;
	u32 control = SL_XDMA_DESC_CONTROL_DEFAULT;

	if (last || tx->cyclic || !(tx->given % XDMA_TELL))
		control |= SL_XDMA_DESC_CONTROL_COMPLETED_MASK;
	if (last && channel->card->stream && channel->direction == DMA_MEM_TO_DEV)
		control |= SL_XDMA_DESC_CONTROL_EOP_MASK;
	return control;
}

static void xdma_put(struct sluice_chan *channel, struct sluice_tx *tx, u32 place, u32 places)
{
	const struct sluice_chunk *chunk = &tx->chunk[tx->given - 1];
	bool to_card = channel->direction == DMA_MEM_TO_DEV;
	struct xdma_memory *memory = channel->memory;
	struct xdma_desc *desc = &memory->desc[place];
	u64 card = tx->card + tx->placed;
	u32 next = (place + 1) % places;

	if (xdma_receives(channel)) {
		card = xdma_result_address(channel, place, tx->cyclic);
		memory->result[place].status = 0;
	}
	desc->length = cpu_to_le32(chunk->bytes);
	desc->source = cpu_to_le64(to_card ? chunk->host : card);
	desc->destination = cpu_to_le64(to_card ? card : chunk->host);
	desc->next = cpu_to_le64(xdma_desc_address(channel, next));
	desc->control = cpu_to_le32(xdma_desc_control(channel, tx) |
				    FIELD_PREP(SL_XDMA_DESC_CONTROL_NEXT_ADJACENT_MASK,
					       xdma_adjacent(next, places)));
}

/* ---------------------------------------------------------------------------------------------
 * Starting and stopping
 */
static void xdma_run(struct sluice_chan *channel, u32 places, bool credits)
{
	void __iomem *common = channel->card->registers + SL_XDMA_COMMON_OFFSET;
	dma_addr_t first = xdma_desc_address(channel, 0);

	sluice_write(common, credits ? SL_XDMA_COMMON_CREDIT_MODE_W1S_OFFSET :
				       SL_XDMA_COMMON_CREDIT_MODE_W1C_OFFSET, channel->common);
	sluice_write(channel->extension, SL_XDMA_SGDMA_FIRST_LO_OFFSET, lower_32_bits(first));
	sluice_write(channel->extension, SL_XDMA_SGDMA_FIRST_HI_OFFSET, upper_32_bits(first));
	sluice_write(channel->extension, SL_XDMA_SGDMA_FIRST_ADJACENT_OFFSET,
		     xdma_adjacent(0, places));
	sluice_write(channel->registers, SL_XDMA_CHANNEL_CONTROL_OFFSET,
		     XDMA_EVENTS | SL_XDMA_CHANNEL_CONTROL_RUN_MASK);
}

static void xdma_kick(struct sluice_chan *channel, u32 chunks)
{
	if (channel->state == SLUICE_IDLE)
		xdma_run(channel, XDMA_RING, true);
	sluice_write(channel->extension, SL_XDMA_SGDMA_CREDITS_OFFSET, chunks);
}

static void xdma_cycle(struct sluice_chan *channel, u32 chunks)
{
	xdma_run(channel, chunks, false);
}

static void xdma_pause(struct sluice_chan *channel)
{
	sluice_write(channel->registers, SL_XDMA_CHANNEL_CONTROL_W1C_OFFSET,
		     SL_XDMA_CHANNEL_CONTROL_RUN_MASK);
}

/*
 * Bursts on the bus end as the protocol wants it. A card without that register, AMD's own, carries
 * out the descriptors that have begun.
 */
static void xdma_reset(struct sluice_chan *channel)
{
	if (channel->card->ours)
		sluice_write(xdma_config(channel), SL_XDMA_CONFIG_RESET_OFFSET, channel->common);
	else
		xdma_pause(channel);
}

static bool xdma_stopped(struct sluice_chan *channel)
{
	u32 status = sluice_read(channel->registers, SL_XDMA_CHANNEL_STATUS_OFFSET);

	if (status & SL_XDMA_CHANNEL_STATUS_BUSY_MASK) /* of all ones, too */
		return false;
	return !channel->card->ours ||
	       !(sluice_read(xdma_config(channel), SL_XDMA_CONFIG_RESET_OFFSET) & channel->common);
}

/* Which vector the channel's interrupt has: a byte each, four to a register. */
static void xdma_route(struct sluice_chan *channel)
{
	unsigned int offset = SL_XDMA_IRQ_CHANNEL_VECTOR0_OFFSET + round_down(channel->line, 4);
	unsigned int shift = 8 * (channel->line % 4);
	u32 others = sluice_read(xdma_irq(channel), offset) & ~(0xffU << shift);

	sluice_write(xdma_irq(channel), offset, others | channel->vector << shift);
}

static void xdma_setup(struct sluice_chan *channel)
{
	xdma_route(channel);
	sluice_write(channel->registers, SL_XDMA_CHANNEL_CONTROL_OFFSET, XDMA_EVENTS);
	sluice_write(channel->registers, SL_XDMA_CHANNEL_IRQ_MASK_OFFSET, XDMA_EVENTS);
	sluice_write(xdma_irq(channel), SL_XDMA_IRQ_CHANNEL_ENABLE_W1S_OFFSET, BIT(channel->line));
}

/* ---------------------------------------------------------------------------------------------
 * What the card says
 */
static u32 xdma_count(struct sluice_chan *channel)
{
	return sluice_read(channel->registers, SL_XDMA_CHANNEL_COMPLETED_COUNT_OFFSET);
}

static void xdma_retire_oldest(struct sluice_chan *channel)
{
	u32 expected = sluice_chan_oldest(channel)->bytes, bytes;
	const struct xdma_memory *memory = channel->memory;
	const struct xdma_result *result = &memory->result[channel->tail % XDMA_RING];
	u32 magic = le32_to_cpu(READ_ONCE(result->status)) & SL_XDMA_RESULT_STATUS_MAGIC_MASK;

	if (!xdma_receives(channel)) {
		sluice_chan_retire(channel, expected, DMA_TRANS_NOERROR);
		return;
	}
	bytes = le32_to_cpu(READ_ONCE(result->length));
	sluice_chan_retire(channel, bytes,
			   magic == SL_XDMA_RESULT_STATUS_DEFAULT && bytes <= expected ?
				   DMA_TRANS_NOERROR : DMA_TRANS_WRITE_FAILED);
}

static void xdma_error(struct sluice_chan *channel, u32 status)
{
	dev_err_ratelimited(&channel->card->pdev->dev, "%s: error, status %#x\n", channel->name,
			    status);
	sluice_chan_fail_first(channel, status & XDMA_READ_ERRORS  ? DMA_TRANS_READ_FAILED :
					status & XDMA_WRITE_ERRORS ? DMA_TRANS_WRITE_FAILED :
								     DMA_TRANS_ABORTED);
}

/* Returns false if that cannot be. */
static bool xdma_completed(struct sluice_chan *channel, u32 count)
{
	if (channel->state == SLUICE_CYCLES) {
		sluice_chan_advance(channel, count);
		return true;
	}
	if (count - channel->tail > channel->head - channel->tail) {
		dev_err(&channel->card->pdev->dev, "%s: %u descriptors completed, of %u\n",
			channel->name, count, channel->head);
		return false;
	}
	dma_rmb(); /* the count before the results */
	while (channel->tail != count)
		xdma_retire_oldest(channel);
	return true;
}

/*
 * The status is read, and so cleared, before the count: what completes between the two is seen, and
 * announced by another interrupt.
 */
static void xdma_serve(struct sluice_chan *channel)
{
	u32 status = sluice_read(channel->registers, SL_XDMA_CHANNEL_STATUS_RC_OFFSET);
	u32 count = xdma_count(channel);

	if (status == SLUICE_ALL_ONES || !xdma_completed(channel, count))
		sluice_chan_abort(channel);
	else if (status & XDMA_ERRORS)
		xdma_error(channel, status);
	else
		sluice_chan_feed(channel);
}

static const struct sluice_engine_ops xdma_ops = {
	.places = XDMA_RING,
	.ring = XDMA_RING,
	.max_cyclic = XDMA_RING,
	.max_bytes = SL_XDMA_DESC_LENGTH_BYTES_MASK & ~0xfffU,
	.memory_bytes = sizeof(struct xdma_memory),
	.setup = xdma_setup,
	.put = xdma_put,
	.kick = xdma_kick,
	.cycle = xdma_cycle,
	.serve = xdma_serve,
	.count = xdma_count,
	.reset = xdma_reset,
	.pause = xdma_pause,
	.stopped = xdma_stopped,
};

/* ---------------------------------------------------------------------------------------------
 * Which channels there are
 */
/* Has it what AMD's has not: our design page behind the engine, and resets? */
static bool xdma_is_ours(struct sluice_card *card)
{
	u32 design;

	if (pci_resource_len(card->pdev, card->bar) < XDMA_CARD_PAGE_OFFSET + SL_DESIGN_PAGE_WINDOW)
		return false;
	design = sluice_read(card->registers, XDMA_CARD_PAGE_OFFSET);
	return design == XDMA_MEMORY || design == XDMA_STREAM;
}

static void xdma_find_channel(struct sluice_card *card, unsigned int number,
			      enum dma_transfer_direction direction)
{
	bool h2c = direction == DMA_MEM_TO_DEV;
	void __iomem *registers = card->registers +
				  (h2c ? SL_XDMA_H2C(number) : SL_XDMA_C2H(number));
	u32 identity = sluice_read(registers, SL_XDMA_CHANNEL_IDENTIFIER_OFFSET);
	struct sluice_chan *channel;
	char name[8];

	if ((identity & SL_XDMA_CHANNEL_IDENTIFIER_ID_MASK) != SL_XDMA_CHANNEL_IDENTIFIER_DEFAULT)
		return;
	card->stream = identity & SL_XDMA_CHANNEL_IDENTIFIER_STREAM_MASK;
	snprintf(name, sizeof(name), "%s%u", h2c ? "h2c" : "c2h", number);
	channel = sluice_card_add_channel(card, name, direction);
	channel->registers = registers;
	channel->extension = card->registers +
			     (h2c ? SL_XDMA_H2C_SGDMA(number) : SL_XDMA_C2H_SGDMA(number));
	channel->common = BIT(number + (h2c ? SL_XDMA_CONFIG_RESET_H2C0_SHIFT :
					      SL_XDMA_CONFIG_RESET_C2H0_SHIFT));
}

/**
 * sluice_xdma_find - Look for an XDMA behind a BAR
 * @card: with registers
 *
 * Return: 0, or -ENODEV.
 */
int sluice_xdma_find(struct sluice_card *card)
{
	u32 irq, config;

	if (pci_resource_len(card->pdev, card->bar) < SL_XDMA_WINDOW)
		return -ENODEV;
	irq = sluice_read(card->registers, SL_XDMA_IRQ_OFFSET);
	config = sluice_read(card->registers, SL_XDMA_CONFIG_OFFSET);
	if ((irq & XDMA_BLOCK_ID) != SL_XDMA_IRQ_IDENTIFIER_DEFAULT ||
	    (config & XDMA_BLOCK_ID) != SL_XDMA_CONFIG_IDENTIFIER_DEFAULT)
		return -ENODEV;
	card->ops = &xdma_ops;
	card->ours = xdma_is_ours(card);
	for (unsigned int number = 0; number < SL_XDMA_H2C_COUNT; number++)
		xdma_find_channel(card, number, DMA_MEM_TO_DEV);
	for (unsigned int number = 0; number < SL_XDMA_C2H_COUNT; number++)
		xdma_find_channel(card, number, DMA_DEV_TO_MEM);
	return card->channels ? 0 : -ENODEV;
}
