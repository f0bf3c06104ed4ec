/* SPDX-License-Identifier: Apache-2.0 */
/* Dma-bufs of the system heap, mapped. */
#ifndef HEAP_H
#define HEAP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ioctl(); 0, or -errno. */
int call(int fd, unsigned long command, void *argument);
/* The descriptor of a new dma-buf, or -errno. */
int heap_allocate(uint64_t bytes, uint8_t **mapped);
/* Begin (1) or end (0) the CPU's access to a dma-buf; 0, or -errno. */
int heap_sync(int buffer, int begin);

#ifdef __cplusplus
}
#endif

#endif
