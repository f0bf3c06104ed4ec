// SPDX-License-Identifier: Apache-2.0
#include "words.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "error.hpp"

namespace sluice::cuda {
namespace {

constexpr size_t kStride = 64;  // a cache line for each number

size_t page_bytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

void Words::begin(const Driver& driver) {
  const std::lock_guard lock(mutex_);
  free_.clear();
  for (void* page : pages_) try {
      add(driver, page);
    } catch (const Error&) {  // take() maps another page
    }
}

Words::Word Words::take(const Driver& driver) {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    pages_.reserve(pages_.size() + 1);
    void* page =
        mmap(nullptr, page_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) throw Error(errno, "no page of memory: {}", std::strerror(errno));
    try {
      add(driver, page);
    } catch (...) {
      munmap(page, page_bytes());
      throw;
    }
    pages_.push_back(page);
  }
  const Word word = free_.back();
  free_.pop_back();
  word.number->store(0, std::memory_order_release);
  return word;
}

void Words::give_back(Word word) {
  const std::lock_guard lock(mutex_);
  free_.push_back(word);  // add() made room for it
}

void Words::add(const Driver& driver, void* page) {
  const size_t words = page_bytes() / kStride;
  free_.reserve((pages_.size() + 1) * words);
  Pointer first = 0;
  // It is still registered if another library kept the context.
  if (driver.mem_host_get_device_pointer(&first, page, 0) != kSuccess) {
    check(driver, driver.mem_host_register(page, page_bytes(), kDeviceMap),
          "registering host memory with the GPU");
    check(driver, driver.mem_host_get_device_pointer(&first, page, 0),
          "the GPU's address of host memory");
  }
  for (size_t i = 0; i < words; ++i)
    free_.push_back({.number = new (static_cast<char*>(page) + i * kStride) std::atomic<uint32_t>,
                     .pointer = first + i* kStride});
}

}  // namespace sluice::cuda
