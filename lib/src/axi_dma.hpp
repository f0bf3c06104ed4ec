// SPDX-License-Identifier: Apache-2.0
// User-space driver of sl_axi_dma (AMD PG021) in direct register mode.
//
// An error stops the engine, and only a reset, which covers both channels, starts it again
// (PG021): the transfer that failed completes with its error, every other one of the engine
// with -ECANCELED.
#pragma once

#include <cstdint>
#include <string>

#include "engine.hpp"

namespace sluice {

class AxiDmaEngine;

class AxiDmaChannel final : public SerialChannel {
 public:
  void reset() override;

 private:
  friend class AxiDmaEngine;
  AxiDmaChannel(AxiDmaEngine& engine, Platform& platform, sluice_direction direction, uint32_t base,
                unsigned interrupt, uint32_t start_cost_ns);

  void program(const Request& request) override;
  void go(const Request& request) override;
  bool signals() override;
  Outcome collect(const Request& request) override;
  void recover() override;

  AxiDmaEngine& engine_;
  sluice_direction direction_;
  uint32_t base_;         // of the channel's registers
  bool running_ = false;  // RS is set and the interrupts are enabled
};

class AxiDmaEngine final : public Engine {
 public:
  // `base` is the register page's offset; the interrupt lines are MM2S's and the next one.
  AxiDmaEngine(Platform& platform, std::string name, uint32_t base, unsigned first_interrupt,
               uint32_t start_cost_ns);

  // MM2S or S2MM.
  [[nodiscard]] AxiDmaChannel& channel(sluice_direction direction) {
    return direction == SLUICE_MM2S ? mm2s_ : s2mm_;
  }
  [[nodiscard]] DmaChannel* find(sluice_direction direction) override {
    return direction == SLUICE_COPY ? nullptr : &channel(direction);
  }

  // Reset both channels.
  void reset();

 private:
  std::string name_;
  AxiDmaChannel mm2s_;
  AxiDmaChannel s2mm_;
};

}  // namespace sluice
