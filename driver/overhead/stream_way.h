/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ways to have a stream's transfers done that need no library. A transfer's memory is a dma-buf of
 * its own: slot n of a queue has buffer n.
 */
#ifndef STREAM_WAY_H
#define STREAM_WAY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { STREAM_DEPTH_MAX = 64 };

struct stream {
  int sends;          /* memory to stream, or else stream to memory */
  const int *buffers; /* dma-bufs, which stay the caller's */
  unsigned depth;     /* of the queue, 1 to STREAM_DEPTH_MAX */
  uint64_t bytes;     /* of each transfer, and of its buffer */
};

/* Each function returns 0 or -errno, wait() a count or -errno. */
struct stream_way {
  int (*open)(const struct stream *stream);
  /* Queue `count` slots, up to the whole queue, from slot `first` on, around its end. */
  int (*submit)(unsigned first, unsigned count);
  /* Wait until at least `min` more are over; how many are. */
  int (*wait)(unsigned min);
  int (*close)(void);
};

extern const struct stream_way stream_calls; /* of sluice.ko */
extern const struct stream_way stream_iio;   /* of IIO, on the devices of iio_stream.ko */

#ifdef __cplusplus
}
#endif

#endif
