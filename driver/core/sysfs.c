// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters of a channel, for whoever looks; what its engine waited for, where a block counts that.
 */

#include <linux/sysfs.h>

#include "capability.h"
#include "channel.h"
#include "sl_capability.h"
#include "sysfs.h"

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

#define SLUICE_STALL(name, offset)								\
static ssize_t name##_show(struct device *dev, struct device_attribute *attr, char *text)	\
{												\
	struct sluice_channel *channel = container_of(dev, struct sluice_channel, dev);		\
												\
	return sysfs_emit(text, "%llu\n",							\
			  sluice_capability_read(channel->capability,				\
						 channel->capability_index, offset, true));	\
}												\
static DEVICE_ATTR_RO(name)

SLUICE_STALL(stall_addr, SL_CAPABILITY_CHANNEL0_STALL_ADDR_LO_OFFSET);
SLUICE_STALL(stall_space, SL_CAPABILITY_CHANNEL0_STALL_SPACE_LO_OFFSET);
SLUICE_STALL(stall_data, SL_CAPABILITY_CHANNEL0_STALL_DATA_LO_OFFSET);
SLUICE_STALL(stall_resp, SL_CAPABILITY_CHANNEL0_STALL_RESP_LO_OFFSET);

static struct attribute *sluice_stall_attrs[] = {
	&dev_attr_stall_addr.attr,
	&dev_attr_stall_space.attr,
	&dev_attr_stall_data.attr,
	&dev_attr_stall_resp.attr,
	NULL
};

static umode_t sluice_stalls_visible(struct kobject *kobj, struct attribute *attr, int index)
{
	struct device *dev = kobj_to_dev(kobj);

	return container_of(dev, struct sluice_channel, dev)->capability ? attr->mode : 0;
}

static const struct attribute_group sluice_stall_group = {
	.attrs = sluice_stall_attrs,
	.is_visible = sluice_stalls_visible,
};

const struct attribute_group *sluice_channel_groups[] = {
	&sluice_channel_group,
	&sluice_stall_group,
	NULL
};
