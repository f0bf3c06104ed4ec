// SPDX-License-Identifier: GPL-2.0-only
/*
 * A source that does not wait, received into a ring without end (cyclic).
 *
 * The source numbers its 32-bit words from 0. So the ring itself says how far the engine is: a
 * period is there when its last word has the number that it must have, and a word that is missing,
 * overwritten or twice there has a wrong one. Nothing depends on the engine's driver calling back
 * for every period, which not every version of it does; its calls are counted. A reader that was
 * blocked for a whole ring gets -EOVERFLOW, which says nothing against the engine.
 */

#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/dmaengine.h>
#include <linux/io.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/property.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>

#include "selftest.h"
#include "sl_stream_source.h"

#define WORDS(bytes)	((bytes) / sizeof(u32))

struct capture {
	struct selftest test;
	struct dma_chan *rx;
	void __iomem *source;
	u32 *ring;
	dma_addr_t ring_dma;
	u32 ring_periods;
	u32 period_bytes;
	u32 beat_bytes;
	u32 pause_ticks; /* of the source after every period */
	u32 periods; /* of a run */
	atomic_t callbacks;
};

static u64 source_read64(struct capture *capture, unsigned int low, unsigned int high)
{
	u64 value = ioread32(capture->source + low); /* keeps the other half */

	return value | (u64)ioread32(capture->source + high) << 32;
}

static void source_stop(struct capture *capture)
{
	iowrite32(0, capture->source + SL_STREAM_SOURCE_CONTROL_OFFSET);
}

/* A packet is a period. */
static void source_start(struct capture *capture)
{
	iowrite32(SL_STREAM_SOURCE_CONTROL_CLEAR_MASK,
		  capture->source + SL_STREAM_SOURCE_CONTROL_OFFSET);
	iowrite32(capture->period_bytes / capture->beat_bytes,
		  capture->source + SL_STREAM_SOURCE_PACKET_BEATS_OFFSET);
	iowrite32(capture->pause_ticks, capture->source + SL_STREAM_SOURCE_PAUSE_TICKS_OFFSET);
	iowrite32(capture->ring_periods, capture->source + SL_STREAM_SOURCE_FRAME_PACKETS_OFFSET);
	iowrite32(0, capture->source + SL_STREAM_SOURCE_FRAME_TICKS_OFFSET);
	iowrite32(0, capture->source + SL_STREAM_SOURCE_START_OFFSET);
	iowrite32(SL_STREAM_SOURCE_CONTROL_ENABLE_MASK | SL_STREAM_SOURCE_CONTROL_CONTINUOUS_MASK |
		  SL_STREAM_SOURCE_CONTROL_FREE_RUN_MASK,
		  capture->source + SL_STREAM_SOURCE_CONTROL_OFFSET);
}

static void capture_callback(void *data)
{
	struct capture *capture = data;

	atomic_inc(&capture->callbacks);
}

static int capture_start(struct capture *capture)
{
	struct dma_async_tx_descriptor *transfer;
	int ret;

	transfer = dmaengine_prep_dma_cyclic(capture->rx, capture->ring_dma,
					     (size_t)capture->ring_periods * capture->period_bytes,
					     capture->period_bytes, DMA_DEV_TO_MEM,
					     DMA_PREP_INTERRUPT);
	if (!transfer)
		return -ENOMEM;
	transfer->callback = capture_callback;
	transfer->callback_param = capture;
	ret = dma_submit_error(dmaengine_submit(transfer));
	if (ret)
		return ret;
	dma_async_issue_pending(capture->rx);
	source_start(capture);
	return 0;
}

/* The engine has come round the ring, and overtaken us: no word is lost, but ours are gone. */
static bool overtaken(const struct capture *capture, u32 word, u32 expected)
{
	s32 ahead = word - expected;

	return ahead > 0 && !(ahead % (capture->ring_periods * WORDS(capture->period_bytes)));
}

/* Until the last word of the period has its number. */
static int capture_wait(struct capture *capture, const u32 *period, u32 first)
{
	const u32 last = WORDS(capture->period_bytes) - 1;
	unsigned long end = jiffies + msecs_to_jiffies(capture->test.timeout_ms);
	u32 word;

	while ((word = READ_ONCE(period[last])) != first + last) {
		if (overtaken(capture, word, first + last))
			return -EOVERFLOW;
		if (fatal_signal_pending(current))
			return -EINTR;
		if (time_after(jiffies, end))
			return -ETIMEDOUT;
		usleep_range(100, 200);
	}
	dma_rmb(); /* the engine writes a period's words in order, the last one last */
	return 0;
}

