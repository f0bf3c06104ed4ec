/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_CAPTURE_H
#define SLUICE_CAPTURE_H

#include <linux/ktime.h>
#include <linux/sluice.h>

#define SLUICE_MAX_PERIODS	65536U

struct sluice_buffer;
struct sluice_channel;

int sluice_capture_start(struct sluice_channel *channel, struct sluice_capture_start *arg);
int sluice_capture_stop(struct sluice_channel *channel, int status);
int sluice_capture_wait(struct sluice_channel *channel, struct sluice_capture_wait *arg,
			ktime_t timeout);
int sluice_capture_release(struct sluice_channel *channel, struct sluice_capture_release *arg);
bool sluice_capture_uses(struct sluice_channel *channel, const struct sluice_buffer *buffer);
void sluice_capture_detach(struct sluice_channel *channel);
void sluice_capture_destroy(struct sluice_channel *channel);
void *sluice_capture_page(struct sluice_channel *channel);

#endif
