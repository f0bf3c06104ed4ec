// SPDX-License-Identifier: Apache-2.0
// Memory that both a program and devices can use: dma-bufs, and where they come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "system_calls.hpp"

namespace sluice {

// Throws Error(EACCES) that says who may open a device node, and how to be one of them.
[[noreturn]] void refuse_permission(const std::string& path);

// Part of a file in this process's memory.
class Mapping {
 public:
  Mapping() = default;
  // Throws Error with the errno of mmap(); `what` names it in the sentence.
  Mapping(SystemCalls& calls, int fd, uint64_t offset, size_t bytes, bool writable,
          const std::string& what);
  Mapping(Mapping&& other) noexcept
      : calls_(other.calls_),
        address_(std::exchange(other.address_, nullptr)),
        bytes_(other.bytes_) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(calls_, other.calls_);
    std::swap(address_, other.address_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Mapping() {
    if (address_ != nullptr) calls_->unmap(address_, bytes_);
  }

  [[nodiscard]] bool there() const { return address_ != nullptr; }
  [[nodiscard]] size_t bytes() const { return bytes_; }
  // What is at that offset.
  template <typename T = std::byte>
  [[nodiscard]] T* at(size_t offset = 0) const {
    return reinterpret_cast<T*>(static_cast<std::byte*>(address_) + offset);
  }

 private:
  SystemCalls* calls_ = nullptr;
  void* address_ = nullptr;
  size_t bytes_ = 0;
};

// A dma-buf.
class DmaBuf {
 public:
  // Takes the descriptor over, whether it can be mapped or not. Not every exporter lets programs
  // map its memory: without `must_map` such memory has no data().
  DmaBuf(SystemCalls& calls, int fd, uint64_t bytes, bool must_map = true);
  ~DmaBuf() { calls_.close(fd_); }
  DmaBuf(const DmaBuf&) = delete;
  DmaBuf& operator=(const DmaBuf&) = delete;

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] bool mapped() const { return mapping_.there(); }
  [[nodiscard]] std::byte* data() const { return mapping_.at(); }

  // Around the CPU's accesses, of SLUICE_READ and SLUICE_WRITE. Throws Error.
  void begin_access(unsigned access) { sync(access, false); }
  void end_access(unsigned access) { sync(access, true); }

 private:
  void sync(unsigned access, bool end);

  SystemCalls& calls_;
  int fd_;
  Mapping mapping_;
};

// Where buffers come from: a dma-heap, or udmabuf.
class Heap {
 public:
  // Not a heap: each board allocates memory that its engines and the processor see alike.
  static constexpr std::string_view kCoherent = "coherent";

  // `devices` is the folder of the device nodes. `name` as of the URI's key heap; empty: the
  // default. Nothing is opened yet.
  Heap(SystemCalls& calls, std::string devices, std::string name);
  ~Heap();
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  // A dma-buf of zeroes: its descriptor. `bytes` is a multiple of a page. Throws Error.
  int allocate(uint64_t bytes);
  // "heap 'system'", for sentences.
  [[nodiscard]] std::string text() const;

 private:
  void open();
  int allocate_pages(uint64_t bytes);

  SystemCalls& calls_;
  std::string devices_;
  std::string name_;
  int fd_ = -1;
  bool udmabuf_ = false;
};

}  // namespace sluice
