/* SPDX-License-Identifier: GPL-2.0-only */
/* What older kernels lack: the same functions, made of what they have. */
#ifndef SLUICE_COMPAT_H
#define SLUICE_COMPAT_H

#include <linux/of.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/version.h>
#include <asm/byteorder.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
/* A property belongs to its node from here on, also once it has been taken out again. */
static inline int sluice_changeset_add_prop(struct of_changeset *changes, struct device_node *node,
					    const char *name, const void *value, int length)
{
	struct property *property = kzalloc(sizeof(*property), GFP_KERNEL);
	int ret = -ENOMEM;

	if (!property)
		return ret;
	property->name = kstrdup(name, GFP_KERNEL);
	property->value = kmemdup(value, length ? length : 1, GFP_KERNEL);
	property->length = length;
	of_property_set_flag(property, OF_DYNAMIC);
	if (property->name && property->value)
		ret = of_changeset_add_property(changes, node, property);
	if (ret) {
		kfree(property->value);
		kfree(property->name);
		kfree(property);
	}
	return ret;
}

static inline int of_changeset_add_prop_bool(struct of_changeset *changes,
					     struct device_node *node, const char *name)
{
	return sluice_changeset_add_prop(changes, node, name, "", 0);
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
static inline int of_changeset_add_prop_string(struct of_changeset *changes,
					       struct device_node *node, const char *name,
					       const char *text)
{
	return sluice_changeset_add_prop(changes, node, name, text, strlen(text) + 1);
}

static inline int of_changeset_add_prop_u32_array(struct of_changeset *changes,
						  struct device_node *node, const char *name,
						  const u32 *words, size_t count)
{
	__be32 *value = kmalloc_array(count, sizeof(*value), GFP_KERNEL);
	int ret;

	if (!value)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		value[i] = cpu_to_be32(words[i]);
	ret = sluice_changeset_add_prop(changes, node, name, value, count * sizeof(*value));
	kfree(value);
	return ret;
}
#endif

/* xilinx_dma: the interrupt of a delay ends all that the engine has. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
#define SLUICE_DELAY_COMPLETES	true
#else
#define SLUICE_DELAY_COMPLETES	false
#endif

#endif
