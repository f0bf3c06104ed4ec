// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory node of a card, or of logic in a SoC: parts of its memory become dma-bufs.
 */

#include <linux/cdev.h>
#include <linux/dma-buf.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/property.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/sluice.h>
#include <linux/uio.h>

#include "call.h"
#include "export.h"
#include "memory.h"
#include "node.h"

/**
 * struct sluice_memory - A memory node
 * @dev: in the class sluice; holds this structure
 * @cdev: the node
 * @card: the memory
 * @mapped: all of it, from the first read() or write() on, under the memory's lock
 */
struct sluice_memory {
	struct device dev;
	struct cdev cdev;
	struct sluice_card_memory card;
	void __iomem *mapped;
};

static int sluice_ioctl_memory_info(struct file *file, void *data)
{
	const struct sluice_memory *memory = file->private_data;
	struct sluice_memory_info *arg = data;

	arg->bytes = memory->card.bytes;
	arg->align = PAGE_SIZE;
	arg->reserved = 0;
	return 0;
}

static int sluice_check_export(struct file *file, const void *data)
{
	const struct sluice_memory_export *arg = data;

	if (!(file->f_mode & FMODE_WRITE))
		return -EBADF;
	return arg->reserved ? -EINVAL : 0;
}

static int sluice_ioctl_export(struct file *file, void *data)
{
	struct sluice_memory *memory = file->private_data;
	struct sluice_memory_export *arg = data;
	struct dma_buf *dmabuf;
	int fd;

	dmabuf = sluice_export(&memory->card, &memory->dev, arg->offset, arg->bytes);
	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	fd = dma_buf_fd(dmabuf, O_CLOEXEC);
	if (fd < 0) {
		dma_buf_put(dmabuf);
		return fd;
	}
	arg->fd = fd;
	return 0;
}

static const struct sluice_call sluice_memory_call[] = {
	SLUICE_CALL_ENTRY(SLUICE_MEMORY_INFO, SLUICE_MEMORY_INFO, sluice_memory_info, reserved, 0,
			  NULL, NULL, sluice_ioctl_memory_info),
	SLUICE_CALL_ENTRY(SLUICE_MEMORY_INFO, SLUICE_MEMORY_EXPORT, sluice_memory_export, reserved,
			  0, sluice_check_export, NULL, sluice_ioctl_export),
};

static const struct sluice_calls sluice_memory_calls = {
	.first = SLUICE_MEMORY_INFO,
	.count = ARRAY_SIZE(sluice_memory_call),
	.call = sluice_memory_call,
};

static long sluice_memory_ioctl(struct file *file, unsigned int command, unsigned long address)
{
	return sluice_call(file, &sluice_memory_calls, command, address);
}

/* ---------------------------------------------------------------------------------------------
 * read() and write(), by the processor (PIO)
 */
static int sluice_memory_map(struct sluice_memory *memory)
{
	if (memory->card.gone)
		return -ENODEV;
	if (memory->mapped)
		return 0;
	if (memory->card.bytes > SIZE_MAX)
		return -EFBIG;
	memory->mapped = ioremap_wc(memory->card.start, memory->card.bytes);
	return memory->mapped ? 0 : -ENOMEM;
}

static int sluice_memory_move(struct sluice_memory *memory, u64 offset, void *page, size_t bytes,
			      bool out)
{
	int ret;

	mutex_lock(&memory->card.lock);
	ret = sluice_memory_map(memory);
	if (!ret && out) {
		memcpy_toio(memory->mapped + offset, page, bytes);
		wmb(); /* combined stores leave before whoever is told of them starts an engine */
	} else if (!ret) {
		memcpy_fromio(page, memory->mapped + offset, bytes);
	}
	mutex_unlock(&memory->card.lock);
	return ret;
}

/* One page's worth at most; the number of bytes, or -errno. */
static ssize_t sluice_memory_step(struct sluice_memory *memory, struct iov_iter *iter, u64 offset,
				  void *page, bool out)
{
	size_t bytes = min_t(u64, min_t(size_t, iov_iter_count(iter), PAGE_SIZE),
			     memory->card.bytes - offset);
	int ret;

	if (out && !copy_from_iter_full(page, bytes, iter))
		return -EFAULT;
	ret = sluice_memory_move(memory, offset, page, bytes, out);
	if (ret)
		return ret;
	if (!out && copy_to_iter(page, bytes, iter) != bytes)
		return -EFAULT;
	return bytes;
}

static ssize_t sluice_memory_rw(struct kiocb *iocb, struct iov_iter *iter, bool out)
{
	struct sluice_memory *memory = iocb->ki_filp->private_data;
	ssize_t moved = 0, ret = 0;
	void *page;

	if (iov_iter_count(iter) && iocb->ki_pos >= memory->card.bytes)
		return out ? -ENOSPC : 0;
	page = (void *)__get_free_page(GFP_KERNEL);
	if (!page)
		return -ENOMEM;
	while (iov_iter_count(iter) && iocb->ki_pos < memory->card.bytes) {
		ret = signal_pending(current) ? -ERESTARTSYS :
						sluice_memory_step(memory, iter, iocb->ki_pos, page,
								   out);
		if (ret < 0)
			break;
		iocb->ki_pos += ret;
		moved += ret;
	}
	free_page((unsigned long)page);
	return moved ?: ret;
}

