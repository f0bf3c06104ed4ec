// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/pl310.hpp"

#include <algorithm>

namespace sluice::model {

namespace {
constexpr std::uint64_t kPageBytes = 4096;
}

Pl310::Pl310(const Pl310Params& params, std::uint32_t cycle_ps, DdriPort& port)
    : params_(params),
      cycle_ps_(cycle_ps),
      port_(port),
      tags_(params.cache_bytes / kLineBytes / params.cache_ways, params.cache_ways,
            Replacement::round_robin) {}

Pl310::Fill& Pl310::start_fill(const Read& what, std::uint64_t time_ps) {
  Fill fill{};
  fill.line = what.address / kLineBytes;
  fill.source = what.source;
  fill.cacheable = what.cacheable;
  fill.allocate = what.allocate;
  fill.issue_ps =
      time_ps + params_.path_ps / 2U + std::uint64_t{params_.tag_latency_cycles} * cycle_ps_;
  fill.words_left = what.cacheable ? kLineWords : 1;
  fill.address = what.cacheable ? fill.line * kLineBytes : what.address / 8U * 8U;
  fill.critical_ps = kPending;
  fills_.push_back(std::move(fill));
  return fills_.back();
}

bool Pl310::read(const Read& what, std::uint64_t time_ps, std::uint64_t& ready_ps) {
  const std::uint64_t line = what.address / kLineBytes;
  std::uint64_t& free_ps = port_free_ps_[what.source];
  const std::uint64_t start_ps = std::max(time_ps, free_ps);
  if (what.cacheable && tags_.contains(line)) {
    ++counts_.hits;
    ready_ps = start_ps + params_.path_ps +
               std::uint64_t{params_.tag_latency_cycles + params_.data_latency_cycles} * cycle_ps_;
    prefetch(what, start_ps);
  } else {
    const auto found = std::ranges::find_if(
        fills_, [&](const Fill& fill) { return fill.cacheable && fill.line == line; });
    if (what.cacheable && found != fills_.end()) {
      ready_ps = kPending;
      if (found->critical_ps == kPending)
        found->waiting.push_back(&ready_ps);
      else
        ready_ps = std::max(found->critical_ps, start_ps + params_.path_ps);
      prefetch(what, start_ps);
    } else {
      if (!buffer_free()) return false;
      ++counts_.misses;
      ready_ps = kPending;
      start_fill(what, start_ps).waiting.push_back(&ready_ps);
      prefetch(what, start_ps);
    }
  }
  free_ps = start_ps + std::uint64_t{what.cacheable ? kLineWords : 1U} * cycle_ps_;
  return true;
}

void Pl310::prefetch(const Read& what, std::uint64_t time_ps) {
  if (params_.data_prefetch == 0 || !what.cacheable || !buffer_free()) return;
  Read next = what;
  next.address = (what.address / kLineBytes + 1U) * kLineBytes;
  const std::uint64_t line = next.address / kLineBytes;
  if (next.address % kPageBytes == 0 || tags_.contains(line) ||
      std::ranges::any_of(fills_, [&](const Fill& fill) { return fill.line == line; })) {
    return;
  }
  ++counts_.prefetches;
  start_fill(next, time_ps);
}

void Pl310::install(std::uint64_t line, bool dirty) {
  const SetCache::Victim victim = tags_.insert(line, dirty);
  if (!victim.dirty) return;
  ++counts_.evictions;
  writes_.push_back(victim.key * kLineBytes);
}

bool Pl310::write(std::uint64_t address, bool allocate) {
  const std::uint64_t line = address / kLineBytes;
  if (tags_.mark_dirty(line)) {
    ++counts_.hits;
    return true;
  }
  for (Fill& fill : fills_) {
    if (!fill.cacheable || fill.line != line || !fill.allocate) continue;
    fill.dirty = true;
    return true;
  }
  if (writes_.size() >= write_buffers()) return false;
  ++counts_.misses;
  if (allocate)
    install(line, true);
  else
    writes_.push_back(line * kLineBytes);
  return true;
}

void Pl310::take_word(std::uint64_t now_ps) {
  const std::uint32_t source = port_.take_read_word();
  // The port answers a source in the order of its requests.
  const auto fill = std::ranges::find_if(
      fills_, [&](const Fill& f) { return f.issued && f.source == source && f.words_left != 0; });
  if (fill->critical_ps == kPending) {
    fill->critical_ps = now_ps + params_.path_ps - params_.path_ps / 2U;
    for (std::uint64_t* ready_ps : fill->waiting) *ready_ps = fill->critical_ps;
    fill->waiting.clear();
  }
  if (--fill->words_left != 0) return;
  ++counts_.lines_read;
  if (fill->cacheable && fill->allocate && !tags_.contains(fill->line))
    install(fill->line, fill->dirty);
  fills_.erase(fill);
}

void Pl310::tick(std::uint64_t cycle, std::uint64_t now_ps) {
  if (quiet()) return;
  if (port_.read_room()) {
    const auto next = std::ranges::find_if(fills_, [&](const Fill& fill) {
      return !fill.issued && now_ps >= fill.issue_ps + params_.memory_path_ps;
    });
    if (next != fills_.end()) {
      port_.read({next->address, next->words_left, 8}, {.source = next->source}, cycle);
      next->issued = true;
    }
  }
  if (port_.read_word_ready()) take_word(now_ps);

  if (write_words_ != 0) {
    port_.put_write_word();
    --write_words_;
  } else if (!writes_.empty() && port_.write_room(kLineWords)) {
    port_.write({writes_.front(), kLineWords, 8}, {}, cycle);
    writes_.pop_front();
    ++counts_.lines_written;
    ++responses_open_;
    write_words_ = kLineWords;
  }
  if (port_.response_ready(cycle)) {
    (void)port_.take_response();
    --responses_open_;
  }
}

}  // namespace sluice::model
