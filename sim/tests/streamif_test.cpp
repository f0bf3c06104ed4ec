// SPDX-License-Identifier: Apache-2.0
// Hardware threads on the memory of a Zynq-7020 (design streamif_threads): rates of one and eight
// threads, how long their bursts wait, a pipeline of four, and a command that is refused.
#include <cstdio>
#include <cstdlib>
#include <random>

#include "hardware_threads.hpp"

namespace sluice::sim {
namespace {

std::unique_ptr<Design> design() { return thread_design("streamif_threads"); }

// Between a burst and its turn at the port there are at most one burst of each thread that shares
// it (sl_port_share), and a turn of the other direction (TURNS). Each of these bursts, and its own,
// the port may keep waiting: that part is the memory's, kPortCycles.
constexpr uint32_t kSharers = 2;
constexpr uint32_t kPortCycles = 64;
// Where each burst meets a row of another one in its bank.
constexpr uint32_t kPortCyclesInOneBank = 96;

Measured expect_rate(unsigned count, Mode mode, const char* name, double least,
                     uint32_t stagger = 0, uint32_t turns = SL_STREAMIF_TURNS_DEFAULT) {
  const uint32_t port_cycles = stagger != 0 ? kPortCycles : kPortCyclesInOneBank;
  const Measured got = rate(design(), count, mode, 1 << 20, stagger, turns);
  std::printf("figure: %u threads, %s, stagger %u, turns %u: %.1f MB/s, worst wait %u cycles\n",
              count, name, stagger, turns, got.mb_s, got.worst_wait_cycles);
  EXPECT_GE(got.mb_s, least) << count << " threads, " << name;
  // Without turns memory alone says how long a burst stands.
  const uint32_t bound = turns != 0 ? turns + kSharers * port_cycles : UINT32_MAX;
  EXPECT_LE(got.worst_wait_cycles, bound) << count << " threads, " << name;
  return got;
}

TEST(Streamif, OneThreadHasItsFullRate) {
  expect_rate(1, Mode::both, "read and write", 790);
  expect_rate(1, Mode::read, "read", 395);
  expect_rate(1, Mode::write, "write", 395);
}

// Each buffer one bank of the memory after the one before (4 KiB), so that threads that run in step
// do not meet in a bank.
TEST(Streamif, EightThreadsReadAtTheirFullRate) { expect_rate(8, Mode::read, "read", 3150, 4096); }

TEST(Streamif, EightThreadsWriteAtTheirFullRate) {
  expect_rate(8, Mode::write, "write", 3150, 4096);
}

TEST(Streamif, EightThreadsReadAndWrite) {
  expect_rate(8, Mode::both, "read and write", 3500, 4096);
}

// All start at once here, and stay in step: the worst that placement can do. Started one after the
// other, as by software, they reach 3000 (sluice run streamif-measures).
TEST(Streamif, EightThreadsReadAndWriteInOneBank) {
  expect_rate(8, Mode::both, "read and write, all buffers from the same bank on", 1900);
}

// Each measure by itself is worth something.
TEST(Streamif, EightThreadsReadAndWriteWithoutTurns) {
  const Measured apart = expect_rate(8, Mode::both, "read and write", 3300, 4096, 0);
  const Measured together = expect_rate(8, Mode::both, "read and write", 2400, 0, 0);
  EXPECT_LE(together.mb_s, 2780);
  EXPECT_LE(apart.mb_s, 3560);
}

// The kernels of sl_hwt (regs/sl_hwt.rdl).
constexpr uint32_t kCopy = 1;
constexpr uint32_t kReduce = 4;
constexpr uint32_t kSobel = 5;

uint32_t exclusive_or(std::span<const uint32_t> words) {
  uint32_t result = 0;
  for (const uint32_t word : words) result ^= word;
  return result;
}

std::vector<uint8_t> sobel(const std::vector<uint8_t>& image, int width, int rows) {
  std::vector<uint8_t> out(image.size());
  for (int y = 1; y < rows - 1; ++y)
    for (int x = 1; x < width - 1; ++x) {
      const auto at = [&](int dx, int dy) { return int{image[size_t((y + dy) * width + x + dx)]}; };
      const int gx = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
      const int gy = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
      out[size_t(y * width + x)] = uint8_t(std::min(255, std::abs(gx) + std::abs(gy)));
    }
  return out;
}

std::vector<uint32_t> as_words(const std::vector<uint8_t>& bytes) {
  std::vector<uint32_t> words(bytes.size() / 4);
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<uint8_t*>(words.data()));
  return words;
}

// Memory to source to Sobel filter to sums of rows to sink to memory, by direct routes between.
TEST(Streamif, PipelineOfFourThreads) {
  constexpr uint32_t kWidth = 640;
  constexpr uint32_t kRows = 120;
  constexpr uint32_t kImage = 1 << 20;
  constexpr uint32_t kSums = 2 << 20;
  constexpr uint32_t kSource = 0, kFilter = 1, kSummer = 4, kSink = 7;

  std::vector<uint8_t> image(kWidth * kRows);
  std::mt19937 random(1);
  for (uint8_t& pixel : image) pixel = uint8_t(random() % 3 == 0 ? 255 : random());
  const std::vector<uint8_t> filtered = sobel(image, kWidth, kRows);
  std::vector<uint32_t> sums(kRows);
  for (size_t n = 0; n < filtered.size(); ++n) sums[n / kWidth] += filtered[n];

  Threads threads(design());
  Board& board = threads.board;
  std::ranges::copy(as_words(image), threads.words(kImage, kWidth * kRows).begin());
  const uint32_t mask = 1U << kSource | 1U << kFilter | 1U << kSummer | 1U << kSink;
  board.write32(kInterface + SL_STREAMIF_HALT_OFFSET, mask);
  threads.route(kFilter, kSource);
  threads.route(kSummer, kFilter);
  threads.route(kSink, kSummer);
  threads.grant(kSource, false, kImage, kWidth * kRows);
  threads.grant(kSink, true, kSums, kRows * 4);
  board.write32(kInterface + SL_STREAMIF_HALT_OFFSET, 0);
  threads.job(kSink, kCopy, kRows, 0);
  threads.job(kSummer, kReduce, kWidth / 4, kRows);
  threads.job(kFilter, kSobel, kWidth / 4, kRows);
  threads.job(kSource, kCopy, kWidth * kRows / 4, 0);
  board.write32(kInterface + SL_STREAMIF_IRQ_ENABLE_OFFSET, 2U << (2 * kSink));

  const uint64_t start = board.now_ps();
  threads.command(kSink, true, kSums, kRows * 4);
  threads.command(kSource, false, kImage, kWidth * kRows);
  const uint64_t end =
      threads.wait(2U << (2 * kSink) | Threads::mail_line(kSource) | Threads::mail_line(kFilter) |
                   Threads::mail_line(kSummer) | Threads::mail_line(kSink));
  ASSERT_NE(end, 0U);
  EXPECT_EQ(threads.result(kSource), exclusive_or(as_words(image)));
  EXPECT_EQ(threads.result(kFilter), exclusive_or(as_words(filtered)));
  EXPECT_EQ(threads.result(kSummer), exclusive_or(sums));
  EXPECT_EQ(threads.result(kSink), exclusive_or(sums));
  EXPECT_EQ(board.read32(channel_base(kSink, true) + SL_STREAMIF_CHANNEL_QUEUE_STATUS0_OFFSET),
            kRows * 4 | SL_STREAMIF_CHANNEL_QUEUE_STATUS0_EOP_MASK);
  EXPECT_TRUE(std::ranges::equal(threads.words(kSums, kRows * 4), sums));
  // A word of the image a cycle, but for the row that the filter waits for and the way.
  const double cycles = static_cast<double>(end - start) / 10'000;
  std::printf("figure: pipeline of four threads: %.0f cycles for %u words\n", cycles,
              kWidth * kRows / 4);
  EXPECT_LE(cycles, 1.05 * kWidth * kRows / 4);
}

// Thread 1 is halted in the middle of what all do; it then starts anew. The others' jobs end as if
// nothing had been.
TEST(Streamif, HaltedThreadHoldsUpNobody) {
  constexpr unsigned kThreads = 4;
  constexpr uint32_t kBytes = 32 << 10;
  constexpr uint32_t kHalted = 1;
  Threads threads(design());
  Board& board = threads.board;
  const auto from = [](unsigned thread) { return (1 + thread) << 20; };
  const auto to = [](unsigned thread) { return (9 + thread) << 20; };
  const auto start = [&](unsigned thread) {
    threads.job(thread, kCopy, kBytes / 4, 0);
    threads.command(thread, true, to(thread), kBytes);
    threads.command(thread, false, from(thread), kBytes);
  };
  const auto expect_done = [&](unsigned thread) {
    EXPECT_EQ(threads.result(thread), exclusive_or(threads.words(from(thread), kBytes)));
    EXPECT_TRUE(
        std::ranges::equal(threads.words(to(thread), kBytes), threads.words(from(thread), kBytes)))
        << "thread " << thread;
  };
  std::mt19937 random(2);
  for (unsigned t = 0; t < kThreads; ++t) {
    threads.grant(t, false, from(t), kBytes);
    threads.grant(t, true, to(t), kBytes);
    for (uint32_t& word : threads.words(from(t), kBytes)) word = uint32_t(random());
    start(t);
  }
  board.run_until_interrupt(Threads::mail_line(0), board.now_ps() + 20'000'000);  // of 82 us
  board.write32(kInterface + SL_STREAMIF_HALT_OFFSET, 1U << kHalted);
  uint32_t lines = 0;
  for (unsigned t = 0; t < kThreads; ++t)
    if (t != kHalted) lines |= Threads::mail_line(t) | 2U << (2 * t);
  board.write32(kInterface + SL_STREAMIF_IRQ_ENABLE_OFFSET, 0xffff);
  ASSERT_NE(threads.wait(lines), 0U);
  for (unsigned t = 0; t < kThreads; ++t)
    if (t != kHalted) expect_done(t);
  const uint32_t state = thread_base(kHalted) + kHwt + SL_HWT_STATE_OFFSET;
  EXPECT_EQ(board.read32(state), SL_HWT_STATE_HALTED_MASK);
  EXPECT_NE(board.read32(kInterface + SL_STREAMIF_IDLE_OFFSET) & 1U << kHalted, 0U);
  EXPECT_EQ(board.interrupts() & (Threads::mail_line(kHalted) | 3U << (2 * kHalted)), 0U);

  board.write32(kInterface + SL_STREAMIF_HALT_OFFSET, 0);
  start(kHalted);
  ASSERT_NE(threads.wait(Threads::mail_line(kHalted) | 2U << (2 * kHalted)), 0U);
  expect_done(kHalted);
  EXPECT_EQ(board.read32(state), 1U << SL_HWT_STATE_JOBS_SHIFT);
}

TEST(Streamif, RefusedCommandMovesNothing) {
  Threads threads(design());
  Board& board = threads.board;
  constexpr uint32_t kBlock = 1 << 20;
  threads.grant(2, true, kBlock, 4096);
  board.write32(kInterface + SL_STREAMIF_FAULT_IRQ_OFFSET, SL_STREAMIF_FAULT_IRQ_ENABLE_MASK);
  threads.command(2, true, kBlock + 4096, 64);
  ASSERT_NE(threads.wait(1U << 16), 0U);
  EXPECT_EQ(board.read32(kInterface + SL_STREAMIF_FAULT_OFFSET) & 0xffff,
            SL_STREAMIF_FAULT_VALID_MASK | SL_STREAMIF_FAULT_WRITE_MASK |
                2U << SL_STREAMIF_FAULT_THREAD_SHIFT);
  EXPECT_EQ(board.read32(kInterface + SL_STREAMIF_FAULT_ADDR_OFFSET), kBlock + 4096);
  EXPECT_TRUE(board.chip().idle());
}

}  // namespace
}  // namespace sluice::sim
