// SPDX-License-Identifier: Apache-2.0
// Boards driven by registers, bus addresses and interrupts alone, as a driver from elsewhere does:
// the AXI DMA after PG021's programming sequences, in direct register mode and by descriptors.
#include <gtest/gtest.h>
#include <poll.h>
#include <sl_axi_dma.h>
#include <sl_axi_dma_bd.h>
#include <sl_hp_lane.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <sluice.hpp>
#include <string>
#include <utility>

#include "hp_stress.h"

namespace {

using namespace sluice;

constexpr uint64_t kMillisecond_ns = 1'000'000;
constexpr uint32_t kEnables = SL_AXI_DMA_MM2S_DMACR_RS_MASK | SL_AXI_DMA_MM2S_DMACR_IOC_IRQEN_MASK |
                              SL_AXI_DMA_MM2S_DMACR_ERR_IRQEN_MASK;
constexpr uint64_t kMm2sLine = 1, kS2mmLine = 2;
constexpr uint32_t kIoc = SL_AXI_DMA_MM2S_DMASR_IOC_IRQ_MASK;
constexpr uint32_t kSourceStart = HP_STRESS_HP_SOURCE_OFFSET + SL_STREAM_SOURCE_START_OFFSET;

bool mentions(const char* what) {
  return std::string(sluice_last_error()).find(what) != std::string::npos;
}

void fill(sluice_buffer* buffer, unsigned seed) {
  std::mt19937_64 random{seed};
  std::ranges::generate(bytes_of(buffer), [&] { return static_cast<uint8_t>(random()); });
}

struct Registers : testing::TestWithParam<std::string> {
  BoardHandle board = open_board(GetParam());

  [[nodiscard]] uint32_t read(uint64_t offset) const { return read_register(board.get(), offset); }
  void write(uint64_t offset, uint32_t value) const { write_register(board.get(), offset, value); }
  [[nodiscard]] int read_status(uint64_t offset) const {
    uint32_t value = 0;
    return sluice_board_read_register(board.get(), offset, &value);
  }
};

// Direct register mode: PG021, "Direct Register Mode (Simple DMA)".
struct DirectMode : Registers {
  static constexpr uint64_t kBytes = 4096;
  BufferHandle source = allocate(board.get(), kBytes), sink = allocate(board.get(), kBytes);

