// SPDX-License-Identifier: Apache-2.0
// A PCI Express card through the public interface: its channels, its memory, errors and ends.
#include <gtest/gtest.h>
#include <sl_xdma.h>
#include <sl_xdma_desc.h>
#include <sluice.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "opened_board.hpp"
#include "seed.hpp"

namespace {

using sluice::Board;
using sluice::channel;
using sluice::data;
using sluice::open_board;

sluice_buffer* buffer(const Board& board, uint64_t bytes) {
  sluice_buffer* made = nullptr;
  EXPECT_EQ(sluice_buffer_alloc(board.get(), bytes, nullptr, 0, &made), 0) << sluice_last_error();
  return made;
}

void fill(sluice_buffer* of, uint32_t seed) {
  std::mt19937 random(seed);
  std::generate_n(data(of), sluice_buffer_bytes(of),
                  [&] { return static_cast<uint8_t>(random()); });
}

struct Piece {
  uint64_t offset, bytes, card;
};

// All of them, as fast as the queue takes them; their completions, in order.
std::vector<sluice_completion> move(sluice_channel* through, sluice_buffer* of,
                                    const std::vector<Piece>& pieces) {
  std::vector<sluice_completion> completions;
  size_t queued = 0;
  while (completions.size() < pieces.size()) {
    std::vector<sluice_transfer> transfers;
    for (size_t i = queued; i < std::min(queued + 100, pieces.size()); ++i)
      transfers.push_back({.buffer = of,
                           .offset = pieces[i].offset,
                           .bytes = pieces[i].bytes,
                           .cookie = i,
                           .timeout_ns = 0,
                           .flags = 0,
                           .reserved = 0,
                           .card_offset = pieces[i].card});
    if (!transfers.empty()) {
      const int taken =
          sluice_channel_submit(through, transfers.data(), static_cast<unsigned>(transfers.size()),
                                sizeof(sluice_transfer));
      EXPECT_TRUE(taken > 0 || taken == -EAGAIN) << sluice_last_error();
      if (taken < 0 && taken != -EAGAIN) return completions;
      queued += taken > 0 ? static_cast<size_t>(taken) : 0;
    }
    sluice_completion some[64];
    const int reaped = sluice_channel_reap(through, some, 64, sizeof some[0], 10'000'000);
    EXPECT_GT(reaped, 0) << sluice_last_error();
    if (reaped <= 0) return completions;
    completions.insert(completions.end(), some, some + reaped);
  }
  return completions;
}

class Card : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(
    Boards, Card,
    testing::Values("sim:pcie-gen2x4/xdma", "sim:pcie-gen3x8/xdma",
                    "sim:pcie-gen3x8/xdma?completions=poll&model.mps=128",
                    "sim:pcie-gen3x8/xdma?model.coalescing=0&model.iotlb_entries=16",
                    "sim:pcie-gen4x8/xdma", "sim:pcie-gen2x4/xdma?level=transaction",
                    "sim:pcie-gen3x8/xdma?level=transaction&completions=poll&model.mps=128",
                    "sim:pcie-gen3x8/xdma?level=transaction&model.coalescing=0",
                    "sim:pcie-gen4x8/xdma?level=transaction", "sim:pcie-gen2x4/avmm",
                    "sim:pcie-gen3x8/avmm?completions=poll"));

TEST_P(Card, MovesAnyLengthFromAnyByteToAnyByte) {
  const Board board = open_board(GetParam());
  constexpr uint64_t kBytes = 1 << 20;
  sluice_buffer* out = buffer(board, kBytes);
  sluice_buffer* in = buffer(board, kBytes);
  fill(out, 3);
  std::mt19937 random(static_cast<uint32_t>(sluice::test_seed()));
  std::vector<Piece> there, back;
  std::vector<uint8_t> expected(kBytes);
  for (uint64_t at = 0; at + 9000 < kBytes; at += 9000) {
    const uint64_t bytes = random() % 3 == 0 ? 1 + random() % 64 : 1 + random() % 8000;
    const Piece piece{at + random() % 900, bytes, at + random() % 900};
    there.push_back(piece);
    back.push_back({at + random() % 900, bytes, piece.card});
    std::copy_n(data(out) + piece.offset, bytes,
                expected.begin() + static_cast<ptrdiff_t>(back.back().offset));
  }
  for (const auto& [name, of, pieces] :
       {std::tuple{"h2c0", out, &there}, std::tuple{"c2h0", in, &back}}) {
    const auto completions = move(channel(board, name), of, *pieces);
    ASSERT_EQ(completions.size(), pieces->size());
    for (size_t i = 0; i < completions.size(); ++i) {
      EXPECT_EQ(completions[i].cookie, i);
      EXPECT_EQ(completions[i].status, 0);
      EXPECT_EQ(completions[i].bytes, (*pieces)[i].bytes);
      EXPECT_GT(completions[i].finish_ns, completions[i].start_ns);
    }
  }
  // Of the buffer only what was asked for was written.
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), data(in)));
}

