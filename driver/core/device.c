// SPDX-License-Identifier: GPL-2.0-only
/*
 * The platform device of a board: it adds the board's channels and its control node.
 */

#include <linux/module.h>
#include <linux/of.h>
#include <linux/platform_device.h>
#include <linux/slab.h>

#include "buffer.h"
#include "capability.h"
#include "capture.h"
#include "channel.h"
#include "control.h"
#include "device.h"
#include "engine.h"
#include "file.h"
#include "node.h"
#include "queue.h"
#include "sysfs.h"
#include "work.h"

/* ---------------------------------------------------------------------------------------------
 * Channels
 */
static void sluice_channel_free(struct device *dev)
{
	struct sluice_channel *channel = container_of(dev, struct sluice_channel, dev);

	sluice_node_free_number(dev);
	xa_destroy(&channel->buffers);
	mutex_destroy(&channel->lock);
	mutex_destroy(&channel->setup_lock);
	kfree(channel);
}

/* An open file keeps the structure, and nothing of the device that is unbound. */
static void sluice_channel_remove(void *data)
{
	struct sluice_channel *channel = data;

	cdev_device_del(&channel->cdev, &channel->dev);
	mutex_lock(&channel->lock);
	WRITE_ONCE(channel->gone, true);
	sluice_capture_stop(channel, -ENODEV);
	sluice_capture_detach(channel);
	sluice_buffer_detach_all(channel);
	mutex_unlock(&channel->lock);
	wake_up_interruptible_all(&channel->wait);
	cancel_delayed_work_sync(&channel->deadline_work);
	cancel_work_sync(&channel->refill_work);

	if (!sluice_queue_drain(channel)) {
		dev_err(&channel->dev, "the engine does not end; its memory stays in use\n");
		get_device(&channel->dev);
		__module_get(THIS_MODULE);
	}
	flush_workqueue(sluice_workqueue); /* buffers release the engine's device */
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
	mutex_init(&channel->setup_lock);
	xa_init_flags(&channel->buffers, XA_FLAGS_ALLOC1);
	sluice_queue_init(channel);
	sluice_node_init(&channel->dev, parent, sluice_channel_free);
	channel->dev.groups = sluice_channel_groups;
	return channel;
}

static int sluice_channel_add(struct device *dev, const char *board, unsigned int index,
			      const char *name, enum sluice_direction direction)
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
	ret = sluice_provider_init(&channel->provider, dev, name, direction);
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
/* In the order of enum sluice_direction. */
static const char * const sluice_directions[] = { "tx", "rx", "copy" };

static int sluice_direction_of(struct device *dev, unsigned int index)
{
	const char *text;
	int ret;

	ret = of_property_read_string_index(dev->of_node, "sluice,directions", index, &text);
	if (ret)
		return dev_err_probe(dev, ret, "no sluice,directions for channel %u\n", index);
	ret = match_string(sluice_directions, ARRAY_SIZE(sluice_directions), text);
	if (ret < 0)
		return dev_err_probe(dev, -EINVAL, "sluice,directions: %s is none\n", text);
	return SLUICE_TX + ret;
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
	struct device *dev = &pdev->dev;
	const char *board, *name;
	int channels, direction, ret;

	if (of_property_read_string(dev->of_node, "label", &board))
		board = dev_name(dev);
	channels = of_property_count_strings(dev->of_node, "dma-names");
	if (channels < 1)
		return dev_err_probe(dev, -EINVAL, "no dma-names\n");
	for (int i = 0; i < channels; i++) {
		if (!sluice_engine_there(dev, i))
			continue;
		ret = of_property_read_string_index(dev->of_node, "dma-names", i, &name);
		if (ret)
			return ret;
		direction = sluice_direction_of(dev, i);
		if (direction < 0)
			return direction;
		ret = sluice_channel_add(dev, board, i, name, direction);
		if (ret)
			return ret;
	}
	return sluice_control_add(dev, board);
}

static const struct of_device_id sluice_match[] = {
	{ .compatible = "sluice,channels" },
	{ }
};
MODULE_DEVICE_TABLE(of, sluice_match);

struct platform_driver sluice_device_driver = {
	.driver = {
		.name = "sluice",
		.of_match_table = sluice_match,
	},
	.probe = sluice_probe,
};
