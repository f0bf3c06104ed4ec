// SPDX-License-Identifier: GPL-2.0-only
/*
 * Device nodes, /dev/sluice/<board>/<name>: their class and their numbers.
 */

#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/module.h>

#include "node.h"

#define SLUICE_MINORS	256

static dev_t sluice_devices;
static DEFINE_IDA(sluice_minors);

static struct class sluice_class = {
	.name = "sluice",
};

/**
 * sluice_node_init - Begin a device of the class sluice
 * @dev: the device
 * @parent: the platform device
 * @release: frees the structure that holds @dev
 */
void sluice_node_init(struct device *dev, struct device *parent,
		      void (*release)(struct device *dev))
{
	device_initialize(dev);
	dev->class = &sluice_class;
	dev->parent = parent;
	dev->release = release;
}

/**
 * sluice_node_publish - Make the node of a device
 * @dev: the device
 * @cdev: of it
 * @fops: what it does
 * @board: its folder
 * @name: in there
 *
 * Return: 0 or -errno.
 */
int sluice_node_publish(struct device *dev, struct cdev *cdev, const struct file_operations *fops,
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
 * sluice_node_free_number - Undo what remains of a node
 * @dev: being freed, published or not
 */
void sluice_node_free_number(struct device *dev)
{
	if (dev->devt)
		ida_free(&sluice_minors, MINOR(dev->devt));
}

/**
 * sluice_nodes_init - Register the class and reserve the numbers
 *
 * Return: 0 or -errno.
 */
int sluice_nodes_init(void)
{
	int ret;

	ret = class_register(&sluice_class);
	if (ret)
		return ret;
	ret = alloc_chrdev_region(&sluice_devices, 0, SLUICE_MINORS, "sluice");
	if (ret)
		class_unregister(&sluice_class);
	return ret;
}

/**
 * sluice_nodes_exit - Undo sluice_nodes_init(), when no node is left
 */
void sluice_nodes_exit(void)
{
	unregister_chrdev_region(sluice_devices, SLUICE_MINORS);
	class_unregister(&sluice_class);
	ida_destroy(&sluice_minors);
}
