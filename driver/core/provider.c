// SPDX-License-Identifier: GPL-2.0-only
/*
 * A channel of dmaengine, and what it can do.
 *
 * dmaengine does not say all that a client has to know, so some of it is concluded:
 *
 * - A provider without device_terminate_all() holds one descriptor at a time. So no more than that
 *   one has to be waited for when the channel is closed; and those that there are (altera-msgdma)
 *   run only the first of several.
 * - Residue of granularity "descriptor" means that nobody knows how much of a transfer came.
 * - Some providers lose the order of their descriptors when they are stopped with several of them
 *   (xilinx_dma before 7.2). A channel that was stopped while it held work is given back and
 *   requested anew, which has the provider set it up from nothing.
 * - A provider without device_synchronize() (pl330) may still be calling back on another processor
 *   after it was stopped. Giving its channel back waits for that, so this is done before what the
 *   channel had is let go.
 * - AXI DMA's reset is one for both of its channels, and xilinx_dma resets when it stops one. So
 *   both are stopped together: what the other one had is over too, and is told so.
 * - Before that reset xilinx_dma waits until the channel halts, for up to 10^9 reads, and a channel
 *   in the middle of a packet that does not go on may never do so (sl_axi_dma does, after its
 *   StopTimeout). For cyclic transfers it does not wait. So a receiving channel is submitted one
 *   before it is stopped, which is never issued; if the engine runs into it, it writes a page that
 *   nobody reads. Receiving channels stop first: sending ones are reset with them. What ends
 *   between the two must not reach xilinx_dma, whose interrupt handler would take it for a part of
 *   a ring and complete it twice: so the channel's interrupt is off meanwhile.
 * - xilinx_dma before 6.8 takes any interrupt of an AXI DMA, at the end of a packet or after
 *   xlnx,irq-delay, for the end of all that the engine has. So the engine is given one descriptor
 *   at a time, a receiving one of one packet, contiguous, and no delay is accepted. Nor does the
 *   residue of a cyclic transfer count anything there: it starts anew with each interrupt.
 * - Of an AXI DMA without descriptors (direct register mode) xilinx_dma starts the first segment of
 *   the first pending transfer, and calls back for all of them when that has ended, with a residue
 *   of 0. So the engine is given one contiguous piece at a time. xilinx_dma does not say that an
 *   engine is such a one. But the port of descriptors has a clock, so a node without that clock is
 *   taken for an engine without descriptors.
 */

#include <linux/dma-mapping.h>
#include <linux/dmaengine.h>
#include <linux/interrupt.h>
#include <linux/of.h>
#include <linux/of_irq.h>
#include <linux/property.h>
#include <linux/slab.h>

#include "compat.h"
#include "provider.h"

#define SLUICE_SCRATCH_BYTES	SZ_4K

static bool sluice_is_axi_dma(struct dma_device *device)
{
	return of_device_is_compatible(dev_of_node(device->dev), "xlnx,axi-dma-1.00.a");
}

/**
 * sluice_provider_resets_all - Does stopping one channel of a device reset all of them?
 * @device: of dmaengine
 *
 * Return: true if so.
 */
bool sluice_provider_resets_all(struct dma_device *device)
{
	return sluice_is_axi_dma(device);
}

static bool sluice_has_descriptors(struct dma_device *device)
{
	return of_property_match_string(dev_of_node(device->dev), "clock-names",
					"m_axi_sg_aclk") >= 0;
}

static bool sluice_delays_interrupts(struct dma_device *device)
{
	struct device_node *channel;
	u8 delay = 0;

	for_each_child_of_node(dev_of_node(device->dev), channel) {
		if (of_property_read_u8(channel, "xlnx,irq-delay", &delay) || !delay)
			continue;
		of_node_put(channel);
		return true;
	}
	return false;
}

static int sluice_provider_request(struct sluice_provider *provider)
{
	struct dma_chan *chan = dma_request_chan(provider->client, provider->name);

	if (IS_ERR(chan))
		return PTR_ERR(chan);
	provider->chan = chan;
	return 0;
}

/*
 * Give a channel back that has nothing in the engine. An engine that waits for more is stopped
 * too: whoever requests its channel next may not do so before it starts elsewhere (xilinx_dma does
 * not).
 */
static void sluice_provider_release(struct sluice_provider *provider)
{
	if (!provider->chan)
		return;
	if (provider->terminates)
		dmaengine_terminate_sync(provider->chan);
	dma_release_channel(provider->chan);
	provider->chan = NULL;
}

/**
 * sluice_provider_stop - Stop a channel
 * @provider: with a channel that can be stopped; it may have none afterwards
 * @busy: the engine has something
 */
void sluice_provider_stop(struct sluice_provider *provider, bool busy)
{
	struct dma_async_tx_descriptor *tx;

	if (busy && !provider->chan->device->device_synchronize) {
		sluice_provider_release(provider);
		return;
	}
	if (!busy || !provider->scratch) {
		dmaengine_terminate_sync(provider->chan);
		return;
	}
	disable_irq(provider->irq);
	tx = dmaengine_prep_dma_cyclic(provider->chan, provider->scratch_address,
				       SLUICE_SCRATCH_BYTES, SLUICE_SCRATCH_BYTES,
				       DMA_DEV_TO_MEM, 0);
	if (tx)
		dmaengine_submit(tx);
	dmaengine_terminate_sync(provider->chan);
	enable_irq(provider->irq);
}

/**
 * sluice_provider_exit - Be done with a provider
 * @provider: with nothing in the engine
 */
void sluice_provider_exit(struct sluice_provider *provider)
{
	sluice_provider_release(provider);
	if (provider->scratch)
		dma_free_coherent(provider->dma_dev, SLUICE_SCRATCH_BYTES, provider->scratch,
				  provider->scratch_address);
	provider->scratch = NULL;
}

