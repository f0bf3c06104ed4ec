// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <fcntl.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "error.hpp"

namespace sluice::cuda {
namespace {

// A dma-buf is whole pages of the host; GPUs map their memory to others by pages of 64 KiB, which
// are also the largest pages of hosts.
constexpr uint64_t kGpuPage = 64 * 1024;
constexpr const char* kUdmabuf = "/dev/udmabuf";

uint64_t rounded(uint64_t bytes, uint64_t page) { return (bytes + page - 1) / page * page; }

uint64_t checked(uint64_t bytes) {
  if (bytes == 0 || bytes > SLUICE_CUDA_MAX_BYTES)
    throw Error(EINVAL, "{} bytes of memory; allowed: 1 to {}", bytes, SLUICE_CUDA_MAX_BYTES);
  return bytes;
}

}  // namespace

Memory::Memory(std::shared_ptr<Gpu> gpu, uint64_t bytes)
    : gpu_(std::move(gpu)), bytes_(checked(bytes)), room_(rounded(bytes, kGpuPage)) {
  const Driver& driver = gpu_->driver();
  const Current current(*gpu_);
  check(driver, driver.mem_alloc(&allocated_, room_), "allocating memory of the GPU");
  if (allocated_ % kGpuPage != 0) {  // CUDA may put small ones anywhere
    // It is freed with the memory: cuMemFree() waits for all streams, which would block this call.
    unaligned_ = allocated_;
    const Result result = driver.mem_alloc(&allocated_, room_ + kGpuPage);
    if (result != kSuccess) driver.mem_free(unaligned_);
    check(driver, result, "allocating memory of the GPU");
  }
  first_ = rounded(allocated_, kGpuPage);
}

Memory::~Memory() {
  try {
    const Current current(*gpu_);
    gpu_->driver().mem_free(allocated_);
    if (unaligned_ != 0) gpu_->driver().mem_free(unaligned_);
  } catch (const Error&) {  // the context is lost, and the memory with it
  }
}

int Memory::export_dma_buf() const {
  const Driver& driver = gpu_->driver();
  if (!gpu_->exports_dma_bufs())
    throw Error(ENOTSUP,
                "this GPU's memory cannot be exported as a dma-buf; NVIDIA's open kernel modules "
                "and a driver for CUDA 11.7 or newer are needed");
  const Current current(*gpu_);
  if (driver.pointer_set_attribute != nullptr) {
    const unsigned on = 1;
    driver.pointer_set_attribute(&on, kSyncMemops, first_);
  }
  int fd = -1;
  check(driver, driver.mem_get_handle_for_address_range(&fd, first_, room_, kDmaBufFd, 0),
        "exporting the GPU's memory as a dma-buf");
  return fd;
}

Pages::Pages(uint64_t bytes)
    : room_(rounded(checked(bytes), static_cast<uint64_t>(sysconf(_SC_PAGESIZE)))) {
  file_ = memfd_create("sluice-cuda", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file_ < 0) throw Error(errno, "no file in memory: {}", std::strerror(errno));
  // udmabuf takes only files that cannot shrink.
  if (ftruncate(file_, static_cast<off_t>(room_)) != 0 ||
      fcntl(file_, F_ADD_SEALS, F_SEAL_SHRINK) != 0) {
    const int why = errno;
    close(file_);
    throw Error(why, "no file in memory of {} bytes: {}", room_, std::strerror(why));
  }
  data_ = mmap(nullptr, room_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (data_ == MAP_FAILED) {
    const int why = errno;
    close(file_);
    throw Error(why, "{} bytes of memory cannot be mapped: {}", room_, std::strerror(why));
  }
}

Pages::~Pages() {
  munmap(data_, room_);
  close(file_);
}

Host::Host(std::shared_ptr<Gpu> gpu, uint64_t bytes)
    : gpu_(std::move(gpu)),
      pages_(std::make_unique<Pages>(bytes)),
      data_(pages_->data()),
      bytes_(bytes) {
  enter(pages_->room(), 0);
}

Host::Host(std::shared_ptr<Gpu> gpu, void* data, uint64_t bytes, uint32_t flags)
    : gpu_(std::move(gpu)), data_(data), bytes_(checked(bytes)) {
  if ((flags & ~(SLUICE_CUDA_IO_MEMORY | SLUICE_CUDA_READ_ONLY)) != 0)
    throw Error(EINVAL, "flags {:#x}; allowed: SLUICE_CUDA_IO_MEMORY and SLUICE_CUDA_READ_ONLY",
                flags);
  enter(bytes_, ((flags & SLUICE_CUDA_IO_MEMORY) != 0 ? kIoMemory : 0) |
                    ((flags & SLUICE_CUDA_READ_ONLY) != 0 ? kReadOnly : 0));
}

void Host::enter(uint64_t bytes, unsigned flags) {
  const Driver& driver = gpu_->driver();
  const Current current(*gpu_);
  check(driver, driver.mem_host_register(data_, bytes, flags | kPortable | kDeviceMap),
        "registering host memory with the GPU");
  const Result result = driver.mem_host_get_device_pointer(&pointer_, data_, 0);
  if (result != kSuccess) driver.mem_host_unregister(data_);
  check(driver, result, "the GPU's address of host memory");
}

Host::~Host() {
  try {
    const Current current(*gpu_);
    gpu_->driver().mem_host_unregister(data_);
  } catch (const Error&) {  // the context is lost, and the registration with it
  }
}

int Host::export_dma_buf() const {
  if (pages_ == nullptr)
    throw Error(ENOTSUP,
                "host memory that was registered cannot be exported as a dma-buf; allocate it with "
                "sluice_cuda_host_alloc()");
  const int udmabuf = open(kUdmabuf, O_RDWR | O_CLOEXEC);
  if (udmabuf < 0) {
    const int why = errno;
    const bool absent = why == ENOENT || why == ENODEV || why == ENXIO;
    const bool denied = why == EACCES || why == EPERM;  // EPERM: a container lacks the device
    throw Error(absent   ? ENOTSUP
                : denied ? EACCES
                         : why,
                "{} cannot be opened: {}{}", kUdmabuf, std::strerror(why),
                absent   ? "; load the kernel's module udmabuf"
                : denied ? "; permission for it is needed"
                         : "");
  }
  udmabuf_create request{.memfd = static_cast<uint32_t>(pages_->file()),
                         .flags = UDMABUF_FLAGS_CLOEXEC,
                         .offset = 0,
                         .size = pages_->room()};
  const int fd = ioctl(udmabuf, UDMABUF_CREATE, &request);
  const int why = errno;
  close(udmabuf);
  if (fd < 0)
    throw Error(why,
                "udmabuf refuses a dma-buf of {} bytes: {}. Its limit is "
                "/sys/module/udmabuf/parameters/size_limit_mb",
                pages_->room(), std::strerror(why));
  return fd;
}

}  // namespace sluice::cuda
