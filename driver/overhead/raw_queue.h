/* SPDX-License-Identifier: Apache-2.0 */
/* Copies by the driver's calls, without the library. */
#ifndef RAW_QUEUE_H
#define RAW_QUEUE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Opens a channel of a board with two buffers of `batch` times `bytes`; 0, or -errno. */
int raw_queue_open(const char *board, const char *channel, uint64_t bytes, unsigned batch);
/* The two buffers, mapped; the CPU has them until raw_queue_sync(0), and again from (1) on. */
uint8_t *raw_queue_source(void);
uint8_t *raw_queue_destination(void);
int raw_queue_sync(int begin);
/* One call for all copies; one call that waits for all, and takes them. 0, or -errno. */
int raw_queue_submit(void);
int raw_queue_reap(void);

#ifdef __cplusplus
}
#endif

#endif
