// SPDX-License-Identifier: GPL-2.0-only
/*
 * The platform device of a board: it adds the board's channels, memory and control node. A node of
 * a device tree describes it, or properties of the same names that a card's driver has given it.
 */

#include <linux/module.h>
#include <linux/of.h>
#include <linux/platform_device.h>
#include <linux/property.h>
#include <linux/slab.h>

#include "buffer.h"
#include "capability.h"
#include "capture.h"
#include "channel.h"
#include "control.h"
#include "device.h"
#include "engine.h"
#include "file.h"
#include "job.h"
#include "memory.h"
#include "node.h"
#include "queue.h"
#include "sysfs.h"
#include "work.h"

#define SLUICE_MAX_CHANNELS	64 /* of a board */

/* ---------------------------------------------------------------------------------------------
 * Channels
 */
static void sluice_channel_free(struct device *dev)
{
	struct sluice_channel *channel = container_of(dev, struct sluice_channel, dev);

	sluice_node_free_number(dev);
	sluice_jobs_free(channel);
	xa_destroy(&channel->buffers);
	mutex_destroy(&channel->lock);
	mutex_destroy(&channel->import_lock);
	mutex_destroy(&channel->setup_lock);
	kfree(channel);
}

/* An open file keeps the structure, and nothing of the device that is unbound. */
static void sluice_channel_remove(void *data)
{
	struct sluice_channel *channel = data;
	LIST_HEAD(buffers);

	cdev_device_del(&channel->cdev, &channel->dev);
	mutex_lock(&channel->lock);
	WRITE_ONCE(channel->gone, true);
	sluice_capture_stop(channel, -ENODEV);
	sluice_capture_detach(channel);
	sluice_buffer_detach_all(channel, &buffers);
	mutex_unlock(&channel->lock);
	sluice_buffers_put(&buffers);
	/* An import under way ends, and an unmapping; the next one sees that the device is gone. */
	mutex_lock(&channel->import_lock);
	mutex_unlock(&channel->import_lock);
	wake_up_all(&channel->wait); /* some waits are for fatal signals only */
	cancel_delayed_work_sync(&channel->deadline_work);
	cancel_work_sync(&channel->refill_work);

	if (!sluice_queue_drain(channel)) {
		dev_err(&channel->dev, "the engine does not end; its memory stays in use\n");
		get_device(&channel->dev);
		__module_get(THIS_MODULE);
	}
	sluice_work_flush(); /* buffers release the engine's device */
	mutex_lock(&channel->provider.engine->lock);
	sluice_provider_exit(&channel->provider);
	mutex_unlock(&channel->provider.engine->lock);
	sluice_engine_leave(&channel->provider);
	put_device(&channel->dev);
}

static struct sluice_channel *sluice_channel_alloc(struct device *parent)
{
	struct sluice_channel *channel = kzalloc(sizeof(*channel), GFP_KERNEL);

	if (!channel)
		return NULL;
	mutex_init(&channel->lock);
	mutex_init(&channel->import_lock);
	mutex_init(&channel->setup_lock);
	xa_init_flags(&channel->buffers, XA_FLAGS_ALLOC1);
	sluice_queue_init(channel);
	sluice_node_init(&channel->dev, parent, sluice_channel_free);
	channel->dev.groups = sluice_channel_groups;
	return channel;
}

/* Words of "sluice,directions". */
static const struct sluice_direction_word {
	const char *text;
	enum sluice_direction direction;
	enum sluice_card_side card;
} sluice_directions[] = {
	{ "tx", SLUICE_TX, SLUICE_CARD_NONE },
	{ "rx", SLUICE_RX, SLUICE_CARD_NONE },
	{ "copy", SLUICE_COPY, SLUICE_CARD_NONE },
	{ "to-card", SLUICE_COPY, SLUICE_CARD_DESTINATION },
	{ "from-card", SLUICE_COPY, SLUICE_CARD_SOURCE },
};

