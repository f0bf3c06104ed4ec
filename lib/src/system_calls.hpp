// SPDX-License-Identifier: Apache-2.0
// What the back ends for hardware ask of Linux. Tests put a kernel of their own in its place.
#pragma once

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sluice {

// Calls return a result or -errno, as the kernel itself does.
class SystemCalls {
 public:
  virtual ~SystemCalls() = default;

  virtual int open(const std::string& path) = 0;  // O_RDWR | O_CLOEXEC
  virtual void close(int fd) = 0;
  virtual int ioctl(int fd, unsigned long request, void* argument) = 0;
  // pread() and pwrite(): how many bytes, or -errno.
  virtual int64_t read_at(int fd, uint64_t offset, void* data, size_t bytes) = 0;
  virtual int64_t write_at(int fd, uint64_t offset, const void* data, size_t bytes) = 0;
  // MAP_SHARED. -errno is in *error where nullptr is returned.
  virtual void* map(int fd, uint64_t offset, size_t bytes, bool writable, int* error) = 0;
  virtual void unmap(void* address, size_t bytes) = 0;
  virtual int duplicate(int fd) = 0;    // with O_CLOEXEC
  virtual int64_t size_of(int fd) = 0;  // bytes of a file, or of a dma-buf
  // A file of pages in memory that cannot shrink.
  virtual int memory_file(uint64_t bytes) = 0;
  // The names in a folder, in order; none if it is not there.
  virtual std::vector<std::string> list(const std::string& folder) = 0;
  // ppoll() without a signal mask; timeout_ns < 0: for ever. How many are ready, 0 or -errno.
  virtual int poll(std::span<pollfd> descriptors, int64_t timeout_ns) = 0;
  virtual uint64_t now_ns() = 0;  // CLOCK_MONOTONIC_RAW
  virtual void sleep_ns(uint64_t ns) = 0;
};

// What a -errno means, in words.
std::string message(int error);

// Linux's own.
SystemCalls& linux_calls();

}  // namespace sluice
