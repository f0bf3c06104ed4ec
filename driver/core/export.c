// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of a card as dma-bufs, and memory of logic in a SoC.
 *
 * Three may use a card's, each by an address of its own: the card's engine, by the card's
 * (buffer.c, no mapping needed); other devices, peer to peer, by the BAR's; programs, through
 * mmap(). In a SoC all use the physical address, and every engine maps it, the logic's own too.
 *
 * Where the function goes, all three have to let go: importers are told to, mappings of programs
 * are taken away, and a program that touches the memory after that gets SIGBUS. An importer that
 * was not told how to let go is never given the memory.
 */

#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/mm.h>
#include <linux/pci-p2pdma.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "compat.h"
#include "export.h"

#define SLUICE_REVOKE_MS	1000 /* that importers have to release the memory */
#define SLUICE_ENTRY_BYTES	SZ_1G /* of a list */

/**
 * struct sluice_export - A dma-buf of a card's memory
 * @node: in the memory's exports
 * @memory: what it is a part of
 * @holder: holds @memory
 * @dmabuf: the dma-buf
 * @offset: of its first byte in @memory
 * @revoked: nobody may use it any longer; under the dma-buf's reservation lock
 * @mapped: count of mappings for devices
 * @unmapped: waits for that to be 0
 */
struct sluice_export {
	struct list_head node;
	struct sluice_card_memory *memory;
	struct device *holder;
	struct dma_buf *dmabuf;
	u64 offset;
	bool revoked;
	atomic_t mapped;
	wait_queue_head_t unmapped;
};

static phys_addr_t sluice_export_start(const struct sluice_export *export)
{
	return export->memory->start + export->offset;
}

/* ---------------------------------------------------------------------------------------------
 * For other devices
 */
static bool sluice_is_behind_pci(struct device *dev)
{
	while (dev && !dev_is_pci(dev))
		dev = dev->parent;
	return dev;
}

/* A device on a SoC's own buses reaches the logic's memory; from behind PCI Express none does. */
static bool sluice_export_reaches(const struct sluice_card_memory *memory, struct device *dev)
{
	return memory->function ? pci_p2pdma_distance(memory->function, dev, true) >= 0 :
				  !sluice_is_behind_pci(dev);
}

static int sluice_export_attach(struct dma_buf *dmabuf, struct dma_buf_attachment *attachment)
{
	struct sluice_export *export = dmabuf->priv;
	struct sluice_card_memory *memory = export->memory;
	int ret = -ENODEV;

	/* Who cannot be told to let go has not said that it may be a peer, either. */
	if (memory->function ? !attachment->peer2peer : !attachment->importer_ops)
		return -EOPNOTSUPP;
	mutex_lock(&memory->lock);
	if (!memory->gone)
		ret = sluice_export_reaches(memory, attachment->dev) ? 0 : -EREMOTEIO;
	mutex_unlock(&memory->lock);
	return ret;
}

static int sluice_export_pin(struct dma_buf_attachment *attachment)
{
	return 0; /* it never moves; but it may go */
}

static void sluice_export_unpin(struct dma_buf_attachment *attachment)
{
}

/* Entries of a list hold fewer than 4 GiB each. */
static int sluice_export_list(struct sg_table *table, dma_addr_t address, u64 bytes)
{
	unsigned int entries = DIV_ROUND_UP_ULL(bytes, SLUICE_ENTRY_BYTES), i;
	struct scatterlist *sg;
	int ret;

	ret = sg_alloc_table(table, entries, GFP_KERNEL);
	if (ret)
		return ret;
	for_each_sgtable_sg(table, sg, i) {
		u32 part = min_t(u64, bytes, SLUICE_ENTRY_BYTES);

		sg_set_page(sg, NULL, part, 0);
		sg_dma_address(sg) = address;
		sg_dma_len(sg) = part;
		address += part;
		bytes -= part;
	}
	return 0;
}

