// SPDX-License-Identifier: Apache-2.0
// The DMA controller as ARM DDI 0424 has it: registers, instructions, what memory holds after a
// program, events, faults.
#include "sluice/model/pl330.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "pl330_fixture.hpp"

namespace sluice::model {
namespace {

using P = Pl330Program;

constexpr std::uint32_t kUndefined = 1U << 0U, kOperand = 1U << 1U, kEvent = 1U << 5U,
                        kPeripheral = 1U << 6U, kSecurity = 1U << 7U, kStoreData = 1U << 13U,
                        kFetch = 1U << 16U, kWrite = 1U << 17U, kRead = 1U << 18U,
                        kDebug = 1U << 30U, kLockup = 1U << 31U;
constexpr std::uint32_t kNonSecureSides = 1U << 9U | 1U << 23U;
constexpr unsigned kWaitsForEvent = 4, kAtBarrier = 5, kWaitsForPeripheral = 7;

// UG585 appendix B, dmac: what a driver reads to find out what it has.
TEST_F(Pl330Test, SaysWhatItIs) {
  EXPECT_EQ(read(0xe00), 0x001e'3071U);
  EXPECT_EQ(read(0xe04), 0x74U);
  EXPECT_EQ(read(0xe14), 0x07ff'7f73U);
  for (const std::uint32_t boots_secure_and_stopped : {0xe08U, 0xe0cU, 0xe10U})
    EXPECT_EQ(read(boots_secure_and_stopped), 0U);
  std::uint32_t part = 0, cell = 0;
  for (unsigned i = 0; i < 4; ++i) {
    part |= read(0xfe0 + 4 * i) << 8U * i;
    cell |= read(0xff0 + 4 * i) << 8U * i;
  }
  EXPECT_EQ(part, 0x0024'1330U);
  EXPECT_EQ(cell, 0xb105'f00dU);
  for (unsigned channel = 0; channel < 8; ++channel) {
    EXPECT_EQ(state(channel), kStopped);
    EXPECT_EQ(register_of(channel, 2), 0x0080'0200U);
  }
  EXPECT_EQ(read(0xd00), 0U);
  EXPECT_EQ(zynq.dmac().lines(), 0U);
}

TEST_F(Pl330Test, CopiesAndTells) {
  fill(kSource, 8192);
  write(kInten, 1U << 3U);
  run(5, P::of_linux(kTarget, kSource, 8192, 3));
  EXPECT_FALSE(zynq.idle());
  until(5, kStopped);
  EXPECT_EQ(bytes(kTarget, 8192), bytes(kSource, 8192));
  EXPECT_EQ(bytes(kTarget + 8192, 64), std::vector<std::uint8_t>(64));
  EXPECT_EQ(read(kIntmis), 1U << 3U);
  EXPECT_EQ(read(kRis), 1U << 3U);
  EXPECT_EQ(zynq.dmac().lines(), 1U << 4U);
  EXPECT_EQ(register_of(5, 0), kSource + 8192);
  EXPECT_EQ(register_of(5, 1), kTarget + 8192);
  write(kIntclr, 1U << 2U);
  EXPECT_EQ(zynq.dmac().lines(), 1U << 4U);
  write(kIntclr, 1U << 3U);
  EXPECT_EQ(zynq.dmac().lines(), 0U);
  EXPECT_TRUE(zynq.dmac().quiet());
  advance(1'000'000);
  EXPECT_TRUE(zynq.idle());
}

// All lengths and alignments that Linux' driver makes of a copy, its single beats among them.
TEST_F(Pl330Test, CopiesAnyLengthAndAlignmentAsLinuxDoes) {
  for (const std::uint32_t length : {1U, 7U, 8U, 100U, 128U, 136U, 250U, 2048U + 8U})
    for (const std::uint32_t source : {0U, 1U, 4U, 8U})
      for (const std::uint32_t target : {0U, 2U, 8U, 4088U}) {
        fill(kSource + source, length, static_cast<std::uint8_t>(length + source));
        std::memset(zynq.memory().host(kTarget, 16384), 0xee, 16384);
        run(0, P::of_linux(kTarget + target, kSource + source, length, 0));
        until(0, kStopped);
        ASSERT_EQ(bytes(kTarget + target, length), bytes(kSource + source, length))
            << length << " from " << source << " to " << target;
        ASSERT_EQ(bytes(kTarget + target + length, 16), std::vector<std::uint8_t>(16, 0xee));
        ASSERT_EQ(bytes(kTarget + target - 1, 1)[0], target == 0 ? 0 : 0xee);
      }
}

TEST_F(Pl330Test, ArithmeticAndLoops) {
  P program;
  program.mov(P::sar, 0x1000'0000).mov(P::dar, 0x2000'0000);
  const std::size_t outer = program.lp(0, 3);
  const std::size_t inner = program.lp(1, 5);
  program.addh(P::sar, 0x10).lpend(1, inner).adnh(P::dar, 0xfff0).lpend(0, outer).kill();
  run(1, program);
  until(1, kStopped);
  EXPECT_EQ(register_of(1, 0), 0x1000'0000U + 15U * 0x10U);
  EXPECT_EQ(register_of(1, 1), 0x2000'0000U - 3U * 0x10U);
  EXPECT_EQ(register_of(1, 3), 0U);
  EXPECT_EQ(register_of(1, 4), 0U);
}

// DDI 0424 2.5: an instruction a cycle once it is in the cache, two for DMAMOV.
TEST_F(Pl330Test, AnInstructionACycle) {
  const auto took = [&](unsigned instructions, bool moves) {
    P program;
    const std::size_t body = program.lp(0, 200);
    for (unsigned i = 0; i < instructions; ++i) {
      if (moves)
        program.mov(P::sar, i);
      else
        program.nop();
    }
    program.lpend(0, body).kill();
    run(0, program);
    return until(0, kStopped) / kCyclePs;
  };
  const std::uint64_t base = took(1, false);
  EXPECT_NEAR(static_cast<double>(took(6, false) - base), 200.0 * 5, 8);
  EXPECT_NEAR(static_cast<double>(took(2, true) - took(1, true)), 200.0 * 2, 30);
  // The whole loop is 8 lines of 16 bytes at most; one of 9 misses at each round.
  const std::uint64_t fits = took(100, false), misses = took(140, false);
  EXPECT_LT(fits, 200U * 102U + 300U);
  EXPECT_GT(misses, 200U * (142U + 8U * 10U));
}

TEST_F(Pl330Test, ChannelsTakeTurns) {
  const auto took = [&](unsigned channels) {
    P program;
    const std::size_t body = program.lp(0, 250);
    program.nop().nop().nop().nop().nop().nop().lpend(0, body).kill();
    for (unsigned channel = 0; channel < channels; ++channel) {
      put(kCode + 0x1000 * channel, program);
      start(channel, kCode + 0x1000 * channel);
    }
    std::uint64_t all = 0;
    for (unsigned channel = 0; channel < channels; ++channel) all += until(channel, kStopped);
    return all / kCyclePs;
  };
  const std::uint64_t one = took(1);
  EXPECT_NEAR(static_cast<double>(took(4)), 4.0 * static_cast<double>(one), 100);
}

// Bytes are packed in the MFIFO: loads and stores of other widths and lengths.
TEST_F(Pl330Test, WidensAndNarrows) {
  fill(kSource, 256);
  P program;
  program.mov(P::ccr, P::side(true, 16, 1) | P::side(true, 2, 3) << 14U)
      .mov(P::sar, kSource)
      .mov(P::dar, kTarget);
  for (int i = 0; i < 4; ++i) program.ld().st().st();
  program.end();
  run(0, program);
  until(0, kStopped);
  EXPECT_EQ(fault(0), 0U);
  EXPECT_EQ(bytes(kTarget, 128), bytes(kSource, 128));
}

TEST_F(Pl330Test, FixedAddressesAndZeros) {
  fill(kSource, 64);
  P program;
  program.mov(P::ccr, P::side(false, 4, 2) | P::side(true, 2, 3) << 14U)
      .mov(P::sar, kSource + 8)
      .mov(P::dar, kTarget)
      .ld()
      .st()
      .mov(P::ccr, P::side(true, 4, 2) | P::side(false, 4, 2) << 14U)
      .mov(P::dar, kTarget + 32)
      .ld()
      .st()
      .mov(P::dar, kTarget + 8)
      .mov(P::ccr, P::side(true, 1, 2) | P::side(true, 1, 2) << 14U)
      .stz()
      .end();
  run(2, program);
  until(2, kStopped);
  const auto from = bytes(kSource, 64), to = bytes(kTarget, 64);
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(to[i], i >= 8 && i < 12 ? 0 : from[8 + i % 4]) << i;
  // The last of four words stays at a fixed address.
  EXPECT_TRUE(std::equal(from.begin() + 20, from.begin() + 24, to.begin() + 32));
  EXPECT_EQ(to[36], 0);
}

// A burst that would cross 4 KiB goes as two; the protocol's check in AfiPort is live.
TEST_F(Pl330Test, BurstsAcrossAPage) {
  fill(kSource + 4096 - 40, 128);
  run(0, P().mov(P::ccr, P::copies(16, 3))
             .mov(P::sar, kSource + 4096 - 40)
             .mov(P::dar, kTarget + 8192 - 72)
             .ld()
             .st()
             .end());
  until(0, kStopped);
  EXPECT_EQ(bytes(kTarget + 8192 - 72, 128), bytes(kSource + 4096 - 40, 128));
}

// Against a reference that moves bytes one by one: any program of loads, stores, barriers and
// changes of CCR, on several channels at once.
TEST_F(Pl330Test, RandomPrograms) {
  std::mt19937 random{7};
  constexpr std::uint32_t kArea = 0x10000;
  for (int round = 0; round < 40; ++round) {
    std::vector<std::vector<std::uint8_t>> expected;
    const unsigned channels = 1 + random() % 8;
    for (unsigned channel = 0; channel < channels; ++channel) {
      const std::uint32_t source = kSource + channel * kArea + random() % 64;
      const std::uint32_t target = 0x0100'0000 + channel * kArea + random() % 64;
      fill(kSource + channel * kArea, kArea, static_cast<std::uint8_t>(round + channel));
      std::memset(zynq.memory().host(0x0100'0000 + channel * kArea, kArea), 0, kArea);
      std::vector<std::uint8_t> memory(kArea), stream;
      std::uint32_t from = source, to = target;
      P program;
      program.mov(P::sar, source).mov(P::dar, target);
      while (program.code.size() < 300) {
        const unsigned read_beats = 1 + random() % 16, read_size = random() % 4;
        const unsigned write_beats = 1 + random() % 16, write_size = random() % 4;
        program.mov(P::ccr, P::side(true, read_beats, read_size) |
                                P::side(true, write_beats, write_size) << 14U);
        const auto span = [](std::uint32_t address, unsigned beats, unsigned size) {
          return (beats << size) - address % (1U << size);
        };
        // One load at a time at most before its stores: 18 of 128 entries for each channel.
        if (stream.size() <= 8) {
          const std::uint32_t count = span(from, read_beats, read_size);
          const auto read = bytes(from, count);
          stream.insert(stream.end(), read.begin(), read.end());
          from += count;
          program.ld();
          if (random() % 4 == 0) program.rmb();
        }
        const std::uint32_t count = span(to, write_beats, write_size);
        if (stream.size() >= count) {
          std::copy_n(stream.begin(), count, memory.begin() + (to - 0x0100'0000) % kArea);
          stream.erase(stream.begin(), stream.begin() + count);
          to += count;
          program.st();
          if (random() % 4 == 0) program.wmb();
        } else if (stream.size() > 8) {
          // Else the load-lock stays, and others starve until the end.
          const auto all = static_cast<unsigned>(stream.size());
          for (unsigned byte = 0; byte < all; ++byte)
            memory[(to + byte - 0x0100'0000) % kArea] = stream[byte];
          stream.clear();
          to += all;
          program.mov(P::ccr, P::copies(1, 0));
          for (unsigned byte = 0; byte < all; ++byte) program.st();
        }
      }
      program.end();
      put(kCode + channel * 0x1000, program);
      expected.push_back(memory);
    }
    for (unsigned channel = 0; channel < channels; ++channel)
      start(channel, kCode + channel * 0x1000);
    for (unsigned channel = 0; channel < channels; ++channel) {
      until(channel, kStopped);
      ASSERT_EQ(fault(channel), 0U) << round << " " << channel;
      ASSERT_EQ(bytes(0x0100'0000 + channel * kArea, kArea), expected[channel])
          << round << " " << channel;
    }
  }
}

// ---------------------------------------------------------------------------- events, peripherals

TEST_F(Pl330Test, AnEventWakesAChannelOrWaitsForOne) {
  run(0, P().wfe(9).wfe(9).kill());
  put(kCode + 0x100, P().sev(9).kill());
  until(0, kWaitsForEvent);
  EXPECT_EQ(read(0x100) >> 4U & 31U, 9U);
  EXPECT_TRUE(zynq.dmac().quiet());
  start(1, kCode + 0x100);
  until(1, kStopped);
  advance(1'000'000);
  EXPECT_EQ(state(0), kWaitsForEvent);  // for the second time
  EXPECT_EQ(read(kRis), 0U);
  debug(0x34U << 16U | 9U << 27U, 0);  // DMASEV by the manager
  until(0, kStopped);
  debug(0x34U << 16U | 9U << 27U, 0);
  EXPECT_EQ(read(kRis), 1U << 9U);  // stays for who waits next
  EXPECT_EQ(read(kIntmis), 0U);
  run(0, P().wfe(9).kill());
  until(0, kStopped);
  EXPECT_EQ(read(kRis), 0U);
}

TEST_F(Pl330Test, APeripheralIsWaitedForAndItsRequestDecides) {
  fill(kSource, 256);
  // DMAWFP 2 periph; DMALDPS 2, DMALDPB 2; DMASTS, DMASTB; until its last (DMALPFE, DMALPEND).
  run(3, P().mov(P::ccr, P::copies(4, 2))
             .mov(P::sar, kSource)
             .mov(P::dar, kTarget)
             .raw({0x35, 2U << 3U})
             .raw({0x31, 2U << 3U, 0x25, 2U << 3U, 0x27, 2U << 3U, 0x09, 0x0b, 0x28, 8})
             .end());
  until(3, kWaitsForPeripheral);
  EXPECT_EQ(read(0x118) >> 4U & 31U, 2U);
  EXPECT_NE(read(0x118) & 1U << 15U, 0U);
  zynq.dmac().request(1, true, true);
  advance(1'000'000);
  EXPECT_EQ(state(3), kWaitsForPeripheral);
  zynq.dmac().request(2, true, false);
  advance(1'000'000);
  EXPECT_EQ(register_of(3, 1), kTarget + 16);
  EXPECT_EQ(state(3), kWaitsForPeripheral);
  zynq.dmac().request(2, false, true);
  until(3, kStopped);
  EXPECT_EQ(bytes(kTarget, 20), bytes(kSource, 20));
  EXPECT_EQ(bytes(kTarget + 20, 4), std::vector<std::uint8_t>(4));
}

// DMAWMB: what was stored is in memory when the next instruction is executed; without it DMASEV
// does not wait.
TEST_F(Pl330Test, ABarrierOrdersAnEventAfterTheStores) {
  fill(kSource, 128);
  write(kInten, 1);
  const auto told_before_the_data = [&](bool barrier) {
    std::memset(zynq.memory().host(kTarget, 128), 0, 128);
    P program;
    program.mov(P::ccr, P::copies(16, 3)).mov(P::sar, kSource).mov(P::dar, kTarget).ld().st();
    if (barrier) program.wmb();
    run(0, program.sev(0).end());
    bool seen = false;
    while (zynq.dmac().lines() == 0) {
      seen = seen || state(0) == kAtBarrier;
      advance(kCyclePs);
    }
    EXPECT_EQ(seen, barrier);
    const bool early = bytes(kTarget, 128) != bytes(kSource, 128);
    until(0, kStopped);
    EXPECT_EQ(bytes(kTarget, 128), bytes(kSource, 128));
    write(kIntclr, 1);
    return early;
  };
  EXPECT_TRUE(told_before_the_data(false));
  EXPECT_FALSE(told_before_the_data(true));
}

// ------------------------------------------------------------------------------------------ faults

TEST_F(Pl330Test, FaultsOfPrograms) {
  const struct {
    const char* what;
    P program;
    std::uint32_t fault;
    std::uint32_t at;  // of the instruction; where the bus decides it may be a later one
  } cases[] = {
      {"no instruction", P().nop().raw({0xff}), kUndefined, 1},
      {"DMAGO in a channel", P().raw({0xa0, 0, 0, 0, 0, 0}), kUndefined, 0},
      {"DMAMOV to nothing", P().raw({0xbc, 3, 0, 0, 0, 0}), kOperand, 0},
      {"an endian swap", P().mov(P::ccr, P::copies(1, 3) | 1U << 28U), kOperand, 0},
      {"beats wider than the bus", P().mov(P::ccr, P::copies(1, 4)), kOperand, 0},
      {"event 16", P().sev(16), kOperand, 0},
      {"event 31", P().wfe(31), kOperand, 0},
      {"peripheral 4", P().raw({0x31, 4U << 3U}), kOperand, 0},
      {"a store of what was not loaded",
       P().mov(P::ccr, P::side(true, 1, 3) | P::side(true, 2, 3) << 14U)
           .mov(P::sar, kSource)
           .mov(P::dar, kTarget)
           .ld()
           .st(),
       kStoreData, 19},
      {"a load from nothing", P().mov(P::ccr, P::copies(1, 3)).mov(P::sar, 0xf000'0000).ld().wfe(5),
       kRead, ~0U},
      {"a store to nothing", P().mov(P::ccr, P::copies(1, 3)).mov(P::dar, 0x4000'0000).stz().wfe(5),
       kWrite, ~0U},
      {"a load behind the memory",
       P().mov(P::ccr, P::copies(1, 3)).mov(P::sar, 0x2000'0000).ld().wfe(5), kRead, ~0U},
  };
  for (const auto& one : cases) {
    run(6, one.program);
    until(6, kFaulting);
    EXPECT_EQ(fault(6), one.fault) << one.what;
    EXPECT_TRUE(one.at == ~0U || pc(6) == kCode + one.at) << one.what << pc(6);
    EXPECT_EQ(read(kFsrc), 1U << 6U) << one.what;
    EXPECT_EQ(zynq.dmac().lines(), 1U) << one.what;
    kill(6);
    until(6, kStopped);
    EXPECT_EQ(zynq.dmac().lines(), 0U) << one.what;
    // As good as new.
    fill(kSource, 256);
    run(6, P::of_linux(kTarget, kSource, 256, 0));
    until(6, kStopped);
    EXPECT_EQ(bytes(kTarget, 256), bytes(kSource, 256)) << one.what;
    EXPECT_EQ(fault(6), 0U) << one.what;
  }
}

TEST_F(Pl330Test, AProgramThatIsNotInMemory) {
  start(0, 0x4000'0000);
  until(0, kFaulting);
  EXPECT_EQ(fault(0), kFetch);
  EXPECT_EQ(pc(0), 0x4000'0000U);
}

TEST_F(Pl330Test, APoisonedWordAbortsItsChannelAlone) {
  fill(kSource, 8192);
  zynq.memory().poison(kSource + 4096, 8);
  put(kCode, P::of_linux(kTarget, kSource, 8192, 0));
  put(kCode + 0x1000, P::of_linux(kTarget + 0x10000, kSource, 2048, 1));
  start(0, kCode);
  start(1, kCode + 0x1000);
  until(1, kStopped);
  until(0, kFaulting);
  EXPECT_EQ(fault(0), kRead);
  EXPECT_EQ(bytes(kTarget, 2048), bytes(kSource, 2048));
  EXPECT_EQ(bytes(kTarget + 0x10000, 2048), bytes(kSource, 2048));
  EXPECT_EQ(read(kFsrc), 1U);
}

TEST_F(Pl330Test, ANonSecureChannelTouchesNothingSecure) {
  const struct {
    P program;
    std::uint32_t fault;
  } cases[] = {
      {P().sev(0), kEvent},
      {P().wfe(0), kEvent},
      {P().raw({0x31, 0}), kPeripheral},
      {P().mov(P::ccr, P::copies(1, 3)).ld(), kSecurity},
      {P().mov(P::ccr, P::copies(1, 3)).stz(), kSecurity},
  };
  for (const auto& one : cases) {
    put(kCode, one.program);
    start(0, kCode, true);
    until(0, kFaulting);
    EXPECT_EQ(fault(0), one.fault);
    EXPECT_NE(read(0x100) & 1U << 21U, 0U);
    kill(0);
    until(0, kStopped);
  }
  fill(kSource, 128);
  put(kCode, P().mov(P::ccr, P::copies(16, 3) | kNonSecureSides)
                 .mov(P::sar, kSource)
                 .mov(P::dar, kTarget)
                 .ld()
                 .st()
                 .end());
  start(0, kCode, true);
  until(0, kStopped);
  EXPECT_EQ(bytes(kTarget, 128), bytes(kSource, 128));
}

TEST_F(Pl330Test, AChannelThatFillsTheMfifoIsLockedUp) {
  P program;
  program.mov(P::ccr, P::copies(16, 3)).mov(P::sar, kSource).mov(P::dar, kTarget);
  for (int i = 0; i < 8; ++i) program.ld();
  run(0, P(program).st().end());  // 128 entries are there
  until(0, kStopped);
  EXPECT_EQ(fault(0), 0U);
  run(0, P(program).ld().st().end());
  until(0, kFaulting);
  EXPECT_EQ(fault(0), kLockup);
  kill(0);
  until(0, kStopped);
  // DMASTZ takes nothing out of it.
  P zeros;
  zeros.mov(P::ccr, P::copies(16, 3)).mov(P::sar, kSource).mov(P::dar, kTarget);
  zeros.ld().stz().stz().wmb();
  for (int i = 0; i < 8; ++i) zeros.ld();
  run(0, zeros.st().end());
  until(0, kFaulting);
  EXPECT_EQ(fault(0), kLockup);
  kill(0);
  until(0, kStopped);
  write(0xe80, 1);  // WD: interrupt only
  run(0, P(program).ld().st().end());
  advance(10'000'000);
  EXPECT_EQ(fault(0), 0U);
  EXPECT_EQ(zynq.dmac().lines(), 1U);
  kill(0);
  until(0, kStopped);
  advance(10 * kCyclePs);
  EXPECT_EQ(zynq.dmac().lines(), 0U);
}

// While a channel that has loaded has not stored, no other one loads.
TEST_F(Pl330Test, TheLoadLock) {
  const std::uint32_t ccr = P::copies(1, 3);
  run(0, P().mov(P::ccr, ccr).mov(P::sar, kSource).ld().mov(P::dar, kTarget).rmb().wfe(0).kill());
  until(0, kWaitsForEvent);
  run(1, P().mov(P::ccr, ccr).mov(P::sar, kSource).ld().kill(), kCode + 0x100);
  until(1, kStopped);  // a barrier has freed it
  P holds;
  holds.mov(P::ccr, ccr).mov(P::sar, kSource).ld();
  const std::size_t body = holds.lp(0, 256);
  for (int i = 0; i < 20; ++i) holds.nop();
  holds.lpend(0, body).kill();
  run(2, holds, kCode + 0x200);
  advance(2'000'000);
  run(1, P().mov(P::ccr, ccr).mov(P::sar, kSource).ld().kill(), kCode + 0x100);
  advance(2'000'000);
  EXPECT_EQ(register_of(1, 0), kSource);
  until(2, kStopped);
  until(1, kStopped);
  EXPECT_EQ(register_of(1, 0), kSource + 8);
}

TEST_F(Pl330Test, KillsInTheMiddle) {
  std::mt19937 random{3};
  fill(kSource, 1 << 16);
  for (int round = 0; round < 50; ++round) {
    run(4, P::of_linux(kTarget, kSource, 1 << 16, 0));
    advance(random() % 40'000'000);
    kill(4);
    until(4, kStopped);
    advance(2'000'000);
    EXPECT_TRUE(zynq.idle()) << round;
    std::memset(zynq.memory().host(kTarget, 4096), 0, 4096);
    run(4, P::of_linux(kTarget, kSource, 4096, 0));
    until(4, kStopped);
    ASSERT_EQ(bytes(kTarget, 4096), bytes(kSource, 4096)) << round;
  }
}

// What was under way when a channel was killed is of no consequence, be its answer an error.
TEST_F(Pl330Test, AKilledChannelsAnswersAreDropped) {
  zynq.memory().poison(kSource, 128);
  zynq.memory().poison(kTarget, 128);
  P loads, stores;
  loads.mov(P::ccr, P::copies(16, 3)).mov(P::sar, kSource).ld().wfe(5);
  stores.mov(P::ccr, P::copies(16, 3)).mov(P::dar, kTarget).stz().wfe(5);
  for (const P* program : {&loads, &stores}) {
    unsigned killed = 0;
    for (unsigned cycles = 0; cycles < 120; ++cycles) {
      run(3, *program);
      advance(cycles * kCyclePs);
      const bool under_way = state(3) == kWaitsForEvent && !zynq.dmac_quiet();
      kill(3);
      if (under_way && fault(3) == 0) {  // no answer has come yet
        ++killed;
        until(3, kStopped);
        advance(200 * kCyclePs);
        EXPECT_EQ(fault(3), 0U) << cycles;
      }
      advance(200 * kCyclePs);
      EXPECT_TRUE(zynq.idle()) << cycles;
      kill(3);
      until(3, kStopped);
    }
    EXPECT_GT(killed, 2U);
  }
}

// Any bytes as programs of all channels, and any writes to its registers meanwhile: all channels
// can be killed, and the controller is then as good as new.
TEST_F(Pl330Test, AnyBytesAsPrograms) {
  constexpr std::uint8_t kOpcodes[] = {0x00, 0x01, 0x04, 0x05, 0x07, 0x08, 0x09, 0x0b, 0x0c,
                                       0x12, 0x13, 0x18, 0x20, 0x22, 0x25, 0x27, 0x28, 0x29,
                                       0x2b, 0x2c, 0x30, 0x31, 0x32, 0x34, 0x35, 0x36, 0x38,
                                       0x3c, 0x54, 0x56, 0x5c, 0x5e, 0xbc, 0xbc, 0xbc};
  constexpr std::uint32_t kAddresses[] = {0x0100'0000, 0x0100'0ff9, 0x1fff'ffe1, 0x3fff'fff0,
                                          0x4008'0000, 0x7fff'fff8, 0xbfff'fffc, 0xfffb'fff8,
                                          0xfffc'0003, 0xffff'fff1, 0x0000'0000};
  std::vector<std::uint8_t> ram(1U << 16U);
  zynq.dmac_paths().attach_logic(10'000, [&](std::uint64_t address, std::uint64_t count) {
    const std::uint64_t offset = address - 0x4008'0000;
    return offset < ram.size() && count <= ram.size() - offset ? &ram[offset] : nullptr;
  });
  std::mt19937 generator{11};
  const auto random = [&] { return static_cast<std::uint32_t>(generator()); };
  for (int round = 0; round < 300; ++round) {
    for (unsigned channel = 0; channel < 8; ++channel) {
      P program;
      const unsigned kind = random() % 4;
      while (program.code.size() < 120) {
        if (kind == 0) {
          program.raw({static_cast<std::uint8_t>(random())});
          continue;
        }
        const std::uint8_t opcode = kOpcodes[random() % std::size(kOpcodes)];
        if (opcode == 0xbc) {
          const unsigned target = random() % 3;
          const std::uint32_t address = kAddresses[random() % std::size(kAddresses)] + random() % 9;
          program.mov(static_cast<P::Register>(target),
                      target == P::ccr ? random() & 0x0fff'ffffU & ~0x0002'0008U : address);
        } else {
          program.raw({opcode});
          if (opcode >= 0x20)
            program.raw({static_cast<std::uint8_t>(random() % (kind == 1 ? 256 : 32))});
          if (opcode >= 0x54) program.raw({static_cast<std::uint8_t>(random())});
        }
      }
      put(kCode + 0x1000 * channel, program);
      start(channel, kCode + 0x1000 * channel + random() % 3, random() % 4 == 0);
    }
    for (int step = 0; step < 40; ++step) {
      advance(random() % 400'000);
      switch (random() % 6) {
        case 0: zynq.dmac().request(random() % 4, random() % 2 != 0, random() % 2 != 0); break;
        case 1: debug(random(), random()); break;
        case 2: write(random() % 0x400 * 4, random()); break;
        case 3: kill(random() % 8); break;
        default: (void)read(random() % 0x400 * 4); break;
      }
    }
    debug(0x01U << 16U, 0);
    for (unsigned channel = 0; channel < 8; ++channel) kill(channel);
    for (unsigned channel = 0; channel < 8; ++channel) until(channel, kStopped, 20'000'000);
    advance(2'000'000);
    ASSERT_TRUE(zynq.idle()) << round;
    write(0xe80, 0);
    write(kInten, 0xffff);
    write(kIntclr, 0xffff);
    ASSERT_EQ(zynq.dmac().lines(), 0U) << round;
    fill(kSource, 1024);
    std::memset(zynq.memory().host(kTarget, 1024), 0, 1024);
    run(round % 8, P::of_linux(kTarget, kSource, 1024, 0));
    until(round % 8, kStopped);
    ASSERT_EQ(fault(round % 8), 0U) << round;
    ASSERT_EQ(bytes(kTarget, 1024), bytes(kSource, 1024)) << round;
    write(kIntclr, 0xffff);
  }
}

// A program is fetched again after its end: Linux writes the next one to the same place.
TEST_F(Pl330Test, ProgramsOfOnePlace) {
  fill(kSource, 64);
  for (unsigned i = 0; i < 8; ++i) {
    run(0, P::of_linux(kTarget + 8 * i, kSource + 8 * i, 8, 0));
    until(0, kStopped);
  }
  EXPECT_EQ(bytes(kTarget, 64), bytes(kSource, 64));
}

TEST_F(Pl330Test, TheManagersFaults) {
  debug(0x18U << 16U, 0);
  EXPECT_EQ(read(kFsrd), 1U);
  EXPECT_EQ(read(kFtrd), kUndefined | kDebug);
  EXPECT_EQ(read(0) & 15U, kFaulting);
  EXPECT_EQ(zynq.dmac().lines(), 1U);
  put(kCode, P().end());
  start(0, kCode);
  EXPECT_EQ(state(0), kStopped);  // a manager that is faulting starts nothing
  EXPECT_EQ(pc(0), 0U);
  debug(0x01U << 16U, 0);
  EXPECT_EQ(read(kFsrd), 0U);
  EXPECT_EQ(zynq.dmac().lines(), 0U);
  debug(0x34U << 16U | 20U << 27U, 0);
  EXPECT_EQ(read(kFtrd), kOperand | kDebug);
  debug(0x01U << 16U, 0);
  start(0, kCode);
  until(0, kStopped);
  EXPECT_EQ(pc(0), kCode);
}

TEST_F(Pl330Test, AChannelThatRunsIsNotStartedAgain) {
  run(0, P().wfe(0).kill());
  until(0, kWaitsForEvent);
  start(0, kCode + 0x400);
  EXPECT_EQ(state(0), kWaitsForEvent);
  EXPECT_EQ(pc(0), kCode + 2);
  kill(0);
  until(0, kStopped);
}

}  // namespace
}  // namespace sluice::model