static ssize_t sluice_memory_read(struct kiocb *iocb, struct iov_iter *to)
{
	return sluice_memory_rw(iocb, to, false);
}

static ssize_t sluice_memory_write(struct kiocb *iocb, struct iov_iter *from)
{
	return sluice_memory_rw(iocb, from, true);
}

static loff_t sluice_memory_seek(struct file *file, loff_t offset, int whence)
{
	const struct sluice_memory *memory = file->private_data;

	return fixed_size_llseek(file, offset, whence, memory->card.bytes);
}

static int sluice_memory_open(struct inode *inode, struct file *file)
{
	file->private_data = container_of(inode->i_cdev, struct sluice_memory, cdev);
	return 0;
}

static const struct file_operations sluice_memory_fops = {
	.owner = THIS_MODULE,
	.open = sluice_memory_open,
	.llseek = sluice_memory_seek,
	.read_iter = sluice_memory_read,
	.write_iter = sluice_memory_write,
	.unlocked_ioctl = sluice_memory_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static void sluice_memory_free(struct device *dev)
{
	struct sluice_memory *memory = container_of(dev, struct sluice_memory, dev);

	sluice_node_free_number(dev);
	mutex_destroy(&memory->card.lock);
	kfree(memory);
}

static void sluice_memory_remove(void *data)
{
	struct sluice_memory *memory = data;

	cdev_device_del(&memory->cdev, &memory->dev);
	sluice_exports_revoke(&memory->card); /* it is gone: nobody reads or writes any longer */
	if (memory->mapped)
		iounmap(memory->mapped);
	put_device(&memory->dev);
}

/* Where the memory is, for whom; said why not. */
static int sluice_memory_describe(struct sluice_card_memory *card, struct device *dev,
				  unsigned int channels)
{
	const struct resource *place = platform_get_resource_byname(to_platform_device(dev),
								    IORESOURCE_MEM, "memory");
	u32 bytes;
	int ret;

	*card = (struct sluice_card_memory){ .client = dev };
	if (!place)
		return 0;
	card->start = place->start;
	card->bytes = resource_size(place);
	if (dev_is_pci(dev->parent)) {
		card->function = to_pci_dev(dev->parent);
		ret = device_property_read_u64(dev, "sluice,memory-address", &card->card_start);
		return ret ? dev_err_probe(dev, ret, "no sluice,memory-address\n") : 0;
	}
	card->card_start = place->start;
	bytes = card->bytes;
	if (bytes != card->bytes || !PAGE_ALIGNED(place->start | bytes))
		return dev_err_probe(dev, -EINVAL, "memory that is not whole pages: %pR\n", place);
	if (!device_property_read_bool(dev, "sluice,memory-per-channel"))
		return 0;
	if (bytes % channels)
		return dev_err_probe(dev, -EINVAL, "%u bytes of memory for %u channels\n", bytes,
				     channels);
	card->part_bytes = bytes / channels;
	return 0;
}

/**
 * sluice_memory_part - Say what a channel's engine reaches of the board's memory
 * @dev: our device
 * @index: number of the channel
 * @channels: that are described
 * @part: out: that
 *
 * Return: 0 or -errno, said why.
 */
int sluice_memory_part(struct device *dev, unsigned int index, unsigned int channels,
		       struct sluice_part *part)
{
	struct sluice_card_memory card;
	int ret;

	ret = sluice_memory_describe(&card, dev, channels);
	if (ret)
		return ret;
	*part = (struct sluice_part){
		.on_card = card.function,
		.first = index * card.part_bytes,
		.bytes = card.part_bytes ?: card.bytes,
	};
	part->address = card.card_start + part->first;
	return 0;
}

/**
 * sluice_memory_add - Make the memory node of a board, if it has memory that its engines reach
 * @pdev: our device: a resource "memory", where programs and peers find it. Of a card the property
 *	  "sluice,memory-address" says where its engine finds it; in a SoC engines do at the same
 *	  address, with "sluice,memory-per-channel" each a part, one behind the other
 * @board: its name
 * @channels: that are described
 *
 * Return: 0 or -errno, said why.
 */
int sluice_memory_add(struct platform_device *pdev, const char *board, unsigned int channels)
{
	struct device *dev = &pdev->dev;
	struct sluice_card_memory card;
	struct sluice_memory *memory;
	int ret;

	ret = sluice_memory_describe(&card, dev, channels);
	if (ret || !card.bytes)
		return ret;
	/* A BAR is the function's, whose driver has it. */
	if (!card.function &&
	    !devm_request_mem_region(dev, card.start, card.bytes, dev_name(dev)))
		return dev_err_probe(dev, -EBUSY, "the memory belongs to another device\n");
	memory = kzalloc(sizeof(*memory), GFP_KERNEL);
	if (!memory)
		return -ENOMEM;
	memory->card = card;
	mutex_init(&memory->card.lock);
	INIT_LIST_HEAD(&memory->card.exports);
	sluice_node_init(&memory->dev, dev, sluice_memory_free);
	ret = sluice_node_publish(&memory->dev, &memory->cdev, &sluice_memory_fops, board,
				  "memory");
	if (ret) {
		dev_err_probe(dev, ret, "no memory node\n");
		put_device(&memory->dev);
		return ret;
	}
	return devm_add_action_or_reset(dev, sluice_memory_remove, memory);
}
