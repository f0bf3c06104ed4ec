/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_FILE_H
#define SLUICE_FILE_H

#include <linux/fs.h>

extern const struct file_operations sluice_channel_fops;

#endif
