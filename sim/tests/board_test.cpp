// SPDX-License-Identifier: Apache-2.0
// The board driven register by register, as a driver would, with faults in its memory.
#include "sluice/sim/board.hpp"

#include <gtest/gtest.h>
#include <hp_stress.h>
#include <xdma_card.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "sluice/sim/catalogue.hpp"
#include "sluice/sim/pcie_board.hpp"
#include "sluice/sim/pcie_design.hpp"
#include "verilated_models.hpp"

namespace sluice::sim {
namespace {

constexpr uint64_t kBuffer = 0x200000;
constexpr uint32_t kIdentity = 0x534c'4850;  // SLHP
constexpr uint64_t kMicrosecond_ps = 1'000'000;
constexpr uint32_t kControl = HP_STRESS_HP_DMA(0) + SL_AXI_DMA_MM2S_DMACR_OFFSET;
constexpr uint32_t kStatus = HP_STRESS_HP_DMA(0) + SL_AXI_DMA_MM2S_DMASR_OFFSET;

// Of a board that is no card.
ChipParams as_chip(const BoardParams& params) {
  if (const auto* zynq = std::get_if<model::Zynq7000Params>(&params)) return *zynq;
  return std::get<model::CycloneVParams>(params);
}

struct BoardTest : testing::Test {
  std::unique_ptr<Board> board = make();

  static std::unique_ptr<Board> make() {
    const BoardEntry& entry = catalogue().front();
    return std::make_unique<Board>(as_chip(entry.memory_system), entry.designs.front().make(64), 64,
                                   100.0);
  }

  // Sink on, then one transfer of MM2S on HP0; runs until its interrupt, at most 100 us.
  void send(uint32_t address, uint32_t bytes) {
    board->write32(HP_STRESS_HP_SINK(0) + SL_STREAM_SINK_CONTROL_OFFSET,
                   SL_STREAM_SINK_CONTROL_ENABLE_MASK);
    board->write32(kControl, SL_AXI_DMA_MM2S_DMACR_RS_MASK | SL_AXI_DMA_MM2S_DMACR_IOC_IRQEN_MASK |
                                 SL_AXI_DMA_MM2S_DMACR_ERR_IRQEN_MASK);
    board->write32(HP_STRESS_HP_DMA(0) + SL_AXI_DMA_MM2S_SA_OFFSET, address);
    board->write32(HP_STRESS_HP_DMA(0) + SL_AXI_DMA_MM2S_LENGTH_OFFSET, bytes);
    board->run_until_interrupt(~uint64_t{0}, board->now_ps() + 100 * kMicrosecond_ps);
  }

  void reset_engine() {
    board->write32(kControl, SL_AXI_DMA_MM2S_DMACR_RESET_MASK);
    for (int i = 0; board->read32(kControl) & SL_AXI_DMA_MM2S_DMACR_RESET_MASK; ++i)
      ASSERT_LT(i, 1000);
  }
};

TEST_F(BoardTest, DesignPageAnswers) {
  EXPECT_EQ(board->read32(HP_STRESS_PAGE_OFFSET + SL_DESIGN_PAGE_IDENTITY_OFFSET), kIdentity);
}

TEST_F(BoardTest, AccessesTakeTheTimeOfTheGpPort) {
  const ControlLatency latency = board->chip().control_latency();
  const uint64_t before = board->now_ps();
  board->write32(kControl, 0);
  const uint64_t write_ps = board->now_ps() - before;
  EXPECT_GE(write_ps, latency.write_ps);
  EXPECT_LE(write_ps, latency.write_ps + 200'000);
}

TEST_F(BoardTest, TimeWithoutWorkPassesAtOnceAndIsCountedInTheDesign) {
  const auto ticks = [&] {
    return board->read32(HP_STRESS_PAGE_OFFSET + SL_DESIGN_PAGE_TICKS_LO_OFFSET);
  };
  send(kBuffer, 4096);
  EXPECT_FALSE(board->at_rest());
  const uint32_t before = ticks();
  const uint64_t before_cycle = board->cycles();
  board->run_until(board->now_ps() + 10'000'000 * kMicrosecond_ps);  // 10 s: hours if clocked
  EXPECT_TRUE(board->at_rest());
  const uint32_t after = ticks();
  EXPECT_EQ(after - before, static_cast<uint32_t>(board->cycles() - before_cycle));
  EXPECT_FALSE(board->at_rest());
  board->write32(kStatus, SL_AXI_DMA_MM2S_DMASR_IOC_IRQ_MASK);
  send(kBuffer, 64);  // works on
  EXPECT_EQ(board->interrupts(), 1u);
  EXPECT_EQ(board->read32(HP_STRESS_HP_SINK(0) + SL_STREAM_SINK_BEATS_LO_OFFSET), (4096u + 64) / 8);
}

TEST_F(BoardTest, TellsOfLinesThatGoHighAndLow) {
  std::vector<std::pair<uint64_t, uint64_t>> seen;
  board->observe_interrupts(
      [&](uint64_t time_ps, uint64_t lines) { seen.emplace_back(time_ps, lines); });
  send(kBuffer, 4096);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0], std::pair(board->interrupt_rise_ps(0), uint64_t{1}));
  board->write32(kStatus, SL_AXI_DMA_MM2S_DMASR_IOC_IRQ_MASK);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[1].second, 0u);
  const uint64_t before_ps = board->now_ps();
  board->run_until_change(before_ps + kMicrosecond_ps);  // nothing more
  EXPECT_EQ(board->now_ps(), before_ps + kMicrosecond_ps);
}

