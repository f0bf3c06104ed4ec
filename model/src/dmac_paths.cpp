// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/dmac_paths.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace sluice::model {

namespace {
constexpr std::uint64_t kGpBytes = 1ULL << 30U;
constexpr std::uint64_t kGp0Base = 0x4000'0000;
constexpr std::uint64_t kGp1Base = kGp0Base + kGpBytes;
constexpr std::uint64_t kWordMask = 7;
constexpr std::uint64_t kPending = ~std::uint64_t{0};

FindBytes nothing() {
  return [](std::uint64_t, std::uint64_t) -> std::uint8_t* { return nullptr; };
}

/// Its bursts on the way to a memory: eight of a direction (CRD: rd_cap, wr_cap).
AfiParams memory_port() {
  AfiParams afi{};
  afi.read_command_depth = 1;
  afi.write_command_depth = 1;
  afi.read_issue_capability = 7;
  afi.write_issue_capability = 7;
  // The controller gives a word of a burst each cycle; its MFIFO is what holds the others.
  afi.whole_writes = false;
  afi.write_fifo_words = 256;
  return afi;
}
}  // namespace

// ------------------------------------------------------------------------------------- DmacTarget

std::uint64_t DmacTarget::word_ps(const AfiBurst& burst) const {
  return std::max(burst.size_bytes / timing_.beat_bytes, 1U) * timing_.cycle_ps;
}

// At the target's own clock.
std::uint64_t DmacTarget::edge_ps(std::uint64_t now_ps) const {
  return (now_ps + timing_.cycle_ps - 1U) / timing_.cycle_ps * timing_.cycle_ps;
}

std::uint8_t* DmacTarget::find(const AfiBurst& burst) const {
  const std::uint64_t first = burst.address & ~kWordMask;
  return find_(first, ((burst.end() + kWordMask) & ~kWordMask) - first);
}

void DmacTarget::read(const AfiBurst& burst, unsigned tag, std::uint64_t now_ps) {
  const std::uint64_t start = std::max(edge_ps(now_ps) + latency_ps(), read_free_ps_);
  read_free_ps_ = start + burst.words * word_ps(burst);
  reads_.push_back({burst, tag, find(burst), start + word_ps(burst), 0});
}

DmacTarget::Word DmacTarget::take_word() {
  Read& read = reads_.front();
  Word word{read.tag, 0, Response::okay, false};
  const std::uint64_t from = read.burst.address & ~kWordMask;
  const std::uint64_t at = read.burst.beat_address(read.taken) & ~kWordMask;
  if (read.bytes != nullptr)
    std::memcpy(&word.data, read.bytes + (at - from), sizeof word.data);
  else
    word.response = Response::decerr;
  read.next_ps += word_ps(read.burst);
  word.last = ++read.taken == read.burst.words;
  if (word.last) reads_.pop_front();
  return word;
}

void DmacTarget::write(const AfiBurst& burst, unsigned tag, std::uint64_t now_ps) {
  write_free_ps_ = std::max(edge_ps(now_ps), write_free_ps_);
  writes_.push_back({burst, tag, find(burst), 0, kPending});
}

void DmacTarget::put_word(std::uint64_t data, std::uint8_t strobe, std::uint64_t now_ps) {
  Write& write = writes_.back();
  if (write.bytes != nullptr) {
    const std::uint64_t from = write.burst.address & ~kWordMask;
    const std::uint64_t at = write.burst.beat_address(write.put) & ~kWordMask;
    for (unsigned lane = 0; lane < sizeof data; ++lane)
      if ((strobe >> lane & 1U) != 0)
        write.bytes[at - from + lane] = static_cast<std::uint8_t>(data >> (8U * lane));
  }
  write_free_ps_ = std::max(write_free_ps_, edge_ps(now_ps)) + word_ps(write.burst);
  if (++write.put == write.burst.words) write.answer_ps = write_free_ps_ + latency_ps();
}

DmacTarget::Answer DmacTarget::take_answer() {
  const Write& write = writes_.front();
  const Answer answer{write.tag, write.bytes != nullptr ? Response::okay : Response::decerr};
  writes_.pop_front();
  return answer;
}

// -------------------------------------------------------------------------------------- DmacPaths

