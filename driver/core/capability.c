// SPDX-License-Identifier: GPL-2.0-only
/*
 * The capability block beside an engine: exact counts of periods, bytes and drops.
 *
 * Its registers: regs/sl_capability.rdl. A value of 64 bits is read low half first, which keeps its
 * high half in one register for all channels; hence the lock.
 */

#include <linux/bitfield.h>
#include <linux/clk.h>
#include <linux/io.h>
#include <linux/mod_devicetable.h>
#include <linux/mutex.h>
#include <linux/of.h>
#include <linux/of_platform.h>
#include <linux/platform_device.h>

#include "capability.h"
#include "sl_capability.h"

#define SLUICE_CAPABILITY_STRIDE	0x80U /* from one channel's registers to the next */
#define SLUICE_CAPABILITY_REGISTER(name)	SL_CAPABILITY_CHANNEL0_##name##_OFFSET

/**
 * struct sluice_capability - A block
 * @registers: of it
 * @lock: of pairs of registers, and of the selected period
 * @count_bits: of its counters, which wrap
 * @snapshots: periods that it keeps for each channel
 * @channels: that it has
 * @clock_hz: of its time, as it says itself, else as the device tree does; 0: neither
 * @beat_bytes: of the stream, at most one beat in each tick of the time
 * @buffer_bytes: that the engine may be ahead of what it has counted
 */
struct sluice_capability {
	void __iomem *registers;
	struct mutex lock; /* pairs of registers, and the selected period */
	unsigned int count_bits;
	unsigned int snapshots;
	unsigned int channels;
	u32 clock_hz;
	u32 beat_bytes;
	u32 buffer_bytes;
};

static void __iomem *sluice_capability_at(struct sluice_capability *block, unsigned int channel,
					  unsigned int offset)
{
	return block->registers + channel * SLUICE_CAPABILITY_STRIDE + offset;
}

static u64 sluice_capability_read64(struct sluice_capability *block, unsigned int channel,
				    unsigned int offset)
{
	u64 low = ioread32(sluice_capability_at(block, channel, offset));

	return low | (u64)ioread32(sluice_capability_at(block, channel, offset + 4)) << 32;
}

/**
 * sluice_capability_read - Read a register, or two that are a count
 * @block: the block
 * @channel: of it
 * @offset: of the register, or of the lower one, of channel 0
 * @wide: two
 *
 * Return: what it holds.
 */
u64 sluice_capability_read(struct sluice_capability *block, unsigned int channel,
			   unsigned int offset, bool wide)
{
	u64 value;

	mutex_lock(&block->lock);
	value = wide ? sluice_capability_read64(block, channel, offset) :
		       ioread32(sluice_capability_at(block, channel, offset));
	mutex_unlock(&block->lock);
	return value;
}

/**
 * sluice_capability_start - Have each descriptor of an engine at rest count as a period
 * @block: the block
 * @channel: of it
 * @now: out: what it has counted
 *
 * Return: number of the next period.
 */
u32 sluice_capability_start(struct sluice_capability *block, unsigned int channel,
			    struct sluice_snapshot *now)
{
	u32 next;

	mutex_lock(&block->lock);
	iowrite32(1, sluice_capability_at(block, channel, SLUICE_CAPABILITY_REGISTER(PERIOD)));
	next = ioread32(sluice_capability_at(block, channel, SLUICE_CAPABILITY_REGISTER(PERIODS)));
	now->bytes = sluice_capability_read64(block, channel, SLUICE_CAPABILITY_REGISTER(BYTES_LO));
	now->drops = sluice_capability_read64(block, channel, SLUICE_CAPABILITY_REGISTER(DROPS_LO));
	mutex_unlock(&block->lock);
	return next;
}

/**
 * sluice_capability_periods - Read how many periods have ended
 * @block: the block
 * @channel: of it
 * @periods: out: since reset, modulo 2^32
 *
 * Return: 0, or -EIO if the block does not answer.
 */
int sluice_capability_periods(struct sluice_capability *block, unsigned int channel, u32 *periods)
{
	*periods = ioread32(sluice_capability_at(block, channel,
						 SLUICE_CAPABILITY_REGISTER(PERIODS)));
	if (*periods == ~0U && ioread32(block->registers + SL_CAPABILITY_IDENTITY_OFFSET) == ~0U)
		return -EIO;
	return 0;
}

/**
 * sluice_capability_snapshot - Read what was counted when a period ended
 * @block: the block
 * @channel: of it
 * @number: of the period, which has ended
 * @then: out
 *
 * Return: true, or false if the block does not have it any longer.
 */
bool sluice_capability_snapshot(struct sluice_capability *block, unsigned int channel, u32 number,
				struct sluice_snapshot *then)
{
	u32 state;

	mutex_lock(&block->lock);
	iowrite32(number,
		  sluice_capability_at(block, channel, SLUICE_CAPABILITY_REGISTER(SELECT)));
	then->bytes = sluice_capability_read64(block, channel,
					       SLUICE_CAPABILITY_REGISTER(SNAP_BYTES_LO));
	then->ticks = sluice_capability_read64(block, channel,
					       SLUICE_CAPABILITY_REGISTER(SNAP_TIME_LO));
	then->drops = sluice_capability_read64(block, channel,
					       SLUICE_CAPABILITY_REGISTER(SNAP_DROPS_LO));
	state = ioread32(sluice_capability_at(block, channel,
					      SLUICE_CAPABILITY_REGISTER(SNAP_STATE)));
	mutex_unlock(&block->lock);
	return FIELD_GET(SL_CAPABILITY_CHANNEL0_SNAP_STATE_VALID_MASK, state);
}

