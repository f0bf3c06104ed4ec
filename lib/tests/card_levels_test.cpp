// SPDX-License-Identifier: Apache-2.0
// A card at level=transaction takes the time that its RTL takes: rates, and latencies one at a
// time. SLUICE_FULL=1: on all boards, sizes and payloads.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sluice.hpp>
#include <string>
#include <vector>

namespace {

using namespace sluice;

constexpr double kTolerance = 0.01;
// Of 128 small descriptors queued each way on Gen4 x8: there the levels still differ in which
// completions a program sees together.
constexpr double kSmallTolerance = 0.02;

struct Case {
  std::string board;
  std::string ways;  // "h2c", "c2h" or both
  uint64_t bytes;
  unsigned transfers;  // of each way
  unsigned depth;      // queued at a time
  std::string options = {};
  double tolerance = kTolerance;
};

struct Times {
  double elapsed_ns;
  double latency_ns;  // mean
};

// Each way keeps its queue full until all of its transfers have ended.
class Way {
 public:
  Way(sluice_board* board, bool to_card, const Case& what)
      : what_(what),
        channel_(find_channel(board, to_card ? "h2c0" : "c2h0")),
        buffer_(allocate(board, kPlaces * step())),
        card_(to_card ? 0 : kPlaces * step()) {}

  [[nodiscard]] bool done() const { return ended_ == what_.transfers; }
  [[nodiscard]] uint64_t last_ns() const { return last_ns_; }
  [[nodiscard]] uint64_t total_ns() const { return total_ns_; }

  void feed() {
    std::vector<sluice_transfer> next;
    for (; queued_ < what_.transfers && queued_ - ended_ < what_.depth; ++queued_) {
      const uint64_t offset = queued_ % kPlaces * step();
      next.push_back({.buffer = buffer_.get(),
                      .offset = offset,
                      .bytes = what_.bytes,
                      .cookie = queued_,
                      .timeout_ns = 0,
                      .flags = 0,
                      .reserved = 0,
                      .card_offset = card_ + offset});
    }
    if (next.empty()) return;
    const auto count = static_cast<unsigned>(next.size());
    ASSERT_EQ(sluice_channel_submit(channel_, next.data(), count, sizeof next[0]),
              static_cast<int>(count));
  }

  void reap() {
    std::array<sluice_completion, 64> ended{};
    const int count = check(sluice_channel_reap(channel_, ended.data(), 64, sizeof ended[0], -1));
    for (int i = 0; i < count; ++i) {
      EXPECT_EQ(ended[static_cast<size_t>(i)].status, 0);
      last_ns_ = ended[static_cast<size_t>(i)].finish_ns;
      total_ns_ += last_ns_ - ended[static_cast<size_t>(i)].start_ns;
    }
    ended_ += static_cast<unsigned>(count);
  }

 private:
  static constexpr uint64_t kPlaces = 4;
  [[nodiscard]] uint64_t step() const { return (what_.bytes + 4095) / 4096 * 4096; }

  const Case& what_;
  sluice_channel* channel_;
  BufferHandle buffer_;
  uint64_t card_;
  unsigned queued_ = 0;
  unsigned ended_ = 0;
  uint64_t last_ns_ = 0;
  uint64_t total_ns_ = 0;
};

Times measure(const Case& what, const std::string& level) {
  const BoardHandle board = open_board("sim:" + what.board + "/xdma?level=" + level + what.options);
  std::vector<Way> ways;
  if (what.ways != "c2h") ways.emplace_back(board.get(), true, what);
  if (what.ways != "h2c") ways.emplace_back(board.get(), false, what);
  const uint64_t begin_ns = sluice_board_now_ns(board.get());
  const auto left = [&] { return !std::ranges::all_of(ways, &Way::done); };
  while (left()) {
    for (Way& way : ways) way.feed();
    for (Way& way : ways)
      if (!way.done()) way.reap();
  }
  Times times{};
  for (const Way& way : ways) {
    times.elapsed_ns = std::max(times.elapsed_ns, static_cast<double>(way.last_ns() - begin_ns));
    times.latency_ns +=
        static_cast<double>(way.total_ns()) / static_cast<double>(what.transfers * ways.size());
  }
  return times;
}

void compare(const Case& what) {
  const Times rtl = measure(what, "rtl");
  const Times fast = measure(what, "transaction");
  const std::string name = what.board + " " + what.ways + " " + std::to_string(what.bytes) +
                           " bytes, " + std::to_string(what.depth) + " queued" + what.options;
  EXPECT_NEAR(fast.elapsed_ns / rtl.elapsed_ns, 1.0, what.tolerance) << name;
  // Of a queue, latencies depend on which completions a program sees together.
  if (what.depth == 1) {
    EXPECT_NEAR(fast.latency_ns / rtl.latency_ns, 1.0, kTolerance) << name;
  }
}

bool full() {
  const char* value = std::getenv("SLUICE_FULL");
  return value != nullptr && std::string(value) == "1";
}

const std::vector<std::string> kWays = {"h2c", "c2h", "both"};

TEST(CardLevels, TransfersTakeTheSameTime) {
  for (const std::string& ways : kWays) {
    compare({"pcie-gen2x4", ways, 4, 3, 1});
    compare({"pcie-gen4x8", ways, 65536, 3, 1});
    compare({"pcie-gen3x8", ways, 4096, 60, 20});
  }
  compare({"pcie-gen3x8", "h2c", 20, 3, 1, "&completions=poll"});
  compare({"pcie-gen3x8", "both", 4096, 60, 20, "&completions=poll&model.mps=128"});
  compare({"pcie-gen4x8", "h2c", 256, 800, 256});
  compare({"pcie-gen2x4", "c2h", 256, 800, 256});
  compare({"pcie-gen3x8", "both", 4096, 60, 20, "&completions=poll"});
  compare({"pcie-gen3x8", "c2h", 256, 4000, 256});
  // Queues that run dry: a cycle's difference would change which completions come together.
  compare({"pcie-gen3x8", "h2c", 256, 4000, 128, "&model.mps=512"});
  compare({"pcie-gen2x4", "c2h", 256, 4000, 128, "&completions=poll"});
  compare({"pcie-gen3x8", "both", 256, 4000, 64, "&completions=poll&model.mps=512"});
}

TEST(CardLevels, AllTransfersTakeTheSameTime) {
  if (!full()) GTEST_SKIP() << "a sweep; give SLUICE_FULL=1";
  for (const std::string board : {"pcie-gen2x4", "pcie-gen3x8", "pcie-gen4x8"}) {
    for (const std::string& ways : kWays) {
      for (const std::string completions : {"interrupt", "poll"}) {
        for (const std::string mps : {"128", "256", "512"}) {
          const std::string options = "&completions=" + completions + "&model.mps=" + mps;
          for (uint64_t bytes = 4; bytes <= 1 << 20; bytes *= 4)
            compare({board, ways, bytes, bytes < 65536 ? 4U : 2U, 1, options});
          for (const unsigned depth : {32U, 64U, 128U, 256U})
            compare({board, ways, 256, 4000, depth, options,
                     depth == 128 && ways == "both" && board == "pcie-gen4x8" ? kSmallTolerance
                                                                              : kTolerance});
          compare({board, ways, 4096, 400, 128, options});
          compare({board, ways, 65536, 40, 20, options});
        }
      }
    }
  }
}

}  // namespace