// By interrupts, and by words of memory of both channels.
TEST_P(Card, EitherDirectionEndsAWaitForBoth) {
  const Board board = open_board(GetParam());
  sluice_buffer* of = buffer(board, 1 << 20);
  const std::array<sluice_channel*, 2> both{channel(board, "h2c0"), channel(board, "c2h0")};
  for (const size_t first : {0, 1}) {
    unsigned index = 7;
    EXPECT_EQ(sluice_channel_wait_any(both.data(), 2, -1, &index), 0) << "nothing is queued";
    for (const size_t i : {0, 1}) {
      sluice_transfer transfer{};
      transfer.buffer = of;
      transfer.bytes = i == first ? 64 : 1 << 20;
      ASSERT_EQ(sluice_channel_submit(both[i], &transfer, 1, sizeof transfer), 1);
    }
    ASSERT_EQ(sluice_channel_wait_any(both.data(), 2, -1, &index), 1) << sluice_last_error();
    EXPECT_EQ(index, first);
    sluice_completion done{};
    ASSERT_EQ(sluice_channel_reap(both[first], &done, 1, sizeof done, 0), 1);
    EXPECT_EQ(sluice_channel_reap(both[1 - first], &done, 1, sizeof done, 0), 0) << "not first";
    ASSERT_EQ(sluice_channel_wait_any(both.data(), 2, -1, &index), 1);
    EXPECT_EQ(index, 1 - first);
    ASSERT_EQ(sluice_channel_reap(both[1 - first], &done, 1, sizeof done, 0), 1);
  }
}

TEST_P(Card, ReachesItsMemoryThroughTheBar) {
  const Board board = open_board(GetParam());
  sluice_buffer* host = buffer(board, 4096);
  fill(host, 9);
  std::vector<uint8_t> read(999);
  // Behind a transfer, and before one.
  ASSERT_EQ(move(channel(board, "h2c0"), host, {{1, 4000, 77}}).front().status, 0);
  ASSERT_EQ(sluice_card_read(board.get(), 80, read.data(), read.size()), 0) << sluice_last_error();
  EXPECT_TRUE(std::equal(read.begin(), read.end(), data(host) + 4));
  std::ranges::reverse(read);
  ASSERT_EQ(sluice_card_write(board.get(), 5, read.data(), read.size()), 0) << sluice_last_error();
  ASSERT_EQ(move(channel(board, "c2h0"), host, {{3, 999, 5}}).front().status, 0);
  EXPECT_TRUE(std::equal(read.begin(), read.end(), data(host) + 3));
}

