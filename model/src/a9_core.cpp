// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/a9_core.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace sluice::model {

namespace {
constexpr std::uint32_t kWordBytes = 8;
constexpr std::uint32_t kLineWords = Pl310::kLineBytes / kWordBytes;
constexpr std::uint32_t kLevels = 2;  // of the translation tables
constexpr std::uint64_t kFirstLevelBytes = 16384;

const A9Params& checked(const A9Params& p) {
  if (p.linefill_buffers == 0 || p.linefill_buffers > 8 || p.eviction_buffers != 1 ||
      p.store_buffer == 0 || p.cycle_ps == 0) {
    throw std::invalid_argument(
        "a9: 1 to 8 linefill buffers, 1 eviction buffer, a store buffer and a clock");
  }
  return p;
}
}  // namespace

A9Core::A9Core(const A9Params& params, std::uint64_t tables, Pl310& l2)
    : params_(checked(params)),
      tables_(tables),
      l2_(l2),
      l1_(params.cache_bytes / Pl310::kLineBytes / params.cache_ways, params.cache_ways,
          Replacement::pseudo_random),  // UG585 3.2.2
      micro_tlb_(1, params.micro_tlb_entries, Replacement::round_robin),
      main_tlb_(params.main_tlb_entries / params.main_tlb_ways, params.main_tlb_ways,
                Replacement::round_robin),
      stores_(std::bit_ceil(params.store_buffer)) {}

void A9Core::start(const CpuProgram& program, std::uint64_t time_ps) {
  if (running_) throw std::logic_error("a9: a program runs already");
  const bool chase = program.kind == CpuProgram::Kind::chase;
  if (program.bytes == 0 || program.bytes % Pl310::kLineBytes != 0 ||
      program.source % Pl310::kLineBytes != 0 || program.destination % Pl310::kLineBytes != 0) {
    throw std::invalid_argument("a9: addresses and lengths must be multiples of 32 bytes");
  }
  if (chase && (program.stride == 0 || program.stride % kWordBytes != 0 ||
                program.bytes % program.stride != 0 ||
                !std::has_single_bit(program.bytes / program.stride) || program.loads == 0)) {
    throw std::invalid_argument("a9: a chase needs loads, and a power of two of slots");
  }
  program_ = program;
  running_ = true;
  time_ps_ = std::max(time_ps, time_ps_);
  op_ = 0;
  copied_before_ = 0;
  slot_ = 0;
  const std::uint64_t words = program.bytes / kWordBytes;
  ops_ = chase ? program.loads : program.kind == CpuProgram::Kind::copy ? 2U * words : words;
  registers_ = {};
  blocked_on_ = {};
}

std::uint64_t A9Core::when(const Value& value) const {
  if (value.serial == 0) return value.ps;
  const Linefill& fill = linefills_[value.slot];
  // A linefill that has left came before now.
  if (!fill.used || fill.serial != value.serial) return value.ps;
  return fill.ready_ps == kNever ? kNever : std::max(value.ps, fill.ready_ps);
}

void A9Core::release_linefills() {
  for (Linefill& fill : linefills_) {
    if (!fill.used || fill.ready_ps == kNever || time_ps_ < fill.ready_ps + cycles(kLineWords - 1U))
      continue;
    // A victim that finds no room holds the linefill.
    const SetCache::Victim victim = l1_.insert(fill.line, false);
    if (victim.dirty) {
      ++counts_.l1_evictions;
      if (!l2_.write(victim.key * Pl310::kLineBytes, true)) {
        --counts_.l1_evictions;
        (void)l1_.invalidate(fill.line);
        (void)l1_.insert(victim.key, true);
        continue;
      }
    }
    fill.used = false;
  }
}

bool A9Core::wait_for_linefill() {
  std::uint64_t soonest = kNever;
  for (const Linefill& fill : linefills_)
    if (fill.used && fill.ready_ps != kNever)
      soonest = std::min(soonest, fill.ready_ps + cycles(kLineWords - 1U));
  if (soonest == kNever) return false;
  // If that has passed, the linefill waits for room for its victim.
  const bool ahead = soonest > time_ps_;
  wait_until(ahead ? soonest : now_ps_);
  return ahead;
}

