/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_SYSFS_H
#define SLUICE_SYSFS_H

struct attribute_group;

extern const struct attribute_group *sluice_channel_groups[];

#endif
