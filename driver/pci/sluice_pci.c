// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sluice card: has the kernel's own drivers bind to the DMA engines behind a PCI Express endpoint.
 *
 * BAR 0 of the card is the control space of one design: a page that says which, and engines with
 * the registers of AMD's and Intel's IP. Their drivers know device trees only. So this driver
 * describes the design below the device-tree node that the PCI core makes for the card
 * (CONFIG_PCI_DYNAMIC_OF_NODES), with an overlay for each design, puts an interrupt controller in
 * front of the card's MSI-X vectors, and lets the platform bus find the engines.
 *
 * A card whose node is in the machine's own device tree, with all that the overlay would say, needs
 * none: before Linux 6.6 there is no other way. The card's address alone is filled in.
 *
 * Every step of probe() registers its own undoing, so that unbinding runs them backwards: engines
 * first, then handlers, vectors' domain, description, and last the PCI function.
 */

#include <linux/bitfield.h>
#include <linux/device.h>
#include <linux/fwnode.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/iommu.h>
#include <linux/irq.h>
#include <linux/irqdomain.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/of_platform.h>
#include <linux/pci.h>

#include "cdma.h"
#include "sl_design_page.h"
#include "sluice_compat.h"
#include "sluice_overlays.h"

#define SLUICE_BAR		0
#define SLUICE_PAGE		CDMA_PAGE_OFFSET	/* the same in every design */
#define SLUICE_LANE_STRIDE	CDMA_HP_STRIDE
#define SLUICE_MAX_VECTORS	64
#define SLUICE_ALL_ONES		(~0U)			/* what nobody answers with */
#define SLUICE_OF_PCI_MEMORY	0x82000000		/* of a device tree: memory, fixed */

static bool noncoherent;
module_param(noncoherent, bool, 0444);
MODULE_PARM_DESC(noncoherent, "Describe the card as one that does not snoop caches (for tests)");

/**
 * struct sluice_design - A design that this driver can describe
 * @identity: what the design page says: four characters
 * @name: for messages
 * @begin: of the overlay, NULL without CONFIG_PCI_DYNAMIC_OF_NODES
 * @end: behind the overlay
 */
struct sluice_design {
	u32 identity;
	const char *name;
	const u8 *begin;
	const u8 *end;
};

/**
 * struct sluice_config - How the design of a card was built, checked
 * @ports: memory ports, each with a lane of its own
 * @data_bits: of memory and streams
 * @length_bits: of a transfer's length
 * @unaligned: buffers may start at any byte
 */
struct sluice_config {
	unsigned int ports;
	unsigned int data_bits;
	unsigned int length_bits;
	bool unaligned;
};

struct sluice_vector {
	struct sluice_card *card;
	irq_hw_number_t number;
};

/**
 * struct sluice_card - A bound card
 * @pdev: its function
 * @overlay: id of the applied overlay, 0 where the machine's tree describes the card
 * @bus: the bus of engines
 * @changes: what this card's description has beyond the overlay
 * @domain: of interrupts: the number is that of the MSI-X vector
 * @vectors: MSI-X vectors
 * @vector: one each
 */
struct sluice_card {
	struct pci_dev *pdev;
	int overlay;
	struct device_node *bus;
	struct of_changeset changes;
	struct irq_domain *domain;
	unsigned int vectors;
	struct sluice_vector vector[SLUICE_MAX_VECTORS];
};

#ifdef CONFIG_PCI_DYNAMIC_OF_NODES
#define SLUICE_OVERLAY(design)						\
	.begin = __dtbo_sluice_##design##_begin, .end = __dtbo_sluice_##design##_end
