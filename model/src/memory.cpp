// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

namespace sluice::model {
namespace {

std::system_error refused(const char* what, std::uint64_t size_bytes) {
  return {errno, std::generic_category(),
          std::string("memory: cannot ") + what + " " + std::to_string(size_bytes) + " bytes"};
}

void check(std::uint64_t base, std::uint64_t size_bytes) {
  constexpr std::uint64_t kLimit = 1ULL << 40U;
  if (size_bytes == 0 || size_bytes % 4096U != 0 || base % 4096U != 0 || size_bytes > kLimit ||
      base > kLimit - size_bytes) {
    throw std::invalid_argument(
        "memory: base and size must be multiples of 4096, size not 0, end within 2^40");
  }
}

}  // namespace

Memory::Memory(std::uint64_t base, std::uint64_t size_bytes)
    : base_(base), size_bytes_(size_bytes) {
  check(base, size_bytes);
  file_ = ::memfd_create("sluice-board-memory", MFD_CLOEXEC);
  if (file_ < 0) throw refused("make a file of", size_bytes);
  if (::ftruncate(file_, static_cast<off_t>(size_bytes)) != 0) {
    const std::system_error error = refused("make a file of", size_bytes);
    ::close(file_);
    throw error;
  }
  map();
}

Memory::Memory(std::uint64_t base, std::uint64_t size_bytes, int file)
    : base_(base), size_bytes_(size_bytes) {
  check(base, size_bytes);
  file_ = ::fcntl(file, F_DUPFD_CLOEXEC, 0);
  if (file_ < 0) throw refused("use a file of", size_bytes);
  map();
}

void Memory::map() {
  void* mapping =
      ::mmap(nullptr, size_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, 0);
  if (mapping == MAP_FAILED) {
    const std::system_error error = refused("map", size_bytes_);
    ::close(file_);
    throw error;
  }
  bytes_ = static_cast<std::uint8_t*>(mapping);
}

Memory::~Memory() {
  ::munmap(bytes_, size_bytes_);
  ::close(file_);
}

std::uint8_t* Memory::host(std::uint64_t address, std::uint64_t length_bytes) {
  if (!contains(address, length_bytes)) {
    throw std::out_of_range("memory: " + std::to_string(length_bytes) + " bytes at address " +
                            std::to_string(address) + " are not inside it");
  }
  return bytes_ + (address - base_);
}

Response Memory::access(std::uint64_t address, std::uint64_t length_bytes) const {
  if (!contains(address, length_bytes)) return Response::decerr;
  for (const Range& range : poisoned_) {
    if (address < range.end && address + length_bytes > range.first) return Response::slverr;
  }
  return Response::okay;
}

void Memory::poison(std::uint64_t address, std::uint64_t length_bytes) {
  if (length_bytes != 0) poisoned_.push_back({address, address + length_bytes});
}

void Memory::clear() {
  if (::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                  static_cast<off_t>(size_bytes_)) != 0)
    throw refused("clear", size_bytes_);
}

}  // namespace sluice::model
