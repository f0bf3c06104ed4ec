// SPDX-License-Identifier: Apache-2.0
// Numbers in host memory that the streams of a GPU wait for.
//
// CUDA may wait for the work of every stream before it unregisters host memory, and a stream that
// waits for a descriptor can be part of that work. So the library never unregisters the pages of
// these numbers: they stay mapped, the registration ends with the GPU's context, and the next
// context registers the same pages.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "driver.hpp"

namespace sluice::cuda {

class Words {
 public:
  struct Word {
    std::atomic<uint32_t>* number = nullptr;
    Pointer pointer = 0;  // its address on the GPU
  };

  // Begin with a context, which is the current one. No number is in use.
  void begin(const Driver& driver);

  // A number that is 0; the context is the current one.
  Word take(const Driver& driver);
  // The GPU no longer waits for it.
  void give_back(Word word);

 private:
  void add(const Driver& driver, void* page);

  std::mutex mutex_;
  std::vector<void*> pages_;
  std::vector<Word> free_;
};

}  // namespace sluice::cuda
