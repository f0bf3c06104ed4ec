/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_PIPE_H
#define SLUICE_PIPE_H

#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/types.h>

struct sluice_channel;

ssize_t sluice_pipe_read(struct kiocb *iocb, struct iov_iter *to);
ssize_t sluice_pipe_write(struct kiocb *iocb, struct iov_iter *from);
int sluice_pipe_sync(struct file *file, loff_t start, loff_t end, int datasync);
int sluice_pipe_flush(struct file *file, fl_owner_t id);
__poll_t sluice_pipe_poll(const struct sluice_channel *channel);

#endif
