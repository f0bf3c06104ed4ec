// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sluice: DMA channels of a board for user space.
 *
 * A node of the device tree names channels of DMA engines, each with the direction in which it
 * moves data. Each becomes a character device, /dev/sluice/<board>/<channel>, see
 * <linux/sluice.h>. The engines are driven by their own drivers, through dmaengine.
 *
 * The files of this folder call one another downwards only:
 *
 *   main                          the module
 *   device                        a board: the platform device
 *   file, sysfs, control, memory  what programs reach
 *   submit, capture, count, pipe  what an open channel is used as
 *   periods                       what is known of a capture
 *   queue                         jobs, in order, to the engine and back
 *   trace, job, fence, buffer     one transfer, and what it needs
 *   channel                       use, locks
 *   engine, provider, ring        dmaengine, and completions in shared memory
 *   export                        memory of a card as dma-bufs
 *   capability, call, node, work  registers of the block, ioctls, device nodes, deferred work
 */

#include <linux/module.h>
#include <linux/platform_device.h>

#include "capability.h"
#include "compat.h"
#include "device.h"
#include "node.h"
#include "work.h"

static int __init sluice_init(void)
{
	int ret;

	ret = sluice_work_init();
	if (ret)
		return ret;
	ret = sluice_nodes_init();
	if (ret)
		goto work;
	ret = platform_driver_register(&sluice_capability_driver);
	if (ret)
		goto nodes;
	ret = platform_driver_register(&sluice_device_driver);
	if (ret)
		goto capability;
	return 0;

capability:
	platform_driver_unregister(&sluice_capability_driver);
nodes:
	sluice_nodes_exit();
work:
	sluice_work_exit();
	return ret;
}
module_init(sluice_init);

static void __exit sluice_exit(void)
{
	platform_driver_unregister(&sluice_device_driver);
	platform_driver_unregister(&sluice_capability_driver);
	sluice_nodes_exit();
	sluice_work_exit();
}
module_exit(sluice_exit);

MODULE_DESCRIPTION("DMA channels of a board for user space");
MODULE_LICENSE("GPL");
SLUICE_IMPORT_DMA_BUF;
