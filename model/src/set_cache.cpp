// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/set_cache.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace sluice::model {

SetCache::SetCache(std::uint32_t sets, std::uint32_t ways, Replacement replacement)
    : sets_(sets),
      ways_(ways),
      replacement_(replacement),
      entries_(std::size_t{sets} * ways),
      next_(sets) {
  if (sets == 0 || ways == 0) throw std::invalid_argument("cache: sets and ways must be above 0");
}

const SetCache::Way* SetCache::find(std::uint64_t key) const {
  const Way* const set = &entries_[key % sets_ * ways_];
  const Way* const found =
      std::find_if(set, set + ways_, [&](const Way& way) { return way.valid && way.key == key; });
  return found == set + ways_ ? nullptr : found;
}

SetCache::Way* SetCache::find(std::uint64_t key) {
  return const_cast<Way*>(std::as_const(*this).find(key));
}

bool SetCache::mark_dirty(std::uint64_t key) {
  Way* const way = find(key);
  if (way == nullptr) return false;
  way->dirty = true;
  return true;
}

SetCache::Victim SetCache::insert(std::uint64_t key, bool dirty) {
  Way* const set = &entries_[key % sets_ * ways_];
  Way* way = std::find_if(set, set + ways_, [](const Way& entry) { return !entry.valid; });
  if (way == set + ways_) {
    std::uint32_t& next = next_[key % sets_];
    if (replacement_ == Replacement::pseudo_random) {
      random_ ^= random_ << 13U;
      random_ ^= random_ >> 17U;
      random_ ^= random_ << 5U;
      next = random_ % ways_;
    }
    way = set + next;
    next = (next + 1U) % ways_;
  }
  const Victim victim{way->valid, way->valid && way->dirty, way->key};
  *way = {key, true, dirty};
  return victim;
}

SetCache::Victim SetCache::invalidate(std::uint64_t key) {
  Way* const way = find(key);
  if (way == nullptr) return {};
  way->valid = false;
  return {true, way->dirty, key};
}

void SetCache::clear() {
  std::fill(entries_.begin(), entries_.end(), Way{});
  std::fill(next_.begin(), next_.end(), 0U);
  random_ = 1;
}

}  // namespace sluice::model
