/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_WORK_H
#define SLUICE_WORK_H

struct workqueue_struct;

extern struct workqueue_struct *sluice_workqueue;
extern struct workqueue_struct *sluice_release_workqueue;

int sluice_work_init(void);
void sluice_work_flush(void);
void sluice_work_exit(void);

#endif
