/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_QUEUE_H
#define SLUICE_QUEUE_H

#include <linux/types.h>

struct list_head;
struct sluice_buffer;
struct sluice_channel;

void sluice_queue_init(struct sluice_channel *channel);
int sluice_queue_make_ring(struct sluice_channel *channel, u32 entries);
void sluice_queue_add(struct sluice_channel *channel, struct list_head *jobs, unsigned int count);
int sluice_queue_stop(struct sluice_channel *channel, int status);
int sluice_queue_revoke(struct sluice_channel *channel, const struct sluice_buffer *buffer);
bool sluice_queue_idle(struct sluice_channel *channel);
bool sluice_queue_drain(struct sluice_channel *channel);

#endif
