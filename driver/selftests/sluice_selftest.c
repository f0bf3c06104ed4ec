// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of a slave DMA engine through dmaengine, as any client would use it.
 *
 * Binds to nodes that say what stands at the other end of the engine's streams:
 *   sluice,stream-loopback  "tx" comes back at "rx"
 *   sluice,stream-source    a counting pattern arrives at "rx"
 * Each has a folder in debugfs below sluice_selftest: settings; `run`, whose write does the test
 * and returns its result, 0 or -errno; and `result`, lines of a name and a number. Errors found
 * in the data are -EIO, what does not come in time is -ETIMEDOUT.
 */

#include <linux/debugfs.h>
#include <linux/device.h>
#include <linux/dmaengine.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/platform_device.h>
#include <linux/property.h>
#include <linux/seq_file.h>

#include "selftest.h"

static struct dentry *selftest_root;

/* ---------------------------------------------------------------------------------------------
 * What both tests need
 */
static void selftest_release_channel(void *data)
{
	dma_release_channel(data);
}

struct dma_chan *selftest_channel(struct device *dev, const char *name)
{
	struct dma_chan *chan = dma_request_chan(dev, name);
	int ret;

	if (IS_ERR(chan))
		return ERR_PTR(dev_err_probe(dev, PTR_ERR(chan), "no DMA channel %s\n", name));
	ret = devm_add_action_or_reset(dev, selftest_release_channel, chan);
	if (ret)
		return ERR_PTR(ret);
	/* Unbound before the engine is: its driver does not wait for who holds a channel. */
	if (!device_link_add(dev, chan->device->dev, DL_FLAG_AUTOREMOVE_CONSUMER))
		return ERR_PTR(dev_err_probe(dev, -EINVAL, "no link to channel %s\n", name));
	return chan;
}

static int selftest_run_set(void *data, u64 value)
{
	struct selftest *test = data;
	ktime_t start;
	int ret;

	if (value != 1)
		return -EINVAL;
	guard(mutex)(&test->lock);
	memset(&test->result, 0, sizeof(test->result));
	start = ktime_get();
	ret = test->run(test);
	test->result.ns = ktime_to_ns(ktime_sub(ktime_get(), start));
	test->result.status = ret;
	return ret;
}
DEFINE_DEBUGFS_ATTRIBUTE(selftest_run_fops, NULL, selftest_run_set, "%llu\n");

static int result_show(struct seq_file *file, void *unused)
{
	struct selftest *test = file->private;
	const struct selftest_result *result = &test->result;

	guard(mutex)(&test->lock);
	seq_printf(file, "status %d\n", result->status);
	seq_printf(file, "bytes %llu\n", result->bytes);
	seq_printf(file, "packets %llu\n", result->packets);
	seq_printf(file, "segments %llu\n", result->segments);
	seq_printf(file, "short_packets %llu\n", result->short_packets);
	seq_printf(file, "callbacks %llu\n", result->callbacks);
	seq_printf(file, "lost %llu\n", result->lost);
	seq_printf(file, "errors %llu\n", result->errors);
	seq_printf(file, "moving_ns %llu\n", result->moving_ns);
	seq_printf(file, "ns %llu\n", result->ns);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(result);

static void selftest_remove_folder(void *data)
{
	debugfs_remove(data);
}

int selftest_add(struct selftest *test)
{
	struct device *dev = test->dev;

	mutex_init(&test->lock);
	test->folder = debugfs_create_dir(dev_name(dev), selftest_root);
	debugfs_create_file_unsafe("run", 0200, test->folder, test, &selftest_run_fops);
	debugfs_create_file("result", 0400, test->folder, test, &result_fops);
	debugfs_create_u32("seed", 0600, test->folder, &test->seed);
	debugfs_create_u32("timeout_ms", 0600, test->folder, &test->timeout_ms);
	return devm_add_action_or_reset(dev, selftest_remove_folder, test->folder);
}

/* ---------------------------------------------------------------------------------------------
 * The module
 */
static int selftest_probe(struct platform_device *pdev)
{
	int (*probe)(struct platform_device *pdev) = device_get_match_data(&pdev->dev);

	return probe(pdev);
}

static const struct of_device_id selftest_match[] = {
	{ .compatible = "sluice,stream-loopback", .data = selftest_loopback_probe },
	{ .compatible = "sluice,stream-source", .data = selftest_capture_probe },
	{ }
};
MODULE_DEVICE_TABLE(of, selftest_match);

static struct platform_driver selftest_driver = {
	.driver = {
		.name = "sluice_selftest",
		.of_match_table = selftest_match,
	},
	.probe = selftest_probe,
};

static int __init selftest_init(void)
{
	int ret;

	selftest_root = debugfs_create_dir("sluice_selftest", NULL);
	ret = platform_driver_register(&selftest_driver);
	if (ret)
		debugfs_remove(selftest_root);
	return ret;
}
module_init(selftest_init);

static void __exit selftest_exit(void)
{
	platform_driver_unregister(&selftest_driver);
	debugfs_remove(selftest_root);
}
module_exit(selftest_exit);

MODULE_DESCRIPTION("Tests of slave DMA engines");
MODULE_LICENSE("GPL");
