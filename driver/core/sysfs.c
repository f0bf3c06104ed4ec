// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters of a channel, for whoever looks; what its engine waited for, where a block counts that.
 */

#include <linux/dma-buf.h>
#include <linux/sysfs.h>

#include "buffer.h"
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

static const char * const sluice_buffer_kinds[] = {
	[SLUICE_BUFFER_HOST] = "host",
	[SLUICE_BUFFER_PEER] = "peer",
	[SLUICE_BUFFER_CARD] = "card",
};

/* Each attached buffer: number, bytes, pieces, where it is, how it is reached, whose it is. */
static ssize_t buffers_show(struct device *dev, struct device_attribute *attr, char *text)
{
	struct sluice_channel *channel = container_of(dev, struct sluice_channel, dev);
	struct sluice_buffer *buffer;
	unsigned long id;
	ssize_t at = 0;

	mutex_lock(&channel->lock);
	xa_for_each(&channel->buffers, id, buffer)
		at += sysfs_emit_at(text, at, "%lu %llu %u %s %s %s%s\n", id, buffer->bytes,
				    buffer->pieces, sluice_buffer_kinds[buffer->kind],
				    buffer->translated ? "iommu" : "direct",
				    buffer->dmabuf->exp_name,
				    READ_ONCE(buffer->revoked) ? " revoked" : "");
	mutex_unlock(&channel->lock);
	return at;
}
static DEVICE_ATTR_RO(buffers);

static const char *sluice_import_reason(int error)
{
	switch (error) {
	case 0:
		return "none";
	case -EOPNOTSUPP:
		return "the exporter does not give its memory to this device";
	case -EINVAL:
	case -EREMOTEIO:
		return "no path from this device to the memory; the kernel's log has more";
	case -ENODEV:
		return "the device of the memory is gone";
	case -EBADF:
		return "not a file descriptor";
	case -ENOMEM:
		return "out of memory";
	default:
		return "the exporter's error";
	}
}

/* Why the last import was refused. */
static ssize_t import_error_show(struct device *dev, struct device_attribute *attr, char *text)
{
	struct sluice_channel *channel = container_of(dev, struct sluice_channel, dev);
	int error = READ_ONCE(channel->import_error);

	return sysfs_emit(text, "%d %s\n", error, sluice_import_reason(error));
}
static DEVICE_ATTR_RO(import_error);

static struct attribute *sluice_channel_attrs[] = {
	&dev_attr_buffers.attr,
	&dev_attr_import_error.attr,
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
