// SPDX-License-Identifier: Apache-2.0
// Hardware threads on the memory of a Zynq-7020 (design streamif_threads): rates of one and eight
// threads, every byte verified, and a command that is refused.
#include <Vstreamif_threads_w64.h>
#include <gtest/gtest.h>
#include <sl_hp_lane.h>
#include <sl_stream_sink.h>
#include <sl_stream_source.h>
#include <sl_streamif.h>
#include <sl_streamif_channel.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "sluice/model/zynq7000_params.hpp"
#include "sluice/sim/board.hpp"
#include "verilated_hp.hpp"

namespace sluice::sim {
namespace {

// The design's control space (rtl/design/streamif_threads.sv).
constexpr uint32_t thread_base(unsigned thread) { return thread << 15; }
constexpr uint32_t kSource = 0x1000;
constexpr uint32_t kSink = 0x2000;
constexpr uint32_t kLane = 0x3000;
constexpr uint32_t kInterface = 0x5'0000;
constexpr uint32_t channel_base(unsigned thread, bool write) {
  return kInterface + 0x1000 + 0x80 * (2 * thread + (write ? 1 : 0));
}

enum class Mode { read, write, both };

struct Threads {
  Board board{model::zynq7020(),
              std::make_unique<VerilatedHpDesign<Vstreamif_threads_w64, QData>>("streamif_threads"),
              64, 100.0};

  // Grants the thread its window `write ? 1 : 0`, of the block alone.
  void grant(unsigned thread, bool write, uint32_t base, uint32_t bytes) {
    board.write32(kInterface + SL_STREAMIF_WINDOW_BASE_OFFSET, base);
    board.write32(kInterface + SL_STREAMIF_WINDOW_LIMIT_OFFSET, base + bytes - 1);
    board.write32(
        kInterface + SL_STREAMIF_WINDOW_SET_OFFSET,
        thread << SL_STREAMIF_WINDOW_SET_THREAD_SHIFT |
            (write ? 1U : 0U) << SL_STREAMIF_WINDOW_SET_WINDOW_SHIFT |
            (write ? SL_STREAMIF_WINDOW_SET_WRITE_MASK : SL_STREAMIF_WINDOW_SET_READ_MASK) |
            SL_STREAMIF_WINDOW_SET_GO_MASK);
  }

  void command(unsigned thread, bool write, uint32_t address, uint32_t bytes) {
    const uint32_t base = channel_base(thread, write);
    board.write32(base + SL_STREAMIF_CHANNEL_QUEUE_ADDR_OFFSET, address);
    board.write32(base + SL_STREAMIF_CHANNEL_QUEUE_COMMAND_OFFSET,
                  bytes | SL_STREAMIF_CHANNEL_QUEUE_COMMAND_IRQ_MASK |
                      SL_STREAMIF_CHANNEL_QUEUE_COMMAND_EOP_MASK);
  }

  // Runs until all of these lines are up; the time at which the last rose, or 0 after 100 ms.
  uint64_t wait(uint32_t lines) {
    const uint64_t limit = board.now_ps() + 100'000'000'000;
    while ((~board.interrupts() & lines) != 0 && board.now_ps() < limit)
      board.run_until_interrupt(lines & ~board.interrupts(), limit);
    if ((~board.interrupts() & lines) != 0) return 0;
    uint64_t last = 0;
    for (uint32_t left = lines; left != 0; left &= left - 1)
      last = std::max(last, board.interrupt_rise_ps(static_cast<unsigned>(std::countr_zero(left))));
    return last;
  }

