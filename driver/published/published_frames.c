// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames of a stream by an AXI DMA, as REDS 2024 took them: into a ring of coherent memory, out of
 * which read() copies the next frame to the program. On the HP port such memory is not cached. The
 * published engine went round in cyclic mode. xilinx_dma of Linux 6.12 makes no callback in that
 * mode, so each frame has a transfer of its own here; the copy is the same. The ring's three frames
 * are ours.
 *
 * write() of "BYTES FRAMES TICKS" starts the source for so many frames of that many bytes, the
 * start of each TICKS of its clock behind that of the one before. poll() says that a frame is
 * there. read() gives it, or the part of it that there is room for; the frame is then over.
 * -EOVERFLOW: it is being overwritten. The second device tells how long copy_to_user() took:
 * published.h.
 */
#include <linux/dma-mapping.h>
#include <linux/dmaengine.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/of_address.h>
#include <linux/of_platform.h>
#include <linux/platform_device.h>
#include <linux/poll.h>
#include <linux/wait.h>

#include <sl_stream_source.h>

#include "published.h"

#define FRAMES_RING	3
#define FRAMES_BYTES	1048576 /* of one, at most */

static struct frames {
	struct device_node *node;
	struct dma_chan *channel;
	void __iomem *source;
	u32 beat_bytes;
	void *ring;
	dma_addr_t address;
	wait_queue_head_t wait;
	atomic_t produced;
	unsigned int consumed;
	unsigned int count; /* that the source sends */
	unsigned int bytes; /* of each; 0: the engine does not run */
} frames;

static void frames_set(u32 offset, u32 value)
{
	iowrite32(value, frames.source + offset);
}

static int frames_receive(unsigned int number);

static void frames_done(void *unused)
{
	const unsigned int produced = atomic_inc_return(&frames.produced);

	if (produced < frames.count && frames_receive(produced))
		pr_err("published_frames: no transfer for frame %u\n", produced);
	wake_up_interruptible(&frames.wait);
}

/* xilinx_dma may interrupt once for all transfers that wait, so that only one ever does. */
static int frames_receive(unsigned int number)
{
	dma_addr_t address = frames.address + number % FRAMES_RING * frames.bytes;
	struct dma_async_tx_descriptor *frame;

	frame = dmaengine_prep_slave_single(frames.channel, address, frames.bytes, DMA_DEV_TO_MEM,
					    DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
	if (!frame)
		return -EIO;
	frame->callback = frames_done;
	if (dma_submit_error(dmaengine_submit(frame)))
		return -EIO;
	dma_async_issue_pending(frames.channel);
	return 0;
}

static void frames_stop(void)
{
	frames.count = 0; /* whoever is called back now asks for no further frame */
	frames_set(SL_STREAM_SOURCE_CONTROL_OFFSET, 0);
	if (frames.bytes)
		dmaengine_terminate_sync(frames.channel);
	frames.bytes = 0;
}

static int frames_start_engine(unsigned int bytes, unsigned int count)
{
	int error;

	atomic_set(&frames.produced, 0);
	frames.consumed = 0;
	frames.count = count;
	frames.bytes = bytes;
	error = frames_receive(0);
	if (error)
		frames_stop();
	return error;
}

static void frames_start_source(unsigned int bytes, u32 count, u32 ticks)
{
	const u32 control = SL_STREAM_SOURCE_CONTROL_FREE_RUN_MASK;

	frames_set(SL_STREAM_SOURCE_PACKET_BEATS_OFFSET, bytes / frames.beat_bytes);
	frames_set(SL_STREAM_SOURCE_PAUSE_TICKS_OFFSET, 0);
	frames_set(SL_STREAM_SOURCE_FRAME_PACKETS_OFFSET, 1);
	frames_set(SL_STREAM_SOURCE_FRAME_TICKS_OFFSET, ticks);
	frames_set(SL_STREAM_SOURCE_FRAMES_OFFSET, count);
	frames_set(SL_STREAM_SOURCE_START_OFFSET, 0);
	frames_set(SL_STREAM_SOURCE_CONTROL_OFFSET, control | SL_STREAM_SOURCE_CONTROL_CLEAR_MASK);
	frames_set(SL_STREAM_SOURCE_CONTROL_OFFSET,
		   control | SL_STREAM_SOURCE_CONTROL_ENABLE_MASK);
}

static ssize_t frames_write(struct file *file, const char __user *from, size_t length,
			    loff_t *offset)
{
	unsigned int bytes, count, ticks;
	char text[48] = "";
	int error;

	if (length >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, from, length))
		return -EFAULT;
	if (sscanf(text, "%u %u %u", &bytes, &count, &ticks) != 3 || !bytes || !count ||
	    bytes > FRAMES_BYTES || bytes % frames.beat_bytes)
		return -EINVAL;
	frames_stop();
	error = frames_start_engine(bytes, count);
	if (error)
		return error;
	frames_start_source(bytes, count, ticks);
	return length;
}

