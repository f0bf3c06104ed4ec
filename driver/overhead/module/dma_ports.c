// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copies on several channels at once by a client in the kernel: one thread that submits a copy to
 * each channel in turn and then waits for all of them, or a thread for each channel.
 *
 * Loading measures, and fails with -ECANCELED when it has: the kernel log has the nanoseconds from
 * before the first copy is submitted to after the last one's end ("dma_ports: NS").
 */
#include <linux/completion.h>
#include <linux/dma-mapping.h>
#include <linux/dmaengine.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/slab.h>

#define PORTS_MAX	8
#define PORTS_WAIT_MS	10000

static char *devices[PORTS_MAX];
static unsigned int ports;
module_param_array(devices, charp, &ports, 0444);
MODULE_PARM_DESC(devices, "of dmaengine, whose first channels copy: up to 8 names");
static unsigned int bytes = 65536;
module_param(bytes, uint, 0444);
MODULE_PARM_DESC(bytes, "of a copy");
static unsigned int rounds = 64;
module_param(rounds, uint, 0444);
MODULE_PARM_DESC(rounds, "copies on each channel");
static unsigned long memory;
module_param(memory, ulong, 0444);
MODULE_PARM_DESC(memory, "physical address of block RAM, a part for each channel; 0: memory");
static unsigned int part;
module_param(part, uint, 0444);
MODULE_PARM_DESC(part, "bytes of a part");
static bool threads;
module_param(threads, bool, 0444);
MODULE_PARM_DESC(threads, "one for each channel");

struct port {
	struct dma_chan *chan;
	void *from;
	void *to; /* NULL: block RAM */
	dma_addr_t from_address;
	dma_addr_t to_address;
	struct completion over;
	enum dmaengine_tx_result result;
	struct completion stopped; /* its thread */
	int error;
};

static struct port port[PORTS_MAX];

static void port_done(void *param, const struct dmaengine_result *result)
{
	struct port *port = param;

	port->result = result->result;
	complete(&port->over);
}

static int port_submit(struct port *port)
{
	struct dma_async_tx_descriptor *tx;

	tx = dmaengine_prep_dma_memcpy(port->chan, port->to_address, port->from_address, bytes,
				       DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
	if (!tx)
		return -ENOSPC;
	tx->callback_result = port_done;
	tx->callback_param = port;
	if (dma_submit_error(dmaengine_submit(tx)))
		return -EIO;
	dma_async_issue_pending(port->chan);
	return 0;
}

static int port_wait(struct port *port)
{
	if (!wait_for_completion_timeout(&port->over, msecs_to_jiffies(PORTS_WAIT_MS)))
		return -ETIMEDOUT;
	return port->result == DMA_TRANS_NOERROR ? 0 : -EIO;
}

static int port_thread(void *param)
{
	struct port *port = param;

	for (unsigned int i = 0; i < rounds && !port->error; i++)
		port->error = port_submit(port) ?: port_wait(port);
	complete(&port->stopped);
	return 0;
}

static int run_threads(void)
{
	struct task_struct *thread;
	unsigned int started;
	int ret = 0;

	for (started = 0; started < ports && !ret; started++) {
		thread = kthread_run(port_thread, &port[started], "dma_ports/%u", started);
		ret = PTR_ERR_OR_ZERO(thread);
		if (ret)
			break;
	}
	for (unsigned int i = 0; i < started; i++) {
		wait_for_completion(&port[i].stopped);
		ret = ret ?: port[i].error;
	}
	return ret;
}

static int run_serially(void)
{
	int ret = 0;

	for (unsigned int i = 0; i < rounds && !ret; i++) {
		unsigned int submitted;

		for (submitted = 0; submitted < ports && !ret; submitted++) {
			ret = port_submit(&port[submitted]);
			if (ret)
				break;
		}
		for (unsigned int n = 0; n < submitted; n++)
			ret = port_wait(&port[n]) ?: ret;
	}
	return ret;
}

/* What was copied into block RAM is not looked at: the experiment's program has done so. */
static int port_check(const struct port *port)
{
	return port->to && memcmp(port->from, port->to, bytes) ? -EIO : 0;
}

static void port_exit(struct port *port)
{
	struct device *dev;

	if (IS_ERR_OR_NULL(port->chan))
		return;
	dev = dmaengine_get_dma_device(port->chan);
	dmaengine_terminate_sync(port->chan);
	if (port->from_address)
		dma_unmap_single(dev, port->from_address, bytes, DMA_TO_DEVICE);
	if (port->to_address && port->to)
		dma_unmap_single(dev, port->to_address, bytes, DMA_FROM_DEVICE);
	else if (port->to_address)
		dma_unmap_resource(dev, port->to_address, bytes, DMA_FROM_DEVICE, 0);
	port->error = port->error ?: port_check(port);
	kfree(port->from);
	kfree(port->to);
	dma_release_channel(port->chan);
}

static dma_addr_t port_map(struct device *dev, dma_addr_t address)
{
	return dma_mapping_error(dev, address) ? 0 : address;
}

static bool port_is_of(struct dma_chan *chan, void *name)
{
	return !strcmp(dev_name(chan->device->dev), name);
}

static int port_init(struct port *port, unsigned int number)
{
	phys_addr_t there = memory + (phys_addr_t)number * part;
	struct device *dev;
	dma_cap_mask_t mask;

	init_completion(&port->over);
	init_completion(&port->stopped);
	dma_cap_zero(mask);
	dma_cap_set(DMA_MEMCPY, mask);
	port->chan = dma_request_channel(mask, port_is_of, devices[number]);
	if (!port->chan)
		return -ENODEV;
	dev = dmaengine_get_dma_device(port->chan);
	port->from = kmalloc(bytes, GFP_KERNEL);
	if (!port->from)
		return -ENOMEM;
	get_random_bytes(port->from, bytes);
	port->from_address = port_map(dev, dma_map_single(dev, port->from, bytes, DMA_TO_DEVICE));
	if (memory) {
		port->to_address = port_map(dev, dma_map_resource(dev, there, bytes,
								  DMA_FROM_DEVICE, 0));
	} else {
		port->to = kzalloc(bytes, GFP_KERNEL);
		if (!port->to)
			return -ENOMEM;
		port->to_address = port_map(dev, dma_map_single(dev, port->to, bytes,
								DMA_FROM_DEVICE));
	}
	return port->from_address && port->to_address ? 0 : -EIO;
}

static int __init ports_init(void)
{
	ktime_t before;
	int ret = 0;

	if (!ports || !bytes || !rounds || (memory && bytes > part))
		return -EINVAL;
	for (unsigned int i = 0; i < ports && !ret; i++)
		ret = port_init(&port[i], i);
	if (!ret) {
		before = ktime_get();
		ret = threads ? run_threads() : run_serially();
		if (!ret)
			pr_info("dma_ports: %lld\n", ktime_to_ns(ktime_sub(ktime_get(), before)));
	}
	for (unsigned int i = 0; i < ports; i++) {
		port_exit(&port[i]);
		ret = ret ?: port[i].error;
	}
	return ret ?: -ECANCELED;
}
module_init(ports_init);

MODULE_DESCRIPTION("What copies on several channels take by dmaengine alone");
MODULE_LICENSE("GPL");