DmacPaths::DmacPaths(const DmacParams& params, std::uint64_t cycle_ps, Memory& memory,
                     OcmMemory& on_chip)
    : params_(params),
      memory_(memory),
      on_chip_(on_chip),
      ports_{Port{AfiPort(memory_port(), memory), {}, {}},
             Port{AfiPort(memory_port(), memory, &on_chip), {}, {}}},
      targets_{DmacTarget({cycle_ps, 8, 1}, nothing()), DmacTarget({cycle_ps, 8, 1}, nothing()),
               DmacTarget({cycle_ps, 8, 1}, nothing())} {}

void DmacPaths::attach_logic(std::uint64_t cycle_ps, FindBytes find) {
  constexpr std::uint32_t kPortBytes = 4;
  const DmacTarget::Timing timing{cycle_ps, kPortBytes, params_.gp_latency_cycles};
  targets_[kGp0] = DmacTarget(timing, find);
  targets_[kGp1] = DmacTarget(timing, std::move(find));
}

DmacTarget& DmacPaths::target_of(std::uint64_t address) {
  if (address >= kGp0Base && address < kGp1Base) return targets_[kGp0];
  if (address >= kGp1Base && address < kGp1Base + kGpBytes) return targets_[kGp1];
  return targets_[kNowhere];
}

void DmacPaths::read(const AfiBurst& burst, unsigned tag, std::uint64_t now_ps) {
  const unsigned port = port_of(burst);
  if (port == kPorts) {
    target_of(burst.address).read(burst, tag, now_ps);
    return;
  }
  ports_[port].afi.pl_read(burst);
  ports_[port].reads.push_back(tag);
}

std::optional<DmacPaths::Word> DmacPaths::take_word(std::uint64_t now_ps) {
  for (unsigned step = 1; step <= kWays; ++step) {
    const unsigned turn = (read_turn_ + step) % kWays;
    if (turn < kTargets) {
      if (!targets_[turn].word_due(now_ps)) continue;
      read_turn_ = turn;
      return targets_[turn].take_word();
    }
    Port& port = ports_[turn - kTargets];
    if (!port.afi.pl_read_word_available()) continue;
    read_turn_ = turn;
    const AfiPort::ReadWord word = port.afi.pl_take_read_word();
    const unsigned tag = port.reads.front();
    if (word.last) port.reads.pop_front();
    return Word{tag, word.data, word.response, word.last};
  }
  return {};
}

void DmacPaths::write(const AfiBurst& burst, unsigned tag, std::uint64_t now_ps) {
  writing_port_ = port_of(burst);
  if (writing_port_ == kPorts) {
    writing_ = &target_of(burst.address);
    writing_->write(burst, tag, now_ps);
    return;
  }
  ports_[writing_port_].afi.pl_write(burst);
  ports_[writing_port_].writes.push_back(tag);
}

bool DmacPaths::word_room(std::uint64_t now_ps) const {
  return writing_port_ == kPorts ? writing_->word_room(now_ps)
                                 : ports_[writing_port_].afi.pl_write_word_room();
}

void DmacPaths::put_word(std::uint64_t data, std::uint8_t strobe, std::uint64_t now_ps) {
  if (writing_port_ == kPorts)
    writing_->put_word(data, strobe, now_ps);
  else
    ports_[writing_port_].afi.pl_put_write_word(data, strobe);
}

std::optional<DmacPaths::Answer> DmacPaths::take_answer(std::uint64_t now_ps) {
  for (unsigned step = 1; step <= kWays; ++step) {
    const unsigned turn = (answer_turn_ + step) % kWays;
    if (turn < kTargets) {
      if (!targets_[turn].answer_due(now_ps)) continue;
      answer_turn_ = turn;
      return targets_[turn].take_answer();
    }
    Port& port = ports_[turn - kTargets];
    if (!port.afi.pl_response_available()) continue;
    answer_turn_ = turn;
    const unsigned tag = port.writes.front();
    port.writes.pop_front();
    return Answer{tag, port.afi.pl_take_response()};
  }
  return {};
}

bool DmacPaths::idle() const {
  return std::ranges::all_of(ports_, [](const Port& port) { return port.afi.idle(); }) &&
         std::ranges::all_of(targets_, [](const DmacTarget& target) { return target.idle(); });
}

}  // namespace sluice::model