#else
#define SLUICE_OVERLAY(design)
#endif
#define SLUICE_DESIGN(characters, design)				\
	{ .identity = (characters), .name = #design, SLUICE_OVERLAY(design) }

static const struct sluice_design sluice_designs[] = {
	SLUICE_DESIGN(0x534c4341 /* SLCA */, capture),
	SLUICE_DESIGN(0x534c4344 /* SLCD */, cdma),
	SLUICE_DESIGN(0x534c4c42 /* SLLB */, dma_loopback),
	SLUICE_DESIGN(0x534c4d53 /* SLMS */, msgdma),
};

/* ---------------------------------------------------------------------------------------------
 * The design
 */
static const struct sluice_design *sluice_find(u32 identity)
{
	for (size_t i = 0; i < ARRAY_SIZE(sluice_designs); i++)
		if (sluice_designs[i].identity == identity)
			return &sluice_designs[i];
	return NULL;
}

static const struct sluice_design *sluice_identify(struct pci_dev *pdev,
						   struct sluice_config *config)
{
	struct device *dev = &pdev->dev;
	const struct sluice_design *design;
	u32 identity, version, built;
	void __iomem *page;

	if (pci_resource_len(pdev, SLUICE_BAR) < SLUICE_PAGE + SL_DESIGN_PAGE_WINDOW)
		return ERR_PTR(dev_err_probe(dev, -ENODEV, "BAR 0 %pR has no design page\n",
					     pci_resource_n(pdev, SLUICE_BAR)));
	/* Not requested: the engines' drivers request what is theirs of it. */
	page = pci_iomap_range(pdev, SLUICE_BAR, SLUICE_PAGE, SL_DESIGN_PAGE_WINDOW);
	if (!page)
		return ERR_PTR(dev_err_probe(dev, -ENOMEM, "cannot map BAR 0\n"));
	identity = ioread32(page + SL_DESIGN_PAGE_IDENTITY_OFFSET);
	version = ioread32(page + SL_DESIGN_PAGE_VERSION_OFFSET);
	built = ioread32(page + SL_DESIGN_PAGE_CONFIG_OFFSET);
	pci_iounmap(pdev, page);

	if (identity == SLUICE_ALL_ONES)
		return ERR_PTR(dev_err_probe(dev, -ENODEV, "the card does not answer\n"));
	design = sluice_find(identity);
	if (!design)
		return ERR_PTR(dev_err_probe(dev, -ENODEV, "no overlay for design %#010x\n",
					     identity));
	if (FIELD_GET(SL_DESIGN_PAGE_VERSION_MAJOR_MASK, version) != 1)
		return ERR_PTR(dev_err_probe(dev, -ENODEV,
					     "%s has register map %#x, this driver knows 1.x\n",
					     design->name, version));
	config->ports = FIELD_GET(SL_DESIGN_PAGE_CONFIG_NUM_PORTS_MASK, built);
	config->data_bits = 8 * FIELD_GET(SL_DESIGN_PAGE_CONFIG_DATA_BYTES_MASK, built);
	config->length_bits = FIELD_GET(SL_DESIGN_PAGE_CONFIG_LEN_BITS_MASK, built);
	config->unaligned = FIELD_GET(SL_DESIGN_PAGE_CONFIG_UNALIGNED_MASK, built);
	if (config->ports < 1 || config->ports > CDMA_HP_COUNT)
		return ERR_PTR(dev_err_probe(dev, -ENODEV, "%s says that it has %u ports\n",
					     design->name, config->ports));
	return design;
}

/* The channel's properties hold for every design as it is built by default: for this one too? */
static int sluice_check_channel(struct device *dev, struct device_node *channel,
				const struct sluice_config *config)
{
	u32 bits;

	if (!of_property_read_u32(channel, "xlnx,datawidth", &bits) && bits != config->data_bits)
		return dev_err_probe(dev, -EINVAL, "%pOF: %u bits wide, the design says %u\n",
				     channel, bits, config->data_bits);
	if (of_property_read_bool(channel, "xlnx,include-dre") && !config->unaligned)
		return dev_err_probe(dev, -EINVAL, "%pOF: the design has no realignment\n",
				     channel);
	return 0;
}

/*
 * xilinx_dma before 6.8 takes the delay's interrupt, too, for the end of all that the engine has:
 * transfers that go on would be over.
 */
static int sluice_drop_delay(struct sluice_card *card, struct device_node *channel)
{
	struct property *delay = of_find_property(channel, "xlnx,irq-delay", NULL);

	if (!SLUICE_DELAY_COMPLETES || !delay)
		return 0;
	return of_changeset_remove_property(&card->changes, channel, delay);
}

/* An engine is left as it is, disabled for want of a port, or refused. */
static int sluice_adapt_engine(struct sluice_card *card, struct device_node *engine,
			       const struct sluice_config *config)
{
	struct device *dev = &card->pdev->dev;
	u32 address, bits;
	int ret;

	if (of_property_read_u32_index(engine, "reg", 0, &address))
		return 0; /* no registers: a clock, streams */
	if (address / SLUICE_LANE_STRIDE >= config->ports)
		return of_changeset_add_prop_string(&card->changes, engine, "status", "disabled");
	if (!of_property_read_u32(engine, "xlnx,sg-length-width", &bits) &&
	    bits > config->length_bits)
		return dev_err_probe(dev, -EINVAL, "%pOF: lengths of %u bits, the design says %u\n",
				     engine, bits, config->length_bits);
	for_each_child_of_node_scoped(engine, channel) {
		ret = sluice_check_channel(dev, channel, config) ?:
		      sluice_drop_delay(card, channel);
		if (ret)
			return ret;
	}
	return 0;
}

static void sluice_revert_changes(void *data)
{
	struct sluice_card *card = data;

	of_changeset_revert(&card->changes);
	of_changeset_destroy(&card->changes);
}

/* Clocks have names of their own, and so have boards: two cards' must differ. */
static int sluice_name(struct sluice_card *card, struct device_node *parent, const char *child,
		       const char *property)
{
	struct device_node *node = of_get_child_by_name(parent, child);
	int ret = 0;

	if (node && !of_find_property(node, property, NULL))
		ret = of_changeset_add_prop_string(&card->changes, node, property,
						   pci_name(card->pdev));
	of_node_put(node);
	return ret;
}

/*
 * Where the bus of engines is: BAR 0 goes where the kernel has put it, which no device tree knows.
 * The PCI core says so of the nodes that it makes.
 */
static int sluice_place_bus(struct sluice_card *card)
{
	struct device_node *node = dev_of_node(&card->pdev->dev);
	u64 size = pci_resource_len(card->pdev, SLUICE_BAR);
	pci_bus_addr_t address = pci_bus_address(card->pdev, SLUICE_BAR);
	const u32 ranges[] = {
		SLUICE_BAR, 0, 0, /* for the children */
		SLUICE_OF_PCI_MEMORY, upper_32_bits(address), lower_32_bits(address),
		upper_32_bits(size), lower_32_bits(size),
	};

	if (of_find_property(node, "ranges", NULL))
		return 0;
	return of_changeset_add_prop_u32_array(&card->changes, node, "ranges", ranges,
					       ARRAY_SIZE(ranges));
}

static int sluice_adapt(struct sluice_card *card, const struct sluice_config *config)
{
	struct device *dev = &card->pdev->dev;
	int ret;

	of_changeset_init(&card->changes);
	ret = sluice_place_bus(card);
	if (ret)
		goto destroy;
	ret = sluice_name(card, dev_of_node(dev), "clock", "clock-output-names");
	if (ret)
		goto destroy;
	ret = sluice_name(card, dev_of_node(dev), "channels", "label");
	if (ret)
		goto destroy;
	for_each_child_of_node_scoped(card->bus, engine) {
		ret = sluice_adapt_engine(card, engine, config);
		if (ret)
			goto destroy;
	}
	if (noncoherent) {
		ret = of_changeset_add_prop_bool(&card->changes, card->bus, "dma-noncoherent");
		if (ret)
			goto destroy;
	}
	ret = of_changeset_apply(&card->changes);
	if (ret) {
		dev_err_probe(dev, ret, "cannot adapt the description\n");
		goto destroy;
	}
	return devm_add_action_or_reset(dev, sluice_revert_changes, card);

destroy:
	of_changeset_destroy(&card->changes);
	return ret;
}

static void sluice_put_bus(void *data)
{
	struct sluice_card *card = data;

	of_node_put(card->bus);
}

#ifdef CONFIG_PCI_DYNAMIC_OF_NODES
static void sluice_remove_overlay(void *data)
{
	struct sluice_card *card = data;
	int ret;

	ret = of_overlay_remove(&card->overlay);
	if (ret)
		dev_err(&card->pdev->dev, "the description stays: error %d\n", ret);
}

static int sluice_apply_overlay(struct sluice_card *card, const struct sluice_design *design)
{
	struct device *dev = &card->pdev->dev;
	int ret;

	ret = of_overlay_fdt_apply(design->begin, design->end - design->begin, &card->overlay,
				   dev_of_node(dev));
	if (ret) {
		if (card->overlay)
			of_overlay_remove(&card->overlay);
		return dev_err_probe(dev, ret, "cannot apply the overlay of %s\n", design->name);
	}
	return devm_add_action_or_reset(dev, sluice_remove_overlay, card);
}
#else
static int sluice_apply_overlay(struct sluice_card *card, const struct sluice_design *design)
{
	return dev_err_probe(&card->pdev->dev, -ENODEV,
			     "%s is not described in the device tree, and this kernel has no CONFIG_PCI_DYNAMIC_OF_NODES\n",
			     design->name);
}
#endif

static int sluice_describe(struct sluice_card *card, const struct sluice_design *design)
{
	struct device *dev = &card->pdev->dev;
	int ret;

	card->bus = of_get_child_by_name(dev_of_node(dev), "bus");
	if (!card->bus) {
		ret = sluice_apply_overlay(card, design);
		if (ret)
			return ret;
		card->bus = of_get_child_by_name(dev_of_node(dev), "bus");
	}
	if (!card->bus)
		return dev_err_probe(dev, -EINVAL, "no bus in the overlay of %s\n", design->name);
	return devm_add_action_or_reset(dev, sluice_put_bus, card);
}

/* ---------------------------------------------------------------------------------------------
 * Interrupts: number n of the domain is MSI-X vector n.
 *
 * The card sends a message when a line rises, and again after a write to BAR 0 while it is high:
 * for the engines' drivers an edge, with nothing to mask or acknowledge here.
 */
static irqreturn_t sluice_interrupt(int irq, void *data)
{
	const struct sluice_vector *vector = data;

	return generic_handle_domain_irq(vector->card->domain, vector->number) ? IRQ_NONE :
										 IRQ_HANDLED;
}

static struct irq_chip sluice_chip = {
	.name = "sluice",
};

static int sluice_domain_map(struct irq_domain *domain, unsigned int virq, irq_hw_number_t hwirq)
{
	irq_set_chip_and_handler(virq, &sluice_chip, handle_simple_irq);
	irq_set_noprobe(virq);
	return 0;
}

static void sluice_domain_unmap(struct irq_domain *domain, unsigned int virq)
{
	irq_set_chip_and_handler(virq, NULL, NULL);
}

static const struct irq_domain_ops sluice_domain_ops = {
	.map = sluice_domain_map,
	.unmap = sluice_domain_unmap,
	.xlate = irq_domain_xlate_onecell,
};

static void sluice_free_vectors(void *data)
{
	pci_free_irq_vectors(data);
}

static void sluice_remove_domain(void *data)
{
	struct sluice_card *card = data;

	for (unsigned int i = 0; i < card->vectors; i++)
		irq_dispose_mapping(irq_find_mapping(card->domain, i));
	irq_domain_remove(card->domain);
}

static int sluice_add_domain(struct sluice_card *card)
{
	struct device_node *node = of_get_child_by_name(dev_of_node(&card->pdev->dev),
							"interrupt-controller");
	struct device *dev = &card->pdev->dev;

	if (!node)
		return dev_err_probe(dev, -EINVAL, "no interrupt controller in the overlay\n");
	card->domain = irq_domain_create_linear(of_fwnode_handle(node), card->vectors,
						&sluice_domain_ops, card);
	of_node_put(node);
	if (!card->domain)
		return dev_err_probe(dev, -ENOMEM, "no interrupt domain\n");
	return devm_add_action_or_reset(dev, sluice_remove_domain, card);
}

static int sluice_add_interrupts(struct sluice_card *card)
{
	struct pci_dev *pdev = card->pdev;
	struct device *dev = &pdev->dev;
	int ret;

	ret = pci_msix_vec_count(pdev);
	if (ret < 1 || ret > SLUICE_MAX_VECTORS)
		return dev_err_probe(dev, -ENODEV, "%d MSI-X vectors, not 1 to %d\n", ret,
				     SLUICE_MAX_VECTORS);
	card->vectors = ret;
	ret = pci_alloc_irq_vectors(pdev, card->vectors, card->vectors, PCI_IRQ_MSIX);
	if (ret < 0)
		return dev_err_probe(dev, ret, "cannot have %u MSI-X vectors\n", card->vectors);
	ret = devm_add_action_or_reset(dev, sluice_free_vectors, pdev);
	if (ret)
		return ret;
	ret = sluice_add_domain(card);
	if (ret)
		return ret;
	for (unsigned int i = 0; i < card->vectors; i++) {
		card->vector[i] = (struct sluice_vector){ .card = card, .number = i };
		ret = devm_request_irq(dev, pci_irq_vector(pdev, i), sluice_interrupt,
				       IRQF_NO_THREAD, dev_name(dev), &card->vector[i]);
		if (ret)
			return dev_err_probe(dev, ret, "cannot have vector %u\n", i);
	}
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * The function
 */
static void sluice_clear_master(void *data)
{
	pci_clear_master(data);
}

/*
 * The nodes of an overlay count as no devices, until whoever makes devices of them says otherwise:
 * only then are clocks bound before their users and unbound after them.
 */
static void sluice_mark_devices(struct device_node *parent)
{
	for_each_child_of_node_scoped(parent, node)
		fwnode_clear_flag(&node->fwnode, FWNODE_FLAG_NOT_DEVICE);
}

static void sluice_depopulate(void *data)
{
	of_platform_depopulate(data);
}

static int sluice_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	const struct sluice_design *design;
	struct device *dev = &pdev->dev;
	struct sluice_config config;
	struct sluice_card *card;
	int ret;

	if (!dev_of_node(dev))
		return dev_err_probe(dev, -ENODEV,
				     "no device-tree node: needs a host bridge out of a device tree, and CONFIG_PCI_DYNAMIC_OF_NODES or a node for the card\n");
	/* An IOMMU would see the engines' platform devices as devices that it does not know. */
	if (device_iommu_mapped(dev))
		return dev_err_probe(dev, -EOPNOTSUPP, "not behind an IOMMU\n");
	card = devm_kzalloc(dev, sizeof(*card), GFP_KERNEL);
	if (!card)
		return -ENOMEM;
	card->pdev = pdev;

	ret = pcim_enable_device(pdev);
	if (ret)
		return dev_err_probe(dev, ret, "cannot be enabled\n");
	design = sluice_identify(pdev, &config);
	if (IS_ERR(design))
		return PTR_ERR(design);
	pci_set_master(pdev);
	ret = devm_add_action_or_reset(dev, sluice_clear_master, pdev);
	if (ret)
		return ret;

	ret = sluice_describe(card, design);
	if (ret)
		return ret;
	ret = sluice_adapt(card, &config);
	if (ret)
		return ret;
	ret = sluice_add_interrupts(card);
	if (ret)
		return ret;
	ret = devm_add_action_or_reset(dev, sluice_depopulate, dev);
	if (ret)
		return ret;
	sluice_mark_devices(dev_of_node(dev));
	sluice_mark_devices(card->bus);
	ret = of_platform_default_populate(dev_of_node(dev), NULL, dev);
	if (ret)
		return dev_err_probe(dev, ret, "cannot populate %s\n", design->name);
	dev_info(dev, "%s: %u ports of %u bits, %u vectors%s\n", design->name, config.ports,
		 config.data_bits, card->vectors, noncoherent ? ", described as non-coherent" : "");
	return 0;
}

/* The vendor's number for any card that an overlay describes: the subsystem tells this one. */
static const struct pci_device_id sluice_ids[] = {
	{ PCI_DEVICE_SUB(PCI_VENDOR_ID_XILINX, 0x5020, 0x1234, 0x51ce) },
	{ }
};
MODULE_DEVICE_TABLE(pci, sluice_ids);

static struct pci_driver sluice_driver = {
	.name = "sluice_pci",
	.id_table = sluice_ids,
	.probe = sluice_probe,
};
module_pci_driver(sluice_driver);

MODULE_DESCRIPTION("Sluice card: engines behind a PCI Express endpoint");
MODULE_LICENSE("GPL");
