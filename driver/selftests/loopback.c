// SPDX-License-Identifier: GPL-2.0-only
/*
 * What goes out at "tx" must come in at "rx", whatever the pieces of memory on either side.
 *
 * A packet is cut twice at random, into up to PIECES pieces to send and as many to receive into,
 * each anywhere in a chunk of its own. Up to PACKETS packets are in flight. (An engine without
 * scatter-gather, in xilinx_dma's hands, is good for one packet of one piece and tells no residue:
 * see the settings.)
 * Behind and before a piece to receive into stands a guard that nobody may write. Who owns a chunk:
 *
 *   CPU     fills and guards it; dma_sync_*_for_device() hands it over
 *   engine  until the packet's callback; dma_sync_*_for_cpu() hands it back
 *   CPU     compares
 *
 * So a forgotten dma_sync_*() of skip_sync shows wherever memory is not coherent.
 */

#include <linux/completion.h>
#include <linux/debugfs.h>
#include <linux/dma-mapping.h>
#include <linux/dmaengine.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/scatterlist.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include "selftest.h"

#define CHUNK_BYTES	SZ_64K
#define PIECES		4
#define PACKETS		4
#define MARGIN		SZ_4K			/* of a chunk: for offsets, and a guard */
#define PIECE_MAX	(CHUNK_BYTES - 2 * MARGIN)
#define PACKET_MAX	(PIECES * PIECE_MAX)
#define GUARD_BYTES	64
#define GUARD		0xa5

enum { SKIP_NONE, SKIP_DEVICE, SKIP_CPU };

static unsigned int skip_sync;
module_param(skip_sync, uint, 0600);
MODULE_PARM_DESC(skip_sync, "Forget a dma_sync: 1 before sending, 2 after receiving (default 0)");

/**
 * struct piece - Part of a packet, in a chunk
 * @data: the chunk
 * @dma: the chunk's address for the engine
 * @offset: of the part in the chunk
 * @bytes: of the part
 */
struct piece {
	u8 *data;
	dma_addr_t dma;
	size_t offset;
	size_t bytes;
};

/**
 * struct side - A packet on one side of the stream
 * @piece: its parts
 * @pieces: how many are used
 * @list: the same for dmaengine
 * @done: the engine's driver has called back
 * @result: what it said
 */
struct side {
	struct piece piece[PIECES];
	unsigned int pieces;
	struct scatterlist list[PIECES];
	struct completion done;
	struct dmaengine_result result;
};

struct packet {
	size_t bytes;
	size_t spare; /* of the receiving side, beyond the packet */
	struct side tx;
	struct side rx;
};

struct loopback {
	struct selftest test;
	struct dma_chan *tx;
	struct dma_chan *rx;
	size_t align;
	struct rnd_state random;
	u32 bytes; /* of a run */
	u32 packet_max; /* bytes */
	u32 packets_max; /* in flight */
	u32 pieces_max; /* of a packet, on either side */
	u32 short_one_in; /* packets, that is received into a larger buffer; 0: none */
	struct packet packet[PACKETS];
};

static u32 draw(struct loopback *loop, u32 low, u32 high)
{
	return low + prandom_u32_state(&loop->random) % (high - low + 1);
}

/* Small and large ones alike. */
static size_t draw_bytes(struct loopback *loop)
{
	u32 most = clamp_t(u32, loop->packet_max, 1, loop->pieces_max * PIECE_MAX);

	return draw(loop, 1, max(most >> draw(loop, 0, 17), 1U));
}

/* ---------------------------------------------------------------------------------------------
 * Packets
 */
static void cut(struct loopback *loop, struct side *side, size_t bytes, unsigned int pieces)
{
	unsigned int i;

	for (i = 0; bytes; i++) {
		struct piece *piece = &side->piece[i];
		size_t rest = (pieces - 1 - i) * PIECE_MAX; /* what the pieces behind can hold */
		size_t least = bytes > rest ? bytes - rest : 1;

		piece->bytes = draw(loop, least, min_t(size_t, bytes, PIECE_MAX));
		/* An engine without realignment joins pieces at whole beats. */
		piece->bytes = min(round_up(piece->bytes, loop->align), bytes);
		piece->offset = GUARD_BYTES +
				round_down(draw(loop, 0, MARGIN - 2 * GUARD_BYTES), loop->align);
		bytes -= piece->bytes;
	}
	side->pieces = i;
	sg_init_table(side->list, i);
	for (i = 0; i < side->pieces; i++) {
		sg_dma_address(&side->list[i]) = side->piece[i].dma + side->piece[i].offset;
		sg_dma_len(&side->list[i]) = side->piece[i].bytes;
	}
}