TEST_F(BoardTest, UnmappedControlAddressIsABusError) {
  try {
    (void)board->read32(0x50000);
    FAIL() << "no error";
  } catch (const BusError& error) {
    EXPECT_STREQ(error.what(), "read at control offset 0x50000: DECERR");
  }
  EXPECT_THROW(board->write32(0x50000, 1), BusError);
  EXPECT_EQ(board->read32(HP_STRESS_PAGE_OFFSET), kIdentity);  // lives on
}

TEST_F(BoardTest, ControlAddressBeyondTheSpaceIsNoOtherRegister) {
  constexpr uint32_t kBeyond = kControlSpaceBytes;
  const uint32_t before = board->read32(0);
  EXPECT_THROW(board->write32(kBeyond, before ^ 1U), BusError);
  EXPECT_EQ(board->read32(0), before);
  try {
    board->read32(kBeyond + HP_STRESS_PAGE_OFFSET);
    FAIL() << "no BusError";
  } catch (const BusError& error) {
    EXPECT_STREQ(error.what(),
                 "read at control offset 0x140000: beyond the control space of 1 MiB");
  }
}

TEST_F(BoardTest, InterruptRisesOnceAndItsTimeIsKept) {
  send(kBuffer, 4096);
  EXPECT_EQ(board->interrupts(), 1U);
  const uint64_t rise = board->interrupt_rise_ps(0);
  EXPECT_EQ(rise, board->now_ps());
  board->run_until(rise + 5 * kMicrosecond_ps);
  EXPECT_EQ(board->interrupt_rise_ps(0), rise);
  board->write32(kStatus, SL_AXI_DMA_MM2S_DMASR_IOC_IRQ_MASK);
  board->run_until(board->now_ps() + kMicrosecond_ps);
  EXPECT_EQ(board->interrupts(), 0U);
}

TEST_F(BoardTest, PoisonedMemoryHaltsTheChannelWithSlvErrAndResetRecovers) {
  board->memory().poison(kBuffer + 2048, 64);
  send(kBuffer, 4096);
  const uint32_t status = board->read32(kStatus);
  EXPECT_TRUE(status & SL_AXI_DMA_MM2S_DMASR_DMASLVERR_MASK);
  EXPECT_TRUE(status & SL_AXI_DMA_MM2S_DMASR_ERR_IRQ_MASK);
  board->run_until(board->now_ps() + 10 * kMicrosecond_ps);
  EXPECT_TRUE(board->read32(kStatus) & SL_AXI_DMA_MM2S_DMASR_HALTED_MASK);

  reset_engine();
  board->memory().clear_poison();
  send(kBuffer, 4096);
  EXPECT_EQ(board->read32(kStatus) &
                (SL_AXI_DMA_MM2S_DMASR_DMASLVERR_MASK | SL_AXI_DMA_MM2S_DMASR_IOC_IRQ_MASK),
            SL_AXI_DMA_MM2S_DMASR_IOC_IRQ_MASK);
}

