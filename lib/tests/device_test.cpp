// SPDX-License-Identifier: Apache-2.0
// The back end for devices against a double of the kernel: what it asks for, and what it makes of
// every answer. Real transfers are tested in guests, driver/tests/test_sluice_library.py.
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <memory>
#include <sluice.hpp>
#include <string>
#include <vector>

#include "board.hpp"
#include "device_backend.hpp"
#include "error.hpp"
#include "kernel_double.hpp"
#include "uri.hpp"

namespace {

using namespace sluice;

constexpr uint64_t kAll = SLUICE_CAP_QUEUE | SLUICE_CAP_BYTES | SLUICE_CAP_TERMINATE |
                          SLUICE_CAP_CYCLIC | SLUICE_CAP_STALL | SLUICE_CAP_LOSS_EXACT;

std::string said() { return sluice_last_error(); }

bool mentions(const std::string& text, const char* what) {
  return text.find(what) != std::string::npos;
}

struct Device : testing::Test {
  KernelDouble kernel;
  KernelDouble::Channel& tx = kernel.add("card/hp0.mm2s", uapi::SLUICE_TX, kAll);
  KernelDouble::Channel& rx = kernel.add("card/hp0.s2mm", uapi::SLUICE_RX, kAll);
  KernelDouble::Channel& copies = kernel.add("card/hp1.copy", uapi::SLUICE_COPY, SLUICE_CAP_QUEUE);
  BoardHandle board;

