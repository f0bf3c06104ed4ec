// SPDX-License-Identifier: Apache-2.0
// Registers at addresses: plain pointers drive a board, and what cannot be answered ends the
// program as a fault does.
#include <gtest/gtest.h>
#include <sl_axi_dma.h>
#include <sl_hp_lane.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <sluice.hpp>
#include <string>

#include "hp_stress.h"

namespace {

using namespace sluice;

constexpr const char* kUri = "sim:zynq7010/hp_stress";

#if defined(__x86_64__)

// Where Xilinx's tools put an AXI DMA, and memory.
constexpr uintptr_t kEngine = 0x4040'0000, kMemory = 0x1000'0000;
constexpr uint64_t kWindowBytes = 0x1'0000;  // a port's registers: engine, source, sink, route
constexpr uint32_t kStart = HP_STRESS_HP_SOURCE_OFFSET + SL_STREAM_SOURCE_START_OFFSET;

template <typename T>
volatile T& at(uintptr_t address) {
  return *reinterpret_cast<volatile T*>(address);
}

template <typename T>
T load(uintptr_t address) {
  return at<T>(address);
}

void* pointer(uintptr_t address) { return reinterpret_cast<void*>(address); }

struct RegisterWindows : testing::Test {
  BoardHandle board = open_board(kUri);
  RegisterWindows() {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    map_registers(board.get(), pointer(kEngine), 0, kWindowBytes);
  }
};
using RegisterWindowsDeathTest = RegisterWindows;

TEST_F(RegisterWindows, PlainPointersDriveAnEngine) {
  map_memory(board.get(), pointer(kMemory), kMemory, 0x1'0000);
  constexpr uint32_t kBytes = 2048;
  const uintptr_t sink = kMemory + 0x8000;
  for (uint32_t i = 0; i < kBytes; ++i) at<uint8_t>(kMemory + i) = static_cast<uint8_t>(7 * i);
  at<uint32_t>(kEngine + HP_STRESS_HP_CONTROL_OFFSET + SL_HP_LANE_ROUTE_OFFSET) =
      SL_HP_LANE_ROUTE_LOOPBACK_MASK;
  at<uint32_t>(kEngine + SL_AXI_DMA_S2MM_DMACR_OFFSET) = SL_AXI_DMA_S2MM_DMACR_RS_MASK;
  at<uint32_t>(kEngine + SL_AXI_DMA_S2MM_DA_OFFSET) = static_cast<uint32_t>(sink);
  at<uint32_t>(kEngine + SL_AXI_DMA_S2MM_LENGTH_OFFSET) = kBytes;
  at<uint32_t>(kEngine + SL_AXI_DMA_MM2S_DMACR_OFFSET) = SL_AXI_DMA_MM2S_DMACR_RS_MASK;
  at<uint32_t>(kEngine + SL_AXI_DMA_MM2S_SA_OFFSET) = kMemory;
  at<uint32_t>(kEngine + SL_AXI_DMA_MM2S_LENGTH_OFFSET) = kBytes;
  const uint64_t begin_ns = sluice_board_now_ns(board.get());
  while ((at<uint32_t>(kEngine + SL_AXI_DMA_S2MM_DMASR_OFFSET) & SL_AXI_DMA_S2MM_DMASR_IDLE_MASK) ==
         0)
    ASSERT_LT(sluice_board_now_ns(board.get()) - begin_ns, 1'000'000U);
  EXPECT_EQ(std::memcmp(pointer(kMemory), pointer(sink), kBytes), 0);
}

TEST_F(RegisterWindows, BytesAndHalvesHaveTheirEnables) {
  volatile auto& whole = at<uint32_t>(kEngine + kStart);
  whole = 0x1122'3344;
  at<uint8_t>(kEngine + kStart + 1) = 0xcc;
  EXPECT_EQ(whole, 0x1122'cc44U);
  at<uint16_t>(kEngine + kStart + 2) = 0xaabb;
  EXPECT_EQ(whole, 0xaabb'cc44U);
  EXPECT_EQ(at<uint8_t>(kEngine + kStart + 3), 0xaaU);
  EXPECT_EQ(at<int8_t>(kEngine + kStart + 3), -0x56);
  EXPECT_EQ(at<uint16_t>(kEngine + kStart), 0xcc44U);
  EXPECT_EQ(at<int16_t>(kEngine + kStart + 2), static_cast<int16_t>(0xaabb));
}

// The forms that compilers choose by the address and the register, executed.
TEST_F(RegisterWindows, EveryFormOfAnAccessIsAnswered) {
  volatile auto& whole = at<uint32_t>(kEngine + kStart);
  const uintptr_t address = kEngine + kStart;
  uint64_t read = 0;
  asm volatile("movl $0x12345678, (%0)" ::"r"(address) : "memory");
  EXPECT_EQ(whole, 0x1234'5678U);
  asm volatile("movl $0x9abcdef0, 0x40400000(%0)" ::"r"(uintptr_t{kStart}) : "memory");
  EXPECT_EQ(whole, 0x9abc'def0U);
  asm volatile("mov $-1, %%r15\n\tmovl (%1), %%r15d\n\tmov %%r15, %0"
               : "=r"(read)
               : "r"(address)
               : "r15", "memory");
  EXPECT_EQ(read, 0x9abc'def0U) << "a read of 32 bits clears the upper half";
  asm volatile("mov $-1, %%rax\n\tmovb (%1), %%ah\n\tmov %%rax, %0"
               : "=r"(read)
               : "c"(address)
               : "rax", "memory");
  EXPECT_EQ(read, 0xffff'ffff'ffff'f0ffU);
  asm volatile("movslq (%1,%2,4), %0" : "=r"(read) : "r"(address - 8), "r"(uintptr_t{2}));
  EXPECT_EQ(read, 0xffff'ffff'9abc'def0U);
  asm volatile("mov $0x5500, %%edx\n\tmovb %%dh, 3(%0)" ::"c"(address) : "rdx", "memory");
  EXPECT_EQ(whole, 0x55bc'def0U);
}

TEST_F(RegisterWindows, OneBoardHasThemAtATime) {
  const BoardHandle second = open_board(kUri);
  void* data = nullptr;
  EXPECT_EQ(sluice_board_map_registers(second.get(), nullptr, 0, 4096, &data), -EBUSY);
  EXPECT_NE(std::string(sluice_last_error()).find("another board"), std::string::npos);
  EXPECT_EQ(sluice_board_map_registers(board.get(), pointer(kEngine), 0, 4096, &data), -EEXIST);
  at<uint32_t>(kEngine + kStart) = 9;
  volatile uint32_t* const anywhere = map_registers(board.get(), nullptr, 0x1000, 0xf000);
  EXPECT_EQ(anywhere[(kStart - 0x1000) / 4], 9U) << "two windows of one board";
  board = nullptr;
  const volatile uint32_t* const now = map_registers(second.get(), pointer(kEngine), 0, 4096);
  EXPECT_EQ(now[SL_AXI_DMA_MM2S_DMASR_OFFSET / 4] & SL_AXI_DMA_MM2S_DMASR_HALTED_MASK, 1U);
}

TEST_F(RegisterWindows, BadRangesAreRefused) {
  void* data = nullptr;
  const auto status = [&](uintptr_t place, uint64_t offset, uint64_t bytes) {
    return sluice_board_map_registers(board.get(), pointer(place), offset, bytes, &data);
  };
  EXPECT_EQ(status(0, 0, 0), -EINVAL);
  EXPECT_EQ(status(0, 4, 4096), -EINVAL);
  EXPECT_EQ(status(4, 0, 4096), -EINVAL);
  EXPECT_EQ(status(0, 0, 5000), -EINVAL);
  EXPECT_EQ(status(0, 0x10'0000, 4096), -EINVAL);
  EXPECT_EQ(status(0, 0, 0x10'1000), -EINVAL);
  EXPECT_EQ(status(0, ~uint64_t{0xfff}, 0x2000), -EINVAL);
  EXPECT_EQ(sluice_board_map_registers(nullptr, nullptr, 0, 4096, &data), -EINVAL);
  EXPECT_EQ(sluice_board_map_registers(board.get(), nullptr, 0, 4096, nullptr), -EINVAL);
  EXPECT_EQ(status(0, 0x10'0000 - 4096, 4096), 0);
}

sigjmp_buf resume_here;

// Faults that are not of a window are those of whoever handled them before.
TEST(RegisterWindowsChain, FaultsElsewhereGoToTheHandlerOfBefore) {
  struct sigaction ours{}, found{};
  ours.sa_handler = [](int) { siglongjmp(resume_here, 1); };
  ours.sa_flags = SA_NODEFER;
  ASSERT_EQ(::sigaction(SIGSEGV, &ours, &found), 0);
  void* const page = ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  {
    const BoardHandle board = open_board(kUri);
    map_registers(board.get(), pointer(kEngine), 0, 4096);
    volatile bool handled = false;
    if (sigsetjmp(resume_here, 1) == 0)
      at<uint32_t>(reinterpret_cast<uintptr_t>(page)) = 1;
    else
      handled = true;
    EXPECT_TRUE(handled);
    EXPECT_NE(at<uint32_t>(kEngine + SL_AXI_DMA_MM2S_DMASR_OFFSET), 0U) << "and the window goes on";
  }
  struct sigaction now{};
  ::sigaction(SIGSEGV, &found, &now);
  EXPECT_EQ(now.sa_handler, ours.sa_handler) << "restored when the board closed";
  ::munmap(page, 4096);
}

// A signal that a process sends is no fault: where it was ignored, the windows go on.
TEST(RegisterWindowsChain, ASignalThatIsIgnoredChangesNothing) {
  struct sigaction ignore{}, found{};
  ignore.sa_handler = SIG_IGN;
  ASSERT_EQ(::sigaction(SIGSEGV, &ignore, &found), 0);
  {
    const BoardHandle board = open_board(kUri);
    map_registers(board.get(), pointer(kEngine), 0, 4096);
    ::raise(SIGSEGV);
    EXPECT_NE(at<uint32_t>(kEngine + SL_AXI_DMA_MM2S_DMASR_OFFSET), 0U);
  }
  ::sigaction(SIGSEGV, &found, nullptr);
}

TEST_F(RegisterWindowsDeathTest, WhatCannotBeAnsweredEndsTheProgram) {
  EXPECT_DEATH(
      asm volatile("lock incl (%0)" ::"r"(kEngine + kStart) : "memory"),
      "sluice: access to 0x4040[0-9a-f]*, register 0x[0-9a-f]*: the instruction 0xf0 .* is "
      "not mov, movzx or movsx");
  EXPECT_DEATH(asm volatile("movq (%0), %%rax" ::"r"(kEngine + kStart) : "rax"),
               "an access of 8 bytes is not within one register");
  EXPECT_DEATH(asm volatile("movw (%0), %%ax" ::"r"(kEngine + kStart + 3) : "rax"),
               "an access of 2 bytes is not within one register");
  EXPECT_DEATH(
      {
        map_registers(board.get(), pointer(0x5000'0000), 0x5'0000, 4096);
        (void)load<uint32_t>(0x5000'0000);
      },
      "access to 0x50000000, register 0x50000: read at control offset 0x50000: DECERR");
}

#else

TEST(RegisterWindows, AreForX86) {
  const BoardHandle board = open_board(kUri);
  void* data = nullptr;
  EXPECT_EQ(sluice_board_map_registers(board.get(), nullptr, 0, 4096, &data), -ENOTSUP);
}

#endif

}  // namespace
