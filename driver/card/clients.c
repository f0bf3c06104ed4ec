// SPDX-License-Identifier: GPL-2.0-only
/*
 * The platform device by which sluice.ko knows a card: its properties have the names of those of a
 * device tree's node, and its resources are where the card's memory, or its streams, are.
 */

#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/property.h>
#include <linux/slab.h>

#include "card.h"
#include "sl_hp_lane.h"
#include "sl_stream_sink.h"
#include "sl_stream_source.h"
#include "xdma_card.h"

#define SLUICE_MEMORY_BAR	2	/* of our cards with memory: all of it, from 0 */
#define SLUICE_PROPERTIES	7

/* Source, sink and loop-back around each pair of a stream card's channels: for sluice.ko. */
static const struct {
	const char *compatible;
	u32 offset;
	u32 bytes;
} sluice_lane_block[] = {
	{ "sluice,stream-source", XDMA_CARD_STREAM_SOURCE_OFFSET, SL_STREAM_SOURCE_WINDOW },
	{ "sluice,stream-sink", XDMA_CARD_STREAM_SINK_OFFSET, SL_STREAM_SINK_WINDOW },
	{ "sluice,lane-control", XDMA_CARD_STREAM_CONTROL_OFFSET, SL_HP_LANE_WINDOW },
};

#define SLUICE_LANE_BLOCKS	(XDMA_CARD_STREAM_COUNT * ARRAY_SIZE(sluice_lane_block))

static const char * const sluice_lanes[XDMA_CARD_STREAM_COUNT] = { "s0", "s1", "s2", "s3" };

/**
 * struct sluice_controls - What is around a card's channels
 * @count: of all that follow
 * @compatible: what each is
 * @name: what its attributes begin with
 * @registers: where it is
 */
struct sluice_controls {
	unsigned int count;
	const char *compatible[SLUICE_LANE_BLOCKS];
	const char *name[SLUICE_LANE_BLOCKS];
	struct resource registers[SLUICE_LANE_BLOCKS];
};

/* A pair of channels each, of which one may not be there. */
static unsigned int sluice_lane_count(const struct sluice_card *card)
{
	unsigned int to_card = 0;

	for (unsigned int i = 0; i < card->channels; i++)
		to_card += card->channel[i].direction == DMA_MEM_TO_DEV;
	return max(to_card, card->channels - to_card);
}

static void sluice_list_controls(struct sluice_card *card, struct sluice_controls *controls)
{
	struct resource *bar = &card->pdev->resource[card->bar];
	unsigned int lanes = card->ours && card->stream ? sluice_lane_count(card) : 0;

	controls->count = 0;
	for (unsigned int lane = 0; lane < lanes; lane++) {
		for (size_t i = 0; i < ARRAY_SIZE(sluice_lane_block); i++) {
			unsigned int number = controls->count++;
			resource_size_t start = bar->start + sluice_lane_block[i].offset +
						lane * XDMA_CARD_STREAM_STRIDE;

			controls->compatible[number] = sluice_lane_block[i].compatible;
			controls->name[number] = sluice_lanes[lane];
			controls->registers[number] = (struct resource){
				.start = start,
				.end = start + sluice_lane_block[i].bytes - 1,
				.flags = IORESOURCE_MEM,
				.parent = bar,
			};
		}
	}
}

static const char *sluice_direction_word(const struct sluice_chan *channel)
{
	bool to_card = channel->direction == DMA_MEM_TO_DEV;

	if (channel->card->stream)
		return to_card ? "tx" : "rx";
	return to_card ? "to-card" : "from-card";
}

/* Of AMD's own cards nobody knows which BAR is their memory. */
static struct resource sluice_memory_resource(struct sluice_card *card)
{
	struct resource *bar = &card->pdev->resource[SLUICE_MEMORY_BAR];

	if (!card->ours || card->stream || !(bar->flags & IORESOURCE_MEM))
		return (struct resource){};
	return (struct resource){
		.start = bar->start,
		.end = bar->end,
		.name = "memory",
		.flags = IORESOURCE_MEM,
		.parent = bar,
	};
}

/* In the words of sluice.ko's nodes: which channels there are, and what each does. */
int sluice_clients_add(struct sluice_card *card)
{
	struct sluice_controls *controls = kmalloc(sizeof(*controls), GFP_KERNEL);
	unsigned int channels = card->channels, count = 0;
	const char *names[SLUICE_CARD_CHANNELS], *directions[SLUICE_CARD_CHANNELS];
	struct resource memory = sluice_memory_resource(card);
	struct property_entry properties[SLUICE_PROPERTIES + 1] = {};
	struct platform_device_info info = {
		.parent = &card->pdev->dev,
		.name = SLUICE_CLIENTS,
		.id = card->id,
		.properties = properties,
	};

	if (!controls)
		return -ENOMEM;
	for (unsigned int i = 0; i < channels; i++) {
		names[i] = card->channel[i].name;
		directions[i] = sluice_direction_word(&card->channel[i]);
	}
	properties[count++] = PROPERTY_ENTRY_STRING("label", pci_name(card->pdev));
	properties[count++] = PROPERTY_ENTRY_STRING_ARRAY_LEN("dma-names", names, channels);
	properties[count++] = PROPERTY_ENTRY_STRING_ARRAY_LEN("sluice,directions", directions,
							      channels);
	properties[count++] = PROPERTY_ENTRY_BOOL("sluice,appends");
	sluice_list_controls(card, controls);
	if (controls->count) {
		properties[count++] = PROPERTY_ENTRY_STRING_ARRAY_LEN("sluice,controls",
								      controls->compatible,
								      controls->count);
		properties[count++] = PROPERTY_ENTRY_STRING_ARRAY_LEN("sluice,control-names",
								      controls->name,
								      controls->count);
		info.res = controls->registers;
		info.num_res = controls->count;
	} else if (memory.name) {
		properties[count++] = PROPERTY_ENTRY_U64("sluice,memory-address", 0);
		info.res = &memory;
		info.num_res = 1;
	}
	card->clients = platform_device_register_full(&info);
	kfree(controls);
	if (IS_ERR(card->clients))
		return dev_err_probe(&card->pdev->dev, PTR_ERR(card->clients),
				     "no device for clients\n");
	return 0;
}