TEST(CardEnds, TenThousandTransfersAreQueuedInOneGo) {
  for (const char* uri :
       {"sim:pcie-gen3x8/xdma", "sim:pcie-gen3x8/xdma?level=transaction", "sim:pcie-gen3x8/avmm"}) {
    const Board board = open_board(uri);
    sluice_buffer* host = buffer(board, 4096);
    std::vector<Piece> pieces(10'000);
    for (size_t i = 0; i < pieces.size(); ++i) pieces[i] = {i % 64 * 64, 64, i * 64};
    const auto completions = move(channel(board, "h2c0"), host, pieces);
    EXPECT_EQ(std::ranges::count_if(completions, [](const auto& c) { return c.status == 0; }),
              10'000);
  }
}

TEST(CardEnds, ATransferOfSeveralDescriptorsIsOne) {
  const Board board = open_board("sim:pcie-gen4x8/avmm?completions=poll");
  constexpr uint64_t kBytes = 3'500'001;  // four
  sluice_buffer* out = buffer(board, kBytes);
  sluice_buffer* in = buffer(board, kBytes);
  fill(out, 23);
  ASSERT_EQ(move(channel(board, "h2c0"), out, {{0, kBytes, 3}}).front().bytes, kBytes);
  ASSERT_EQ(move(channel(board, "c2h0"), in, {{0, kBytes, 3}}).front().bytes, kBytes);
  EXPECT_EQ(std::memcmp(data(out), data(in), kBytes), 0);
}

TEST(CardEnds, NoEndIsLostWhateverTheirDistance) {
  for (const char* uri :
       {"sim:pcie-gen3x8/xdma?start_cost_ns=0", "sim:pcie-gen2x4/xdma?start_cost_ns=0",
        "sim:pcie-gen3x8/xdma?start_cost_ns=0&model.root_write_ns=0",
        "sim:pcie-gen3x8/xdma?level=transaction&start_cost_ns=0", "sim:pcie-gen3x8/avmm"}) {
    const Board board = open_board(uri);
    sluice_buffer* host = buffer(board, 8192);
    for (const char* name : {"h2c0", "c2h0"}) {
      for (uint64_t gap = 0; gap < 1200; gap += 44) {
        for (uint64_t i = 0; i < 2; ++i) {
          const sluice_transfer transfer{.buffer = host,
                                         .offset = 4096 * i,
                                         .bytes = uint64_t{64} << gap % 3,
                                         .cookie = i,
                                         .timeout_ns = 0,
                                         .flags = 0,
                                         .reserved = 0,
                                         .card_offset = 4096 * i};
          ASSERT_EQ(sluice_channel_submit(channel(board, name), &transfer, 1, sizeof transfer), 1);
          if (i == 0) sluice_board_sleep_ns(board.get(), gap);
        }
        for (uint64_t ended = 0; ended < 2;) {
          sluice_completion some[2];
          const int reaped =
              sluice_channel_reap(channel(board, name), some, 2, sizeof some[0], 50'000);
          ASSERT_GT(reaped, 0) << uri << " " << name << " " << gap;
          ended += static_cast<uint64_t>(reaped);
        }
      }
    }
  }
}

// Where two end close together, the second may be seen by its count before its interrupt has come.
TEST(CardEnds, AnInterruptOfWhatIsOverIsNotTheNextOnes) {
  for (const char* uri : {"sim:pcie-gen3x8/xdma?level=transaction", "sim:pcie-gen3x8/avmm"}) {
    const Board board = open_board(uri);
    sluice_buffer* host = buffer(board, 8192);
    uint8_t byte = 0;
    for (const char* name : {"h2c0", "c2h0"}) {
      sluice_channel* through = channel(board, name);
      const auto ended = [&](std::initializer_list<uint64_t> sizes, bool looks) {
        sluice_transfer transfers[2]{};
        unsigned count = 0;
        for (const uint64_t bytes : sizes) {
          transfers[count].buffer = host;
          transfers[count++].bytes = bytes;
        }
        EXPECT_EQ(sluice_channel_submit(through, transfers, count, sizeof transfers[0]),
                  static_cast<int>(count));
        if (looks) {
          EXPECT_EQ(sluice_card_read(board.get(), 0, &byte, 1), 0);
        }
        sluice_completion last{};
        for (unsigned i = 0; i < count; ++i)
          EXPECT_EQ(sluice_channel_reap(through, &last, 1, sizeof last, 50'000), 1);
        return last.finish_ns - last.start_ns;
      };
      for (uint64_t bytes = 64; bytes < 4096; bytes += 128) {
        ended({64, bytes}, false);
        for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(sluice_card_read(board.get(), 0, &byte, 1), 0);
        EXPECT_GT(ended({4}, true), 1000U) << uri << " " << name << " " << bytes;
      }
    }
  }
}

TEST(CardEnds, ACancelledChannelGoesOnRight) {
  for (const char* uri :
       {"sim:pcie-gen3x8/xdma", "sim:pcie-gen3x8/xdma?completions=poll",
        "sim:pcie-gen3x8/xdma?level=transaction",
        "sim:pcie-gen3x8/xdma?level=transaction&completions=poll", "sim:pcie-gen3x8/avmm"}) {
    const Board board = open_board(uri);
    sluice_buffer* host = buffer(board, 1 << 20);
    std::mt19937 random(static_cast<uint32_t>(sluice::test_seed()));
    for (const char* name : {"h2c0", "c2h0"}) {
      for (unsigned round = 0; round < 20; ++round) {
        fill(host, round);
        sluice_transfer transfers[4]{};
        for (uint64_t i = 0; i < 4; ++i)
          transfers[i] = {.buffer = host,
                          .offset = i * 65536,
                          .bytes = 65536,
                          .cookie = i,
                          .timeout_ns = 0,
                          .flags = 0,
                          .reserved = 0,
                          .card_offset = i * 65536};
        sluice_channel* through = channel(board, name);
        ASSERT_EQ(sluice_channel_submit(through, transfers, 4, sizeof transfers[0]), 4);
        sluice_board_sleep_ns(board.get(), random() % 40'000);
        const uint64_t before = sluice_board_now_ns(board.get());
        ASSERT_EQ(sluice_channel_cancel(through), 0) << sluice_last_error();
        EXPECT_LT(sluice_board_now_ns(board.get()) - before, 10'000U);
        sluice_completion ended[4]{};
        ASSERT_EQ(sluice_channel_reap(through, ended, 4, sizeof ended[0], 0), 4);
        bool cancelled = false;  // none after one that was
        for (const auto& completion : ended) {
          EXPECT_TRUE(completion.status == -ECANCELED || (completion.status == 0 && !cancelled));
          cancelled = completion.status != 0;
        }
        // And now all the way round.
        ASSERT_EQ(move(channel(board, "h2c0"), host, {{0, 5000, 100}}).front().status, 0);
        ASSERT_EQ(move(channel(board, "c2h0"), host, {{600'000, 5000, 100}}).front().status, 0);
        ASSERT_EQ(std::memcmp(data(host), data(host) + 600'000, 5000), 0) << name << round;
      }
    }
  }
}

class CardMessages : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Levels, CardMessages,
                         testing::Values("sim:pcie-gen3x8/xdma",
                                         "sim:pcie-gen3x8/xdma?level=transaction"));

// A program drives one channel by its registers while the library drives the other.
TEST_P(CardMessages, EachIsToldOfOnceBesideTheLibrarysOwn) {
  const Board board = open_board(GetParam());
  const auto write = [&](uint64_t offset, uint32_t value) {
    ASSERT_EQ(sluice_board_write_register(board.get(), offset, value, 0xf), 0);
  };
  sluice_buffer* host = buffer(board, 1 << 20);
  fill(host, 3);
  uint64_t address = 0;
  ASSERT_EQ(sluice_buffer_get_bus_address(host, &address), 0);
  constexpr uint64_t kDescriptor = 512 * 1024;
  const struct {
    uint32_t control, bytes;
    uint64_t source, destination, next;
  } descriptor{SL_XDMA_DESC_CONTROL_DEFAULT | SL_XDMA_DESC_CONTROL_STOP_MASK |
                   SL_XDMA_DESC_CONTROL_COMPLETED_MASK,
               256, address, 0x40'0000, 0};
  std::memcpy(data(host) + kDescriptor, &descriptor, sizeof descriptor);
  constexpr uint64_t kLine = 1U << 0;  // h2c0's; c2h0's is 1
  write(SL_XDMA_IRQ_OFFSET + SL_XDMA_IRQ_CHANNEL_ENABLE_W1S_OFFSET, kLine);
  write(SL_XDMA_H2C(0) + SL_XDMA_CHANNEL_IRQ_MASK_OFFSET, SL_XDMA_CHANNEL_STATUS_DESC_STOPPED_MASK);
  write(SL_XDMA_H2C_SGDMA(0) + SL_XDMA_SGDMA_FIRST_LO_OFFSET,
        static_cast<uint32_t>(address + kDescriptor));
  write(SL_XDMA_H2C_SGDMA(0) + SL_XDMA_SGDMA_FIRST_HI_OFFSET,
        static_cast<uint32_t>((address + kDescriptor) >> 32));
  for (unsigned round = 0; round < 6; ++round) {
    const bool beside = round % 2 == 1;
    sluice_channel* other = channel(board, "c2h0");
    const sluice_transfer transfer{.buffer = host,
                                   .offset = 0x1000,
                                   .bytes = 65536,
                                   .cookie = round,
                                   .timeout_ns = 0,
                                   .flags = 0,
                                   .reserved = 0,
                                   .card_offset = 0};
    if (beside) {
      ASSERT_EQ(sluice_channel_submit(other, &transfer, 1, sizeof transfer), 1);
    }
    write(SL_XDMA_H2C(0) + SL_XDMA_CHANNEL_CONTROL_OFFSET,
          SL_XDMA_CHANNEL_CONTROL_RUN_MASK | SL_XDMA_CHANNEL_STATUS_DESC_STOPPED_MASK);
    uint64_t lines = 0;
    ASSERT_EQ(sluice_board_wait_interrupt(board.get(), kLine, 1'000'000, &lines), 1) << round;
    EXPECT_NE(lines & kLine, 0U);
    ASSERT_EQ(sluice_board_get_interrupts(board.get(), &lines), 0);
    EXPECT_EQ(lines & kLine, 0U) << round;
    uint32_t status = 0;
    ASSERT_EQ(sluice_board_read_register(
                  board.get(), SL_XDMA_H2C(0) + SL_XDMA_CHANNEL_STATUS_RC_OFFSET, &status),
              0);
    EXPECT_EQ(status, SL_XDMA_CHANNEL_STATUS_DESC_STOPPED_MASK);
    write(SL_XDMA_H2C(0) + SL_XDMA_CHANNEL_CONTROL_OFFSET, 0);
    if (!beside) continue;
    sluice_completion ended{};
    ASSERT_EQ(sluice_channel_reap(other, &ended, 1, sizeof ended, 1'000'000), 1) << round;
    EXPECT_EQ(ended.status, 0);
  }
}

TEST_P(CardMessages, ARequestThatStaysIsSentAgain) {
  const Board board = open_board(GetParam());
  const auto write = [&](uint64_t offset, uint32_t value) {
    ASSERT_EQ(sluice_board_write_register(board.get(), offset, value, 0xf), 0);
  };
  const auto read = [&](uint64_t offset) {
    uint32_t value = 0;
    EXPECT_EQ(sluice_board_read_register(board.get(), offset, &value), 0);
    return value;
  };
  constexpr uint64_t kChannel = SL_XDMA_H2C(0);
  constexpr uint64_t kStatus = kChannel + SL_XDMA_CHANNEL_STATUS_OFFSET;
  // A list of one, whose end is two events.
  sluice_buffer* host = buffer(board, 4096);
  uint64_t address = 0;
  ASSERT_EQ(sluice_buffer_get_bus_address(host, &address), 0);
  const struct {
    uint32_t control, bytes;
    uint64_t source, destination, next;
  } descriptor{SL_XDMA_DESC_CONTROL_DEFAULT | SL_XDMA_DESC_CONTROL_STOP_MASK |
                   SL_XDMA_DESC_CONTROL_COMPLETED_MASK,
               64, address + 1024, 0, 0};
  std::memcpy(data(host), &descriptor, sizeof descriptor);
  constexpr uint32_t kEvents =
      SL_XDMA_CHANNEL_STATUS_DESC_STOPPED_MASK | SL_XDMA_CHANNEL_STATUS_DESC_COMPLETED_MASK;
  write(SL_XDMA_IRQ_OFFSET + SL_XDMA_IRQ_CHANNEL_ENABLE_W1S_OFFSET, 1);
  write(kChannel + SL_XDMA_CHANNEL_IRQ_MASK_OFFSET, kEvents);
  write(SL_XDMA_H2C_SGDMA(0) + SL_XDMA_SGDMA_FIRST_LO_OFFSET, static_cast<uint32_t>(address));
  write(SL_XDMA_H2C_SGDMA(0) + SL_XDMA_SGDMA_FIRST_HI_OFFSET, static_cast<uint32_t>(address >> 32));
  write(kChannel + SL_XDMA_CHANNEL_CONTROL_OFFSET, SL_XDMA_CHANNEL_CONTROL_RUN_MASK | kEvents);
  const auto told = [&] {
    uint64_t lines = 0;
    const int count = sluice_board_wait_interrupt(board.get(), 1, 20'000, &lines);
    return count == 1 && lines == 1;
  };
  EXPECT_TRUE(told());
  EXPECT_EQ(read(kStatus), kEvents);
  write(kStatus, SL_XDMA_CHANNEL_STATUS_DESC_STOPPED_MASK);
  EXPECT_TRUE(told());  // of the other one
  EXPECT_EQ(read(kStatus), SL_XDMA_CHANNEL_STATUS_DESC_COMPLETED_MASK);
  write(kStatus, SL_XDMA_CHANNEL_STATUS_DESC_COMPLETED_MASK);
  EXPECT_FALSE(told());
  EXPECT_EQ(read(kStatus), 0U);
}

TEST_P(CardMessages, BitsWithoutAFieldStayZero) {
  const Board board = open_board(GetParam());
  const struct {
    uint64_t offset;
    uint32_t written, read;
  } registers[] = {
      {SL_XDMA_H2C(0) + SL_XDMA_CHANNEL_CONTROL_OFFSET, 0xffff'fffe, 0x0cff'fe7e},
      {SL_XDMA_C2H(0) + SL_XDMA_CHANNEL_POLL_WB_LO_OFFSET, 0xffff'ffff, 0xffff'fffc},
      {SL_XDMA_C2H(0) + SL_XDMA_CHANNEL_IRQ_MASK_OFFSET, 0xffff'ffff, 0x00ff'fffe},
      {SL_XDMA_IRQ_OFFSET + SL_XDMA_IRQ_CHANNEL_VECTOR1_OFFSET, 0xffff'ffff, 0x1f1f'1f1f},
  };
  for (const auto& [offset, written, expected] : registers) {
    uint32_t value = 0;
    ASSERT_EQ(sluice_board_write_register(board.get(), offset, written, 0xf), 0);
    ASSERT_EQ(sluice_board_read_register(board.get(), offset, &value), 0);
    EXPECT_EQ(value, expected) << offset;
  }
}

TEST(CardEnds, RefusesWhatIsNotThere) {
  const Board board = open_board("sim:pcie-gen2x4/xdma");
  sluice_board_info info{};
  ASSERT_EQ(sluice_board_get_info(board.get(), &info, sizeof info), 0);
  sluice_buffer* host = buffer(board, 4096);
  sluice_transfer transfer{.buffer = host,
                           .offset = 0,
                           .bytes = 4096,
                           .cookie = 0,
                           .timeout_ns = 0,
                           .flags = 0,
                           .reserved = 0,
                           .card_offset = info.card_bytes - 4095};
  EXPECT_EQ(sluice_channel_submit(channel(board, "h2c0"), &transfer, 1, sizeof transfer), -EINVAL);
  EXPECT_NE(std::string(sluice_last_error()).find("exceed the card's memory"), std::string::npos);
  uint8_t byte = 0;
  EXPECT_EQ(sluice_card_read(board.get(), info.card_bytes, &byte, 1), -EINVAL);
  const Board chip = open_board("sim:zynq7010/hp_stress");
  EXPECT_EQ(sluice_card_read(chip.get(), 0, &byte, 1), -ENOTSUP);
  sluice_board* none = nullptr;
  EXPECT_EQ(sluice_board_open("sim:pcie-gen2x4/xdma?model.mps=200", &none), -EINVAL);
  EXPECT_NE(std::string(sluice_last_error()).find("power of two"), std::string::npos);
}

TEST(CardEnds, WhatOnlyRtlHasIsRefused) {
  const Board board = open_board("sim:pcie-gen3x8/xdma?level=transaction");
  constexpr uint64_t kPerformance = SL_XDMA_H2C(0) + SL_XDMA_CHANNEL_PERF_CYCLES_LO_OFFSET;
  uint32_t value = 0;
  EXPECT_EQ(sluice_board_read_register(board.get(), kPerformance, &value), -ENOTSUP);
  EXPECT_STREQ(sluice_last_error(),
               "level=transaction: read of register 0x000c4: only the RTL level has it");
  // The access has ended, and the next one is answered.
  EXPECT_EQ(sluice_board_read_register(board.get(), SL_XDMA_H2C(0), &value), 0);
  EXPECT_EQ(value, 0x1fc0'0006U);
  EXPECT_EQ(sluice_board_write_register(board.get(), kPerformance, 1, 0xf), 0);  // posted
  EXPECT_EQ(sluice_board_sleep_ns(board.get(), 1000), -ENOTSUP);
  sluice_board* none = nullptr;
  EXPECT_EQ(sluice_board_open("sim:pcie-gen3x8/avmm?level=transaction", &none), -EINVAL);
  EXPECT_STREQ(sluice_last_error(), "avmm has RTL only; give level=rtl");
}

TEST(CardStream, APacketIsToldOfThoughOthersAreAwaited) {
  const Board board = open_board("sim:pcie-gen3x8/xdma_stream");
  ASSERT_EQ(sluice_board_set_attribute(board.get(), "s0.loopback", 1), 0);
  sluice_buffer* out = buffer(board, 4096);
  sluice_buffer* in = buffer(board, 8 * 4096);
  std::vector<sluice_transfer> receive;
  for (uint64_t i = 0; i < 8; ++i)
    receive.push_back({.buffer = in,
                       .offset = 4096 * i,
                       .bytes = 4096,
                       .cookie = i,
                       .timeout_ns = 0,
                       .flags = 0,
                       .reserved = 0,
                       .card_offset = 0});
  ASSERT_EQ(sluice_channel_submit(channel(board, "c2h0"), receive.data(), 8, sizeof receive[0]), 8);
  const sluice_transfer send{.buffer = out,
                             .offset = 0,
                             .bytes = 100,
                             .cookie = 0,
                             .timeout_ns = 0,
                             .flags = 0,
                             .reserved = 0,
                             .card_offset = 0};
  ASSERT_EQ(sluice_channel_submit(channel(board, "h2c0"), &send, 1, sizeof send), 1);
  sluice_completion received{};
  ASSERT_EQ(sluice_channel_reap(channel(board, "c2h0"), &received, 1, sizeof received, 100'000), 1);
  EXPECT_EQ(received.bytes, 100U);
}

TEST(CardStream, PacketsComeBackAsTheyWere) {
  for (const char* uri :
       {"sim:pcie-gen2x4/xdma_stream", "sim:pcie-gen3x8/xdma_stream?completions=poll",
        "sim:pcie-gen4x8/xdma_stream"}) {
    const Board board = open_board(uri);
    ASSERT_EQ(sluice_board_set_attribute(board.get(), "s0.loopback", 1), 0) << sluice_last_error();
    sluice_buffer* out = buffer(board, 1 << 18);
    sluice_buffer* in = buffer(board, 1 << 18);
    fill(out, 17);
    std::mt19937 random(static_cast<uint32_t>(sluice::test_seed()));
    uint64_t at = 0;
    for (unsigned i = 0; i < 40; ++i) {
      const uint64_t bytes = 1 + random() % 6000;
      sluice_transfer send{.buffer = out,
                           .offset = at,
                           .bytes = bytes,
                           .cookie = i,
                           .timeout_ns = 0,
                           .flags = 0,
                           .reserved = 0,
                           .card_offset = 0};
      sluice_transfer receive = send;
      receive.buffer = in;
      receive.bytes = bytes + random() % 100;  // room
      ASSERT_EQ(sluice_channel_submit(channel(board, "c2h0"), &receive, 1, sizeof receive), 1);
      ASSERT_EQ(sluice_channel_submit(channel(board, "h2c0"), &send, 1, sizeof send), 1);
      sluice_completion sent{}, received{};
      ASSERT_EQ(sluice_channel_reap(channel(board, "h2c0"), &sent, 1, sizeof sent, 1'000'000), 1);
      ASSERT_EQ(
          sluice_channel_reap(channel(board, "c2h0"), &received, 1, sizeof received, 1'000'000), 1);
      EXPECT_EQ(received.status, 0);
      EXPECT_EQ(received.bytes, bytes);
      EXPECT_EQ(received.end_of_packet, 1U);
      ASSERT_EQ(std::memcmp(data(out) + at, data(in) + at, bytes), 0) << uri << " " << i;
      at += bytes;
    }
  }
}

}  // namespace
