/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_VIEW_H
#define SLUICE_VIEW_H

#include <linux/types.h>

struct iov_iter;
struct sluice_capture;
struct sluice_channel;
struct vm_area_struct;

int sluice_view_mmap(struct sluice_channel *channel, struct vm_area_struct *vma);
int sluice_view_sync(struct sluice_channel *channel, u64 flags);
ssize_t sluice_view_read(struct sluice_channel *channel, u64 offset, struct iov_iter *to);
void sluice_view_forget(struct sluice_capture *capture);

#endif
