// SPDX-License-Identifier: GPL-2.0-only
/*
 * A PCI Express card with DMA channels: the function is the DMA device.
 *
 * Its channels are offered to two: as "h2c0" and on, and "c2h0" and on, of the function itself, to
 * any client of dmaengine; and the same of a platform device that is made here for sluice.ko. No
 * device tree is needed: PCs have none. Nor does an IOMMU matter: memory is mapped for the
 * function.
 *
 * A function that is reset (sysfs: reset) ends what its channels have with an error, and they go on
 * afterwards. One that is unbound or unplugged does, too; a client that keeps its channel all the
 * same has one on which everything fails.
 *
 * The card may reach memory only from when its channels are at rest, whatever they did before.
 *
 *   function                module, PCI function, interrupts
 *   clients                 what sluice.ko is told
 *   dmaengine               what dmaengine calls, the end of channels
 *   xdma, avmm              engines: registers and rings
 *   queue                   transfers, from issue to end
 */

#include <linux/delay.h>
#include <linux/idr.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/slab.h>

#include "card.h"

#define SLUICE_CLIENTS_MS	5000U	/* that other modules have to give channels back */
#define SLUICE_CLIENTS_STEP_MS	20U

static DEFINE_IDA(sluice_card_ids);

/* ---------------------------------------------------------------------------------------------
 * What the card is
 */

/**
 * sluice_card_add_channel - Add a channel
 * @card: of which it is the next one; those to the card come first
 * @name: of it
 * @direction: of it
 *
 * Return: the channel, without registers yet.
 */
struct sluice_chan *sluice_card_add_channel(struct sluice_card *card, const char *name,
					    enum dma_transfer_direction direction)
{
	unsigned int line = card->channels++;
	struct sluice_chan *channel = &card->channel[line];

	channel->card = card;
	channel->line = line;
	channel->direction = direction;
	strscpy(channel->name, name, sizeof(channel->name));
	sluice_chan_init(channel);
	return channel;
}

/* An engine may be behind any of the BARs: AMD's is where its design has put it. */
static int sluice_card_find(struct sluice_card *card)
{
	struct pci_dev *pdev = card->pdev;
	bool seen = false;
	int ret;

	for (card->bar = 0; card->bar < PCI_STD_NUM_BARS; card->bar++) {
		if (!(pci_resource_flags(pdev, card->bar) & IORESOURCE_MEM) ||
		    !pci_resource_len(pdev, card->bar))
			continue;
		card->registers = pcim_iomap(pdev, card->bar, 0);
		if (!card->registers)
			return dev_err_probe(&pdev->dev, -ENOMEM, "cannot map BAR %d\n", card->bar);
		ret = sluice_avmm_find(card);
		if (ret == -ENODEV)
			ret = sluice_xdma_find(card);
		if (ret != -ENODEV)
			return ret;
		pcim_iounmap(pdev, card->registers);
		seen = true;
	}
	return dev_err_probe(&pdev->dev, -ENODEV, "%s\n",
			     seen ? "no BAR has an engine that this driver knows" :
				    "no BAR has an address: the window of a bridge may be too small");
}

/* ---------------------------------------------------------------------------------------------
 * Interrupts: a vector for each channel, or shared where there are fewer
 */
static irqreturn_t sluice_card_interrupt(int irq, void *data)
{
	struct sluice_chan *first = data;
	struct sluice_card *card = first->card;

	for (unsigned int i = first->line; i < card->channels; i += card->vectors) {
		struct sluice_chan *channel = &card->channel[i];
		unsigned long flags;

		spin_lock_irqsave(&channel->lock, flags);
		if (channel->state == SLUICE_RUNS || channel->state == SLUICE_CYCLES)
			card->ops->serve(channel);
		spin_unlock_irqrestore(&channel->lock, flags);
	}
	return IRQ_HANDLED;
}