unsigned int sluice_capability_snapshots(const struct sluice_capability *block)
{
	return block->snapshots;
}

u32 sluice_capability_clock(const struct sluice_capability *block)
{
	return block->clock_hz;
}

u32 sluice_capability_beat_bytes(const struct sluice_capability *block)
{
	return block->beat_bytes;
}

u32 sluice_capability_buffer_bytes(const struct sluice_capability *block)
{
	return block->buffer_bytes;
}

/**
 * sluice_capability_since - Subtract counts, which wrap
 * @block: whose counts
 * @from: the earlier one
 * @to: the later one
 *
 * Return: @to - @from.
 */
u64 sluice_capability_since(const struct sluice_capability *block, u64 from, u64 to)
{
	return (to - from) & GENMASK_ULL(block->count_bits - 1, 0);
}

/**
 * sluice_capability_of - Use the block that a node describes
 * @dev: our device, unbound before the block is
 * @node: the node
 *
 * Return: the block, or an ERR_PTR.
 */
struct sluice_capability *sluice_capability_of(struct device *dev, struct device_node *node)
{
	struct platform_device *pdev = of_find_device_by_node(node);
	struct sluice_capability *block;

	if (!pdev)
		return ERR_PTR(-EPROBE_DEFER);
	block = platform_get_drvdata(pdev);
	if (!block)
		block = ERR_PTR(-EPROBE_DEFER);
	else if (!device_link_add(dev, &pdev->dev, DL_FLAG_AUTOREMOVE_CONSUMER))
		block = ERR_PTR(-EINVAL);
	put_device(&pdev->dev);
	return block;
}

/**
 * sluice_capability_find - Find the block beside a channel's engine
 * @dev: with a property sluice,capabilities, or without
 * @index: in it
 * @channel: out: of the block
 *
 * Return: the block, NULL if there is none, or an ERR_PTR.
 */
struct sluice_capability *sluice_capability_find(struct device *dev, unsigned int index,
						 unsigned int *channel)
{
	struct sluice_capability *block;
	struct of_phandle_args args;
	int ret;

	if (!dev->of_node)
		return NULL;
	ret = of_parse_phandle_with_args(dev->of_node, "sluice,capabilities",
					 "#sluice,capability-cells", index, &args);
	if (ret == -ENOENT)
		return NULL;
	if (ret)
		return ERR_PTR(ret);
	block = sluice_capability_of(dev, args.np);
	of_node_put(args.np);
	if (IS_ERR(block))
		return block;
	*channel = args.args_count ? args.args[0] : 0;
	return *channel < block->channels ? block : ERR_PTR(-EINVAL);
}

static int sluice_capability_probe(struct platform_device *pdev)
{
	struct device *dev = &pdev->dev;
	struct sluice_capability *block;
	struct clk *clock;
	u32 version, widths, features, depth;

	block = devm_kzalloc(dev, sizeof(*block), GFP_KERNEL);
	if (!block)
		return -ENOMEM;
	mutex_init(&block->lock);
	block->registers = devm_platform_ioremap_resource(pdev, 0);
	if (IS_ERR(block->registers))
		return PTR_ERR(block->registers);
	clock = devm_clk_get_optional_enabled(dev, NULL);
	if (IS_ERR(clock))
		return dev_err_probe(dev, PTR_ERR(clock), "no clock\n");
	version = ioread32(block->registers + SL_CAPABILITY_VERSION_OFFSET);
	if (ioread32(block->registers + SL_CAPABILITY_IDENTITY_OFFSET) !=
		    SL_CAPABILITY_IDENTITY_DEFAULT ||
	    FIELD_GET(SL_CAPABILITY_VERSION_MAJOR_MASK, version) != 1)
		return dev_err_probe(dev, -ENODEV, "no capability block of version 1.x\n");
	widths = ioread32(block->registers + SL_CAPABILITY_WIDTHS_OFFSET);
	features = ioread32(block->registers + SL_CAPABILITY_FEATURES_OFFSET);
	depth = ioread32(block->registers + SL_CAPABILITY_DEPTH_OFFSET);
	block->count_bits = FIELD_GET(SL_CAPABILITY_WIDTHS_COUNT_BITS_MASK, widths);
	block->snapshots = FIELD_GET(SL_CAPABILITY_FEATURES_SNAPSHOTS_MASK, features);
	block->channels = FIELD_GET(SL_CAPABILITY_FEATURES_CHANNELS_MASK, features);
	block->clock_hz = ioread32(block->registers + SL_CAPABILITY_CLOCK_OFFSET);
	if (!block->clock_hz)
		block->clock_hz = clk_get_rate(clock);
	block->beat_bytes = FIELD_GET(SL_CAPABILITY_WIDTHS_DATA_BYTES_MASK, widths);
	block->buffer_bytes = FIELD_GET(SL_CAPABILITY_DEPTH_BUFFER_BEATS_MASK, depth) *
			      block->beat_bytes;
	if (!block->count_bits || block->count_bits > 64 || !block->snapshots)
		return dev_err_probe(dev, -ENODEV, "counters of %u bits, %u snapshots\n",
				     block->count_bits, block->snapshots);
	platform_set_drvdata(pdev, block);
	return 0;
}

static const struct of_device_id sluice_capability_match[] = {
	{ .compatible = "sluice,capability-1.0" },
	{ }
};
MODULE_DEVICE_TABLE(of, sluice_capability_match);

struct platform_driver sluice_capability_driver = {
	.driver = {
		.name = "sluice_capability",
		.of_match_table = sluice_capability_match,
	},
	.probe = sluice_capability_probe,
};
