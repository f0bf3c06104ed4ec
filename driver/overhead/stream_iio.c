// SPDX-License-Identifier: Apache-2.0
/*
 * Transfers by IIO's interface for dma-bufs, as libiio 1.0 uses it: each is enqueued by a call, and
 * waited for by poll() of its dma-buf, which has the transfer's fence. Fences of a queue are
 * signalled in order, so to wait for several is to wait for the last of them.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/ioctl.h>
/* Needs the one above. */
#include <linux/iio/buffer.h>
#include <linux/types.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "heap.h"
#include "stream_way.h"

/* Linux 6.11's, for a C library with older headers. */
#ifndef IIO_BUFFER_DMABUF_ATTACH_IOCTL
struct iio_dmabuf {
  __u32 fd;
  __u32 flags;
  __u64 bytes_used;
};
#define IIO_BUFFER_DMABUF_ATTACH_IOCTL _IOW('i', 0x92, int)
#define IIO_BUFFER_DMABUF_ENQUEUE_IOCTL _IOW('i', 0x94, struct iio_dmabuf)
#endif

#define DEVICES "/sys/bus/iio/devices"
enum { DEVICES_MAX = 8 };

static int queue = -1;
static unsigned depth, oldest;
static unsigned device;
static struct iio_dmabuf transfers[STREAM_DEPTH_MAX];

static int find_device(const char *wanted) {
  for (device = 0; device < DEVICES_MAX; ++device) {
    char path[64], name[64] = "";
    snprintf(path, sizeof path, DEVICES "/iio:device%u/name", device);
    FILE *file = fopen(path, "r");
    if (file == NULL) continue;
    const int found = fscanf(file, "%63s", name) == 1 && strcmp(name, wanted) == 0;
    fclose(file);
    if (found) return 0;
  }
  return -ENODEV;
}

static int set(const char *attribute, int value) {
  char path[96];
  snprintf(path, sizeof path, DEVICES "/iio:device%u/buffer0/%s", device, attribute);
  FILE *file = fopen(path, "w");
  if (file == NULL) return -errno;
  fprintf(file, "%d", value);
  return fclose(file) != 0 ? -errno : 0;
}

static int open_queue(void) {
  char path[32];
  snprintf(path, sizeof path, "/dev/iio:device%u", device);
  const int node = open(path, O_RDWR | O_CLOEXEC);
  if (node < 0) return -errno;
  queue = 0; /* the number of the device's buffer, and then its descriptor */
  const int error = call(node, IIO_BUFFER_GET_FD_IOCTL, &queue);
  close(node);
  return error;
}

static int iio_open(const struct stream *stream) {
  int error = find_device(stream->sends ? "stream-mm2s" : "stream-s2mm");
  if (error == 0) error = set(stream->sends ? "out_voltage0_en" : "in_voltage0_en", 1);
  if (error == 0) error = open_queue();
  depth = stream->depth;
  oldest = 0;
  for (unsigned slot = 0; error == 0 && slot < depth; ++slot) {
    int buffer = stream->buffers[slot];
    transfers[slot] = (struct iio_dmabuf){.fd = (__u32)buffer, .bytes_used = stream->bytes};
    error = call(queue, IIO_BUFFER_DMABUF_ATTACH_IOCTL, &buffer);
  }
  return error != 0 ? error : set("enable", 1);
}

static int iio_submit(unsigned first, unsigned count) {
  int error = 0;
  for (unsigned i = 0; error == 0 && i < count; ++i)
    error = call(queue, IIO_BUFFER_DMABUF_ENQUEUE_IOCTL, &transfers[(first + i) % depth]);
  return error;
}

static int iio_wait(unsigned min) {
  struct pollfd last = {.fd = (int)transfers[(oldest + min - 1) % depth].fd, .events = POLLOUT};
  const int ready = poll(&last, 1, -1);
  if (ready < 0) return -errno;
  if ((last.revents & POLLOUT) == 0) return -EIO;
  oldest = (oldest + min) % depth;
  return (int)min;
}

static int iio_close(void) {
  const int error = set("enable", 0);
  return close(queue) < 0 ? -errno : error;
}

const struct stream_way stream_iio = {iio_open, iio_submit, iio_wait, iio_close};
