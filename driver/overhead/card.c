// SPDX-License-Identifier: Apache-2.0
/*
 * What transfers to or from a card cost Linux, by each way to ask for them. DEPTH of them are a
 * window; ROUNDS windows follow each other.
 *
 *   card file PATH BYTES DEPTH ROUNDS             write() or read() of a device of AMD's driver, by
 *                                                 as many threads
 *   card queue CHANNEL MEMORY BYTES DEPTH ROUNDS  SLUICE_SUBMIT and SLUICE_REAP of sluice.ko
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/dma-heap.h>
#include <linux/sluice.h>

#include "window.h"

#define MOST 64u /* of a depth */

#define MUST(what)                                                                     \
  do {                                                                                 \
    if (!(what)) {                                                                     \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #what, strerror(errno)); \
      exit(1);                                                                         \
    }                                                                                  \
  } while (0)

static unsigned depth_of(const char* text) {
  const unsigned long depth = strtoul(text, NULL, 0);

  if (depth < 1 || depth > MOST) {
    fprintf(stderr, "DEPTH is 1 to %u, not %s\n", MOST, text);
    exit(2);
  }
  return (unsigned)depth;
}

/* One of the threads. All begin together, and the window ends when all have ended. */
struct worker {
  const char* path;
  size_t bytes;
  unsigned long rounds;
  pthread_barrier_t* begin;
  pthread_barrier_t* end;
};

static void* work(void* given) {
  const struct worker* worker = given;
  const int writes = strstr(worker->path, "h2c") != NULL;
  const int fd = open(worker->path, writes ? O_WRONLY : O_RDONLY);
  void* data = aligned_alloc(4096, (worker->bytes + 4095) / 4096 * 4096);

  MUST(fd >= 0 && data);
  memset(data, 0x5a, worker->bytes);
  for (unsigned long left = worker->rounds; left; --left) {
    const int first = pthread_barrier_wait(worker->begin) == PTHREAD_BARRIER_SERIAL_THREAD;
    if (first) WINDOW_BEGIN();
    MUST((writes ? pwrite(fd, data, worker->bytes, 0) : pread(fd, data, worker->bytes, 0)) ==
         (ssize_t)worker->bytes);
    if (pthread_barrier_wait(worker->end) == PTHREAD_BARRIER_SERIAL_THREAD) WINDOW_END();
  }
  return NULL;
}

static int by_file(char** argument) {
  const unsigned depth = depth_of(argument[2]);
  pthread_barrier_t begin, end;
  pthread_t threads[MOST];
  struct worker worker = {.path = argument[0],
                          .bytes = strtoull(argument[1], NULL, 0),
                          .rounds = strtoul(argument[3], NULL, 0),
                          .begin = &begin,
                          .end = &end};

  MUST(!pthread_barrier_init(&begin, NULL, depth) && !pthread_barrier_init(&end, NULL, depth));
  for (unsigned i = 0; i < depth; ++i) MUST(!pthread_create(&threads[i], NULL, work, &worker));
  for (unsigned i = 0; i < depth; ++i) MUST(!pthread_join(threads[i], NULL));
  return 0;
}

static uint32_t attach(int channel, int fd) {
  struct sluice_attach attach = {.size = sizeof attach, .fd = fd};

  MUST(!ioctl(channel, SLUICE_ATTACH, &attach));
  return attach.buffer;
}

static int by_queue(char** argument) {
  const int channel = open(argument[0], O_RDWR), node = open(argument[1], O_RDWR);
  const int heap = open("/dev/dma_heap/system", O_RDWR);
  const size_t bytes = strtoull(argument[2], NULL, 0);
  const int to_card = strstr(argument[0], "h2c") != NULL;
  struct dma_heap_allocation_data host = {.len = (bytes + 4095) / 4096 * 4096,
                                          .fd_flags = O_RDWR};
  struct sluice_memory_export card = {.size = sizeof card, .bytes = host.len};

  MUST(channel >= 0 && node >= 0 && heap >= 0);
  MUST(!ioctl(heap, DMA_HEAP_IOCTL_ALLOC, &host) && !ioctl(node, SLUICE_MEMORY_EXPORT, &card));
  const uint32_t here = attach(channel, (int)host.fd), there = attach(channel, card.fd);
  const unsigned depth = depth_of(argument[3]);
  struct sluice_transfer transfers[MOST];
  struct sluice_completion completions[MOST];
  struct sluice_submit submit = {.size = sizeof submit,
                                 .transfers = (uintptr_t)transfers,
                                 .count = depth,
                                 .transfer_bytes = sizeof transfers[0]};
  struct sluice_reap reap = {.size = sizeof reap,
                             .completions = (uintptr_t)completions,
                             .count = depth,
                             .completion_bytes = sizeof completions[0],
                             .min = depth,
                             .timeout_ns = SLUICE_FOREVER};
  for (unsigned i = 0; i < depth; ++i)
    transfers[i] = (struct sluice_transfer){.buffer = to_card ? here : there,
                                            .destination = to_card ? there : here,
                                            .length = bytes};
  for (unsigned long left = strtoul(argument[4], NULL, 0); left; --left) {
    int failed;
    WINDOW_BEGIN();
    failed = ioctl(channel, SLUICE_SUBMIT, &submit);
    failed |= ioctl(channel, SLUICE_REAP, &reap);
    WINDOW_END();
    MUST(!failed && submit.accepted == depth && reap.taken == depth);
    for (unsigned i = 0; i < depth; ++i)
      MUST(!completions[i].status && completions[i].bytes == bytes);
  }
  return 0;
}

int main(int count, char** argument) {
  if (count == 6 && !strcmp(argument[1], "file")) return by_file(argument + 2);
  if (count == 7 && !strcmp(argument[1], "queue")) return by_queue(argument + 2);
  fprintf(stderr,
          "usage: card file PATH BYTES DEPTH ROUNDS | queue CHANNEL MEMORY BYTES DEPTH ROUNDS\n");
  return 2;
}
