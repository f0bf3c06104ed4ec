// SPDX-License-Identifier: Apache-2.0
#include "device_memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <linux/udmabuf.h>
#include <sluice.h>

#include <algorithm>
#include <cerrno>

#include "error.hpp"

namespace sluice {
namespace {

constexpr const char* kPages = "udmabuf";
constexpr const char* kDefaultHeap = "system";
constexpr const char* kContiguous = "cma";
// What the heap of the kernel's common contiguous memory is called: since Linux 6.17, before, and
// where the device tree names it so.
constexpr const char* kContiguousNames[] = {"default_cma_region", "reserved", "linux,cma",
                                            "default-pool"};

}  // namespace

void refuse_permission(const std::string& path) {
  throw Error(
      EACCES,
      "no permission for {}. Join the group 'sluice' (usermod -aG sluice USER) and log in again. "
      "If the node does not belong to the group, install driver/udev/60-sluice.rules",
      path);
}

Mapping::Mapping(SystemCalls& calls, int fd, uint64_t offset, size_t bytes, bool writable,
                 const std::string& what)
    : calls_(&calls), bytes_(bytes) {
  int error = 0;
  address_ = calls.map(fd, offset, bytes, writable, &error);
  if (address_ == nullptr)
    throw Error(-error, "{} of {} bytes cannot be mapped: {}", what, bytes, message(error));
}

DmaBuf::DmaBuf(SystemCalls& calls, int fd, uint64_t bytes, bool must_map) : calls_(calls), fd_(fd) {
  try {
    mapping_ = Mapping(calls, fd, 0, bytes, true, "a buffer");
  } catch (...) {
    if (!must_map) return;
    calls_.close(fd_);
    throw;
  }
}

void DmaBuf::sync(unsigned access, bool end) {
  dma_buf_sync sync{};
  sync.flags = end ? DMA_BUF_SYNC_END : DMA_BUF_SYNC_START;
  if ((access & SLUICE_READ) != 0) sync.flags |= DMA_BUF_SYNC_READ;
  if ((access & SLUICE_WRITE) != 0) sync.flags |= DMA_BUF_SYNC_WRITE;
  int result = 0;
  do result = calls_.ioctl(fd_, DMA_BUF_IOCTL_SYNC, &sync);
  while (result == -EINTR || result == -EAGAIN);
  if (result < 0) throw Error(-result, "a buffer's caches cannot be synced: {}", message(result));
}

Heap::Heap(SystemCalls& calls, std::string devices, std::string name)
    : calls_(calls), devices_(std::move(devices)), name_(std::move(name)) {}

Heap::~Heap() {
  if (fd_ >= 0) calls_.close(fd_);
}

std::string Heap::text() const { return udmabuf_ ? kPages : fmt::format("the heap '{}'", name_); }

void Heap::open() {
  const std::string folder = devices_ + "/dma_heap";
  const auto heaps = calls_.list(folder);
  const auto has = [&](std::string_view name) {
    return std::ranges::find(heaps, name) != heaps.end();
  };
  std::string name = name_;
  if (name.empty()) name = heaps.empty() ? kPages : kDefaultHeap;
  if (name == kContiguous && !has(name)) {
    const auto found = std::ranges::find_if(kContiguousNames, has);
    if (found != std::end(kContiguousNames)) name = *found;
  }
  udmabuf_ = name == kPages && !has(name);
  const std::string path = udmabuf_ ? devices_ + "/udmabuf" : folder + "/" + name;
  const int fd = calls_.open(path);
  if (fd >= 0) {
    fd_ = fd;
    name_ = name;
    return;
  }
  const bool absent = fd == -ENOENT || fd == -ENODEV || fd == -ENXIO;
  if (absent && udmabuf_ && name_.empty())
    throw Error(ENOTSUP,
                "this kernel has no memory for devices to share: neither {} nor {} is there "
                "(CONFIG_DMABUF_HEAPS_SYSTEM, CONFIG_UDMABUF)",
                folder, path);
  if (absent)
    throw Error(ENOENT, "no heap '{}'; {} has: {}", name_.empty() ? name : name_, folder,
                heaps.empty() ? "nothing" : fmt::to_string(fmt::join(heaps, ", ")));
  if (fd == -EACCES || fd == -EPERM) refuse_permission(path);
  throw Error(-fd, "{} cannot be opened: {}", path, message(fd));
}

int Heap::allocate(uint64_t bytes) {
  if (fd_ < 0) open();
  if (udmabuf_) return allocate_pages(bytes);
  dma_heap_allocation_data request{
      .len = bytes, .fd = 0, .fd_flags = O_RDWR | O_CLOEXEC, .heap_flags = 0};
  const int result = calls_.ioctl(fd_, DMA_HEAP_IOCTL_ALLOC, &request);
  if (result < 0)
    throw Error(-result, "{} has no {} bytes to give: {}", text(), bytes, message(result));
  return static_cast<int>(request.fd);
}

int Heap::allocate_pages(uint64_t bytes) {
  const int file = calls_.memory_file(bytes);
  if (file < 0)
    throw Error(-file, "a memory file of {} bytes cannot be made: {}", bytes, message(file));
  udmabuf_create request{.memfd = static_cast<uint32_t>(file),
                         .flags = UDMABUF_FLAGS_CLOEXEC,
                         .offset = 0,
                         .size = bytes};
  const int fd = calls_.ioctl(fd_, UDMABUF_CREATE, &request);
  calls_.close(file);
  if (fd < 0)
    throw Error(-fd,
                "udmabuf refuses a buffer of {} bytes: {}. Its limit is "
                "/sys/module/udmabuf/parameters/size_limit_mb",
                bytes, message(fd));
  return fd;
}

}  // namespace sluice
