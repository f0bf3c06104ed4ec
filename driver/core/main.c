// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sluice: DMA channels of a board for user space.
 *
 * A node of the device tree names channels of DMA engines, each with the direction in which it
 * moves data. Each becomes a character device, /dev/sluice/<board>/<channel>, see
 * <linux/sluice.h>. The engines are driven by their own drivers, through dmaengine.
 */

#include <linux/module.h>
#include <linux/of.h>
#include <linux/platform_device.h>
#include <linux/slab.h>

#include "capability.h"
#include "capture.h"
#include "compat.h"
#include "control.h"
#include "sluice_core.h"

#define SLUICE_MINORS	256

struct workqueue_struct *sluice_workqueue;

static dev_t sluice_devices;
static DEFINE_IDA(sluice_minors);

static struct class sluice_class = {
	.name = "sluice",
};

/* ---------------------------------------------------------------------------------------------
 * Device nodes
 */

/**
 * sluice_device_init - Begin a device of ours
 * @dev: the device
 * @parent: our device
 * @release: frees what holds it
 */
void sluice_device_init(struct device *dev, struct device *parent,
			void (*release)(struct device *dev))
{
	device_initialize(dev);
	dev->class = &sluice_class;
	dev->parent = parent;
	dev->release = release;
}

/**
 * sluice_device_publish - Make the node of a device
 * @dev: the device
 * @cdev: of it
 * @fops: what it does
 * @board: its folder
 * @name: in there
 *
 * Return: 0 or -errno.
 */
int sluice_device_publish(struct device *dev, struct cdev *cdev, const struct file_operations *fops,
			  const char *board, const char *name)
{
	int minor, ret;

	minor = ida_alloc_max(&sluice_minors, SLUICE_MINORS - 1, GFP_KERNEL);
	if (minor < 0)
		return minor;
	dev->devt = MKDEV(MAJOR(sluice_devices), MINOR(sluice_devices) + minor);
	/* The device core makes folders of it: /dev/sluice/<board>/<name>. */
	ret = dev_set_name(dev, "sluice!%s!%s", board, name);
	if (ret)
		return ret;
	cdev_init(cdev, fops);
	cdev->owner = THIS_MODULE;
	return cdev_device_add(cdev, dev);
}

/**
 * sluice_device_free_number - Undo what remains of a node
 * @dev: being freed, published or not
 */
void sluice_device_free_number(struct device *dev)
{
	if (dev->devt)
		ida_free(&sluice_minors, MINOR(dev->devt));
}

/* ---------------------------------------------------------------------------------------------
 * Channels
 */
static void sluice_channel_free(struct device *dev)
{
	struct sluice_channel *channel = container_of(dev, struct sluice_channel, dev);

	sluice_device_free_number(dev);
	xa_destroy(&channel->buffers);
	mutex_destroy(&channel->lock);
	mutex_destroy(&channel->setup_lock);
	kfree(channel);
}

/* Whoever has it open keeps the structure, and nothing of the device that goes. */
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
	flush_workqueue(sluice_workqueue); /* buffers let go of the engine's device */
	mutex_lock(&channel->engine->lock);
	sluice_provider_exit(&channel->provider);
	mutex_unlock(&channel->engine->lock);
	sluice_engine_leave(channel);
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
	sluice_device_init(&channel->dev, parent, sluice_channel_free);
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
	if (!sluice_engine_join(channel)) {
		ret = -ENOMEM;
		goto exit;
	}
	ret = sluice_device_publish(&channel->dev, &channel->cdev, &sluice_channel_fops, board,
				    name);
	if (ret) {
		dev_err_probe(dev, ret, "no device for channel %s\n", name);
		goto leave;
	}
	return devm_add_action_or_reset(dev, sluice_channel_remove, channel);

leave:
	sluice_engine_leave(channel);
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

static struct platform_driver sluice_driver = {
	.driver = {
		.name = "sluice",
		.of_match_table = sluice_match,
	},
	.probe = sluice_probe,
};

/* ---------------------------------------------------------------------------------------------
 * The module
 */
static int __init sluice_init(void)
{
	int ret;

	sluice_workqueue = alloc_workqueue("sluice", WQ_HIGHPRI | WQ_UNBOUND, 0);
	if (!sluice_workqueue)
		return -ENOMEM;
	ret = class_register(&sluice_class);
	if (ret)
		goto workqueue;
	ret = alloc_chrdev_region(&sluice_devices, 0, SLUICE_MINORS, "sluice");
	if (ret)
		goto class;
	ret = platform_driver_register(&sluice_capability_driver);
	if (ret)
		goto region;
	ret = platform_driver_register(&sluice_driver);
	if (ret)
		goto capability;
	return 0;

capability:
	platform_driver_unregister(&sluice_capability_driver);
region:
	unregister_chrdev_region(sluice_devices, SLUICE_MINORS);
class:
	class_unregister(&sluice_class);
workqueue:
	destroy_workqueue(sluice_workqueue);
	return ret;
}
module_init(sluice_init);

static void __exit sluice_exit(void)
{
	platform_driver_unregister(&sluice_driver);
	platform_driver_unregister(&sluice_capability_driver);
	unregister_chrdev_region(sluice_devices, SLUICE_MINORS);
	class_unregister(&sluice_class);
	destroy_workqueue(sluice_workqueue);
	ida_destroy(&sluice_minors);
}
module_exit(sluice_exit);

MODULE_DESCRIPTION("DMA channels of a board for user space");
MODULE_LICENSE("GPL");
SLUICE_IMPORT_DMA_BUF;
