// SPDX-License-Identifier: Apache-2.0
// The copy engine of a GPU beside a card: what a program has of its driver.
//
// Copies are one after the other. A copy that fails completes with its error, those queued behind
// it with -ECANCELED, as after an error of CUDA nothing goes on. A copy under way cannot be
// stopped.
#pragma once

#include <string>

#include "engine.hpp"

namespace sluice {

class GpuChannel final : public SerialChannel {
 public:
  GpuChannel(Platform& platform, PlatformGpu& gpu, std::string name)
      : SerialChannel(platform, gpu.line(), 0), gpu_(gpu), name_(std::move(name)) {}

  // One side has to be the GPU's memory.
  void check(const Request& request) const override;
  // Waits for the copy under way.
  void reset() override;

 private:
  void program(const Request& request) override { static_cast<void>(request); }
  void go(const Request& request) override {
    gpu_.copy(request.address, request.destination, request.bytes);
  }
  bool signals() override { return false; }  // there is always an interrupt
  Outcome collect(const Request& request) override;
  void recover() override { cancel_all(); }

  PlatformGpu& gpu_;
  std::string name_;
};

class GpuEngine final : public Engine {
 public:
  GpuEngine(Platform& platform, PlatformGpu& gpu, std::string name)
      : channel_(platform, gpu, std::move(name)) {}
  [[nodiscard]] DmaChannel* find(sluice_direction direction) override {
    return direction == SLUICE_COPY ? &channel_ : nullptr;
  }

 private:
  GpuChannel channel_;
};

}  // namespace sluice
