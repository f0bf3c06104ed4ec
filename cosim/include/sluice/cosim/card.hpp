// SPDX-License-Identifier: Apache-2.0
// Card: a design for HP ports as a PCI Express endpoint; its memory is the virtual machine's.
//
// Identity: 10ee:5020, for which Linux makes a device-tree node below the PCI host (quirk of
// drivers/pci/quirks.c, CONFIG_PCI_DYNAMIC_OF_NODES), and an overlay on that node is how drivers
// that know device trees only are told of the engines. That number is AMD's for a card of its own;
// a driver tells this one by its subsystem, 1234:51ce (1234: no vendor's; QEMU's teaching device
// has it too).
//
//   BAR 0  the design's control space, its offsets fixed; accesses of 1, 2, 4 and 8 bytes, which
//          the control port gets as words, the lower one first, with byte enables
//   BAR 4  MSI-X table and pending bits
//   MSI-X  vector n is interrupt line n; Design::interrupt_lines() vectors. A message goes out when
//          the line rises, and again when it is still high after a write to BAR 0. So a line is
//          never high with its message sent, taken and none to come, unless the handler writes
//          nothing: an event that came while a driver was clearing another is not lost. Now and
//          then a driver is called for nothing.
// DMA addresses are 32 bits, as the ports' are. Until the driver makes the card a bus master, and
// where the machine has no memory, transfers get DECERR.
//
// Time: run() clocks the design; nothing else does but an access to BAR 0. There is no model of
// time: cycles, not rates, are the RTL's.
// Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "sluice/cosim/config_space.hpp"
#include "sluice/cosim/faults.hpp"
#include "sluice/cosim/pci_device.hpp"
#include "sluice/cosim/vfio_user.hpp"
#include "sluice/sim/control_port.hpp"
#include "sluice/sim/design.hpp"

namespace sluice::cosim {

class HpMemoryPort;

class Card final : public PciDevice {
 public:
  static constexpr uint16_t kVendor = 0x10ee;
  static constexpr uint16_t kDevice = 0x5020;
  static constexpr uint16_t kSubsystemVendor = 0x1234;
  static constexpr uint16_t kSubsystem = 0x51ce;
  static constexpr uint64_t kControl_bytes = sim::kControlSpaceBytes;

  // width_bits: of the design's ports, 32 or 64. Throws std::invalid_argument.
  Card(std::unique_ptr<sim::HpDesign> design, unsigned width_bits);
  ~Card() override;

  // Whom the card belongs to from now on; null: nobody. Must live until the next attach().
  void attach(VfioUserServer* host) { host_ = host; }

  // Clock up to `cycles` times; ends early when nothing has moved for 4096 cycles. True: something
  // moves still. What only time would bring about, the end of a source's pause say, is not seen:
  // for that, pass() clocks in any case, now and then. Both send messages that had to wait.
  bool run(unsigned cycles);
  void pass(unsigned cycles);
  [[nodiscard]] uint64_t cycles() const { return cycles_; }

  // Arm a fault; its id, from 1 on. Throws std::invalid_argument, naming what cannot be: a port or
  // line that the card does not have, more than kMaxFaults.
  static constexpr std::size_t kMaxFaults = 64;
  unsigned arm(const Fault& fault);
  // False: there is none of that id.
  bool clear(unsigned id);
  void clear_faults();
  [[nodiscard]] const std::list<ArmedFault>& faults() const { return faults_; }
  // Send the message of a line that is not asking for it. Throws as arm().
  void send_unasked(unsigned line);

  [[nodiscard]] unsigned ports() const { return static_cast<unsigned>(outputs_.size()); }
  // Handshakes of a channel of a memory port since the card was made.
  [[nodiscard]] uint64_t handshakes(unsigned port, Channel channel) const;
  [[nodiscard]] uint64_t lines() const { return interrupts_; }   // bit n: line n is high
  [[nodiscard]] uint64_t messages() const { return messages_; }  // sent since the card was made

  [[nodiscard]] uint64_t region_bytes(unsigned region) const override;
  [[nodiscard]] unsigned vectors() const override { return design_->interrupt_lines(); }
  bool read(unsigned region, uint64_t offset, std::span<std::byte> data) override;
  bool write(unsigned region, uint64_t offset, std::span<const std::byte> data) override;
  void reset() override;

 private:
  void edge();
  void send_messages();
  bool send(unsigned line);
  void check_line(unsigned line) const;
  void distribute_faults();
  [[nodiscard]] uint32_t faulty(uint32_t offset, uint32_t value);

  std::unique_ptr<sim::HpDesign> design_;
  ConfigSpace config_;
  std::array<std::byte, 8192> vector_table_{};
  VfioUserServer* host_ = nullptr;
  sim::ControlPort control_;
  std::vector<HpMemoryPort> ports_;
  std::vector<model::HpOutputs> outputs_;
  std::vector<char> stirred_;  // 1: the port has something under way
  uint64_t cycles_ = 0;
  uint64_t moved_ = 0;       // cycle in which something last did
  uint64_t interrupts_ = 0;  // lines, as at the last edge
  uint64_t unsent_ = 0;      // messages that the host has not taken yet
  uint64_t extra_ = 0;       // messages that no line asks for, likewise
  uint64_t again_ = 0;       // lines whose message will be sent once more when they fall
  uint64_t messages_ = 0;
  std::list<ArmedFault> faults_;
  unsigned last_fault_ = 0;
  bool removed_ = false;
};

}  // namespace sluice::cosim
