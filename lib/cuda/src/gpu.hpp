// SPDX-License-Identifier: Apache-2.0
// A GPU by its primary context, of which a process has one.
#pragma once

#include <sluice_cuda.h>

#include <memory>

#include "driver.hpp"
#include "words.hpp"

namespace sluice::cuda {

// How writes of a GPU's peers get visible to work behind a stream's wait.
enum class Flush : uint8_t {
  kNotNeeded,   // the GPU orders them
  kByHost,      // cuFlushGPUDirectRDMAWrites() before the stream goes on
  kByWait,      // the wait itself flushes
  kImpossible,  // they may not be visible
};

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
  [[nodiscard]] Flush flush() const { return flush_; }
  [[nodiscard]] int attribute(int number) const;  // 0 where the driver does not know it

 private:
  [[nodiscard]] Flush way_to_flush() const;

  Driver driver_;
  Device device_;
  Words& words_;
  Context context_ = nullptr;
  bool waits_ = false;
  Flush flush_ = Flush::kImpossible;
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
