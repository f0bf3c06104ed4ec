// SPDX-License-Identifier: Apache-2.0
// A master of which words are left out ends as one that has moved them: bytes, counters, checks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <stdexcept>
#include <tuple>

#include "sluice/model/port_master.hpp"
#include "sluice/model/zynq7000.hpp"

namespace sluice::model {
namespace {

constexpr std::uint64_t kBytes = 64 * 1024;
constexpr std::uint64_t kWords = kBytes / 8;
constexpr std::uint64_t kSource = 1 << 20;
constexpr std::uint64_t kTarget = 2 << 20;
constexpr std::uint32_t kFirst = 0xfffffff0U;  // the counter wraps
constexpr unsigned kRounds = 20;

enum class Kind { read, write, both, loopback };

/// A master on port 0 of a chip, with its clock of 100 MHz.
class Bench {
 public:
  Bench(Kind kind, const MasterParams& params, std::uint64_t misaligned = 0)
      : zynq_(zynq7010()), master_(zynq_.afi(0), params) {
    for (std::uint64_t word = 0; word < kWords; ++word) {
      const auto low = kFirst + static_cast<std::uint32_t>(2 * word);
      zynq_.memory().store_word(kSource + word * 8, low | std::uint64_t{low + 1U} << 32U, 0xff);
    }
    master_.sink() = {.expected = kFirst, .check = true};
    const PortTransfer to{kTarget + misaligned, kBytes};
    const PortTransfer from{kSource, kBytes};
    if (kind == Kind::loopback) {
      master_.start(from, to);
    } else {
      if (kind != Kind::write) master_.start_read(from);
      if (kind != Kind::read) master_.start_write(to);
    }
    master_.source() = {.next = kFirst, .packet_words = kWords};
  }

  void edges(std::uint64_t count) {
    for (; count != 0; --count) {
      zynq_.advance_to(clock_.time_ps(++edge_));
      master_.pl_edge();
    }
  }
  void end() {
    while (!master_.finished()) edges(1);
  }
  [[nodiscard]] HpMaster& master() { return master_; }
  [[nodiscard]] Memory& memory() { return zynq_.memory(); }
  [[nodiscard]] std::uint64_t edge() const { return edge_; }
  [[nodiscard]] Master::Words most() { return master_.most_to_leave_out(memory()); }

  void expect_as(Bench& other) {
    EXPECT_EQ(master_.sink().expected, other.master_.sink().expected);
    EXPECT_EQ(master_.sink().words, other.master_.sink().words);
    EXPECT_EQ(master_.sink().packets, other.master_.sink().packets);
    EXPECT_EQ(master_.sink().mismatch, other.master_.sink().mismatch);
    EXPECT_EQ(master_.source().next, other.master_.source().next);
    EXPECT_EQ(master_.source().packets_sent, other.master_.source().packets_sent);
    EXPECT_EQ(master_.words_sent(), other.master_.words_sent());
    EXPECT_EQ(master_.words_received(), other.master_.words_received());
    EXPECT_EQ(master_.words_written(), other.master_.words_written());
    EXPECT_EQ(master_.read_done().bytes, other.master_.read_done().bytes);
    EXPECT_EQ(master_.write_done().bytes, other.master_.write_done().bytes);
    EXPECT_EQ(master_.write_done().ended_packet, other.master_.write_done().ended_packet);
    EXPECT_FALSE(master_.error());
    const std::uint8_t* here = memory().host(kTarget, 2 * kBytes);
    EXPECT_EQ(std::memcmp(here, other.memory().host(kTarget, 2 * kBytes), 2 * kBytes), 0);
  }

