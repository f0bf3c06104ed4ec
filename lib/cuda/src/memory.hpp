// SPDX-License-Identifier: Apache-2.0
// Memory of a GPU, and host memory that a GPU reaches.
#pragma once

#include <memory>

#include "gpu.hpp"

namespace sluice::cuda {

class Memory {
 public:
  Memory(std::shared_ptr<Gpu> gpu, uint64_t bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  [[nodiscard]] Pointer pointer() const { return first_; }
  [[nodiscard]] uint64_t bytes() const { return bytes_; }
  [[nodiscard]] int export_dma_buf() const;  // a new descriptor

 private:
  std::shared_ptr<Gpu> gpu_;
  uint64_t bytes_;
  uint64_t room_;          // bytes_ in whole pages of the GPU
  Pointer allocated_ = 0;  // what CUDA returned
  Pointer unaligned_ = 0;  // what it returned first, if that was not on a page; else 0
  Pointer first_ = 0;      // on a page
};

// Pages that a memfd holds, mapped.
class Pages {
 public:
  explicit Pages(uint64_t bytes);
  ~Pages();
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] uint64_t room() const { return room_; }
  [[nodiscard]] int file() const { return file_; }

 private:
  uint64_t room_;
  int file_ = -1;
  void* data_ = nullptr;
};

class Host {
 public:
  Host(std::shared_ptr<Gpu> gpu, uint64_t bytes);  // pages of its own
  Host(std::shared_ptr<Gpu> gpu, void* data, uint64_t bytes, uint32_t flags);
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] Pointer pointer() const { return pointer_; }
  [[nodiscard]] uint64_t bytes() const { return bytes_; }
  [[nodiscard]] int export_dma_buf() const;  // a new descriptor

 private:
  void enter(uint64_t bytes, unsigned flags);

  std::shared_ptr<Gpu> gpu_;
  std::unique_ptr<Pages> pages_;  // nullptr: the program's memory
  void* data_;
  uint64_t bytes_;
  Pointer pointer_ = 0;
};

}  // namespace sluice::cuda
