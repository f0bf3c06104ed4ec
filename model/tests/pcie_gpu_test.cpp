// SPDX-License-Identifier: Apache-2.0
// PcieGpu beside a card: bytes, times against closed formulae, and what one device asks of another.
#include "sluice/model/pcie_gpu.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <random>
#include <vector>

#include "seed.hpp"

namespace sluice::model {
namespace {

// A card whose memory takes a store and answers a load when told to.
class MemoryCard final : public PcieCard, private PcieActor {
 public:
  explicit MemoryCard(const PcieParams& params)
      : memory(0, params.card_memory_bytes), link(params, *this), read_ps(params.card_read_ps) {}

  void read_data(std::uint32_t, std::uint32_t, std::span<const std::uint8_t> data,
                 Response status) override {
    received.insert(received.end(), data.begin(), data.end());
    if (status != Response::okay) ++failed;
    done_ps = link.now_ps();
  }
  void write_sent(std::uint32_t) override {}
  void store(unsigned bar, std::uint64_t offset, std::span<const std::uint8_t> data) override {
    EXPECT_EQ(bar, 1U);
    stores.push_back(data.size());
    std::memcpy(memory.host(offset, data.size()), data.data(), data.size());
    ++unanswered;
    later(Kind::stored);
  }
  void load(unsigned bar, std::uint64_t offset, std::uint32_t bytes) override {
    EXPECT_EQ(bar, 1U);
    loads.emplace_back(offset, bytes);
    most_loads = std::max(most_loads, loads.size());
    later(Kind::loaded);
  }

  Memory memory;
  PcieLink link;
  std::uint64_t read_ps;
  std::vector<std::uint8_t> received;
  unsigned failed = 0;
  unsigned unanswered = 0;
  std::uint64_t done_ps = 0;
  std::vector<std::size_t> stores;
  std::deque<std::pair<std::uint64_t, std::uint32_t>> loads;
  std::size_t most_loads = 0;
  bool deaf = false;  // stores are not answered

 private:
  enum class Kind : std::uint8_t { stored, loaded };
  void later(Kind kind) {
    link.root().time().at(link.now_ps() + read_ps, *this, static_cast<std::uint8_t>(kind));
  }
  void act(const PcieEvent& event) override {
    if (static_cast<Kind>(event.kind) == Kind::stored) {
      if (deaf) return;
      --unanswered;
      return link.stored();
    }
    const auto [offset, bytes] = loads.front();
    loads.pop_front();
    const bool good = memory.access(offset, bytes) == Response::okay;
    link.complete({good ? memory.host(offset, bytes) : nullptr, good ? bytes : 0U},
                  good ? Response::okay : Response::slverr);
  }
};

struct Bench {
  explicit Bench(const PcieParams& params) : card(params), gpu(params, card.link.root()) {}

  // Until the copy has ended; ns from its command.
  double copy_ns(const PcieGpu::Copy& copy) {
    const std::uint64_t begin_ps = card.link.now_ps();
    gpu.copy(copy);
    while (!gpu.has_ended() && card.link.next_ps() != UINT64_MAX)
      card.link.advance_to(card.link.next_ps());
    EXPECT_TRUE(gpu.has_ended());
    const PcieGpu::Ended ended = gpu.take_ended();
    status = ended.status;
    return static_cast<double>(ended.time_ps - begin_ps) / 1e3;
  }

