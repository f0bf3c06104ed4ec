// SPDX-License-Identifier: Apache-2.0
// The driver of the copy engine against scripted registers.
#include "cdma.hpp"

#include <gtest/gtest.h>
#include <sl_axi_cdma.h>

#include <cerrno>

#include "error.hpp"
#include "scripted_platform.hpp"

namespace sluice {
namespace {

constexpr uint32_t kStatus = SL_AXI_CDMA_CDMASR_OFFSET;

struct Cdma : testing::Test {
  ScriptedPlatform platform{SL_AXI_CDMA_CDMACR_OFFSET, SL_AXI_CDMA_CDMACR_OFFSET,
                            SL_AXI_CDMA_CDMACR_RESET_MASK};
  CdmaEngine engine{platform, "HP0", 0, 3, 0};
  CdmaChannel& channel = engine.channel();
  uint32_t source_users = 0;
  uint32_t destination_users = 0;

  void submit(uint64_t cookie) {
    channel.submit({.address = 0x1'0020'0000,
                    .bytes = 4096,
                    .cookie = cookie,
                    .users = &source_users,
                    .destination = 0x2'0030'0000,
                    .destination_users = &destination_users});
    channel.flush();
  }
  void finish(uint32_t status) {
    platform.registers[kStatus] = status;
    platform.lines = 8;
    channel.service();
    platform.lines = 0;
  }
};

TEST_F(Cdma, ProgramsBothAddressesAndTheLengthLast) {
  submit(1);
  EXPECT_EQ(platform.registers[SL_AXI_CDMA_SA_OFFSET], 0x0020'0000U);
  EXPECT_EQ(platform.registers[SL_AXI_CDMA_SA_MSB_OFFSET], 1U);
  EXPECT_EQ(platform.registers[SL_AXI_CDMA_DA_OFFSET], 0x0030'0000U);
  EXPECT_EQ(platform.registers[SL_AXI_CDMA_DA_MSB_OFFSET], 2U);
  EXPECT_EQ(platform.writes.back(), std::pair(SL_AXI_CDMA_BTT_OFFSET, 4096U));
  EXPECT_EQ(channel.expected_interrupt(), 8U);
  EXPECT_EQ(source_users, 1U);
  EXPECT_EQ(destination_users, 1U);
}

TEST_F(Cdma, CompletesAndGoesOn) {
  submit(1);
  submit(2);
  finish(SL_AXI_CDMA_CDMASR_IOC_IRQ_MASK);
  const sluice_completion completion = channel.take_completion();
  EXPECT_EQ(completion.cookie, 1U);
  EXPECT_EQ(completion.status, 0);
  EXPECT_EQ(completion.bytes, 4096U);
  EXPECT_EQ(completion.finish_ns, 5003U);
  EXPECT_EQ(completion.end_of_packet, 0U);
  EXPECT_EQ(source_users, 1U);
  EXPECT_EQ(destination_users, 1U);
  EXPECT_EQ(platform.writes.back().first, SL_AXI_CDMA_BTT_OFFSET);  // the second is started
  EXPECT_FALSE(channel.has_completion());
}

TEST_F(Cdma, ErrorsHaveTheirOwnCodesAndCancelWhatWaits) {
  const std::pair<uint32_t, int> cases[] = {{SL_AXI_CDMA_CDMASR_DMASLVERR_MASK, -EIO},
                                            {SL_AXI_CDMA_CDMASR_DMADECERR_MASK, -EFAULT},
                                            {SL_AXI_CDMA_CDMASR_DMAINTERR_MASK, -EIO}};
  for (const auto& [bit, error] : cases) {
    platform.reads_before_clear = 2;
    submit(1);
    submit(2);
    finish(bit | SL_AXI_CDMA_CDMASR_ERR_IRQ_MASK);
    const sluice_completion failed = channel.take_completion();
    EXPECT_EQ(failed.status, error);
    EXPECT_EQ(failed.bytes, 0U);
    EXPECT_EQ(channel.take_completion().status, -ECANCELED);
    EXPECT_TRUE(channel.idle());
    EXPECT_EQ(source_users + destination_users, 0U);
  }
}

TEST_F(Cdma, ResetThatNeverEndsIsReported) {
  platform.reads_before_clear = 1 << 30;
  submit(1);
  try {
    channel.reset();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.errnum(), ETIMEDOUT);
  }
}

}  // namespace
}  // namespace sluice
