// SPDX-License-Identifier: Apache-2.0
// Structures of older and newer programs, and calls with nothing to work on.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <sluice.hpp>
#include <string>

namespace {

using namespace sluice;

struct Abi : testing::Test {
  BoardHandle board = open_board("sim:zynq7010/hp_stress?start_cost_ns=0");
  sluice_channel* mm2s = find_channel(board.get(), "hp0.mm2s");
};

TEST(AbiLayout, IsWhatPublishedProgramsWereBuiltWith) {
  // Growing a structure moves none of these.
  static_assert(offsetof(sluice_transfer, cookie) == 24);
  static_assert(offsetof(sluice_transfer, timeout_ns) == 32);  // the first version's end
  static_assert(offsetof(sluice_transfer, flags) == 40);
  static_assert(sizeof(sluice_transfer) == 56 && offsetof(sluice_transfer, card_offset) == 48);
  static_assert(sizeof(sluice_completion) == 40 &&
                offsetof(sluice_completion, end_of_packet) == 36);
  static_assert(offsetof(sluice_copy, cookie) == 40);
  static_assert(sizeof(sluice_copy) == 56 && offsetof(sluice_copy, timeout_ns) == 48);
  static_assert(offsetof(sluice_placement, memory) == 16);  // the first version's end
  static_assert(sizeof(sluice_placement) == 24);
  static_assert(sizeof(sluice_cpu_work) == 48 && offsetof(sluice_cpu_work, uncached) == 40);
  static_assert(offsetof(sluice_channel_info, max_bytes) == 80);
  static_assert(offsetof(sluice_channel_info, max_packet_bytes) == 88);  // the first version's end
  static_assert(offsetof(sluice_channel_info, card_first) == 104);
  static_assert(sizeof(sluice_channel_info) == 120);
  static_assert(sizeof(sluice_capture) == 32 && offsetof(sluice_capture, flags) == 28);
  static_assert(sizeof(sluice_capture_period) == 40 &&
                offsetof(sluice_capture_period, merged) == 36);
  static_assert(sizeof(sluice_capture_answer) == 24);
  static_assert(sizeof(sluice_capture_loss) == 24);
  static_assert(sizeof(sluice_capture_status) == 64 &&
                offsetof(sluice_capture_status, exact) == 60);
  static_assert(offsetof(sluice_board_info, thread_count) == 96);  // the first version's end
  static_assert(sizeof(sluice_board_info) == 112 && offsetof(sluice_board_info, card_bytes) == 104);
  static_assert(sizeof(sluice_hwt_info) == 72 && offsetof(sluice_hwt_info, halted) == 68);
  static_assert(sizeof(sluice_hwt_window) == 32 && offsetof(sluice_hwt_window, reserved) == 28);
  static_assert(sizeof(sluice_hwt_command) == 40 && offsetof(sluice_hwt_command, flags) == 36);
  static_assert(sizeof(sluice_hwt_fault) == 40 && offsetof(sluice_hwt_fault, refused) == 32);
  static_assert(sizeof(sluice_hwt_stats) == 64 && offsetof(sluice_hwt_stats, worst_wait) == 56);
  static_assert(offsetof(sluice_board_description, port_name) == 496);  // the first version's end
  static_assert(sizeof(sluice_board_description) == 560 &&
                offsetof(sluice_board_description, full_rate) == 544);
  static_assert(sizeof(sluice_attribute_info) == 264);
}

TEST_F(Abi, NewerProgramGetsZeroesWhereTheLibraryKnowsNothing) {
  struct {
    sluice_channel_info known;
    uint64_t newer;
  } info;
  std::memset(&info, 0xff, sizeof info);
  ASSERT_EQ(sluice_channel_get_info(mm2s, &info.known, sizeof info), 0);
  EXPECT_STREQ(info.known.name, "hp0.mm2s");
  EXPECT_EQ(info.newer, 0U);
}

// What the first version of a structure held, in arrays as programs of that time had them.
struct FirstTransfer {
  sluice_buffer* buffer;
  uint64_t offset, bytes, cookie;
};
struct FirstCopy {
  sluice_buffer* source;
  uint64_t source_offset;
  sluice_buffer* destination;
  uint64_t destination_offset, bytes, cookie;
};

TEST_F(Abi, OlderProgramGetsWhatItsStructuresHold) {
  constexpr size_t kFirstInfo = offsetof(sluice_channel_info, max_packet_bytes);
  struct {
    char known[kFirstInfo];
    uint64_t behind;
  } info;
  std::memset(&info, 0xff, sizeof info);
  ASSERT_EQ(
      sluice_channel_get_info(mm2s, reinterpret_cast<sluice_channel_info*>(&info), kFirstInfo), 0);
  EXPECT_STREQ(info.known, "hp0.mm2s");
  EXPECT_EQ(info.behind, UINT64_MAX);

  set_attribute(board.get(), "hp0.sink.enable", 1);
  const BufferHandle buffer = allocate(board.get(), 4096);
  const FirstTransfer transfers[2] = {{buffer.get(), 0, 64, 1}, {buffer.get(), 64, 128, 2}};
  ASSERT_EQ(sluice_channel_submit(mm2s, reinterpret_cast<const sluice_transfer*>(transfers), 2,
                                  sizeof transfers[0]),
            2);
  EXPECT_EQ(wait(mm2s).cookie, 1U);
  EXPECT_EQ(wait(mm2s).bytes, 128U);

  const BoardHandle copier = open_board("sim:zynq7010/cdma?start_cost_ns=0");
  sluice_channel* channel = find_channel(copier.get(), "hp0.copy");
  const BufferHandle from = allocate(copier.get(), 4096), to = allocate(copier.get(), 4096);
  const FirstCopy copies[2] = {{from.get(), 0, to.get(), 0, 64, 1},
                               {from.get(), 64, to.get(), 64, 128, 2}};
  ASSERT_EQ(sluice_channel_copy(channel, reinterpret_cast<const sluice_copy*>(copies), 2,
                                sizeof copies[0]),
            2);
  EXPECT_EQ(wait(channel).cookie, 1U);
  EXPECT_EQ(wait(channel).bytes, 128U);
}

TEST_F(Abi, FlagsThatAreNotKnownAreRefused) {
  const BufferHandle buffer = allocate(board.get(), 4096);
  sluice_transfer transfer{.buffer = buffer.get(), .offset = 0, .bytes = 64, .cookie = 0};
  transfer.flags = 2;
  EXPECT_EQ(sluice_channel_submit(mm2s, &transfer, 1, sizeof transfer), -EINVAL);
  transfer.flags = 0;
  transfer.reserved = 1;
  EXPECT_EQ(sluice_channel_submit(mm2s, &transfer, 1, sizeof transfer), -EINVAL);
}

// What devices have and simulated boards have not.
TEST_F(Abi, WhatOnlyADeviceHasIsSaidSo) {
  const BufferHandle buffer = allocate(board.get(), 4096);
  sluice_transfer transfer{.buffer = buffer.get(), .offset = 0, .bytes = 64, .cookie = 0};
  transfer.timeout_ns = 1;
  EXPECT_EQ(sluice_channel_submit(mm2s, &transfer, 1, sizeof transfer), -ENOTSUP);
  transfer.timeout_ns = 0;
  transfer.flags = SLUICE_TRANSFER_FILL;
  sluice_channel* s2mm = find_channel(board.get(), "hp0.s2mm");
  EXPECT_EQ(sluice_channel_submit(s2mm, &transfer, 1, sizeof transfer), -ENOTSUP);
  const sluice_capture capture{
      .buffer = buffer.get(), .offset = 0, .period_bytes = 64, .periods = 2, .flags = 0};
  EXPECT_EQ(sluice_capture_start(s2mm, &capture, sizeof capture), -ENOTSUP);
  EXPECT_EQ(sluice_capture_start(s2mm, &capture, sizeof capture - 1), -EINVAL);
  EXPECT_EQ(sluice_capture_start(s2mm, nullptr, sizeof capture), -EINVAL);
  uint64_t produced = 0;
  EXPECT_EQ(sluice_capture_wait(s2mm, 0, 0, &produced), -ENOTSUP);
  EXPECT_EQ(sluice_capture_stop(s2mm), -ENOTSUP);
  EXPECT_EQ(sluice_capture_stop(nullptr), -EINVAL);
}

TEST_F(Abi, CpuAccessIsKeptApartFromTransfersOnEveryBoard) {
  const BufferHandle buffer = allocate(board.get(), 4096);
  const sluice_transfer transfer{.buffer = buffer.get(), .offset = 0, .bytes = 64, .cookie = 0};
  {
    const Access access(buffer.get(), SLUICE_WRITE);
    EXPECT_EQ(sluice_channel_submit(mm2s, &transfer, 1, sizeof transfer), -EBUSY);
    EXPECT_EQ(sluice_buffer_begin_access(buffer.get(), SLUICE_READ), -EBUSY);
  }
  EXPECT_EQ(sluice_buffer_end_access(buffer.get()), -EINVAL);
  EXPECT_EQ(sluice_buffer_begin_access(nullptr, SLUICE_READ), -EINVAL);
  EXPECT_EQ(sluice_buffer_begin_access(buffer.get(), 0), -EINVAL);
  ASSERT_EQ(sluice_channel_submit(mm2s, &transfer, 1, sizeof transfer), 1);  // no sink: it waits
  EXPECT_EQ(sluice_buffer_begin_access(buffer.get(), SLUICE_READ), -EBUSY);
}

TEST_F(Abi, ShortStructureIsRefused) {
  constexpr size_t kFirstInfo = offsetof(sluice_channel_info, max_packet_bytes);
  sluice_channel_info info{};
  EXPECT_EQ(sluice_channel_get_info(mm2s, &info, kFirstInfo - 1), -EINVAL);
  EXPECT_NE(std::string(sluice_last_error()).find("smaller than its first version"),
            std::string::npos);
  const BufferHandle buffer = allocate(board.get(), 4096);
  const sluice_transfer transfer{.buffer = buffer.get(), .offset = 0, .bytes = 64, .cookie = 0};
  EXPECT_EQ(sluice_channel_submit(mm2s, &transfer, 1, 8), -EINVAL);
  sluice_completion completion{};
  EXPECT_EQ(sluice_channel_reap(mm2s, &completion, 1, 0, 0), -EINVAL);
}

TEST_F(Abi, NewerTransferWorksWhileItsNewFieldsAreZero) {
  set_attribute(board.get(), "hp0.sink.enable", 1);
  const BufferHandle buffer = allocate(board.get(), 4096);
  struct Newer {
    sluice_transfer known;
    uint64_t newer;
  } transfers[2] = {{{.buffer = buffer.get(), .offset = 0, .bytes = 64, .cookie = 1}, 0},
                    {{.buffer = buffer.get(), .offset = 64, .bytes = 128, .cookie = 2}, 0}};
  ASSERT_EQ(sluice_channel_submit(mm2s, &transfers[0].known, 2, sizeof(Newer)), 2);
  EXPECT_EQ(wait(mm2s).cookie, 1U);
  const sluice_completion second = wait(mm2s);
  EXPECT_EQ(second.cookie, 2U);
  EXPECT_EQ(second.bytes, 128U);

  transfers[1].newer = 1;  // asks for something that this library cannot do: none is taken
  EXPECT_EQ(sluice_channel_submit(mm2s, &transfers[0].known, 2, sizeof(Newer)), -E2BIG);
  sluice_completion none{};
  EXPECT_EQ(sluice_channel_reap(mm2s, &none, 1, sizeof none, -1), 0);
}

TEST(AbiCopy, ShortNewerAndNullStructuresAreTreatedAlike) {
  const BoardHandle board = open_board("sim:zynq7010/cdma?start_cost_ns=0");
  sluice_channel* channel = find_channel(board.get(), "hp0.copy");
  const BufferHandle source = allocate(board.get(), 4096),
                     destination = allocate(board.get(), 4096);
  struct Newer {
    sluice_copy known;
    uint64_t newer;
  } copies[2] = {{{source.get(), 0, destination.get(), 0, 64, 1}, 0},
                 {{source.get(), 64, destination.get(), 64, 128, 2}, 0}};
  EXPECT_EQ(
      sluice_channel_copy(channel, &copies[0].known, 1, offsetof(sluice_copy, timeout_ns) - 1),
      -EINVAL);
  EXPECT_EQ(sluice_channel_copy(channel, nullptr, 1, sizeof(sluice_copy)), -EINVAL);
  EXPECT_EQ(sluice_channel_copy(nullptr, &copies[0].known, 1, sizeof(sluice_copy)), -EINVAL);
  EXPECT_EQ(sluice_channel_copy(channel, &copies[0].known, 0, sizeof(sluice_copy)), -EINVAL);
  ASSERT_EQ(sluice_channel_copy(channel, &copies[0].known, 2, sizeof(Newer)), 2);
  EXPECT_EQ(wait(channel).cookie, 1U);
  EXPECT_EQ(wait(channel).bytes, 128U);
  copies[1].newer = 1;
  EXPECT_EQ(sluice_channel_copy(channel, &copies[0].known, 2, sizeof(Newer)), -E2BIG);
}

TEST_F(Abi, ChannelOfAStreamTakesNoCopies) {
  const BufferHandle buffer = allocate(board.get(), 4096);
  const sluice_copy entry{buffer.get(), 0, buffer.get(), 64, 64, 0};
  EXPECT_EQ(sluice_channel_copy(mm2s, &entry, 1, sizeof entry), -ENOTSUP);
}

TEST_F(Abi, NullPointersAreRefusedByName) {
  sluice_board* opened = nullptr;
  sluice_buffer* buffer = nullptr;
  sluice_channel* channel = nullptr;
  uint64_t value = 0;
  EXPECT_EQ(sluice_board_open(nullptr, &opened), -EINVAL);
  EXPECT_STREQ(sluice_last_error(), "uri is a null pointer");
  EXPECT_EQ(sluice_board_open("sim:zynq7010/hp_stress", nullptr), -EINVAL);
  EXPECT_EQ(sluice_buffer_alloc(nullptr, 1, nullptr, 0, &buffer), -EINVAL);
  EXPECT_EQ(sluice_buffer_alloc(board.get(), 1, nullptr, 0, nullptr), -EINVAL);
  EXPECT_EQ(sluice_board_find_channel(board.get(), nullptr, &channel), -EINVAL);
  EXPECT_EQ(sluice_channel_submit(mm2s, nullptr, 1, sizeof(sluice_transfer)), -EINVAL);
  EXPECT_EQ(sluice_channel_reap(mm2s, nullptr, 1, sizeof(sluice_completion), 0), -EINVAL);
  EXPECT_EQ(sluice_board_get_attribute(board.get(), nullptr, &value), -EINVAL);
  EXPECT_EQ(sluice_enumerate(0, nullptr, 0), -EINVAL);
  EXPECT_EQ(sluice_buffer_free(nullptr), 0);
  sluice_board_close(nullptr);
}

TEST(Enumerate, DescribesWhatCanBeOpened) {
  sluice_board_description entry{};
  unsigned count = 0;
  for (; sluice_enumerate(count, &entry, sizeof entry) == 0; ++count) {
    EXPECT_NO_THROW(open_board(entry.uri)) << entry.uri;
    EXPECT_GT(entry.memory_bytes, 0U);
    EXPECT_NE(entry.width_mask, 0U);
  }
  EXPECT_GE(count, 1U);
  EXPECT_EQ(sluice_enumerate(count, &entry, sizeof entry), -ENOENT);
}

}  // namespace