 private:
  Zynq7000 zynq_;
  HpMaster master_;
  Clock clock_{100.0};
  std::uint64_t edge_ = 0;
};

class LeaveOut : public testing::TestWithParam<std::tuple<Kind, std::uint32_t, std::uint64_t>> {};

TEST_P(LeaveOut, EndsAsIfTheEngineHadMovedIt) {
  const auto [kind, bits, misaligned] = GetParam();
  MasterParams params;
  params.port_bits = bits;
  const std::uint64_t burst_words = params.burst_beats * bits / 64;
  Bench whole(kind, params, misaligned);
  whole.end();
  std::mt19937 random(1);
  for (unsigned round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    Bench bench(kind, params, misaligned);
    bench.edges(round == 0 ? 0 : 1 + random() % 4000);  // with nothing in buffers, too
    const Master::Words most = bench.most();
    Master::Words words{.read = random() % (most.read + 1) / burst_words * burst_words,
                        .write = random() % (most.write + 1) / burst_words * burst_words};
    if (kind == Kind::loopback) words.write = words.read;
    bench.master().leave_out(words, bench.memory());
    EXPECT_TRUE(words == Master::Words{} || bench.most() == Master::Words{}) << "once only";
    bench.end();
    bench.expect_as(whole);
    // A word takes an edge, or two; of both directions the one with more left ends later.
    const auto [fewer, more] = std::minmax(words.read, words.write);
    EXPECT_LE(bench.edge(), whole.edge() - (kind == Kind::both ? fewer : more) / 2);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, LeaveOut,
                         testing::Combine(testing::Values(Kind::read, Kind::write, Kind::both,
                                                          Kind::loopback),
                                          testing::Values(32U, 64U), testing::Values(0U, 128U)));

TEST(LeaveOutOf, AWriteAtAnyAddress) {
  Bench whole(Kind::write, {}, 40);
  whole.end();
  Bench bench(Kind::write, {}, 40);
  bench.edges(500);
  ASSERT_GE(bench.most().write, 4096U);
  bench.master().leave_out({.write = 4096}, bench.memory());
  bench.end();
  bench.expect_as(whole);
}

TEST(LeaveOutOf, AMismatchIsSeenByASinkThatChecks) {
  for (const bool check : {true, false}) {
    Bench bench(Kind::read, {});
    bench.master().sink().check = check;
    bench.edges(500);
    bench.memory().store_word(kSource + kBytes / 2, 0, 1);
    bench.master().leave_out({.read = 6144}, bench.memory());
    bench.end();
    EXPECT_EQ(bench.master().sink().mismatch, check);
  }
}

TEST(LeaveOutOf, NothingWhereItWouldShow) {
  const auto most = [](Kind kind, auto change, const MasterParams& params = {},
                       std::uint64_t misaligned = 0) {
    Bench bench(kind, params, misaligned);
    bench.edges(500);
    change(bench);
    return bench.most();
  };
  const auto same = [](Bench&) {};
  const Master::Words none{};
  EXPECT_NE(most(Kind::both, same), none);
  EXPECT_NE(most(Kind::loopback, same), none);
  // Another transfer waits.
  EXPECT_EQ(most(Kind::read, [](Bench& b) { b.master().start_read({kSource, 64}); }), none);
  EXPECT_EQ(most(Kind::write, [](Bench& b) { b.master().start_write({kTarget, 64}); }), none);
  // A fault lies ahead.
  EXPECT_EQ(most(Kind::read, [](Bench& b) { b.memory().poison(kSource + kBytes - 8, 8); }), none);
  EXPECT_EQ(most(Kind::write, [](Bench& b) { b.memory().poison(kTarget + kBytes - 8, 8); }), none);
  // The transfer is given up.
  EXPECT_EQ(most(Kind::read, [](Bench& b) { b.master().halt_read(); }), none);
  EXPECT_EQ(most(Kind::write, [](Bench& b) { b.master().halt_write(); }), none);
  // Words that are pushed are not known before.
  EXPECT_EQ(most(Kind::write, [](Bench& b) { b.master().set_route(Master::Route::fed); }), none);
  // A loop-back of one direction waits for the other.
  EXPECT_EQ(most(Kind::read, [](Bench& b) { b.master().set_loopback(true); }), none);
  // The bursts of a loop-back end at different words.
  EXPECT_EQ(most(Kind::loopback, same, {}, 8), none);
  // The source has been switched off.
  EXPECT_EQ(most(Kind::write, [](Bench& b) { b.master().source().enabled = false; }), none);
  // Bursts go to scattered places.
  MasterParams scattered;
  scattered.scatter = 1;
  EXPECT_EQ(most(Kind::read, same, scattered), none);
}

TEST(LeaveOutOf, AllThatMayBe) {
  for (const Kind kind : {Kind::both, Kind::loopback}) {
    Bench whole(kind, {});
    whole.end();
    Bench bench(kind, {});
    bench.edges(700);
    Master::Words words = bench.most();
    words.read -= words.read % 16;
    words.write -= words.write % 16;
    bench.master().leave_out(words, bench.memory());
    bench.end();
    bench.expect_as(whole);
  }
}

// Words of an earlier read are in the FIFO of the loop-back.
TEST(LeaveOutOf, NothingWhereReadsAreAheadOfWrites) {
  Bench bench(Kind::loopback, {});
  bench.end();
  bench.master().start_read({kSource, 1024});
  bench.edges(500);
  ASSERT_TRUE(bench.master().finished());
  bench.master().start_read({kSource, kBytes});
  bench.master().start_write({kTarget, kBytes});
  bench.edges(500);
  EXPECT_EQ(bench.most(), Master::Words{});
}

// Bursts of a group end with it, wherever it begins.
TEST(LeaveOutOf, GroupsAtAnyAddressEnd) {
  MasterParams groups;
  groups.group_bursts = 8;
  for (const Kind kind : {Kind::read, Kind::write, Kind::loopback}) {
    Bench whole(kind, groups, 64);
    whole.end();
    Bench bench(kind, groups, 64);
    bench.edges(500);
    if (kind != Kind::loopback) {
      const auto of_kind = [&](std::uint64_t words) {
        return kind == Kind::read ? Master::Words{.read = words} : Master::Words{.write = words};
      };
      EXPECT_THROW(bench.master().leave_out(of_kind(16), bench.memory()), std::invalid_argument);
      bench.master().leave_out(of_kind(1024), bench.memory());
    }
    bench.end();
    bench.expect_as(whole);
  }
}

TEST(LeaveOutOf, NothingBehindTheEndOfAPacket) {
  Bench bench(Kind::write, {});
  bench.master().source().packet_words = kWords / 2;
  bench.edges(500);
  EXPECT_LT(bench.most().write, kWords / 2);
  EXPECT_THROW(bench.master().leave_out({.write = kWords / 2}, bench.memory()),
               std::invalid_argument);
}

TEST(LeaveOutOf, OnlyWholeGroupsOfEachDirection) {
  MasterParams groups;
  groups.group_bursts = 3;  // of 48 words
  Bench bench(Kind::both, groups);
  bench.edges(500);
  EXPECT_THROW(bench.master().leave_out({.read = 32, .write = 16}, bench.memory()),
               std::invalid_argument);
  bench.master().leave_out({.read = 48, .write = 96}, bench.memory());
}

TEST(LeaveOutOf, OnlyWholeBursts) {
  Bench bench(Kind::loopback, {});
  bench.edges(500);
  EXPECT_THROW(bench.master().leave_out({.read = 8, .write = 8}, bench.memory()),
               std::invalid_argument);
  EXPECT_THROW(bench.master().leave_out({.read = 16, .write = 32}, bench.memory()),
               std::invalid_argument);
}

}  // namespace
}  // namespace sluice::model
