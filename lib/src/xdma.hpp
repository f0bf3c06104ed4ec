// SPDX-License-Identifier: Apache-2.0
// User-space driver of a channel of sl_xdma (AMD PG195): a ring of descriptors that runs for ever.
//
// The ring has a place for each transfer that a channel holds. The channel works by credits: a
// transfer's descriptor is written, a credit given, and the channel goes on; the last descriptor
// leads back to the first. An error stops the channel: the transfer that failed completes with it,
// those behind it with -ECANCELED.
//
// Ends are told by interrupt, and then the count of completed descriptors is read from the channel;
// or polled, and then the channel writes that count to host memory. The event that an interrupt
// tells of may come before its count is in memory, so that the two are not mixed.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "engine.hpp"

namespace sluice {

struct XdmaSettings {
  std::string name;    // "h2c0"
  bool to_card;        // H2C
  bool stream;         // its other side is a stream
  unsigned number;     // of its direction
  unsigned interrupt;  // its place among all channels: bit of the interrupt block, and vector
  bool poll;           // completions are polled
  uint32_t start_cost_ns;
};

class XdmaChannel final : public DmaChannel {
 public:
  XdmaChannel(Platform& platform, const XdmaSettings& settings, const SharedMemory& memory);

  [[nodiscard]] uint64_t expected_interrupt() const override {
    return started() != 0 && !settings_.poll ? uint64_t{1} << interrupt_ : 0;
  }
  [[nodiscard]] const MemoryWord* polled() const override {
    return settings_.poll ? &count_ : nullptr;
  }
  void flush() override;
  void service() override;
  void reset() override;

 private:
  struct Descriptor {
    uint32_t control, bytes;
    uint64_t source, destination, next;
  };
  struct Result {
    uint32_t status, bytes;
  };
  static constexpr uint32_t kRing = SLUICE_QUEUE_DEPTH;
  static constexpr uint32_t kBlock = 64;   // adjacent descriptors
  static constexpr size_t kToldMost = 16;  // of so many descriptors one tells of its end
  static constexpr uint64_t kResults = kRing * sizeof(Descriptor);
  static constexpr uint64_t kCount = kResults + kRing * sizeof(Result);
  static_assert(kCount + sizeof(uint32_t) <= SharedMemory::kBytes);

  void run();
  void retire(uint32_t count, uint64_t rise_ns);
  // tells: the count is written back after it.
  void describe(uint32_t place, const Request& request, bool tells);
  [[nodiscard]] Outcome outcome(uint32_t place, const Request& request) const;
  void fail(uint64_t finish_ns);
  // Error(ETIMEDOUT), with all still queued, if the engine does not come out of reset.
  void reset_engine();
  // After a reset: what is queued is over.
  void forget();
  [[nodiscard]] uint64_t line() const { return uint64_t{1} << interrupt_; }
  // Bus address of a byte of memory_.
  [[nodiscard]] uint64_t bus(uint64_t offset) const { return memory_.address + offset; }

  XdmaSettings settings_;
  SharedMemory memory_;
  uint32_t base_;   // of the channel's registers
  uint32_t sgdma_;  // of its descriptors' registers
  MemoryWord count_;
  bool running_ = false;
  std::deque<bool> tells_;  // of those started: its end is told, by a count or an interrupt
  uint32_t next_ = 0;       // place of the next descriptor
  uint32_t oldest_ = 0;     // place of that of the oldest
  uint32_t completed_ = 0;  // the last count
  uint32_t status_ = 0;     // all that was read of it while running
};

class XdmaEngine final : public Engine {
 public:
  XdmaEngine(Platform& platform, const XdmaSettings& settings, const SharedMemory& memory)
      : to_card_(settings.to_card), channel_(platform, settings, memory) {}

  [[nodiscard]] DmaChannel* find(sluice_direction direction) override {
    return direction == (to_card_ ? SLUICE_MM2S : SLUICE_S2MM) ? &channel_ : nullptr;
  }

 private:
  bool to_card_;
  XdmaChannel channel_;
};

}  // namespace sluice
