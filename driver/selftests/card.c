// SPDX-License-Identifier: GPL-2.0-only
/*
 * A card's memory through its DMA channels: what is written there must come back.
 *
 * Loaded with device=, the PCI function whose channels "h2c0" and "c2h0" are tested, it runs at
 * once: rounds= times a random number of bytes, in pieces anywhere in memory, to a random address
 * of the card's memory and back; the bytes around the pieces must stay as they were. Then, with
 * queued=, so many transfers are submitted and started by one dma_async_issue_pending(), and the
 * kernel's log says how many complete: all but the first within patience_ms=. Loading fails with
 * what went wrong.
 */

#include <linux/completion.h>
#include <linux/dma-mapping.h>
#include <linux/dmaengine.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/prandom.h>
#include <linux/scatterlist.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#define CHUNK_BYTES	SZ_64K
#define PIECES		4
#define PIECE_MAX	((size_t)CHUNK_BYTES / 2)
#define GUARD		0xa5
#define QUEUED_MAX	16
#define QUEUED_BYTES	SZ_4K
#define PATIENCE_MS	600000

static char *device;
module_param(device, charp, 0400);
MODULE_PARM_DESC(device, "PCI function, as 0000:00:01.0");
static unsigned int rounds = 50;
module_param(rounds, uint, 0400);
MODULE_PARM_DESC(rounds, "Transfers there and back (default 50)");
static unsigned int seed = 1;
module_param(seed, uint, 0400);
MODULE_PARM_DESC(seed, "Of random numbers (default 1)");
static unsigned int memory = SZ_1M;
module_param(memory, uint, 0400);
MODULE_PARM_DESC(memory, "Bytes of the card's memory to use (default 1 MiB)");

static unsigned int queued;
module_param(queued, uint, 0400);
MODULE_PARM_DESC(queued, "Transfers that one issue_pending starts (default 0, at most 16)");
static unsigned int patience_ms = PATIENCE_MS;
module_param(patience_ms, uint, 0400);
MODULE_PARM_DESC(patience_ms, "How long to wait for those behind the first (default 600000)");

/**
 * struct side - One direction
 * @chan: its channel
 * @direction: for dmaengine
 * @chunk: memory, of which a piece is a part
 * @dma: addresses of chunks
 * @list: the pieces
 * @done: the driver has called back
 */
struct side {
	struct dma_chan *chan;
	enum dma_transfer_direction direction;
	u8 *chunk[PIECES];
	dma_addr_t dma[PIECES];
	struct scatterlist list[PIECES];
	struct completion done;
};

static struct rnd_state state;

static u32 draw(u32 low, u32 high)
{
	return low + prandom_u32_state(&state) % (high - low + 1);
}

static enum dma_data_direction mapping(const struct side *side)
{
	return side->direction == DMA_MEM_TO_DEV ? DMA_TO_DEVICE : DMA_FROM_DEVICE;
}

static void done(void *data)
{
	complete(data);
}

/* The bytes, in pieces of at most half a chunk. */
static unsigned int cut(struct side *side, size_t bytes)
{
	unsigned int pieces = draw(DIV_ROUND_UP(bytes, PIECE_MAX), PIECES), used;

	sg_init_table(side->list, PIECES);
	for (used = 0; bytes; used++) {
		size_t rest = (pieces - 1 - used) * PIECE_MAX; /* what those behind can hold */
		size_t part = draw(bytes > rest ? bytes - rest : 1, min(bytes, PIECE_MAX));
		size_t offset = draw(0, CHUNK_BYTES - part);

		sg_dma_address(&side->list[used]) = side->dma[used] + offset;
		sg_dma_len(&side->list[used]) = part;
		side->list[used].length = part;
		side->list[used].offset = offset;
		bytes -= part;
	}
	return used;
}

/* Where in the card's memory the next ones go to, or come from. */
static int place(struct side *side, u32 card)
{
	struct dma_slave_config config = { .direction = side->direction };

	if (side->direction == DMA_MEM_TO_DEV)
		config.dst_addr = card;
	else
		config.src_addr = card;
	return dmaengine_slave_config(side->chan, &config);
}

static int submit(struct side *side, struct dma_async_tx_descriptor *tx)
{
	if (!tx)
		return -EIO;
	tx->callback = done;
	tx->callback_param = &side->done;
	return dma_submit_error(dmaengine_submit(tx));
}

static int transfer(struct side *side, unsigned int pieces, u32 card)
{
	int ret = place(side, card);

	if (ret)
		return ret;
	reinit_completion(&side->done);
	ret = submit(side, dmaengine_prep_slave_sg(side->chan, side->list, pieces, side->direction,
						   DMA_PREP_INTERRUPT));
	if (ret)
		return ret;
	dma_async_issue_pending(side->chan);
	if (!wait_for_completion_timeout(&side->done, msecs_to_jiffies(PATIENCE_MS)))
		return -ETIMEDOUT;
	return 0;
}

