// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sluice card with AMD's XDMA registers: has the kernel's own driver, drivers/dma/xilinx/xdma.c,
 * bind to its engine.
 *
 * That driver knows a platform device, "xdma": registers, consecutive interrupts, and in its
 * platform data how many channels there may be. This one is the PCI function's: it makes that
 * device, and tells the DMA core which client gets which channel: of the PCI function, "h2c0" to
 * "h2c3" from host to card and "c2h0" to "c2h3" from card to host. Channels of a direction are
 * handed out in order, whichever of its names is asked for.
 *
 * The platform device is nobody's behind an IOMMU: where addresses are translated, this driver
 * refuses.
 */

#include <linux/device.h>
#include <linux/dma-mapping.h>
#include <linux/dmaengine.h>
#include <linux/io.h>
#include <linux/iommu.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/platform_data/amd_xdma.h>
#include <linux/platform_device.h>

#include "sl_xdma.h"

#define SLUICE_BAR		0
#define SLUICE_ENGINE_BYTES	0x10000	/* of the BAR, that are the engine's registers */
#define SLUICE_CHANNELS		SL_XDMA_H2C_COUNT	/* of a direction, at most */

/**
 * struct sluice_xdma_glue - A bound card
 * @info: a channel's direction, by direction
 * @map: which names are whose, for the DMA core
 * @count: of names
 */
struct sluice_xdma_glue {
	struct xdma_chan_info info[2];
	struct dma_slave_map map[2 * SLUICE_CHANNELS];
	unsigned int count;
};

static unsigned int sluice_count(void __iomem *registers, unsigned int base)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < SLUICE_CHANNELS; i++) {
		u32 identifier = ioread32(registers + base + i * SL_XDMA_H2C_STRIDE);

		if ((identifier & SL_XDMA_CHANNEL_IDENTIFIER_ID_MASK) ==
		    SL_XDMA_CHANNEL_IDENTIFIER_DEFAULT)
			count++;
	}
	return count;
}

/* Channels of both directions. */
static int sluice_channels(struct pci_dev *pdev, unsigned int *h2c, unsigned int *c2h)
{
	void __iomem *registers;

	if (pci_resource_len(pdev, SLUICE_BAR) < SLUICE_ENGINE_BYTES)
		return dev_err_probe(&pdev->dev, -ENODEV, "BAR 0 %pR is too small\n",
				     &pdev->resource[SLUICE_BAR]);
	/* Not requested: the engine's driver does that. */
	registers = pci_iomap_range(pdev, SLUICE_BAR, 0, SLUICE_ENGINE_BYTES);
	if (!registers)
		return dev_err_probe(&pdev->dev, -ENOMEM, "cannot map BAR 0\n");
	*h2c = sluice_count(registers, SL_XDMA_H2C_OFFSET);
	*c2h = sluice_count(registers, SL_XDMA_C2H_OFFSET);
	pci_iounmap(pdev, registers);
	if (!*h2c || !*c2h)
		return dev_err_probe(&pdev->dev, -ENODEV, "%u and %u channels\n", *h2c, *c2h);
	return 0;
}

static void sluice_free_vectors(void *data)
{
	pci_free_irq_vectors(data);
}

/* One for each channel, with numbers that follow each other. */
static int sluice_vectors(struct pci_dev *pdev, unsigned int count)
{
	int ret = pci_alloc_irq_vectors(pdev, count, count, PCI_IRQ_MSIX);

	if (ret < 0)
		return dev_err_probe(&pdev->dev, ret, "no %u MSI-X vectors\n", count);
	ret = devm_add_action_or_reset(&pdev->dev, sluice_free_vectors, pdev);
	if (ret)
		return ret;
	for (unsigned int i = 1; i < count; i++)
		if (pci_irq_vector(pdev, i) != pci_irq_vector(pdev, 0) + i)
			return dev_err_probe(&pdev->dev, -EINVAL,
					     "the vectors' numbers do not follow each other\n");
	return 0;
}

static bool sluice_translated(struct device *dev)
{
	struct iommu_domain *domain = iommu_get_domain_for_dev(dev);

	return domain && domain->type != IOMMU_DOMAIN_IDENTITY;
}

