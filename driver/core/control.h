/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_CONTROL_H
#define SLUICE_CONTROL_H

struct platform_device;

int sluice_control_add(struct platform_device *pdev, const char *board);

#endif