  void start() const {
    write(HP_STRESS_HP_CONTROL_OFFSET + SL_HP_LANE_ROUTE_OFFSET, SL_HP_LANE_ROUTE_LOOPBACK_MASK);
    write(SL_AXI_DMA_S2MM_DMACR_OFFSET, kEnables);
    write(SL_AXI_DMA_S2MM_DA_OFFSET, static_cast<uint32_t>(bus_address(sink.get())));
    write(SL_AXI_DMA_S2MM_LENGTH_OFFSET, kBytes);
    write(SL_AXI_DMA_MM2S_DMACR_OFFSET, kEnables);
    write(SL_AXI_DMA_MM2S_SA_OFFSET, static_cast<uint32_t>(bus_address(source.get())));
    write(SL_AXI_DMA_MM2S_LENGTH_OFFSET, kBytes);
  }
  void close() {
    source = nullptr;
    sink = nullptr;
    board = nullptr;
  }
};

INSTANTIATE_TEST_SUITE_P(Levels, DirectMode,
                         testing::Values("sim:zynq7010/hp_stress",
                                         "sim:zynq7010/hp_stress?level=transaction"),
                         [](const auto& level) {
                           return level.index == 0 ? "rtl" : "transaction";
                         });

TEST_P(DirectMode, MovesBytesAndRaisesItsLines) {
  fill(source.get(), 1);
  EXPECT_EQ(interrupts(board.get()), 0U);
  start();
  EXPECT_EQ(wait_interrupt(board.get(), kS2mmLine, kMillisecond_ns), kMm2sLine | kS2mmLine);
  EXPECT_TRUE(std::ranges::equal(bytes_of(source.get()), bytes_of(sink.get())));
  EXPECT_EQ(read(SL_AXI_DMA_S2MM_LENGTH_OFFSET), kBytes);
  EXPECT_TRUE((read(SL_AXI_DMA_S2MM_DMASR_OFFSET) & kIoc) != 0);
  write(SL_AXI_DMA_S2MM_DMASR_OFFSET, kIoc);
  EXPECT_EQ(interrupts(board.get()), kMm2sLine) << "a line is high until its cause is cleared";
  write(SL_AXI_DMA_MM2S_DMASR_OFFSET, kIoc);
  EXPECT_EQ(interrupts(board.get()), 0U);
}

// PG021, S2MM_DMASR: DMAIntErr stands beside DMADecErr; not so of MM2S.
TEST_P(DirectMode, AddressWithoutMemoryHaltsTheChannel) {
  constexpr uint32_t kNowhere = 0xfff0'0000;
  constexpr uint32_t kErrors = SL_AXI_DMA_MM2S_DMASR_DMAINTERR_MASK |
                               SL_AXI_DMA_MM2S_DMASR_DMASLVERR_MASK |
                               SL_AXI_DMA_MM2S_DMASR_DMADECERR_MASK;
  start();
  EXPECT_EQ(wait_interrupt(board.get(), kS2mmLine, kMillisecond_ns), kMm2sLine | kS2mmLine);
  write(SL_AXI_DMA_S2MM_DMASR_OFFSET, kIoc);
  write(SL_AXI_DMA_MM2S_DMASR_OFFSET, kIoc);
  write(SL_AXI_DMA_S2MM_DA_OFFSET, kNowhere);
  write(SL_AXI_DMA_S2MM_LENGTH_OFFSET, kBytes);
  write(SL_AXI_DMA_MM2S_SA_OFFSET, kNowhere);
  write(SL_AXI_DMA_MM2S_LENGTH_OFFSET, kBytes);
  wait_interrupt(board.get(), kMm2sLine, kMillisecond_ns);
  wait_interrupt(board.get(), kS2mmLine, kMillisecond_ns);
  EXPECT_EQ(read(SL_AXI_DMA_MM2S_DMASR_OFFSET) & kErrors, SL_AXI_DMA_MM2S_DMASR_DMADECERR_MASK);
  EXPECT_EQ(read(SL_AXI_DMA_S2MM_DMASR_OFFSET) & kErrors,
            SL_AXI_DMA_S2MM_DMASR_DMADECERR_MASK | SL_AXI_DMA_S2MM_DMASR_DMAINTERR_MASK);
}

TEST_P(DirectMode, WaitsEndWithTheirTimeout) {
  const uint64_t begin_ns = sluice_board_now_ns(board.get());
  uint64_t lines = ~uint64_t{0};
  EXPECT_EQ(sluice_board_wait_interrupt(board.get(), kS2mmLine, 1000, &lines), 0);
  EXPECT_EQ(lines, 0U);
  EXPECT_GE(sluice_board_now_ns(board.get()) - begin_ns, 1000U);
  EXPECT_LE(sluice_board_now_ns(board.get()) - begin_ns, 1100U);
  EXPECT_EQ(sluice_board_wait_interrupt(board.get(), 0, 1000, nullptr), -EINVAL);
  start();
  EXPECT_EQ(sluice_board_wait_interrupt(board.get(), kMm2sLine | kS2mmLine, UINT64_MAX, nullptr),
            1);
}

// poll(2) sees the line; the loop lets time pass between two polls.
TEST_P(DirectMode, DescriptorIsReadableWhileALineIsHigh) {
  const int descriptor = interrupt_fd(board.get(), kS2mmLine);
  EXPECT_EQ(sluice_board_interrupt_fd(board.get(), kS2mmLine), descriptor);
  EXPECT_NE(sluice_board_interrupt_fd(board.get(), kMm2sLine), descriptor);
  EXPECT_EQ(sluice_board_interrupt_fd(board.get(), 0), -EINVAL);
  const auto readable = [&] {
    pollfd state{.fd = descriptor, .events = POLLIN, .revents = 0};
    return ::poll(&state, 1, 0) == 1;
  };
  uint64_t events = 0;
  EXPECT_FALSE(readable());
  EXPECT_EQ(::read(descriptor, &events, sizeof events), -1);
  EXPECT_EQ(errno, EAGAIN);
  start();
  for (unsigned polls = 0; !readable(); ++polls) {
    ASSERT_LT(polls, 1000U);
    check(sluice_board_sleep_ns(board.get(), 1000));
  }
  EXPECT_EQ(::read(descriptor, &events, sizeof events), 8);
  EXPECT_FALSE(readable());
  check(sluice_board_sleep_ns(board.get(), 10));
  EXPECT_TRUE(readable()) << "the line is still high";
  write(SL_AXI_DMA_S2MM_DMASR_OFFSET, kIoc);
  EXPECT_FALSE(readable());
  start();
  (void)wait_interrupt(board.get(), kS2mmLine, kMillisecond_ns);
  const int late = check(sluice_board_interrupt_fd(board.get(), kMm2sLine | kS2mmLine));
  pollfd state{.fd = late, .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&state, 1, 0), 1) << "made while a line is high";
  close();
  EXPECT_EQ(::poll(&state, 1, 0), 1);
  EXPECT_EQ(state.revents, POLLNVAL) << "closed with its board";
}