static int sluice_channel_add(struct device *dev, const char *board, unsigned int index,
			      unsigned int channels, const char *name,
			      const struct sluice_direction_word *direction)
{
	struct sluice_channel *channel;
	int ret;

	channel = sluice_channel_alloc(dev);
	if (!channel)
		return -ENOMEM;
	ret = -EINVAL;
	if (strscpy(channel->board, board, sizeof(channel->board)) < 0 ||
	    strscpy(channel->name, name, sizeof(channel->name)) < 0) {
		dev_err_probe(dev, ret, "a name is too long: %s, %s\n", board, name);
		goto put;
	}
	channel->capability = sluice_capability_find(dev, index, &channel->capability_index);
	if (IS_ERR(channel->capability)) {
		ret = dev_err_probe(dev, PTR_ERR(channel->capability),
				    "no capability block for channel %s\n", name);
		goto put;
	}
	channel->index = index;
	ret = sluice_memory_part(dev, index, channels, &channel->part);
	if (ret)
		goto put;
	channel->provider.direction = direction->direction;
	channel->provider.card = direction->card;
	ret = sluice_provider_init(&channel->provider, dev, name);
	if (ret)
		goto put;
	if (!sluice_engine_join(&channel->provider)) {
		ret = -ENOMEM;
		goto exit;
	}
	ret = sluice_node_publish(&channel->dev, &channel->cdev, &sluice_channel_fops, board,
				  name);
	if (ret) {
		dev_err_probe(dev, ret, "no device for channel %s\n", name);
		goto leave;
	}
	return devm_add_action_or_reset(dev, sluice_channel_remove, channel);

leave:
	sluice_engine_leave(&channel->provider);
exit:
	sluice_provider_exit(&channel->provider);
put:
	put_device(&channel->dev);
	return ret;
}

/* ---------------------------------------------------------------------------------------------
 * Boards
 */
/**
 * struct sluice_description - What a device says of its channels
 * @board: name of the board
 * @name: of each channel
 * @direction: of each, as a word
 */
struct sluice_description {
	const char *board;
	const char *name[SLUICE_MAX_CHANNELS];
	const char *direction[SLUICE_MAX_CHANNELS];
};

/* Returns how many channels there are. */
static int sluice_describe(struct device *dev, struct sluice_description *description)
{
	int channels, directions;

	if (device_property_read_string(dev, "label", &description->board))
		description->board = dev_name(dev);
	channels = device_property_read_string_array(dev, "dma-names", description->name,
						     SLUICE_MAX_CHANNELS);
	if (channels < 1)
		return dev_err_probe(dev, -EINVAL, "no dma-names\n");
	directions = device_property_read_string_array(dev, "sluice,directions",
						       description->direction,
						       SLUICE_MAX_CHANNELS);
	if (directions != channels)
		return dev_err_probe(dev, -EINVAL, "%d sluice,directions for %d channels\n",
				     max(directions, 0), channels);
	return channels;
}

static const struct sluice_direction_word *sluice_direction_of(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(sluice_directions); i++)
		if (!strcmp(text, sluice_directions[i].text))
			return &sluice_directions[i];
	return NULL;
}

/* Engines may be described that this board does not have: their nodes are disabled. */
static bool sluice_engine_there(struct device *dev, unsigned int index)
{
	struct of_phandle_args engine;
	bool there;

	if (of_parse_phandle_with_args(dev->of_node, "dmas", "#dma-cells", index, &engine))
		return true; /* let the request of the channel say what is wrong */
	there = of_device_is_available(engine.np);
	of_node_put(engine.np);
	return there;
}

static int sluice_probe(struct platform_device *pdev)
{
	struct sluice_description description;
	struct device *dev = &pdev->dev;
	const struct sluice_direction_word *direction;
	int channels, ret;

	channels = sluice_describe(dev, &description);
	if (channels < 0)
		return channels;
	for (int i = 0; i < channels; i++) {
		if (!sluice_engine_there(dev, i))
			continue;
		direction = sluice_direction_of(description.direction[i]);
		if (!direction)
			return dev_err_probe(dev, -EINVAL,
					     "sluice,directions: %s is not a direction\n",
					     description.direction[i]);
		ret = sluice_channel_add(dev, description.board, i, channels, description.name[i],
					 direction);
		if (ret)
			return ret;
	}
	ret = sluice_memory_add(pdev, description.board, channels);
	if (ret)
		return ret;
	return sluice_control_add(pdev, description.board);
}

static const struct of_device_id sluice_match[] = {
	{ .compatible = "sluice,channels" },
	{ }
};
MODULE_DEVICE_TABLE(of, sluice_match);

/* Made by the driver of a card, where no device tree describes it: sluice_card. */
static const struct platform_device_id sluice_names[] = {
	{ "sluice-channels" },
	{ }
};
MODULE_DEVICE_TABLE(platform, sluice_names);

struct platform_driver sluice_device_driver = {
	.driver = {
		.name = "sluice",
		.of_match_table = sluice_match,
	},
	.id_table = sluice_names,
	.probe = sluice_probe,
};
