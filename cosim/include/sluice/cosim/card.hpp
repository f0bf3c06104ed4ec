// SPDX-License-Identifier: Apache-2.0
// Card: a design on a virtual machine's bus, clocked by whoever serves it; what its kinds, HpCard
// and PcieDesignCard, have in common: configuration space, messages, the faults that a test arms.
//
//   BAR 0  the design's control space; accesses of 1, 2, 4 and 8 bytes, which the control port gets
//          as words, the lower one first, with byte enables
// Until the driver makes the card a bus master, and where the machine has no memory, transfers
// fail. A function-level reset, by the client's message or by the driver's write to the PCI Express
// capability, is as power-on.
//
// Time: run() clocks the design; nothing else does but an access to a BAR. There is no model of
// time: cycles, not rates, are the RTL's.
// Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <vector>

#include "sluice/cosim/config_space.hpp"
#include "sluice/cosim/faults.hpp"
#include "sluice/cosim/pci_device.hpp"
#include "sluice/cosim/vfio_user.hpp"
#include "sluice/sim/control_port.hpp"

namespace sluice::cosim {

class Card : public PciDevice {
 public:
  static constexpr uint64_t kControl_bytes = sim::kControlSpaceBytes;

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

  // Memory ports, for faults and counts.
  [[nodiscard]] virtual unsigned ports() const = 0;
  // Handshakes of a channel of a memory port since the card was made.
  [[nodiscard]] virtual uint64_t handshakes(unsigned port, Channel channel) const = 0;
  [[nodiscard]] uint64_t lines() const { return interrupts_; }   // bit n: line n is high
  [[nodiscard]] uint64_t messages() const { return messages_; }  // sent since the card was made

  bool read(unsigned region, uint64_t offset, std::span<std::byte> data) final;
  bool write(unsigned region, uint64_t offset, std::span<const std::byte> data) final;
  void reset() final;

 protected:
  explicit Card(const ConfigSpace& config) : config_(config) {}

  // ---- of the kind of card

  // As after power-on.
  virtual void restart() = 0;
  // One clock edge; calls moved() where something did.
  virtual void edge() = 0;
  // A word of BAR 0. False: nobody answered.
  virtual bool read_control(uint32_t offset, uint32_t& value) = 0;
  virtual void write_control(uint32_t offset, uint32_t value, uint8_t enables) = 0;
  // Another BAR. False: it does not take this access.
  virtual bool read_bar(unsigned region, uint64_t offset, std::span<std::byte> data) = 0;
  virtual bool write_bar(unsigned region, uint64_t offset, std::span<const std::byte> data) = 0;
  // The driver has written to the configuration space.
  virtual void configured() {}
  // A write to BAR 0 was done.
  virtual void written() {}
  // A line's message may come twice now.
  [[nodiscard]] virtual bool may_repeat(unsigned line) const = 0;
  // The faults of a memory port, in order of arming. They live until the next call.
  virtual void set_faults(unsigned port, std::vector<ArmedFault*> faults) = 0;

  // ---- for it

  void moved() { moved_ = cycles_; }
  [[nodiscard]] const ConfigSpace& config() const { return config_; }
  // Whom the card belongs to; null: nobody.
  [[nodiscard]] VfioUserServer* host() const { return host_; }
  // Where transfers go; null: nowhere.
  [[nodiscard]] VfioUserServer* bus() const;
  void send_messages();

  uint64_t cycles_ = 0;
  uint64_t interrupts_ = 0;  // lines, as at the last edge
  uint64_t unsent_ = 0;      // messages that the host has not taken yet
  uint64_t extra_ = 0;       // messages that no line asks for, likewise
  uint64_t again_ = 0;       // lines whose message will be sent once more

 private:
  bool send(unsigned line);
  void check_line(unsigned line) const;
  void distribute_faults();
  [[nodiscard]] uint32_t faulty(uint32_t offset, uint32_t value);

  ConfigSpace config_;
  VfioUserServer* host_ = nullptr;
  uint64_t moved_ = 0;  // cycle in which something last did
  uint64_t messages_ = 0;
  std::list<ArmedFault> faults_;
  unsigned last_fault_ = 0;
  bool removed_ = false;
};

}  // namespace sluice::cosim
