// SPDX-License-Identifier: Apache-2.0
// User-space driver of sl_msgdma (Intel's mSGDMA), memory to stream, stream to memory or memory to
// memory; one descriptor in flight, as Linux's altera-msgdma keeps it.
//
// An error ends with a reset of the engine, so that what a failed transfer left inside reaches no
// other: the transfer completes with its error, those queued behind it with -ECANCELED.
#pragma once

#include <cstdint>
#include <string>

#include "engine.hpp"

namespace sluice {

class MsgdmaChannel final : public SerialChannel {
 public:
  MsgdmaChannel(Platform& platform, std::string name, sluice_direction direction, uint32_t base,
                unsigned interrupt, uint32_t start_cost_ns);

  void reset() override;

 private:
  void program(const Request& request) override;
  void go(const Request& request) override;
  bool signals() override;
  Outcome collect(const Request& request) override;
  void recover() override { reset(); }

  std::string name_;
  sluice_direction direction_;
  uint32_t csr_, desc_, resp_;  // offsets of the three ports
  bool running_ = false;        // interrupts are enabled
};

class MsgdmaEngine final : public Engine {
 public:
  // As direction says; csr, desc and resp stand at base, +0x20 and +0x40.
  MsgdmaEngine(Platform& platform, std::string name, sluice_direction direction, uint32_t base,
               unsigned interrupt, uint32_t start_cost_ns)
      : direction_(direction),
        channel_(platform, std::move(name), direction, base, interrupt, start_cost_ns) {}

  [[nodiscard]] MsgdmaChannel& channel() { return channel_; }
  [[nodiscard]] DmaChannel* find(sluice_direction direction) override {
    return direction == direction_ ? &channel_ : nullptr;
  }

 private:
  sluice_direction direction_;
  MsgdmaChannel channel_;
};

}  // namespace sluice
