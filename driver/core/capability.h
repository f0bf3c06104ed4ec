/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_CAPABILITY_H
#define SLUICE_CAPABILITY_H

#include <linux/types.h>

struct device;
struct device_node;
struct platform_driver;
struct sluice_capability;

/**
 * struct sluice_snapshot - What a channel of the block had counted when a period ended
 * @bytes: received
 * @drops: beats dropped in front of the engine
 * @ticks: time
 */
struct sluice_snapshot {
	u64 bytes;
	u64 drops;
	u64 ticks;
};

extern struct platform_driver sluice_capability_driver;

struct sluice_capability *sluice_capability_of(struct device *dev, struct device_node *node);
u64 sluice_capability_read(struct sluice_capability *block, unsigned int channel,
			   unsigned int offset, bool wide);
struct sluice_capability *sluice_capability_find(struct device *dev, unsigned int index,
						 unsigned int *channel);
u32 sluice_capability_start(struct sluice_capability *block, unsigned int channel,
			    struct sluice_snapshot *now);
int sluice_capability_periods(struct sluice_capability *block, unsigned int channel, u32 *periods);
bool sluice_capability_snapshot(struct sluice_capability *block, unsigned int channel, u32 number,
				struct sluice_snapshot *then);
unsigned int sluice_capability_snapshots(const struct sluice_capability *block);
u32 sluice_capability_clock(const struct sluice_capability *block);
u32 sluice_capability_beat_bytes(const struct sluice_capability *block);
u32 sluice_capability_buffer_bytes(const struct sluice_capability *block);
u64 sluice_capability_since(const struct sluice_capability *block, u64 from, u64 to);

#endif
