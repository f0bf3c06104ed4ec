/* SPDX-License-Identifier: GPL-2.0-only */
/* The overlays that Kbuild links into sluice_pci: from begin to end. */
#ifndef SLUICE_OVERLAYS_H
#define SLUICE_OVERLAYS_H

#include <linux/types.h>

extern const u8 __dtbo_sluice_capture_begin[], __dtbo_sluice_capture_end[];
extern const u8 __dtbo_sluice_cdma_begin[], __dtbo_sluice_cdma_end[];
extern const u8 __dtbo_sluice_dma_loopback_begin[], __dtbo_sluice_dma_loopback_end[];
extern const u8 __dtbo_sluice_msgdma_begin[], __dtbo_sluice_msgdma_end[];

#endif
