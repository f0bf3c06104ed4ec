// SPDX-License-Identifier: GPL-2.0-only
/*
 * Coherent memory as dma-bufs: an engine and the processor see it alike, and nobody maintains
 * caches for it.
 *
 * The DMA API decides how: an engine that snoops the caches gets ordinary memory, any other one
 * memory that the processor does not cache. The processor's mapping therefore suits devices of the
 * same kind only, and a device of the other kind is not given the memory.
 *
 * The memory is the machine's own, so an engine that goes takes nothing away: the dma-buf holds the
 * device's structure, and this module, until its last user has let go. To free the memory or to map
 * it, the DMA API needs what translates the engine's addresses. That goes with the device's driver,
 * or with the device. So an engine whose addresses are translated gets no such memory.
 */

#include <linux/device.h>
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/dma-map-ops.h>
#include <linux/err.h>
#include <linux/iommu.h>
#include <linux/iosys-map.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "coherent.h"
#include "compat.h"

/**
 * struct sluice_coherent - A dma-buf of coherent memory
 * @dev: the engine's device, for which it was allocated; held
 * @memory: for the kernel
 * @address: for @dev
 * @bytes: of it, whole pages
 */
struct sluice_coherent {
	struct device *dev;
	void *memory;
	dma_addr_t address;
	size_t bytes;
};

/* Whether a device's addresses differ from those of memory: by an IOMMU, or by its bus. */
static bool sluice_coherent_is_translated(struct device *dev)
{
	struct iommu_domain *domain = iommu_get_domain_for_dev(dev);

	return dev->dma_range_map || (domain && domain->type != IOMMU_DOMAIN_IDENTITY);
}

static int sluice_coherent_attach(struct dma_buf *dmabuf, struct dma_buf_attachment *attachment)
{
	const struct sluice_coherent *coherent = dmabuf->priv;

	/* A device of a bus may have no firmware node: its own structure says it in any case. */
	if (dev_is_dma_coherent(attachment->dev) != dev_is_dma_coherent(coherent->dev))
		return -EXDEV;
	/* What it does not reach would be copied to where it does, and nobody copies it back. */
	return dma_get_mask(attachment->dev) < dma_get_mask(coherent->dev) ? -EXDEV : 0;
}

static struct sg_table *sluice_coherent_map(struct dma_buf_attachment *attachment,
					    enum dma_data_direction direction)
{
	const struct sluice_coherent *coherent = attachment->dmabuf->priv;
	struct sg_table *table;
	int ret;

	table = kzalloc(sizeof(*table), GFP_KERNEL);
	if (!table)
		return ERR_PTR(-ENOMEM);
	ret = dma_get_sgtable(coherent->dev, table, coherent->memory, coherent->address,
			      coherent->bytes);
	if (ret)
		goto free;
	ret = dma_map_sgtable(attachment->dev, table, direction, DMA_ATTR_SKIP_CPU_SYNC);
	if (ret)
		goto free_table;
	if (sluice_coherent_is_translated(attachment->dev) ||
	    sg_dma_address(table->sgl) == sg_phys(table->sgl))
		return table;
	/* A bounce buffer (swiotlb=force): nobody would copy what is in it. */
	dma_unmap_sgtable(attachment->dev, table, direction, DMA_ATTR_SKIP_CPU_SYNC);
	ret = -EXDEV;
free_table:
	sg_free_table(table);
free:
	kfree(table);
	return ERR_PTR(ret);
}

static void sluice_coherent_unmap(struct dma_buf_attachment *attachment, struct sg_table *table,
				  enum dma_data_direction direction)
{
	dma_unmap_sgtable(attachment->dev, table, direction, DMA_ATTR_SKIP_CPU_SYNC);
	sg_free_table(table);
	kfree(table);
}

static int sluice_coherent_mmap(struct dma_buf *dmabuf, struct vm_area_struct *area)
{
	const struct sluice_coherent *coherent = dmabuf->priv;

	vm_flags_set(area, VM_DONTEXPAND | VM_DONTDUMP);
	return dma_mmap_coherent(coherent->dev, area, coherent->memory, coherent->address,
				 coherent->bytes);
}

static int sluice_coherent_vmap(struct dma_buf *dmabuf, struct iosys_map *map)
{
	const struct sluice_coherent *coherent = dmabuf->priv;

	iosys_map_set_vaddr(map, coherent->memory);
	return 0;
}

static void sluice_coherent_free(struct sluice_coherent *coherent)
{
	dma_free_coherent(coherent->dev, coherent->bytes, coherent->memory, coherent->address);
	put_device(coherent->dev);
	kfree(coherent);
}

static void sluice_coherent_release(struct dma_buf *dmabuf)
{
	sluice_coherent_free(dmabuf->priv);
}

static const struct dma_buf_ops sluice_coherent_ops = {
	.attach = sluice_coherent_attach,
	.map_dma_buf = sluice_coherent_map,
	.unmap_dma_buf = sluice_coherent_unmap,
	.mmap = sluice_coherent_mmap,
	.vmap = sluice_coherent_vmap,
	.release = sluice_coherent_release,
};

/**
 * sluice_coherent_export - Allocate coherent memory and make a dma-buf of it
 * @dev: the engine's device
 * @bytes: whole pages, not 0
 *
 * Return: the dma-buf, whose memory is zeroes, or an ERR_PTR. -EOPNOTSUPP: an IOMMU, or a bus,
 * translates the engine's addresses.
 */
struct dma_buf *sluice_coherent_export(struct device *dev, u64 bytes)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct sluice_coherent *coherent;
	struct dma_buf *dmabuf;

	if (!bytes || !PAGE_ALIGNED(bytes))
		return ERR_PTR(-EINVAL);
	if (bytes > S32_MAX) /* as much as a list's one entry may hold */
		return ERR_PTR(-ENOMEM);
	if (sluice_coherent_is_translated(dev))
		return ERR_PTR(-EOPNOTSUPP);
	coherent = kzalloc(sizeof(*coherent), GFP_KERNEL);
	if (!coherent)
		return ERR_PTR(-ENOMEM);
	coherent->bytes = bytes;
	coherent->memory = dma_alloc_coherent(dev, bytes, &coherent->address,
					      GFP_KERNEL | __GFP_NOWARN);
	if (!coherent->memory) {
		kfree(coherent);
		return ERR_PTR(-ENOMEM);
	}
	coherent->dev = get_device(dev);
	info.ops = &sluice_coherent_ops;
	info.size = bytes;
	info.flags = O_RDWR;
	info.priv = coherent;
	dmabuf = dma_buf_export(&info);
	if (IS_ERR(dmabuf))
		sluice_coherent_free(coherent);
	return dmabuf;
}
