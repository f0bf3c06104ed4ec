// SPDX-License-Identifier: Apache-2.0
// A platform of registers that keep what is written; the test sets statuses and raises interrupts.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "platform.hpp"

namespace sluice {

class ScriptedPlatform final : public Platform {
 public:
  // A write of reset_mask to the register reset_offset makes it stand in the register busy_offset
  // until that has been read reads_before_clear times.
  ScriptedPlatform(uint32_t reset_offset, uint32_t busy_offset, uint32_t reset_mask)
      : reset_offset_(reset_offset), busy_offset_(busy_offset), reset_mask_(reset_mask) {}

  uint32_t read32(uint32_t offset) override {
    now_ += 100;
    if (offset == busy_offset_ && resetting_ && --reads_before_clear <= 0) {
      registers[offset] = 0;
      resetting_ = false;
    }
    return registers[offset];
  }
  void write32(uint32_t offset, uint32_t value) override {
    now_ += 100;
    registers[offset] = value;
    writes.emplace_back(offset, value);
    if (offset == reset_offset_ && (value & reset_mask_)) {
      registers[busy_offset_] = ~uint32_t{0};
      resetting_ = true;
    }
  }
  void write_bytes(uint32_t offset, uint32_t value, uint8_t enables) override {
    uint32_t mask = 0;
    for (unsigned byte = 0; byte < 4; ++byte)
      if ((enables >> byte & 1U) != 0) mask |= 0xffU << 8 * byte;
    write32(offset, (registers[offset] & ~mask) | (value & mask));
  }
  [[nodiscard]] uint64_t interrupts() const override { return lines; }
  [[nodiscard]] uint64_t interrupt_rise_ns(unsigned line) const override { return 5000 + line; }
  void wait_interrupt(uint64_t, uint64_t deadline_ns) override { now_ = deadline_ns; }
  void wait_change(std::span<const MemoryWord>, uint64_t, uint64_t deadline_ns) override {
    now_ = deadline_ns;
  }
  [[nodiscard]] uint64_t now_ns() const override { return now_; }
  void sleep_ns(uint64_t ns) override { now_ += ns; }
  [[nodiscard]] bool simulated_time() const override { return true; }
  [[nodiscard]] Window memory() const override { return {}; }
  uint8_t* provide(uint64_t, uint64_t) override { return nullptr; }
  void withdraw(uint64_t) override {}

  std::map<uint32_t, uint32_t> registers;
  std::vector<std::pair<uint32_t, uint32_t>> writes;  // in order
  uint64_t lines = 0;
  int reads_before_clear = 2;

 private:
  uint32_t reset_offset_;
  uint32_t busy_offset_;
  uint32_t reset_mask_;
  bool resetting_ = false;
  uint64_t now_ = 0;
};

}  // namespace sluice