  void open(const std::string& text = "dev:card") {
    Uri uri(text);
    board = BoardHandle(open_device(uri, kernel).release());
  }
  std::string refusal(const std::string& text, int errnum) {
    try {
      open(text);
    } catch (const Error& error) {
      EXPECT_EQ(error.errnum(), errnum) << error.what();
      return error.what();
    }
    return "";
  }
  sluice_channel* channel(const char* name) { return find_channel(board.get(), name); }
  BufferHandle buffer(uint64_t bytes = 65536) { return allocate(board.get(), bytes); }
  static int submit(sluice_channel* channel, const sluice_transfer& transfer) {
    return sluice_channel_submit(channel, &transfer, 1, sizeof transfer);
  }
  static int reap(sluice_channel* channel, sluice_completion* completion, int64_t timeout_ns = 0) {
    return sluice_channel_reap(channel, completion, 1, sizeof *completion, timeout_ns);
  }
  void TearDown() override {
    board = nullptr;
    EXPECT_TRUE(kernel.descriptors.empty()) << "left open";
  }
};

TEST_F(Device, BoardsThatAreNotThereAreRefusedWithWhatToDo) {
  EXPECT_EQ(refusal("dev:other", ENODEV), "unknown board 'other'; /dev/sluice has: card");
  EXPECT_TRUE(mentions(refusal("dev:card?hep=cma", EINVAL), "allowed: heap"));
  EXPECT_TRUE(mentions(refusal("dev:card?heap=../x", EINVAL), "heap must be a name"));
  EXPECT_TRUE(mentions(refusal("dev:card/design", EINVAL), "not of the form"));
  kernel.channels.clear();
  EXPECT_TRUE(mentions(refusal("dev:card", ENODEV), "modprobe sluice"));
}

TEST_F(Device, AreEnumerated) {
  const auto found = enumerate_devices(kernel);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_STREQ(found[0].uri, "dev:card");
  EXPECT_STREQ(found[0].board_text, "device of sluice.ko, 3 channels");
  EXPECT_EQ(found[0].is_device, 1U);
}

TEST_F(Device, ChannelsAreOpenedWhenTheyAreNeeded) {
  open();
  sluice_board_info info{};
  check(sluice_board_get_info(board.get(), &info, sizeof info));
  EXPECT_EQ(info.channel_count, 3U);
  EXPECT_EQ(info.simulated_time, 0U);
  EXPECT_STREQ(info.board, "card");
  sluice_channel* mm2s = channel("hp0.mm2s");
  EXPECT_TRUE(kernel.descriptors.empty());
  sluice_channel_info told{};
  check(sluice_channel_get_info(mm2s, &told, sizeof told));
  EXPECT_EQ(kernel.descriptors.size(), 1U);
  EXPECT_EQ(tx.opens, 1U);
}

TEST_F(Device, HardwareIsTheDriversAlone) {
  open();
  const BufferHandle memory = buffer();
  uint32_t value = 0;
  uint64_t wide = 0;
  void* data = nullptr;
  for (const int status : {sluice_board_read_register(board.get(), 0, &value),
                           sluice_board_write_register(board.get(), 0, 0, 0xf),
                           sluice_board_get_interrupts(board.get(), &wide),
                           sluice_board_wait_interrupt(board.get(), 1, 0, &wide),
                           sluice_board_interrupt_fd(board.get(), 1),
                           sluice_buffer_get_bus_address(memory.get(), &wide),
                           sluice_board_memory_fd(board.get(), &wide, &wide),
                           sluice_board_map_memory(board.get(), nullptr, 0, 4096, &data),
                           sluice_board_map_registers(board.get(), nullptr, 0, 4096, &data)}) {
    EXPECT_EQ(status, -ENOTSUP);
    EXPECT_TRUE(mentions(said(), "card: the driver sluice.ko keeps")) << said();
  }
}

TEST_F(Device, ChannelsSayWhatTheyCanDo) {
  open();
  sluice_channel_info info{};
  check(sluice_channel_get_info(channel("hp0.s2mm"), &info, sizeof info));
  EXPECT_STREQ(info.name, "hp0.s2mm");
  EXPECT_EQ(info.direction, SLUICE_S2MM);
  EXPECT_EQ(info.offset_alignment, 8U);
  EXPECT_EQ(info.max_bytes, UINT32_MAX);
  EXPECT_EQ(info.max_packet_bytes, 1U << 20);
  EXPECT_EQ(info.capabilities, SLUICE_CAN_CANCEL | SLUICE_CAN_PACKETS | SLUICE_CAN_CAPTURE |
                                   SLUICE_CAN_COUNT | SLUICE_CAN_HOLD);
  check(sluice_channel_get_info(channel("hp1.copy"), &info, sizeof info));
  EXPECT_EQ(info.direction, SLUICE_COPY);
  EXPECT_EQ(info.capabilities, 0U);
  EXPECT_EQ(info.max_packet_bytes, 0U);
  EXPECT_EQ(sluice_board_find_channel(board.get(), "hp9.mm2s", nullptr), -EINVAL);
  sluice_channel* none = nullptr;
  EXPECT_EQ(sluice_board_find_channel(board.get(), "hp9.mm2s", &none), -ENOENT);
  EXPECT_EQ(said(), "card has no channel 'hp9.mm2s'; it has: hp0.mm2s, hp0.s2mm, hp1.copy");
}

TEST_F(Device, NodesThatDoNotOpenSayWhy) {
  open();
  sluice_channel_info info{};
  const auto asked = [&] {
    return sluice_channel_get_info(channel("hp0.mm2s"), &info, sizeof info);
  };
  tx.open_error = -EACCES;
  EXPECT_EQ(asked(), -EACCES);
  EXPECT_TRUE(mentions(said(), "group 'sluice'") && mentions(said(), "60-sluice.rules")) << said();
  tx.open_error = -EBUSY;
  EXPECT_EQ(asked(), -EBUSY);
  EXPECT_TRUE(mentions(said(), "fuser -v /dev/sluice/card/hp0.mm2s")) << said();
  tx.open_error = -ENXIO;
  EXPECT_EQ(asked(), -ENODEV);
  tx.open_error = 0;
  tx.fails[SLUICE_INFO] = -ENOTTY;
  EXPECT_EQ(asked(), -ENODEV);
  EXPECT_TRUE(mentions(said(), "not a channel of the driver"));
  tx.fails.clear();
  tx.info.direction = 9;
  EXPECT_EQ(asked(), -EPROTO);
}

TEST_F(Device, TransfersAreHandedOverAsTheyAreMeant) {
  open();
  const sluice_placement placement{.alignment = 4096, .offset = 128, .memory = 0, .reserved = 0};
  const BufferHandle ours = allocate(board.get(), 8192, placement);
  EXPECT_EQ(kernel.allocated, 12288U);
  sluice_channel *s2mm = channel("hp0.s2mm"), *mm2s = channel("hp0.mm2s");
  const sluice_transfer packet{
      .buffer = ours.get(), .offset = 64, .bytes = 100, .cookie = 7, .timeout_ns = 9};
  sluice_transfer fill = packet;
  fill.flags = SLUICE_TRANSFER_FILL;
  ASSERT_EQ(submit(s2mm, packet), 1);
  ASSERT_EQ(submit(s2mm, fill), 1);
  ASSERT_EQ(submit(mm2s, packet), 1);
  EXPECT_EQ(submit(mm2s, fill), -EINVAL);  // nothing is filled by sending
  EXPECT_EQ(rx.accepted[0].offset, 192U);  // behind the placement's
  EXPECT_EQ(rx.accepted[0].length, 100U);
  EXPECT_EQ(rx.accepted[0].cookie, 7U);
  EXPECT_EQ(rx.accepted[0].timeout_ns, 9U);
  EXPECT_EQ(rx.accepted[0].flags, SLUICE_TRANSFER_PACKET);
  EXPECT_EQ(rx.accepted[1].flags, 0U);
  EXPECT_EQ(tx.accepted[0].flags, 0U);
  EXPECT_EQ(rx.buffers.size(), 1U) << "imported more than once";
  EXPECT_EQ(tx.buffers.size(), 1U);

  const BufferHandle other = buffer();
  const sluice_copy copy{ours.get(), 8, other.get(), 16, 4096, 3, 0};
  ASSERT_EQ(sluice_channel_copy(channel("hp1.copy"), &copy, 1, sizeof copy), 1);
  EXPECT_EQ(copies.accepted[0].offset, 136U);
  EXPECT_EQ(copies.accepted[0].destination_offset, 16U);
  EXPECT_NE(copies.accepted[0].destination, copies.accepted[0].buffer);
}

TEST_F(Device, CompletionsAreTakenWithoutASystemCall) {
  open();
  const BufferHandle ours = buffer();
  sluice_channel* s2mm = channel("hp0.s2mm");
  constexpr unsigned kMany = 1000;  // several rounds of the ring
  sluice_completion completion{};
  for (unsigned i = 0; i < kMany; ++i) {
    ASSERT_EQ(submit(s2mm, {.buffer = ours.get(), .offset = 0, .bytes = 64, .cookie = i}), 1);
    const unsigned calls = kernel.calls;
    EXPECT_EQ(reap(s2mm, &completion), 0);
    rx.complete(i % 64, 0, i % 2 ? SLUICE_COMPLETION_END_OF_PACKET : 0);
    ASSERT_EQ(reap(s2mm, &completion, -1), 1);
    ASSERT_EQ(completion.cookie, i);
    ASSERT_EQ(completion.bytes, i % 64);
    ASSERT_EQ(completion.end_of_packet, i % 2);
    ASSERT_EQ(completion.finish_ns, 5000U);
    ASSERT_GT(completion.start_ns, 1000U);
    ASSERT_EQ(reap(s2mm, &completion, -1), 0);  // nothing is queued
    ASSERT_EQ(kernel.calls, calls);
    ASSERT_EQ(rx.consumed(), i + 1);
  }
}

TEST_F(Device, WaitsAsLongAsItIsTold) {
  open();
  const BufferHandle ours = buffer();
  sluice_channel* s2mm = channel("hp0.s2mm");
  sluice_completion completion{};
  ASSERT_EQ(submit(s2mm, {.buffer = ours.get(), .offset = 0, .bytes = 64}), 1);
  EXPECT_EQ(reap(s2mm, &completion, 12345), 0);
  EXPECT_EQ(rx.reap.timeout_ns, 12345U);
  EXPECT_EQ(rx.reap.min, 1U);
  EXPECT_EQ(rx.reap.count, 0U);
  EXPECT_EQ(reap(s2mm, &completion, -1), 0);
  EXPECT_EQ(rx.reap.timeout_ns, SLUICE_FOREVER);
  rx.fails[SLUICE_REAP] = -EINTR;
  EXPECT_EQ(reap(s2mm, &completion, -1), -EINTR);
  rx.fails[SLUICE_REAP] = -ENODEV;
  EXPECT_EQ(reap(s2mm, &completion, -1), -ENODEV);
  EXPECT_TRUE(mentions(said(), "has gone"));
}

TEST_F(Device, WaitsForAnyOfSeveralChannels) {
  open();
  const BufferHandle ours = buffer();
  sluice_channel *mm2s = channel("hp0.mm2s"), *s2mm = channel("hp0.s2mm");
  sluice_channel* const all[] = {mm2s, channel("hp1.copy"), s2mm};
  EXPECT_EQ(wait_any(all), std::nullopt) << "nothing is queued";
  const sluice_transfer transfer{.buffer = ours.get(), .offset = 0, .bytes = 64};
  ASSERT_EQ(submit(mm2s, transfer), 1);
  ASSERT_EQ(submit(s2mm, transfer), 1);
  unsigned calls = kernel.calls;
  EXPECT_EQ(wait_any(all, 0), std::nullopt);
  rx.complete(64);
  EXPECT_EQ(wait_any(all), 2U);
  EXPECT_EQ(kernel.calls, calls) << "a completion is there, and the kernel is called";
  sluice_completion completion{};
  ASSERT_EQ(reap(s2mm, &completion), 1);

  ASSERT_EQ(submit(s2mm, transfer), 1);
  calls = kernel.calls;
  EXPECT_EQ(wait_any(all, 12345), std::nullopt);
  EXPECT_EQ(kernel.calls, calls + 1);
  EXPECT_EQ(kernel.poll_timeout_ns, 12345);
  const std::vector<std::string> polled{"/dev/sluice/card/hp0.mm2s", "/dev/sluice/card/hp0.s2mm"};
  EXPECT_EQ(kernel.polled, polled) << "those with something queued";
  kernel.in_poll = [&] { tx.complete(64); };
  EXPECT_EQ(wait_any(all), 0U);
  EXPECT_LT(kernel.poll_timeout_ns, 0);
  EXPECT_EQ(kernel.calls, calls + 2);
}

TEST_F(Device, BusyPollingFindsACompletionWithoutASystemCall) {
  open("dev:card?busy_poll_us=2");
  const BufferHandle ours = buffer();
  sluice_channel* const both[] = {channel("hp0.mm2s"), channel("hp0.s2mm")};
  const sluice_transfer transfer{.buffer = ours.get(), .offset = 0, .bytes = 64};
  for (sluice_channel* each : both) ASSERT_EQ(submit(each, transfer), 1);
  const unsigned calls = kernel.calls;
  kernel.in_clock = [&, reads = 0]() mutable {
    if (++reads == 5) rx.complete(64);
  };
  EXPECT_EQ(wait_any(both), 1U);
  sluice_completion completion{};
  EXPECT_EQ(reap(both[1], &completion, -1), 1);
  kernel.in_clock = [&, reads = 0]() mutable {
    if (++reads == 5) tx.complete(64);
  };
  EXPECT_EQ(reap(both[0], &completion, -1), 1);
  EXPECT_EQ(completion.status, 0);
  EXPECT_EQ(kernel.calls, calls) << "the kernel is called";
}

TEST_F(Device, BusyPollingEndsAtItsLimitAndThenTheKernelWaits) {
  open("dev:card?busy_poll_us=2");
  const BufferHandle ours = buffer();
  sluice_channel* const s2mm = channel("hp0.s2mm");
  sluice_channel* const alone[] = {s2mm};
  ASSERT_EQ(submit(s2mm, {.buffer = ours.get(), .offset = 0, .bytes = 64}), 1);
  sluice_completion completion{};
  uint64_t before_ns = kernel.time_ns;
  EXPECT_EQ(reap(s2mm, &completion, -1), 0);
  EXPECT_GE(kernel.time_ns - before_ns, 2000U);
  EXPECT_EQ(rx.reap.timeout_ns, SLUICE_FOREVER);
  EXPECT_EQ(reap(s2mm, &completion, 5000), 0);
  EXPECT_LE(rx.reap.timeout_ns, 3000U) << "what polling took is waited for again";
  before_ns = kernel.time_ns;
  EXPECT_EQ(reap(s2mm, &completion, 500), 0) << "the wait itself is shorter";
  EXPECT_GE(kernel.time_ns - before_ns, 500U);
  EXPECT_LT(kernel.time_ns - before_ns, 600U);
  kernel.in_poll = [&] { rx.complete(64); };
  EXPECT_EQ(wait_any(alone), 0U);
  EXPECT_EQ(kernel.polled.size(), 1U);
  before_ns = kernel.time_ns;
  EXPECT_EQ(reap(s2mm, &completion, 0), 1);
  EXPECT_EQ(kernel.time_ns, before_ns) << "a completion is there, and the clock is read";
}

TEST_F(Device, BusyPollingTimesAreChecked) {
  EXPECT_EQ(refusal("dev:card?busy_poll_us=20000", EINVAL),
            "busy_poll_us must be a whole number from 0 to 10000, not '20000'");
  EXPECT_TRUE(mentions(refusal("dev:card?poll=1", EINVAL), "allowed: heap, busy_poll_us"));
}

TEST_F(Device, WaitsForAnyThatFailSayWhy) {
  open();
  const BufferHandle ours = buffer();
  sluice_channel *mm2s = channel("hp0.mm2s"), *s2mm = channel("hp0.s2mm");
  sluice_channel* const both[] = {mm2s, s2mm};
  const sluice_transfer transfer{.buffer = ours.get(), .offset = 0, .bytes = 64};
  for (sluice_channel* each : both) ASSERT_EQ(submit(each, transfer), 1);
  const auto wait_both = [&] { return sluice_channel_wait_any(both, 2, -1, nullptr); };
  kernel.poll_error = -EINTR;
  EXPECT_EQ(wait_both(), -EINTR);
  EXPECT_EQ(said(), "card: a signal came first");
  kernel.poll_error = -ENOMEM;
  EXPECT_EQ(wait_both(), -ENOMEM);
  EXPECT_TRUE(mentions(said(), "card: waiting for completions: ")) << said();
  kernel.poll_error = 0;
  rx.gone = true;
  EXPECT_EQ(wait_both(), -ENODEV);
  EXPECT_EQ(said(), "the device of /dev/sluice/card/hp0.s2mm has gone");
  rx.complete(0, -ENODEV);  // what was under way can still be reaped
  EXPECT_EQ(wait_both(), 1);
  sluice_completion completion{};
  ASSERT_EQ(reap(s2mm, &completion), 1);
  EXPECT_EQ(completion.status, -ENODEV);
  // A ring that does not hold what poll() says.
  kernel.in_poll = [&] { tx.complete(64); };
  kernel.after_poll = [&] { --tx.head().head; };
  EXPECT_EQ(wait_both(), -EPROTO);
  EXPECT_TRUE(mentions(said(), "its rings are empty")) << said();
}

TEST_F(Device, StatusesAreHandedOnAndHaveASentence) {
  open();
  const BufferHandle ours = buffer();
  sluice_channel* mm2s = channel("hp0.mm2s");
  sluice_completion completion{};
  for (const int status : {0, -ETIMEDOUT, -ECANCELED, -EIO, -ENODEV, -ENOMEM}) {
    ASSERT_EQ(submit(mm2s, {.buffer = ours.get(), .offset = 0, .bytes = 64}), 1);
    tx.complete(status == 0 ? 64 : 0, status);
    ASSERT_EQ(reap(mm2s, &completion), 1);
    EXPECT_EQ(completion.status, status);
    EXPECT_EQ(completion.end_of_packet, status == 0);  // each transfer sends a packet
    EXPECT_FALSE(mentions(sluice_status_text(status), "no sentence"));
  }
  EXPECT_TRUE(mentions(sluice_status_text(-EPROTO), "no sentence"));
}

TEST_F(Device, BuffersAreInUseUntilTheirTransfersAreOver) {
  open();
  sluice_buffer* ours = buffer().release();
  sluice_channel* mm2s = channel("hp0.mm2s");
  ASSERT_EQ(submit(mm2s, {.buffer = ours, .offset = 0, .bytes = 64}), 1);
  EXPECT_EQ(sluice_buffer_free(ours), -EBUSY);
  EXPECT_EQ(sluice_buffer_begin_access(ours, SLUICE_READ), -EBUSY);
  tx.complete(64);
  EXPECT_EQ(sluice_buffer_begin_access(ours, SLUICE_READ), 0) << "over, though not reaped";
  EXPECT_EQ(sluice_buffer_free(ours), 0);
  EXPECT_TRUE(tx.buffers.empty()) << "not detached";
  sluice_completion completion{};
  EXPECT_EQ(reap(mm2s, &completion), 1);
}

TEST_F(Device, BuffersOfWhatWasNotTakenAreTheProgramsAgain) {
  open();
  const BufferHandle first = buffer(), second = buffer();
  sluice_channel *mm2s = channel("hp0.mm2s"), *copier = channel("hp1.copy");
  const sluice_transfer pair[] = {{.buffer = first.get(), .offset = 0, .bytes = 64},
                                  {.buffer = second.get(), .offset = 0, .bytes = 64}};
  const auto use = [](sluice_buffer* ours) {
    const int result = sluice_buffer_begin_access(ours, SLUICE_READ);
    if (result == 0) check(sluice_buffer_end_access(ours));
    return result;
  };
  for (const int error : {-EMSGSIZE, -EINTR, -EAGAIN}) {
    tx.fails[SLUICE_SUBMIT] = error;
    EXPECT_EQ(sluice_channel_submit(mm2s, pair, 2, sizeof pair[0]), error);
    EXPECT_EQ(use(first.get()), 0) << error;
    EXPECT_EQ(use(second.get()), 0) << error;
  }
  tx.fails.clear();
  tx.most_accepted = 1;
  EXPECT_EQ(sluice_channel_submit(mm2s, pair, 2, sizeof pair[0]), 1);
  EXPECT_EQ(use(first.get()), -EBUSY);
  EXPECT_EQ(use(second.get()), 0);
  tx.complete(64);
  EXPECT_EQ(use(first.get()), 0);
  // A later one of the batch is refused.
  copies.info.length_align = 8;
  const sluice_copy wrong[] = {{first.get(), 0, second.get(), 0, 64, 0, 0},
                               {first.get(), 64, second.get(), 64, 4, 0, 0}};
  EXPECT_EQ(sluice_channel_copy(copier, wrong, 2, sizeof wrong[0]), -EINVAL);
  EXPECT_TRUE(mentions(said(), "lengths on hp1.copy must be multiples of 8 bytes")) << said();
  EXPECT_EQ(use(first.get()), 0);
  EXPECT_EQ(use(second.get()), 0);
}

TEST_F(Device, CompletionsSayWhenTheirSubmissionBegan) {
  open();
  const BufferHandle ours = buffer();
  sluice_channel* mm2s = channel("hp0.mm2s");
  const std::vector<sluice_transfer> three(3, {.buffer = ours.get(), .offset = 0, .bytes = 64});
  constexpr unsigned kRounds = 200;  // several of the ring
  std::vector<uint64_t> before;
  for (unsigned round = 0; round < kRounds; ++round) {
    for (unsigned i = 0; i < 2; ++i) {
      before.push_back(kernel.time_ns);
      ASSERT_EQ(sluice_channel_submit(mm2s, three.data(), 3, sizeof three[0]), 3);
    }
    std::array<sluice_completion, 6> completions{};
    for (unsigned i = 0; i < completions.size(); ++i) tx.complete(64);
    for (unsigned i = 0; i < completions.size(); i += 2)  // two at a time, across submissions
      ASSERT_EQ(sluice_channel_reap(mm2s, &completions[i], 2, sizeof completions[0], 0), 2);
    for (unsigned i = 0; i < completions.size(); ++i)
      ASSERT_EQ(completions[i].start_ns, before[2 * round + i / 3] + 1) << round << " " << i;
  }
}

// A kernel that says when it took a submission up spares the program the clock.
TEST_F(Device, TheDriverSaysWhenASubmissionBegan) {
  open();
  const BufferHandle ours = buffer();
  sluice_channel* mm2s = channel("hp0.mm2s");
  const sluice_transfer one{.buffer = ours.get(), .offset = 0, .bytes = 64};
  sluice_completion done{};
  for (const uint64_t told_ns : {77U, 78U, 79U}) {
    const uint64_t before_ns = kernel.time_ns;
    tx.submit_time_ns = told_ns;
    ASSERT_EQ(submit(mm2s, one), 1);
    EXPECT_EQ(kernel.time_ns, before_ns + (told_ns == 77 ? 1 : 0));  // the first could be silent
    tx.complete(64);
    ASSERT_EQ(sluice_channel_reap(mm2s, &done, 1, sizeof done, 0), 1);
    EXPECT_EQ(done.start_ns, told_ns);
  }
}

TEST_F(Device, CpuAccessIsBracketed) {
  open();
  const BufferHandle ours = buffer();
  sluice_channel* mm2s = channel("hp0.mm2s");
  EXPECT_EQ(sluice_buffer_begin_access(ours.get(), 4), -EINVAL);
  EXPECT_EQ(sluice_buffer_end_access(ours.get()), -EINVAL);
  ASSERT_EQ(sluice_buffer_begin_access(ours.get(), SLUICE_WRITE), 0);
  EXPECT_EQ(sluice_buffer_begin_access(ours.get(), SLUICE_WRITE), -EBUSY);
  EXPECT_EQ(submit(mm2s, {.buffer = ours.get(), .offset = 0, .bytes = 64}), -EBUSY);
  EXPECT_TRUE(mentions(said(), "access has not ended"));
  ASSERT_EQ(sluice_buffer_end_access(ours.get()), 0);
  ASSERT_EQ(sluice_buffer_begin_access(ours.get(), SLUICE_READ | SLUICE_WRITE), 0);
  ASSERT_EQ(sluice_buffer_end_access(ours.get()), 0);
  const std::vector<uint64_t> expected{
      DMA_BUF_SYNC_START | DMA_BUF_SYNC_WRITE, DMA_BUF_SYNC_END | DMA_BUF_SYNC_WRITE,
      DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW, DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW};
  EXPECT_EQ(kernel.buffers.begin()->second.syncs, expected);
  EXPECT_EQ(submit(mm2s, {.buffer = ours.get(), .offset = 0, .bytes = 64}), 1);
}

TEST_F(Device, RefusalsOfTheDriverSayWhatToDo) {
  open();
  rx.pieces = 3;
  const BufferHandle ours = buffer();
  sluice_channel *s2mm = channel("hp0.s2mm"), *mm2s = channel("hp0.mm2s");
  const sluice_transfer transfer{.buffer = ours.get(), .offset = 0, .bytes = 4096};
  rx.fails[SLUICE_SUBMIT] = -EINVAL;
  EXPECT_EQ(submit(s2mm, transfer), -EINVAL);
  EXPECT_TRUE(mentions(said(), "has 3 segments") && mentions(said(), "heap=cma")) << said();
  rx.fails[SLUICE_SUBMIT] = -EMSGSIZE;
  EXPECT_EQ(submit(s2mm, transfer), -EMSGSIZE);
  EXPECT_TRUE(mentions(said(), "too many segments"));
  rx.fails[SLUICE_SUBMIT] = -EIO;
  EXPECT_EQ(submit(s2mm, transfer), -EIO);
  EXPECT_TRUE(mentions(said(), "dmesg"));
  rx.fails[SLUICE_SUBMIT] = -ENOTTY;
  EXPECT_EQ(submit(s2mm, transfer), -ENOTSUP);
  EXPECT_TRUE(mentions(said(), "load a newer one"));
  EXPECT_EQ(sluice_buffer_free(nullptr), 0);
  sluice_transfer large = transfer;
  const BufferHandle more = buffer(2 << 20);
  large.buffer = more.get();
  large.bytes = 2 << 20;
  EXPECT_EQ(submit(s2mm, large), -EINVAL);
  EXPECT_TRUE(mentions(said(), "SLUICE_TRANSFER_FILL")) << said();
  rx.fails.clear();
  large.flags = SLUICE_TRANSFER_FILL;
  EXPECT_EQ(submit(s2mm, large), 1);
  tx.fails[SLUICE_ATTACH] = -ENOSPC;
  EXPECT_EQ(submit(mm2s, transfer), -ENOSPC);
  EXPECT_TRUE(mentions(said(), "1024 buffers"));
  tx.fails[SLUICE_ATTACH] = -EOPNOTSUPP;
  EXPECT_EQ(submit(mm2s, transfer), -EOPNOTSUPP);
  EXPECT_TRUE(mentions(said(), "another ?heap="));
}

TEST_F(Device, EngineThatTakesContiguousMemoryOnlySaysSo) {
  tx.info.max_length = tx.info.max_packet;
  tx.pieces = 2;
  tx.fails[SLUICE_SUBMIT] = -EINVAL;
  open();
  const BufferHandle ours = buffer();
  EXPECT_EQ(submit(channel("hp0.mm2s"), {.buffer = ours.get(), .offset = 0, .bytes = 64}), -EINVAL);
  EXPECT_EQ(said(),
            "the memory of a transfer on hp0.mm2s must be contiguous for the engine, but this "
            "buffer has 2 segments. Open the board with ?heap=cma");
}

TEST_F(Device, EngineWithoutByteCountsTakesFilledTransfersOnly) {
  rx.info.capabilities = SLUICE_CAP_QUEUE;
  open();
  const BufferHandle ours = buffer();
  sluice_channel* s2mm = channel("hp0.s2mm");
  sluice_transfer transfer{.buffer = ours.get(), .offset = 0, .bytes = 64};
  EXPECT_EQ(submit(s2mm, transfer), -ENOTSUP);
  transfer.flags = SLUICE_TRANSFER_FILL;
  EXPECT_EQ(submit(s2mm, transfer), 1);
  EXPECT_EQ(sluice_channel_cancel(s2mm), -ENOTSUP);
  EXPECT_TRUE(mentions(said(), "cannot be stopped"));
  rx.complete(64);
  EXPECT_EQ(sluice_channel_cancel(s2mm), 0) << "nothing is under way";
  transfer.timeout_ns = 1;
  rx.fails[SLUICE_SUBMIT] = -EOPNOTSUPP;
  EXPECT_EQ(submit(s2mm, transfer), -ENOTSUP);
  EXPECT_TRUE(mentions(said(), "no timeout"));
}

TEST_F(Device, QueueHoldsWhatItSays) {
  open();
  const BufferHandle ours = buffer();
  sluice_channel* mm2s = channel("hp0.mm2s");
  std::array<sluice_transfer, SLUICE_QUEUE_DEPTH + 1> many;
  many.fill({.buffer = ours.get(), .offset = 0, .bytes = 64});
  const auto submit_all = [&](unsigned count) {
    return sluice_channel_submit(mm2s, many.data(), count, sizeof many[0]);
  };
  tx.most_accepted = 10;
  EXPECT_EQ(submit_all(20), 10) << "as many as the driver took";
  tx.most_accepted = UINT32_MAX;
  EXPECT_EQ(submit_all(SLUICE_QUEUE_DEPTH + 1), SLUICE_QUEUE_DEPTH - 10);
  EXPECT_EQ(submit_all(1), -EAGAIN);
  tx.complete(64);
  EXPECT_EQ(submit_all(1), -EAGAIN) << "what is not reaped counts";
  sluice_completion completion{};
  EXPECT_EQ(reap(mm2s, &completion), 1);
  EXPECT_EQ(submit_all(2), 1);
  EXPECT_EQ(sluice_channel_cancel(mm2s), 0);
  for (unsigned i = 0; i < SLUICE_QUEUE_DEPTH; ++i) {
    ASSERT_EQ(reap(mm2s, &completion), 1);
    ASSERT_EQ(completion.status, -ECANCELED);
  }
  EXPECT_EQ(reap(mm2s, &completion), 0);
}

TEST_F(Device, OlderProgramsCompletionsAreCut) {
  open();
  const BufferHandle ours = buffer();
  sluice_channel* mm2s = channel("hp0.mm2s");
  struct Newer {
    sluice_completion known;
    uint64_t newer;
  } newer[2];
  std::memset(newer, 0xff, sizeof newer);
  for (uint64_t cookie : {1, 2}) {
    ASSERT_EQ(submit(mm2s, {.buffer = ours.get(), .offset = 0, .bytes = 64, .cookie = cookie}), 1);
    tx.complete(64);
  }
  ASSERT_EQ(sluice_channel_reap(mm2s, &newer[0].known, 2, sizeof newer[0], 0), 2);
  EXPECT_EQ(newer[1].known.cookie, 2U);
  EXPECT_EQ(newer[1].newer, 0U);
}

TEST_F(Device, DriverThatMakesNoSenseIsNotBelieved) {
  open();
  const BufferHandle ours = buffer();
  sluice_channel* mm2s = channel("hp0.mm2s");
  ASSERT_EQ(submit(mm2s, {.buffer = ours.get(), .offset = 0, .bytes = 64}), 1);
  tx.head().head = 2;
  sluice_completion completion{};
  EXPECT_EQ(reap(mm2s, &completion), -EPROTO);
}

TEST_F(Device, CoherentMemoryIsAnyChannels) {
  open("dev:card?heap=coherent");
  const auto allocation = [&] {
    sluice_buffer* ours = nullptr;
    const int result = sluice_buffer_alloc(board.get(), 100, nullptr, 0, &ours);
    if (result == 0) {
      EXPECT_NE(sluice_buffer_data(ours), nullptr);
    }
    sluice_buffer_free(ours);
    return result;
  };
  EXPECT_EQ(allocation(), 0);
  EXPECT_EQ(kernel.allocated, 4096U);
  for (const auto& [path, channel] : kernel.channels) EXPECT_FALSE(channel.opened) << path;

  KernelDouble::Channel& first = kernel.channels.begin()->second;
  KernelDouble::Channel& last = kernel.channels.rbegin()->second;
  first.open_error = -EBUSY;
  EXPECT_EQ(allocation(), 0);  // another one's
  for (auto& [path, channel] : kernel.channels) channel.open_error = -EBUSY;
  EXPECT_EQ(allocation(), -EBUSY);
  for (auto& [path, channel] : kernel.channels) channel.open_error = 0;

  first.fails[SLUICE_ALLOCATE] = -ENOMEM;
  EXPECT_EQ(allocation(), -ENOMEM);
  EXPECT_TRUE(mentions(said(), "4096 bytes of free coherent memory") && mentions(said(), "cma="));
  first.fails[SLUICE_ALLOCATE] = -EOPNOTSUPP;
  EXPECT_EQ(allocation(), -ENOTSUP);
  EXPECT_TRUE(mentions(said(), "an IOMMU or a bus translates"));
  first.fails[SLUICE_ALLOCATE] = -ENOTTY;
  EXPECT_EQ(allocation(), -ENOTSUP);
  EXPECT_TRUE(mentions(said(), "load a newer one"));
  EXPECT_EQ(last.opened, false);
}

TEST_F(Device, BuffersComeFromTheHeapThatIsNamed) {
  const auto allocation = [&](const std::string& uri) {
    open(uri);
    sluice_buffer* ours = nullptr;
    const int result = sluice_buffer_alloc(board.get(), 100, nullptr, 0, &ours);
    sluice_buffer_free(ours);
    return result;
  };
  EXPECT_EQ(allocation("dev:card"), 0);
  EXPECT_EQ(allocation("dev:card?heap=cma"), -ENOENT);
  EXPECT_EQ(said(), "no heap 'cma'; /dev/dma_heap has: system");
  kernel.files["/dev/dma_heap/reserved"] = 0;
  EXPECT_EQ(allocation("dev:card?heap=cma"), 0);
  EXPECT_EQ(allocation("dev:card?heap=udmabuf"), -ENOENT);
  kernel.files["/dev/udmabuf"] = 0;
  EXPECT_EQ(allocation("dev:card?heap=udmabuf"), 0);
  kernel.files["/dev/dma_heap/system"] = -EACCES;
  EXPECT_EQ(allocation("dev:card"), -EACCES);
  EXPECT_TRUE(mentions(said(), "/dev/dma_heap/system") && mentions(said(), "group 'sluice'"));
  kernel.files = {{"/dev/udmabuf", 0}};
  EXPECT_EQ(allocation("dev:card"), 0);
  kernel.files.clear();
  EXPECT_EQ(allocation("dev:card"), -ENOTSUP);
  EXPECT_TRUE(mentions(said(), "CONFIG_DMABUF_HEAPS_SYSTEM"));
}

TEST_F(Device, BuffersOfAnyoneAreImported) {
  open();
  const int theirs = kernel.foreign(1 << 16);
  const BufferHandle imported = import_buffer(board.get(), theirs);
  kernel.close(theirs);  // it was the caller's
  EXPECT_EQ(sluice_buffer_bytes(imported.get()), 1U << 16);
  EXPECT_NE(sluice_buffer_data(imported.get()), nullptr);
  ASSERT_EQ(submit(channel("hp0.mm2s"), {.buffer = imported.get(), .bytes = 1 << 16}), 1);
  EXPECT_EQ(tx.accepted.at(0).length, 1U << 16);
  EXPECT_EQ(sluice_buffer_free(imported.get()), -EBUSY);
  tx.complete(0, -ESTALE);
  sluice_completion done{};
  ASSERT_EQ(reap(channel("hp0.mm2s"), &done), 1);
  EXPECT_EQ(done.status, -ESTALE);
  EXPECT_TRUE(mentions(sluice_status_text(done.status), "another device"));
}

TEST_F(Device, ImportedMemoryNeedNotBeMapped) {
  open();
  const int theirs = kernel.foreign(4096);
  kernel.unmappable = true;
  const BufferHandle imported = import_buffer(board.get(), theirs);
  kernel.close(theirs);
  EXPECT_EQ(sluice_buffer_data(imported.get()), nullptr);
  EXPECT_EQ(submit(channel("hp0.mm2s"), {.buffer = imported.get(), .bytes = 64}), 1);
  tx.complete(64);
}

TEST_F(Device, WhatIsNoDmaBufIsNotImported) {
  open();
  sluice_buffer* ours = nullptr;
  EXPECT_EQ(sluice_buffer_import(board.get(), 99, &ours), -EBADF);
  const int file = kernel.foreign(0);
  EXPECT_EQ(sluice_buffer_import(board.get(), file, &ours), -EINVAL);
  EXPECT_TRUE(mentions(said(), "is not a dma-buf")) << said();
  EXPECT_EQ(ours, nullptr);
  kernel.close(file);
}

struct Card : Device {
  static constexpr uint64_t kBytes = 1 << 20;
  KernelDouble::Channel& to =
      kernel.add("card/h2c0", uapi::SLUICE_COPY, SLUICE_CAP_QUEUE | SLUICE_CAP_TO_CARD);
  KernelDouble::Channel& from =
      kernel.add("card/c2h0", uapi::SLUICE_COPY, SLUICE_CAP_QUEUE | SLUICE_CAP_FROM_CARD);
  void SetUp() override {
    kernel.files["/dev/sluice/card/memory"] = 0;
    kernel.card_bytes = kBytes;
    open();
  }
};

TEST_F(Card, MemoryIsNoChannel) {
  EXPECT_STREQ(enumerate_devices(kernel)[0].board_text, "device of sluice.ko, 5 channels");
  sluice_board_info info{};
  check(sluice_board_get_info(board.get(), &info, sizeof info));
  EXPECT_EQ(info.channel_count, 5U);
  EXPECT_EQ(info.card_bytes, kBytes);
}

TEST_F(Card, TransfersHaveTheCardsMemoryOnTheirOtherSide) {
  const BufferHandle ours = buffer();
  sluice_channel_info info{};
  check(sluice_channel_get_info(channel("h2c0"), &info, sizeof info));
  EXPECT_EQ(info.direction, SLUICE_MM2S);
  EXPECT_NE(info.capabilities & SLUICE_HAS_CARD, 0U);
  check(sluice_channel_get_info(channel("c2h0"), &info, sizeof info));
  EXPECT_EQ(info.direction, SLUICE_S2MM);

  const sluice_transfer transfer{
      .buffer = ours.get(), .offset = 64, .bytes = 256, .cookie = 7, .card_offset = 4096};
  ASSERT_EQ(submit(channel("h2c0"), transfer), 1);
  const uapi::sluice_transfer& sent = to.accepted.at(0);
  EXPECT_EQ(sent.offset, 64U);
  EXPECT_EQ(sent.destination_offset, 4096U);
  EXPECT_EQ(kernel.buffers.at(to.buffers.at(sent.destination)).memory.size() * 8, kBytes);
  ASSERT_EQ(submit(channel("c2h0"), transfer), 1);
  const uapi::sluice_transfer& received = from.accepted.at(0);
  EXPECT_EQ(received.offset, 4096U);
  EXPECT_EQ(received.destination_offset, 64U);
  EXPECT_EQ(received.flags, 0U);
  EXPECT_EQ(kernel.buffers.at(from.buffers.at(received.buffer)).memory.size() * 8, kBytes);
  EXPECT_EQ(
      submit(channel("h2c0"), {.buffer = ours.get(), .bytes = 256, .card_offset = kBytes - 255}),
      -EINVAL);
  EXPECT_EQ(sluice_buffer_free(ours.get()), -EBUSY);
  to.complete(256);
  from.complete(256);
}

TEST_F(Card, MemoryIsReachedByTheCpu) {
  const std::array<uint8_t, 3> data{1, 2, 3};
  std::array<uint8_t, 3> back{};
  EXPECT_EQ(sluice_card_write(board.get(), 5, data.data(), data.size()), 0);
  EXPECT_EQ(sluice_card_read(board.get(), 5, back.data(), back.size()), 0);
  EXPECT_EQ(back, data);
  EXPECT_EQ(sluice_card_read(board.get(), kBytes - 2, back.data(), back.size()), -EINVAL);
}

TEST_F(Device, PlacementIsThatOfPages) {
  open();
  sluice_buffer* ours = nullptr;
  sluice_placement placement{.alignment = 65536, .offset = 0, .memory = 0, .reserved = 0};
  EXPECT_EQ(sluice_buffer_alloc(board.get(), 100, &placement, sizeof placement, &ours), -ENOTSUP);
  placement = {.alignment = 0, .offset = 64};
  ASSERT_EQ(sluice_buffer_alloc(board.get(), 100, &placement, sizeof placement, &ours), 0);
  EXPECT_EQ(sluice_buffer_bytes(ours), 100U);
  EXPECT_EQ(sluice_buffer_data(ours),
            reinterpret_cast<char*>(kernel.buffers.begin()->second.memory.data()) + 64);
  EXPECT_EQ(sluice_buffer_alloc(board.get(), UINT64_MAX, nullptr, 0, &ours), -ENOMEM);
}

TEST_F(Device, AttributesAreThoseOfItsControlNode) {
  kernel.files["/dev/sluice/card/control"] = 0;
  kernel.settings = {{"hp0.drop.beats", {0, 12}}, {"hp0.source.pause_ticks", {255, 7}}};
  open();
  EXPECT_EQ(board->channels().size(), 3U);
  EXPECT_TRUE(kernel.descriptors.empty());
  sluice_attribute_info info{};
  ASSERT_EQ(sluice_board_attribute(board.get(), 1, &info, sizeof info), 0);
  EXPECT_STREQ(info.name, "hp0.source.pause_ticks");
  EXPECT_EQ(info.max, 255U);
  EXPECT_TRUE(mentions(info.text, "idle ticks"));
  EXPECT_EQ(sluice_board_attribute(board.get(), 2, &info, sizeof info), -ENOENT);
  uint64_t value = 0;
  EXPECT_EQ(sluice_board_get_attribute(board.get(), "hp0.drop.beats", &value), 0);
  EXPECT_EQ(value, 12U);
  EXPECT_EQ(sluice_board_set_attribute(board.get(), "hp0.source.pause_ticks", 255), 0);
  EXPECT_EQ(kernel.settings["hp0.source.pause_ticks"].value, 255U);
  EXPECT_EQ(sluice_board_set_attribute(board.get(), "hp0.source.pause_ticks", 256), -ERANGE);
  EXPECT_TRUE(mentions(said(), "from 0 to 255"));
  EXPECT_EQ(sluice_board_set_attribute(board.get(), "hp0.drop.beats", 0), -EACCES);
  EXPECT_EQ(sluice_board_get_attribute(board.get(), "hp0.loopback", &value), -ENOENT);
  EXPECT_EQ(sluice_board_get_attribute(board.get(), std::string(200, 'a').c_str(), &value),
            -ENOENT);
}

TEST_F(Device, AttributesThatCannotBeListedAreNotFew) {
  kernel.files["/dev/sluice/card/control"] = 0;
  kernel.settings = {{"hp0.drop.beats", {0, 12}}};
  open();
  sluice_attribute_info info{};
  for (const int error : {EINTR, EIO, ENODEV, ENOTTY}) {
    kernel.settings_fail[SLUICE_ATTRIBUTE_INFO] = -error;
    EXPECT_EQ(sluice_board_attribute(board.get(), 0, &info, sizeof info), -error);
    EXPECT_TRUE(mentions(said(), "/dev/sluice/card/control"));
  }
  kernel.settings_fail.clear();
  EXPECT_EQ(sluice_board_attribute(board.get(), 0, &info, sizeof info), 0);
}

TEST_F(Device, ControlNodeThatDoesNotOpenSaysWhy) {
  kernel.files["/dev/sluice/card/control"] = -EACCES;
  open();
  uint64_t value = 0;
  EXPECT_EQ(sluice_board_get_attribute(board.get(), "hp0.drop.beats", &value), -EACCES);
  EXPECT_TRUE(mentions(said(), "group"));
}

TEST_F(Device, WhatOnlyASimulatedBoardHasIsSaidSo) {
  open();
  uint64_t value = 0;
  EXPECT_EQ(sluice_board_get_attribute(board.get(), "hp0.loopback", &value), -ENOENT);
  EXPECT_EQ(sluice_board_set_attribute(board.get(), "hp0.loopback", 1), -ENOENT);
  sluice_attribute_info info{};
  EXPECT_EQ(sluice_board_attribute(board.get(), 0, &info, sizeof info), -ENOENT);
  const BufferHandle ours = buffer();
  sluice_cpu_work work{};
  work.source = ours.get();
  work.bytes = 64;
  work.kind = SLUICE_CPU_READ;
  EXPECT_EQ(sluice_board_cpu_work(board.get(), &work, sizeof work, &value), -ENOTSUP);
  const uint64_t before_ns = sluice_board_now_ns(board.get());
  EXPECT_EQ(sluice_board_sleep_ns(board.get(), 100), 0);
  EXPECT_GE(sluice_board_now_ns(board.get()), before_ns + 100);
}

// --- capture -----------------------------------------------------------------------------------

struct DeviceCapture : Device {
  BufferHandle ours;
  sluice_channel* s2mm = nullptr;

