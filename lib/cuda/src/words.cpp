// SPDX-License-Identifier: Apache-2.0
#include "words.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "error.hpp"

namespace sluice::cuda {
namespace {

constexpr size_t kStride = 64;  // a cache line for each number
constexpr size_t kBlockBytes = Words::kOfABlock * kStride;
static_assert(kBlockBytes % (64 * 1024) == 0);  // whole pages of every host

void* mapped_block() {
  // Shared, so that a write after a fork() still goes to the page that the GPU reads.
  void* block =
      mmap(nullptr, kBlockBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED)
    throw Error(errno, "no memory for the numbers that streams wait for: {}", std::strerror(errno));
  return block;
}

// Register a block with the GPU; its address there.
Pointer registered(const Driver& driver, void* block) {
  check(driver, driver.mem_host_register(block, kBlockBytes, kDeviceMap),
        "registering host memory with the GPU");
  Pointer first = 0;
  check(driver, driver.mem_host_get_device_pointer(&first, block, 0),
        "the GPU's address of host memory");
  return first;
}

}  // namespace

void Words::begin(const Driver& driver) {
  std::unique_lock lock(mutex_);
  free_.clear();
  for (void* block : blocks_) try {
      // Another library may have kept the context, and with it the registration. It is the block's,
      // which has been mapped ever since CUDA registered it.
      Pointer first = 0;
      if (driver.mem_host_get_device_pointer(&first, block, 0) != kSuccess)
        first = registered(driver, block);
      add(block, first);
    } catch (const Error&) {  // take() registers another one
    }
  if (free_.empty()) try {
      add_new(driver, lock);
    } catch (const Error&) {  // take() tries again, and reports it
    }
}

Words::Word Words::take(const Driver& driver) {
  std::unique_lock lock(mutex_);
  while (free_.empty()) add_new(driver, lock);
  const Word word = free_.back();
  free_.pop_back();
  word.number->store(0, std::memory_order_release);
  return word;
}

void Words::give_back(Word word) {
  const std::lock_guard lock(mutex_);
  free_.push_back(word);  // add() made room for it
}

void Words::add_new(const Driver& driver, std::unique_lock<std::mutex>& lock) {
  void* block = spare_ != nullptr ? std::exchange(spare_, nullptr) : mapped_block();
  Pointer first = 0;
  lock.unlock();  // closing a stream gives a number back, and does not wait for other streams
  try {
    first = registered(driver, block);
  } catch (const Error& error) {
    lock.lock();
    // EEXIST: the program unmapped registered memory that had this address. The block stays mapped,
    // so that the next one has another address.
    if (error.errnum() != EEXIST) spare_ = block;
    throw;
  }
  lock.lock();
  blocks_.push_back(block);
  add(block, first);
}

void Words::add(void* block, Pointer first) {
  free_.reserve(blocks_.size() * kOfABlock);
  for (size_t at = 0; at < kBlockBytes; at += kStride)
    free_.push_back({.number = new (static_cast<char*>(block) + at) std::atomic<uint32_t>,
                     .pointer = first + at});
}

}  // namespace sluice::cuda