static void fill(struct loopback *loop, struct packet *packet)
{
	for (unsigned int i = 0; i < packet->tx.pieces; i++) {
		const struct piece *piece = &packet->tx.piece[i];

		prandom_bytes_state(&loop->random, piece->data + piece->offset, piece->bytes);
	}
	for (unsigned int i = 0; i < packet->rx.pieces; i++) {
		const struct piece *piece = &packet->rx.piece[i];

		memset(piece->data + piece->offset - GUARD_BYTES, GUARD,
		       piece->bytes + 2 * GUARD_BYTES);
	}
}

static void make(struct loopback *loop, struct packet *packet)
{
	packet->bytes = draw_bytes(loop);
	packet->spare = 0;
	if (loop->short_one_in && packet->bytes < PIECE_MAX &&
	    !draw(loop, 0, loop->short_one_in - 1))
		packet->spare = draw(loop, 1, PIECE_MAX - packet->bytes);
	cut(loop, &packet->tx, packet->bytes, loop->pieces_max);
	/* A larger contiguous buffer: the engine's driver waits for the last one of a packet. */
	cut(loop, &packet->rx, packet->bytes + packet->spare, packet->spare ? 1 : loop->pieces_max);
	fill(loop, packet);
}

static void hand_over(struct loopback *loop, struct packet *packet)
{
	struct device *tx = dmaengine_get_dma_device(loop->tx);
	struct device *rx = dmaengine_get_dma_device(loop->rx);

	for (unsigned int i = 0; skip_sync != SKIP_DEVICE && i < packet->tx.pieces; i++)
		dma_sync_single_range_for_device(tx, packet->tx.piece[i].dma,
						 packet->tx.piece[i].offset,
						 packet->tx.piece[i].bytes, DMA_TO_DEVICE);
	for (unsigned int i = 0; i < packet->rx.pieces; i++)
		dma_sync_single_range_for_device(rx, packet->rx.piece[i].dma,
						 packet->rx.piece[i].offset,
						 packet->rx.piece[i].bytes, DMA_FROM_DEVICE);
}

/* Bytes received, not those of the buffer: what the engine did not write nobody may read. */
static void hand_back(struct loopback *loop, struct packet *packet)
{
	struct device *tx = dmaengine_get_dma_device(loop->tx);
	struct device *rx = dmaengine_get_dma_device(loop->rx);
	size_t left = packet->bytes;

	for (unsigned int i = 0; i < packet->tx.pieces; i++)
		dma_sync_single_range_for_cpu(tx, packet->tx.piece[i].dma,
					      packet->tx.piece[i].offset,
					      packet->tx.piece[i].bytes, DMA_TO_DEVICE);
	for (unsigned int i = 0; skip_sync != SKIP_CPU && i < packet->rx.pieces; i++) {
		size_t bytes = min(left, packet->rx.piece[i].bytes);

		dma_sync_single_range_for_cpu(rx, packet->rx.piece[i].dma,
					      packet->rx.piece[i].offset, bytes, DMA_FROM_DEVICE);
		left -= bytes;
	}
}

static bool guarded(const struct packet *packet)
{
	size_t left = packet->bytes;

	for (unsigned int i = 0; i < packet->rx.pieces; i++) {
		const struct piece *piece = &packet->rx.piece[i];
		const u8 *data = piece->data + piece->offset;
		size_t bytes = min(left, piece->bytes);

		if (memchr_inv(data - GUARD_BYTES, GUARD, GUARD_BYTES) ||
		    memchr_inv(data + bytes, GUARD, piece->bytes - bytes + GUARD_BYTES))
			return false;
		left -= bytes;
	}
	return true;
}

static bool same(const struct packet *packet)
{
	const struct piece *tx = packet->tx.piece, *rx = packet->rx.piece;
	size_t tx_at = 0, rx_at = 0, left = packet->bytes;

	while (left) {
		size_t bytes = min3(tx->bytes - tx_at, rx->bytes - rx_at, left);

		if (memcmp(tx->data + tx->offset + tx_at, rx->data + rx->offset + rx_at, bytes))
			return false;
		left -= bytes;
		tx_at += bytes;
		rx_at += bytes;
		if (tx_at == tx->bytes) {
			tx++;
			tx_at = 0;
		}
		if (rx_at == rx->bytes) {
			rx++;
			rx_at = 0;
		}
	}
	return true;
}

