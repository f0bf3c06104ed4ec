// SPDX-License-Identifier: Apache-2.0
#include "sluice/cosim/hp_card.hpp"

#include <linux/vfio.h>

#include <cstring>
#include <stdexcept>
#include <string>

#include "hp_memory_port.hpp"

namespace sluice::cosim {
namespace {

constexpr unsigned kControlBar = VFIO_PCI_BAR0_REGION_INDEX;
constexpr unsigned kVectorBar = VFIO_PCI_BAR4_REGION_INDEX;
constexpr uint64_t kTable_bytes = 8192;
constexpr uint32_t kPendingOffset = 0x1000;
constexpr uint32_t kClassAccelerator = 0x12'0000;

unsigned checked_bytes(unsigned width_bits) {
  if (width_bits != 32 && width_bits != 64)
    throw std::invalid_argument("an HP port has 32 or 64 bits, not " + std::to_string(width_bits));
  return width_bits / 8;
}

ConfigSpace make_config(unsigned vectors) {
  return {
      {.vendor = HpCard::kVendor,
       .device = HpCard::kDevice,
       .subsystem_vendor = HpCard::kSubsystemVendor,
       .subsystem = HpCard::kSubsystem,
       .revision = 0,
       .class_code = kClassAccelerator},
      {{.number = kControlBar, .bytes = HpCard::kControl_bytes},
       {.number = kVectorBar, .bytes = kTable_bytes}},
      {.vectors = vectors, .bar = kVectorBar, .table_offset = 0, .pending_offset = kPendingOffset}};
}

}  // namespace

HpCard::HpCard(std::unique_ptr<sim::HpDesign> design, unsigned width_bits)
    : Card(make_config(design->interrupt_lines())),
      design_(std::move(design)),
      control_(*design_, [this] { edge(); }),
      ports_(design_->hp_ports(), HpMemoryPort(checked_bytes(width_bits))),
      outputs_(design_->hp_ports()),
      stirred_(design_->hp_ports()) {
  reset();
}

HpCard::~HpCard() = default;

void HpCard::restart() {
  vector_table_.fill(std::byte{0});
  for (HpMemoryPort& port : ports_) port.reset();
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    outputs_[i] = {};
    design_->drive_hp(static_cast<unsigned>(i), outputs_[i]);
  }
  design_->drive_control(control_.pins());
  design_->reset();
  edge();  // AXI: no VALID on the first one after reset
  interrupts_ = unsent_ = extra_ = again_ = 0;
}

void HpCard::edge() {
  ++cycles_;
  VfioUserServer* host = bus();
  GuestMemory* memory = host != nullptr ? &host->memory() : nullptr;
  for (unsigned i = 0; i < ports_.size(); ++i) {
    model::HpInputs pins;
    design_->sample_hp(i, pins);
    stirred_[i] = ports_[i].edge(memory, pins, outputs_[i]);
    if (stirred_[i]) moved();
  }
  design_->rise();
  for (unsigned i = 0; i < ports_.size(); ++i)
    if (stirred_[i]) design_->drive_hp(i, outputs_[i]);
  design_->drive_control(control_.pins());
  design_->settle();

  const uint64_t lines = design_->interrupts();
  if (lines == interrupts_) return;
  moved();
  extra_ |= again_ & ~lines;
  again_ &= lines;
  unsent_ = (unsent_ | (lines & ~interrupts_)) & lines;
  interrupts_ = lines;
  send_messages();
}

uint64_t HpCard::handshakes(unsigned port, Channel channel) const {
  return ports_.at(port).count(channel);
}

void HpCard::set_faults(unsigned port, std::vector<ArmedFault*> faults) {
  ports_[port].set_faults(std::move(faults));
}

uint64_t HpCard::region_bytes(unsigned region) const {
  switch (region) {
    case kControlBar: return kControl_bytes;
    case kVectorBar: return kTable_bytes;
    case VFIO_PCI_CONFIG_REGION_INDEX: return ConfigSpace::kBytes;
    default: return 0;
  }
}

bool HpCard::read_control(uint32_t offset, uint32_t& value) {
  try {
    value = control_.read32(offset);
    return true;
  } catch (const sim::BusError&) {
    return false;
  }
}

void HpCard::write_control(uint32_t offset, uint32_t value, uint8_t enables) {
  try {
    control_.write32(offset, value, enables);
  } catch (const sim::BusError&) {
    // Posted: nobody waits for the answer.
  }
}

bool HpCard::read_bar(unsigned /*region*/, uint64_t offset, std::span<std::byte> data) {
  std::memcpy(data.data(), vector_table_.data() + offset, data.size());
  return true;
}

bool HpCard::write_bar(unsigned /*region*/, uint64_t offset, std::span<const std::byte> data) {
  std::memcpy(vector_table_.data() + offset, data.data(), data.size());
  return true;
}

}  // namespace sluice::cosim