TEST_P(DirectMode, BadArgumentsAreRefusedByName) {
  EXPECT_EQ(read_status(2), -EINVAL);
  EXPECT_TRUE(mentions("a multiple of 4"));
  EXPECT_EQ(read_status(1 << 20), -EINVAL);
  for (const unsigned enables : {0U, 0x10U}) {
    EXPECT_EQ(sluice_board_write_register(board.get(), 0, 0, enables), -EINVAL);
    EXPECT_TRUE(mentions("byte enables must be from 0x1 to 0xf"));
  }
  EXPECT_EQ(sluice_board_write_register(board.get(), 1, 0, 0xf), -EINVAL);
  uint32_t value = 0;
  uint64_t wide = 0;
  void* data = nullptr;
  EXPECT_EQ(sluice_board_read_register(nullptr, 0, &value), -EINVAL);
  EXPECT_EQ(sluice_board_read_register(board.get(), 0, nullptr), -EINVAL);
  EXPECT_EQ(sluice_board_write_register(nullptr, 0, 0, 0xf), -EINVAL);
  EXPECT_EQ(sluice_board_get_interrupts(nullptr, &wide), -EINVAL);
  EXPECT_EQ(sluice_board_get_interrupts(board.get(), nullptr), -EINVAL);
  EXPECT_EQ(sluice_board_wait_interrupt(nullptr, 1, 0, &wide), -EINVAL);
  EXPECT_EQ(sluice_board_interrupt_fd(nullptr, 1), -EINVAL);
  EXPECT_EQ(sluice_buffer_get_bus_address(nullptr, &wide), -EINVAL);
  EXPECT_EQ(sluice_buffer_get_bus_address(source.get(), nullptr), -EINVAL);
  EXPECT_EQ(sluice_board_memory_fd(board.get(), nullptr, &wide), -EINVAL);
  EXPECT_EQ(sluice_board_memory_fd(nullptr, &wide, &wide), -EINVAL);
  EXPECT_EQ(sluice_board_map_memory(board.get(), nullptr, 0, 4096, nullptr), -EINVAL);
  EXPECT_EQ(sluice_board_map_memory(nullptr, nullptr, 0, 4096, &data), -EINVAL);
}

