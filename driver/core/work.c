// SPDX-License-Identifier: GPL-2.0-only
/*
 * Deferred work of all channels: buffers are released, captures are looked at, queues go on.
 */

#include <linux/workqueue.h>

#include "work.h"

struct workqueue_struct *sluice_workqueue;

/**
 * sluice_work_init - Create the workqueue
 *
 * Return: 0 or -ENOMEM.
 */
int sluice_work_init(void)
{
	sluice_workqueue = alloc_workqueue("sluice", WQ_HIGHPRI | WQ_UNBOUND, 0);
	return sluice_workqueue ? 0 : -ENOMEM;
}

/**
 * sluice_work_exit - Finish all work and remove the workqueue
 */
void sluice_work_exit(void)
{
	destroy_workqueue(sluice_workqueue);
}
