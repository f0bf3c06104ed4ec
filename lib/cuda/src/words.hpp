// SPDX-License-Identifier: Apache-2.0
// Numbers in host memory that the streams of a GPU wait for.
//
// CUDA may wait for the work of every stream before it unregisters host memory, and a stream that
// waits for a descriptor can be part of that work. So the library never unregisters the blocks of
// these numbers: they stay mapped, the registration ends with the GPU's context, and the next
// context registers the same blocks. CUDA may also wait when it registers host memory, so a block
// has many numbers, and the first block is registered before a stream can wait.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

#include "driver.hpp"

namespace sluice::cuda {

class Words {
 public:
  static constexpr size_t kOfABlock = 1024;

  struct Word {
    std::atomic<uint32_t>* number = nullptr;
    Pointer pointer = 0;  // its address on the GPU
  };

  // Begin with a context, which is the current one. No number is in use. Registers a block, if CUDA
  // does that.
  void begin(const Driver& driver);

  // A number that is 0; the context is the current one. Registers a block if all are in use.
  Word take(const Driver& driver);
  // The GPU no longer waits for it.
  void give_back(Word word);

 private:
  void add_new(const Driver& driver, std::unique_lock<std::mutex>& lock);
  void add(void* block, Pointer first);

  std::mutex mutex_;
  // Blocks are never unmapped: CUDA may have registered one although it returned an error.
  std::vector<void*> blocks_;  // registered with this context or with an earlier one
  void* spare_ = nullptr;      // a block that CUDA refused, for the next try
  std::vector<Word> free_;
};

}  // namespace sluice::cuda