static struct sg_table *sluice_export_map(struct dma_buf_attachment *attachment,
					  enum dma_data_direction direction)
{
	struct sluice_export *export = attachment->dmabuf->priv;
	u64 bytes = attachment->dmabuf->size;
	struct sg_table *table;
	dma_addr_t address;
	int ret;

	dma_resv_assert_held(attachment->dmabuf->resv);
	if (export->revoked)
		return ERR_PTR(-ENODEV);
	table = kzalloc(sizeof(*table), GFP_KERNEL);
	if (!table)
		return ERR_PTR(-ENOMEM);
	address = dma_map_resource(attachment->dev, sluice_export_start(export), bytes, direction,
				   DMA_ATTR_SKIP_CPU_SYNC);
	ret = dma_mapping_error(attachment->dev, address);
	if (ret)
		goto free;
	ret = sluice_export_list(table, address, bytes);
	if (ret)
		goto unmap;
	atomic_inc(&export->mapped);
	return table;

unmap:
	dma_unmap_resource(attachment->dev, address, bytes, direction, DMA_ATTR_SKIP_CPU_SYNC);
free:
	kfree(table);
	return ERR_PTR(ret);
}

static void sluice_export_unmap(struct dma_buf_attachment *attachment, struct sg_table *table,
				enum dma_data_direction direction)
{
	struct sluice_export *export = attachment->dmabuf->priv;

	dma_unmap_resource(attachment->dev, sg_dma_address(table->sgl), attachment->dmabuf->size,
			   direction, DMA_ATTR_SKIP_CPU_SYNC);
	sg_free_table(table);
	kfree(table);
	if (atomic_dec_and_test(&export->mapped))
		wake_up_all(&export->unmapped);
}

/* ---------------------------------------------------------------------------------------------
 * For programs
 */
static vm_fault_t sluice_export_fault(struct vm_fault *fault)
{
	struct vm_area_struct *area = fault->vma;
	struct dma_buf *dmabuf = area->vm_private_data;
	struct sluice_export *export = dmabuf->priv;
	vm_fault_t ret = VM_FAULT_SIGBUS;

	dma_resv_lock(dmabuf->resv, NULL);
	if (!export->revoked)
		ret = vmf_insert_pfn(area, fault->address,
				     PHYS_PFN(sluice_export_start(export)) + fault->pgoff);
	dma_resv_unlock(dmabuf->resv);
	return ret;
}

static const struct vm_operations_struct sluice_export_vm_ops = {
	.fault = sluice_export_fault,
};

static int sluice_export_mmap(struct dma_buf *dmabuf, struct vm_area_struct *area)
{
	if (!(area->vm_flags & VM_SHARED))
		return -EINVAL;
	/* So that programs may copy to and from it by any instructions. */
	area->vm_page_prot = pgprot_writecombine(area->vm_page_prot);
	area->vm_private_data = dmabuf;
	area->vm_ops = &sluice_export_vm_ops;
	vm_flags_set(area, VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP);
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * Beginning and end
 */
static void sluice_export_release(struct dma_buf *dmabuf)
{
	struct sluice_export *export = dmabuf->priv;

	mutex_lock(&export->memory->lock);
	list_del(&export->node);
	mutex_unlock(&export->memory->lock);
	put_device(export->holder);
	kfree(export);
}

static const struct dma_buf_ops sluice_export_ops = {
	.attach = sluice_export_attach,
	.pin = sluice_export_pin,
	.unpin = sluice_export_unpin,
	.map_dma_buf = sluice_export_map,
	.unmap_dma_buf = sluice_export_unmap,
	.mmap = sluice_export_mmap,
	.release = sluice_export_release,
};

/**
 * sluice_export - Make a dma-buf of a part of a card's memory
 * @memory: the memory
 * @holder: device that holds @memory
 * @offset: of the part, whole pages
 * @bytes: of it, whole pages, not 0
 *
 * Return: the dma-buf, or an ERR_PTR.
 */
struct dma_buf *sluice_export(struct sluice_card_memory *memory, struct device *holder, u64 offset,
			      u64 bytes)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct sluice_export *export;

	if (!bytes || !PAGE_ALIGNED(offset | bytes) || offset > memory->bytes ||
	    bytes > memory->bytes - offset)
		return ERR_PTR(-EINVAL);
	export = kzalloc(sizeof(*export), GFP_KERNEL);
	if (!export)
		return ERR_PTR(-ENOMEM);
	export->memory = memory;
	export->holder = get_device(holder);
	export->offset = offset;
	init_waitqueue_head(&export->unmapped);
	info.ops = &sluice_export_ops;
	info.size = bytes;
	info.flags = O_RDWR;
	info.priv = export;

	mutex_lock(&memory->lock);
	export->dmabuf = memory->gone ? ERR_PTR(-ENODEV) : dma_buf_export(&info);
	if (!IS_ERR(export->dmabuf))
		list_add(&export->node, &memory->exports);
	mutex_unlock(&memory->lock);
	if (!IS_ERR(export->dmabuf))
		return export->dmabuf;
	info.priv = export->dmabuf;
	put_device(holder);
	kfree(export);
	return info.priv;
}

