// SPDX-License-Identifier: Apache-2.0
// SetCache: the tags of a set-associative cache or TLB. Keys are line or page numbers.
//
// A key belongs to set key % sets. insert() takes an empty way of the set if there is one, else it
// replaces one: round robin (a pointer a set), or pseudo random (xorshift, the same for every run).
#pragma once

#include <cstdint>
#include <vector>

namespace sluice::model {

enum class Replacement : std::uint8_t { round_robin, pseudo_random };

class SetCache {
 public:
  struct Victim {
    bool valid = false;
    bool dirty = false;
    std::uint64_t key = 0;
  };

  /// Throws std::invalid_argument unless both are at least 1.
  SetCache(std::uint32_t sets, std::uint32_t ways, Replacement replacement);

  [[nodiscard]] bool contains(std::uint64_t key) const { return find(key) != nullptr; }
  /// False if the key is not there.
  bool mark_dirty(std::uint64_t key);
  /// The key must not be there. Returns what it has replaced.
  Victim insert(std::uint64_t key, bool dirty);
  /// What was removed, if it was there.
  Victim invalidate(std::uint64_t key);
  void clear();

 private:
  struct Way {
    std::uint64_t key = 0;
    bool valid = false;
    bool dirty = false;
  };
  [[nodiscard]] const Way* find(std::uint64_t key) const;
  [[nodiscard]] Way* find(std::uint64_t key);

  std::uint32_t sets_;
  std::uint32_t ways_;
  Replacement replacement_;
  std::vector<Way> entries_;
  std::vector<std::uint32_t> next_;  // round robin, a set
  std::uint32_t random_ = 1;
};

}  // namespace sluice::model
