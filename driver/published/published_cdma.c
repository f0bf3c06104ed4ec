// SPDX-License-Identifier: GPL-2.0-only
/*
 * AXI CDMA (tables 6.1 to 6.14): a write has the first N engines copy a block each, from memory
 * that the program has mapped uncached, and polls their status registers until all are idle. There
 * are devices published-cdma-1, -2 and -4, as far as there are engines for them.
 *
 * Where targets= is given, each engine copies to its own block RAM, in place of to memory.
 *
 * The registers are programmed here, in simple mode (PG034): no other driver may use the engines.
 */
#include <linux/dma-mapping.h>
#include <linux/io.h>
#include <linux/iopoll.h>
#include <linux/module.h>

#include "published.h"

#define CDMA_ENGINES 4
#define CDMA_BYTES 131072 /* of an engine, and as many again where they arrive */
#define CDMA_REGISTERS 0x1000
#define CDMA_TIMEOUT_US 1000000

#define CDMA_CR 0x00
#define CDMA_CR_RESET BIT(2)
#define CDMA_SR 0x04
#define CDMA_SR_IDLE BIT(1)
#define CDMA_SR_ERRORS GENMASK(6, 4)
#define CDMA_SA 0x18
#define CDMA_DA 0x20
#define CDMA_BTT 0x28

static ulong engines[CDMA_ENGINES];
static unsigned int engine_count;
module_param_array(engines, ulong, &engine_count, 0444);
MODULE_PARM_DESC(engines, "physical addresses of the engines' registers");

static ulong targets[CDMA_ENGINES];
static unsigned int target_count;
module_param_array(targets, ulong, &target_count, 0444);
MODULE_PARM_DESC(targets, "address in the logic that each engine copies to. Default: memory");

static void __iomem *cdma_registers[CDMA_ENGINES];
static struct device *cdma_device;
static void *cdma_memory; /* of all engines: what is copied, then where it arrives */
static dma_addr_t cdma_address;

static void cdma_start(unsigned int engine, size_t bytes)
{
	const dma_addr_t from = cdma_address + engine * CDMA_BYTES;
	const dma_addr_t to = target_count ? targets[engine] : from + CDMA_ENGINES * CDMA_BYTES;

	writel(from, cdma_registers[engine] + CDMA_SA);
	writel(to, cdma_registers[engine] + CDMA_DA);
	writel(bytes, cdma_registers[engine] + CDMA_BTT);
}

static int cdma_wait(unsigned int engine)
{
	u32 status;
	int error = readl_poll_timeout(cdma_registers[engine] + CDMA_SR, status,
				       status & CDMA_SR_IDLE, 0, CDMA_TIMEOUT_US);

	if (!error && !(status & CDMA_SR_ERRORS))
		return 0;
	writel(CDMA_CR_RESET, cdma_registers[engine] + CDMA_CR);
	return error ? error : -EIO;
}

static ssize_t cdma_write(struct file *file, const char __user *from, size_t bytes, loff_t *offset)
{
	const unsigned int count = published_way_of(file)->engines;
	unsigned int i;
	int error = 0;
	u64 start;

	if (!bytes || bytes > CDMA_BYTES)
		return -EINVAL;
	start = ktime_get_ns();
	for (i = 0; i < count; ++i)
		cdma_start(i, bytes);
	for (i = 0; i < count; ++i)
		error = cdma_wait(i) ?: error;
	if (error)
		return error;
	published_add(file, start, bytes);
	return bytes;
}

static int cdma_mmap(struct file *file, struct vm_area_struct *area)
{
	return dma_mmap_coherent(cdma_device, area, cdma_memory, cdma_address,
				 CDMA_ENGINES * CDMA_BYTES);
}

static const struct file_operations cdma_operations = {
	.owner = THIS_MODULE,
	.write = cdma_write,
	.read = published_read,
	.mmap = cdma_mmap,
};

static struct published_way cdma_ways[] = {
	PUBLISHED_WAY("published-cdma-1", &cdma_operations, 1),
	PUBLISHED_WAY("published-cdma-2", &cdma_operations, 2),
	PUBLISHED_WAY("published-cdma-4", &cdma_operations, 4),
};

/* Those that there are engines for. */
static unsigned int cdma_way_count(void)
{
	unsigned int count = 0;

	while (count < ARRAY_SIZE(cdma_ways) && cdma_ways[count].engines <= engine_count)
		++count;
	return count;
}

static void cdma_free(void)
{
	unsigned int i;

	if (cdma_memory)
		dma_free_coherent(cdma_device, 2 * CDMA_ENGINES * CDMA_BYTES, cdma_memory,
				  cdma_address);
	for (i = 0; i < engine_count; ++i)
		if (cdma_registers[i])
			iounmap(cdma_registers[i]);
	if (!IS_ERR_OR_NULL(cdma_device))
		root_device_unregister(cdma_device);
}

static int cdma_prepare(void)
{
	unsigned int i;
	int error;

	cdma_device = root_device_register("published-cdma");
	if (IS_ERR(cdma_device))
		return PTR_ERR(cdma_device);
	error = dma_coerce_mask_and_coherent(cdma_device, DMA_BIT_MASK(32));
	if (error)
		return error;
	for (i = 0; i < engine_count; ++i) {
		cdma_registers[i] = ioremap(engines[i], CDMA_REGISTERS);
		if (!cdma_registers[i])
			return -ENOMEM;
	}
	cdma_memory = dma_alloc_coherent(cdma_device, 2 * CDMA_ENGINES * CDMA_BYTES, &cdma_address,
					 GFP_KERNEL);
	return cdma_memory ? 0 : -ENOMEM;
}

static int __init cdma_init(void)
{
	int error;

	if (!engine_count || (target_count && target_count != engine_count)) {
		pr_err("published_cdma: engines=ADDRESS,... and as many targets=, or none\n");
		return -EINVAL;
	}
	error = cdma_prepare();
	if (!error)
		error = published_register(cdma_ways, cdma_way_count());
	if (error)
		cdma_free();
	return error;
}
module_init(cdma_init);

static void __exit cdma_exit(void)
{
	published_remove(cdma_ways, cdma_way_count());
	cdma_free();
}
module_exit(cdma_exit);

MODULE_DESCRIPTION("AXI CDMA as in Manikandan 2015, for measuring");
MODULE_LICENSE("GPL");
