/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_SELFTEST_H
#define SLUICE_SELFTEST_H

#include <linux/dmaengine.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/types.h>

struct dentry;

/**
 * struct selftest_result - What a run has found
 * @status: 0 or -errno
 * @bytes: verified
 * @packets: verified: packets, or periods of a ring
 * @segments: descriptors of the engine
 * @short_packets: packets received into a larger buffer
 * @callbacks: of the engine's driver
 * @lost: beats that the source's dropper counted
 * @errors: wrong bytes or words, 0 or what was found until the run stopped
 * @moving_ns: time with transfers in flight
 * @ns: of the whole run
 */
struct selftest_result {
	int status;
	u64 bytes;
	u64 packets;
	u64 segments;
	u64 short_packets;
	u64 callbacks;
	u64 lost;
	u64 errors;
	u64 moving_ns;
	u64 ns;
};

/**
 * struct selftest - One test of one device
 * @dev: that is tested
 * @lock: one run at a time
 * @folder: in debugfs
 * @run: the test: 0 or -errno
 * @result: of the last run
 * @seed: of everything that is random
 * @timeout_ms: of every wait
 */
struct selftest {
	struct device *dev;
	struct mutex lock; /* of result, and of the hardware */
	struct dentry *folder;
	int (*run)(struct selftest *test);
	struct selftest_result result;
	u32 seed;
	u32 timeout_ms;
};

struct dma_chan *selftest_channel(struct device *dev, const char *name);
int selftest_add(struct selftest *test);

int selftest_loopback_probe(struct platform_device *pdev);
int selftest_capture_probe(struct platform_device *pdev);

#endif
