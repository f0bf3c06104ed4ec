// SPDX-License-Identifier: Apache-2.0
// Chains of descriptors on simulated boards, driven register by register as Linux's xilinx_dma
// does: dma_loopback both ways through one port, capture without end; cdma's block RAM and ACP.
#include <capture.h>
#include <cdma.h>
#include <dma_loopback.h>
#include <gtest/gtest.h>
#include <sl_axi_dma_bd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "sluice/sim/board.hpp"
#include "sluice/sim/catalogue.hpp"

namespace sluice::sim {
namespace {

constexpr uint64_t kMillisecond_ps = 1'000'000'000;
constexpr uint32_t kMm2sTable = 0x200000, kS2mmTable = 0x210000;
constexpr uint32_t kSource = 0x400000, kTarget = 0x800000;
constexpr uint32_t kWhole = SL_AXI_DMA_BD_CONTROL_SOP_MASK | SL_AXI_DMA_BD_CONTROL_EOP_MASK;
constexpr uint32_t kEnables = SL_AXI_DMA_S2MM_DMACR_RS_MASK | SL_AXI_DMA_S2MM_DMACR_IOC_IRQEN_MASK |
                              SL_AXI_DMA_S2MM_DMACR_ERR_IRQEN_MASK;

// One direction of the engine at 0 of the control space.
struct Side {
  uint32_t control, status, first, tail;
};
constexpr Side kMm2s{SL_AXI_DMA_MM2S_DMACR_OFFSET, SL_AXI_DMA_MM2S_DMASR_OFFSET,
                     SL_AXI_DMA_MM2S_CURDESC_OFFSET, SL_AXI_DMA_MM2S_TAILDESC_OFFSET};
constexpr Side kS2mm{SL_AXI_DMA_S2MM_DMACR_OFFSET, SL_AXI_DMA_S2MM_DMASR_OFFSET,
                     SL_AXI_DMA_S2MM_CURDESC_OFFSET, SL_AXI_DMA_S2MM_TAILDESC_OFFSET};

struct Descriptors : testing::TestWithParam<const char*> {
  std::unique_ptr<Board> make(std::string_view design) {
    const auto board =
        std::ranges::find(catalogue(), std::string_view(GetParam()), &BoardEntry::name);
    const auto entry = std::ranges::find(board->designs, design, &DesignEntry::name);
    return std::make_unique<Board>(std::get<model::Zynq7000Params>(board->memory_system),
                                   entry->make(64), 64, 100.0);
  }

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

  std::span<uint8_t> bytes_at(uint32_t address, uint64_t bytes) {
    return {board->memory().host(address, bytes), bytes};
  }

  std::unique_ptr<Board> board;
};

INSTANTIATE_TEST_SUITE_P(Boards, Descriptors, testing::Values("zynq7010", "zynq7020"),
                         [](const auto& info) { return std::string(info.param); });

// Every byte comes back, every descriptor is complete, and the port is near its rate both ways with
// descriptors of a page.
TEST_P(Descriptors, LoopBackThroughOnePort) {
  board = make("dma_loopback");
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

// Periods of a free-running source at half the port's rate, captured round a small ring: an
// interrupt each, and no word is lost.
TEST_P(Descriptors, CaptureWithoutEnd) {
  board = make("capture");
  constexpr unsigned kRing = 4, kPeriods = 10;
  constexpr uint32_t kBeats = 512, kBytes = kBeats * 8;
  ring(kS2mmTable, kTarget, kRing, kBytes);
  start(kS2mm, kS2mmTable, kS2mmTable, 1, SL_AXI_DMA_S2MM_DMACR_CYCLIC_MASK);
  const auto source = [&](uint32_t offset, uint32_t value) {
    board->write32(CAPTURE_HP_SOURCE(0) + offset, value);
  };
  source(SL_STREAM_SOURCE_PACKET_BEATS_OFFSET, kBeats);
  source(SL_STREAM_SOURCE_FRAME_PACKETS_OFFSET, 1);
  source(SL_STREAM_SOURCE_FRAME_TICKS_OFFSET, 2 * kBeats);
  source(SL_STREAM_SOURCE_CONTROL_OFFSET, SL_STREAM_SOURCE_CONTROL_ENABLE_MASK |
                                              SL_STREAM_SOURCE_CONTROL_CONTINUOUS_MASK |
                                              SL_STREAM_SOURCE_CONTROL_FREE_RUN_MASK);
  uint32_t word = 0;
  for (unsigned period = 0; period < kPeriods; ++period) {
    board->run_until_interrupt(2, board->now_ps() + kMillisecond_ps);
    ASSERT_EQ(board->interrupts(), 2U) << "period " << period;
    board->write32(kS2mm.status, SL_AXI_DMA_S2MM_DMASR_IOC_IRQ_MASK);
    const auto data = bytes_at(kTarget + period % kRing * kBytes, kBytes);
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

// Memory to the engine's block RAM and back, an engine after the other; the board shows it there.
TEST_P(Descriptors, CopyThroughBlockRam) {
  board = make("cdma");
  constexpr uint32_t kBytes = 32768;
  std::mt19937_64 random{2};
  const auto source = bytes_at(kSource, kBytes), target = bytes_at(kTarget, kBytes);
  std::ranges::generate(source, [&] { return static_cast<uint8_t>(random()); });
  for (unsigned port = 0; port < CDMA_HP_COUNT; ++port) {
    std::ranges::fill(target, uint8_t{0});
    const uint64_t offset = port * board->lane_ram_bytes();
    const auto ram = static_cast<uint32_t>(kRamAddress + offset);
    copy(port, kSource, ram, kBytes);
    EXPECT_TRUE(std::equal(source.begin(), source.end(), board->ram(offset, kBytes)));
    copy(port, ram, kTarget, kBytes);
    EXPECT_TRUE(std::ranges::equal(source, target)) << "engine " << port;
  }
}

// The same engine on the ACP: a short copy finds its source in the L2 cache the second time; a long
// one of any alignment brings every byte and no other.
TEST_P(Descriptors, CopyThroughTheAcp) {
  board = make("cdma_acp");
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
  EXPECT_TRUE(board->chip().idle());
}

}  // namespace
}  // namespace sluice::sim
