// SPDX-License-Identifier: Apache-2.0
// A design on a PCI function that this program drives itself: registers in BAR 0, completions
// polled, buffers pages of this program that the IOMMU lets the function reach. Between a
// transfer's submission and its completion nothing calls the kernel (the clock is read without a
// call where Linux has it so: its clock source is the TSC or the processor's counter).
#pragma once

#include <map>
#include <string>

#include "platform.hpp"
#include "vfio_function.hpp"

namespace sluice {

class VfioPlatform final : public Platform {
 public:
  // Throws Error. The function is no bus master yet.
  VfioPlatform(SystemCalls& calls, const std::string& address);
  // The engines have been reset, or are cut off here.
  ~VfioPlatform() override;

  // The engines are as after a reset: let them use the bus.
  void connect() { function_.set_bus_master(true); }

  // Error(EIO) beyond BAR 0, Error(ENODEV) if the function has gone.
  uint32_t read32(uint32_t offset) override;
  void write32(uint32_t offset, uint32_t value) override;
  // Error(ENOTSUP) unless the bytes are one, two that begin at an even offset, or all four.
  void write_bytes(uint32_t offset, uint32_t value, uint8_t enables) override;
  [[nodiscard]] bool has_interrupts() const override { return false; }
  [[nodiscard]] uint64_t interrupts() const override { return 0; }
  [[nodiscard]] uint64_t interrupt_rise_ns(unsigned /*line*/) const override { return now_ns(); }
  void wait_interrupt(uint64_t mask, uint64_t deadline_ns) override;
  void order_after_memory_read() override;
  void wait_change(std::span<const MemoryWord> words, uint64_t mask, uint64_t deadline_ns) override;
  [[nodiscard]] uint64_t now_ns() const override { return calls_.now_ns(); }
  void sleep_ns(uint64_t ns) override { calls_.sleep_ns(ns); }
  [[nodiscard]] bool simulated_time() const override { return false; }
  uint64_t cpu_work(const sluice_cpu_work& work, uint64_t source, uint64_t destination) override;
  [[nodiscard]] Window memory() const override;
  uint8_t* provide(uint64_t address, uint64_t bytes) override;
  void withdraw(uint64_t address) override;

 private:
  [[nodiscard]] volatile uint32_t* at(uint32_t offset) const;

  SystemCalls& calls_;
  std::string address_;
  VfioFunction function_;
  Mapping registers_;
  std::map<uint64_t, Mapping> given_;  // by bus address of the first page
};

}  // namespace sluice
