// SPDX-License-Identifier: GPL-2.0-only
/*
 * Channels that stop together. Why some do: provider.c.
 */

#include <linux/dmaengine.h>
#include <linux/slab.h>
#include <linux/sluice.h>

#include "engine.h"
#include "provider.h"

static LIST_HEAD(sluice_engines);
static DEFINE_MUTEX(sluice_engines_lock);

static struct sluice_engine *sluice_engine_find(struct dma_device *device)
{
	struct sluice_engine *engine;

	list_for_each_entry(engine, &sluice_engines, node)
		if (engine->resets_all && engine->device == device)
			return engine;
	engine = kzalloc(sizeof(*engine), GFP_KERNEL);
	if (!engine)
		return NULL;
	engine->device = device;
	engine->resets_all = sluice_provider_resets_all(device);
	mutex_init(&engine->lock);
	INIT_LIST_HEAD(&engine->channels);
	list_add(&engine->node, &sluice_engines);
	return engine;
}

/**
 * sluice_engine_join - Find the engine that a channel stops with
 * @provider: of the channel
 *
 * Return: the engine, or NULL without memory.
 */
struct sluice_engine *sluice_engine_join(struct sluice_provider *provider)
{
	struct sluice_engine *engine;

	mutex_lock(&sluice_engines_lock);
	engine = sluice_engine_find(provider->chan->device);
	if (engine) {
		engine->users++;
		mutex_lock(&engine->lock);
		if (provider->direction == SLUICE_RX)
			list_add(&provider->engine_node, &engine->channels);
		else
			list_add_tail(&provider->engine_node, &engine->channels);
		mutex_unlock(&engine->lock);
		provider->engine = engine;
	}
	mutex_unlock(&sluice_engines_lock);
	return engine;
}

/**
 * sluice_engine_leave - Remove a channel from its engine
 * @provider: of the channel, stopped
 */
void sluice_engine_leave(struct sluice_provider *provider)
{
	struct sluice_engine *engine = provider->engine;

	mutex_lock(&sluice_engines_lock);
	mutex_lock(&engine->lock);
	list_del(&provider->engine_node);
	mutex_unlock(&engine->lock);
	if (!--engine->users) {
		list_del(&engine->node);
		mutex_destroy(&engine->lock);
		kfree(engine);
	}
	mutex_unlock(&sluice_engines_lock);
}
