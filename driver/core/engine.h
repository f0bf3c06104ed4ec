/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_ENGINE_H
#define SLUICE_ENGINE_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>

struct dma_device;
struct sluice_provider;

/**
 * struct sluice_engine - Channels that stop together
 * @node: in the list of all engines
 * @users: count of @channels
 * @device: the dmaengine device
 * @resets_all: stopping one channel resets them all
 * @lock: serializes stopping, and keeps the channels of dmaengine in place while it is held
 * @channels: providers, by their engine_node; those that receive come first
 */
struct sluice_engine {
	struct list_head node;
	unsigned int users;
	struct dma_device *device;
	bool resets_all;
	struct mutex lock; /* stopping */
	struct list_head channels;
};

struct sluice_engine *sluice_engine_join(struct sluice_provider *provider);
void sluice_engine_leave(struct sluice_provider *provider);

#endif