/* Names of a direction's channels: what a client of the function asks for. */
static int sluice_name(struct sluice_xdma_glue *card, struct device *dev, unsigned int count,
		       const char *prefix, struct xdma_chan_info *info)
{
	for (unsigned int i = 0; i < count; i++) {
		struct dma_slave_map *map = &card->map[card->count++];

		map->devname = dev_name(dev);
		map->slave = devm_kasprintf(dev, GFP_KERNEL, "%s%u", prefix, i);
		map->param = XDMA_FILTER_PARAM(info);
		if (!map->slave)
			return -ENOMEM;
	}
	return 0;
}

static void sluice_remove_engine(void *data)
{
	platform_device_unregister(data);
}

static int sluice_add_engine(struct pci_dev *pdev, struct xdma_platdata *data, unsigned int vectors)
{
	const struct resource resources[] = {
		{
			.start = pci_resource_start(pdev, SLUICE_BAR),
			.end = pci_resource_start(pdev, SLUICE_BAR) + SLUICE_ENGINE_BYTES - 1,
			.flags = IORESOURCE_MEM,
			.parent = &pdev->resource[SLUICE_BAR],
		},
		{
			.start = pci_irq_vector(pdev, 0),
			.end = pci_irq_vector(pdev, 0) + vectors - 1,
			.flags = IORESOURCE_IRQ,
		},
	};
	const struct platform_device_info info = {
		.parent = &pdev->dev,
		.name = "xdma",
		.id = PLATFORM_DEVID_AUTO,
		.res = resources,
		.num_res = ARRAY_SIZE(resources),
		.data = data,
		.size_data = sizeof(*data),
		.dma_mask = DMA_BIT_MASK(64),
	};
	struct platform_device *engine = platform_device_register_full(&info);

	if (IS_ERR(engine))
		return dev_err_probe(&pdev->dev, PTR_ERR(engine), "no platform device\n");
	return devm_add_action_or_reset(&pdev->dev, sluice_remove_engine, engine);
}

static int sluice_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct device *dev = &pdev->dev;
	struct xdma_platdata data = {};
	struct sluice_xdma_glue *card;
	unsigned int h2c, c2h;
	int ret;

	if (sluice_translated(dev))
		return dev_err_probe(dev, -EOPNOTSUPP,
				     "the kernel's xdma cannot be used behind an IOMMU that translates (iommu=pt)\n");
	card = devm_kzalloc(dev, sizeof(*card), GFP_KERNEL);
	if (!card)
		return -ENOMEM;
	ret = pcim_enable_device(pdev);
	if (ret)
		return dev_err_probe(dev, ret, "cannot enable\n");
	ret = sluice_channels(pdev, &h2c, &c2h);
	if (ret)
		return ret;
	pci_set_master(pdev);
	ret = sluice_vectors(pdev, h2c + c2h);
	if (ret)
		return ret;

	card->info[0].dir = DMA_MEM_TO_DEV;
	card->info[1].dir = DMA_DEV_TO_MEM;
	ret = sluice_name(card, dev, h2c, "h2c", &card->info[0]) ?:
	      sluice_name(card, dev, c2h, "c2h", &card->info[1]);
	if (ret)
		return ret;
	data.max_dma_channels = SLUICE_CHANNELS;
	data.device_map = card->map;
	data.device_map_cnt = card->count;
	return sluice_add_engine(pdev, &data, h2c + c2h);
}

/*
 * By the subsystem: the numbers of the function itself are AMD's. No alias: sluice_card drives this
 * card by itself, and whoever wants the kernel's driver loads this one in its place.
 */
static const struct pci_device_id sluice_ids[] = {
	{ PCI_DEVICE_SUB(PCI_ANY_ID, PCI_ANY_ID, 0x1234, 0x51cf) },
	{ }
};

static struct pci_driver sluice_driver = {
	.name = "sluice_xdma_platform",
	.id_table = sluice_ids,
	.probe = sluice_probe,
};
module_pci_driver(sluice_driver);

MODULE_DESCRIPTION("Sluice card with XDMA registers, for the kernel's own driver");
MODULE_LICENSE("GPL");