/* ---------------------------------------------------------------------------------------------
 * Transfers
 */
static void called_back(void *data, const struct dmaengine_result *result)
{
	struct side *side = data;

	if (result)
		side->result = *result;
	complete(&side->done);
}

static int submit(struct dma_chan *chan, struct side *side, enum dma_transfer_direction direction)
{
	struct dma_async_tx_descriptor *transfer;

	reinit_completion(&side->done);
	side->result = (struct dmaengine_result){ .result = DMA_TRANS_NOERROR };
	transfer = dmaengine_prep_slave_sg(chan, side->list, side->pieces, direction,
					   DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
	if (!transfer)
		return -ENOMEM;
	transfer->callback_result = called_back;
	transfer->callback_param = side;
	return dma_submit_error(dmaengine_submit(transfer));
}

static int start(struct loopback *loop, unsigned int packets)
{
	int ret;

	for (unsigned int i = 0; i < packets; i++) {
		ret = submit(loop->rx, &loop->packet[i].rx, DMA_DEV_TO_MEM);
		if (ret)
			return ret;
		ret = submit(loop->tx, &loop->packet[i].tx, DMA_MEM_TO_DEV);
		if (ret)
			return ret;
	}
	dma_async_issue_pending(loop->rx);
	dma_async_issue_pending(loop->tx);
	return 0;
}

static int wait(struct loopback *loop, struct side *side)
{
	unsigned long limit = msecs_to_jiffies(loop->test.timeout_ms);
	long left = wait_for_completion_killable_timeout(&side->done, limit);

	return left > 0 ? 0 : left ?: -ETIMEDOUT;
}

static int finish(struct loopback *loop, unsigned int packets)
{
	int ret;

	for (unsigned int i = 0; i < packets; i++) {
		ret = wait(loop, &loop->packet[i].tx) ?: wait(loop, &loop->packet[i].rx);
		if (ret)
			return ret;
		loop->test.result.callbacks += 2;
	}
	return 0;
}

static int verify(struct loopback *loop, const struct packet *packet)
{
	struct selftest_result *result = &loop->test.result;
	const char *wrong = NULL;

	if (packet->tx.result.result != DMA_TRANS_NOERROR ||
	    packet->rx.result.result != DMA_TRANS_NOERROR)
		wrong = "the engine's driver says that it failed";
	else if (packet->rx.result.residue != packet->spare)
		wrong = "its residue is wrong";
	else if (!same(packet))
		wrong = "other data came than went";
	else if (!guarded(packet))
		wrong = "memory beside it was written";
	if (wrong) {
		result->errors++;
		dev_err(loop->test.dev, "packet %llu of %zu bytes, %u pieces to %u, residue %u: %s\n",
			result->packets, packet->bytes, packet->tx.pieces, packet->rx.pieces,
			packet->rx.result.residue, wrong);
		return -EIO;
	}
	result->bytes += packet->bytes;
	result->packets++;
	result->segments += packet->tx.pieces + packet->rx.pieces;
	result->short_packets += packet->spare > 0;
	return 0;
}

static int batch(struct loopback *loop)
{
	unsigned int packets = draw(loop, 1, loop->packets_max);
	ktime_t before;
	int ret;

	for (unsigned int i = 0; i < packets; i++) {
		make(loop, &loop->packet[i]);
		hand_over(loop, &loop->packet[i]);
	}
	before = ktime_get();
	ret = start(loop, packets) ?: finish(loop, packets);
	loop->test.result.moving_ns += ktime_to_ns(ktime_sub(ktime_get(), before));
	if (ret) {
		dmaengine_terminate_sync(loop->tx);
		dmaengine_terminate_sync(loop->rx);
		return ret;
	}
	for (unsigned int i = 0; i < packets; i++) {
		hand_back(loop, &loop->packet[i]);
		ret = verify(loop, &loop->packet[i]);
		if (ret)
			return ret;
	}
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * Memory
 */
static void unmap_side(struct dma_chan *chan, struct side *side, enum dma_data_direction direction)
{
	for (unsigned int i = 0; i < PIECES; i++) {
		if (side->piece[i].dma != DMA_MAPPING_ERROR)
			dma_unmap_single(dmaengine_get_dma_device(chan), side->piece[i].dma,
					 CHUNK_BYTES, direction);
		side->piece[i].dma = DMA_MAPPING_ERROR;
	}
}

static int map_side(struct dma_chan *chan, struct side *side, enum dma_data_direction direction)
{
	struct device *dev = dmaengine_get_dma_device(chan);

	for (unsigned int i = 0; i < PIECES; i++) {
		side->piece[i].dma = dma_map_single(dev, side->piece[i].data, CHUNK_BYTES,
						    direction);
		if (dma_mapping_error(dev, side->piece[i].dma)) {
			side->piece[i].dma = DMA_MAPPING_ERROR;
			return -ENOMEM;
		}
	}
	return 0;
}

static void unmap(struct loopback *loop)
{
	for (unsigned int i = 0; i < PACKETS; i++) {
		unmap_side(loop->tx, &loop->packet[i].tx, DMA_TO_DEVICE);
		unmap_side(loop->rx, &loop->packet[i].rx, DMA_FROM_DEVICE);
	}
}

static int map(struct loopback *loop)
{
	int ret;

	for (unsigned int i = 0; i < PACKETS; i++) {
		ret = map_side(loop->tx, &loop->packet[i].tx, DMA_TO_DEVICE) ?:
		      map_side(loop->rx, &loop->packet[i].rx, DMA_FROM_DEVICE);
		if (ret)
			return ret;
	}
	return 0;
}

static int allocate_side(struct device *dev, struct side *side)
{
	init_completion(&side->done);
	for (unsigned int i = 0; i < PIECES; i++) {
		side->piece[i].dma = DMA_MAPPING_ERROR;
		side->piece[i].data = (u8 *)devm_get_free_pages(dev, GFP_KERNEL,
								get_order(CHUNK_BYTES));
		if (!side->piece[i].data)
			return -ENOMEM;
	}
	return 0;
}

static int loopback_run(struct selftest *test)
{
	struct loopback *loop = container_of(test, struct loopback, test);
	int ret;

	loop->packets_max = clamp_t(u32, loop->packets_max, 1, PACKETS);
	loop->pieces_max = clamp_t(u32, loop->pieces_max, 1, PIECES);
	prandom_seed_state(&loop->random, test->seed);
	ret = map(loop);
	while (!ret && test->result.bytes < loop->bytes)
		ret = batch(loop);
	unmap(loop);
	return ret;
}

int selftest_loopback_probe(struct platform_device *pdev)
{
	struct device *dev = &pdev->dev;
	struct loopback *loop;
	int ret;

	loop = devm_kzalloc(dev, sizeof(*loop), GFP_KERNEL);
	if (!loop)
		return -ENOMEM;
	loop->test = (struct selftest){
		.dev = dev,
		.run = loopback_run,
		.seed = 1,
		.timeout_ms = 20000,
	};
	loop->bytes = SZ_1M;
	loop->packet_max = PACKET_MAX;
	loop->packets_max = PACKETS;
	loop->pieces_max = PIECES;
	loop->short_one_in = 8;
	loop->tx = selftest_channel(dev, "tx");
	if (IS_ERR(loop->tx))
		return PTR_ERR(loop->tx);
	loop->rx = selftest_channel(dev, "rx");
	if (IS_ERR(loop->rx))
		return PTR_ERR(loop->rx);
	loop->align = 1 << max(loop->tx->device->copy_align, loop->rx->device->copy_align);
	for (unsigned int i = 0; i < PACKETS; i++) {
		ret = allocate_side(dev, &loop->packet[i].tx) ?:
		      allocate_side(dev, &loop->packet[i].rx);
		if (ret)
			return ret;
	}
	ret = selftest_add(&loop->test);
	if (ret)
		return ret;
	debugfs_create_u32("bytes", 0600, loop->test.folder, &loop->bytes);
	debugfs_create_u32("packet_max", 0600, loop->test.folder, &loop->packet_max);
	debugfs_create_u32("packets_max", 0600, loop->test.folder, &loop->packets_max);
	debugfs_create_u32("pieces_max", 0600, loop->test.folder, &loop->pieces_max);
	debugfs_create_u32("short_one_in", 0600, loop->test.folder, &loop->short_one_in);
	return 0;
}
