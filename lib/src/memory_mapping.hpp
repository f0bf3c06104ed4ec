// SPDX-License-Identifier: Apache-2.0
// A range of a board's memory in this process, at the address that the program names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace sluice {

// mmap(2) of a board's pages exactly at `at` (nullptr: anywhere). Throws Error: EEXIST if something
// is mapped there, which stays.
void* map_at(void* at, size_t bytes, int protection, int flags, int file, uint64_t offset);

class MemoryMapping {
 public:
  // `bytes` from `offset` of a file on, at `at` (nullptr: anywhere); all multiples of a page.
  // Throws as map_at().
  MemoryMapping(int file, uint64_t offset, void* at, size_t bytes);
  MemoryMapping(MemoryMapping&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}
  MemoryMapping& operator=(MemoryMapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MemoryMapping();

  [[nodiscard]] void* data() const { return data_; }

 private:
  void* data_;
  size_t bytes_;
};

}  // namespace sluice
