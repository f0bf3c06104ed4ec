// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters of a channel, for whoever looks.
 */

#include <linux/sysfs.h>

#include "sluice_core.h"

static u64 sluice_counter(struct sluice_channel *channel, const u64 *counter)
{
	unsigned long flags;
	u64 value;

	spin_lock_irqsave(&channel->queue_lock, flags);
	value = *counter;
	spin_unlock_irqrestore(&channel->queue_lock, flags);
	return value;
}

#define SLUICE_COUNTER(name)									\
static ssize_t name##_show(struct device *dev, struct device_attribute *attr, char *text)	\
{												\
	struct sluice_channel *channel = container_of(dev, struct sluice_channel, dev);		\
												\
	return sysfs_emit(text, "%llu\n", sluice_counter(channel, &channel->counters.name));	\
}												\
static DEVICE_ATTR_RO(name)

SLUICE_COUNTER(transfers);
SLUICE_COUNTER(bytes);
SLUICE_COUNTER(errors);
SLUICE_COUNTER(timeouts);
SLUICE_COUNTER(cancelled);

static struct attribute *sluice_channel_attrs[] = {
	&dev_attr_transfers.attr,
	&dev_attr_bytes.attr,
	&dev_attr_errors.attr,
	&dev_attr_timeouts.attr,
	&dev_attr_cancelled.attr,
	NULL
};

static const struct attribute_group sluice_channel_group = {
	.attrs = sluice_channel_attrs,
};

const struct attribute_group *sluice_channel_groups[] = {
	&sluice_channel_group,
	NULL
};
