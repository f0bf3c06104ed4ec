// SPDX-License-Identifier: Apache-2.0
#include "sluice/cosim/card.hpp"

#include <linux/vfio.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>

#include "hp_memory_port.hpp"

namespace sluice::cosim {
namespace {

constexpr unsigned kControlBar = VFIO_PCI_BAR0_REGION_INDEX;
constexpr unsigned kVectorBar = VFIO_PCI_BAR4_REGION_INDEX;
constexpr unsigned kResetCycles = 16;
constexpr unsigned kQuietCycles = 4096;
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
      {.vendor = Card::kVendor,
       .device = Card::kDevice,
       .subsystem_vendor = Card::kSubsystemVendor,
       .subsystem = Card::kSubsystem,
       .revision = 0,
       .class_code = kClassAccelerator},
      {{.number = kControlBar, .bytes = Card::kControl_bytes},
       {.number = kVectorBar, .bytes = kTable_bytes}},
      {.vectors = vectors, .bar = kVectorBar, .table_offset = 0, .pending_offset = kPendingOffset}};
}

// An access of a processor: 1, 2, 4 or 8 bytes.
bool aligned(uint64_t offset, std::size_t bytes) {
  return std::has_single_bit(bytes) && bytes <= sizeof(uint64_t) && offset % bytes == 0;
}

// The part of an access that is in one word of the control port.
struct Lanes {
  Lanes(uint64_t offset, std::size_t left)
      : word(static_cast<uint32_t>(offset / sizeof(uint32_t) * sizeof(uint32_t))),
        first(static_cast<unsigned>(offset - word)),
        bytes(std::min(left, sizeof(uint32_t) - first)) {}
  [[nodiscard]] uint8_t enables() const {
    return static_cast<uint8_t>(((1u << bytes) - 1) << first);
  }

  uint32_t word;
  unsigned first;
  std::size_t bytes;
};

}  // namespace

Card::Card(std::unique_ptr<sim::HpDesign> design, unsigned width_bits)
    : design_(std::move(design)),
      config_(make_config(design_->interrupt_lines())),
      control_(*design_, [this] { edge(); }),
      ports_(design_->hp_ports(), HpMemoryPort(checked_bytes(width_bits))),
      outputs_(design_->hp_ports()) {
  reset();
}

Card::~Card() = default;

void Card::reset() {
  config_.reset();
  vector_table_.fill(std::byte{0});
  for (HpMemoryPort& port : ports_) port.reset();
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    outputs_[i] = {};
    design_->drive_hp(static_cast<unsigned>(i), outputs_[i]);
  }
  design_->drive_control(control_.pins());
  design_->drive_reset(true);
  for (unsigned i = 0; i < kResetCycles; ++i) {
    design_->rise();
    design_->settle();
  }
  design_->drive_reset(false);
  design_->settle();
  edge();  // AXI: no VALID on the first one after reset
  interrupts_ = unsent_ = 0;
  moved_ = cycles_;
}

void Card::edge() {
  ++cycles_;
  GuestMemory* memory = host_ != nullptr && config_.bus_master() ? &host_->memory() : nullptr;
  for (unsigned i = 0; i < ports_.size(); ++i) {
    model::HpInputs pins;
    design_->sample_hp(i, pins);
    ports_[i].edge(memory, pins, outputs_[i]);
    if (ports_[i].busy() || pins.arvalid || pins.awvalid || pins.wvalid) moved_ = cycles_;
  }
  design_->rise();
  for (unsigned i = 0; i < ports_.size(); ++i) design_->drive_hp(i, outputs_[i]);
  design_->drive_control(control_.pins());
  design_->settle();

  const uint64_t lines = design_->interrupts();
  if (lines == interrupts_) return;
  moved_ = cycles_;
  unsent_ = (unsent_ | (lines & ~interrupts_)) & lines;
  interrupts_ = lines;
  send_messages();
}

void Card::send_messages() {
  if (host_ == nullptr || !config_.bus_master()) return;
  for (uint64_t left = unsent_; left != 0; left &= left - 1) {
    const auto line = static_cast<unsigned>(std::countr_zero(left));
    if (host_->interrupt(line)) unsent_ &= ~(uint64_t{1} << line);
  }
}

bool Card::run(unsigned cycles) {
  send_messages();
  for (unsigned i = 0; i < cycles; ++i) {
    if (cycles_ - moved_ >= kQuietCycles) return false;
    edge();
  }
  return true;
}

void Card::pass(unsigned cycles) {
  send_messages();
  for (unsigned i = 0; i < cycles; ++i) edge();
}

uint64_t Card::region_bytes(unsigned region) const {
  switch (region) {
    case kControlBar: return kControl_bytes;
    case kVectorBar: return kTable_bytes;
    case VFIO_PCI_CONFIG_REGION_INDEX: return ConfigSpace::kBytes;
    default: return 0;
  }
}

bool Card::read(unsigned region, uint64_t offset, std::span<std::byte> data) {
  switch (region) {
    case VFIO_PCI_CONFIG_REGION_INDEX: config_.read(offset, data); return true;
    case kVectorBar:
      std::memcpy(data.data(), vector_table_.data() + offset, data.size());
      return true;
    default: break;
  }
  if (!aligned(offset, data.size())) return false;
  for (std::size_t at = 0; at < data.size();) {
    const Lanes lanes(offset + at, data.size() - at);
    // What a bus that nobody answers on reads as; the design goes on.
    uint32_t value = ~uint32_t{0};
    try {
      value = control_.read32(lanes.word);
    } catch (const sim::BusError&) {
    }
    value >>= 8 * lanes.first;
    std::memcpy(data.data() + at, &value, lanes.bytes);
    at += lanes.bytes;
  }
  moved_ = cycles_;
  return true;
}

bool Card::write(unsigned region, uint64_t offset, std::span<const std::byte> data) {
  switch (region) {
    case VFIO_PCI_CONFIG_REGION_INDEX:
      config_.write(offset, data);
      send_messages();  // it may be the bus's master now
      return true;
    case kVectorBar:
      std::memcpy(vector_table_.data() + offset, data.data(), data.size());
      return true;
    default: break;
  }
  if (!aligned(offset, data.size())) return false;
  for (std::size_t at = 0; at < data.size();) {
    const Lanes lanes(offset + at, data.size() - at);
    uint32_t value = 0;
    std::memcpy(&value, data.data() + at, lanes.bytes);
    try {
      control_.write32(lanes.word, value << 8 * lanes.first, lanes.enables());
    } catch (const sim::BusError&) {
      // Posted: nobody waits for the answer.
    }
    at += lanes.bytes;
  }
  moved_ = cycles_;
  unsent_ |= interrupts_;
  send_messages();
  return true;
}

}  // namespace sluice::cosim