  void SetUp() override {
    open("dev:card");
    ours = buffer();
    s2mm = channel("hp0.s2mm");
  }
  void TearDown() override {
    ours = nullptr;
    Device::TearDown();
  }
  int start(uint32_t flags = 0, uint32_t periods = 8) {
    const sluice_capture capture{.buffer = ours.get(),
                                 .offset = 4096,
                                 .period_bytes = 4096,
                                 .periods = periods,
                                 .flags = flags};
    return sluice_capture_start(s2mm, &capture, sizeof capture);
  }
};

TEST_F(DeviceCapture, IsStartedAsItIsMeant) {
  EXPECT_EQ(sluice_capture_stop(s2mm), -EINVAL);
  EXPECT_TRUE(mentions(said(), "no capture was started"));
  EXPECT_EQ(start(0, 2), -EINVAL);
  EXPECT_EQ(start(0, 16), -EINVAL);
  EXPECT_TRUE(mentions(said(), "exceed the buffer"));
  EXPECT_EQ(start(4), -EINVAL);
  rx.fails[SLUICE_CAPTURE_START] = -ENOSPC;
  EXPECT_EQ(start(), -ENOSPC);
  rx.fails.clear();
  ASSERT_EQ(start(SLUICE_CAPTURE_GUESS), 0);
  EXPECT_EQ(rx.started.periods, 8U);
  EXPECT_EQ(rx.started.offset, 4096U);
  EXPECT_EQ(rx.started.flags, SLUICE_CAPTURE_INEXACT);
  EXPECT_EQ(start(), -EBUSY);
  sluice_buffer* used = ours.release();
  EXPECT_EQ(sluice_buffer_free(used), -EBUSY);
  EXPECT_EQ(sluice_buffer_begin_access(used, SLUICE_READ), 0) << "read while it runs";
  EXPECT_EQ(sluice_buffer_end_access(used), 0);
  ASSERT_EQ(sluice_capture_stop(s2mm), 0);
  EXPECT_EQ(sluice_buffer_free(used), 0);
}

TEST_F(DeviceCapture, HoldsUpTheStreamWhereItCan) {
  ASSERT_EQ(start(SLUICE_CAPTURE_HOLD), 0);
  EXPECT_EQ(rx.started.flags, SLUICE_CAPTURE_STALL);
  ASSERT_EQ(sluice_capture_stop(s2mm), 0);
}

TEST_F(DeviceCapture, DoesNotHoldUpTheStreamWhereItCannot) {
  ours = nullptr;
  rx.info.capabilities &= ~SLUICE_CAP_STALL;
  open("dev:card");
  ours = buffer();
  s2mm = channel("hp0.s2mm");
  EXPECT_EQ(start(SLUICE_CAPTURE_HOLD), -ENOTSUP);
  EXPECT_TRUE(mentions(said(), "cannot block the stream"));
  EXPECT_EQ(start(), 0);
}

TEST_F(DeviceCapture, WaitsOnlyForWhatIsNotThere) {
  ASSERT_EQ(start(), 0);
  rx.status().produced = 3;
  uint64_t produced = 0;
  const unsigned calls = kernel.calls;
  EXPECT_EQ(sluice_capture_wait(s2mm, 2, -1, &produced), 1);
  EXPECT_EQ(produced, 3U);
  EXPECT_EQ(sluice_capture_wait(s2mm, 3, 0, &produced), 0);
  EXPECT_EQ(kernel.calls, calls);
  EXPECT_EQ(sluice_capture_wait(s2mm, 3, 1000, &produced), 0);
  EXPECT_EQ(kernel.calls, calls + 1);
  ASSERT_EQ(sluice_capture_stop(s2mm), 0);
  EXPECT_EQ(sluice_capture_wait(s2mm, 2, 0, &produced), 1) << "what had ended is still there";
  EXPECT_EQ(sluice_capture_wait(s2mm, 3, -1, &produced), -EPIPE);
  EXPECT_EQ(said(), "the capture on hp0.s2mm has stopped after 3 periods");
}

TEST_F(DeviceCapture, TheDriverCopies) {
  std::vector<uint8_t> copy(8192);
  EXPECT_EQ(sluice_capture_read(s2mm, 0, copy.data(), 16), -EINVAL);
  EXPECT_TRUE(mentions(said(), "no capture was started"));
  // Periods of two pages from the second page on.
  const sluice_capture capture{
      .buffer = ours.get(), .offset = 4096, .period_bytes = 8192, .periods = 4, .flags = 0};
  ASSERT_EQ(sluice_capture_start(s2mm, &capture, sizeof capture), 0) << said();
  EXPECT_EQ(sluice_capture_read(s2mm, 0, copy.data(), 16), -EINVAL) << "it has not ended";
  rx.status().produced = 7;
  rx.status().released = 4;
  const std::span<uint8_t> ring = bytes_of(ours.get()).subspan(4096);
  for (size_t at = 0; at < 4 * 8192; ++at) ring[at] = static_cast<uint8_t>(at * 7 / 64);
  for (const uint64_t period : {4, 6}) {
    ASSERT_EQ(sluice_capture_read(s2mm, period, copy.data(), copy.size()), 0) << said();
    EXPECT_TRUE(std::ranges::equal(copy, ring.subspan(period % 4 * 8192, 8192)));
  }
  EXPECT_EQ(sluice_capture_read(s2mm, 6, copy.data(), 0), 0);
  EXPECT_EQ(sluice_capture_read(s2mm, 3, copy.data(), 16), -EINVAL);
  EXPECT_EQ(said(), "periods of hp0.s2mm can be read from number 4 to below 7, not 3");
  EXPECT_EQ(sluice_capture_read(s2mm, 7, copy.data(), 16), -EINVAL);
  EXPECT_EQ(sluice_capture_read(s2mm, 4, nullptr, 16), -EINVAL);
  EXPECT_EQ(sluice_capture_read(s2mm, 4, copy.data(), 8193), -EINVAL);
  EXPECT_TRUE(mentions(said(), "has 8192 bytes"));
  kernel.read_error = -ESPIPE;
  EXPECT_EQ(sluice_capture_read(s2mm, 4, copy.data(), 16), -ENOTSUP);
  EXPECT_TRUE(mentions(said(), "load a newer one"));
  kernel.read_error = -EOPNOTSUPP;
  EXPECT_EQ(sluice_capture_read(s2mm, 4, copy.data(), 16), -ENOTSUP);
  EXPECT_TRUE(mentions(said(), "try another ?heap="));
  kernel.read_error = -EIO;
  EXPECT_EQ(sluice_capture_read(s2mm, 4, copy.data(), 16), -EIO);
}

TEST_F(DeviceCapture, RecordsArePeriodsOwn) {
  ASSERT_EQ(start(), 0);
  rx.status().produced = 6;
  for (uint64_t period = 2; period < 6; ++period)
    rx.record(period) = {.period = period,
                         .bytes = 4096,
                         .ticks = 100 * period,
                         .time_ns = 7,
                         .drops = 1,
                         .flags = SLUICE_PERIOD_EXACT,
                         .reserved = 0};
  sluice_capture_period period{};
  ASSERT_EQ(sluice_capture_get_period(s2mm, 5, &period, sizeof period), 0);
  EXPECT_EQ(period.ticks, 500U);
  EXPECT_EQ(period.exact, 1U);
  EXPECT_EQ(period.merged, 0U);
  EXPECT_EQ(sluice_capture_get_period(s2mm, 1, &period, sizeof period), -ENOENT);  // written over
  EXPECT_EQ(sluice_capture_get_period(s2mm, 6, &period, sizeof period), -ENOENT);  // not yet
  EXPECT_EQ(sluice_capture_get_period(s2mm, 5, &period, 8), -EINVAL);
}

TEST_F(DeviceCapture, LossesAreTold) {
  ASSERT_EQ(start(), 0);
  rx.status().produced = 40;
  rx.status().lost = 12;
  rx.status().losses = 3;
  for (uint64_t n = 1; n < 3; ++n) rx.loss(n) = {.first = 10 * n, .count = 4, .time_ns = n};
  sluice_capture_loss loss{};
  EXPECT_EQ(sluice_capture_get_loss(s2mm, 0, &loss, sizeof loss), -ENOENT);  // no longer kept
  ASSERT_EQ(sluice_capture_get_loss(s2mm, 2, &loss, sizeof loss), 0);
  EXPECT_EQ(loss.first, 20U);
  EXPECT_EQ(loss.count, 4U);
  EXPECT_EQ(sluice_capture_get_loss(s2mm, 3, &loss, sizeof loss), -ENOENT);
  sluice_capture_answer answer{};
  ASSERT_EQ(sluice_capture_release(s2mm, 40, &answer, sizeof answer), 0);
  EXPECT_EQ(answer.lost, 12U);
  EXPECT_EQ(answer.produced, 40U);
  EXPECT_EQ(sluice_capture_release(s2mm, 41, &answer, sizeof answer), -EINVAL);
  EXPECT_TRUE(mentions(said(), "from number 40 to 40, not 41")) << said();
  sluice_capture_status status{};
  ASSERT_EQ(sluice_capture_get_status(s2mm, &status, sizeof status), 0);
  EXPECT_EQ(status.released, 40U);
  EXPECT_EQ(status.running, 1U);
  EXPECT_EQ(status.exact, 1U);
}

TEST_F(DeviceCapture, AndTransfersTakeTurns) {
  const sluice_transfer transfer{.buffer = ours.get(), .offset = 0, .bytes = 64};
  ASSERT_EQ(submit(s2mm, transfer), 1);
  EXPECT_EQ(start(), -EBUSY);
  rx.complete(64);
  EXPECT_EQ(start(), -EBUSY) << "not reaped";
  sluice_completion completion{};
  ASSERT_EQ(reap(s2mm, &completion), 1);
  ASSERT_EQ(start(), 0);
  EXPECT_EQ(rx.opens, 2U) << "the driver settles a node's use once";
  EXPECT_EQ(submit(s2mm, transfer), -EBUSY);
  ASSERT_EQ(sluice_capture_stop(s2mm), 0);
  ASSERT_EQ(submit(s2mm, transfer), 1);
  EXPECT_EQ(rx.opens, 3U);
  rx.complete(64);
  ASSERT_EQ(reap(s2mm, &completion), 1);
  EXPECT_EQ(sluice_capture_stop(s2mm), -EINVAL) << "it ended with the node";
}

TEST_F(DeviceCapture, RefusalsSayWhatToDo) {
  rx.pieces = 5;
  rx.fails[SLUICE_CAPTURE_START] = -EINVAL;
  EXPECT_EQ(start(), -EINVAL);
  EXPECT_TRUE(mentions(said(), "has 5 segments") && mentions(said(), "heap=cma")) << said();
  const sluice_capture capture{
      .buffer = ours.get(), .offset = 0, .period_bytes = 4096, .periods = 2, .flags = 0};
  EXPECT_EQ(sluice_capture_start(channel("hp1.copy"), &capture, sizeof capture), -ENOTSUP);
  EXPECT_TRUE(mentions(said(), "no cyclic transfers")) << said();
  EXPECT_EQ(sluice_capture_start(s2mm, &capture, sizeof capture - 1), -EINVAL);
}

}  // namespace