/**
 * sluice_provider_renew - Set up a channel from nothing
 * @provider: stopped, or without a channel
 *
 * Return: 0, or -EIO if the channel cannot be had; it is then asked for again the next time.
 */
int sluice_provider_renew(struct sluice_provider *provider)
{
	int ret;

	sluice_provider_release(provider);
	ret = sluice_provider_request(provider);
	if (!ret)
		return 0;
	dev_err(provider->client, "channel %s cannot be requested again: error %d\n",
		provider->name, ret);
	return -EIO;
}

/* Of the one receiving channel that an AXI DMA has. */
static int sluice_receive_irq(struct dma_device *device)
{
	struct device_node *node = of_get_compatible_child(dev_of_node(device->dev),
							   "xlnx,axi-dma-s2mm-channel");
	int irq = node ? of_irq_get(node, 0) : -ENODEV;

	of_node_put(node);
	return irq;
}

/* xilinx_dma has an engine interrupt after so many descriptors; beyond that it counts wrong. */
static bool sluice_counts_to_255(struct dma_device *device)
{
	return sluice_is_axi_dma(device) ||
	       of_device_is_compatible(dev_of_node(device->dev), "xlnx,axi-cdma-1.00.a");
}

static int sluice_provider_learn(struct sluice_provider *provider)
{
	struct dma_device *device = provider->chan->device;
	bool copies = provider->direction == SLUICE_COPY;
	u32 max_segment;
	bool can = device->device_prep_slave_sg;
	bool cyclic;

	if (copies && !provider->card)
		can = device->device_prep_dma_memcpy;
	if (!can)
		return dev_err_probe(provider->client, -EOPNOTSUPP, "channel %s does not %s\n",
				     provider->name, copies ? "copy" : "drive streams");
	provider->dma_dev = dmaengine_get_dma_device(provider->chan);
	provider->address_align = 1U << device->copy_align;
	provider->length_align = copies ? provider->address_align : 1;
	provider->terminates = device->device_terminate_all;
	provider->completes_all = SLUICE_COMPLETES_ALL && sluice_is_axi_dma(device);
	if (provider->completes_all && sluice_delays_interrupts(device))
		return dev_err_probe(provider->client, -EOPNOTSUPP,
				     "channel %s: no xlnx,irq-delay with Linux before 6.8\n",
				     provider->name);
	provider->direct = sluice_is_axi_dma(device) && !sluice_has_descriptors(device);
	if (provider->direct)
		dev_info(provider->client,
			 "channel %s: no m_axi_sg_aclk, so one contiguous transfer at a time\n",
			 provider->name);
	provider->depth = provider->terminates && !provider->completes_all && !provider->direct ?
				  UINT_MAX : 1;
	if (sluice_counts_to_255(device))
		provider->depth = min(provider->depth, 255U);
	provider->appends = device_property_read_bool(provider->client, "sluice,appends");
	cyclic = provider->terminates && device->device_prep_dma_cyclic &&
		 dma_has_cap(DMA_CYCLIC, device->cap_mask);
	provider->cyclic = cyclic && !provider->direct;
	provider->reports_bytes =
		!copies && !provider->direct &&
		device->residue_granularity != DMA_RESIDUE_GRANULARITY_DESCRIPTOR;

	/*
	 * The engine's length register: what the node says, or else what its driver does. Exporters
	 * map pieces up to this size, so the driver's own limit must not be below.
	 */
	if (device_property_read_u32(provider->client, "sluice,max-segment-bytes", &max_segment))
		max_segment = dma_get_max_seg_size(provider->dma_dev);
	else if (dma_get_max_seg_size(provider->dma_dev) < max_segment)
		dma_set_max_seg_size(provider->dma_dev, max_segment);
	provider->max_segment = round_down(max_segment, provider->address_align);
	if (!provider->max_segment)
		return dev_err_probe(provider->client, -EINVAL,
				     "segments of %u bytes, addresses are multiples of %u\n",
				     max_segment, provider->address_align);
	if (!sluice_is_axi_dma(device) || provider->direction != SLUICE_RX || !cyclic)
		return 0;
	provider->irq = sluice_receive_irq(device);
	if (provider->irq <= 0)
		return dev_err_probe(provider->client, provider->irq ?: -ENXIO,
				     "no interrupt of channel %s\n", provider->name);
	provider->scratch = dma_alloc_coherent(provider->dma_dev, SLUICE_SCRATCH_BYTES,
					       &provider->scratch_address, GFP_KERNEL);
	return provider->scratch ? 0 : -ENOMEM;
}

/**
 * sluice_provider_init - Request a channel and learn what it can do
 * @provider: to be filled in; it has its direction and its side of the card
 * @client: our device
 * @name: in its dma-names
 *
 * Return: 0 or -errno, said why.
 */
int sluice_provider_init(struct sluice_provider *provider, struct device *client,
			 const char *name)
{
	int ret;

	provider->client = client;
	provider->name = name;
	ret = sluice_provider_request(provider);
	if (ret)
		return dev_err_probe(client, ret, "no DMA channel %s\n", name);
	ret = sluice_provider_learn(provider);
	if (ret)
		goto release;
	/* Unbound before the engine is: its driver does not wait for who holds a channel. */
	if (!device_link_add(client, provider->chan->device->dev, DL_FLAG_AUTOREMOVE_CONSUMER)) {
		ret = dev_err_probe(client, -EINVAL, "no link to channel %s\n", name);
		goto release;
	}
	return 0;

release:
	sluice_provider_exit(provider);
	return ret;
}
