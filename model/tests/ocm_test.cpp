// SPDX-License-Identifier: Apache-2.0
// The on-chip memory: every byte and the order of all answers, what lies beside it, and the rates
// that UG585 29.2 and table 22-4 give.
#include "sluice/model/ocm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "pin_master.hpp"
#include "sluice/model/port_master.hpp"
#include "sluice/model/zynq7000.hpp"

namespace sluice::model {
namespace {

constexpr std::uint32_t kOcm = 0xfffc'0000;
constexpr std::uint32_t kOcmBytes = 256U << 10U;
constexpr std::uint32_t kDdr = 0x20'0000;
constexpr double kCpu2xMbS = 8 * 1e6 / 4500;  // a word a cycle of 4.5 ns: 1,778 MB/s
constexpr std::uint64_t kEdgePs = 10'000;     // of the logic, 100 MHz

struct Edges {
  explicit Edges(Zynq7000& board) : zynq(board) {}
  /// Until done() or for too long; the edges that it took.
  std::uint64_t until(const std::function<bool()>& done, const std::function<void()>& edge) {
    const std::uint64_t first = now;
    while (!done()) {
      if (now - first > 2'000'000) throw std::runtime_error("it never ends");
      zynq.advance_to(++now * period_ps);
      edge();
    }
    return now - first;
  }
  Zynq7000& zynq;
  std::uint64_t now = 0;
  std::uint64_t period_ps = kEdgePs;
};

// Bursts of any size at random places of both memories, all channels stalling: a reference in bytes
// says what each read has to bring; responses come in the order of their addresses.
TEST(Ocm, BytesAndOrderAreKeptBesideDdr) {
  for (const unsigned port : {0U, 3U}) {
    Zynq7000 zynq(zynq7010());
    PinMaster master(zynq.hp(port), port);
    master.ar_stall = master.r_stall = master.aw_stall = master.w_stall = master.b_stall = 20;
    Edges edges(zynq);
    const auto finish = [&] { edges.until([&] { return master.done(); }, [&] { master.step(); }); };
    std::mt19937_64 random(port);
    constexpr std::uint32_t kSpan = 8192;
    std::array<std::vector<std::uint8_t>, 2> expected{std::vector<std::uint8_t>(kSpan),
                                                      std::vector<std::uint8_t>(kSpan)};
    const auto pick = [&](unsigned memory) {
      PinMaster::Burst burst;
      burst.beats = 1 + static_cast<std::uint32_t>(random() % 16);
      const std::uint32_t words = 4096 / 8 - burst.beats;
      burst.address = (memory == 0 ? kDdr : kOcm + kOcmBytes - kSpan) +
                      static_cast<std::uint32_t>(random() % 2) * 4096 +
                      static_cast<std::uint32_t>(random() % (words + 1)) * 8;
      burst.id = static_cast<std::uint8_t>(random() % 64);
      return burst;
    };
    for (unsigned round = 0; round < 20; ++round) {
      std::vector<std::uint8_t> ids;
      const std::size_t answered = master.responses.size();
      for (unsigned n = 0; n < 20; ++n) {
        const auto memory = static_cast<unsigned>(random() % 2);
        PinMaster::Burst burst = pick(memory);
        for (std::uint32_t beat = 0; beat < burst.beats; ++beat) {
          burst.data.push_back(random());
          burst.strobe.push_back(static_cast<std::uint8_t>(random()));
          for (unsigned lane = 0; lane < 8; ++lane) {
            if ((burst.strobe.back() >> lane & 1) == 0) continue;
            expected[memory][(burst.address + beat * 8 + lane) % kSpan] =
                static_cast<std::uint8_t>(burst.data.back() >> (8 * lane));
          }
        }
        ids.push_back(burst.id);
        master.write(burst);
      }
      finish();
      ASSERT_EQ(master.responses.size(), answered + ids.size());
      for (std::size_t n = 0; n < ids.size(); ++n) {
        ASSERT_EQ(master.responses[answered + n], 0);
        ASSERT_EQ(master.response_ids[answered + n], ids[n]);
      }
      const std::size_t finished = master.finished.size();
      std::vector<unsigned> from;
      for (unsigned n = 0; n < 20; ++n) {
        from.push_back(static_cast<unsigned>(random() % 2));
        master.read(pick(from.back()));
      }
      finish();
      for (std::size_t n = 0; n < from.size(); ++n) {
        const PinMaster::Read& read = master.finished.at(finished + n);
        ASSERT_EQ(read.response, 0);
        for (std::uint32_t beat = 0; beat < read.burst.beats; ++beat) {
          std::uint64_t word = 0;
          std::memcpy(&word, &expected[from[n]][(read.burst.address + beat * 8) % kSpan], 8);
          ASSERT_EQ(read.data[beat], word) << read.burst.address << ' ' << beat;
        }
      }
    }
    EXPECT_EQ(std::memcmp(zynq.on_chip_memory().host(kOcm + kOcmBytes - kSpan, kSpan),
                          expected[1].data(), kSpan),
              0);
    edges.until([&] { return zynq.idle(); }, [&] { master.step(); });
  }
}

TEST(Ocm, NothingIsBelowItAndPoisonFails) {
  Zynq7000 zynq(zynq7010());
  PinMaster master(zynq.hp(1), 1);
  Edges edges(zynq);
  zynq.on_chip_memory().poison(kOcm + 128, 1);
  for (const std::uint32_t at :
       {kOcm - 128U, kOcm, kOcm + 128U, kOcm + kOcmBytes - 128U, 0xfffb'0000U, 0x2000'0000U, kDdr})
    master.read({.address = at});
  edges.until([&] { return master.done(); }, [&] { master.step(); });
  std::vector<unsigned> found;
  for (const auto& read : master.finished) found.push_back(read.response);
  EXPECT_EQ(found, (std::vector<unsigned>{3, 0, 2, 0, 3, 3, 0}));
}

// Masters on the HP ports, `mask`, with the part of memory at `base`.
struct Masters {
  explicit Masters(double clock_mhz = 100.0, Zynq7000Params params = zynq7010())
      : zynq(std::make_unique<Zynq7000>(params)), clock(clock_mhz) {
    for (unsigned port = 0; port < Zynq7000::kHpPorts; ++port)
      masters.push_back(std::make_unique<HpMaster>(zynq->afi(port), MasterParams{}));
  }
  void start(unsigned port, std::uint64_t read, std::uint64_t write, std::uint64_t bytes) {
    if (read != 0) masters[port]->start_read({read, bytes});
    if (write != 0) masters[port]->start_write({write, bytes});
  }
  /// ns until all are finished.
  double run() {
    const std::uint64_t first = edge;
    const auto finished = [](const auto& master) { return master->finished(); };
    while (!std::ranges::all_of(masters, finished)) {
      zynq->advance_to(clock.time_ps(++edge));
      for (auto& master : masters) master->pl_edge();
    }
    return static_cast<double>(clock.time_ps(edge) - clock.time_ps(first)) / 1e3;
  }
  std::unique_ptr<Zynq7000> zynq;
  Clock clock;
  std::vector<std::unique_ptr<HpMaster>> masters;
  std::uint64_t edge = 0;
};

constexpr std::uint64_t kPart = 32U << 10U;  // of a port and direction

TEST(Ocm, OnePortHasItsRateBothWays) {
  Masters b;
  b.start(0, kOcm, kOcm + kPart, kPart);
  EXPECT_NEAR(2 * kPart / b.run() * 1e3, 1600.0, 20.0);
  EXPECT_EQ(b.zynq->statistics().reads, 0U);
  EXPECT_EQ(b.zynq->statistics().writes, 0U);
}

// Table 22-4: the OCM interconnect carries a word of 64 bits a cycle of CPU_2x each way; both ways
// at once need whole operations of the RAM (29.2.2).
TEST(Ocm, TheInterconnectBoundsAllPortsTogether) {
  for (const unsigned ways : {1U, 2U, 3U}) {
    Masters b(150.0);
    for (unsigned port = 0; port < 4; ++port)
      b.start(port, (ways & 1) != 0 ? kOcm + port * kPart : 0,
              (ways & 2) != 0 ? kOcm + (4 + port) * kPart : 0, kPart);
    const double bytes = static_cast<double>(4 * kPart) * (ways == 3 ? 2 : 1);
    EXPECT_NEAR(bytes / b.run() * 1e3, kCpu2xMbS * (ways == 3 ? 2 : 1),
                kCpu2xMbS * (ways == 3 ? 2 : 1) * 0.03)
        << ways;
  }
}

// Reads by two ports and writes by two, each burst of 16 words; MB/s of all.
double both_ways(std::uint32_t offset) {
  Zynq7000 zynq(zynq7010());
  constexpr std::uint64_t kPeriodPs = 4000;  // the ports are not what bounds it
  constexpr unsigned kBursts = 600;          // a port
  struct Port {
    AfiPort* afi;
    bool reads;
    unsigned commands = 0, words = 0, ended = 0;
  };
  std::vector<Port> ports;
  for (unsigned n = 0; n < 4; ++n) ports.push_back({&zynq.afi(n), n % 2 == 0});
  std::uint64_t edge = 0;
  while (std::ranges::any_of(ports, [](const Port& port) { return port.ended < kBursts; })) {
    zynq.advance_to(++edge * kPeriodPs);
    for (Port& port : ports) {
      AfiPort& afi = *port.afi;
      afi.pl_edge();
      const AfiBurst burst{kOcm + offset + port.commands % 64 * 256, 16, 8};
      if (port.reads) {
        if (port.commands < kBursts && afi.pl_read_room()) afi.pl_read(burst), ++port.commands;
        if (afi.pl_read_word_available()) port.ended += afi.pl_take_read_word().last ? 1 : 0;
      } else {
        if (port.commands < kBursts && afi.pl_write_room()) afi.pl_write(burst), ++port.commands;
        if (port.words < 16 * kBursts && afi.pl_write_word_room())
          afi.pl_put_write_word(port.words++, 0xff);
        if (afi.pl_response_available()) (void)afi.pl_take_response(), ++port.ended;
      }
    }
  }
  return 4.0 * kBursts * 128 * 1e6 / static_cast<double>(edge * kPeriodPs);
}

// 29.2.2: the RAM of 128 bits has one port. A burst of 16 words takes it 8 operations where it
// begins at 128 aligned bits, else 9.
TEST(Ocm, BurstsAlignedToTheRamMoveAtOnce) {
  EXPECT_NEAR(both_ways(0), 2 * kCpu2xMbS, 2 * kCpu2xMbS * 0.02);
  EXPECT_NEAR(both_ways(8), 2 * kCpu2xMbS * 16 / 18, 2 * kCpu2xMbS * 0.02);
}

// A read alone, edge by edge: what the latency grows by, the read does.
TEST(Ocm, ALoneReadTakesTheLatency) {
  const auto edges_of = [](std::uint32_t latency_ps, std::uint32_t address) {
    Zynq7000Params params = zynq7010();
    params.ocm.latency_ps = latency_ps;
    Zynq7000 zynq(params);
    PinMaster master(zynq.hp(2), 1);
    Edges edges(zynq);
    master.read({.address = address, .beats = 1});
    return edges.until([&] { return master.done(); }, [&] { master.step(); });
  };
  const std::uint64_t least = edges_of(0, kOcm);
  for (const std::uint64_t more : {5U, 20U, 100U}) {
    const std::uint64_t took = edges_of(static_cast<std::uint32_t>(more * kEdgePs), kOcm);
    EXPECT_NEAR(static_cast<double>(took - least), static_cast<double>(more), 1.0);
    EXPECT_EQ(edges_of(static_cast<std::uint32_t>(more * kEdgePs), kDdr), edges_of(0, kDdr));
  }
  EXPECT_LT(edges_of(OcmParams{}.latency_ps, kOcm), edges_of(0, kDdr)) << "DRAM is further away";
}

// Neither refresh nor what others do to the DRAM is seen.
TEST(Ocm, IsApartFromTheDram) {
  const auto took = [](bool busy) {
    Masters b;
    b.start(2, kOcm, kOcm + kPart, kPart);
    if (busy)
      for (const unsigned port : {0U, 1U})
        b.start(port, kDdr * (1 + port), kDdr * (5 + port), kPart);
    while (!b.masters[2]->finished()) {
      b.zynq->advance_to(b.clock.time_ps(++b.edge));
      for (auto& master : b.masters) master->pl_edge();
    }
    return b.edge;
  };
  EXPECT_EQ(took(true), took(false));
}

// An access to the other memory waits for all before it of its direction; so eight in turn cost a
// way each, and without a change they overlap.
TEST(Ocm, AChangeOfMemoryWaits) {
  const auto edges_of = [](bool in_turn, bool write) {
    Zynq7000 zynq(zynq7010());
    PinMaster master(zynq.hp(0), 1);
    Edges edges(zynq);
    for (std::uint32_t n = 0; n < 8; ++n) {
      const PinMaster::Burst burst{.address = (in_turn && n % 2 == 1 ? kOcm : kDdr) + n * 8,
                                   .beats = 1,
                                   .data = {n},
                                   .strobe = {0xff}};
      if (write)
        master.write(burst);
      else
        master.read(burst);
    }
    return edges.until([&] { return master.done(); }, [&] { master.step(); });
  };
  for (const bool write : {false, true})
    EXPECT_GT(edges_of(true, write), 2 * edges_of(false, write)) << write;
}

// The ACP past the L2 cache, the GP ports by the central interconnect.
TEST(Ocm, TheAcpAndTheGpPortsReachIt) {
  Zynq7000 zynq(zynq7010());
  std::mt19937_64 random(7);
  const std::span source(zynq.on_chip_memory().host(kOcm, kPart), kPart);
  std::ranges::generate(source, [&] { return static_cast<std::uint8_t>(random()); });
  HpMaster acp(zynq.acp(), MasterParams{});
  HpMaster gp(zynq.gp(1), MasterParams{.port_bits = 32});
  Edges edges(zynq);
  acp.start({kOcm, kPart}, {kOcm + kPart, kPart});
  const auto acp_edges = edges.until([&] { return acp.finished(); }, [&] { acp.pl_edge(); });
  EXPECT_NEAR(static_cast<double>(kPart) * 1e6 / static_cast<double>(acp_edges * kEdgePs), 800.0,
              30.0);
  EXPECT_EQ(zynq.l2().counts().lines_read + zynq.l2().counts().lines_written, 0U);
  gp.start({kOcm + kPart, kPart}, {kDdr, kPart});
  edges.until([&] { return gp.finished(); }, [&] { gp.pl_edge(); });
  EXPECT_EQ(std::memcmp(source.data(), zynq.on_chip_memory().host(kOcm + kPart, kPart), kPart), 0);
  EXPECT_EQ(std::memcmp(source.data(), zynq.memory().host(kDdr, kPart), kPart), 0);
  EXPECT_FALSE(acp.error() || gp.error());
}

TEST(Ocm, RefusesParametersOutOfRange) {
  Zynq7000Params params = zynq7010();
  params.ocm.acceptance = 0;
  EXPECT_THROW(Zynq7000{params}, std::invalid_argument);
}

}  // namespace
}  // namespace sluice::model
