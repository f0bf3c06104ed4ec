// SPDX-License-Identifier: Apache-2.0
// Chains of descriptors on simulated boards, driven register by register as Linux's xilinx_dma
// does, on both levels, which take the same time; cdma's block RAM and ACP.
#include <capture.h>
#include <cdma.h>
#include <dma_loopback.h>
#include <gtest/gtest.h>
#include <hp_stress.h>
#include <sl_axi_cdma_bd.h>
#include <sl_axi_dma_bd.h>
#include <sl_timer.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "sluice/sim/board.hpp"
#include "sluice/sim/catalogue.hpp"
#include "sluice/sim/transaction_board.hpp"

namespace sluice::sim {
namespace {

constexpr uint64_t kMillisecond_ps = 1'000'000'000;
constexpr uint32_t kMm2sTable = 0x200000, kS2mmTable = 0x210000;
constexpr uint32_t kSource = 0x400000, kTarget = 0x800000;
constexpr uint32_t kWhole = SL_AXI_DMA_BD_CONTROL_SOP_MASK | SL_AXI_DMA_BD_CONTROL_EOP_MASK;
constexpr uint32_t kEnables = SL_AXI_DMA_S2MM_DMACR_RS_MASK | SL_AXI_DMA_S2MM_DMACR_IOC_IRQEN_MASK |
                              SL_AXI_DMA_S2MM_DMACR_ERR_IRQEN_MASK;

// Designs that capture, and the bytes of a beat. Of hp_stress_sg lane 0 has the same blocks at the
// same places.
constexpr std::pair<const char*, uint32_t> kCaptures[] = {
    {"capture", 8}, {"capture_32", 4}, {"capture_acp", 8}, {"hp_stress_sg", 8}};
static_assert(CAPTURE_HP_SOURCE(0) == HP_STRESS_HP_SOURCE(0) &&
              CAPTURE_HP_CAPABILITY(0) == HP_STRESS_HP_CAPABILITY(0));

constexpr unsigned kTailRing = 64;  // descriptors, of follow_tails()

// One direction of the engine at 0 of the control space.
struct Side {
  uint32_t control, status, first, tail;
};
constexpr Side kMm2s{SL_AXI_DMA_MM2S_DMACR_OFFSET, SL_AXI_DMA_MM2S_DMASR_OFFSET,
                     SL_AXI_DMA_MM2S_CURDESC_OFFSET, SL_AXI_DMA_MM2S_TAILDESC_OFFSET};
constexpr Side kS2mm{SL_AXI_DMA_S2MM_DMACR_OFFSET, SL_AXI_DMA_S2MM_DMASR_OFFSET,
                     SL_AXI_DMA_S2MM_CURDESC_OFFSET, SL_AXI_DMA_S2MM_TAILDESC_OFFSET};

enum class Level { rtl, transaction };

std::unique_ptr<LogicBoard> make_board(std::string_view name, std::string_view design, Level level,
                                       double clock_mhz = 100.0) {
  const auto board = std::ranges::find(catalogue(), name, &BoardEntry::name);
  const auto entry = std::ranges::find(board->designs, design, &DesignEntry::name);
  const auto& params = std::get<model::Zynq7000Params>(board->memory_system);
  const unsigned width_bits = entry->widths_bits.back();
  if (level == Level::rtl)
    return std::make_unique<Board>(params, entry->make(width_bits), width_bits, clock_mhz);
  return std::make_unique<TransactionBoard>(params, entry->transactions.value(), clock_mhz);
}

// What a driver of a board does.
struct Driven {
  // A ring of `count` descriptors at `table` for buffers of `bytes` from `buffers` on.
  void ring(uint32_t table, uint32_t buffers, unsigned count, uint32_t bytes) {
    for (unsigned n = 0; n < count; ++n) {
      const uint32_t words[8] = {table + (n + 1) % count * SL_AXI_DMA_BD_WINDOW,
                                 0,
                                 buffers + n * bytes,
                                 0,
                                 0,
                                 0,
                                 bytes | kWhole,
                                 0};
      std::memcpy(board->memory().host(table + n * SL_AXI_DMA_BD_WINDOW, sizeof words), words,
                  sizeof words);
    }
  }

  uint32_t status_of(uint32_t table, unsigned n) {
    uint32_t word = 0;
    std::memcpy(&word,
                board->memory().host(table + n * SL_AXI_DMA_BD_WINDOW + SL_AXI_DMA_BD_STATUS_OFFSET,
                                     sizeof word),
                sizeof word);
    return word;
  }

  void start(const Side& side, uint32_t table, uint32_t tail, unsigned threshold,
             uint32_t more = 0) {
    board->write32(side.first, table);
    board->write32(side.control,
                   kEnables | more | threshold << SL_AXI_DMA_S2MM_DMACR_IRQTHRESHOLD_SHIFT);
    board->write32(side.tail, tail);
  }

  // As a driver that queues one descriptor at a time, in each of the rings of kTailRing at
  // `tables`: whatever moment queue(first, offset) writes the tails at, the descriptors there
  // complete.
  template <size_t kRings, typename Queue>
  void follow_tails(const std::array<uint32_t, kRings>& tables, std::mt19937& random, Queue queue) {
    static_assert(SL_AXI_CDMA_BD_STATUS_OFFSET == SL_AXI_DMA_BD_STATUS_OFFSET);
    static_assert(SL_AXI_CDMA_BD_STATUS_COMPLETE_MASK == SL_AXI_DMA_BD_STATUS_COMPLETE_MASK);
    constexpr unsigned kRounds = 2000;
    for (unsigned round = 0; round < kRounds; ++round) {
      const unsigned n = round % kTailRing;
      const uint32_t at = n * SL_AXI_DMA_BD_WINDOW;
      for (const uint32_t table : tables)
        std::memset(board->memory().host(table + at + SL_AXI_DMA_BD_STATUS_OFFSET, 4), 0, 4);
      queue(round == 0, at);
      const auto complete = [&](uint32_t table) {
        return (status_of(table, n) & SL_AXI_DMA_BD_STATUS_COMPLETE_MASK) != 0;
      };
      const uint64_t late_ps = board->now_ps() + kMillisecond_ps;
      while (!std::ranges::all_of(tables, complete) && board->now_ps() < late_ps)
        board->run_until(board->now_ps() + 1'000'000);
      ASSERT_LT(board->now_ps(), late_ps) << "round " << round;
      board->run_until(board->now_ps() + random() % 3'000'000);
    }
  }