static unsigned int frames_there(void)
{
	return atomic_read(&frames.produced) - frames.consumed;
}

static __poll_t frames_poll(struct file *file, poll_table *table)
{
	poll_wait(file, &frames.wait, table);
	return frames_there() ? EPOLLIN | EPOLLRDNORM : 0;
}

/* A function of its own, for the kernel's tracer of functions. */
static noinline unsigned long frames_copy(void __user *to, const void *from, size_t bytes)
{
	return copy_to_user(to, from, bytes);
}

static ssize_t frames_read(struct file *file, char __user *to, size_t room, loff_t *offset)
{
	size_t bytes = min_t(size_t, room, frames.bytes);
	const void *from;
	u64 start;

	if (!frames.bytes)
		return -EPIPE;
	if (wait_event_interruptible(frames.wait, frames_there()))
		return -ERESTARTSYS;
	/* The engine writes the next one meanwhile. */
	if (frames_there() > FRAMES_RING - 1)
		return -EOVERFLOW;
	from = frames.ring + frames.consumed % FRAMES_RING * frames.bytes;
	start = ktime_get_ns();
	if (frames_copy(to, from, bytes))
		return -EFAULT;
	published_add(file, start, bytes);
	++frames.consumed;
	return bytes;
}

static const struct file_operations frames_operations = {
	.owner = THIS_MODULE,
	.read = frames_read,
	.write = frames_write,
	.poll = frames_poll,
};

static struct published_way frames_way = PUBLISHED_WAY("published-frames", &frames_operations, 1);

/* What the copies took, of the other device. */
static ssize_t frames_account(struct file *file, char __user *to, size_t room, loff_t *offset)
{
	struct published_way *way = published_way_of(file);
	ssize_t length;

	swap(way->count, frames_way.count);
	length = published_read(file, to, room, offset);
	swap(way->count, frames_way.count);
	return length;
}

static const struct file_operations account_operations = {
	.owner = THIS_MODULE,
	.read = frames_account,
};

static struct published_way account_way = PUBLISHED_WAY("published-frames-account",
							&account_operations, 1);

static void frames_free(void)
{
	struct device *dev = IS_ERR_OR_NULL(frames.channel) ? NULL : frames.channel->device->dev;

	if (dev)
		dma_release_channel(frames.channel);
	if (frames.ring)
		dma_free_coherent(dev, FRAMES_RING * FRAMES_BYTES, frames.ring, frames.address);
	if (frames.source)
		iounmap(frames.source);
	of_node_put(frames.node);
}

static int frames_take(void)
{
	struct platform_device *source;

	init_waitqueue_head(&frames.wait);
	frames.node = of_find_compatible_node(NULL, NULL, "sluice,stream-source");
	source = frames.node ? of_find_device_by_node(frames.node) : NULL;
	if (!source || of_property_read_u32(frames.node, "sluice,beat-bytes", &frames.beat_bytes)) {
		pr_err("published_frames: the logic has no source of a stream\n");
		return -ENODEV;
	}
	frames.channel = dma_request_chan(&source->dev, "rx");
	put_device(&source->dev);
	if (IS_ERR(frames.channel))
		return PTR_ERR(frames.channel);
	frames.source = of_iomap(frames.node, 0);
	frames.ring = dma_alloc_coherent(frames.channel->device->dev, FRAMES_RING * FRAMES_BYTES,
					 &frames.address, GFP_KERNEL);
	return frames.source && frames.ring ? 0 : -ENOMEM;
}

static int __init frames_init(void)
{
	int error = frames_take();

	if (!error)
		error = published_register(&frames_way, 1);
	if (!error) {
		error = published_register(&account_way, 1);
		if (error)
			published_remove(&frames_way, 1);
	}
	if (error)
		frames_free();
	return error;
}
module_init(frames_init);

static void __exit frames_exit(void)
{
	published_remove(&account_way, 1);
	published_remove(&frames_way, 1);
	frames_stop();
	frames_free();
}
module_exit(frames_exit);

MODULE_DESCRIPTION("Frames of a stream as in REDS 2024, for measuring");
MODULE_LICENSE("GPL");
