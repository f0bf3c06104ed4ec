// SPDX-License-Identifier: Apache-2.0
// User-space driver of sl_axi_cdma (AMD PG034) in simple mode: memory to memory.
//
// An error stops the engine, and only a reset starts it again (PG034): the copy that failed
// completes with its error, those queued behind it with -ECANCELED.
#pragma once

#include <cstdint>
#include <string>

#include "engine.hpp"

namespace sluice {

class CdmaChannel final : public SerialChannel {
 public:
  CdmaChannel(Platform& platform, std::string name, uint32_t base, unsigned interrupt,
              uint32_t start_cost_ns)
      : SerialChannel(platform, interrupt, start_cost_ns), name_(std::move(name)), base_(base) {}

  void reset() override;

 private:
  void program(const Request& request) override;
  void go(const Request& request) override;
  bool signals() override;
  Outcome collect(const Request& request) override;
  void recover() override { reset(); }

  std::string name_;
  uint32_t base_;
  bool running_ = false;  // interrupts are enabled
};

class CdmaEngine final : public Engine {
 public:
  // `base` is the register page's offset.
  CdmaEngine(Platform& platform, std::string name, uint32_t base, unsigned interrupt,
             uint32_t start_cost_ns)
      : channel_(platform, std::move(name), base, interrupt, start_cost_ns) {}

  [[nodiscard]] CdmaChannel& channel() { return channel_; }
  [[nodiscard]] DmaChannel* find(sluice_direction direction) override {
    return direction == SLUICE_COPY ? &channel_ : nullptr;
  }

 private:
  CdmaChannel channel_;
};

}  // namespace sluice