static int sluice_card_request_vectors(struct sluice_card *card)
{
	struct pci_dev *pdev = card->pdev;
	int ret;

	ret = pci_alloc_irq_vectors(pdev, 1, card->channels, PCI_IRQ_MSIX | PCI_IRQ_MSI);
	if (ret < 0)
		return dev_err_probe(&pdev->dev, ret, "no MSI-X and no MSI\n");
	card->vectors = ret;
	for (unsigned int i = 0; i < card->channels; i++)
		card->channel[i].vector = i % card->vectors;
	for (unsigned int i = 0; i < card->vectors; i++) {
		ret = request_irq(pci_irq_vector(pdev, i), sluice_card_interrupt, 0,
				  dev_name(&pdev->dev), &card->channel[i]);
		if (!ret)
			continue;
		while (i--)
			free_irq(pci_irq_vector(pdev, i), &card->channel[i]);
		pci_free_irq_vectors(pdev);
		return dev_err_probe(&pdev->dev, ret, "cannot get an interrupt\n");
	}
	return 0;
}

static void sluice_card_free_vectors(struct sluice_card *card)
{
	for (unsigned int i = 0; i < card->vectors; i++)
		free_irq(pci_irq_vector(card->pdev, i), &card->channel[i]);
	pci_free_irq_vectors(card->pdev);
}

/* ---------------------------------------------------------------------------------------------
 * The function
 */
/* The card may not reach memory yet. Returns false if it does not become idle. */
static bool sluice_card_rests(struct sluice_card *card)
{
	for (unsigned int i = 0; i < card->channels; i++)
		if (!sluice_chan_up(&card->channel[i]))
			return false;
	return true;
}

/* What was issued meanwhile begins now, or fails. */
static int sluice_card_up(struct sluice_card *card)
{
	bool rests = sluice_card_rests(card);

	if (rests) {
		pci_set_master(card->pdev);
		WRITE_ONCE(card->down, false);
	}
	for (unsigned int i = 0; i < card->channels; i++)
		sluice_chan_begin(&card->channel[i], rests);
	return rests ? 0 : -EIO;
}

static void sluice_card_down(struct sluice_card *card)
{
	WRITE_ONCE(card->down, true);
	for (unsigned int i = 0; i < card->channels; i++)
		sluice_chan_down(&card->channel[i]);
	pci_clear_master(card->pdev);
}

static void sluice_card_reset_prepare(struct pci_dev *pdev)
{
	sluice_card_down(pci_get_drvdata(pdev));
}

static void sluice_card_reset_done(struct pci_dev *pdev)
{
	pci_clear_master(pdev); /* as it was saved before */
	if (sluice_card_up(pci_get_drvdata(pdev)))
		dev_err(&pdev->dev, "does not become idle after a reset, and is not used\n");
}

static int sluice_card_enable(struct pci_dev *pdev)
{
	int ret;

	ret = pcim_enable_device(pdev);
	if (ret)
		return dev_err_probe(&pdev->dev, ret, "cannot be enabled\n");
	ret = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (ret)
		return dev_err_probe(&pdev->dev, ret, "no 64-bit addresses\n");
	return 0;
}

static void sluice_card_map(struct sluice_card *card, const char *client, unsigned int from)
{
	for (unsigned int i = 0; i < card->channels; i++)
		card->map[from + i] = (struct dma_slave_map){
			.devname = client,
			.slave = card->channel[i].name,
			.param = &card->channel[i].chan,
		};
}

static bool sluice_card_in_use(const struct sluice_card *card)
{
	for (unsigned int i = 0; i < card->channels; i++)
		if (card->channel[i].chan.client_count)
			return true;
	return false;
}

/* Clients of other modules give their channels back when they are told to, or never. */
static bool sluice_card_wait_for_clients(struct sluice_card *card)
{
	for (unsigned int ms = 0; ms < SLUICE_CLIENTS_MS; ms += SLUICE_CLIENTS_STEP_MS) {
		if (!sluice_card_in_use(card))
			return true;
		msleep(SLUICE_CLIENTS_STEP_MS);
	}
	return !sluice_card_in_use(card);
}

static void sluice_card_free(struct sluice_card *card)
{
	pci_dev_put(card->pdev);
	kfree(card);
}

