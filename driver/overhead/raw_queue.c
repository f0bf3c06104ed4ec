// SPDX-License-Identifier: Apache-2.0
#include "raw_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sluice.h>
#include <stdio.h>

#include "heap.h"

enum { BATCH_MAX = 256 };

static int node = -1;
static int buffers[2]; /* source, destination */
static uint8_t *mapped[2];
static unsigned count;
static struct sluice_transfer transfers[BATCH_MAX];
static struct sluice_completion completions[BATCH_MAX];

static int allocate(unsigned which, uint64_t bytes, uint32_t *number) {
  struct sluice_attach attach = {.size = sizeof attach};
  buffers[which] = heap_allocate(bytes, &mapped[which]);
  if (buffers[which] < 0) return buffers[which];
  attach.fd = buffers[which];
  const int error = call(node, SLUICE_ATTACH, &attach);
  *number = attach.buffer;
  return error;
}

int raw_queue_open(const char *board, const char *channel, uint64_t bytes, unsigned batch) {
  char path[256];
  uint32_t numbers[2];
  if (batch > BATCH_MAX) return -EINVAL;
  snprintf(path, sizeof path, "/dev/sluice/%s/%s", board, channel);
  node = open(path, O_RDWR | O_CLOEXEC);
  if (node < 0) return -errno;
  for (unsigned which = 0; which < 2; ++which) {
    const int error = allocate(which, bytes * batch, &numbers[which]);
    if (error != 0) return error;
  }
  count = batch;
  for (unsigned i = 0; i < batch; ++i)
    transfers[i] = (struct sluice_transfer){.cookie = i,
                                            .buffer = numbers[0],
                                            .offset = i * bytes,
                                            .length = bytes,
                                            .destination = numbers[1],
                                            .destination_offset = i * bytes};
  return 0;
}

uint8_t *raw_queue_source(void) { return mapped[0]; }
uint8_t *raw_queue_destination(void) { return mapped[1]; }

int raw_queue_sync(int begin) {
  const int error = heap_sync(buffers[0], begin);
  return error != 0 ? error : heap_sync(buffers[1], begin);
}

int raw_queue_submit(void) {
  struct sluice_submit submit = {.size = sizeof submit,
                                 .transfers = (uintptr_t)transfers,
                                 .count = count,
                                 .transfer_bytes = sizeof transfers[0]};
  const int error = call(node, SLUICE_SUBMIT, &submit);
  return error != 0 ? error : submit.accepted == count ? 0 : -EAGAIN;
}

int raw_queue_reap(void) {
  struct sluice_reap reap = {.size = sizeof reap,
                             .completions = (uintptr_t)completions,
                             .count = count,
                             .completion_bytes = sizeof completions[0],
                             .min = count,
                             .timeout_ns = SLUICE_FOREVER};
  const int error = call(node, SLUICE_REAP, &reap);
  if (error != 0) return error;
  if (reap.taken != count) return -EIO;
  for (unsigned i = 0; i < count; ++i)
    if (completions[i].status != 0) return completions[i].status;
  return 0;
}