static int capture_verify(struct capture *capture, const u32 *period, u32 first)
{
	for (u32 i = 0; i < WORDS(capture->period_bytes); i++) {
		u32 word = READ_ONCE(period[i]);

		if (word == first + i)
			continue;
		if (overtaken(capture, word, first + i))
			return -EOVERFLOW;
		capture->test.result.errors++;
		dev_err(capture->test.dev, "period %llu, word %u: %#x instead of %#x\n",
			capture->test.result.packets, i, word, first + i);
		return -EIO;
	}
	return 0;
}

static int capture_periods(struct capture *capture)
{
	struct selftest_result *result = &capture->test.result;
	const u32 words = WORDS(capture->period_bytes);
	int ret;

	for (u32 i = 0; i < capture->periods; i++) {
		const u32 *period = capture->ring + (i % capture->ring_periods) * words;

		ret = capture_wait(capture, period, i * words) ?:
		      capture_verify(capture, period, i * words);
		if (ret)
			return ret;
		result->packets++;
		result->bytes += capture->period_bytes;
	}
	return 0;
}

static bool capture_settings_hold(const struct capture *capture)
{
	return capture->period_bytes >= capture->beat_bytes &&
	       capture->period_bytes <= SZ_1M &&
	       !(capture->period_bytes % capture->beat_bytes) &&
	       capture->ring_periods >= 2 && capture->ring_periods <= 128;
}

static int capture_run(struct selftest *test)
{
	struct capture *capture = container_of(test, struct capture, test);
	struct device *dev = dmaengine_get_dma_device(capture->rx);
	size_t bytes = (size_t)capture->ring_periods * capture->period_bytes;
	ktime_t before;
	int ret;

	if (!capture_settings_hold(capture))
		return -EINVAL;
	capture->ring = dma_alloc_coherent(dev, bytes, &capture->ring_dma, GFP_KERNEL);
	if (!capture->ring)
		return -ENOMEM;
	memset(capture->ring, 0xff, bytes);
	atomic_set(&capture->callbacks, 0);

	before = ktime_get();
	ret = capture_start(capture) ?: capture_periods(capture);
	test->result.moving_ns = ktime_to_ns(ktime_sub(ktime_get(), before));
	source_stop(capture);
	test->result.lost = source_read64(capture, SL_STREAM_SOURCE_DROP_BEATS_LO_OFFSET,
					  SL_STREAM_SOURCE_DROP_BEATS_HI_OFFSET);
	dmaengine_terminate_sync(capture->rx);
	test->result.callbacks = atomic_read(&capture->callbacks);
	test->result.segments = capture->ring_periods;
	if (!ret && test->result.lost)
		ret = -EIO;
	dma_free_coherent(dev, bytes, capture->ring, capture->ring_dma);
	return ret;
}

int selftest_capture_probe(struct platform_device *pdev)
{
	struct device *dev = &pdev->dev;
	struct capture *capture;
	int ret;

	capture = devm_kzalloc(dev, sizeof(*capture), GFP_KERNEL);
	if (!capture)
		return -ENOMEM;
	capture->test = (struct selftest){
		.dev = dev,
		.run = capture_run,
		.seed = 1,
		.timeout_ms = 20000,
	};
	capture->ring_periods = 64;
	capture->period_bytes = SZ_4K;
	capture->periods = 1000;
	ret = device_property_read_u32(dev, "sluice,beat-bytes", &capture->beat_bytes);
	if (ret || !capture->beat_bytes)
		return dev_err_probe(dev, -EINVAL, "no sluice,beat-bytes\n");
	capture->source = devm_platform_ioremap_resource(pdev, 0);
	if (IS_ERR(capture->source))
		return dev_err_probe(dev, PTR_ERR(capture->source), "no registers\n");
	capture->rx = selftest_channel(dev, "rx");
	if (IS_ERR(capture->rx))
		return PTR_ERR(capture->rx);
	source_stop(capture);
	ret = selftest_add(&capture->test);
	if (ret)
		return ret;
	debugfs_create_u32("ring_periods", 0600, capture->test.folder, &capture->ring_periods);
	debugfs_create_u32("period_bytes", 0600, capture->test.folder, &capture->period_bytes);
	debugfs_create_u32("pause_ticks", 0600, capture->test.folder, &capture->pause_ticks);
	debugfs_create_u32("periods", 0600, capture->test.folder, &capture->periods);
	return 0;
}
