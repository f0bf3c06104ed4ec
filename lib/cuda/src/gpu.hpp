// SPDX-License-Identifier: Apache-2.0
// A GPU by its primary context, of which a process has one.
#pragma once

#include <sluice_cuda.h>

#include <memory>

#include "driver.hpp"
#include "words.hpp"

namespace sluice::cuda {

class Gpu {
 public:
  static int count();
  static std::shared_ptr<Gpu> open(unsigned index);  // the same while one of its objects is left

  Gpu(Driver driver, Device device, Words& words);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  [[nodiscard]] const Driver& driver() const { return driver_; }
  [[nodiscard]] Context context() const { return context_; }
  [[nodiscard]] sluice_cuda_info info() const;
  [[nodiscard]] bool exports_dma_bufs() const;
  // Whether its streams wait for a number in host memory.
  [[nodiscard]] bool waits() const { return waits_; }
  [[nodiscard]] Words& words() const { return words_; }
  // Whether writes of its peers have to be flushed before work that a stream released sees them.
  [[nodiscard]] bool needs_flush() const;
  [[nodiscard]] int attribute(int number) const;  // 0 where the driver does not know it

 private:
  Driver driver_;
  Device device_;
  Words& words_;
  Context context_ = nullptr;
  bool waits_ = false;
};

// Makes a GPU's context the current one of this thread for the time of a block.
class Current {
 public:
  explicit Current(const Gpu& gpu);
  ~Current();
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  const Driver& driver_;
};

}  // namespace sluice::cuda
