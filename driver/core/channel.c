// SPDX-License-Identifier: GPL-2.0-only
/*
 * A channel: what it can do, who may use it, and what it is used as.
 */

#include "channel.h"
#include "engine.h"

/**
 * sluice_channel_capabilities - What a channel can do
 * @channel: any
 *
 * Return: SLUICE_CAP_*
 */
u64 sluice_channel_capabilities(const struct sluice_channel *channel)
{
	const struct sluice_provider *provider = &channel->provider;
	u64 capabilities = SLUICE_CAP_QUEUE | SLUICE_CAP_FENCES;
	bool receives = provider->direction == SLUICE_RX;

	/* Without the count of bytes nobody knows what a read() received. */
	if (provider->direction == SLUICE_TX || (receives && provider->reports_bytes) ||
	    sluice_channel_has_positions(channel))
		capabilities |= SLUICE_CAP_PIPE;
	if (provider->terminates)
		capabilities |= SLUICE_CAP_TERMINATE;
	if (provider->card == SLUICE_CARD_DESTINATION)
		capabilities |= SLUICE_CAP_TO_CARD;
	if (provider->card == SLUICE_CARD_SOURCE)
		capabilities |= SLUICE_CAP_FROM_CARD;
	if (provider->cyclic && receives && (channel->capability || !provider->completes_all)) {
		capabilities |= SLUICE_CAP_CYCLIC;
		if (channel->capability)
			capabilities |= SLUICE_CAP_LOSS_EXACT;
	}
	if (provider->reports_bytes && receives)
		capabilities |= SLUICE_CAP_BYTES | (provider->terminates ? SLUICE_CAP_STALL : 0);
	return capabilities;
}

/* Wait for another channel's stop, which may request this channel again. */
static bool sluice_channel_lost(struct sluice_channel *channel)
{
	struct sluice_engine *engine = channel->provider.engine;
	bool lost;

	if (READ_ONCE(channel->provider.chan))
		return false;
	mutex_lock(&engine->lock);
	lost = !channel->provider.chan;
	mutex_unlock(&engine->lock);
	return lost;
}

/**
 * sluice_channel_recover - Request the channel of dmaengine again, if it is lost
 * @channel: locked, not opened
 *
 * Return: 0, or -EIO if the request fails.
 */
int sluice_channel_recover(struct sluice_channel *channel)
{
	struct sluice_engine *engine = channel->provider.engine;
	int ret;

	lockdep_assert_held(&channel->lock);
	if (!sluice_channel_lost(channel))
		return 0;
	mutex_lock(&engine->lock);
	ret = sluice_provider_renew(&channel->provider);
	mutex_unlock(&engine->lock);
	return ret;
}

/**
 * sluice_channel_use - Settle what an open channel is used as
 * @channel: locked
 * @use: as what
 *
 * Return: 0, -ENODEV, -EIO if the engine's channel is lost, or -EBUSY.
 */
int sluice_channel_use(struct sluice_channel *channel, enum sluice_use use)
{
	lockdep_assert_held(&channel->lock);
	if (channel->gone)
		return -ENODEV;
	if (sluice_channel_lost(channel))
		return -EIO;
	if (channel->use != SLUICE_UNUSED && channel->use != use)
		return -EBUSY;
	channel->use = use;
	return 0;
}

/**
 * sluice_channel_lock - Lock a channel whose device is there
 * @channel: any
 *
 * Return: 0, -ERESTARTSYS or -ENODEV.
 */
int sluice_channel_lock(struct sluice_channel *channel)
{
	if (mutex_lock_interruptible(&channel->lock))
		return -ERESTARTSYS;
	if (!channel->gone)
		return 0;
	mutex_unlock(&channel->lock);
	return -ENODEV;
}

/**
 * sluice_channel_lock_as - Lock a channel and settle what it is used as
 * @channel: open
 * @use: as what
 *
 * Return: 0, -ERESTARTSYS, or as sluice_channel_use().
 */
int sluice_channel_lock_as(struct sluice_channel *channel, enum sluice_use use)
{
	int ret;

	ret = sluice_channel_lock(channel);
	if (ret)
		return ret;
	ret = sluice_channel_use(channel, use);
	if (ret)
		mutex_unlock(&channel->lock);
	return ret;
}
