// SPDX-License-Identifier: Apache-2.0
// User-space driver of S2MM of sl_axi_dma (AMD PG021) with descriptors: a queue of transfers, or a
// ring of periods that the engine fills round and round.
//
// Queue: the ring of descriptors has a place for each transfer that a channel holds, and leads back
// to its first. A transfer's descriptor is written, the tail moved to it, and the engine goes on.
// A packet's end ends a transfer; a longer packet goes on in the next one. An error stops the
// engine, and only a reset starts it again (PG021): the transfer that failed completes with its
// error, those behind it with -ECANCELED.
//
// Periods: the engine is given a ring once, in cyclic mode, and asks for nothing until it is reset.
// The channel's queue is empty meanwhile.
#pragma once

#include <cstdint>
#include <string>

#include "engine.hpp"

namespace sluice {

struct AxiDmaRingSettings {
  std::string name;    // of its port
  uint32_t base;       // of the engine's register page
  unsigned interrupt;  // line of S2MM
  uint32_t start_cost_ns;
};

class AxiDmaRing final : public DmaChannel {
 public:
  static constexpr uint32_t kDescriptorBytes = 64;
  // Of the queue's ring.
  static constexpr uint64_t kBytes = uint64_t{SLUICE_QUEUE_DEPTH} * kDescriptorBytes;

  // memory: kBytes.
  AxiDmaRing(Platform& platform, const AxiDmaRingSettings& settings, const SharedMemory& memory);

  [[nodiscard]] uint64_t expected_interrupt() const override {
    return started() != 0 || periodic_ ? uint64_t{1} << interrupt_ : 0;
  }
  [[nodiscard]] const MemoryWord* polled() const override {
    return platform_.has_interrupts() ? nullptr : &oldest_status_;
  }
  [[nodiscard]] uint64_t look_again_ns() const override {
    constexpr uint64_t kLook_ns = 20'000;
    return started() != 0 ? kLook_ns : kNever;
  }
  void flush() override;
  void service() override;
  void reset() override;
  [[nodiscard]] bool stuck() const { return stuck_; }

  // Fill `periods` of `bytes` each from bus address `address` on, one after the other, without end.
  // `ring`: memory for a descriptor each, until the next reset. The channel is idle.
  void start_periods(const SharedMemory& ring, uint64_t address, uint64_t bytes, uint32_t periods);
  // False from an error of the engine on, or from a reset.
  [[nodiscard]] bool runs_periods() const { return periodic_; }
  // Place in the ring of the period that the engine works on.
  [[nodiscard]] uint32_t period_place();

 private:
  struct Descriptor {
    uint64_t next;
    uint64_t address;
    uint32_t reserved[2];
    uint32_t control;
    uint32_t status;
    uint32_t application[8];  // AMD's APP words and what is left of 64 bytes
  };
  static_assert(sizeof(Descriptor) == kDescriptorBytes);

  void describe(const SharedMemory& ring, uint32_t place, uint32_t places, uint64_t address,
                uint64_t bytes);
  void run(uint64_t first, uint64_t last, uint32_t mode);
  [[nodiscard]] uint32_t status_of(uint32_t place) const;
  [[nodiscard]] bool oldest_is_done() const;
  void watch_oldest();
  void retire(uint64_t finish_ns);
  void fail(uint32_t status, uint64_t finish_ns);
  void reset_engine();

  AxiDmaRingSettings settings_;
  SharedMemory memory_;
  SharedMemory periods_{};  // of start_periods()
  MemoryWord oldest_status_{};
  bool running_ = false;
  bool periodic_ = false;
  uint32_t next_ = 0;    // place of the next descriptor
  uint32_t oldest_ = 0;  // place of that of the oldest transfer
};

class AxiDmaRingEngine final : public Engine {
 public:
  AxiDmaRingEngine(Platform& platform, const AxiDmaRingSettings& settings,
                   const SharedMemory& memory)
      : channel_(platform, settings, memory) {}

  [[nodiscard]] DmaChannel* find(sluice_direction direction) override {
    return direction == SLUICE_S2MM ? &channel_ : nullptr;
  }
  [[nodiscard]] AxiDmaRing& channel() { return channel_; }

 private:
  AxiDmaRing channel_;
};

}  // namespace sluice
