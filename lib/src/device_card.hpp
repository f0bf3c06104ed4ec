// SPDX-License-Identifier: Apache-2.0
// The memory of a card that the driver sluice.ko has: all of it as one dma-buf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "device_memory.hpp"

namespace sluice {

class DeviceCard {
 public:
  static constexpr const char* kName = "memory";  // of its node

  // Opens the node. Throws Error.
  DeviceCard(SystemCalls& calls, const std::string& path);

  [[nodiscard]] uint64_t bytes() const { return bytes_; }
  [[nodiscard]] const DmaBuf& memory() const { return *memory_; }

  // By the CPU, through the card's BAR. The range lies in the memory.
  void write(uint64_t offset, std::span<const uint8_t> data);
  void read(uint64_t offset, std::span<uint8_t> data);

 private:
  uint64_t bytes_ = 0;
  std::unique_ptr<DmaBuf> memory_;
};

}  // namespace sluice