  std::span<uint32_t> words(uint32_t address, uint32_t bytes) {
    return {reinterpret_cast<uint32_t*>(board.memory().host(address, bytes)), bytes / 4};
  }
};

// Each of `count` threads moves one block; buffers one after another from the next page on, each
// `stagger` bytes further into it than the one before. MB/s, all bytes over first command to last
// status; 0 if a byte is not where it should be.
double rate(unsigned count, Mode mode, uint32_t bytes, uint32_t stagger = 0) {
  Threads threads;
  Board& board = threads.board;
  const bool reads = mode != Mode::write;
  const bool writes = mode != Mode::read;
  uint32_t next = 1 << 20;
  uint32_t lines = 0;
  std::vector<uint32_t> from(count);
  std::vector<uint32_t> to(count);
  uint32_t buffers = 0;
  const auto place = [&] {
    const uint32_t at = (next + 4095) / 4096 * 4096 + stagger * buffers++;
    next = at + bytes;
    return at;
  };
  for (unsigned t = 0; t < count; ++t) {
    const uint32_t base = thread_base(t);
    if (reads) {
      from[t] = place();
      threads.grant(t, false, from[t], bytes);
      uint32_t value = 0x1000'0000 * (t + 1);
      for (uint32_t& word : threads.words(from[t], bytes)) word = value++;
      lines |= 1U << (2 * t);
    }
    if (writes) {
      to[t] = place();
      threads.grant(t, true, to[t], bytes);
      lines |= 2U << (2 * t);
    }
    if (reads && writes) {
      board.write32(base + kLane + SL_HP_LANE_ROUTE_OFFSET, SL_HP_LANE_ROUTE_LOOPBACK_MASK);
    } else if (reads) {
      board.write32(base + kSink + SL_STREAM_SINK_START_OFFSET, 0x1000'0000 * (t + 1));
      board.write32(base + kSink + SL_STREAM_SINK_CONTROL_OFFSET,
                    SL_STREAM_SINK_CONTROL_CLEAR_MASK | SL_STREAM_SINK_CONTROL_CHECK_MASK |
                        SL_STREAM_SINK_CONTROL_ENABLE_MASK);
    } else {
      board.write32(base + kSource + SL_STREAM_SOURCE_PACKET_BEATS_OFFSET, bytes / 4);
      board.write32(base + kSource + SL_STREAM_SOURCE_FRAME_PACKETS_OFFSET, 1);
      board.write32(base + kSource + SL_STREAM_SOURCE_FRAMES_OFFSET, 1);
      board.write32(base + kSource + SL_STREAM_SOURCE_START_OFFSET, 0x1000'0000 * (t + 1));
      board.write32(base + kSource + SL_STREAM_SOURCE_CONTROL_OFFSET,
                    SL_STREAM_SOURCE_CONTROL_CLEAR_MASK | SL_STREAM_SOURCE_CONTROL_ENABLE_MASK);
    }
  }
  board.write32(kInterface + SL_STREAMIF_IRQ_ENABLE_OFFSET, lines);

  const uint64_t start = board.now_ps();
  for (unsigned t = 0; t < count && writes; ++t) threads.command(t, true, to[t], bytes);
  for (unsigned t = 0; t < count && reads; ++t) threads.command(t, false, from[t], bytes);
  const uint64_t end = threads.wait(lines);
  if (end == 0) return 0;

  for (unsigned t = 0; t < count; ++t) {
    for (const bool write : {false, true}) {
      if (!(write ? writes : reads)) continue;
      const uint32_t status =
          board.read32(channel_base(t, write) + SL_STREAMIF_CHANNEL_QUEUE_STATUS0_OFFSET);
      if (status != (bytes | SL_STREAMIF_CHANNEL_QUEUE_STATUS0_EOP_MASK)) return 0;
    }
    uint32_t value = 0x1000'0000 * (t + 1);
    if (writes)
      for (const uint32_t word : threads.words(to[t], bytes))
        if (word != value++) return 0;
    if (!writes) {
      const uint32_t sink = thread_base(t) + kSink;
      if (board.read32(sink + SL_STREAM_SINK_BYTES_LO_OFFSET) != bytes ||
          (board.read32(sink + SL_STREAM_SINK_STATUS_OFFSET) &
           SL_STREAM_SINK_STATUS_MISMATCH_MASK) != 0)
        return 0;
    }
  }
  const double moved = double(bytes) * count * (reads && writes ? 2 : 1);
  return moved / static_cast<double>(end - start) * 1e6;
}

void expect_rate(unsigned count, Mode mode, const char* name, double least, uint32_t stagger = 0) {
  const double mb_s = rate(count, mode, 1 << 20, stagger);
  std::printf("figure: %u threads, %s, stagger %u: %.1f MB/s\n", count, name, stagger, mb_s);
  EXPECT_GE(mb_s, least) << count << " threads, " << name;
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

TEST(Streamif, EightThreadsReadAndWriteInOneBank) {
  expect_rate(8, Mode::both, "read and write, all buffers from the same bank on", 2600);
}

TEST(Streamif, RefusedCommandMovesNothing) {
  Threads threads;
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
