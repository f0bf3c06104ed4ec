// SPDX-License-Identifier: Apache-2.0
// The pins of an HP port: protocol, data, order, errors, width conversion.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <string>

#include "pin_master.hpp"
#include "seed.hpp"
#include "sluice/model/zynq7000.hpp"

namespace sluice::model {
namespace {

class Pins : public ::testing::Test {
 protected:
  Pins() : master(zynq.hp(0), test_seed()) {
    RecordProperty("reproduce", "SEED=" + std::to_string(test_seed()));
  }
  void step(unsigned count = 1) {
    while (count-- != 0) {
      zynq.advance_to(++edge * 10'000U);
      master.step();
    }
  }
  void run(unsigned limit = 20'000) {
    while (!master.done() && limit-- != 0) step();
    ASSERT_TRUE(master.done()) << "did not finish";
    step(20);
    EXPECT_TRUE(zynq.idle());
  }
  static PinMaster::Burst write_of(std::uint32_t address, std::uint32_t beats, std::uint8_t size,
                                   std::uint64_t first) {
    PinMaster::Burst b{address, beats, size};
    for (std::uint32_t i = 0; i < beats; ++i) {
      b.data.push_back(first + i);
      b.strobe.push_back(size == 3 ? 0xff : 0x0f);
    }
    return b;
  }

  Zynq7000 zynq{zynq7010()};
  PinMaster master;
  std::uint64_t edge = 0;
};

TEST_F(Pins, WriteThenReadBack) {
  master.write(write_of(0x1000, 16, 3, 100));
  run();
  EXPECT_EQ(zynq.memory().load_word(0x1000), 100U);
  EXPECT_EQ(zynq.memory().load_word(0x1078), 115U);
  EXPECT_EQ(zynq.memory().load_word(0x1080), 0U);
  master.read({0x1000, 16});
  run();
  ASSERT_EQ(master.finished.size(), 1U);
  for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(master.finished[0].data[i], 100U + i);
  EXPECT_EQ(master.responses, std::vector<std::uint8_t>{0});
}

TEST_F(Pins, OneBeatACycleEachWayOnceRunning) {
  for (std::uint32_t i = 0; i < 256; ++i) {
    master.read({0x100000 + i * 128U, 16});
    master.write(write_of(0x205000 + i * 128U, 16, 3, i));
  }
  const std::uint64_t before = master.edges;
  run();
  const auto cycles = static_cast<double>(master.edges - before) - 20.0;
  EXPECT_EQ(master.r_beats, 4096U);
  EXPECT_EQ(master.w_beats, 4096U);
  EXPECT_LT(cycles, 4096.0 * 1.02);
}

TEST_F(Pins, WreadyFallsWhenTheFifoIsFullAndNothingIsLost) {
  // Data without addresses: the port takes what it can hold of it and then stalls.
  master.aw_stall = 100;
  for (std::uint32_t i = 0; i < 4; ++i) master.write(write_of(0x1000 + i * 128U, 16, 3, i * 16U));
  step(200);
  EXPECT_FALSE(master.out.wready);
  EXPECT_GT(master.w_stalled, 100U);
  master.aw_stall = 0;
  run();
  for (std::uint32_t i = 0; i < 64; ++i) {
    EXPECT_EQ(zynq.memory().load_word(0x1000 + i * 8U), i);
  }
}

TEST_F(Pins, RreadyLowHoldsTheBeatAndLosesNothing) {
  for (std::uint32_t i = 0; i < 512; ++i) zynq.memory().store_word(0x4000 + i * 8U, i, 0xff);
  for (std::uint32_t i = 0; i < 32; ++i) master.read({0x4000 + i * 128U, 16});
  master.r_stall = 100;
  step(300);
  EXPECT_TRUE(master.out.rvalid);
  const HpOutputs held = master.out;
  step(50);
  EXPECT_EQ(master.out.rdata, held.rdata);
  EXPECT_TRUE(master.out.rvalid);
  EXPECT_FALSE(master.out.arready);  // queues are full
  master.r_stall = 0;
  run();
  std::uint64_t expected = 0;
  for (const auto& read : master.finished) {
    for (const std::uint64_t word : read.data) EXPECT_EQ(word, expected++);
  }
  EXPECT_EQ(expected, 512U);
}

TEST_F(Pins, ResponseWaitsForBready) {
  master.b_stall = 100;
  master.write(write_of(0x1000, 1, 3, 7));
  step(200);
  EXPECT_TRUE(master.out.bvalid);
  EXPECT_TRUE(master.responses.empty());
  master.b_stall = 0;
  run();
  EXPECT_EQ(master.responses.size(), 1U);
}

TEST_F(Pins, RandomTrafficKeepsDataAndOrder) {
  for (const unsigned width : {64U, 32U}) {
    zynq.hp(0).set_width(width);
    std::mt19937_64 random(test_seed() + width);
    PinMaster m(zynq.hp(0), test_seed());
    m.ar_stall = 30;
    m.aw_stall = 40;
    m.w_stall = 20;
    m.r_stall = 35;
    m.b_stall = 25;
    constexpr std::uint32_t kBase = 0x10000;
    constexpr std::uint32_t kSpan = 0x8000;
    std::vector<std::uint8_t> shadow(kSpan);
    zynq.memory().clear();
    const auto loop = [&] {
      for (unsigned limit = 0; !m.done() && limit < 100'000; ++limit) {
        zynq.advance_to(++edge * 10'000U);
        m.step();
      }
      ASSERT_TRUE(m.done());
    };
    // Writes of every size, alignment and strobe.
    for (int i = 0; i < 300; ++i) {
      PinMaster::Burst b;
      b.size = static_cast<std::uint8_t>(random() % (width == 64 ? 4U : 3U));
      const std::uint32_t bytes = 1U << *b.size;
      b.id = static_cast<std::uint8_t>(random() % 64U);
      b.cache = random() % 4U == 0 ? 1 : 3;
      b.address = kBase + static_cast<std::uint32_t>(random() % kSpan);
      if (random() % 2U == 0) b.address &= ~7U;
      const std::uint32_t aligned = b.address & ~(bytes - 1U);
      const std::uint32_t room = (4096U - aligned % 4096U) / bytes;
      b.beats = 1U + static_cast<std::uint32_t>(random() % std::min(16U, room));
      for (std::uint32_t beat = 0; beat < b.beats; ++beat) {
        const std::uint32_t start = beat == 0 ? b.address : aligned + beat * bytes;
        const std::uint32_t end = aligned + (beat + 1U) * bytes;
        const std::uint64_t data = width == 64 ? random() : random() & 0xffffffffU;
        std::uint8_t strobe = 0;
        for (std::uint32_t a = start; a < end; ++a) {
          if (random() % 5U == 0) continue;
          const std::uint32_t lane = a % (width / 8U);
          strobe = static_cast<std::uint8_t>(strobe | 1U << lane);
          shadow[a - kBase] = static_cast<std::uint8_t>(data >> (8U * lane));
        }
        b.data.push_back(data);
        b.strobe.push_back(strobe);
      }
      m.write(b);
    }
    loop();
    EXPECT_EQ(std::memcmp(zynq.memory().host(kBase, kSpan), shadow.data(), kSpan), 0);
    // Reads over the same bytes, mixed with writes elsewhere.
    for (int i = 0; i < 300; ++i) {
      PinMaster::Burst b;
      b.size = static_cast<std::uint8_t>(random() % (width == 64 ? 4U : 3U));
      const std::uint32_t bytes = 1U << *b.size;
      b.id = static_cast<std::uint8_t>(random() % 64U);
      b.address = kBase + static_cast<std::uint32_t>(random() % kSpan);
      const std::uint32_t room = (4096U - (b.address & ~(bytes - 1U)) % 4096U) / bytes;
      b.beats = 1U + static_cast<std::uint32_t>(random() % std::min(16U, room));
      m.read(b);
      m.write(write_of(0x40000 + static_cast<std::uint32_t>(i) * 128U, 16, width == 64 ? 3 : 2, 1));
    }
    loop();
    for (const auto& read : m.finished) {
      const std::uint32_t bytes = 1U << *read.burst.size;
      const std::uint32_t aligned = read.burst.address & ~(bytes - 1U);
      for (std::uint32_t beat = 0; beat < read.burst.beats; ++beat) {
        const std::uint32_t start = beat == 0 ? read.burst.address : aligned + beat * bytes;
        for (std::uint32_t a = start; a < aligned + (beat + 1U) * bytes; ++a) {
          const std::uint32_t lane = a % (width / 8U);
          ASSERT_EQ(static_cast<std::uint8_t>(read.data[beat] >> (8U * lane)), shadow[a - kBase])
              << "width " << width << " address " << a << " SEED=" << test_seed();
        }
      }
    }
    EXPECT_EQ(m.finished.size(), 300U);
    EXPECT_EQ(m.responses.size(), 600U);
  }
}

TEST_F(Pins, UpsizingHalvesThePsBeatsAndExpansionDoesNot) {
  zynq.hp(0).set_width(32);
  const auto fifo_bytes = [&] { return zynq.afi(0).read_bytes(); };
  master.read({0x1000, 16, 2, 0, 3});
  run();
  EXPECT_EQ(fifo_bytes(), 64U);
  EXPECT_EQ(zynq.statistics().reads, 2U);  // 64 bytes = two DRAM bursts
}

TEST_F(Pins, OutsideAnswersDecerrPoisonedAnswersSlverr) {
  zynq.memory().poison(0x2040, 1);
  master.write(write_of(0x2000, 16, 3, 5));
  master.write(write_of(0x20000000, 16, 3, 5));  // behind 512 MiB
  master.write(write_of(0x3000, 16, 3, 5));
  run();
  EXPECT_EQ(master.responses, (std::vector<std::uint8_t>{2, 3, 0}));
  EXPECT_EQ(zynq.memory().load_word(0x2000), 0U);
  master.read({0x2000, 16});
  master.read({0x20000000, 4});
  master.read({0x3000, 16});
  run();
  ASSERT_EQ(master.finished.size(), 3U);
  EXPECT_EQ(master.finished[0].response, 2);
  EXPECT_EQ(master.finished[1].response, 3);
  EXPECT_EQ(master.finished[2].response, 0);
  EXPECT_EQ(master.finished[2].data[15], 20U);
}

TEST_F(Pins, ResetInFlightLeavesAUsablePort) {
  for (std::uint32_t i = 0; i < 8; ++i) {
    master.read({i * 128U, 16});
    master.write(write_of(0x8000 + i * 128U, 16, 3, 1));
  }
  step(37);
  zynq.hp(0).reset();
  PinMaster fresh(zynq.hp(0), 1);
  fresh.write(write_of(0x20000, 16, 3, 77));
  fresh.read({0x8000, 1});
  for (int i = 0; i < 2000 && !fresh.done(); ++i) {
    zynq.advance_to(++edge * 10'000U);
    fresh.step();
  }
  ASSERT_TRUE(fresh.done());
  EXPECT_EQ(fresh.finished.size(), 1U);
  EXPECT_EQ(zynq.memory().load_word(0x20000), 77U);
  for (int i = 0; i < 300; ++i) {
    zynq.advance_to(++edge * 10'000U);
    fresh.step();
  }
  EXPECT_TRUE(zynq.idle());
}

// ---- Faults of the master --------------------------------------------------------------------

class Faults : public ::testing::Test {
 protected:
  void edge() {
    zynq.advance_to(++count * 10'000U);
    zynq.hp(1).edge(in, out);
  }
  void expect_fault(const std::string& part) {
    try {
      for (int i = 0; i < 4; ++i) edge();
      FAIL() << "no fault: " << part;
    } catch (const AxiProtocolError& e) {
      const std::string text = e.what();
      EXPECT_NE(text.find("HP1"), std::string::npos) << text;
      EXPECT_NE(text.find(part), std::string::npos) << text;
    }
  }
  Zynq7000 zynq{zynq7010()};
  HpInputs in{};
  HpOutputs out{};
  std::uint64_t count = 0;
};

TEST_F(Faults, FourKiB) {
  in.arvalid = true;
  in.araddr = 0xfc0;
  in.arlen = 8;
  expect_fault("4 KiB");
}
TEST_F(Faults, FourKiBExactEndIsLegal) {
  in.arvalid = true;
  in.araddr = 0xfc0;
  in.arlen = 7;
  edge();
  edge();
  in.arvalid = false;
  EXPECT_NO_THROW(edge());
}
TEST_F(Faults, BurstType) {
  in.awvalid = true;
  in.awburst = 2;
  expect_fault("AWBURST");
}
TEST_F(Faults, SizeWiderThanPort) {
  zynq.hp(1).set_width(32);
  in.arvalid = true;
  in.arsize = 3;
  expect_fault("ARSIZE");
}
TEST_F(Faults, Lock) {
  in.arvalid = true;
  in.arlock = 1;
  expect_fault("LOCK");
}
TEST_F(Faults, WlastEarly) {
  in.awvalid = in.wvalid = true;
  in.awlen = 3;
  in.wstrb = 0xff;
  in.wlast = true;
  expect_fault("WLAST");
}
TEST_F(Faults, WlastMissing) {
  in.awvalid = in.wvalid = true;
  in.awlen = 0;
  in.wstrb = 0xff;
  in.wlast = false;
  expect_fault("WLAST");
}
TEST_F(Faults, WidOutOfOrder) {
  in.awvalid = in.wvalid = true;
  in.awid = 3;
  in.wid = 4;
  in.wlast = true;
  expect_fault("WID");
}
TEST_F(Faults, StrobeOutsideNarrowBeat) {
  in.awvalid = in.wvalid = true;
  in.awaddr = 4;
  in.awsize = 2;
  in.wstrb = 0x0f;  // must be lanes 4..7
  in.wlast = true;
  expect_fault("WSTRB");
}
TEST_F(Faults, StrobeBelowUnalignedStart) {
  in.awvalid = in.wvalid = true;
  in.awaddr = 3;
  in.wstrb = 0xff;
  in.wlast = true;
  expect_fault("WSTRB");
}
TEST_F(Faults, ValidDroppedAndPayloadChanged) {
  // Before the first edge READY is low, so the first offer is not taken.
  in.arvalid = true;
  edge();
  in.arvalid = false;
  expect_fault("ARVALID");
  Zynq7000 other{zynq7010()};
  HpInputs i2{};
  HpOutputs o2{};
  i2.wvalid = true;
  other.advance_to(10'000);
  other.hp(0).edge(i2, o2);
  i2.wdata = 1;
  other.advance_to(20'000);
  EXPECT_THROW(other.hp(0).edge(i2, o2), AxiProtocolError);
}

TEST_F(Faults, WidthChangeInFlightIsRefused) {
  in.arvalid = true;
  edge();
  edge();
  EXPECT_THROW(zynq.hp(1).set_width(32), std::logic_error);
  EXPECT_THROW(zynq.hp(0).set_width(48), std::invalid_argument);
}

}  // namespace
}  // namespace sluice::model
