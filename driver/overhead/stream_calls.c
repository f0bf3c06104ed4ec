// SPDX-License-Identifier: Apache-2.0
/* Transfers by the calls of sluice.ko, on board `port` of stream.dtso. */
#include <errno.h>
#include <fcntl.h>
#include <linux/sluice.h>
#include <unistd.h>

#include "heap.h"
#include "stream_way.h"

static int node = -1;
static unsigned depth;
/* Twice the queue, so that what goes around its end is one array, too. */
static struct sluice_transfer transfers[2 * STREAM_DEPTH_MAX];
static struct sluice_completion completions[STREAM_DEPTH_MAX];

static int calls_open(const struct stream *stream) {
  depth = stream->depth;
  node = open(stream->sends ? "/dev/sluice/port/mm2s" : "/dev/sluice/port/s2mm",
              O_RDWR | O_CLOEXEC);
  if (node < 0) return -errno;
  for (unsigned slot = 0; slot < depth; ++slot) {
    struct sluice_attach attach = {.size = sizeof attach, .fd = stream->buffers[slot]};
    const int error = call(node, SLUICE_ATTACH, &attach);
    if (error != 0) return error;
    transfers[slot] = transfers[slot + depth] = (struct sluice_transfer){
        .cookie = slot, .buffer = attach.buffer, .length = stream->bytes};
  }
  return 0;
}

static int calls_submit(unsigned first, unsigned count) {
  struct sluice_submit submit = {.size = sizeof submit,
                                 .transfers = (uintptr_t)&transfers[first],
                                 .count = count,
                                 .transfer_bytes = sizeof transfers[0]};
  const int error = call(node, SLUICE_SUBMIT, &submit);
  return error != 0 ? error : submit.accepted == count ? 0 : -EAGAIN;
}

static int calls_wait(unsigned min) {
  struct sluice_reap reap = {.size = sizeof reap,
                             .completions = (uintptr_t)completions,
                             .count = depth,
                             .completion_bytes = sizeof completions[0],
                             .min = min,
                             .timeout_ns = SLUICE_FOREVER};
  const int error = call(node, SLUICE_REAP, &reap);
  if (error != 0) return error;
  for (unsigned i = 0; i < reap.taken; ++i)
    if (completions[i].status != 0) return completions[i].status;
  return (int)reap.taken;
}

static int calls_close(void) { return close(node) < 0 ? -errno : 0; }

const struct stream_way stream_calls = {calls_open, calls_submit, calls_wait, calls_close};