bool A9Core::fetch(std::uint64_t address, std::uint32_t& slot) {
  release_linefills();
  const std::uint64_t line = address / Pl310::kLineBytes;
  slot = kMaxLinefills;
  if (l1_.contains(line)) {
    ++counts_.l1_hits;
    return true;
  }
  for (slot = 0; slot < params_.linefill_buffers; ++slot)
    if (linefills_[slot].used && linefills_[slot].line == line) return true;
  for (slot = 0; slot < params_.linefill_buffers; ++slot) {
    Linefill& fill = linefills_[slot];
    if (fill.used) continue;
    if (!l2_.read({.source = 0, .address = address}, time_ps_, fill.ready_ps)) {
      wait_until(now_ps_);
      return false;
    }
    ++counts_.l1_misses;
    fill.used = true;
    fill.line = line;
    fill.serial = ++serial_;
    return true;
  }
  return wait_for_linefill() && fetch(address, slot);
}

bool A9Core::walk(std::uint64_t page) {
  while (walk_level_ < kLevels) {
    if (blocked_on_.serial == 0) {
      const std::uint64_t mib = page * params_.page_bytes >> 20U;
      const std::uint64_t descriptor = walk_level_ == 0
                                           ? tables_ + mib * 4U
                                           : tables_ + kFirstLevelBytes + page * 4U;  // 1 KiB a MiB
      std::uint32_t slot = 0;
      if (!fetch(descriptor, slot)) return false;
      if (slot != kMaxLinefills) blocked_on_ = {time_ps_, slot, linefills_[slot].serial};
    }
    const std::uint64_t ready_ps = blocked_on_.serial == 0 ? time_ps_ : when(blocked_on_);
    if (ready_ps == kNever) return false;
    wait_until(ready_ps + cycles(params_.load_use_cycles));
    blocked_on_ = {};
    ++walk_level_;
  }
  walk_level_ = 0;
  return true;
}

bool A9Core::translate(std::uint64_t address) {
  const std::uint64_t page = address / params_.page_bytes;
  if (micro_tlb_.contains(page)) return true;
  if (!micro_charged_) {
    ++counts_.micro_tlb_misses;
    time_ps_ += params_.micro_tlb_miss_ps;
    micro_charged_ = true;
  }
  if (!main_tlb_.contains(page)) {
    if (!walk(page)) return false;
    ++counts_.main_tlb_misses;
    (void)main_tlb_.insert(page, false);
  }
  micro_charged_ = false;
  (void)micro_tlb_.insert(page, false);
  return true;
}

bool A9Core::load_uncached(std::uint64_t address, Value& value) {
  if (!uncached_asked_) {
    if (!l2_.read({.source = 0, .address = address, .cacheable = false}, time_ps_, uncached_ps_)) {
      wait_until(now_ps_);
      return false;
    }
    uncached_asked_ = true;
  }
  if (uncached_ps_ == kNever) return false;
  wait_until(uncached_ps_ + cycles(params_.load_use_cycles));
  value = {time_ps_, 0, 0};
  uncached_asked_ = false;
  ++counts_.loads;
  return true;
}

bool A9Core::load(std::uint64_t address, Value& value) {
  if (!translate(address)) return false;
  if (!program_.cached) return load_uncached(address, value);
  std::uint32_t slot = 0;
  if (!fetch(address, slot)) return false;
  ++counts_.loads;
  value = slot == kMaxLinefills ? Value{time_ps_, 0, 0}
                                : Value{time_ps_, slot, linefills_[slot].serial};
  return true;
}

