// SPDX-License-Identifier: Apache-2.0
// HpCard: a design for HP ports as a PCI Express endpoint; its memory is the virtual machine's.
//
// Identity: 10ee:5020, for which Linux makes a device-tree node below the PCI host (quirk of
// drivers/pci/quirks.c, CONFIG_PCI_DYNAMIC_OF_NODES), and an overlay on that node is how drivers
// that know device trees only are told of the engines. That number is AMD's for a card of its own;
// a driver tells this one by its subsystem, 1234:51ce (1234: no vendor's; QEMU's teaching device
// has it too).
//
//   BAR 0  the design's control space, its offsets fixed
//   BAR 4  MSI-X table and pending bits
//   MSI-X  vector n is interrupt line n; Design::interrupt_lines() vectors. A message goes out when
//          the line rises, and again when it is still high after a write to BAR 0. So a line is
//          never high with its message sent, taken and none to come, unless the handler writes
//          nothing: an event that came while a driver was clearing another is not lost. Now and
//          then a driver is called for nothing.
// DMA addresses are 32 bits, as the ports' are. A transfer that fails gets DECERR.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sluice/cosim/card.hpp"
#include "sluice/sim/design.hpp"

namespace sluice::cosim {

class HpMemoryPort;

class HpCard final : public Card {
 public:
  static constexpr uint16_t kVendor = 0x10ee;
  static constexpr uint16_t kDevice = 0x5020;
  static constexpr uint16_t kSubsystemVendor = 0x1234;
  static constexpr uint16_t kSubsystem = 0x51ce;

  // width_bits: of the design's ports, 32 or 64. Throws std::invalid_argument.
  HpCard(std::unique_ptr<sim::HpDesign> design, unsigned width_bits);
  ~HpCard() override;

  [[nodiscard]] unsigned ports() const override { return static_cast<unsigned>(outputs_.size()); }
  [[nodiscard]] uint64_t handshakes(unsigned port, Channel channel) const override;
  [[nodiscard]] uint64_t region_bytes(unsigned region) const override;
  [[nodiscard]] unsigned vectors() const override { return design_->interrupt_lines(); }

 private:
  void restart() override;
  void edge() override;
  bool read_control(uint32_t offset, uint32_t& value) override;
  void write_control(uint32_t offset, uint32_t value, uint8_t enables) override;
  bool read_bar(unsigned region, uint64_t offset, std::span<std::byte> data) override;
  bool write_bar(unsigned region, uint64_t offset, std::span<const std::byte> data) override;
  void written() override { unsent_ |= interrupts_; }
  [[nodiscard]] bool may_repeat(unsigned line) const override {
    return (interrupts_ >> line & 1) != 0;
  }
  void set_faults(unsigned port, std::vector<ArmedFault*> faults) override;

  std::unique_ptr<sim::HpDesign> design_;
  std::array<std::byte, 8192> vector_table_{};
  sim::ControlPort control_;
  std::vector<HpMemoryPort> ports_;
  std::vector<model::HpOutputs> outputs_;
  std::vector<char> stirred_;  // 1: the port has something under way
};

}  // namespace sluice::cosim
