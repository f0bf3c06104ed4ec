// SPDX-License-Identifier: Apache-2.0
// The driver of the mSGDMA against scripted registers.
#include "msgdma.hpp"

#include <gtest/gtest.h>
#include <sl_msgdma_csr.h>
#include <sl_msgdma_desc.h>
#include <sl_msgdma_resp.h>

#include <cerrno>

#include "error.hpp"
#include "scripted_platform.hpp"

namespace sluice {
namespace {

constexpr uint32_t kBase = 0x4000;
constexpr uint32_t kDesc = kBase + 0x20;
constexpr uint32_t kResp = kBase + 0x40;
constexpr uint32_t kControl = kDesc + SL_MSGDMA_DESC_CONTROL_OFFSET;

struct Msgdma : testing::TestWithParam<sluice_direction> {
  ScriptedPlatform platform{kBase + SL_MSGDMA_CSR_CONTROL_OFFSET,
                            kBase + SL_MSGDMA_CSR_STATUS_OFFSET, SL_MSGDMA_CSR_CONTROL_RESET_MASK};
  MsgdmaEngine engine{platform, "F2S0", GetParam(), kBase, 1, 0};
  MsgdmaChannel& channel = engine.channel();
  uint32_t users = 0;

  void submit(uint64_t cookie) {
    channel.submit({.address = 0x1'0020'0000, .bytes = 4096, .cookie = cookie, .users = &users});
    channel.flush();
  }
  void finish(uint32_t bytes, uint32_t status) {
    platform.registers[kResp + SL_MSGDMA_RESP_BYTES_OFFSET] = bytes;
    platform.registers[kResp + SL_MSGDMA_RESP_STATUS_OFFSET] = status;
    platform.lines = 2;
    channel.service();
    platform.lines = 0;
  }
};

INSTANTIATE_TEST_SUITE_P(Directions, Msgdma, testing::Values(SLUICE_MM2S, SLUICE_S2MM),
                         [](const auto& param) {
                           return param.param == SLUICE_MM2S ? "mm2s" : "s2mm";
                         });

TEST_P(Msgdma, WritesADescriptorAndGoLast) {
  EXPECT_EQ(engine.find(GetParam()), &channel);
  EXPECT_EQ(engine.find(SLUICE_COPY), nullptr);
  submit(1);
  const bool reads = GetParam() == SLUICE_MM2S;
  EXPECT_EQ(platform.registers[kDesc + (reads ? SL_MSGDMA_DESC_READ_ADDR_LO_OFFSET
                                              : SL_MSGDMA_DESC_WRITE_ADDR_LO_OFFSET)],
            0x0020'0000U);
  EXPECT_EQ(platform.registers[kDesc + (reads ? SL_MSGDMA_DESC_READ_ADDR_HI_OFFSET
                                              : SL_MSGDMA_DESC_WRITE_ADDR_HI_OFFSET)],
            1U);
  EXPECT_EQ(platform.registers[kDesc + SL_MSGDMA_DESC_LENGTH_OFFSET], 4096U);
  const auto [offset, control] = platform.writes.back();
  EXPECT_EQ(offset, kControl);
  EXPECT_TRUE(control & SL_MSGDMA_DESC_CONTROL_GO_MASK);
  EXPECT_TRUE(control & SL_MSGDMA_DESC_CONTROL_COMPLETE_IRQ_MASK);
  EXPECT_EQ((control & SL_MSGDMA_DESC_CONTROL_GEN_EOP_MASK) != 0, reads);
  EXPECT_EQ((control & SL_MSGDMA_DESC_CONTROL_END_ON_EOP_MASK) != 0, !reads);
}

TEST_P(Msgdma, BelievesNoLengthBeyondTheOneAskedFor) {
  submit(1);
  submit(2);
  finish(0xffff'ffff, 0);
  EXPECT_EQ(channel.take_completion().bytes, 4096U);
  finish(100, 0);
  const sluice_completion second = channel.take_completion();
  EXPECT_EQ(second.cookie, 2U);
  EXPECT_EQ(second.bytes, 100U);
  EXPECT_EQ(second.finish_ns, 5001U);
  EXPECT_EQ(users, 0U);
}

TEST_P(Msgdma, ErrorsHaveTheirOwnCodesAndCancelWhatWaits) {
  const std::pair<uint32_t, int> cases[] = {{SL_MSGDMA_RESP_STATUS_SLVERR_MASK, -EIO},
                                            {SL_MSGDMA_RESP_STATUS_DECERR_MASK, -EFAULT},
                                            {SL_MSGDMA_RESP_STATUS_REFUSED_MASK, -EIO},
                                            {SL_MSGDMA_RESP_STATUS_EARLY_MASK, -EMSGSIZE}};
  for (const auto& [bit, error] : cases) {
    platform.reads_before_clear = 2;
    submit(1);
    submit(2);
    finish(64, bit);
    const sluice_completion failed = channel.take_completion();
    EXPECT_EQ(failed.status, error);
    EXPECT_EQ(failed.bytes, 0U);
    EXPECT_EQ(failed.end_of_packet, 0U);
    EXPECT_EQ(channel.take_completion().status, -ECANCELED);
    EXPECT_EQ(users, 0U);
  }
  submit(3);  // after the reset the interrupt is enabled again
  EXPECT_EQ(platform.registers[kBase + SL_MSGDMA_CSR_CONTROL_OFFSET],
            SL_MSGDMA_CSR_CONTROL_IRQ_EN_MASK);
}

TEST_P(Msgdma, ResetThatNeverEndsIsReported) {
  platform.reads_before_clear = 1 << 30;
  submit(1);
  EXPECT_THROW(channel.reset(), Error);
}

}  // namespace
}  // namespace sluice