// What bare-metal code expects: a pointer is a bus address.
TEST_P(DirectMode, MemoryAppearsAtItsBusAddress) {
  constexpr uint64_t kFirst = 0x1000'0000, kSize = 0x10'0000;
  const auto at = [](uint64_t address) { return reinterpret_cast<uint8_t*>(address); };
  ASSERT_EQ(map_memory(board.get(), at(kFirst), kFirst, kSize).data(), at(kFirst));
  void* other = nullptr;
  EXPECT_EQ(sluice_board_map_memory(board.get(), at(kFirst), kFirst, 4096, &other), -EEXIST);
  EXPECT_TRUE(mentions("/proc/self/maps"));
  EXPECT_EQ(other, nullptr);
  std::memset(at(kFirst), 0x5a, kBytes);
  write(HP_STRESS_HP_CONTROL_OFFSET + SL_HP_LANE_ROUTE_OFFSET, SL_HP_LANE_ROUTE_LOOPBACK_MASK);
  write(SL_AXI_DMA_S2MM_DMACR_OFFSET, kEnables);
  write(SL_AXI_DMA_S2MM_DA_OFFSET, kFirst + kBytes);
  write(SL_AXI_DMA_S2MM_LENGTH_OFFSET, kBytes);
  write(SL_AXI_DMA_MM2S_DMACR_OFFSET, kEnables);
  write(SL_AXI_DMA_MM2S_SA_OFFSET, kFirst);
  write(SL_AXI_DMA_MM2S_LENGTH_OFFSET, kBytes);
  (void)wait_interrupt(board.get(), kS2mmLine, kMillisecond_ns);
  EXPECT_EQ(std::count(at(kFirst), at(kFirst) + 3 * kBytes, 0x5a), 2 * kBytes);
  const auto anywhere = map_memory(board.get(), nullptr, kFirst + kBytes, 4096);
  EXPECT_EQ(std::ranges::count(anywhere, 0x5a), 4096);
  close();
  // Closing the board gave the addresses back.
  void* const again = ::mmap(at(kFirst), kSize, PROT_READ,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  ASSERT_EQ(again, at(kFirst));
  ::munmap(again, kSize);
}

// A packet from DDR that lands on the chip.
TEST_P(DirectMode, OnChipMemoryIsMappedAndReached) {
  constexpr uint32_t kOnChip = 0xfffc'0000;
  constexpr uint64_t kSize = 0x4'0000;
  const auto on_chip = map_memory(board.get(), nullptr, kOnChip, kSize);
  void* data = nullptr;
  EXPECT_EQ(sluice_board_map_memory(board.get(), nullptr, kOnChip + kSize - 4096, 8192, &data),
            -EINVAL);
  EXPECT_TRUE(mentions("exceed the memory, 0xfffc0000 to 0xffffffff"));
  fill(source.get(), 3);
  write(HP_STRESS_HP_CONTROL_OFFSET + SL_HP_LANE_ROUTE_OFFSET, SL_HP_LANE_ROUTE_LOOPBACK_MASK);
  write(SL_AXI_DMA_S2MM_DMACR_OFFSET, kEnables);
  write(SL_AXI_DMA_S2MM_DA_OFFSET, kOnChip + kSize - kBytes);
  write(SL_AXI_DMA_S2MM_LENGTH_OFFSET, kBytes);
  write(SL_AXI_DMA_MM2S_DMACR_OFFSET, kEnables);
  write(SL_AXI_DMA_MM2S_SA_OFFSET, static_cast<uint32_t>(bus_address(source.get())));
  write(SL_AXI_DMA_MM2S_LENGTH_OFFSET, kBytes);
  (void)wait_interrupt(board.get(), kS2mmLine, kMillisecond_ns);
  EXPECT_TRUE(std::ranges::equal(bytes_of(source.get()), on_chip.last(kBytes)));
}

TEST_P(DirectMode, MemoryIsAFile) {
  const auto [file, first, bytes] = memory_file(board.get());
  EXPECT_EQ(first, 0U);
  EXPECT_EQ(bytes, uint64_t{512} << 20);
  fill(source.get(), 2);
  std::string content(kBytes, '\0');
  EXPECT_EQ(
      ::pread(file, content.data(), kBytes, static_cast<off_t>(bus_address(source.get()) - first)),
      static_cast<ssize_t>(kBytes));
  EXPECT_EQ(std::memcmp(content.data(), bytes_of(source.get()).data(), kBytes), 0);
  ::close(file);
}

TEST_P(DirectMode, MemoryIsMappedByPagesWithinIt) {
  void* data = nullptr;
  const auto status = [&](uint64_t at, uint64_t address, uint64_t bytes) {
    return sluice_board_map_memory(board.get(), reinterpret_cast<void*>(at), address, bytes, &data);
  };
  EXPECT_EQ(status(0, 0, 0), -EINVAL);
  EXPECT_EQ(status(0, 64, 4096), -EINVAL);
  EXPECT_EQ(status(64, 0, 4096), -EINVAL);
  EXPECT_EQ(status(0, 0, 100), -EINVAL);
  EXPECT_TRUE(mentions("must be multiples of 4096"));
  EXPECT_EQ(status(0, (uint64_t{512} << 20) - 4096, 8192), -EINVAL);
  EXPECT_TRUE(mentions("exceed the memory, 0x0 to 0x1fffffff"));
  EXPECT_EQ(status(0, uint64_t{1} << 40, 4096), -EINVAL);
  EXPECT_EQ(status(0, (uint64_t{512} << 20) - 4096, 4096), 0);
}

using Rtl = Registers;
INSTANTIATE_TEST_SUITE_P(HpStress, Rtl, testing::Values("sim:zynq7010/hp_stress"));

TEST_P(Rtl, ByteEnablesSelectBytes) {
  write(kSourceStart, 0x11223344);
  write_register(board.get(), kSourceStart, 0xaabbccdd, 0x2);
  EXPECT_EQ(read(kSourceStart), 0x1122cc44U);
  write_register(board.get(), kSourceStart, 0x55667788, 0xd);
  EXPECT_EQ(read(kSourceStart), 0x5566cc88U);
}

TEST_P(Rtl, RegisterThatIsNotThereIsABusError) {
  EXPECT_EQ(read_status(0x5'0000), -EIO);
  EXPECT_TRUE(mentions("DECERR")) << sluice_last_error();
  EXPECT_EQ(sluice_board_write_register(board.get(), 0x5'0000, 1, 0xf), -EIO);
}

using Transactions = Registers;
INSTANTIATE_TEST_SUITE_P(HpStress, Transactions,
                         testing::Values("sim:zynq7010/hp_stress?level=transaction"));

TEST_P(Transactions, WhatOnlyRtlHasIsRefused) {
  EXPECT_EQ(sluice_board_write_register(board.get(), kSourceStart, 0, 0x1), -ENOTSUP);
  EXPECT_TRUE(mentions("only the RTL level"));
  EXPECT_EQ(read_status(0x5'0000), -ENOTSUP);
}

// By descriptors: PG021, "Scatter/Gather Mode", a ring of each direction.
using Descriptors = Registers;
INSTANTIATE_TEST_SUITE_P(DmaLoopback, Descriptors, testing::Values("sim:zynq7010/dma_loopback"));

TEST_P(Descriptors, RingsMoveEveryPacket) {
  constexpr uint32_t kCount = 8, kBytes = 1024, kStep = SL_AXI_DMA_BD_WINDOW;
  const BufferHandle table = allocate(board.get(), uint64_t{2} * kCount * kStep);
  const BufferHandle source = allocate(board.get(), uint64_t{kCount} * kBytes);
  const BufferHandle sink = allocate(board.get(), uint64_t{kCount} * kBytes);
  fill(source.get(), 3);
  const auto tables = static_cast<uint32_t>(bus_address(table.get()));
  // One direction after the other: S2MM first, so that there is room when data comes.
  const std::pair<uint32_t, sluice_buffer*> sides[] = {
      {SL_AXI_DMA_S2MM_DMACR_OFFSET, sink.get()}, {SL_AXI_DMA_MM2S_DMACR_OFFSET, source.get()}};
  for (unsigned side = 0; side < 2; ++side) {
    const auto [engine, buffer] = sides[side];
    const uint32_t ring = tables + side * kCount * kStep;
    for (uint32_t n = 0; n < kCount; ++n) {
      const uint32_t words[] = {
          ring + (n + 1) % kCount * kStep,
          0,
          static_cast<uint32_t>(bus_address(buffer)) + n * kBytes,
          0,
          0,
          0,
          kBytes | SL_AXI_DMA_BD_CONTROL_SOP_MASK | SL_AXI_DMA_BD_CONTROL_EOP_MASK,
          0};
      std::memcpy(&bytes_of(table.get())[ring - tables + n * kStep], words, sizeof words);
    }
    write(engine + SL_AXI_DMA_MM2S_CURDESC_OFFSET, ring);
    write(engine, kEnables | kCount << SL_AXI_DMA_MM2S_DMACR_IRQTHRESHOLD_SHIFT);
    write(engine + SL_AXI_DMA_MM2S_TAILDESC_OFFSET, ring + (kCount - 1) * kStep);
  }
  EXPECT_EQ(wait_interrupt(board.get(), kS2mmLine, kMillisecond_ns), kMm2sLine | kS2mmLine);
  EXPECT_TRUE(std::ranges::equal(bytes_of(source.get()), bytes_of(sink.get())));
  for (uint32_t n = 0; n < kCount; ++n) {
    uint32_t status = 0;
    std::memcpy(&status, &bytes_of(table.get())[n * kStep + SL_AXI_DMA_BD_STATUS_OFFSET],
                sizeof status);
    EXPECT_EQ(status, SL_AXI_DMA_BD_STATUS_COMPLETE_MASK | SL_AXI_DMA_BD_STATUS_SOP_MASK |
                          SL_AXI_DMA_BD_STATUS_EOP_MASK | kBytes);
  }
}

}  // namespace
