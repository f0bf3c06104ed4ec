/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A BAR of a function that vfio-pci has, as a dma-buf: what a GPU's memory is to a card. Linux 6.19
 * and newer.
 */
#ifndef VFIO_BAR_H
#define VFIO_BAR_H

#include <stdint.h>

struct vfio_bar {
	int container;
	int group;
	int device;
	uint64_t config; /* of the configuration space in device */
	uint64_t bytes;  /* of the BAR */
	int fd;		 /* the dma-buf */
};

/* The function's name, as 0000:05:00.0. The test ends if it cannot be had. */
struct vfio_bar vfio_bar_of(const char *function, uint32_t bar);
/* Switches its memory off, upon which the kernel takes it back from all who use it, and on again.
 * Returns how long the former took, in ns. */
uint64_t vfio_bar_revoke(const struct vfio_bar *bar);

#endif
