// SPDX-License-Identifier: Apache-2.0
// User-space driver of one direction of sl_avmm_table: the published FPGA-GPU system's table of
// descriptors (Garrone ten Brink 2017).
//
// A transfer is cut into descriptors of at most kPiece bytes, the published longest. They go into
// the next places of the table, whose done words are cleared; LAST_PTR requests them. Descriptors
// that fail do not stop the engine: the transfer completes with -EIO, those behind it go on.
#pragma once

#include <cstdint>
#include <string>

#include "engine.hpp"

namespace sluice {

struct AvmmSettings {
  std::string name;    // "h2c0"
  bool to_card;        // the published "read"
  unsigned interrupt;  // vector
  bool poll;           // completions are polled
  uint32_t start_cost_ns;
};

class AvmmChannel final : public DmaChannel {
 public:
  static constexpr uint64_t kPiece = 1'044'480;
  static constexpr uint64_t kMostBytes = 64 * kPiece;  // half of the table

  AvmmChannel(Platform& platform, const AvmmSettings& settings, const SharedMemory& memory);

  [[nodiscard]] uint64_t expected_interrupt() const override {
    return started() != 0 && !settings_.poll ? uint64_t{1} << interrupt_ : 0;
  }
  [[nodiscard]] const MemoryWord* polled() const override {
    return settings_.poll ? &word_ : nullptr;
  }
  void flush() override;
  void service() override;
  void reset() override;

 private:
  static constexpr uint32_t kTable = 128;
  static constexpr uint32_t kRequest = 8;          // transfers with one write of LAST_PTR
  static constexpr uint64_t kDescriptors = 0x200;  // behind the done words
  static constexpr uint64_t kDescriptorBytes = 32;
  static_assert(kDescriptors + kTable * kDescriptorBytes <= SharedMemory::kBytes);

  void run();
  // Into the next places.
  void describe(const Request& request);
  [[nodiscard]] const volatile uint32_t* done_word(uint32_t place) const;
  // The word that tells of the end of the front transfer.
  void watch();

  AvmmSettings settings_;
  SharedMemory memory_;
  uint32_t base_;
  uint32_t extension_;
  MemoryWord word_{};
  bool running_ = false;
  uint32_t next_ = 0;    // place
  uint32_t oldest_ = 0;  // place of the first descriptor of the oldest transfer
  uint32_t used_ = 0;    // places
};

class AvmmEngine final : public Engine {
 public:
  AvmmEngine(Platform& platform, const AvmmSettings& settings, const SharedMemory& memory)
      : to_card_(settings.to_card), channel_(platform, settings, memory) {}

  [[nodiscard]] DmaChannel* find(sluice_direction direction) override {
    return direction == (to_card_ ? SLUICE_MM2S : SLUICE_S2MM) ? &channel_ : nullptr;
  }

 private:
  bool to_card_;
  AvmmChannel channel_;
};

}  // namespace sluice
