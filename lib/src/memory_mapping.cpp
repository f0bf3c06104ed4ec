// SPDX-License-Identifier: Apache-2.0
#include "memory_mapping.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>

#include "error.hpp"
#include "system_calls.hpp"

namespace sluice {

void* map_at(void* at, size_t bytes, int protection, int flags, int file, uint64_t offset) {
  const int place = at == nullptr ? 0 : MAP_FIXED_NOREPLACE;
  void* const data = ::mmap(at, bytes, protection, flags | MAP_NORESERVE | place, file,
                            static_cast<off_t>(offset));
  if (data == MAP_FAILED) {
    const int errnum = errno;
    if (errnum == EEXIST)
      throw Error(EEXIST,
                  "this process has something mapped within {} bytes from {}; choose another "
                  "address, or see what /proc/self/maps has there",
                  bytes, fmt::ptr(at));
    throw Error(errnum, "{} bytes of the board cannot be mapped at {}: {}", bytes, fmt::ptr(at),
                message(-errnum));
  }
  if (at != nullptr && data != at) {  // a kernel before 4.17 takes the address as a hint
    ::munmap(data, bytes);
    throw Error(EEXIST, "this kernel gives no room for {} bytes at {}", bytes, fmt::ptr(at));
  }
  return data;
}

MemoryMapping::MemoryMapping(int file, uint64_t offset, void* at, size_t bytes)
    : data_(map_at(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, offset)), bytes_(bytes) {}

MemoryMapping::~MemoryMapping() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

}  // namespace sluice
