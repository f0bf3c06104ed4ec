// SPDX-License-Identifier: GPL-2.0-only
/*
 * Deferred work of all channels: buffers are released, captures are looked at, queues go on.
 */

#include <linux/workqueue.h>

#include "work.h"

struct workqueue_struct *sluice_workqueue;
struct workqueue_struct *sluice_release_workqueue; /* may wait for exporters of memory */

/**
 * sluice_work_init - Create the workqueues
 *
 * Return: 0 or -ENOMEM.
 */
int sluice_work_init(void)
{
	sluice_workqueue = alloc_workqueue("sluice", WQ_HIGHPRI | WQ_UNBOUND, 0);
	if (!sluice_workqueue)
		return -ENOMEM;
	sluice_release_workqueue = alloc_workqueue("sluice_release", WQ_UNBOUND, 0);
	if (sluice_release_workqueue)
		return 0;
	destroy_workqueue(sluice_workqueue);
	return -ENOMEM;
}

/**
 * sluice_work_flush - Finish all work that is queued, and what that queues
 */
void sluice_work_flush(void)
{
	flush_workqueue(sluice_workqueue);
	flush_workqueue(sluice_release_workqueue);
}

/**
 * sluice_work_exit - Finish all work and remove the workqueues
 */
void sluice_work_exit(void)
{
	destroy_workqueue(sluice_workqueue);
	destroy_workqueue(sluice_release_workqueue);
}