/*
 * Undo sluice_card_start(). dmaengine cannot lose a device whose channels somebody holds: then it
 * keeps it, for good, with channels on which everything fails, and without names to ask for them.
 */
static void sluice_card_stop(struct sluice_card *card)
{
	sluice_card_down(card);
	sluice_card_free_vectors(card);
	for (unsigned int i = 0; i < card->channels; i++)
		sluice_chan_exit(&card->channel[i]);
	if (sluice_card_wait_for_clients(card)) {
		dma_async_device_unregister(&card->dma);
		ida_free(&sluice_card_ids, card->id);
		sluice_card_free(card);
		return;
	}
	dev_err(&card->pdev->dev, "a client does not release its channel, which stays and cannot be used\n");
	card->dma.filter.mapcnt = 0;
	__module_get(THIS_MODULE);
}

static int sluice_card_start(struct sluice_card *card)
{
	struct pci_dev *pdev = card->pdev;
	int ret;

	dma_set_max_seg_size(&pdev->dev, card->ops->max_bytes);
	card->id = ida_alloc(&sluice_card_ids, GFP_KERNEL);
	if (card->id < 0)
		return card->id;
	snprintf(card->client, sizeof(card->client), "%s.%d", SLUICE_CLIENTS, card->id);
	sluice_card_map(card, dev_name(&pdev->dev), 0);
	sluice_card_map(card, card->client, card->channels);
	ret = sluice_card_request_vectors(card);
	if (ret)
		goto id;
	ret = sluice_card_up(card);
	if (ret) {
		dev_err_probe(&pdev->dev, ret, "does not become idle; reset the function\n");
		goto vectors;
	}
	ret = sluice_card_register(card);
	if (!ret)
		return 0;
	dev_err_probe(&pdev->dev, ret, "dmaengine refuses the device\n");
	sluice_card_down(card);
vectors:
	sluice_card_free_vectors(card);
id:
	ida_free(&sluice_card_ids, card->id);
	return ret;
}

static int sluice_card_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct sluice_card *card;
	int ret;

	ret = sluice_card_enable(pdev);
	if (ret)
		return ret;
	card = kzalloc(sizeof(*card), GFP_KERNEL);
	if (!card)
		return -ENOMEM;
	card->pdev = pci_dev_get(pdev);
	card->down = true;
	INIT_LIST_HEAD(&card->dma.channels);
	ret = sluice_card_find(card) ?: sluice_card_start(card);
	if (ret) {
		sluice_card_free(card);
		return ret;
	}
	pci_set_drvdata(pdev, card);
	ret = sluice_clients_add(card);
	if (ret) {
		sluice_card_stop(card);
		return ret;
	}
	dev_info(&pdev->dev, "%u channels, %s, %u vectors%s\n", card->channels,
		 card->stream ? "streams" : "memory", card->vectors,
		 card->ours ? "" : ", without resets");
	return 0;
}

static void sluice_card_remove(struct pci_dev *pdev)
{
	struct sluice_card *card = pci_get_drvdata(pdev);

	platform_device_unregister(card->clients);
	sluice_card_stop(card);
}

static const struct pci_error_handlers sluice_card_resets = {
	.reset_prepare = sluice_card_reset_prepare,
	.reset_done = sluice_card_reset_done,
};

/* By the subsystem: the numbers of the function itself are AMD's. */
static const struct pci_device_id sluice_card_devices[] = {
	{ PCI_DEVICE_SUB(PCI_ANY_ID, PCI_ANY_ID, 0x1234, 0x51cf) },
	{ }
};
MODULE_DEVICE_TABLE(pci, sluice_card_devices);

static struct pci_driver sluice_card_driver = {
	.name = "sluice_card",
	.id_table = sluice_card_devices,
	.probe = sluice_card_probe,
	.remove = sluice_card_remove,
	.err_handler = &sluice_card_resets,
};
module_pci_driver(sluice_card_driver);

MODULE_DESCRIPTION("DMA channels of a PCI Express card");
MODULE_LICENSE("GPL");
