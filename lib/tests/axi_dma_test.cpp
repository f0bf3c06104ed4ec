// SPDX-License-Identifier: Apache-2.0
// The engine driver against scripted registers: what it makes of errors, of late and missing
// answers, and of registers that lie.
#include "axi_dma.hpp"

#include <gtest/gtest.h>
#include <sl_axi_dma.h>

#include <cerrno>

#include "error.hpp"
#include "scripted_platform.hpp"

namespace sluice {
namespace {

constexpr uint32_t kS2mm = SL_AXI_DMA_S2MM_DMACR_OFFSET;
constexpr uint32_t kReset = SL_AXI_DMA_MM2S_DMACR_RESET_MASK;

struct AxiDma : testing::Test {
  ScriptedPlatform platform{0, 0, kReset};
  AxiDmaEngine engine{platform, "HP0", 0, 0, 0};
  AxiDmaChannel& mm2s = engine.channel(SLUICE_MM2S);
  AxiDmaChannel& s2mm = engine.channel(SLUICE_S2MM);
  uint32_t users = 0;

  void submit(AxiDmaChannel& channel, uint64_t cookie) {
    channel.submit({.address = 0x1'0020'0000, .bytes = 4096, .cookie = cookie, .users = &users});
    channel.flush();
  }
  // The engine ends S2MM's transfer with this status and length.
  void finish_s2mm(uint32_t status, uint32_t length) {
    platform.registers[kS2mm + 4] = status;
    platform.registers[kS2mm + 0x28] = length;
    platform.lines = 2;
    s2mm.service();
    platform.lines = 0;
  }
};

TEST_F(AxiDma, ProgramsAddressHighHalfFirstAndLengthLast) {
  submit(s2mm, 1);
  EXPECT_EQ(platform.registers[kS2mm + 0x18], 0x0020'0000U);
  EXPECT_EQ(platform.registers[kS2mm + 0x1c], 1U);
  EXPECT_EQ(platform.registers[kS2mm + 0x28], 4096U);
  EXPECT_EQ(users, 1U);
  EXPECT_EQ(s2mm.expected_interrupt(), 2U);
  EXPECT_EQ(mm2s.expected_interrupt(), 0U);
}

TEST_F(AxiDma, BelievesNoLengthBeyondTheOneAskedFor) {
  submit(s2mm, 1);
  finish_s2mm(SL_AXI_DMA_MM2S_DMASR_IOC_IRQ_MASK, 0x3ffffff);
  const sluice_completion completion = s2mm.take_completion();
  EXPECT_EQ(completion.bytes, 4096U);
  EXPECT_EQ(completion.finish_ns, 5001U);
  EXPECT_EQ(users, 0U);
}

TEST_F(AxiDma, ErrorsHaveTheirOwnCodes) {
  const std::pair<uint32_t, int> cases[] = {{SL_AXI_DMA_MM2S_DMASR_DMASLVERR_MASK, -EIO},
                                            {SL_AXI_DMA_MM2S_DMASR_DMADECERR_MASK, -EFAULT},
                                            {SL_AXI_DMA_MM2S_DMASR_DMAINTERR_MASK, -EMSGSIZE}};
  for (const auto& [bit, error] : cases) {
    platform.reads_before_clear = 2;
    submit(s2mm, 1);
    finish_s2mm(bit | SL_AXI_DMA_MM2S_DMASR_ERR_IRQ_MASK, 4096);
    const sluice_completion completion = s2mm.take_completion();
    EXPECT_EQ(completion.status, error);
    EXPECT_EQ(completion.bytes, 0U);
    EXPECT_EQ(completion.end_of_packet, 0U);
  }
}

TEST_F(AxiDma, AnErrorCancelsTheRestOfTheEngineButNotWhatHadFinished) {
  submit(mm2s, 10);
  submit(s2mm, 20);
  submit(s2mm, 21);
  platform.registers[4] = SL_AXI_DMA_MM2S_DMASR_IOC_IRQ_MASK;
  platform.registers[kS2mm + 4] =
      SL_AXI_DMA_MM2S_DMASR_DMASLVERR_MASK | SL_AXI_DMA_MM2S_DMASR_ERR_IRQ_MASK;
  platform.lines = 3;  // both at once
  s2mm.service();
  EXPECT_EQ(s2mm.take_completion().status, -EIO);
  EXPECT_EQ(s2mm.take_completion().status, -ECANCELED);
  EXPECT_EQ(mm2s.take_completion().status, 0);
  EXPECT_EQ(users, 0U);
}

TEST_F(AxiDma, ResetThatNeverEndsIsReported) {
  platform.reads_before_clear = 1 << 30;
  submit(s2mm, 1);
  try {
    engine.reset();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.errnum(), ETIMEDOUT);
    EXPECT_STREQ(error.what(), "the DMA engine of HP0 does not come out of reset");
  }
}

}  // namespace
}  // namespace sluice
