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

// The stream numbers its words of 32 bits from 0. Frames are taken in order. What the capture names
// as lost or dropped counts once a later frame is taken, which shows the gap.
class WordLedger {
 public:
  explicit WordLedger(uint64_t beat_bytes) : words_a_beat_(beat_bytes / sizeof(uint32_t)) {}

  // What a frame adds if it is taken.
  struct Found {
    uint64_t next;     // number that the word after it must have
    uint64_t missing;  // words
    bool empty = false;
  };

  // `each`: every word is looked at; else the first and the last. A gap of more than half of the
  // numbers cannot be told from words in a wrong order.
  [[nodiscard]] Found look(std::span<const uint32_t> words, bool each) const {
    if (words.empty()) return {.next = next_, .missing = 0, .empty = true};
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
    if (found.empty) return;  // it shows no gap
    if (judges_) {
      lost_ += named_.lost;
      dropped_ += named_.dropped;
    } else {
      excused_ += deepest();
    }
    named_ = {};
    judges_ = true;
    next_ = found.next;
    missing_ += found.missing;
  }
  // Bytes of frames that were lost, and beats that were dropped, since the last frame was taken.
  void lose(uint64_t bytes) { named_.lost += bytes / sizeof(uint32_t); }
  void drop(uint64_t beats) { named_.dropped += beats * words_a_beat_; }
  // Something was lost of which there is no count: the gap before the next frame is not judged.
  void forget() { judges_ = false; }

  // Throws std::runtime_error where more words are missing than are named, or fewer.
  void check() const {
    const uint64_t known = lost_ + dropped_;
    if (missing_ > known + excused_)
      throw std::runtime_error(std::to_string(missing_ - known - excused_) +
                               " words are missing that no loss and no drop reports");
    if (missing_ + std::min(dropped_, deepest()) < known)
      throw std::runtime_error(std::to_string(known - missing_) +
                               " more words are reported as lost than are missing");
  }

 private:
  // A drop is counted before what the FIFOs hold has come to memory, so that its gap shows later:
  // in a later frame, behind a gap that is not judged, or never.
  [[nodiscard]] uint64_t deepest() const { return kDeepestBeats * words_a_beat_; }
  static constexpr uint64_t kDeepestBeats = 4096;

  struct Named {
    uint64_t lost = 0;
    uint64_t dropped = 0;
  };

  uint64_t words_a_beat_;
  uint64_t next_ = 0;
  bool judges_ = true;  // the gap before the next frame
  Named named_;         // since the last frame, in words
  uint64_t missing_ = 0;
  uint64_t lost_ = 0;
  uint64_t dropped_ = 0;
  uint64_t excused_ = 0;  // drops before gaps that are not judged, which may show behind them
};

}  // namespace sluice::bench
