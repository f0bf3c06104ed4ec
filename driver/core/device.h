/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_DEVICE_H
#define SLUICE_DEVICE_H

struct platform_driver;

extern struct platform_driver sluice_device_driver;

#endif