  std::span<uint8_t> bytes_at(uint32_t address, uint64_t bytes) {
    return {board->memory().host(address, bytes), bytes};
  }

  std::unique_ptr<LogicBoard> board;
};

struct Chain {
  unsigned count;
  uint32_t bytes;  // a descriptor
};

// A ring of copies by descriptors at kMm2sTable.
void ring_of_copies(Driven& driven, const Chain& chain, uint32_t from, uint32_t to) {
  for (unsigned n = 0; n < chain.count; ++n) {
    const uint32_t words[8] = {kMm2sTable + (n + 1) % chain.count * SL_AXI_CDMA_BD_WINDOW,
                               0,
                               from + n * chain.bytes,
                               0,
                               to + n * chain.bytes,
                               0,
                               chain.bytes,
                               0};
    const uint32_t place = kMm2sTable + n * SL_AXI_CDMA_BD_WINDOW;
    std::memcpy(driven.board->memory().host(place, sizeof words), words, sizeof words);
  }
}

void start_copies(LogicBoard& board, uint32_t first, uint32_t last, unsigned threshold) {
  board.write32(SL_AXI_CDMA_CDMACR_OFFSET, SL_AXI_CDMA_CDMACR_SGMODE_MASK |
                                               SL_AXI_CDMA_CDMACR_IOC_IRQEN_MASK |
                                               SL_AXI_CDMA_CDMACR_ERR_IRQEN_MASK |
                                               threshold << SL_AXI_CDMA_CDMACR_IRQTHRESHOLD_SHIFT);
  board.write32(SL_AXI_CDMA_CURDESC_OFFSET, first);
  board.write32(SL_AXI_CDMA_TAILDESC_OFFSET, last);
}

struct Descriptors : Driven, testing::TestWithParam<std::pair<const char*, Level>> {
  void make(std::string_view design) {
    board = make_board(GetParam().first, design, GetParam().second);
  }
};

INSTANTIATE_TEST_SUITE_P(Boards, Descriptors,
                         testing::Values(std::pair{"zynq7010", Level::rtl},
                                         std::pair{"zynq7020", Level::rtl},
                                         std::pair{"zynq7010", Level::transaction}),
                         [](const auto& param) {
                           return std::string(param.param.first) +
                                  (param.param.second == Level::rtl ? "Rtl" : "Transactions");
                         });

// Every byte comes back, every descriptor is complete, and the port is near its rate both ways with
// descriptors of a page.
TEST_P(Descriptors, LoopBackThroughOnePort) {
  make("dma_loopback");
  ASSERT_TRUE(board->read32(kMm2s.status) & SL_AXI_DMA_MM2S_DMASR_SGINCLD_MASK);
  constexpr unsigned kCount = 32;
  constexpr uint32_t kBytes = 4096;
  std::mt19937_64 random{1};
  const auto source = bytes_at(kSource, kCount * kBytes);
  std::ranges::generate(source, [&] { return static_cast<uint8_t>(random()); });
  ring(kMm2sTable, kSource, kCount, kBytes);
  ring(kS2mmTable, kTarget, kCount, kBytes);
  const auto last = [](uint32_t table) { return table + (kCount - 1) * SL_AXI_DMA_BD_WINDOW; };
  start(kS2mm, kS2mmTable, last(kS2mmTable), kCount);
  const uint64_t begun_ps = board->now_ps();
  start(kMm2s, kMm2sTable, last(kMm2sTable), kCount);
  board->run_until_interrupt(2, board->now_ps() + kMillisecond_ps);
  ASSERT_EQ(board->interrupts(), 3U);
  const double mb_s = kCount * kBytes * 1e6 / static_cast<double>(board->now_ps() - begun_ps);
  EXPECT_GT(mb_s, 650) << "of 800 MB/s each way";
  EXPECT_FALSE(board->read32(kS2mm.status) & SL_AXI_DMA_S2MM_DMASR_ERR_IRQ_MASK);
  EXPECT_TRUE(std::ranges::equal(source, bytes_at(kTarget, kCount * kBytes)));
  for (unsigned n = 0; n < kCount; ++n) {
    EXPECT_EQ(status_of(kMm2sTable, n), SL_AXI_DMA_BD_STATUS_COMPLETE_MASK | kBytes);
    EXPECT_EQ(status_of(kS2mmTable, n), SL_AXI_DMA_BD_STATUS_COMPLETE_MASK |
                                            SL_AXI_DMA_BD_STATUS_SOP_MASK |
                                            SL_AXI_DMA_BD_STATUS_EOP_MASK | kBytes);
  }
}

// One transfer each way at a time.
TEST_P(Descriptors, TailsAtAnyMomentAreFollowed) {
  make("dma_loopback");
  constexpr uint32_t kBytes = 64;
  std::mt19937 random(7);
  ring(kMm2sTable, kSource, kTailRing, kBytes);
  ring(kS2mmTable, kTarget, kTailRing, kBytes);
  follow_tails(std::array{kMm2sTable, kS2mmTable}, random, [&](bool first, uint32_t at) {
    if (first) {
      start(kS2mm, kS2mmTable, kS2mmTable, 1);
      start(kMm2s, kMm2sTable, kMm2sTable, 1);
    } else {
      board->write32(kS2mm.tail, kS2mmTable + at);
      board->run_until(board->now_ps() + random() % 400'000);
      board->write32(kMm2s.tail, kMm2sTable + at);
    }
  });
}

TEST_P(Descriptors, TailsOfCopiesAtAnyMomentAreFollowed) {
  make("cdma");
  std::mt19937 random(7);
  ring_of_copies(*this, {kTailRing, 64}, kSource, kTarget);
  follow_tails(std::array{kMm2sTable}, random, [&](bool first, uint32_t at) {
    if (first)
      start_copies(*board, kMm2sTable, kMm2sTable, 1);
    else
      board->write32(SL_AXI_CDMA_TAILDESC_OFFSET, kMm2sTable + at);
  });
}

// Periods of a free-running source at half the port's rate, captured round a small ring: an
// interrupt each, and no word is lost.
void capture_without_end(Driven& driven, uint32_t beat_bytes) {
  LogicBoard* const board = driven.board.get();
  constexpr unsigned kRing = 4, kPeriods = 10;
  constexpr uint32_t kBytes = 4096;
  const uint32_t beats = kBytes / beat_bytes;
  driven.ring(kS2mmTable, kTarget, kRing, kBytes);
  driven.start(kS2mm, kS2mmTable, kS2mmTable, 1, SL_AXI_DMA_S2MM_DMACR_CYCLIC_MASK);
  const auto source = [&](uint32_t offset, uint32_t value) {
    board->write32(CAPTURE_HP_SOURCE(0) + offset, value);
  };
  source(SL_STREAM_SOURCE_PACKET_BEATS_OFFSET, beats);
  source(SL_STREAM_SOURCE_FRAME_PACKETS_OFFSET, 1);
  source(SL_STREAM_SOURCE_FRAME_TICKS_OFFSET, 2 * beats);
  source(SL_STREAM_SOURCE_CONTROL_OFFSET, SL_STREAM_SOURCE_CONTROL_ENABLE_MASK |
                                              SL_STREAM_SOURCE_CONTROL_CONTINUOUS_MASK |
                                              SL_STREAM_SOURCE_CONTROL_FREE_RUN_MASK);
  uint32_t word = 0;
  for (unsigned period = 0; period < kPeriods; ++period) {
    board->run_until_interrupt(2, board->now_ps() + kMillisecond_ps);
    ASSERT_EQ(board->interrupts(), 2U) << "period " << period;
    board->write32(kS2mm.status, SL_AXI_DMA_S2MM_DMASR_IOC_IRQ_MASK);
    const auto data = driven.bytes_at(kTarget + period % kRing * kBytes, kBytes);
    for (uint32_t at = 0; at < kBytes; at += 4, ++word) {
      uint32_t found = 0;
      std::memcpy(&found, &data[at], sizeof found);
      ASSERT_EQ(found, word) << "period " << period << ", byte " << at;
    }
  }
  EXPECT_EQ(board->read32(CAPTURE_HP_CAPABILITY(0) + SL_CAPABILITY_CHANNEL0_DROPS_LO_OFFSET), 0U);
  EXPECT_GE(board->read32(CAPTURE_HP_CAPABILITY(0) + SL_CAPABILITY_CHANNEL0_PERIODS_OFFSET),
            kPeriods);
}

TEST_P(Descriptors, CaptureWithoutEnd) {
  for (const auto& [design, beat_bytes] : kCaptures) {
    SCOPED_TRACE(design);
    make(design);
    capture_without_end(*this, beat_bytes);
  }
}

// The same accesses at both levels: the same values, interrupts in the same cycles, and where
// nothing but a counter moves, it has counted what was skipped.
TEST(Levels, ATimerIsTheSame) {
  constexpr uint32_t kTimer = CAPTURE_HP_TIMER(0);
  constexpr uint64_t kLine = 4;
  std::vector<uint64_t> found[2];
  for (const Level level : {Level::rtl, Level::transaction}) {
    auto board = make_board("zynq7010", "capture", level);
    auto& told = found[level == Level::rtl ? 0 : 1];
    const auto read = [&](uint32_t offset) {
      told.push_back(board->read32(kTimer + offset));
      return told.back();
    };
    const auto write = [&](uint32_t offset, uint32_t value) {
      board->write32(kTimer + offset, value);
      told.push_back(board->cycles());
    };
    const auto interrupt = [&](uint64_t within_ps) {
      board->run_until_interrupt(kLine, board->now_ps() + within_ps);
      told.push_back(board->interrupts());
      told.push_back(board->cycles());
    };
    EXPECT_EQ(read(SL_TIMER_IDENTITY_OFFSET), SL_TIMER_IDENTITY_DEFAULT);
    write(SL_TIMER_SCRATCH_OFFSET, 0x89ab'cdef);
    EXPECT_EQ(read(SL_TIMER_SCRATCH_OFFSET), 0x89ab'cdefU);
    write(SL_TIMER_IDENTITY_OFFSET, 1);
    read(SL_TIMER_IDENTITY_OFFSET);
    write(SL_TIMER_IRQ_ENABLE_OFFSET, SL_TIMER_IRQ_ENABLE_EXPIRED_MASK);
    for (const uint32_t delay : {1U, 2U, 10U, 50U, 100U, 5000U}) {
      write(SL_TIMER_DELAY_OFFSET, delay);
      interrupt(kMillisecond_ps);
      EXPECT_EQ(board->interrupts(), kLine);
      const uint64_t rise_ps = board->interrupt_rise_ps(2);
      const uint64_t expired = read(SL_TIMER_EXPIRED_OFFSET);
      EXPECT_EQ(expired, rise_ps / 10'000) << "at 100 MHz";
      const uint64_t cycles = read(SL_TIMER_CYCLES_LO_OFFSET);
      // The answer of a read is on its way for a fixed time.
      told.push_back((board->now_ps() - rise_ps) / 10'000 - (cycles - expired));
      write(SL_TIMER_EVENT_OFFSET, SL_TIMER_EVENT_EXPIRED_MASK);
      EXPECT_EQ(board->interrupts(), 0U);
    }
    // Masked, stopped, started again before its end.
    write(SL_TIMER_IRQ_ENABLE_OFFSET, 0);
    write(SL_TIMER_DELAY_OFFSET, 20);
    interrupt(kMillisecond_ps / 1000);
    EXPECT_EQ(read(SL_TIMER_EVENT_OFFSET), SL_TIMER_EVENT_EXPIRED_MASK);
    write(SL_TIMER_EVENT_OFFSET, SL_TIMER_EVENT_EXPIRED_MASK);
    write(SL_TIMER_IRQ_ENABLE_OFFSET, SL_TIMER_IRQ_ENABLE_EXPIRED_MASK);
    write(SL_TIMER_DELAY_OFFSET, 500);
    write(SL_TIMER_DELAY_OFFSET, 0);
    interrupt(kMillisecond_ps);
    EXPECT_EQ(board->interrupts(), 0U);
    EXPECT_TRUE(board->at_rest());
    write(SL_TIMER_DELAY_OFFSET, 500);
    write(SL_TIMER_DELAY_OFFSET, 700);
    interrupt(kMillisecond_ps);
    // Three seconds of nothing, which take no time of the host.
    board->run_until(board->now_ps() + 3000 * kMillisecond_ps);
    EXPECT_TRUE(board->at_rest());
    EXPECT_GT(read(SL_TIMER_CYCLES_LO_OFFSET), 300'000'000U);
    read(SL_TIMER_CYCLES_HI_OFFSET);
  }
  EXPECT_EQ(found[0], found[1]);
}

struct Copies : Driven, testing::TestWithParam<const char*> {
  void make(std::string_view design) {
    auto made = make_board(GetParam(), design, Level::rtl);
    rtl = static_cast<Board*>(made.get());
    board = std::move(made);
  }

  // A copy by an engine of cdma; returns the time from its start to its interrupt.
  uint64_t copy(unsigned port, uint32_t from, uint32_t to, uint32_t bytes) {
    const uint32_t base = CDMA_HP_CDMA(port);
    board->write32(base + SL_AXI_CDMA_CDMACR_OFFSET,
                   SL_AXI_CDMA_CDMACR_IOC_IRQEN_MASK | SL_AXI_CDMA_CDMACR_ERR_IRQEN_MASK);
    board->write32(base + SL_AXI_CDMA_SA_OFFSET, from);
    board->write32(base + SL_AXI_CDMA_DA_OFFSET, to);
    board->write32(base + SL_AXI_CDMA_BTT_OFFSET, bytes);
    const uint64_t begun_ps = board->now_ps();
    board->run_until_interrupt(uint64_t{1} << port, begun_ps + kMillisecond_ps);
    const uint64_t took_ps = board->now_ps() - begun_ps;
    const uint32_t status = board->read32(base + SL_AXI_CDMA_CDMASR_OFFSET);
    board->write32(base + SL_AXI_CDMA_CDMASR_OFFSET, SL_AXI_CDMA_CDMASR_IOC_IRQ_MASK);
    EXPECT_EQ(status & (SL_AXI_CDMA_CDMASR_IOC_IRQ_MASK | SL_AXI_CDMA_CDMASR_ERR_IRQ_MASK),
              SL_AXI_CDMA_CDMASR_IOC_IRQ_MASK);
    return took_ps;
  }

  Board* rtl = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Boards, Copies, testing::Values("zynq7010", "zynq7020"),
                         [](const auto& param) { return std::string(param.param); });

// Memory to the engine's block RAM and back, an engine after the other; the board shows it there.
TEST_P(Copies, CopyThroughBlockRam) {
  make("cdma");
  constexpr uint32_t kBytes = 32768;
  std::mt19937_64 random{2};
  const auto source = bytes_at(kSource, kBytes), target = bytes_at(kTarget, kBytes);
  std::ranges::generate(source, [&] { return static_cast<uint8_t>(random()); });
  for (unsigned port = 0; port < CDMA_HP_COUNT; ++port) {
    std::ranges::fill(target, uint8_t{0});
    const uint64_t offset = port * rtl->lane_ram_bytes();
    const auto ram = static_cast<uint32_t>(kRamAddress + offset);
    copy(port, kSource, ram, kBytes);
    EXPECT_TRUE(std::equal(source.begin(), source.end(), rtl->ram(offset, kBytes)));
    copy(port, ram, kTarget, kBytes);
    EXPECT_TRUE(std::ranges::equal(source, target)) << "engine " << port;
  }
}

// DDR to the chip's memory and back, on an HP port and on the ACP; at its end there is nothing
// more.
TEST_P(Copies, CopyThroughOnChipMemory) {
  constexpr uint32_t kBytes = 32768, kOnChip = 0xfffc'0000, kLast = kOnChip + 0x4'0000 - kBytes;
  for (const char* design : {"cdma", "cdma_acp"}) {
    make(design);
    std::mt19937_64 random{4};
    const auto source = bytes_at(kSource, kBytes), target = bytes_at(kTarget, kBytes);
    std::ranges::generate(source, [&] { return static_cast<uint8_t>(random()); });
    copy(0, kSource, kLast, kBytes);
    EXPECT_TRUE(
        std::equal(source.begin(), source.end(), board->on_chip_memory()->host(kLast, kBytes)));
    copy(0, kLast, kTarget, kBytes);
    EXPECT_TRUE(std::ranges::equal(source, target));
    EXPECT_TRUE(rtl->chip().idle());
    constexpr uint32_t kBelow = kOnChip - 64, kNothing = 0xfff0'0000;
    for (const auto& [from, to] : {std::pair{kBelow, kTarget}, std::pair{kSource, kBelow},
                                   std::pair{kNothing, kOnChip}, std::pair{kOnChip, kNothing}}) {
      board->write32(CDMA_HP_CDMA(0) + SL_AXI_CDMA_CDMACR_OFFSET, SL_AXI_CDMA_CDMACR_RESET_MASK);
      board->run_until(board->now_ps() + kMillisecond_ps);
      board->write32(CDMA_HP_CDMA(0) + SL_AXI_CDMA_SA_OFFSET, from);
      board->write32(CDMA_HP_CDMA(0) + SL_AXI_CDMA_DA_OFFSET, to);
      board->write32(CDMA_HP_CDMA(0) + SL_AXI_CDMA_BTT_OFFSET, 64);
      board->run_until(board->now_ps() + kMillisecond_ps);
      EXPECT_TRUE(board->read32(CDMA_HP_CDMA(0) + SL_AXI_CDMA_CDMASR_OFFSET) &
                  SL_AXI_CDMA_CDMASR_DMADECERR_MASK);
    }
  }
}

// The same engine on the ACP: a short copy finds its source in the L2 cache the second time; a long
// one of any alignment brings every byte and no other.
TEST_P(Copies, CopyThroughTheAcp) {
  make("cdma_acp");
  constexpr uint32_t kShort = 64, kBytes = 32768;
  std::mt19937_64 random{3};
  const auto source = bytes_at(kSource + 3, kBytes), target = bytes_at(kTarget, kBytes + 16);
  std::ranges::generate(source, [&] { return static_cast<uint8_t>(random()); });
  const uint64_t first_ps = copy(0, kSource + 3, kTarget + 6, kShort);
  const uint64_t second_ps = copy(0, kSource + 3, kTarget + 6, kShort);
  EXPECT_LT(second_ps, first_ps * 9 / 10);
  copy(0, kSource + 3, kTarget + 6, kBytes);
  EXPECT_TRUE(std::ranges::equal(source, target.subspan(6, kBytes)));
  EXPECT_EQ(target[5], 0U);
  EXPECT_EQ(target[6 + kBytes], 0U);
  EXPECT_TRUE(rtl->chip().idle());
}

// ------------------------------------------------------------------- both levels, the same times

// Times from the write of the first tail to an interrupt, in ns.
uint64_t interrupt_ns(LogicBoard& board, uint64_t line, uint64_t begun_ps) {
  board.run_until_interrupt(line, begun_ps + kMillisecond_ps);
  EXPECT_NE(board.interrupts() & line, 0U);
  return (board.now_ps() - begun_ps) / 1000;
}

uint64_t loop_back_ns(Level level, const Chain& chain) {
  Driven driven{make_board("zynq7010", "dma_loopback", level)};
  driven.ring(kMm2sTable, kSource, chain.count, chain.bytes);
  driven.ring(kS2mmTable, kTarget, chain.count, chain.bytes);
  const uint32_t last = (chain.count - 1) * SL_AXI_DMA_BD_WINDOW;
  driven.start(kS2mm, kS2mmTable, kS2mmTable + last, chain.count);
  const uint64_t begun_ps = driven.board->now_ps();
  driven.start(kMm2s, kMm2sTable, kMm2sTable + last, chain.count);
  return interrupt_ns(*driven.board, 2, begun_ps);
}

TEST(Levels, AChainOfALoopBackTakesTheSameTime) {
  for (const Chain& chain : {Chain{1, 64},
                             {1, 4096},
                             {2, 64},
                             {8, 64},
                             {32, 64},
                             {4, 1024},
                             {32, 1024},
                             {16, 4096},
                             {4, 65536}}) {
    const auto rtl = static_cast<double>(loop_back_ns(Level::rtl, chain));
    const auto fast = static_cast<double>(loop_back_ns(Level::transaction, chain));
    EXPECT_NEAR(fast, rtl, std::max(30.0, rtl * 0.002))
        << chain.count << " of " << chain.bytes << " bytes";
  }
}

uint64_t copy_chain_ns(Level level, const Chain& chain, uint32_t from = kSource,
                       uint32_t to = kTarget) {
  Driven driven{make_board("zynq7010", "cdma", level)};
  ring_of_copies(driven, chain, from, to);
  const uint64_t begun_ps = driven.board->now_ps();
  start_copies(*driven.board, kMm2sTable, kMm2sTable + (chain.count - 1) * SL_AXI_CDMA_BD_WINDOW,
               chain.count);
  return interrupt_ns(*driven.board, 1, begun_ps);
}

TEST(Levels, AChainOfCopiesTakesTheSameTime) {
  for (const Chain& chain : {Chain{1, 64},
                             {1, 4096},
                             {2, 64},
                             {8, 64},
                             {32, 64},
                             {4, 1024},
                             {32, 1024},
                             {16, 4096},
                             {4, 65536}}) {
    const auto rtl = static_cast<double>(copy_chain_ns(Level::rtl, chain));
    const auto fast = static_cast<double>(copy_chain_ns(Level::transaction, chain));
    EXPECT_NEAR(fast, rtl, std::max(30.0, rtl * 0.002))
        << chain.count << " of " << chain.bytes << " bytes";
  }
}

TEST(Levels, CopiesIntoAndOutOfBlockRamTakeTheSameTime) {
  constexpr auto kRam = static_cast<uint32_t>(kRamAddress);
  for (const auto& [from, to] : {std::pair{kSource, kRam}, {kRam, kTarget}, {kRam, kRam + 16384}})
    for (const Chain& chain : {Chain{1, 64}, {1, 4096}, {16, 64}, {4, 1024}, {2, 8192}}) {
      const auto rtl = static_cast<double>(copy_chain_ns(Level::rtl, chain, from, to));
      const auto fast = static_cast<double>(copy_chain_ns(Level::transaction, chain, from, to));
      // Within the RAM, where reads and writes meet, up to ten cycles.
      const double least = from == kRam && to != kTarget ? 100.0 : 30.0;
      EXPECT_NEAR(fast, rtl, std::max(least, rtl * 0.002))
          << chain.count << " of " << chain.bytes << " bytes, " << from << " to " << to;
    }
}

TEST(Levels, CopiesToAndFromOnChipMemoryTakeTheSameTime) {
  constexpr uint32_t kOnChip = 0xfffc'0000;
  for (const auto& [from, to] :
       {std::pair{kSource, kOnChip}, {kOnChip, kTarget}, {kOnChip, kOnChip + 0x2'0000}})
    for (const Chain& chain : {Chain{1, 64}, {1, 4096}, {16, 64}, {4, 1024}, {2, 8192}}) {
      const auto rtl = static_cast<double>(copy_chain_ns(Level::rtl, chain, from, to));
      const auto fast = static_cast<double>(copy_chain_ns(Level::transaction, chain, from, to));
      EXPECT_NEAR(fast, rtl, std::max(30.0, rtl * 0.002))
          << chain.count << " of " << chain.bytes << " bytes, " << from << " to " << to;
    }
}

// --------------------------------------------------------- both levels, the same to a driver's eye

using Seen = std::vector<uint32_t>;

// What a driver reads that does the same on each level.
template <typename Script>
void expect_alike(std::string_view design, Script script) {
  std::vector<Seen> seen;
  for (const Level level : {Level::rtl, Level::transaction}) {
    Driven driven{make_board("zynq7010", design, level)};
    script(driven, seen.emplace_back());
  }
  EXPECT_EQ(seen[0], seen[1]);
}

void look(Driven& driven, Seen& seen, const Side& side) {
  seen.push_back(driven.board->read32(side.status));
  seen.push_back(driven.board->read32(side.control));
  seen.push_back(driven.board->read32(side.first));
  seen.push_back(static_cast<uint32_t>(driven.board->interrupts()));
}

void wait_us(Driven& driven, unsigned us) {
  driven.board->run_until(driven.board->now_ps() + us * 1'000'000ULL);
}

constexpr uint32_t kNothing = 0x7000'0000;  // no memory is there
constexpr uint32_t kReset = SL_AXI_DMA_MM2S_DMACR_RESET_MASK;

// What is wrong with a chain of four. How far a packet came before a halt is a matter of cycles, so
// each is done on a board of its own.
enum class Wrong { chain, buffer, target, complete, empty, nothing };

class Errors : public testing::TestWithParam<std::tuple<bool, Wrong>> {};

INSTANTIATE_TEST_SUITE_P(
    Levels, Errors,
    testing::Combine(testing::Bool(), testing::Values(Wrong::chain, Wrong::buffer, Wrong::complete,
                                                      Wrong::empty, Wrong::nothing)));

TEST_P(Errors, LookAlike) {
  const auto [to_memory, wrong] = GetParam();
  const Side& side = to_memory ? kS2mm : kMm2s;
  expect_alike("hp_stress_sg", [&](Driven& driven, Seen& seen) {
    const auto word = [&](unsigned n, uint32_t offset) -> uint32_t& {
      return *reinterpret_cast<uint32_t*>(driven.board->memory().host(
          kMm2sTable + n * SL_AXI_DMA_BD_WINDOW + offset, sizeof(uint32_t)));
    };
    driven.ring(kMm2sTable, kSource, 4, 512);
    if (wrong == Wrong::buffer) word(0, SL_AXI_DMA_BD_BUFFER_OFFSET) = kNothing;
    if (wrong == Wrong::complete)
      word(2, SL_AXI_DMA_BD_STATUS_OFFSET) = SL_AXI_DMA_BD_STATUS_COMPLETE_MASK;
    if (wrong == Wrong::empty) word(1, SL_AXI_DMA_BD_CONTROL_OFFSET) = kWhole;
    driven.board->write32(HP_STRESS_HP_SOURCE_OFFSET + SL_STREAM_SOURCE_PACKET_BEATS_OFFSET, 64);
    driven.board->write32(
        HP_STRESS_HP_SOURCE_OFFSET + SL_STREAM_SOURCE_CONTROL_OFFSET,
        SL_STREAM_SOURCE_CONTROL_ENABLE_MASK | SL_STREAM_SOURCE_CONTROL_CONTINUOUS_MASK);
    driven.board->write32(HP_STRESS_HP_SINK_OFFSET + SL_STREAM_SINK_CONTROL_OFFSET,
                          SL_STREAM_SINK_CONTROL_ENABLE_MASK);
    driven.start(side, wrong == Wrong::chain ? kNothing : kMm2sTable,
                 kMm2sTable + 3 * SL_AXI_DMA_BD_WINDOW, 1);
    wait_us(driven, 20);
    look(driven, seen, side);
    for (unsigned n = 0; n < 4; ++n) seen.push_back(driven.status_of(kMm2sTable, n));
    driven.board->write32(side.control, kReset);
    wait_us(driven, 1);
    look(driven, seen, side);
  });
}

class CopyErrors : public testing::TestWithParam<Wrong> {};

INSTANTIATE_TEST_SUITE_P(Levels, CopyErrors,
                         testing::Values(Wrong::chain, Wrong::buffer, Wrong::target,
                                         Wrong::complete, Wrong::nothing));

// Then a new tail goes on, or, after an error, nothing does until a reset.
TEST_P(CopyErrors, LookAlike) {
  expect_alike("cdma", [&](Driven& driven, Seen& seen) {
    LogicBoard& board = *driven.board;
    const auto at = [](unsigned n) { return kMm2sTable + n * SL_AXI_CDMA_BD_WINDOW; };
    const auto word = [&](unsigned n, uint32_t offset) -> uint32_t& {
      return *reinterpret_cast<uint32_t*>(board.memory().host(at(n) + offset, sizeof(uint32_t)));
    };
    const auto look = [&] {
      for (const uint32_t offset : {SL_AXI_CDMA_CDMACR_OFFSET, SL_AXI_CDMA_CDMASR_OFFSET,
                                    SL_AXI_CDMA_CURDESC_OFFSET, SL_AXI_CDMA_TAILDESC_OFFSET})
        seen.push_back(board.read32(offset));
      seen.push_back(static_cast<uint32_t>(board.interrupts()));
      for (unsigned n = 0; n < 6; ++n) seen.push_back(word(n, SL_AXI_CDMA_BD_STATUS_OFFSET));
    };
    ring_of_copies(driven, {6, 512}, kSource, kTarget);
    if (GetParam() == Wrong::buffer) word(1, SL_AXI_CDMA_BD_SA_OFFSET) = kNothing;
    if (GetParam() == Wrong::target) word(1, SL_AXI_CDMA_BD_DA_OFFSET) = kNothing;
    if (GetParam() == Wrong::complete)
      word(2, SL_AXI_CDMA_BD_STATUS_OFFSET) = SL_AXI_CDMA_BD_STATUS_COMPLETE_MASK;
    start_copies(board, GetParam() == Wrong::chain ? kNothing : at(0), at(3), 2);
    wait_us(driven, 20);
    look();
    board.write32(SL_AXI_CDMA_CDMASR_OFFSET, SL_AXI_CDMA_CDMASR_IOC_IRQ_MASK);
    board.write32(SL_AXI_CDMA_TAILDESC_OFFSET, at(5));
    wait_us(driven, 20);
    look();
    board.write32(SL_AXI_CDMA_CDMACR_OFFSET, SL_AXI_CDMA_CDMACR_RESET_MASK);
    wait_us(driven, 1);
    look();
    ring_of_copies(driven, {6, 512}, kSource, kTarget);
    start_copies(board, at(0), at(3), 4);
    wait_us(driven, 20);
    look();
    board.write32(SL_AXI_CDMA_CDMACR_OFFSET, 0);
    look();
  });
}

// PG021: a tail written again while the channel is not idle moves nothing; of an idle one it does,
// once software has taken the descriptor back. A new one goes on behind the old.
TEST(Levels, TailsAreAlike) {
  expect_alike("hp_stress_sg", [&](Driven& driven, Seen& seen) {
    constexpr uint32_t kBytes = 512;
    const auto at = [](unsigned n) { return kS2mmTable + n * SL_AXI_DMA_BD_WINDOW; };
    const auto send = [&](unsigned packets) {
      constexpr uint32_t kSourceAt = HP_STRESS_HP_SOURCE_OFFSET;
      driven.board->write32(kSourceAt + SL_STREAM_SOURCE_PACKET_BEATS_OFFSET, kBytes / 8);
      for (unsigned n = 0; n < packets; ++n) {
        driven.board->write32(kSourceAt + SL_STREAM_SOURCE_CONTROL_OFFSET,
                              SL_STREAM_SOURCE_CONTROL_ENABLE_MASK);
        wait_us(driven, 4);
      }
      for (unsigned n = 0; n < 4; ++n) seen.push_back(driven.status_of(kS2mmTable, n));
      look(driven, seen, kS2mm);
    };
    driven.ring(kS2mmTable, kTarget, 4, kBytes);
    driven.start(kS2mm, at(0), at(1), 1);
    wait_us(driven, 3);
    driven.board->write32(kS2mm.tail, at(1));
    send(1);
    driven.board->write32(kS2mm.tail, at(1));
    send(3);  // two of which wait
    driven.board->write32(kS2mm.tail, at(3));
    send(0);
    wait_us(driven, 5);
    send(0);
    driven.ring(kS2mmTable, kTarget, 4, kBytes);
    driven.board->write32(kS2mm.tail, at(3));
    send(4);
  });
}

// A receiver that has no data stops, and goes on elsewhere; a reset amid transfers ends them.
TEST(Levels, StopsAndResetsLookAlike) {
  expect_alike("dma_loopback", [&](Driven& driven, Seen& seen) {
    driven.ring(kS2mmTable, kTarget, 8, 4096);
    driven.ring(kMm2sTable, kSource, 8, 4096);
    const uint32_t last = 7 * SL_AXI_DMA_BD_WINDOW;
    driven.start(kS2mm, kS2mmTable, kS2mmTable + last, 1);
    wait_us(driven, 3);
    driven.board->write32(kS2mm.control, 0);
    wait_us(driven, 2);
    look(driven, seen, kS2mm);
    driven.start(kS2mm, kS2mmTable, kS2mmTable + last, 8);
    driven.start(kMm2s, kMm2sTable, kMm2sTable + last, 8);
    wait_us(driven, 12);
    driven.board->write32(kMm2s.control, kReset);
    wait_us(driven, 10);
    look(driven, seen, kMm2s);
    look(driven, seen, kS2mm);
    std::memset(driven.board->memory().host(kTarget, 8 * 4096), 0, 8 * 4096);
    driven.ring(kS2mmTable, kTarget, 8, 4096);
    driven.ring(kMm2sTable, kSource, 8, 4096);
    driven.start(kS2mm, kS2mmTable, kS2mmTable + last, 8);
    driven.start(kMm2s, kMm2sTable, kMm2sTable + last, 8);
    wait_us(driven, 60);
    for (unsigned n = 0; n < 8; ++n) seen.push_back(driven.status_of(kS2mmTable, n));
    look(driven, seen, kMm2s);
    look(driven, seen, kS2mm);
    driven.board->write32(kS2mm.control, 0);
    driven.board->write32(kMm2s.control, 0);
    wait_us(driven, 2);
    look(driven, seen, kMm2s);
    look(driven, seen, kS2mm);
  });
}

// The delay of the interrupts, which a threshold above the packets leaves to tell of them.
TEST(Levels, DelayedInterruptsComeAtTheSameTime) {
  std::vector<double> ns;
  for (const Level level : {Level::rtl, Level::transaction}) {
    Driven driven{make_board("zynq7010", "dma_loopback", level)};
    driven.ring(kS2mmTable, kTarget, 4, 512);
    driven.ring(kMm2sTable, kSource, 4, 512);
    const uint32_t last = 3 * SL_AXI_DMA_BD_WINDOW;
    driven.start(kS2mm, kS2mmTable, kS2mmTable + last, 64,
                 SL_AXI_DMA_S2MM_DMACR_DLY_IRQEN_MASK | 8U << SL_AXI_DMA_S2MM_DMACR_IRQDELAY_SHIFT);
    const uint64_t begun_ps = driven.board->now_ps();
    driven.start(kMm2s, kMm2sTable, kMm2sTable + last, 4);
    ns.push_back(static_cast<double>(interrupt_ns(*driven.board, 2, begun_ps)));
  }
  EXPECT_NEAR(ns[0], ns[1], 30.0);
  EXPECT_GT(ns[0], 8 * 125 * 10.0);
}

// A source of a beat a cycle, which the port takes or does not: it loses as much, and the block
// says so of each period.
struct Pace {
  double clock_mhz;
  uint32_t bytes;  // a descriptor
  bool loses;
  double error;  // of the bytes that come
};

void compare_losses(const char* design, uint32_t beat_bytes, const Pace& pace) {
  struct Lost {
    double beats, bytes, time, moved;
  };
  std::vector<Lost> lost;
  for (const Level level : {Level::rtl, Level::transaction}) {
    Driven driven{make_board("zynq7010", design, level, pace.clock_mhz)};
    LogicBoard& board = *driven.board;
    driven.ring(kS2mmTable, kTarget, 16, pace.bytes);
    driven.start(kS2mm, kS2mmTable, kS2mmTable, 1, SL_AXI_DMA_S2MM_DMACR_CYCLIC_MASK);
    const auto source = [&](uint32_t offset, uint32_t value) {
      board.write32(CAPTURE_HP_SOURCE(0) + offset, value);
    };
    source(SL_STREAM_SOURCE_PACKET_BEATS_OFFSET, 4096 / beat_bytes);
    source(SL_STREAM_SOURCE_CONTROL_OFFSET, SL_STREAM_SOURCE_CONTROL_ENABLE_MASK |
                                                SL_STREAM_SOURCE_CONTROL_CONTINUOUS_MASK |
                                                SL_STREAM_SOURCE_CONTROL_FREE_RUN_MASK);
    wait_us(driven, 500);
    const auto block = [&](uint32_t offset) {
      return board.read32(CAPTURE_HP_CAPABILITY(0) + offset);
    };
    const uint32_t periods = block(SL_CAPABILITY_CHANNEL0_PERIODS_OFFSET);
    board.write32(CAPTURE_HP_CAPABILITY(0) + SL_CAPABILITY_CHANNEL0_SELECT_OFFSET, periods - 1);
    EXPECT_TRUE(block(SL_CAPABILITY_CHANNEL0_SNAP_STATE_OFFSET));
    lost.push_back({static_cast<double>(block(SL_CAPABILITY_CHANNEL0_SNAP_DROPS_LO_OFFSET)),
                    static_cast<double>(block(SL_CAPABILITY_CHANNEL0_SNAP_BYTES_LO_OFFSET)),
                    static_cast<double>(block(SL_CAPABILITY_CHANNEL0_SNAP_TIME_LO_OFFSET)),
                    static_cast<double>(block(SL_CAPABILITY_CHANNEL0_BEATS_LO_OFFSET))});
    EXPECT_NEAR(lost.back().moved * beat_bytes, lost.back().bytes, 8192);
  }
  EXPECT_EQ(lost[0].beats != 0, pace.loses);
  EXPECT_NEAR(lost[0].bytes, lost[1].bytes, lost[0].bytes * pace.error);
  EXPECT_NEAR(lost[0].time, lost[1].time, lost[0].time * 0.005);
  EXPECT_NEAR(lost[0].beats, lost[1].beats, lost[0].beats * 0.02 + 16);
}

// Of descriptors of four beats the engine takes longer than the source.
TEST(Levels, ACaptureLosesTheSame) {
  for (const auto& [design, beat_bytes] : kCaptures) {
    SCOPED_TRACE(design);
    compare_losses(design, beat_bytes, {100.0, 1024, false, 0.005});
    compare_losses(design, beat_bytes, {100.0, 4 * beat_bytes, true, 0.02});
  }
}

// A source in front of an engine that is halted drops; CLEAR forgets that, the block does not.
TEST(Levels, ABlockKeepsTheDropsThatASourceForgets) {
  for (const auto& [design, beat_bytes] : kCaptures) {
    SCOPED_TRACE(design);
    std::vector<uint32_t> kept;
    for (const Level level : {Level::rtl, Level::transaction}) {
      Driven driven{make_board("zynq7010", design, level)};
      LogicBoard& board = *driven.board;
      const auto control = [&](uint32_t value) {
        board.write32(CAPTURE_HP_SOURCE(0) + SL_STREAM_SOURCE_CONTROL_OFFSET, value);
      };
      const auto drops = [&](uint32_t offset) { return board.read32(offset); };
      const uint32_t of_block = CAPTURE_HP_CAPABILITY(0) + SL_CAPABILITY_CHANNEL0_DROPS_LO_OFFSET;
      const uint32_t of_source = CAPTURE_HP_SOURCE(0) + SL_STREAM_SOURCE_DROP_BEATS_LO_OFFSET;
      board.write32(CAPTURE_HP_SOURCE(0) + SL_STREAM_SOURCE_PACKET_BEATS_OFFSET, 1024);
      control(SL_STREAM_SOURCE_CONTROL_ENABLE_MASK | SL_STREAM_SOURCE_CONTROL_FREE_RUN_MASK);
      wait_us(driven, 20);  // a frame of 1,024 beats is over; the FIFO has 514 of them
      EXPECT_GT(drops(of_source), 0U);
      EXPECT_EQ(drops(of_block), drops(of_source));
      kept.push_back(drops(of_block));
      control(SL_STREAM_SOURCE_CONTROL_CLEAR_MASK);
      EXPECT_EQ(drops(of_source), 0U);
      EXPECT_EQ(drops(of_block), kept.back());
    }
    EXPECT_EQ(kept[0], kept[1]);
  }
}

// Pauses within a frame and after it, which the transaction level passes at once: the ends of
// packets and frames come as with RTL, whatever is read meanwhile, and a timer expires within one.
TEST(Levels, PausesOfASourceAreTheSame) {
  constexpr uint32_t kBytes = 2048, kPause = 711, kFrame = 20'011, kDelay = 5'003;
  constexpr unsigned kPackets = 2, kPeriods = 9;
  std::vector<std::vector<double>> times;
  std::vector<double> stalls;
  for (const Level level : {Level::rtl, Level::transaction}) {
    Driven driven{make_board("zynq7010", "capture", level, 100.0)};
    LogicBoard& board = *driven.board;
    driven.ring(kS2mmTable, kTarget, 4, kBytes);
    driven.start(kS2mm, kS2mmTable, kS2mmTable, 1, SL_AXI_DMA_S2MM_DMACR_CYCLIC_MASK);
    const auto source = [&](uint32_t offset, uint32_t value) {
      board.write32(CAPTURE_HP_SOURCE(0) + offset, value);
    };
    const auto timer = [&](uint32_t offset, uint32_t value) {
      board.write32(CAPTURE_HP_TIMER(0) + offset, value);
    };
    source(SL_STREAM_SOURCE_PACKET_BEATS_OFFSET, kBytes / 8);
    source(SL_STREAM_SOURCE_PAUSE_TICKS_OFFSET, kPause);
    source(SL_STREAM_SOURCE_FRAME_PACKETS_OFFSET, kPackets);
    source(SL_STREAM_SOURCE_FRAME_TICKS_OFFSET, kFrame);
    timer(SL_TIMER_IRQ_ENABLE_OFFSET, SL_TIMER_IRQ_ENABLE_EXPIRED_MASK);
    source(SL_STREAM_SOURCE_CONTROL_OFFSET, SL_STREAM_SOURCE_CONTROL_ENABLE_MASK |
                                                SL_STREAM_SOURCE_CONTROL_CONTINUOUS_MASK |
                                                SL_STREAM_SOURCE_CONTROL_FREE_RUN_MASK);
    const double begun_ns = static_cast<double>(board.now_ps()) / 1e3;
    auto& found = times.emplace_back();
    const auto take = [&](uint64_t line) {
      board.run_until_interrupt(line, board.now_ps() + kMillisecond_ps);
      ASSERT_EQ(board.interrupts(), line);
      found.push_back(static_cast<double>(board.now_ps()) / 1e3 - begun_ns);
    };
    for (unsigned period = 0; period < kPeriods; ++period) {
      take(2);
      board.write32(kS2mm.status, SL_AXI_DMA_S2MM_DMASR_IOC_IRQ_MASK);
      if (period % kPackets == 0) continue;
      timer(SL_TIMER_DELAY_OFFSET, kDelay);
      EXPECT_EQ(board.read32(CAPTURE_HP_SOURCE(0) + SL_STREAM_SOURCE_FRAMES_DONE_OFFSET),
                (period + 1) / kPackets);
      take(4);
      timer(SL_TIMER_EVENT_OFFSET, SL_TIMER_EVENT_EXPIRED_MASK);
      // Only the transaction level says how long nothing happens; that long is most of the pause.
      board.run_until(board.now_ps() + 3'000'000);
      const uint64_t quiet_ps = board.quiet_until_ps() - board.now_ps();
      EXPECT_EQ(quiet_ps > 50'000'000, level == Level::transaction) << quiet_ps;
    }
    double& sum = stalls.emplace_back(0);
    for (const uint32_t offset :
         {SL_CAPABILITY_CHANNEL0_STALL_ADDR_LO_OFFSET, SL_CAPABILITY_CHANNEL0_STALL_SPACE_LO_OFFSET,
          SL_CAPABILITY_CHANNEL0_STALL_RESP_LO_OFFSET})
      sum += board.read32(CAPTURE_HP_CAPABILITY(0) + offset);
  }
  ASSERT_EQ(times[0].size(), times[1].size());
  for (std::size_t i = 0; i < times[0].size(); ++i)
    EXPECT_NEAR(times[0][i], times[1][i], 100.0) << "event " << i;
  EXPECT_NEAR(stalls[0], stalls[1], 0.05 * stalls[0] + 64);
}

TEST(Levels, ACaptureAtMoreThanTheRateOfTheAcpLosesTheSame) {
  compare_losses("capture_acp", 8, {250.0, 1024, true, 0.005});
}

}  // namespace
}  // namespace sluice::sim
