// SPDX-License-Identifier: Apache-2.0
#include "sluice/cosim/pl_board.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "sluice/sim/control_port.hpp"
#include "sluice/sim/design.hpp"
#include "sluice/sim/transaction_board.hpp"

namespace sluice::cosim {
namespace {

constexpr uint64_t kPsPerNs = 1000;
constexpr uint64_t kWordBytes = 4;
constexpr uint64_t kPeekBytes = 8;

constexpr uint64_t mask(unsigned lines) { return (uint64_t{1} << lines) - 1; }

uint64_t on_the_wire(uint64_t lines) {
  return (lines & mask(SLUICE_PL_LOGIC_LINES)) |
         (lines >> sim::LogicBoard::kDmacLine & mask(SLUICE_PL_DMAC_LINES))
             << SLUICE_PL_LOGIC_LINES;
}

uint64_t ns_up(uint64_t ps) { return (ps + kPsPerNs - 1) / kPsPerNs; }

// Where an access lies, in the control space or the controller's registers, and which bytes of the
// word it is.
struct Place {
  bool to_dmac;
  uint32_t offset;  // of the word
  uint32_t shift;   // bits to the first byte
  uint8_t enables;
};

bool find(const sluice_pl_request& request, bool has_logic, Place& place) {
  if (!std::has_single_bit(request.size) || request.size > kWordBytes)
    throw std::invalid_argument("an access of " + std::to_string(request.size) + " bytes");
  const uint64_t of_dmac = request.address - PlBoard::kDmacBase;
  const bool to_dmac = of_dmac < model::Pl330::kRegisterBytes;
  const uint64_t offset = to_dmac ? of_dmac : request.address - PlBoard::kControlBase;
  const uint64_t byte = request.address % kWordBytes;
  if ((!to_dmac && (!has_logic || offset >= sim::kControlSpaceBytes)) ||
      byte + request.size > kWordBytes)
    return false;
  place = {.to_dmac = to_dmac,
           .offset = static_cast<uint32_t>(offset - byte),
           .shift = static_cast<uint32_t>(8 * byte),
           .enables = static_cast<uint8_t>(((1U << request.size) - 1U) << byte)};
  return true;
}

}  // namespace

PlBoard::PlBoard(sim::LogicBoard& board, bool has_logic, Say say)
    : board_(board),
      has_logic_(has_logic),
      say_(std::move(say)),
      on_chip_(*board.on_chip_memory()),
      latency_(board.control_latency()) {
  board_.observe_interrupts([this](uint64_t time_ps, uint64_t lines) {
    const sluice_pl_change change{.time_ns = ns_up(time_ps), .lines = on_the_wire(lines)};
    // More than a reply holds: what the lines are at last is what counts.
    if (changes_.size() == SLUICE_PL_CHANGES)
      changes_.back() = change;
    else
      changes_.push_back(change);
  });
}

sluice_pl_hello PlBoard::hello() {
  const uint64_t lookahead_ps = std::min(latency_.write_ps, latency_.read_ps / 2);
  return {.greeting = SLUICE_PL_GREETING,
          .version = SLUICE_PL_VERSION,
          .lookahead_ns = static_cast<uint32_t>(lookahead_ps / kPsPerNs),
          .memory_bytes = board_.memory().size_bytes(),
          .windows = {{.base = kControlBase, .bytes = has_logic_ ? sim::kControlSpaceBytes : 0},
                      {},
                      {.base = kDmacBase, .bytes = model::Pl330::kRegisterBytes}},
          .on_chip = {.base = on_chip_.base(), .bytes = on_chip_.size_bytes()},
          .process = static_cast<uint32_t>(::getpid()),
          .on_chip_file = static_cast<uint32_t>(on_chip_.file()),
          .processor = {}};
}

sluice_pl_reply PlBoard::answer(const sluice_pl_request& request) {
  if (request.time_ns > sim::LogicBoard::kLatestPs / kPsPerNs)
    throw std::runtime_error("the machine's clock has passed the 5 hours that a board can count");
  sluice_pl_reply reply{};
  reply.time_ns = request.time_ns;
  switch (request.kind) {
    case SLUICE_PL_PEEK: peek(request.address, reply); break;
    case SLUICE_PL_READ: read(request, reply); break;
    case SLUICE_PL_WRITE: write(request, reply); break;
    case SLUICE_PL_RUN: run_to(request.time_ns * kPsPerNs, true); break;
    default: throw std::invalid_argument("a request of kind " + std::to_string(request.kind));
  }
  reply.board_ns = ns_up(posted_ ? board_.now_ps() : board_.quiet_until_ps());
  reply.busy = posted_.has_value() || !board_.at_rest();
  reply.changes = static_cast<uint32_t>(changes_.size());
  std::ranges::copy(changes_, reply.change);
  changes_.clear();
  return reply;
}

void PlBoard::peek(uint64_t address, sluice_pl_reply& reply) {
  for (model::Memory* memory : {&board_.memory(), &on_chip_}) {
    if (!memory->contains(address, kPeekBytes)) continue;
    std::memcpy(&reply.value, memory->host(address, kPeekBytes), kPeekBytes);
    return;
  }
  reply.status = SLUICE_PL_DECERR;
}

void PlBoard::read(const sluice_pl_request& request, sluice_pl_reply& reply) {
  finish_write();
  const uint64_t start_ps = std::max(request.time_ns * kPsPerNs, answered_ps_);
  run_to(start_ps + latency_.read_ps / 2, false);
  Place place{};
  if (!find(request, has_logic_, place)) {
    reply.status = SLUICE_PL_DECERR;
  } else if (place.to_dmac) {
    reply.value = board_.read_dmac(place.offset) >> place.shift;
  } else {
    try {
      reply.value = board_.read_register(place.offset) >> place.shift;
    } catch (const sim::BusError&) {
      reply.status = SLUICE_PL_SLVERR;
    } catch (const sim::NoRegister&) {
      name_absent(place.offset);
      reply.status = SLUICE_PL_SLVERR;
    }
  }
  reply.time_ns = ns_up(board_.now_ps() + latency_.read_ps / 2);
}

// A program that reads them all names the first ones only.
void PlBoard::name_absent(uint32_t offset) {
  if (!say_ || absent_.size() == kMostNamed || !absent_.insert(offset).second) return;
  char text[96];
  std::snprintf(text, sizeof text,
                "the transaction level has no register at 0x%05x; reads there return 0", offset);
  say_(text);
}

void PlBoard::write(const sluice_pl_request& request, sluice_pl_reply& reply) {
  finish_write();
  const uint64_t start_ps = std::max(request.time_ns * kPsPerNs, answered_ps_);
  reply.time_ns = ns_up(start_ps);
  Place place{};
  if (!find(request, has_logic_, place)) {
    reply.status = SLUICE_PL_DECERR;
    return;
  }
  posted_ = {.arrives_ps = start_ps + latency_.write_ps,
             .to_dmac = place.to_dmac,
             .offset = place.offset,
             .value = static_cast<uint32_t>(request.value) << place.shift,
             .enables = place.enables};
}

void PlBoard::run_to(uint64_t time_ps, bool to_change) {
  const auto run = [&](uint64_t until_ps) {
    if (to_change)
      board_.run_until_change(until_ps);
    else
      board_.run_until(until_ps);
  };
  if (posted_ && posted_->arrives_ps <= time_ps) {
    run(posted_->arrives_ps);
    if (board_.now_ps() < posted_->arrives_ps) return;
    finish_write();
    if (to_change && !changes_.empty()) return;
  }
  run(time_ps);
}

void PlBoard::finish_write() {
  if (!posted_) return;
  const Write write = *posted_;
  posted_.reset();
  board_.run_until(write.arrives_ps);
  if (write.to_dmac) {
    // A part of a register: the other bytes as the bus carries them (APB has no enables).
    board_.write_dmac(write.offset, write.value);
    answered_ps_ = board_.now_ps();
    return;
  }
  try {
    board_.write_register(write.offset, write.value, write.enables);
  } catch (const sim::BusError&) {
    // Nobody waits for the answer of a posted write; the processor would take it for an imprecise
    // abort, which the virtual machine has not.
  }
  answered_ps_ = board_.now_ps();
}

}  // namespace sluice::cosim
