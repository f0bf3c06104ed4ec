// SPDX-License-Identifier: Apache-2.0
#include "card_fetch.hpp"

#include <sl_xdma_desc.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace sluice::sim {
namespace {

// Parameters of sl_xdma_fetch.
constexpr uint32_t kDepth = 128;
constexpr uint32_t kReadDescriptors = 16;
constexpr uint32_t kDescriptorBytes = SL_XDMA_DESC_WINDOW;
constexpr uint32_t kReadBytes = kReadDescriptors * kDescriptorBytes;
constexpr size_t kOutput = 2;  // descriptors in its slice
constexpr uint32_t kMostCredits = 1023;
constexpr uint32_t kCommands = 16;      // a power of two, more than are ever out
constexpr uint64_t kBufferBeats = 128;  // of its mover
constexpr size_t kQueue = 8;            // commands of its mover, beside the one at work

// Cycles of the logic, as traced on the RTL at the pins of the host's port
// (lib/tests/card_levels_test.cpp holds them):
constexpr uint64_t kStartCycles = 5;    // RUN, or a credit, to the address of a read
constexpr uint64_t kReadyCycles = 4;    // last beat to a descriptor that can begin
constexpr uint64_t kBlockCycles = 8;    // last beat to the address of a read of the next block
constexpr uint64_t kAddressCycles = 2;  // between two addresses
constexpr uint64_t kOutputCycles = 3;   // one that can begin to the address of a read in its place

template <typename T>
T word(const uint8_t* bytes, uint32_t offset) {
  T value;
  std::memcpy(&value, bytes + offset, sizeof value);
  return value;
}

}  // namespace

CardFetch::CardFetch(HostPort& host, HostPort::Reader reader, unsigned width_bytes)
    : host_(host),
      reader_(reader),
      width_(width_bytes),
      reads_(std::max<size_t>(kBufferBeats * width_bytes / kReadBytes, kQueue), kBufferBeats,
             kReadBytes / width_bytes),
      buffer_(kCommands * kReadBytes) {}

void CardFetch::start(uint64_t cycle, uint64_t first, uint32_t adjacent) {
  running_ = true;
  ended_ = false;
  address_ = first;
  left_ = adjacent + 1;
  room_ = kDepth;
  reads_.clear();
  not_before(cycle + kStartCycles);
}

void CardFetch::stop() {
  running_ = false;
  ready_.clear();
  for (Command& command : commands_) command.dropped = true;
  // What was not asked for is not waited for.
  for (const Piece& piece : pieces_) commands_.back().beats -= beats_of(piece);
  if (!pieces_.empty() && commands_.back().beats == 0) commands_.pop_back();
  pieces_.clear();
}

void CardFetch::add_credits(uint64_t cycle, uint32_t credits) {
  if (!credit_mode_) return;
  credits = std::min(credits, kMostCredits - credits_);
  credits_ += credits;
  fresh_.push_back({cycle + kStartCycles, credits});
}

void CardFetch::clear_credits() {
  credits_ = 0;
  fresh_.clear();
}

// Those that a command can take. The others come from fresh_.front() on.
uint32_t CardFetch::ripe_credits(uint64_t cycle) {
  while (!fresh_.empty() && fresh_.front().from <= cycle) fresh_.pop_front();
  uint32_t ripe = credits_;
  for (const Credits& fresh : fresh_) ripe -= fresh.count;
  return ripe;
}

void CardFetch::set_credit_mode(bool on) {
  credit_mode_ = on;
  if (!on) clear_credits();
}

void CardFetch::stall(uint64_t cycle, bool& reason, bool on) {
  if (reason && !on) not_before(cycle + kStartCycles);
  reason = on;
}

uint32_t CardFetch::room() const {
  return room_ + static_cast<uint32_t>(std::min(ready_.size(), kOutput));
}

void CardFetch::pop(uint64_t cycle) {
  const bool full = room() < kReadDescriptors;
  ready_.pop_front();
  ++room_;
  if (full && room() >= kReadDescriptors) not_before(cycle + kStartCycles);
}

void CardFetch::push(const CardDescriptor& descriptor) {
  const bool full = room() < kReadDescriptors;
  ready_.push_back(descriptor);
  if (full && room() >= kReadDescriptors) not_before(descriptor.ready + kOutputCycles);
}

void CardFetch::bytes(uint64_t place, std::span<const uint8_t> data) {
  std::memcpy(buffer_.data() + place, data.data(), data.size());
}

void CardFetch::beats(uint64_t cycle, uint32_t count, bool last, model::Response status) {
  Command& command = commands_.front();
  if (last) reads_.end(cycle + count - 1);
  if (!command.dropped) reads_.leave(cycle, count);
  if (command.status == model::Response::okay) command.status = status;
  command.beats -= count;
  // A descriptor leaves the mover a cycle, or a beat of one.
  uint32_t leave = count;
  const uint32_t skew = std::exchange(command.skew, 0);
  if (width_ > kDescriptorBytes) {
    leave = command.beats == 0 ? command.left : std::min(command.left, 2 * (count - skew));
    command.left -= leave;
  }
  given_ = std::max(given_, cycle + skew) + leave;
  if (command.beats != 0) return;
  // Where a beat has two, the width converter holds the last one a cycle longer.
  if (!command.dropped) finish(command, given_ - (width_ > kDescriptorBytes ? 0 : 1));
  commands_.pop_front();
}

