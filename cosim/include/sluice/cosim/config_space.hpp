// SPDX-License-Identifier: Apache-2.0
// ConfigSpace: the configuration space of a PCI Express endpoint with MSI-X.
//
// A type 0 header, 64-bit memory BARs at even numbers, power management, PCI Express endpoint and
// MSI-X capabilities. What a driver may write keeps what it writes; a BAR that is written ones
// answers with its size (PCI Local Bus 3.0, 6.2.5.1). The client emulates MSI-X tables and BAR
// addresses itself: nothing is decoded here.
// Source: PCI Express Base Specification 4.0, 7.5 and 7.7.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace sluice::cosim {

class ConfigSpace {
 public:
  static constexpr std::size_t kBytes = 4096;

  struct Bar {
    unsigned number;  // 0, 2 or 4
    uint64_t bytes;   // power of two, 128 bytes at least
  };
  struct MsiX {
    unsigned vectors;  // 1..2048
    unsigned bar;
    uint32_t table_offset;  // 16 bytes a vector; multiples of 8
    uint32_t pending_offset;
  };
  struct Identity {
    uint16_t vendor, device, subsystem_vendor, subsystem;
    uint8_t revision;
    uint32_t class_code;  // 24 bits
  };

  // Throws std::invalid_argument, naming what is out of range.
  ConfigSpace(const Identity& identity, const std::vector<Bar>& bars, const MsiX& msix);

  // offset + data.size() is at most kBytes.
  void read(uint64_t offset, std::span<std::byte> data) const;
  void write(uint64_t offset, std::span<const std::byte> data);
  // What a driver wrote is forgotten.
  void reset();

  // Command register, bit 2: the device may use the bus.
  [[nodiscard]] bool bus_master() const;
  // MSI-X Enable of the capability.
  [[nodiscard]] bool msix_enabled() const;
  // A driver has asked for a function-level reset since the last call.
  [[nodiscard]] bool take_reset() { return std::exchange(asked_reset_, false); }

 private:
  using Image = std::array<std::byte, kBytes>;

  template <typename T>
  static void put(Image& image, std::size_t offset, T value);
  void add_bar(const Bar& bar);
  void add_capabilities(const MsiX& msix);

  Image initial_{};
  Image writable_{};  // bits that a driver may change
  Image now_{};
  bool asked_reset_ = false;
};

}  // namespace sluice::cosim
