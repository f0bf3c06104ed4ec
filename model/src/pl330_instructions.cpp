// SPDX-License-Identifier: Apache-2.0
// The instructions of a DMA controller: DDI 0424 chapter 4.
#include <algorithm>

#include "pl330_encoding.hpp"
#include "sluice/model/pl330.hpp"

namespace sluice::model {

using namespace pl330;

namespace {
constexpr unsigned kOperandShift = 3;   // of an event or a peripheral, in its byte
constexpr std::uint32_t kMostSize = 3;  // log2 of the bus's bytes

std::uint32_t word_at(const std::uint8_t* code) {
  std::uint32_t word = 0;
  for (unsigned byte = 0; byte < sizeof word; ++byte)
    word |= std::uint32_t{code[byte]} << 8U * byte;
  return word;
}
}  // namespace

Pl330::Side Pl330::side(std::uint32_t ccr, unsigned shift) {
  const std::uint32_t half = ccr >> shift;
  return {.increments = (half & 1U) != 0,
          .size_bytes = 1U << (half >> 1U & 7U),
          .beats = (half >> 4U & 15U) + 1U,
          .secure = (half >> 9U & 1U) == 0};
}

Pl330::Step Pl330::fail(unsigned number, std::uint32_t fault) {
  abort(number, fault);
  return Step::jumped;
}

/// Whether an instruction with S or B is one for what the peripheral asked for.
bool Pl330::holds(const Channel& channel, std::uint8_t opcode) {
  return (opcode & kConditional) == 0 || ((opcode & kBurst) != 0) == channel.burst;
}

Pl330::Step Pl330::perform(unsigned number, const Code& code) {
  Channel& channel = channels_[number];
  const std::uint8_t opcode = code[0];
  const bool burst = (opcode & kBurst) != 0;
  const unsigned operand = code[1] >> kOperandShift;
  switch (opcode) {
    case kEnd:
      release_lock(number);
      channel.state = State::completing;
      return Step::jumped;
    case kKill:
      drop(number);
      channel.state = State::killing;
      return Step::jumped;
    case kLd:
    case kLd | kConditional:
    case kLd | kConditional | kBurst:
      if (!holds(channel, opcode)) return Step::done;
      return load(number, (opcode & kConditional) != 0 && !burst);
    case kSt:
    case kSt | kConditional:
    case kSt | kConditional | kBurst:
      if (!holds(channel, opcode)) return Step::done;
      return store(number, (opcode & kConditional) != 0 && !burst, false);
    case kLdp:
    case kLdp | kBurst:
      if (const auto fault = peripheral_fault(channel, operand)) return fail(number, fault);
      return channel.burst == burst ? load(number, !burst) : Step::done;
    case kStp:
    case kStp | kBurst:
      if (const auto fault = peripheral_fault(channel, operand)) return fail(number, fault);
      return channel.burst == burst ? store(number, !burst, false) : Step::done;
    case kStz: return store(number, false, true);
    case kRmb:
    case kWmb:
      release_lock(number);
      channel.barrier_of_writes = opcode == kWmb;
      channel.state = State::at_barrier;
      return Step::done;
    case kNop: return Step::done;
    case kLp:
    case kLp | kCounter:
      channel.loops[(opcode & kCounter) != 0 ? 1 : 0] = code[1];
      return Step::done;
    case kWfp:
    case kWfp | kAnyRequest:
    case kWfp | kBurst: return wait_for_peripheral(number, opcode, operand);
    case kSev:
      if (const auto fault = event_fault(channel.nonsecure, operand)) return fail(number, fault);
      signal(operand);
      return Step::done;
    case kFlushp:
      if (const auto fault = peripheral_fault(channel, operand)) return fail(number, fault);
      requests_[operand].pending = false;
      return Step::done;
    case kWfe: return wait_for_event(number, code[1]);
    case kAddh:
    case kAddh | kToDestination:
    case kAdnh:
    case kAdnh | kToDestination: {
      std::uint32_t& address = (opcode & kToDestination) != 0 ? channel.dar : channel.sar;
      const std::uint32_t negative = (opcode & ~kToDestination) == kAdnh ? 0xffff'0000U : 0;
      address += negative | static_cast<std::uint32_t>(code[1] | code[2] << 8U);
      return Step::done;
    }
    case kMov: return move(number, code[1] & 7U, word_at(&code[2]));
    default: return loop_end(channel, opcode, code[1]);
  }
}

Pl330::Step Pl330::load(unsigned number, bool single) {
  Channel& channel = channels_[number];
  Side source = side(channel.ccr, kSource);
  if (channel.nonsecure && source.secure) return fail(number, kSecurity);
  if (single) source.beats = 1;
  if (channel.tail == channel.head)
    channel.head = channel.stored = channel.tail = channel.dar % kWordBytes;
  const std::uint64_t end = channel.tail + bytes_of(channel.sar, source);
  const unsigned more = channel.entries_to(end) - channel.entries();
  channel.blocked_load =
      (load_lock_ != kNobody && load_lock_ != number) || entries_used() + more > kMfifo;
  if (channel.blocked_load || loads_.size() == kQueue) return Step::blocked;
  load_lock_ = number;
  loads_.push_back({number, channel.sar, source, channel.tail, false});
  channel.loads.push_back({channel.tail, end, 0});
  channel.tail = end;
  channel.sar = after(channel.sar, source);
  return Step::done;
}

Pl330::Step Pl330::store(unsigned number, bool single, bool zeros) {
  Channel& channel = channels_[number];
  Side destination = side(channel.ccr, kDestination);
  if (channel.nonsecure && destination.secure) return fail(number, kSecurity);
  if (single) destination.beats = 1;
  const std::uint32_t bytes = zeros ? 0 : bytes_of(channel.dar, destination);
  if (channel.tail - channel.stored < bytes) return fail(number, kStoreData);
  if (stores_.size() == kQueue) return Step::blocked;
  release_lock(number);
  stores_.push_back({number, channel.dar, destination, channel.stored, zeros});
  channel.stored += bytes;
  channel.dar = after(channel.dar, destination);
  return Step::done;
}

/// An address register after a burst.
std::uint32_t Pl330::after(std::uint32_t address, const Side& side) {
  return side.increments ? address + bytes_of(address, side) : address;
}

Pl330::Step Pl330::loop_end(Channel& channel, std::uint8_t opcode, std::uint8_t jump) {
  const bool forever = (opcode & kLpend) != kLpend;
  if (forever) {
    if (channel.last) return Step::done;
  } else {
    if (!holds(channel, opcode)) return Step::done;
    std::uint8_t& left = channel.loops[(opcode & kEndCounter) != 0 ? 1 : 0];
    if (left == 0) return Step::done;
    --left;
  }
  channel.pc -= jump;
  return Step::jumped;
}

Pl330::Step Pl330::move(unsigned number, unsigned target, std::uint32_t value) {
  Channel& channel = channels_[number];
  constexpr std::uint32_t kSizeMask = 7;
  switch (target) {
    case 0: channel.sar = value; return Step::done;
    case 1:
      if (value >> kSwap != 0 || (value >> (kSource + 1U) & kSizeMask) > kMostSize ||
          (value >> (kDestination + 1U) & kSizeMask) > kMostSize)
        return fail(number, kOperand);
      channel.ccr = value;
      return Step::done;
    case 2: channel.dar = value; return Step::done;
    default: return fail(number, kOperand);
  }
}

// ------------------------------------------------------------------------- events and peripherals

/// Of a thread's access to an event; 0: it may.
std::uint32_t Pl330::event_fault(bool nonsecure, unsigned event) {
  if (event >= kEvents) return kOperand;
  return nonsecure ? kEvent : 0;
}

std::uint32_t Pl330::peripheral_fault(const Channel& channel, unsigned peripheral) {
  if (peripheral >= kPeripherals) return kOperand;
  return channel.nonsecure ? kPeripheral : 0;
}

/// As an interrupt, or to all channels that wait for it; else it stays for the first one that does.
void Pl330::signal(unsigned event) {
  const std::uint32_t bit = 1U << event;
  bool waited = false;
  if ((enabled_ & bit) == 0) {
    for (Channel& channel : channels_) {
      if (channel.state != State::waiting_for_event || channel.waits_for != event) continue;
      channel.state = State::executing;
      waited = true;
    }
  }
  if (!waited) raised_ |= bit;
}

Pl330::Step Pl330::wait_for_event(unsigned number, std::uint8_t operand) {
  Channel& channel = channels_[number];
  const unsigned event = operand >> kOperandShift;
  if (const auto fault = event_fault(channel.nonsecure, event)) return fail(number, fault);
  release_lock(number);
  if ((operand & kInvalidate) != 0) drop_lines(number);
  const std::uint32_t bit = 1U << event;
  if ((raised_ & ~enabled_ & bit) != 0) {
    raised_ &= ~bit;
  } else {
    channel.waits_for = event;
    channel.state = State::waiting_for_event;
  }
  return Step::done;
}

Pl330::Step Pl330::wait_for_peripheral(unsigned number, std::uint8_t opcode, unsigned peripheral) {
  Channel& channel = channels_[number];
  if (const auto fault = peripheral_fault(channel, peripheral)) return fail(number, fault);
  release_lock(number);
  channel.waits_for = peripheral;
  channel.waits_for_burst = (opcode & kBurst) != 0;
  channel.waits_for_any = (opcode & kAnyRequest) != 0;
  channel.state = State::waiting_for_peripheral;
  grant(channel);
  return Step::done;
}

/// A channel that waits for a peripheral goes on if that has asked for what it waits for.
void Pl330::grant(Channel& channel) {
  if (channel.state != State::waiting_for_peripheral) return;
  Request& request = requests_[channel.waits_for];
  if (!request.pending || (channel.waits_for_burst && !request.burst)) return;
  request.pending = false;
  channel.burst = channel.waits_for_any ? request.burst : channel.waits_for_burst;
  channel.last = request.last;
  channel.state = State::executing;
}

void Pl330::request(unsigned peripheral, bool burst, bool last) {
  requests_.at(peripheral) = {.pending = true, .burst = burst, .last = last};
  for (Channel& channel : channels_)
    if (channel.waits_for == peripheral) grant(channel);
  update_outputs();
}

// -------------------------------------------------------------------------------- debug registers

void Pl330::perform_debug() {
  Code code{};
  for (unsigned byte = 0; byte < code.size(); ++byte)
    code[byte] = static_cast<std::uint8_t>(byte < 2 ? debug_[0] >> (16U + 8U * byte)
                                                    : debug_[1] >> 8U * (byte - 2U));
  const unsigned event = code[1] >> kOperandShift;
  if ((debug_[0] & 1U) != 0) {
    const unsigned number = debug_[0] >> 8U & 7U;
    Channel& channel = channels_[number];
    if (code[0] == kKill) {
      if (channel.state == State::stopped) return;
      drop(number);
      channel.state = State::killing;
    } else if (code[0] != kSev) {
      abort(number, kUndefined | kDebug);
    } else if (const auto fault = event_fault(channel.nonsecure, event)) {
      abort(number, fault | kDebug);
    } else {
      signal(event);
    }
    return;
  }
  if (code[0] == kKill) {
    manager_fault_ = 0;
  } else if (manager_fault_ != 0) {
    return;  // until it is killed
  } else if ((code[0] & ~kNonSecure) == kGo) {
    go(code);
  } else if (code[0] != kSev) {
    manager_fault_ = kUndefined | kDebug;
  } else if (const auto fault = event_fault(false, event)) {
    manager_fault_ = fault | kDebug;
  } else {
    signal(event);
  }
}

void Pl330::go(const Code& code) {
  Channel& channel = channels_[code[1] & 7U];
  if (channel.state != State::stopped) return;  // as DMANOP
  channel.pc = word_at(&code[2]);
  channel.nonsecure = (code[0] & kNonSecure) != 0;
  channel.burst = channel.last = false;
  channel.fault = 0;
  channel.state = State::executing;
}

}  // namespace sluice::model
