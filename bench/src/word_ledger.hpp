// SPDX-License-Identifier: Apache-2.0
// Whether the words of a numbered stream that are missing are those that a capture names as
// missing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace sluice::bench {

// Words of the stream, which are numbered from 0, against what the board says is missing.
class WordLedger {
 public:
  explicit WordLedger(uint64_t beat_bytes) : words_a_beat_(beat_bytes / sizeof(uint32_t)) {}

  // What a frame adds if it counts.
  struct Found {
    uint64_t next;     // number that the word after it must have
    uint64_t missing;  // words
  };

  // Numbers are 32 bits and come round. A gap of more than half of that is not told from order.
  [[nodiscard]] Found look(std::span<const uint32_t> words, bool each) const {
    if (words.empty()) return {.next = next_, .missing = 0};
    Found found{.next = judges_ ? next_ : words.front(), .missing = 0};
    const auto step = [&](uint32_t word) {
      const uint32_t gap = word - static_cast<uint32_t>(found.next);
      found.missing += gap;
      found.next += uint64_t{gap} + 1;
    };
    if (each || words.size() == 1) {
      for (const uint32_t word : words) step(word);
    } else {
      step(words.front());
      found.next += words.size() - 2;
      step(words.back());
    }
    return found;
  }

  void take(const Found& found) {
    next_ = found.next;
    missing_ += found.missing;
    judges_ = true;
  }
  // Nobody knows what is missing before the next frame: its first word is where it is.
  void forget() { judges_ = false; }
  void lose(uint64_t bytes) { lost_ += bytes / sizeof(uint32_t); }
  void drop(uint64_t beats) { dropped_ += beats * words_a_beat_; }

  // Drops are counted before what is in the FIFOs has come to memory, so the last of them may not
  // show yet.
  void check() const {
    const uint64_t known = lost_ + dropped_;
    if (missing_ > known)
      throw std::runtime_error(std::to_string(missing_ - known) +
                               " words are missing that no loss and no drop names");
    const uint64_t unseen = known - missing_;
    if (unseen > std::min(dropped_, kDeepestBeats * words_a_beat_))
      throw std::runtime_error(std::to_string(unseen) +
                               " words more are named as lost than are missing");
  }

 private:
  static constexpr uint64_t kDeepestBeats = 4096;  // of the FIFOs between dropper and memory

  uint64_t words_a_beat_;
  uint64_t next_ = 0;
  bool judges_ = true;  // next_ is known
  uint64_t missing_ = 0;
  uint64_t lost_ = 0;
  uint64_t dropped_ = 0;
};

}  // namespace sluice::bench
