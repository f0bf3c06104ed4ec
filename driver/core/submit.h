/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_SUBMIT_H
#define SLUICE_SUBMIT_H

#include <linux/sluice.h>
#include <linux/types.h>

struct sluice_channel;

#define SLUICE_MAX_TRANSFERS	4096U

/**
 * struct sluice_transfers - Transfers of a submission, copied from the program
 * @transfer: the transfers
 * @count: of @transfer
 * @error: why the next one could not be copied, if more were asked for
 */
struct sluice_transfers {
	struct sluice_transfer *transfer;
	u32 count;
	int error;
};

int sluice_submit_check(const struct sluice_submit *arg);
int sluice_transfers_get(const struct sluice_submit *arg, struct sluice_transfers *transfers);
void sluice_transfers_put(struct sluice_transfers *transfers);
int sluice_submit_transfers(struct sluice_channel *channel, struct sluice_submit *arg,
			    const struct sluice_transfers *transfers);

#endif
