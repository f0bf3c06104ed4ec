// SPDX-License-Identifier: Apache-2.0
// Hardware threads through the public API, on a simulated board; from inside, against scripted
// registers, what no simulated board does.
#include "hwt.hpp"

#include <gtest/gtest.h>
#include <sl_streamif.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <random>
#include <sluice.hpp>
#include <string>
#include <vector>

#include "error.hpp"
#include "scripted_platform.hpp"
#include "seed.hpp"

namespace {

using namespace sluice;

constexpr unsigned kThreads = 8;
constexpr int64_t kSoonNs = 1'000'000;

struct HwtTest : testing::Test {
  BoardHandle board = open_board("sim:zynq7020/streamif_threads?start_cost_ns=0");
  std::mt19937_64 random{test_seed()};

  [[nodiscard]] BufferHandle filled(uint64_t bytes) {
    BufferHandle buffer = allocate(board.get(), bytes);
    std::ranges::generate(bytes_of(buffer.get()), [&] { return static_cast<uint8_t>(random()); });
    return buffer;
  }
  void loop_back(unsigned thread) {
    set_attribute(board.get(), std::string("t") + std::to_string(thread) + ".loopback", 1);
  }
};

sluice_hwt_command reading(const BufferHandle& buffer, uint64_t cookie = 0) {
  return {.buffer = buffer.get(),
          .offset = 0,
          .bytes = sluice_buffer_bytes(buffer.get()),
          .cookie = cookie,
          .direction = SLUICE_MM2S,
          .flags = SLUICE_HWT_EOP};
}

sluice_hwt_command writing(const BufferHandle& buffer, uint64_t cookie = 0) {
  return {.buffer = buffer.get(),
          .offset = 0,
          .bytes = sluice_buffer_bytes(buffer.get()),
          .cookie = cookie,
          .direction = SLUICE_S2MM,
          .flags = 0};
}

bool same(const BufferHandle& a, const BufferHandle& b) {
  return std::ranges::equal(bytes_of(a.get()), bytes_of(b.get()));
}

bool is_zero(const BufferHandle& buffer) {
  return std::ranges::all_of(bytes_of(buffer.get()), [](uint8_t byte) { return byte == 0; });
}

int grant_of(sluice_hwt* hwt, const sluice_hwt_window& window) {
  return sluice_hwt_grant(hwt, &window, sizeof window);
}

TEST_F(HwtTest, SaysWhatThereIs) {
  sluice_board_info about{};
  check(sluice_board_get_info(board.get(), &about, sizeof about));
  EXPECT_EQ(about.thread_count, kThreads);
  EXPECT_EQ(about.channel_count, 0U);
  const HwtHandle hwt = open_hwt(board.get(), 3);
  sluice_hwt_info info{};
  check(sluice_hwt_get_info(hwt.get(), &info, sizeof info));
  EXPECT_STREQ(info.name, "t3");
  EXPECT_EQ(info.number, 3U);
  EXPECT_EQ(info.width_bits, 32U);
  EXPECT_EQ(info.windows, 4U);
  EXPECT_EQ(info.depth, 8U);
  EXPECT_EQ(info.max_bytes, (uint64_t{1} << 26) - 1);
  EXPECT_EQ(info.halted, 0U);

  sluice_hwt* again = nullptr;
  EXPECT_EQ(sluice_hwt_open(board.get(), 3, &again), -EBUSY);
  EXPECT_EQ(again, nullptr);
  EXPECT_EQ(sluice_hwt_open(board.get(), kThreads, &again), -ENOENT);
  EXPECT_EQ(std::string(sluice_last_error()), "there is no thread 8; allowed: 0 to 7");
  const BoardHandle other = open_board("sim:zynq7020/hp_stress");
  EXPECT_EQ(sluice_hwt_open(other.get(), 0, &again), -ENOTSUP);
  sluice_hwt_fault fault{};
  EXPECT_EQ(sluice_hwt_next_fault(other.get(), &fault, sizeof fault, 0), -ENOTSUP);
}

TEST_F(HwtTest, TurnsAreAnAttribute) {
  constexpr const char* kTurns = "ports.turn_cycles";
  EXPECT_EQ(get_attribute(board.get(), kTurns), 128U);
  EXPECT_EQ(sluice_board_set_attribute(board.get(), kTurns, 65536), -ERANGE);
  for (const uint64_t cycles : {65535U, 0U}) {
    set_attribute(board.get(), kTurns, cycles);
    EXPECT_EQ(get_attribute(board.get(), kTurns), cycles);
  }
  const BoardHandle memif = open_board("sim:zynq7020/memif_threads");
  uint64_t value = 0;
  EXPECT_EQ(sluice_board_get_attribute(memif.get(), kTurns, &value), -ENOENT);
}

TEST_F(HwtTest, EveryThreadMovesItsOwn) {
  struct Thread {
    HwtHandle hwt;
    BufferHandle from, to;
  };
  std::vector<Thread> threads;
  for (unsigned number = 0; number < kThreads; ++number) {
    const uint64_t bytes = 4 * (1 + random() % 5000);
    Thread& thread = threads.emplace_back(Thread{.hwt = open_hwt(board.get(), number),
                                                 .from = filled(bytes),
                                                 .to = allocate(board.get(), bytes)});
    loop_back(number);
    EXPECT_EQ(grant(thread.hwt.get(), thread.from.get(), SLUICE_READ), 0U);
    EXPECT_EQ(grant(thread.hwt.get(), thread.to.get(), SLUICE_WRITE), 1U);
    submit(thread.hwt.get(), writing(thread.to, 7));
    submit(thread.hwt.get(), reading(thread.from, 8));
  }
  for (Thread& thread : threads) {
    const sluice_completion read = wait(thread.hwt.get(), SLUICE_MM2S, kSoonNs);
    const sluice_completion written = wait(thread.hwt.get(), SLUICE_S2MM, kSoonNs);
    EXPECT_EQ(read.status, 0);
    EXPECT_EQ(read.cookie, 8U);
    EXPECT_EQ(written.status, 0);
    EXPECT_EQ(written.cookie, 7U);
    EXPECT_EQ(written.bytes, sluice_buffer_bytes(thread.to.get()));
    EXPECT_EQ(written.end_of_packet, 1U);
    EXPECT_GT(written.finish_ns, written.start_ns);
    EXPECT_TRUE(same(thread.from, thread.to));
  }
}

TEST_F(HwtTest, QueuesMoreThanTheHardwareHolds) {
  constexpr unsigned kPieces = 40;
  constexpr uint64_t kBytes = 260;
  const HwtHandle hwt = open_hwt(board.get(), 1);
  loop_back(1);
  const BufferHandle from = filled(kPieces * kBytes);
  const BufferHandle to = allocate(board.get(), kPieces * kBytes);
  grant(hwt.get(), from.get(), SLUICE_READ);
  grant(hwt.get(), to.get(), SLUICE_WRITE);
  std::vector<sluice_hwt_command> commands;
  for (unsigned i = 0; i < kPieces; ++i) {
    sluice_hwt_command command = writing(to, i);
    command.offset = i * kBytes;
    command.bytes = kBytes;
    commands.push_back(command);
    command = reading(from, i);
    command.offset = i * kBytes;
    command.bytes = kBytes;
    commands.push_back(command);
  }
  EXPECT_EQ(sluice_hwt_submit(hwt.get(), commands.data(), 2 * kPieces, sizeof commands[0]),
            static_cast<int>(2 * kPieces));
  EXPECT_EQ(sluice_buffer_free(from.get()), -EBUSY);
  uint64_t before_ns = 0;
  for (unsigned i = 0; i < kPieces; ++i) {
    const sluice_completion written = wait(hwt.get(), SLUICE_S2MM, kSoonNs);
    EXPECT_EQ(written.cookie, i);
    EXPECT_EQ(written.status, 0);
    EXPECT_EQ(written.bytes, kBytes);
    EXPECT_GE(written.finish_ns, before_ns);
    before_ns = written.finish_ns;
    EXPECT_EQ(wait(hwt.get(), SLUICE_MM2S, kSoonNs).cookie, i);
  }
  EXPECT_TRUE(same(from, to));
  sluice_completion none{};
  EXPECT_EQ(sluice_hwt_reap(hwt.get(), SLUICE_S2MM, &none, 1, sizeof none, -1), 0);
  sluice_hwt_stats stats{};
  check(sluice_hwt_get_stats(hwt.get(), SLUICE_S2MM, &stats, sizeof stats));
  EXPECT_EQ(stats.bytes, kPieces * kBytes);
  EXPECT_EQ(stats.commands, kPieces);
  EXPECT_EQ(stats.refused, 0U);
}

TEST_F(HwtTest, RefusesWhatNoGrantHolds) {
  const HwtHandle hwt = open_hwt(board.get(), 2);
  loop_back(2);
  const BufferHandle mine = filled(8192);
  const BufferHandle others = allocate(board.get(), 4096);
  const auto status_of = [&](const sluice_hwt_command& command) {
    submit(hwt.get(), command);
    return wait(hwt.get(), static_cast<sluice_direction>(command.direction), kSoonNs).status;
  };
  sluice_hwt_fault fault{};
  const auto next = [&] { return sluice_hwt_next_fault(board.get(), &fault, sizeof fault, 1000); };
  // Nothing is granted.
  EXPECT_EQ(status_of(reading(mine)), -EACCES);
  EXPECT_EQ(next(), 1);
  EXPECT_EQ(fault.thread, 2U);
  EXPECT_EQ(fault.direction, static_cast<uint32_t>(SLUICE_MM2S));
  EXPECT_EQ(fault.buffer, mine.get());
  EXPECT_EQ(fault.offset, 0U);
  EXPECT_EQ(fault.bytes, 8192U);
  EXPECT_EQ(fault.refused, 1U);
  EXPECT_EQ(next(), 0);
  // The second half may be read.
  ASSERT_EQ(grant_of(hwt.get(), {.buffer = mine.get(),
                                 .offset = 4096,
                                 .bytes = 4096,
                                 .access = SLUICE_READ,
                                 .reserved = 0}),
            0);
  sluice_hwt_command command = reading(mine);
  command.bytes = 4096;
  EXPECT_EQ(status_of(command), -EACCES);
  command.offset = 4092;
  EXPECT_EQ(status_of(command), -EACCES);
  command.offset = 4096;
  command.direction = SLUICE_S2MM;
  command.flags = 0;
  EXPECT_EQ(status_of(command), -EACCES);
  EXPECT_EQ(status_of(writing(others)), -EACCES);
  EXPECT_EQ(next(), 1);  // the first of them; the others are counted
  EXPECT_EQ(fault.offset, 0U);
  EXPECT_EQ(fault.bytes, 4096U);
  EXPECT_EQ(fault.refused, 4U);
  EXPECT_EQ(next(), 0);
  EXPECT_EQ(status_of(writing(others)), -EACCES);
  EXPECT_EQ(next(), 1);
  EXPECT_EQ(fault.direction, static_cast<uint32_t>(SLUICE_S2MM));
  EXPECT_EQ(fault.buffer, others.get());
  EXPECT_EQ(fault.refused, 1U);
  EXPECT_TRUE(is_zero(others));
  // What it may do it still can.
  const BufferHandle to = allocate(board.get(), 4096);
  grant(hwt.get(), to.get(), SLUICE_WRITE);
  submit(hwt.get(), writing(to));
  command = reading(mine);
  command.offset = 4096;
  command.bytes = 4096;
  EXPECT_EQ(status_of(command), 0);
  EXPECT_EQ(wait(hwt.get(), SLUICE_S2MM, kSoonNs).status, 0);
  EXPECT_TRUE(std::ranges::equal(bytes_of(mine.get()).subspan(4096), bytes_of(to.get())));
  sluice_hwt_stats stats{};
  check(sluice_hwt_get_stats(hwt.get(), SLUICE_MM2S, &stats, sizeof stats));
  EXPECT_EQ(stats.refused, 3U);
  EXPECT_STREQ(sluice_status_text(-EACCES), "refused: no grant of the thread contains all of it");
}

TEST_F(HwtTest, WaitsForAFault) {
  const HwtHandle hwt = open_hwt(board.get(), 6);
  const BufferHandle buffer = allocate(board.get(), 4096);
  sluice_hwt_fault fault{};
  const uint64_t before_ns = sluice_board_now_ns(board.get());
  EXPECT_EQ(sluice_hwt_next_fault(board.get(), &fault, sizeof fault, 5000), 0);
  EXPECT_GE(sluice_board_now_ns(board.get()), before_ns + 5000);
  submit(hwt.get(), writing(buffer));
  EXPECT_EQ(sluice_hwt_next_fault(board.get(), &fault, sizeof fault, -1), 1);
  EXPECT_EQ(fault.thread, 6U);
}

TEST_F(HwtTest, KeepsGrantsWithinTheirLimits) {
  const HwtHandle hwt = open_hwt(board.get(), 0);
  BufferHandle buffer = allocate(board.get(), 4099);
  const auto code = [&](uint64_t offset, uint64_t bytes, uint32_t access) {
    return grant_of(hwt.get(), {.buffer = buffer.get(),
                                .offset = offset,
                                .bytes = bytes,
                                .access = access,
                                .reserved = 0});
  };
  EXPECT_EQ(code(0, 0, SLUICE_READ), -EINVAL);
  EXPECT_EQ(code(0, 4100, SLUICE_READ), -EINVAL);
  EXPECT_EQ(code(4, 8, SLUICE_READ), -EINVAL);
  EXPECT_EQ(std::string(sluice_last_error()),
            "a grant begins and ends at multiples of 8 bytes, not at 4 and 12");
  EXPECT_EQ(code(0, 12, SLUICE_READ), -EINVAL);
  EXPECT_EQ(code(0, 8, 0), -EINVAL);
  EXPECT_EQ(code(0, 8, 4), -EINVAL);
  EXPECT_EQ(code(8, 4091, SLUICE_READ), 0);
  for (int number = 1; number < 4; ++number) EXPECT_EQ(code(0, 8, SLUICE_WRITE), number);
  EXPECT_EQ(code(0, 8, SLUICE_WRITE), -ENOSPC);
  EXPECT_EQ(sluice_hwt_revoke(hwt.get(), 4), -ENOENT);
  EXPECT_EQ(sluice_hwt_revoke(hwt.get(), 2), 0);
  EXPECT_EQ(sluice_hwt_revoke(hwt.get(), 2), -ENOENT);
  EXPECT_EQ(code(0, 8, SLUICE_READ | SLUICE_WRITE), 2);
  EXPECT_EQ(sluice_buffer_free(buffer.get()), -EBUSY);
  // A write that waits for data keeps what it was granted.
  sluice_hwt_command command = writing(buffer);
  command.bytes = 8;
  submit(hwt.get(), command);
  EXPECT_EQ(sluice_hwt_revoke(hwt.get(), 1), -EBUSY);
  check(sluice_hwt_halt(hwt.get()));
  for (unsigned number = 0; number < 4; ++number)
    EXPECT_EQ(sluice_hwt_revoke(hwt.get(), number), 0);
  check(sluice_hwt_resume(hwt.get()));
  EXPECT_EQ(wait(hwt.get(), SLUICE_S2MM, 0).status, -ECANCELED);
  submit(hwt.get(), command);
  EXPECT_EQ(wait(hwt.get(), SLUICE_S2MM, kSoonNs).status, -EACCES);
  EXPECT_EQ(sluice_buffer_free(buffer.release()), 0);
}

TEST_F(HwtTest, TakesNothingThatMakesNoSense) {
  const HwtHandle hwt = open_hwt(board.get(), 0);
  const BufferHandle buffer = allocate(board.get(), 4096);
  const BoardHandle other_board = open_board("sim:zynq7020/streamif_threads");
  const BufferHandle others = allocate(other_board.get(), 4096);
  const sluice_hwt_command good = reading(buffer);
  const auto code = [&](auto change) {
    sluice_hwt_command command = good;
    change(command);
    return sluice_hwt_submit(hwt.get(), &command, 1, sizeof command);
  };
  EXPECT_EQ(code([](auto& command) { command.buffer = nullptr; }), -EINVAL);
  EXPECT_EQ(code([&](auto& command) { command.buffer = others.get(); }), -EINVAL);
  EXPECT_EQ(code([](auto& command) { command.bytes = 0; }), -EINVAL);
  EXPECT_EQ(code([](auto& command) { command.bytes = 4097; }), -EINVAL);
  EXPECT_EQ(code([](auto& command) { command.offset = 4100; }), -EINVAL);
  EXPECT_EQ(code([](auto& command) { command.offset = 2, command.bytes = 4; }), -EINVAL);
  EXPECT_EQ(code([](auto& command) { command.direction = SLUICE_COPY; }), -EINVAL);
  EXPECT_EQ(code([](auto& command) { command.flags = 2; }), -EINVAL);
  EXPECT_EQ(code([](auto& command) { command.direction = SLUICE_S2MM; }), -EINVAL);  // with EOP
  EXPECT_EQ(code([](auto& command) { command.flags = 0, command.bytes = 6; }), -EINVAL);
  EXPECT_EQ(sluice_hwt_submit(hwt.get(), &good, 0, sizeof good), -EINVAL);
  EXPECT_EQ(sluice_hwt_submit(hwt.get(), &good, 1, 8), -EINVAL);
  EXPECT_EQ(sluice_hwt_submit(nullptr, &good, 1, sizeof good), -EINVAL);
  {
    const Access access(buffer.get(), SLUICE_WRITE);
    EXPECT_EQ(sluice_hwt_submit(hwt.get(), &good, 1, sizeof good), -EBUSY);
  }
  sluice_completion completion{};
  EXPECT_EQ(sluice_hwt_reap(hwt.get(), SLUICE_COPY, &completion, 1, sizeof completion, 0), -EINVAL);
  EXPECT_EQ(sluice_hwt_reap(hwt.get(), SLUICE_MM2S, &completion, 1, 8, 0), -EINVAL);
  const HwtHandle foreign = open_hwt(other_board.get(), 1);
  EXPECT_EQ(sluice_hwt_route(hwt.get(), foreign.get()), -EINVAL);
  EXPECT_EQ(sluice_hwt_route(hwt.get(), hwt.get()), -EINVAL);
  EXPECT_EQ(sluice_hwt_close(nullptr), 0);
  EXPECT_EQ(sluice_hwt_open(board.get(), 1, nullptr), -EINVAL);
  EXPECT_EQ(sluice_hwt_halt(nullptr), -EINVAL);
}

TEST_F(HwtTest, HasTimeouts) {
  const HwtHandle hwt = open_hwt(board.get(), 5);
  const BufferHandle to = allocate(board.get(), 64);
  grant(hwt.get(), to.get(), SLUICE_WRITE);
  submit(hwt.get(), writing(to));  // and nothing sends
  sluice_completion completion{};
  const uint64_t before_ns = sluice_board_now_ns(board.get());
  EXPECT_EQ(sluice_hwt_reap(hwt.get(), SLUICE_S2MM, &completion, 1, sizeof completion, 20'000), 0);
  const uint64_t waited_ns = sluice_board_now_ns(board.get()) - before_ns;
  EXPECT_GE(waited_ns, 20'000U);
  EXPECT_LT(waited_ns, 25'000U);
  check(sluice_hwt_halt(hwt.get()));
  EXPECT_EQ(wait(hwt.get(), SLUICE_S2MM, 0).status, -ECANCELED);
  const sluice_hwt_command command = writing(to);
  EXPECT_EQ(sluice_hwt_submit(hwt.get(), &command, 1, sizeof command), -EBUSY);
  sluice_hwt_info info{};
  check(sluice_hwt_get_info(hwt.get(), &info, sizeof info));
  EXPECT_EQ(info.halted, 1U);
}

TEST_F(HwtTest, StopsOneWhileOthersRun) {
  constexpr uint64_t kBytes = 65536;
  struct Thread {
    HwtHandle hwt;
    BufferHandle from, to;
  };
  std::vector<Thread> threads;
  for (unsigned number = 0; number < 4; ++number) {  // 0 and 1 share a port, 2 and 3 another
    Thread& thread = threads.emplace_back(Thread{.hwt = open_hwt(board.get(), number),
                                                 .from = filled(kBytes),
                                                 .to = allocate(board.get(), kBytes)});
    loop_back(number);
    grant(thread.hwt.get(), thread.from.get(), SLUICE_READ);
    grant(thread.hwt.get(), thread.to.get(), SLUICE_WRITE);
    submit(thread.hwt.get(), writing(thread.to));
    submit(thread.hwt.get(), reading(thread.from));
  }
  Thread& stopped = threads[1];
  check(sluice_board_sleep_ns(board.get(), 40'000));
  check(sluice_hwt_halt(stopped.hwt.get()));
  EXPECT_EQ(wait(stopped.hwt.get(), SLUICE_MM2S, 0).status, -ECANCELED);
  EXPECT_EQ(wait(stopped.hwt.get(), SLUICE_S2MM, 0).status, -ECANCELED);
  for (Thread& thread : threads) {
    if (&thread == &stopped) continue;
    EXPECT_EQ(wait(thread.hwt.get(), SLUICE_S2MM, kSoonNs).status, 0);
    EXPECT_EQ(wait(thread.hwt.get(), SLUICE_MM2S, kSoonNs).status, 0);
    EXPECT_TRUE(same(thread.from, thread.to));
  }
  EXPECT_FALSE(same(stopped.from, stopped.to));  // it was in the middle
  // Nothing of before comes out when it runs again.
  check(sluice_hwt_resume(stopped.hwt.get()));
  submit(stopped.hwt.get(), writing(stopped.to));
  submit(stopped.hwt.get(), reading(stopped.from));
  EXPECT_EQ(wait(stopped.hwt.get(), SLUICE_S2MM, kSoonNs).status, 0);
  EXPECT_EQ(wait(stopped.hwt.get(), SLUICE_MM2S, kSoonNs).bytes, kBytes);
  EXPECT_TRUE(same(stopped.from, stopped.to));
}

TEST_F(HwtTest, JoinsThreadsDirectly) {
  HwtHandle first = open_hwt(board.get(), 0);
  HwtHandle second = open_hwt(board.get(), 5);
  const HwtHandle third = open_hwt(board.get(), 6);
  loop_back(0);
  loop_back(5);
  const BufferHandle from = filled(20'000);
  const BufferHandle to = allocate(board.get(), 20'000);
  grant(first.get(), from.get(), SLUICE_READ);
  grant(second.get(), to.get(), SLUICE_WRITE);
  check(sluice_hwt_route(second.get(), first.get()));
  EXPECT_EQ(sluice_hwt_route(third.get(), first.get()), -EBUSY);
  EXPECT_EQ(sluice_hwt_close(first.get()), -EBUSY);
  submit(second.get(), writing(to));
  EXPECT_EQ(sluice_hwt_route(second.get(), nullptr), -EBUSY);
  submit(first.get(), reading(from));
  EXPECT_EQ(wait(second.get(), SLUICE_S2MM, kSoonNs).status, 0);
  EXPECT_TRUE(same(from, to));
  EXPECT_EQ(wait(first.get(), SLUICE_MM2S, kSoonNs).status, 0);
  // And back: the second reads for itself.
  check(sluice_hwt_route(second.get(), nullptr));
  std::ranges::fill(bytes_of(to.get()), uint8_t{0});
  grant(second.get(), from.get(), SLUICE_READ);
  submit(second.get(), writing(to));
  submit(second.get(), reading(from));
  EXPECT_EQ(wait(second.get(), SLUICE_S2MM, kSoonNs).status, 0);
  EXPECT_TRUE(same(from, to));
  EXPECT_EQ(sluice_hwt_close(first.release()), 0);
}

TEST_F(HwtTest, KernelsDoTheirJobs) {
  const HwtHandle hwt = open_hwt(board.get(), 4);
  constexpr uint32_t kWords = 1000;
  const BufferHandle from = filled(4 * kWords);
  const BufferHandle to = allocate(board.get(), 4 * kWords);
  grant(hwt.get(), from.get(), SLUICE_READ);
  grant(hwt.get(), to.get(), SLUICE_WRITE);
  EXPECT_EQ(sluice_hwt_start(hwt.get(), 1, 0), -ENOTSUP);  // a lane
  EXPECT_EQ(sluice_hwt_wait(hwt.get(), nullptr, 0), -ENOENT);
  EXPECT_EQ(sluice_hwt_set_kernel(hwt.get(), SLUICE_HWT_SOBEL + 1), -ENOTSUP);

  check(sluice_hwt_set_kernel(hwt.get(), SLUICE_HWT_COUNT));
  EXPECT_EQ(sluice_hwt_start(hwt.get(), 0, 5), -EINVAL);
  check(sluice_hwt_start(hwt.get(), kWords, 0xffff'fff0));
  uint32_t result = 0;
  EXPECT_EQ(sluice_hwt_wait(hwt.get(), &result, 3000), 0);  // nobody takes what it sends
  EXPECT_EQ(sluice_hwt_set_kernel(hwt.get(), SLUICE_HWT_XOR), -EBUSY);
  submit(hwt.get(), writing(to));
  EXPECT_EQ(sluice_hwt_wait(hwt.get(), &result, kSoonNs), 1);
  EXPECT_EQ(wait(hwt.get(), SLUICE_S2MM, kSoonNs).bytes, 4 * kWords);
  uint32_t expected = 0;
  uint32_t count = 0xffff'fff0;
  const auto* words = static_cast<const uint32_t*>(sluice_buffer_data(to.get()));
  for (uint32_t i = 0; i < kWords; ++i, ++count) {
    EXPECT_EQ(words[i], count);
    expected ^= count;
  }
  EXPECT_EQ(result, expected);

  check(sluice_hwt_set_kernel(hwt.get(), SLUICE_HWT_XOR));
  EXPECT_EQ(sluice_hwt_start(hwt.get(), kWords, 1), -EINVAL);
  check(sluice_hwt_start(hwt.get(), kWords, 0));
  submit(hwt.get(), reading(from));
  expected = 0;
  words = static_cast<const uint32_t*>(sluice_buffer_data(from.get()));
  for (uint32_t i = 0; i < kWords; ++i) expected ^= words[i];
  EXPECT_EQ(wait_result(hwt.get(), kSoonNs), expected);
  EXPECT_EQ(wait(hwt.get(), SLUICE_MM2S, kSoonNs).status, 0);
}

TEST_F(HwtTest, MailboxesHoldWordsInOrder) {
  const HwtHandle hwt = open_hwt(board.get(), 0);
  uint32_t word = 0;
  EXPECT_EQ(sluice_hwt_get(hwt.get(), &word, 0), 0);
  const uint64_t before_ns = sluice_board_now_ns(board.get());
  EXPECT_EQ(sluice_hwt_get(hwt.get(), &word, 10'000), 0);
  EXPECT_GE(sluice_board_now_ns(board.get()), before_ns + 10'000);
  // Two jobs by hand: each takes nothing in and counts two words, of which the result is the xor.
  check(sluice_hwt_set_kernel(hwt.get(), SLUICE_HWT_COUNT));
  const BufferHandle to = allocate(board.get(), 16);
  grant(hwt.get(), to.get(), SLUICE_WRITE);
  sluice_hwt_command command = writing(to);
  command.bytes = 8;
  submit(hwt.get(), command);
  submit(hwt.get(), command);
  for (const uint32_t mail : {2U, 4U, 2U, 0x100U}) EXPECT_EQ(sluice_hwt_put(hwt.get(), mail, 0), 1);
  for (const uint32_t expected : {4U ^ 5U, 0x100U ^ 0x101U}) {
    EXPECT_EQ(sluice_hwt_get(hwt.get(), &word, kSoonNs), 1);
    EXPECT_EQ(word, expected);
  }
  // A job that nobody takes data from: the mailbox behind it fills up, then waits.
  EXPECT_EQ(sluice_hwt_put(hwt.get(), 1000, 0), 1);
  EXPECT_EQ(sluice_hwt_put(hwt.get(), 0, 0), 1);
  check(sluice_board_sleep_ns(board.get(), 1000));
  int words = 0;
  while (words < 1000 && sluice_hwt_put(hwt.get(), 1, 0) == 1) ++words;
  EXPECT_GT(words, 1);
  EXPECT_LT(words, 1000);
  EXPECT_EQ(sluice_hwt_start(hwt.get(), 1, 0), -EAGAIN);
  EXPECT_EQ(sluice_hwt_put(hwt.get(), 1, 5000), 0);
  check(sluice_hwt_halt(hwt.get()));
  EXPECT_EQ(sluice_hwt_put(hwt.get(), 1, 5000), -EBUSY);
  EXPECT_EQ(sluice_hwt_get(hwt.get(), &word, 5000), -EBUSY);
  check(sluice_hwt_resume(hwt.get()));
  EXPECT_EQ(sluice_hwt_put(hwt.get(), 1, 0), 1);  // halting has emptied it
}

TEST_F(HwtTest, CountsStallsAndWaits) {
  const HwtHandle hwt = open_hwt(board.get(), 3);
  loop_back(3);
  const BufferHandle from = filled(8192);
  const BufferHandle to = allocate(board.get(), 8192);
  grant(hwt.get(), from.get(), SLUICE_READ);
  grant(hwt.get(), to.get(), SLUICE_WRITE);
  submit(hwt.get(), writing(to));
  submit(hwt.get(), reading(from));
  EXPECT_EQ(wait(hwt.get(), SLUICE_S2MM, kSoonNs).status, 0);
  sluice_hwt_stats read{};
  sluice_hwt_stats write{};
  check(sluice_hwt_get_stats(hwt.get(), SLUICE_MM2S, &read, sizeof read));
  check(sluice_hwt_get_stats(hwt.get(), SLUICE_S2MM, &write, sizeof write));
  EXPECT_GT(read.stall_response, 0U);  // memory's latency
  EXPECT_GT(write.stall_data, 0U);     // it came first
  EXPECT_GT(read.worst_wait, 0U);
  EXPECT_LT(read.worst_wait, 1023U);
  EXPECT_EQ(read.bytes, 8192U);
  check(sluice_hwt_clear_stats(hwt.get()));
  sluice_hwt_stats cleared{};
  check(sluice_hwt_get_stats(hwt.get(), SLUICE_MM2S, &cleared, sizeof cleared));
  EXPECT_EQ(cleared.worst_wait, 0U);
  EXPECT_LT(cleared.stall_data, read.stall_data);
  EXPECT_EQ(cleared.bytes, 8192U);
}

// The same control, and one path for all.
TEST(Memif, MovesAndRefusesAndJoinsNobody) {
  const BoardHandle board = open_board("sim:zynq7020/memif_threads?start_cost_ns=0");
  const HwtHandle first = open_hwt(board.get(), 0);
  const HwtHandle second = open_hwt(board.get(), 7);
  EXPECT_EQ(sluice_hwt_route(second.get(), first.get()), -ENOTSUP);
  set_attribute(board.get(), "t7.loopback", 1);
  const BufferHandle from = allocate(board.get(), 4000);
  const BufferHandle to = allocate(board.get(), 4000);
  std::ranges::fill(bytes_of(from.get()), uint8_t{0x5a});
  submit(second.get(), reading(from));
  EXPECT_EQ(wait(second.get(), SLUICE_MM2S, kSoonNs).status, -EACCES);
  grant(second.get(), from.get(), SLUICE_READ);
  grant(second.get(), to.get(), SLUICE_WRITE);
  submit(second.get(), writing(to));
  submit(second.get(), reading(from));
  EXPECT_EQ(wait(second.get(), SLUICE_S2MM, kSoonNs).status, 0);
  EXPECT_TRUE(same(from, to));
}

TEST_F(HwtTest, OpensAnewWithNothing) {
  BufferHandle buffer = allocate(board.get(), 4096);
  {
    const HwtHandle hwt = open_hwt(board.get(), 7);
    grant(hwt.get(), buffer.get(), SLUICE_READ | SLUICE_WRITE);
    submit(hwt.get(), writing(buffer));
  }
  EXPECT_EQ(sluice_buffer_free(buffer.release()), 0);  // grant and command are gone
  buffer = allocate(board.get(), 4096);                // where the old one was
  const HwtHandle hwt = open_hwt(board.get(), 7);
  submit(hwt.get(), writing(buffer));
  EXPECT_EQ(wait(hwt.get(), SLUICE_S2MM, kSoonNs).status, -EACCES);
}

// A block of two threads that come to rest when the test lets them. Buffers are a real board's.
struct ScriptedHwt : testing::Test {
  ScriptedHwt() {
    platform.registers = {{SL_STREAMIF_IDENTITY_OFFSET, SL_STREAMIF_IDENTITY_DEFAULT},
                          {SL_STREAMIF_CONFIG_OFFSET, 4U << SL_STREAMIF_CONFIG_STREAM_BYTES_SHIFT |
                                                          26U << SL_STREAMIF_CONFIG_LEN_BITS_SHIFT},
                          {SL_STREAMIF_LIMITS_OFFSET, 8U << SL_STREAMIF_LIMITS_DEPTH_SHIFT |
                                                          4U << SL_STREAMIF_LIMITS_WINDOWS_SHIFT},
                          {SL_STREAMIF_IDLE_OFFSET, 0xff}};
  }
  [[nodiscard]] HwtEntry entry(unsigned count) const {
    return {.control = 0,
            .count = count,
            .fault_line = 16,
            .mail_line = 17,
            .first_page = 0x4000,
            .page_stride = 0x8000,
            .routes = true};
  }
  static int code(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.errnum();
    }
    return 0;
  }

  BoardHandle board = open_board("sim:zynq7020/streamif_threads");
  BufferHandle buffer = allocate(board.get(), 4096);
  // A window is set as soon as it was asked whether it is.
  ScriptedPlatform platform{SL_STREAMIF_WINDOW_SET_OFFSET, SL_STREAMIF_WINDOW_SET_OFFSET,
                            SL_STREAMIF_WINDOW_SET_GO_MASK};
};

TEST_F(ScriptedHwt, OneThatDoesNotComeToRestKeepsWhatItHas) {
  HwtUnit unit(*board, platform, entry(2), 0);
  Hwt& hwt = unit.open(0);
  const sluice_hwt_command command = writing(buffer, 5);
  ASSERT_EQ(hwt.submit({&command, 1}), 1U);
  uint32_t& idle = platform.registers[SL_STREAMIF_IDLE_OFFSET];
  idle = 0xfe;
  std::vector<sluice_completion> done(1);
  const std::pair<const char*, std::function<void()>> uses[] = {
      {"halt", [&] { hwt.halt(); }},       {"again", [&] { hwt.halt(); }},
      {"resume", [&] { hwt.resume(); }},   {"reap", [&] { hwt.reap(SLUICE_S2MM, done, -1); }},
      {"close", [&] { unit.close(hwt); }}, {"close again", [&] { unit.close(hwt); }}};
  for (const auto& [what, use] : uses) {
    EXPECT_EQ(code(use), ETIMEDOUT) << what;
    EXPECT_TRUE(hwt.halted()) << what;
    EXPECT_TRUE(buffer->busy()) << what;
    EXPECT_EQ(platform.registers[SL_STREAMIF_HALT_OFFSET], 1U) << what;
  }
  EXPECT_EQ(code([&] { hwt.submit({&command, 1}); }), EBUSY);
  // A status that comes meanwhile is not taken for the command's.
  platform.lines = 2;
  unit.service();
  EXPECT_TRUE(buffer->busy());
  EXPECT_EQ(unit.expected_interrupts(), 0U);
  platform.lines = 0;

  idle = 0xff;
  hwt.resume();
  EXPECT_FALSE(hwt.halted());
  EXPECT_FALSE(buffer->busy());
  EXPECT_EQ(platform.registers[SL_STREAMIF_HALT_OFFSET], 0U);
  ASSERT_EQ(hwt.reap(SLUICE_S2MM, done, 0), 1U);
  EXPECT_EQ(done[0].status, -ECANCELED);
  EXPECT_EQ(done[0].cookie, 5U);
  ASSERT_EQ(hwt.submit({&command, 1}), 1U);
  unit.close(hwt);
  EXPECT_FALSE(buffer->busy());
}

TEST_F(ScriptedHwt, MoreThreadsThanThereAreInterruptsForAreRefused) {
  EXPECT_EQ(code([&] { const HwtUnit unit(*board, platform, entry(8), 0); }), 0);
  for (const unsigned count : {0U, 9U, 31U})
    EXPECT_EQ(code([&] { const HwtUnit unit(*board, platform, entry(count), 0); }), ENODEV);
}

}  // namespace
