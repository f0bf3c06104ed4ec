// SPDX-License-Identifier: Apache-2.0
#include "heap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

int call(int fd, unsigned long command, void *argument) {
  return ioctl(fd, command, argument) < 0 ? -errno : 0;
}

int heap_allocate(uint64_t bytes, uint8_t **mapped) {
  struct dma_heap_allocation_data data = {.len = bytes, .fd_flags = O_RDWR | O_CLOEXEC};
  const int heap = open("/dev/dma_heap/system", O_RDWR | O_CLOEXEC);
  if (heap < 0) return -errno;
  const int error = call(heap, DMA_HEAP_IOCTL_ALLOC, &data);
  close(heap);
  if (error != 0) return error;
  *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, (int)data.fd, 0);
  return *mapped == MAP_FAILED ? -errno : (int)data.fd;
}

int heap_sync(int buffer, int begin) {
  struct dma_buf_sync sync = {.flags =
                                  DMA_BUF_SYNC_RW | (begin ? DMA_BUF_SYNC_START : DMA_BUF_SYNC_END)};
  return call(buffer, DMA_BUF_IOCTL_SYNC, &sync);
}