TEST_F(BoardTest, AddressBeyondTheMemoryIsADecErr) {
  send(0x7000'0000, 256);
  EXPECT_TRUE(board->read32(kStatus) & SL_AXI_DMA_MM2S_DMASR_DMADECERR_MASK);
}

// A reset while bursts are in flight: the model throws if the design leaves the protocol.
TEST_F(BoardTest, ResetInFlightLeavesThePortUsable) {
  for (uint64_t after_ns = 0; after_ns < 2000; after_ns += 70) {
    board->write32(HP_STRESS_HP_CONTROL(0) + SL_HP_LANE_ROUTE_OFFSET, 1);
    board->write32(kControl, SL_AXI_DMA_MM2S_DMACR_RS_MASK);
    board->write32(HP_STRESS_HP_DMA(0) + SL_AXI_DMA_S2MM_DMACR_OFFSET,
                   SL_AXI_DMA_S2MM_DMACR_RS_MASK);
    board->write32(HP_STRESS_HP_DMA(0) + SL_AXI_DMA_S2MM_DA_OFFSET, kBuffer + 65536);
    board->write32(HP_STRESS_HP_DMA(0) + SL_AXI_DMA_S2MM_LENGTH_OFFSET, 65536);
    board->write32(HP_STRESS_HP_DMA(0) + SL_AXI_DMA_MM2S_SA_OFFSET, kBuffer);
    board->write32(HP_STRESS_HP_DMA(0) + SL_AXI_DMA_MM2S_LENGTH_OFFSET, 65536);
    board->run_until(board->now_ps() + after_ns * 1000);
    reset_engine();
    board->run_until(board->now_ps() + 5 * kMicrosecond_ps);
    ASSERT_TRUE(board->chip().idle()) << "reset after " << after_ns << " ns left bursts behind";
    board->write32(HP_STRESS_HP_CONTROL(0) + SL_HP_LANE_ROUTE_OFFSET, 0);
  }
}

// Every design of every board, at every width, answers on its control port.
TEST(Catalogue, EveryDesignRunsOnItsBoard) {
  for (const BoardEntry& entry : catalogue()) {
    for (const DesignEntry& design : entry.designs) {
      if (!design.has_rtl()) continue;
      for (const unsigned width : design.widths_bits) {
        std::unique_ptr<Design> logic = design.make(width);
        // Where there are hardware threads, width and count in the catalogue are theirs.
        const auto* threads =
            design.port_bits != 0 ? dynamic_cast<const HpDesign*>(logic.get()) : nullptr;
        const unsigned port_bits = design.memory_port_bits(width);
        const unsigned ports = threads != nullptr           ? threads->hp_ports()
                               : design.ports_at != nullptr ? design.ports_at(width)
                                                            : design.port_count;
        uint32_t config = 0;
        if (const auto* card = std::get_if<model::PcieParams>(&entry.memory_system)) {
          PcieBoard one(*card, std::move(logic), width, entry.default_clock_mhz);
          config = one.read32(XDMA_CARD_PAGE_OFFSET + SL_DESIGN_PAGE_CONFIG_OFFSET);
          EXPECT_TRUE(one.idle());
        } else {
          Board one(as_chip(entry.memory_system), std::move(logic), port_bits,
                    entry.default_clock_mhz);
          config = one.read32(HP_STRESS_PAGE_OFFSET + SL_DESIGN_PAGE_CONFIG_OFFSET);
          EXPECT_TRUE(one.chip().idle());
        }
        EXPECT_EQ((config & SL_DESIGN_PAGE_CONFIG_DATA_BYTES_MASK) >>
                      SL_DESIGN_PAGE_CONFIG_DATA_BYTES_SHIFT,
                  port_bits / 8)
            << entry.name << '/' << design.name;
        EXPECT_EQ(config & SL_DESIGN_PAGE_CONFIG_NUM_PORTS_MASK, ports)
            << entry.name << '/' << design.name;
      }
    }
  }
}

TEST(Catalogue, HasEveryModelThatIsBuilt) {
  for (const VerilatedModel& model : verilated_models()) {
    const auto is_model = [&](const DesignEntry& design) {
      return design.model == model.name &&
             std::ranges::any_of(design.widths_bits, [&](unsigned width) {
               return design.memory_port_bits(width) == model.port_bits;
             });
    };
    EXPECT_TRUE(std::ranges::any_of(
        catalogue(),
        [&](const BoardEntry& board) { return std::ranges::any_of(board.designs, is_model); }))
        << model.name << ", " << model.port_bits << " bits";
  }
}

// A card is reset while accesses wait: what the reset withdraws is no breach of AXI.
TEST(Catalogue, ACardMayBeResetInMidAccess) {
  for (const BoardEntry& entry : catalogue()) {
    if (!std::holds_alternative<model::PcieParams>(entry.memory_system)) continue;
    for (const DesignEntry& design : entry.designs) {
      if (!design.has_rtl()) continue;
      std::unique_ptr<Design> logic = design.make(design.widths_bits.front());
      auto& card = dynamic_cast<PcieDesign&>(*logic);
      const auto drive = [&](const model::Axi4Inputs& bar) {
        card.drive_bar(bar);
        card.drive_host({});
        card.drive_card({});
        card.drive_control({});
      };
      drive({});
      card.reset();
      // More reads than the design takes without answers taken: the last one waits.
      for (int edge = 0; edge < 200; ++edge) {
        card.rise();
        drive({.arvalid = true});
        card.settle();
      }
      drive({});
      EXPECT_NO_THROW(card.reset()) << entry.name << '/' << design.name;
    }
  }
}

TEST(Catalogue, ChipRefusesADesignForOtherPorts) {
  const BoardEntry& zynq = catalogue().front();
  const BoardEntry& cyclonev = *std::ranges::find(catalogue(), "cyclonev", &BoardEntry::name);
  EXPECT_THROW(Board(as_chip(cyclonev.memory_system), zynq.designs.front().make(64), 64, 100.0),
               std::invalid_argument);
  EXPECT_THROW(Board(as_chip(zynq.memory_system), cyclonev.designs.front().make(64), 64, 100.0),
               std::invalid_argument);
}

TEST(Catalogue, DesignRefusesAnUnknownWidth) {
  EXPECT_THROW((void)catalogue().front().designs.front().make(48), std::invalid_argument);
}

}  // namespace
}  // namespace sluice::sim