  MemoryCard card;
  PcieGpu gpu;
  Response status = Response::okay;
};

PcieParams with_gpu() {
  PcieParams params = pcie_gen2x4();
  params.gpu = quadro_m2000();
  params.p2p_read_ps = 0;
  params.gpu.memory_bytes = std::uint64_t{64} << 20U;
  params.card_memory_bytes = std::uint64_t{64} << 20U;
  params.memory_bytes = std::uint64_t{64} << 20U;
  return params;
}

void fill(std::span<std::uint8_t> bytes, std::mt19937& random) {
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
}

// Host, card and GPU memory, each way, at any alignment and length; nothing beside it is touched.
TEST(PcieGpu, CopiesEveryByte) {
  const PcieParams params = with_gpu();
  Bench bench(params);
  std::mt19937 random(test_seed());
  Memory& host = bench.card.link.root().memory();
  Memory& gpu = bench.gpu.memory();
  const std::array<std::pair<Memory*, std::uint64_t>, 3> places = {
      {{&host, host.base()}, {&bench.card.memory, params.bar_base[1]}, {&gpu, gpu.base()}}};
  for (const auto& [source, source_base] : places) {
    for (const auto& [destination, destination_base] : places) {
      if (source != &gpu && destination != &gpu) continue;
      for (int round = 0; round < 40; ++round) {
        const std::uint64_t bytes = 1U + random() % (round % 4 == 0 ? 20000U : 300U);
        const std::uint64_t from = random() % 5000U;
        const std::uint64_t to = 100'000U + random() % 5000U;
        fill({source->host(source->base() + from, bytes), bytes}, random);
        std::uint8_t* there = destination->host(destination->base() + to - 1U, bytes + 2U);
        there[0] = 0x5a;
        there[bytes + 1U] = 0xa5;
        bench.copy_ns({source_base + from, destination_base + to, bytes});
        ASSERT_EQ(bench.status, Response::okay);
        ASSERT_TRUE(
            std::equal(there + 1, there + 1 + bytes, source->host(source->base() + from, bytes)))
            << bytes << " bytes from " << from << " to " << to;
        ASSERT_EQ(there[0], 0x5a);
        ASSERT_EQ(there[bytes + 1U], 0xa5);
      }
    }
  }
}

// The lesser of the engine's rate and the wire's, headers and DLLPs included.
TEST(PcieGpu, CopiesAtTheRateOfEngineOrLink) {
  for (const std::uint32_t rate : {0U, 3000U}) {
    PcieParams params = with_gpu();
    params.gpu.rate_mb_s = rate;
    params.coalescing = 0;
    Bench bench(params);
    const std::uint64_t bytes = std::uint64_t{8} << 20U;
    const std::uint64_t host = bench.card.link.root().memory().base();
    const double raw = bench.gpu.link().params().raw_mb_s();
    const double start_ns = static_cast<double>(params.gpu.start_ps) / 1e3;
    const auto mb_s = [&](const PcieGpu::Copy& copy) {
      return static_cast<double>(bytes) / (bench.copy_ns(copy) - start_ns) * 1e3;
    };
    // 128 bytes, 16 of header above 4 GiB, 8 of framing; completions of 64 bytes with 20.
    const double write = rate != 0 ? rate : raw * 128 / (128 + 24);
    const double read = rate != 0 ? rate : raw * 64 / (64 + 20);
    EXPECT_NEAR(mb_s({bench.gpu.memory().base(), host, bytes}) / write, 1.0, 0.01);
    EXPECT_NEAR(mb_s({host, bench.gpu.memory().base(), bytes}) / read, 1.0, 0.02);
  }
}

// Reads of the card's memory: so many at a time, each as long as the root complex takes.
TEST(PcieGpu, ReadsOfACardGoThroughTheWindow) {
  for (const std::uint32_t window : {1U, 3U}) {
    PcieParams params = with_gpu();
    params.p2p_window = window;
    params.p2p_read_ps = 2'000'000;  // more than any way to the card and back
    Bench bench(params);
    const std::uint64_t bytes = std::uint64_t{1} << 20U;
    const double ns = bench.copy_ns({params.bar_base[1], bench.gpu.memory().base(), bytes}) -
                      static_cast<double>(params.gpu.start_ps) / 1e3;
    const double bound = window * 256.0 / 2000.0 * 1e3;
    EXPECT_NEAR(static_cast<double>(bytes) / ns * 1e3 / bound, 1.0, 0.02) << window;
    EXPECT_EQ(bench.card.most_loads, window);
  }
}

// Without a time of its own, the root complex's window is out as long as the way takes.
TEST(PcieGpu, AReadOfACardTakesTheWayThereAndBack) {
  PcieParams params = with_gpu();
  Bench bench(params);
  const double ns = bench.copy_ns({params.bar_base[1], bench.gpu.memory().base(), 256}) -
                    static_cast<double>(params.gpu.start_ps) / 1e3;
  // Four hops and a fifth of the message, a request on each link, 256 bytes on each, the memory.
  const double card = params.raw_mb_s() / 1e3;
  const double gpu = bench.gpu.link().params().raw_mb_s() / 1e3;
  const double way = 5 * 150 + (24 + 276) / card + (24 + 2 * 148) / gpu + 100 + 24 / gpu + 200;
  EXPECT_NEAR(ns, way, 20);
}

TEST(PcieGpu, WritesToACardAreCut) {
  for (const std::uint32_t piece : {64U, 128U, 512U}) {
    PcieParams params = with_gpu();
    params.p2p_write_bytes = piece;
    Bench bench(params);
    bench.copy_ns({bench.gpu.memory().base(), params.bar_base[1], 4096});
    EXPECT_EQ(*std::ranges::max_element(bench.card.stores), std::min(piece, 128U));
    EXPECT_EQ(bench.card.stores.size(), 4096 / std::min(piece, 128U));
  }
}

// Credits of the card hold the GPU's writes back, as far as the GPU: nothing is piled up between.
TEST(PcieGpu, ACardThatTakesNothingHoldsTheGpu) {
  PcieParams params = with_gpu();
  Bench bench(params);
  bench.card.deaf = true;
  bench.gpu.copy({bench.gpu.memory().base(), params.bar_base[1], 1U << 20U});
  while (bench.card.link.next_ps() != UINT64_MAX)
    bench.card.link.advance_to(bench.card.link.next_ps());
  EXPECT_FALSE(bench.gpu.has_ended());
  EXPECT_EQ(bench.card.stores.size(), params.card_posted_headers);
  // What has left the GPU beyond that waits for the root complex's credits.
  EXPECT_LE(bench.gpu.link().statistics().written_bytes,
            64U * params.card_posted_headers + 128U * params.posted_headers);
}

// A card's request for its own memory goes nowhere, as a root complex sends nothing back.
TEST(PcieGpu, ACardDoesNotReachItself) {
  const PcieParams params = with_gpu();
  Bench bench(params);
  bench.card.link.read(0, params.bar_base[1], 64);
  bench.card.link.write(0, params.bar_base[1] + 4096, std::array<std::uint8_t, 4>{}, true);
  while (bench.card.link.next_ps() != UINT64_MAX)
    bench.card.link.advance_to(bench.card.link.next_ps());
  EXPECT_EQ(bench.card.failed, 1U);
  EXPECT_EQ(bench.card.link.statistics().lost_writes, 1U);
  EXPECT_TRUE(bench.card.stores.empty());
}

// At constant size, it is the footprint that slows the card's reads down.
TEST(PcieGpu, ReadsOfItsMemoryFollowTheFootprint) {
  const PcieParams params = with_gpu();
  Bench bench(params);
  const auto read_ns = [&](std::uint64_t footprint) {
    const std::uint64_t begin_ps = bench.card.link.now_ps();
    constexpr unsigned kReads = 8192;
    for (unsigned i = 0; i < kReads; ++i) {
      bench.card.link.read(0, params.gpu.memory_base + i * std::uint64_t{512} % footprint, 512);
      while (bench.card.link.queued_reads() != 0)
        bench.card.link.advance_to(bench.card.link.next_ps());
    }
    while (!bench.card.link.idle()) bench.card.link.advance_to(bench.card.link.next_ps());
    return static_cast<double>(bench.card.done_ps - begin_ps) / 1e3 / kReads;
  };
  read_ns(std::uint64_t{256} << 10U);  // warm
  EXPECT_NEAR(read_ns(std::uint64_t{256} << 10U), 512, 5);
  read_ns(std::uint64_t{2} << 20U);
  EXPECT_NEAR(read_ns(std::uint64_t{2} << 20U), 512 + 4 * 356, 20);
}

TEST(PcieGpu, SaysThatAReadFailed) {
  const PcieParams params = with_gpu();
  Bench bench(params);
  bench.card.link.root().memory().poison(params.memory_base + 1000, 1);
  bench.copy_ns({params.memory_base, params.gpu.memory_base, 4096});
  EXPECT_EQ(bench.status, Response::slverr);
  bench.card.memory.poison(1000, 1);
  bench.copy_ns({params.bar_base[1], params.gpu.memory_base, 4096});
  EXPECT_EQ(bench.status, Response::slverr);
  bench.copy_ns({params.bar_base[1] + 4096, params.gpu.memory_base, 4096});
  EXPECT_EQ(bench.status, Response::okay);
}

// The CPU's stores take their turn among the GPU's.
TEST(PcieGpu, LetsTheCpuStoreBesideItsWrites) {
  const PcieParams params = with_gpu();
  Bench bench(params);
  bench.gpu.copy({bench.gpu.memory().base(), params.bar_base[1], 4U << 20U});
  PcieLink& link = bench.card.link;
  link.advance_to(params.gpu.start_ps + 100'000'000);
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t begin_ps = link.now_ps();
    while (!link.can_store()) link.advance_to(link.next_ps());
    link.store(1, 0, std::array<std::uint8_t, 4>{});
    EXPECT_LE(link.now_ps() - begin_ps, 20'000'000) << i;  // the GPU's, of one round of credits
  }
  EXPECT_FALSE(bench.gpu.has_ended());
}

// One after the other, in their order, with the CPU and the card at work beside them.
class PcieGpuStart : public testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(AnyTime, PcieGpuStart, testing::Values(0U, 1000U, 8'000'000U));

TEST_P(PcieGpuStart, CopiesWaitForTheOneBefore) {
  PcieParams params = with_gpu();
  params.gpu.start_ps = GetParam();
  Bench bench(params);
  std::mt19937 random(test_seed());
  Memory& host = bench.card.link.root().memory();
  Memory& gpu = bench.gpu.memory();
  fill({host.host(host.base(), 8192), 8192}, random);
  bench.gpu.copy({host.base(), gpu.base(), 8192});
  bench.gpu.copy({gpu.base(), gpu.base() + 65536, 8192});
  bench.gpu.copy({gpu.base() + 65536, params.bar_base[1] + 77, 8192});
  bench.card.link.read(1, gpu.base() + 1024, 4096);
  bench.card.link.load(1, 5, 8);
  while (bench.card.link.next_ps() != UINT64_MAX)
    bench.card.link.advance_to(bench.card.link.next_ps());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(bench.gpu.has_ended());
    EXPECT_EQ(bench.gpu.take_ended().status, Response::okay);
  }
  EXPECT_TRUE(std::equal(host.host(host.base(), 8192), host.host(host.base() + 8191, 1) + 1,
                         bench.card.memory.host(77, 8192)));
  EXPECT_EQ(bench.card.received.size(), 4096U);
  EXPECT_EQ(bench.card.link.loaded().size(), 1U);
}

}  // namespace
}  // namespace sluice::model
