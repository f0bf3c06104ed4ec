// SPDX-License-Identifier: Apache-2.0
// The ledger of a numbered stream: what is missing and not named is an error, and the reverse.
#include "../src/word_ledger.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace sluice::bench {
namespace {

constexpr uint64_t kBeatBytes = 8;
constexpr std::size_t kWords = 64;  // of a frame

std::vector<uint32_t> frame(uint32_t first) {
  std::vector<uint32_t> words(kWords);
  std::iota(words.begin(), words.end(), first);
  return words;
}

class Ledger : public ::testing::TestWithParam<bool> {
 protected:
  void take(const std::vector<uint32_t>& words) { ledger_.take(ledger_.look(words, GetParam())); }

  WordLedger ledger_{kBeatBytes};
};

TEST_P(Ledger, AWholeStreamIsInOrder) {
  for (uint32_t number = 0; number < 10; ++number) take(frame(number * kWords));
  EXPECT_NO_THROW(ledger_.check());
}

TEST_P(Ledger, NumbersComeRound) {
  WordLedger ledger(kBeatBytes);
  ledger.take({.next = 0x1'0000'0000 - kWords, .missing = 0});
  ledger.take(ledger.look(frame(UINT32_MAX - kWords + 1), GetParam()));
  ledger.take(ledger.look(frame(0), GetParam()));
  EXPECT_NO_THROW(ledger.check());
}

TEST_P(Ledger, ALostFrameIsNamed) {
  const auto check_named = [&](uint64_t bytes) {
    WordLedger ledger(kBeatBytes);
    ledger.take(ledger.look(frame(0), GetParam()));
    ledger.lose(bytes);
    ledger.take(ledger.look(frame(2 * kWords), GetParam()));
    ledger.check();
  };
  constexpr uint64_t kBytes = kWords * sizeof(uint32_t);
  EXPECT_THROW(check_named(0), std::runtime_error);
  EXPECT_NO_THROW(check_named(kBytes));
  EXPECT_THROW(check_named(kBytes + 4), std::runtime_error) << "one more is named than is missing";
}

TEST_P(Ledger, DropsWithinAFrameAreNamed) {
  std::vector<uint32_t> words = frame(0);
  for (std::size_t i = kWords / 2; i < kWords; ++i) words[i] += 6;
  const auto check_named = [&](uint64_t beats) {
    WordLedger ledger(kBeatBytes);
    ledger.drop(beats);
    ledger.take(ledger.look(words, GetParam()));
    ledger.check();
  };
  EXPECT_THROW(check_named(0), std::runtime_error);
  EXPECT_THROW(check_named(2), std::runtime_error) << "two beats are four words";
  EXPECT_NO_THROW(check_named(3));
}

TEST_P(Ledger, DropsMayBeAheadOfTheData) {
  take(frame(0));
  ledger_.drop(4096);
  take(frame(kWords));
  EXPECT_NO_THROW(ledger_.check());
  ledger_.drop(1);
  take(frame(2 * kWords));
  EXPECT_THROW(ledger_.check(), std::runtime_error);
}

TEST_P(Ledger, FramesThatAreLostAtTheEndShowNoGap) {
  take(frame(0));
  ledger_.lose(kWords * sizeof(uint32_t));
  take({});
  EXPECT_NO_THROW(ledger_.check());
  take(frame(2 * kWords));
  EXPECT_NO_THROW(ledger_.check());
}

TEST_P(Ledger, WhatNobodyKnowsIsNotJudged) {
  take(frame(0));
  ledger_.forget();
  take(frame(1000 * kWords + 7));
  EXPECT_NO_THROW(ledger_.check());
  take(frame(5));
  EXPECT_THROW(ledger_.check(), std::runtime_error) << "from then on it judges again";
}

TEST_P(Ledger, WhatIsNamedBesideWhatNobodyKnowsIsNotJudged) {
  take(frame(0));
  ledger_.lose(kWords * sizeof(uint32_t));
  ledger_.forget();
  ledger_.lose(kWords * sizeof(uint32_t));
  ledger_.drop(4);
  take(frame(9000));
  EXPECT_NO_THROW(ledger_.check()) << "two frames are named, and no gap is judged";
  take(frame(9000 + kWords + 8192));
  EXPECT_NO_THROW(ledger_.check()) << "drops before it may show behind it, as deep as FIFOs are";
  take(frame(9000 + 2 * kWords + 8192 + 1));
  EXPECT_THROW(ledger_.check(), std::runtime_error);
}

TEST_P(Ledger, ShortFramesAreFrames) {
  take({0});
  take({});
  take({1, 2});
  EXPECT_NO_THROW(ledger_.check());
}

TEST_P(Ledger, WhatIsNotTakenDoesNotCount) {
  (void)ledger_.look(frame(5), GetParam());
  take(frame(0));
  EXPECT_NO_THROW(ledger_.check());
}

INSTANTIATE_TEST_SUITE_P(Each, Ledger, ::testing::Bool(),
                         [](const auto& each) { return std::string(each.param ? "Word" : "End"); });

TEST(LedgerOfWords, AWordThatChangedIsFoundWithinAFrame) {
  WordLedger ledger(kBeatBytes);
  std::vector<uint32_t> words = frame(0);
  words[kWords / 2] ^= 1U << 31U;
  ledger.take(ledger.look(words, true));
  EXPECT_THROW(ledger.check(), std::runtime_error);
}

}  // namespace
}  // namespace sluice::bench