// Its last beat was given in `cycle`.
void CardFetch::finish(const Command& command, uint64_t cycle) {
  const uint64_t ready = cycle + kReadyCycles;
  if (ended_) return;
  if (command.status != model::Response::okay) {
    ended_ = true;
    const bool nothing = command.status == model::Response::decerr;
    push({.kind = nothing ? CardDescriptor::Kind::decerr : CardDescriptor::Kind::slverr,
          .ready = ready});
    return;
  }
  uint32_t control = 0;
  uint64_t following = 0;
  for (uint32_t i = 0; i < command.count; ++i) {
    const uint8_t* bytes = buffer_.data() + command.place + uint64_t{i} * kDescriptorBytes;
    control = word<uint32_t>(bytes, SL_XDMA_DESC_CONTROL_OFFSET);
    following = word<uint64_t>(bytes, SL_XDMA_DESC_NEXT_LO_OFFSET);
    CardDescriptor descriptor{
        .control = control,
        .bytes = word<uint32_t>(bytes, SL_XDMA_DESC_LENGTH_OFFSET) & SL_XDMA_DESC_LENGTH_BYTES_MASK,
        .source = word<uint64_t>(bytes, SL_XDMA_DESC_SOURCE_LO_OFFSET),
        .destination = word<uint64_t>(bytes, SL_XDMA_DESC_DESTINATION_LO_OFFSET),
        .ready = ready + i};
    const bool magic =
        ((control ^ SL_XDMA_DESC_CONTROL_DEFAULT) & SL_XDMA_DESC_CONTROL_MAGIC_MASK) == 0;
    if (!magic)
      descriptor.kind = CardDescriptor::Kind::magic;
    else if (descriptor.bytes == 0)
      descriptor.kind = CardDescriptor::Kind::length;
    push(descriptor);
    if (!magic || (control & SL_XDMA_DESC_CONTROL_STOP_MASK) != 0) {
      ended_ = true;
      return;
    }
  }
  if (!command.ends_block) return;
  left_ = 1 + ((control & SL_XDMA_DESC_CONTROL_NEXT_ADJACENT_MASK) >>
               SL_XDMA_DESC_CONTROL_NEXT_ADJACENT_SHIFT) %
                  64;
  address_ = following & ~uint64_t{kDescriptorBytes - 1};
  not_before(cycle + kBlockCycles);
}

void CardFetch::command(uint64_t cycle) {
  uint32_t count = std::min(left_, kReadDescriptors);
  if (credit_mode_) count = std::min(count, ripe_credits(cycle));
  if (count == 0 || room() < kReadDescriptors || held_ || halted_ || ended_ ||
      commands_.size() > kQueue)
    return;
  const uint64_t place = commanded_++ % kCommands * kReadBytes;
  commands_.push_back(
      {.count = count, .left = count, .ends_block = count == left_, .place = place, .beats = 0});
  const uint32_t bytes = count * kDescriptorBytes;
  for (uint32_t done = 0; done < bytes;) {
    const uint64_t address = address_ + done;
    const auto room = static_cast<uint32_t>(kReadBytes - address % kReadBytes);
    const Piece piece{address, std::min(bytes - done, room), place + done};
    pieces_.push_back(piece);
    commands_.back().beats += beats_of(piece);
    done += piece.bytes;
  }
  // Where they begin inside a beat, the upper half of each waits for the next one.
  if (address_ % width_ != 0 && commands_.back().beats > 1) commands_.back().skew = 1;
  address_ += bytes;
  left_ -= count;
  room_ -= count;
  if (credit_mode_) credits_ -= count;
}

bool CardFetch::step(uint64_t cycle) {
  next_ = kNever;
  if (!running_) return false;
  const uint64_t from = pieces_.empty() ? std::max(address_from_, command_from_) : address_from_;
  if (from > cycle) {
    next_ = from;
    return false;
  }
  if (pieces_.empty()) command(cycle);
  if (pieces_.empty()) {
    if (!fresh_.empty()) next_ = fresh_.front().from;
    return false;
  }
  if (const uint64_t window = reads_.from(cycle); window > cycle) {
    next_ = window;
    return false;
  }
  if (!host_.takes(reader_, cycle)) {
    next_ = host_.read_from();
    return false;
  }
  const Piece piece = pieces_.front();
  pieces_.pop_front();
  address_from_ = next_ = cycle + kAddressCycles;
  reads_.request(beats_of(piece));
  host_.read(reader_, cycle, piece.address, piece.bytes, piece.place);
  return true;
}

}  // namespace sluice::sim
