/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_POSITION_H
#define SLUICE_POSITION_H

#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/types.h>

struct sluice_channel;

ssize_t sluice_position_read(struct kiocb *iocb, struct iov_iter *to);
ssize_t sluice_position_write(struct kiocb *iocb, struct iov_iter *from);
__poll_t sluice_position_poll(const struct sluice_channel *channel);
loff_t sluice_position_seek(struct file *file, loff_t offset, int whence);

#endif
