// SPDX-License-Identifier: Apache-2.0
#include "system_calls.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <limits>
#include <system_error>

namespace sluice {
namespace {

constexpr uint64_t kNsPerS = 1'000'000'000;

// At most what time_t holds: of 32 bits 68 years.
timespec to_timespec(uint64_t ns) {
  constexpr uint64_t kMost = std::numeric_limits<time_t>::max();
  return {.tv_sec = static_cast<time_t>(std::min(ns / kNsPerS, kMost)),
          .tv_nsec = static_cast<long>(ns % kNsPerS)};
}

class LinuxCalls final : public SystemCalls {
 public:
  int open(const std::string& path) override {
    const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
  }
  void close(int fd) override { ::close(fd); }
  int ioctl(int fd, unsigned long request, void* argument) override {
    const int result = ::ioctl(fd, request, argument);
    return result < 0 ? -errno : result;
  }
  int64_t read_at(int fd, uint64_t offset, void* data, size_t bytes) override {
    const ssize_t result = ::pread(fd, data, bytes, static_cast<off_t>(offset));
    return result < 0 ? -errno : result;
  }
  int64_t write_at(int fd, uint64_t offset, const void* data, size_t bytes) override {
    const ssize_t result = ::pwrite(fd, data, bytes, static_cast<off_t>(offset));
    return result < 0 ? -errno : result;
  }
  void* map(int fd, uint64_t offset, size_t bytes, bool writable, int* error) override {
    const int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
    void* address = ::mmap(nullptr, bytes, protection, MAP_SHARED, fd, static_cast<off_t>(offset));
    if (address != MAP_FAILED) return address;
    *error = -errno;
    return nullptr;
  }
  void unmap(void* address, size_t bytes) override { ::munmap(address, bytes); }
  int duplicate(int fd) override {
    const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
    return copy < 0 ? -errno : copy;
  }
  int64_t size_of(int fd) override {
    const off_t end = ::lseek(fd, 0, SEEK_END);
    return end < 0 ? -errno : end;
  }
  int memory_file(uint64_t bytes) override {
    const int fd = ::memfd_create("sluice", MFD_ALLOW_SEALING | MFD_CLOEXEC);
    if (fd < 0) return -errno;
    if (::ftruncate(fd, static_cast<off_t>(bytes)) == 0 &&
        ::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0)
      return fd;
    const int error = -errno;
    ::close(fd);
    return error;
  }
  std::vector<std::string> list(const std::string& folder) override {
    std::vector<std::string> names;
    std::error_code ignored;
    for (std::filesystem::directory_iterator entry(folder, ignored), end; entry != end;
         entry.increment(ignored))
      names.push_back(entry->path().filename());
    std::ranges::sort(names);
    return names;
  }
  int poll(std::span<pollfd> descriptors, int64_t timeout_ns) override {
    const timespec limit = to_timespec(static_cast<uint64_t>(timeout_ns));
    const int result =
        ::ppoll(descriptors.data(), descriptors.size(), timeout_ns < 0 ? nullptr : &limit, nullptr);
    return result < 0 ? -errno : result;
  }
  uint64_t now_ns() override {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return static_cast<uint64_t>(now.tv_sec) * kNsPerS + static_cast<uint64_t>(now.tv_nsec);
  }
  void sleep_ns(uint64_t ns) override {
    timespec left = to_timespec(ns);
    while (::nanosleep(&left, &left) < 0 && errno == EINTR) continue;
  }
};

}  // namespace

std::string message(int error) { return std::generic_category().message(-error); }

SystemCalls& linux_calls() {
  static LinuxCalls calls;
  return calls;
}

}  // namespace sluice