void A9Core::drain() {
  for (; !stores_.empty(); stores_.pop()) {
    const Store& oldest = stores_.front();
    const std::uint64_t value_ps = when(oldest.value);
    drain_due_ps_ = kNever;
    if (value_ps == kNever) return;
    const std::uint64_t due_ps = std::max({oldest.issued_ps, value_ps, drain_free_ps_});
    if (due_ps > time_ps_) {
      drain_due_ps_ = due_ps;
      return;
    }
    release_linefills();
    if (l1_.mark_dirty(oldest.line)) {
      drain_free_ps_ = due_ps + cycles(1);
      continue;
    }
    const auto on_its_way = std::ranges::find_if(
        linefills_, [&](const Linefill& fill) { return fill.used && fill.line == oldest.line; });
    if (on_its_way != linefills_.end()) {
      if (on_its_way->ready_ps == kNever) return;
      const std::uint64_t here_ps = on_its_way->ready_ps + cycles(kLineWords - 1U);
      if (here_ps > time_ps_) drain_due_ps_ = here_ps;
      return;
    }
    const auto free =
        std::find_if(linefills_.begin(), linefills_.begin() + params_.linefill_buffers,
                     [](const Linefill& fill) { return !fill.used; });
    if (free == linefills_.begin() + params_.linefill_buffers ||
        !l2_.read({.source = 0, .address = oldest.line * Pl310::kLineBytes}, time_ps_,
                  free->ready_ps)) {
      return;
    }
    ++counts_.l1_misses;
    free->used = true;
    free->line = oldest.line;
    free->serial = ++serial_;
    return;
  }
}

bool A9Core::store(std::uint64_t address, const Value& value) {
  if (!translate(address)) return false;
  drain();
  while (stores_.size() >= params_.store_buffer) {
    if (drain_due_ps_ == kNever && !wait_for_linefill()) return false;
    if (drain_due_ps_ != kNever) wait_until(drain_due_ps_);
    drain();
  }
  ++counts_.stores;
  stores_.push({address / Pl310::kLineBytes, time_ps_, value});
  return true;
}

bool A9Core::step_stream() {
  const bool copy = program_.kind == CpuProgram::Kind::copy;
  const std::uint32_t ops_of_line = copy ? 2U * kLineWords : kLineWords;
  const std::uint64_t line = op_ / ops_of_line;
  const auto word = static_cast<std::uint32_t>(op_ % kLineWords);
  const std::uint64_t offset = line * Pl310::kLineBytes + word * kWordBytes;
  const bool stores = copy && op_ % ops_of_line >= kLineWords;
  if (!(stores ? store(program_.destination + offset, registers_[word])
               : load(program_.source + offset, registers_[word]))) {
    return false;
  }
  ++op_;
  time_ps_ += cycles(op_ % ops_of_line == 0 ? 1U + params_.loop_cycles : 1U);
  return true;
}

bool A9Core::step_chase() {
  if (blocked_on_.serial == 0 || walk_level_ != 0 || micro_charged_) {
    Value value;
    if (!load(program_.source + slot_ * program_.stride, value)) return false;
    blocked_on_ = value;
  }
  const std::uint64_t ready_ps = when(blocked_on_);
  if (ready_ps == kNever) return false;
  if (program_.cached) wait_until(ready_ps + cycles(params_.load_use_cycles));
  blocked_on_ = {};
  // A linear congruence of full period over a power of two of slots.
  slot_ = (slot_ * 1'103'515'245U + 12'345U) % (program_.bytes / program_.stride);
  ++op_;
  return true;
}

bool A9Core::finish() {
  release_linefills();
  drain();
  for (const Linefill& fill : linefills_) {
    if (!fill.used) continue;
    if (fill.ready_ps == kNever) return false;
    return wait_for_linefill();
  }
  if (!stores_.empty()) {
    if (drain_due_ps_ == kNever) return false;
    wait_until(drain_due_ps_);
    return true;
  }
  running_ = false;
  return false;
}

bool A9Core::step() {
  if (op_ == ops_ && !program_.forever) return finish();
  if (op_ == ops_) {
    copied_before_ = copied_bytes();
    op_ = 0;
  }
  drain();
  return program_.kind == CpuProgram::Kind::chase ? step_chase() : step_stream();
}

void A9Core::advance(std::uint64_t now_ps) {
  now_ps_ = now_ps;
  while (running_ && time_ps_ <= now_ps && step()) {
  }
}

}  // namespace sluice::model
