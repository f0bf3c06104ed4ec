// SPDX-License-Identifier: Apache-2.0
// What the tests of the hardware threads' designs (streamif_threads, memif_threads) share: their
// control space, and threads that move blocks, every byte verified.
#pragma once

#include <gtest/gtest.h>
#include <sl_hp_lane.h>
#include <sl_hwt.h>
#include <sl_stream_sink.h>
#include <sl_stream_source.h>
#include <sl_streamif.h>
#include <sl_streamif_channel.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/model/zynq7000_params.hpp"
#include "sluice/sim/board.hpp"
#include "sluice/sim/catalogue.hpp"

namespace sluice::sim {

inline std::unique_ptr<Design> thread_design(std::string_view name) {
  const auto& designs = std::ranges::find(catalogue(), "zynq7020", &BoardEntry::name)->designs;
  return std::ranges::find(designs, name, &DesignEntry::name)->make(32);
}

// The designs' control space (rtl/design/streamif_threads.sv).
constexpr uint32_t thread_base(unsigned thread) { return thread << 15; }
constexpr uint32_t kSource = 0x1000;
constexpr uint32_t kSink = 0x2000;
constexpr uint32_t kLane = 0x3000;
constexpr uint32_t kHwt = 0x4000;
constexpr uint32_t kInterface = 0x5'0000;
constexpr uint32_t channel_base(unsigned thread, bool write) {
  return kInterface + 0x1000 + 0x80 * (2 * thread + (write ? 1 : 0));
}

enum class Mode { read, write, both };

struct Threads {
  Board board;

  explicit Threads(std::unique_ptr<Design> design)
      : board(model::zynq7020(), std::move(design), 64, 100.0) {}

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

  // Gives thread `thread` its kernel and a job; its line is up once the result is there.
  void job(unsigned thread, uint32_t kernel, uint32_t a, uint32_t b) {
    const uint32_t base = thread_base(thread) + kHwt;
    board.write32(base + SL_HWT_KERNEL_OFFSET, kernel);
    board.write32(base + SL_HWT_IRQ_ENABLE_OFFSET, SL_HWT_IRQ_ENABLE_MAIL_MASK);
    board.write32(base + SL_HWT_PUT_OFFSET, a);
    board.write32(base + SL_HWT_PUT_OFFSET, b);
  }

  static uint32_t mail_line(unsigned thread) { return 1U << (17 + thread); }

  uint32_t result(unsigned thread) {
    const uint32_t base = thread_base(thread) + kHwt;
    EXPECT_EQ(board.read32(base + SL_HWT_GET_STATE_OFFSET) & SL_HWT_GET_STATE_FILL_MASK, 1U);
    return board.read32(base + SL_HWT_GET_OFFSET);
  }

  // Thread `to` takes what thread `from` sends.
  void route(unsigned to, unsigned from) {
    board.write32(kInterface + SL_STREAMIF_ROUTE_SET_OFFSET,
                  to << SL_STREAMIF_ROUTE_SET_THREAD_SHIFT |
                      from << SL_STREAMIF_ROUTE_SET_SOURCE_SHIFT |
                      SL_STREAMIF_ROUTE_SET_DIRECT_MASK | SL_STREAMIF_ROUTE_SET_GO_MASK);
  }

  // Worst wait of any thread's burst at its port so far, in cycles; each thread's by itself is
  // within it.
  uint32_t worst_wait(unsigned threads) {
    uint32_t worst = 0;
    for (unsigned channel = 0; channel < 2 * threads; ++channel)
      worst = std::max(worst, board.read32(channel_base(channel / 2, channel % 2 != 0) +
                                           SL_STREAMIF_CHANNEL_STATS_WORST_WAIT_OFFSET));
    return worst;
  }

  std::span<uint32_t> words(uint32_t address, uint32_t bytes) {
    return {reinterpret_cast<uint32_t*>(board.memory().host(address, bytes)), bytes / 4};
  }
};

struct Measured {
  double mb_s = 0;
  uint32_t worst_wait_cycles = 0;
};

// Each of `count` threads moves one block; buffers one after another from the next page on, each
// `stagger` bytes further into it than the one before. MB/s, all bytes over first command to last
// status; 0 if a byte is not where it should be.
inline Measured rate(std::unique_ptr<Design> design, unsigned count, Mode mode, uint32_t bytes,
                     uint32_t stagger = 0, uint32_t turn_cycles = SL_STREAMIF_TURNS_DEFAULT) {
  Threads threads(std::move(design));
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
  if (turn_cycles != SL_STREAMIF_TURNS_DEFAULT)
    board.write32(kInterface + SL_STREAMIF_TURNS_OFFSET, turn_cycles);

  const uint64_t start = board.now_ps();
  for (unsigned t = 0; t < count && writes; ++t) threads.command(t, true, to[t], bytes);
  for (unsigned t = 0; t < count && reads; ++t) threads.command(t, false, from[t], bytes);
  const uint64_t end = threads.wait(lines);
  if (end == 0) return {};

  for (unsigned t = 0; t < count; ++t) {
    for (const bool write : {false, true}) {
      if (!(write ? writes : reads)) continue;
      const uint32_t status =
          board.read32(channel_base(t, write) + SL_STREAMIF_CHANNEL_QUEUE_STATUS0_OFFSET);
      if (status != (bytes | SL_STREAMIF_CHANNEL_QUEUE_STATUS0_EOP_MASK)) return {};
    }
    uint32_t value = 0x1000'0000 * (t + 1);
    if (writes)
      for (const uint32_t word : threads.words(to[t], bytes))
        if (word != value++) return {};
    if (!writes) {
      const uint32_t sink = thread_base(t) + kSink;
      if (board.read32(sink + SL_STREAM_SINK_BYTES_LO_OFFSET) != bytes ||
          (board.read32(sink + SL_STREAM_SINK_STATUS_OFFSET) &
           SL_STREAM_SINK_STATUS_MISMATCH_MASK) != 0)
        return {};
    }
  }
  const double moved = double(bytes) * count * (reads && writes ? 2 : 1);
  return {moved / static_cast<double>(end - start) * 1e6, threads.worst_wait(count)};
}

}  // namespace sluice::sim
