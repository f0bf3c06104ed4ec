// SPDX-License-Identifier: Apache-2.0
#include "sluice/cosim/card.hpp"

#include <linux/vfio.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>

namespace sluice::cosim {
namespace {

constexpr unsigned kControlBar = VFIO_PCI_BAR0_REGION_INDEX;
constexpr unsigned kQuietCycles = 4096;

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

void Card::reset() {
  config_.reset();
  interrupts_ = unsent_ = extra_ = again_ = 0;
  restart();
  moved();
}

VfioUserServer* Card::bus() const { return config_.bus_master() && !removed_ ? host_ : nullptr; }

void Card::send_messages() {
  uint64_t left = unsent_ | extra_;
  if (left == 0 || bus() == nullptr) return;
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
    if (!may_repeat(line) || (again_ & bit) != 0) continue;
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
    if (port >= ports())
      throw std::invalid_argument("port must be below " + std::to_string(ports()) + ", is " +
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
  std::vector<std::vector<ArmedFault*>> of_port(ports());
  removed_ = false;
  for (ArmedFault& armed : faults_) {
    if (const auto* response = std::get_if<ResponseFault>(&armed.fault))
      of_port[response->port].push_back(&armed);
    else if (const auto* stuck = std::get_if<StuckFault>(&armed.fault))
      of_port[stuck->port].push_back(&armed);
    removed_ = removed_ || std::holds_alternative<RemovedFault>(armed.fault);
  }
  for (unsigned port = 0; port < ports(); ++port) set_faults(port, std::move(of_port[port]));
  moved();
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

bool Card::read(unsigned region, uint64_t offset, std::span<std::byte> data) {
  if (removed_) {
    std::fill(data.begin(), data.end(), std::byte{0xff});
    return true;
  }
  if (region == VFIO_PCI_CONFIG_REGION_INDEX) {
    config_.read(offset, data);
    return true;
  }
  if (region != kControlBar) return read_bar(region, offset, data);
  if (!aligned(offset, data.size())) return false;
  for (std::size_t at = 0; at < data.size();) {
    const Lanes lanes(offset + at, data.size() - at);
    // What a bus that nobody answers on reads as; the design goes on.
    uint32_t value = ~uint32_t{0};
    read_control(lanes.word, value);
    value = faulty(lanes.word, value) >> 8 * lanes.first;
    std::memcpy(data.data() + at, &value, lanes.bytes);
    at += lanes.bytes;
  }
  moved();
  return true;
}

bool Card::write(unsigned region, uint64_t offset, std::span<const std::byte> data) {
  if (removed_) return true;
  if (region == VFIO_PCI_CONFIG_REGION_INDEX) {
    config_.write(offset, data);
    if (config_.take_reset()) reset();
    configured();
    send_messages();  // it may be the bus's master now
    return true;
  }
  if (region != kControlBar) return write_bar(region, offset, data);
  if (!aligned(offset, data.size())) return false;
  for (std::size_t at = 0; at < data.size();) {
    const Lanes lanes(offset + at, data.size() - at);
    uint32_t value = 0;
    std::memcpy(&value, data.data() + at, lanes.bytes);
    write_control(lanes.word, value << 8 * lanes.first, lanes.enables());
    at += lanes.bytes;
  }
  moved();
  written();
  send_messages();
  return true;
}

}  // namespace sluice::cosim
