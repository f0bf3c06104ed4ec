/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_CONTROL_H
#define SLUICE_CONTROL_H

struct device;

int sluice_control_add(struct device *dev, const char *board);

#endif