/**
 * sluice_export_reach - What of a dma-buf does a channel's engine reach?
 * @dmabuf: any
 * @client: the channel's device
 * @part: number of the channel
 * @range: out: all of memory that is not the device's own
 *
 * Return: 0, or -EXDEV: memory of the device that another one of its engines has.
 */
int sluice_export_reach(struct dma_buf *dmabuf, struct device *client, unsigned int part,
			struct sluice_card_range *range)
{
	const struct sluice_export *export = dmabuf->priv;
	const struct sluice_card_memory *memory;
	u64 first, end;

	*range = (struct sluice_card_range){ .bytes = U64_MAX };
	if (dmabuf->ops != &sluice_export_ops || export->memory->client != client ||
	    READ_ONCE(export->memory->gone))
		return 0;
	memory = export->memory;
	range->bytes = dmabuf->size;
	range->on_card = memory->function;
	range->address = memory->card_start + export->offset;
	if (!memory->part_bytes)
		return 0;
	first = max(part * memory->part_bytes, export->offset);
	end = min((part + 1) * memory->part_bytes, export->offset + dmabuf->size);
	if (first >= end)
		return -EXDEV;
	range->first = first - export->offset;
	range->bytes = end - first;
	return 0;
}

/* memory->lock is held. Where the last reference has gone, the release waits for that lock. */
static void sluice_export_revoke(struct sluice_export *export)
{
	struct dma_buf *dmabuf = export->dmabuf;

	if (!sluice_get_file(dmabuf)) {
		export->revoked = true;
		return;
	}
	dma_resv_lock(dmabuf->resv, NULL);
	export->revoked = true;
	dma_buf_invalidate_mappings(dmabuf);
	dma_resv_unlock(dmabuf->resv);
	unmap_mapping_range(dmabuf->file->f_mapping, 0, 0, 1);
	if (!wait_event_timeout(export->unmapped, !atomic_read(&export->mapped),
				msecs_to_jiffies(SLUICE_REVOKE_MS)))
		dev_err(export->memory->client, "an importer does not release the memory\n");
	dma_buf_put(dmabuf); /* what is left of that is deferred */
}

/**
 * sluice_exports_revoke - Take a card's memory away from all who use it
 * @memory: of a card that goes
 */
void sluice_exports_revoke(struct sluice_card_memory *memory)
{
	struct sluice_export *export;

	mutex_lock(&memory->lock);
	WRITE_ONCE(memory->gone, true);
	list_for_each_entry(export, &memory->exports, node)
		sluice_export_revoke(export);
	mutex_unlock(&memory->lock);
}
