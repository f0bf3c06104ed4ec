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
      outputs_(design_->hp_ports()),
      stirred_(design_->hp_ports()) {
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
  interrupts_ = unsent_ = extra_ = again_ = 0;
  moved_ = cycles_;
}

void Card::edge() {
  ++cycles_;
  const bool master = host_ != nullptr && config_.bus_master() && !removed_;
  GuestMemory* memory = master ? &host_->memory() : nullptr;
  for (unsigned i = 0; i < ports_.size(); ++i) {
    model::HpInputs pins;
    design_->sample_hp(i, pins);
    stirred_[i] = ports_[i].edge(memory, pins, outputs_[i]);
    if (stirred_[i]) moved_ = cycles_;
  }
  design_->rise();
  for (unsigned i = 0; i < ports_.size(); ++i)
    if (stirred_[i]) design_->drive_hp(i, outputs_[i]);
  design_->drive_control(control_.pins());
  design_->settle();

  const uint64_t lines = design_->interrupts();
  if (lines == interrupts_) return;
  moved_ = cycles_;
  extra_ |= again_ & ~lines;
  again_ &= lines;
  unsent_ = (unsent_ | (lines & ~interrupts_)) & lines;
  interrupts_ = lines;
  send_messages();
}

void Card::send_messages() {
  uint64_t left = unsent_ | extra_;
  if (left == 0 || host_ == nullptr || !config_.bus_master() || removed_) return;
  for (; left != 0; left &= left - 1) {
    const auto line = static_cast<unsigned>(std::countr_zero(left));
    if (!send(line)) continue;
    unsent_ &= ~(uint64_t{1} << line);
    extra_ &= ~(uint64_t{1} << line);
  }
}

bool Card::send(unsigned line) {
  for (ArmedFault& armed : faults_) {
    const auto* fault = std::get_if<InterruptFault>(&armed.fault);
    if (fault == nullptr || fault->line != line || armed.hits >= fault->messages) continue;
    if (!fault->twice) {
      ++armed.hits;
      return true;  // so it thinks
    }
    const uint64_t bit = uint64_t{1} << line;
    if ((interrupts_ & bit) == 0 || (again_ & bit) != 0) continue;
    if (!host_->interrupt(line)) return false;
    ++armed.hits;
    ++messages_;
    again_ |= bit;
    return true;
  }
  if (!host_->interrupt(line)) return false;
  ++messages_;
  return true;
}

void Card::check_line(unsigned line) const {
  if (line >= vectors())
    throw std::invalid_argument("line must be below " + std::to_string(vectors()) + ", is " +
                                std::to_string(line));
}

void Card::send_unasked(unsigned line) {
  check_line(line);
  extra_ |= uint64_t{1} << line;
  send_messages();
}

unsigned Card::arm(const Fault& fault) {
  if (faults_.size() == kMaxFaults)
    throw std::invalid_argument("more than " + std::to_string(kMaxFaults) + " faults");
  const auto check_port = [this](unsigned port) {
    if (port >= ports_.size())
      throw std::invalid_argument("port must be below " + std::to_string(ports_.size()) + ", is " +
                                  std::to_string(port));
  };
  ArmedFault armed{.id = last_fault_ + 1, .fault = fault};
  if (const auto* response = std::get_if<ResponseFault>(&fault)) {
    check_port(response->port);
    armed.start = handshakes(response->port, response->write ? Channel::w : Channel::r);
  } else if (const auto* stuck = std::get_if<StuckFault>(&fault)) {
    check_port(stuck->port);
    armed.start = handshakes(stuck->port, stuck->channel);
  } else if (const auto* interrupt = std::get_if<InterruptFault>(&fault)) {
    check_line(interrupt->line);
  } else if (const auto* reg = std::get_if<RegisterFault>(&fault)) {
    if (reg->offset % sizeof(uint32_t) != 0 || reg->offset >= kControl_bytes)
      throw std::invalid_argument("offset must be a multiple of 4 below " +
                                  std::to_string(kControl_bytes) + ", is " +
                                  std::to_string(reg->offset));
  }
  faults_.push_back(armed);
  distribute_faults();
  return ++last_fault_;
}

bool Card::clear(unsigned id) {
  const auto found = std::find_if(faults_.begin(), faults_.end(),
                                  [id](const ArmedFault& armed) { return armed.id == id; });
  if (found == faults_.end()) return false;
  faults_.erase(found);
  distribute_faults();
  return true;
}

void Card::clear_faults() {
  faults_.clear();
  distribute_faults();
}

void Card::distribute_faults() {
  std::vector<std::vector<ArmedFault*>> of_port(ports_.size());
  removed_ = false;
  for (ArmedFault& armed : faults_) {
    if (const auto* response = std::get_if<ResponseFault>(&armed.fault))
      of_port[response->port].push_back(&armed);
    else if (const auto* stuck = std::get_if<StuckFault>(&armed.fault))
      of_port[stuck->port].push_back(&armed);
    removed_ = removed_ || std::holds_alternative<RemovedFault>(armed.fault);
  }
  for (std::size_t i = 0; i < ports_.size(); ++i) ports_[i].set_faults(std::move(of_port[i]));
  moved_ = cycles_;
}

uint64_t Card::handshakes(unsigned port, Channel channel) const {
  return ports_.at(port).count(channel);
}

uint32_t Card::faulty(uint32_t offset, uint32_t value) {
  for (ArmedFault& armed : faults_) {
    const auto* fault = std::get_if<RegisterFault>(&armed.fault);
    if (fault == nullptr || fault->offset != offset) continue;
    value = (value & ~fault->mask) | (fault->value & fault->mask);
    ++armed.hits;
  }
  return value;
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
  if (removed_) {
    std::fill(data.begin(), data.end(), std::byte{0xff});
    return true;
  }
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
    value = faulty(lanes.word, value) >> 8 * lanes.first;
    std::memcpy(data.data() + at, &value, lanes.bytes);
    at += lanes.bytes;
  }
  moved_ = cycles_;
  return true;
}

bool Card::write(unsigned region, uint64_t offset, std::span<const std::byte> data) {
  if (removed_) return true;
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