/* How many of those complete that were started at once; negative: an error. */
static int started_at_once(struct side *side)
{
	int completed = 0, ret = place(side, 0);

	reinit_completion(&side->done);
	for (unsigned int i = 0; !ret && i < queued; i++)
		ret = submit(side, dmaengine_prep_slave_single(side->chan, side->dma[0],
							       QUEUED_BYTES, side->direction,
							       DMA_PREP_INTERRUPT));
	if (ret)
		return ret;
	dma_async_issue_pending(side->chan);
	while (completed < queued &&
	       wait_for_completion_timeout(&side->done, msecs_to_jiffies(completed ? patience_ms :
									 PATIENCE_MS)))
		completed++;
	return completed;
}

static int round_trip(struct side *out, struct side *back, unsigned int number)
{
	size_t bytes = draw(1, 1U << draw(1, ilog2(PIECES * PIECE_MAX)));
	u32 card = draw(0, memory - bytes);
	unsigned int sent, got, from = 0, at = 0;
	int ret;

	sent = cut(out, bytes);
	for (unsigned int i = 0; i < sent; i++) {
		struct scatterlist *piece = &out->list[i];

		prandom_bytes_state(&state, out->chunk[i] + piece->offset, piece->length);
		dma_sync_single_for_device(out->chan->device->dev, out->dma[i], CHUNK_BYTES,
					   DMA_TO_DEVICE);
	}
	ret = transfer(out, sent, card);
	if (ret)
		return ret;

	got = cut(back, bytes);
	for (unsigned int i = 0; i < got; i++) {
		memset(back->chunk[i], GUARD, CHUNK_BYTES);
		dma_sync_single_for_device(back->chan->device->dev, back->dma[i], CHUNK_BYTES,
					   DMA_FROM_DEVICE);
	}
	ret = transfer(back, got, card);
	if (ret)
		return ret;
	for (unsigned int i = 0; i < got; i++) {
		struct scatterlist *piece = &back->list[i];

		dma_sync_single_for_cpu(back->chan->device->dev, back->dma[i], CHUNK_BYTES,
					DMA_FROM_DEVICE);
		for (size_t n = 0; n < CHUNK_BYTES; n++) {
			bool inside = n >= piece->offset && n < piece->offset + piece->length;
			u8 expected = GUARD;

			if (inside) {
				if (at == out->list[from].length) {
					from++;
					at = 0;
				}
				expected = out->chunk[from][out->list[from].offset + at++];
			}
			if (back->chunk[i][n] != expected) {
				pr_err("card test: round %u, %zu bytes at %#x: byte %zu of piece %u is %#x, not %#x\n",
				       number, bytes, card, n, i, back->chunk[i][n], expected);
				return -EILSEQ;
			}
		}
	}
	return 0;
}

static void release(struct side *side)
{
	if (IS_ERR_OR_NULL(side->chan))
		return;
	dmaengine_terminate_sync(side->chan);
	for (unsigned int i = 0; i < PIECES; i++) {
		if (side->dma[i])
			dma_unmap_single(side->chan->device->dev, side->dma[i], CHUNK_BYTES,
					 mapping(side));
		kfree(side->chunk[i]);
	}
	dma_release_channel(side->chan);
}

static int request(struct side *side, struct device *dev, const char *name)
{
	init_completion(&side->done);
	side->chan = dma_request_chan(dev, name);
	if (IS_ERR(side->chan))
		return PTR_ERR(side->chan);
	for (unsigned int i = 0; i < PIECES; i++) {
		side->chunk[i] = kzalloc(CHUNK_BYTES, GFP_KERNEL);
		if (!side->chunk[i])
			return -ENOMEM;
		side->dma[i] = dma_map_single(side->chan->device->dev, side->chunk[i],
					      CHUNK_BYTES, mapping(side));
		if (dma_mapping_error(side->chan->device->dev, side->dma[i])) {
			side->dma[i] = 0;
			return -ENOMEM;
		}
	}
	return 0;
}

static int __init card_init(void)
{
	struct side out = { .direction = DMA_MEM_TO_DEV }, back = { .direction = DMA_DEV_TO_MEM };
	struct device *dev = device ? bus_find_device_by_name(&pci_bus_type, NULL, device) : NULL;
	int ret;

	if (!dev)
		return -ENODEV;
	if (memory < PIECES * PIECE_MAX || queued > QUEUED_MAX) {
		ret = -EINVAL;
		goto put;
	}
	prandom_seed_state(&state, seed);
	ret = request(&out, dev, "h2c0") ?: request(&back, dev, "c2h0");
	for (unsigned int i = 0; !ret && i < rounds; i++)
		ret = round_trip(&out, &back, i);
	if (!ret && queued) {
		ret = started_at_once(&out);
		if (ret >= 0)
			pr_info("card test: %s: %d of %u completed\n", device, ret, queued);
		ret = min(ret, 0);
	}
	release(&back);
	release(&out);
	pr_info("card test: %s: %d\n", device, ret);
put:
	put_device(dev);
	return ret;
}
module_init(card_init);

static void __exit card_exit(void)
{
}
module_exit(card_exit);

MODULE_DESCRIPTION("Test of a card's memory through its DMA channels");
MODULE_LICENSE("GPL");
