// SPDX-License-Identifier: Apache-2.0
// The joined memory system on transaction-level masters: conservation, rates, idle, agreement with
// pins.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "pin_master.hpp"
#include "sluice/model/ddr3_trace_checker.hpp"
#include "sluice/model/port_master.hpp"
#include "sluice/model/zynq7000.hpp"

namespace sluice::model {
namespace {

constexpr std::uint64_t kMiB = 1ULL << 20U;

struct Board {
  explicit Board(const Zynq7000Params& p = zynq7010()) : zynq(p), checker(p.timing) {
    zynq.observe_dram(&checker);
    for (unsigned i = 0; i < 4; ++i)
      masters.push_back(std::make_unique<HpMaster>(zynq.afi(i), MasterParams{}));
  }
  /// Runs until all masters are finished; returns the edges used.
  std::uint64_t run() {
    const std::uint64_t start = edge;
    while (std::any_of(masters.begin(), masters.end(), [](auto& m) { return !m->finished(); })) {
      zynq.advance_to(++edge * 10'000U);
      for (auto& m : masters) m->pl_edge();
      if (edge - start > 20'000'000U) throw std::runtime_error("hangs");
    }
    return edge - start;
  }
  Zynq7000 zynq;
  Ddr3TraceChecker checker;
  std::vector<std::unique_ptr<HpMaster>> masters;
  std::uint64_t edge = 0;
};

TEST(Zynq7000, LoopBackOfFourPortsMovesEveryByteOnce) {
  Board b;
  const std::uint64_t bytes = kMiB / 4U + 24U;  // no whole number of bursts
  for (unsigned port = 0; port < 4; ++port) {
    const std::uint64_t source = port * 2U * kMiB + port * 8U;
    for (std::uint64_t i = 0; i < bytes / 8U; ++i) {
      b.zynq.memory().store_word(source + i * 8U, (std::uint64_t{port} << 56U) + i * 7919U, 0xff);
    }
    b.masters[port]->start({source, bytes}, {source + kMiB, bytes});
  }
  b.run();
  for (unsigned port = 0; port < 4; ++port) {
    const std::uint64_t source = port * 2U * kMiB + port * 8U;
    EXPECT_EQ(std::memcmp(b.zynq.memory().host(source, bytes),
                          b.zynq.memory().host(source + kMiB, bytes), bytes),
              0);
    EXPECT_EQ(b.zynq.memory().load_word((source + kMiB + bytes) & ~7ULL), 0U);
    EXPECT_FALSE(b.masters[port]->error());
  }
  const Statistics s = b.zynq.statistics();
  for (unsigned port = 0; port < 4; ++port) {
    EXPECT_EQ(s.hp_read_bytes[port], bytes);
    EXPECT_EQ(s.hp_write_bytes[port], bytes);
  }
  // The DRAM sees each 32-byte block once per burst that touches it.
  EXPECT_GE(s.reads * 32U, 4U * bytes);
  EXPECT_LE(s.reads * 32U, 4U * bytes + 4U * 64U + 4U * bytes / 4U);
  b.zynq.advance_to(b.zynq.now_ps() + 1'000'000U);  // writes are answered before the DRAM has them
  EXPECT_TRUE(b.zynq.idle());
  EXPECT_TRUE(b.checker.violations().empty()) << b.checker.violations().front();
}

TEST(Zynq7000, WriteOnlyStoresTheCounter) {
  Board b;
  b.masters[2]->start({}, {4096, 8192}, 1000);
  b.run();
  for (std::uint32_t i = 0; i < 2048; ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, b.zynq.memory().host(4096 + i * 4U, 4), 4);
    ASSERT_EQ(word, 1000U + i);
  }
}

/// A loop-back whose writes the memory takes too slowly: how far its reads are ahead.
std::uint64_t bytes_ahead(const MasterParams& engine) {
  Zynq7000Params params = zynq7010();
  params.ddrc.write_request_ticks = 100;  // 114 MB/s
  Zynq7000 zynq(params);
  HpMaster master(zynq.afi(0), engine);
  master.start({kMiB, kMiB}, {2U * kMiB, kMiB});
  for (std::uint64_t edge = 1; edge <= 30'000U; ++edge) {
    zynq.advance_to(edge * 10'000U);
    master.pl_edge();
  }
  const Statistics s = zynq.statistics();
  return s.hp_read_bytes[0] - s.hp_write_bytes[0];
}

// As sl_s2mm: 30 bursts wait for data or response, whatever the buffers and the port would hold.
TEST(Engine, UnansweredWritesHoldTheStream) {
  const MasterParams engine;
  const std::uint64_t most = 8U * (512U + 512U + 30U * 16U + 3U);  // three beats come late
  EXPECT_LE(bytes_ahead(engine), most);
  EXPECT_GT(bytes_ahead(engine), most - 8U * 128U);  // the memory has data of the issued ones
  MasterParams unheld = engine;
  unheld.max_write_bursts = 1000;
  EXPECT_GT(bytes_ahead(unheld), most + 1024U);
}

/// MB/s of one job on the ports, all started at the same edge.
double rate(const std::vector<unsigned>& ports, bool read, bool write, std::uint64_t bytes) {
  Board b;
  std::uint64_t address = kMiB;
  const auto place = [&] { return (address += bytes) - bytes; };
  for (const unsigned port : ports) {
    PortTransfer r;
    PortTransfer w;
    if (read) r = {place(), bytes};
    if (write) w = {place(), bytes};
    b.masters[port]->start(r, w);
  }
  const double edges = static_cast<double>(b.run());
  EXPECT_TRUE(b.checker.violations().empty()) << b.checker.violations().front();
  const double total =
      static_cast<double>(bytes * ports.size()) * ((read ? 1 : 0) + (write ? 1 : 0));
  return total / (edges * 0.01);
}

TEST(Rates, OneSidedUpToThreePortsIsThePortsOwnRate) {
  for (const std::vector<unsigned>& ports : {std::vector<unsigned>{0}, {0, 1}, {0, 2}, {0, 1, 2}}) {
    const double theory = 800.0 * static_cast<double>(ports.size());
    EXPECT_NEAR(rate(ports, true, false, kMiB), theory, theory * 0.005);
    EXPECT_NEAR(rate(ports, false, true, kMiB), theory, theory * 0.005);
  }
}

TEST(Rates, SharingAControllerPortHoldsDuplexBack) {
  EXPECT_GT(rate({0, 2}, true, true, 2 * kMiB), 0.97 * 3200.0);
  EXPECT_LT(rate({0, 1}, true, true, 2 * kMiB), 0.85 * 3200.0);
}

/// Vieira 2020, table 4: four ports that read at 150 MHz, started 210 cycles apart, reach 3155 MB/s
/// of the 4264 that the memory has: they stay where they hold each other back.
TEST(Rates, OverloadCosts) {
  constexpr std::uint64_t kBytes = 2 * kMiB;
  constexpr std::uint64_t kStartEdges = 210;
  double mean = 0;
  const std::vector<std::uint64_t> skews = {0, 7, 13, 22};  // edges, of every second port
  for (const std::uint64_t skew : skews) {
    Board b;
    const Clock clock(150.0);
    std::uint64_t edge = 0;
    const auto busy = [](const auto& m) { return !m->finished(); };
    do {
      b.zynq.advance_to(clock.time_ps(edge));
      for (unsigned port = 0; port < 4; ++port) {
        if (edge == port * kStartEdges + port % 2U * skew)
          b.masters[port]->start_read({kMiB + port * kBytes, kBytes});
        b.masters[port]->pl_edge();
      }
      ++edge;
    } while (edge < 4 * kStartEdges || std::any_of(b.masters.begin(), b.masters.end(), busy));
    const double us = static_cast<double>(clock.time_ps(edge)) / 1e6;
    mean += 4.0 * static_cast<double>(kBytes) / us / static_cast<double>(skews.size());
  }
  EXPECT_NEAR(mean, 3155.0, 0.08 * 3155.0);
}

TEST(Zynq7000, IdleTimeIsSkippedAndStillRefreshed) {
  Board b;
  b.zynq.advance_to(1'000'000'000'000U);  // one second
  const Statistics s = b.zynq.statistics();
  EXPECT_NEAR(static_cast<double>(s.refreshes), 533e6 / 4160.0, 2.0);
  EXPECT_GT(static_cast<double>(s.idle_cycles), 0.9 * static_cast<double>(s.cycles));
  EXPECT_TRUE(b.checker.violations().empty());
}

TEST(Zynq7000, SameInputSameResult) {
  EXPECT_EQ(rate({0, 1, 2, 3}, true, true, kMiB / 4U), rate({0, 1, 2, 3}, true, true, kMiB / 4U));
}

TEST(Zynq7000, TimeDoesNotGoBack) {
  Zynq7000 zynq(zynq7010());
  zynq.advance_to(100);
  EXPECT_THROW(zynq.advance_to(99), std::invalid_argument);
  EXPECT_THROW((void)zynq.hp(4), std::out_of_range);
}

TEST(Zynq7000, RefusesBadParameters) {
  Zynq7000Params p = zynq7010();
  p.ddr_mhz = 0;
  EXPECT_THROW(Zynq7000{p}, std::invalid_argument);
  p = zynq7010();
  p.afi.read_fifo_words = 8;
  EXPECT_THROW(Zynq7000{p}, std::invalid_argument);
  p = zynq7010();
  EXPECT_DOUBLE_EQ(p.peak_mb_s(), 4264.0);
}

TEST(Zynq7000, ErrorsReachTheMaster) {
  Board b;
  b.zynq.memory().poison(4096, 1);
  b.masters[0]->start({4096, 4096}, {});
  b.masters[1]->start({}, {1ULL << 30U, 4096});
  b.run();
  EXPECT_TRUE(b.masters[0]->error());
  EXPECT_TRUE(b.masters[1]->error());
}

/// The same bursts through pins and through transactions. Ports start 2.1 us apart, as engines do:
/// in exact lockstep one cycle of difference decides which of two conflicting rows goes first.
TEST(Zynq7000, PinsAndTransactionsAgree) {
  constexpr std::uint64_t kBytes = kMiB / 4U;
  constexpr std::uint64_t kApart = 210;
  for (const std::vector<unsigned>& ports : {std::vector<unsigned>{0}, {0, 1}, {0, 1, 2, 3}}) {
    for (const bool write : {false, true}) {
      Board fast;
      Board slow;
      std::vector<std::unique_ptr<PinMaster>> pins;
      for (const unsigned port : ports) {
        const std::uint64_t base = (port + 1U) * kMiB;
        pins.push_back(std::make_unique<PinMaster>(slow.zynq.hp(port), 1));
        pins.back()->data_after_address = true;
        for (std::uint64_t at = 0; at < kBytes; at += 128) {
          PinMaster::Burst burst{static_cast<std::uint32_t>(base + at)};
          burst.data.assign(16, at);
          burst.strobe.assign(16, 0xff);
          if (write)
            pins.back()->write(burst);
          else
            pins.back()->read(burst);
        }
      }
      std::uint64_t fast_edges = 0;
      for (bool busy = true; busy;) {
        fast.zynq.advance_to(++fast_edges * 10'000U);
        busy = fast_edges < kApart * ports.size();
        for (std::size_t i = 0; i < ports.size(); ++i) {
          HpMaster& master = *fast.masters[ports[i]];
          const PortTransfer job{(ports[i] + 1U) * kMiB, kBytes};
          if (fast_edges == 1U + i * kApart) {
            master.start(write ? PortTransfer{} : job, write ? job : PortTransfer{});
          }
          master.pl_edge();
          busy = busy || !master.finished();
        }
      }
      std::uint64_t slow_edges = 0;
      for (bool busy = true; busy;) {
        slow.zynq.advance_to(++slow_edges * 10'000U);
        busy = slow_edges < kApart * ports.size();
        for (std::size_t i = 0; i < ports.size(); ++i) {
          if (slow_edges > i * kApart) pins[i]->step();
          busy = busy || !pins[i]->done();
        }
      }
      EXPECT_NEAR(static_cast<double>(slow_edges) / static_cast<double>(fast_edges), 1.0, 0.01)
          << ports.size() << " ports, " << (write ? "writes" : "reads");
      EXPECT_TRUE(slow.checker.violations().empty()) << slow.checker.violations().front();
    }
  }
}

}  // namespace
}  // namespace sluice::model
