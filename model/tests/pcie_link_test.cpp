// SPDX-License-Identifier: Apache-2.0
// PcieLink against closed formulae of the link, and against memory that is written beside it.
#include "sluice/model/pcie_link.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "seed.hpp"

namespace sluice::model {
namespace {

// A card that keeps reads and writes queued, and checks what comes.
class BusyCard final : public PcieCard {
 public:
  explicit BusyCard(const PcieParams& params) : link(params, *this) {}

  void read_data(std::uint32_t token, std::uint32_t, std::span<const std::uint8_t> data,
                 Response status) override {
    received.resize(std::max<std::size_t>(received.size(), token + 1U));
    auto& bytes = received[token];
    bytes.insert(bytes.end(), data.begin(), data.end());
    read_bytes += data.size();
    last_data_ps = link.now_ps();
    if (status != Response::okay) ++failed;
    --reads_out;
  }
  void write_sent(std::uint32_t) override { ++sent; }
  void store(unsigned bar, std::uint64_t offset, std::span<const std::uint8_t> data) override {
    stores.push_back({bar, offset, data.size()});
  }
  void load(unsigned bar, std::uint64_t offset, std::uint32_t bytes) override {
    loads.push_back({bar, offset, bytes});
  }

  struct Access {
    unsigned bar;
    std::uint64_t offset;
    std::size_t bytes;
  };
  PcieLink link;
  std::vector<std::vector<std::uint8_t>> received;
  std::uint64_t read_bytes = 0;
  std::uint64_t last_data_ps = 0;
  std::uint64_t sent = 0;
  unsigned failed = 0;
  int reads_out = 0;
  std::vector<Access> stores, loads;
};

constexpr std::uint64_t kStepPs = 4000;

// MB/s of a time in which the link never ran dry, after it had filled.
double rate(BusyCard& card, bool reads, bool writes,
            std::uint64_t PcieLink::Statistics::* counted) {
  const PcieParams& params = card.link.params();
  const std::vector<std::uint8_t> payload(params.max_payload, 0x5a);
  std::uint64_t now = 0, to = 0, from = 0;
  std::uint64_t begin_bytes = 0;
  constexpr std::uint64_t kFillPs = 5'000'000, kMeasurePs = 50'000'000;
  for (; now < kFillPs + kMeasurePs; now += kStepPs) {
    card.link.advance_to(now);
    if (now == kFillPs) begin_bytes = card.link.statistics().*counted;
    while (writes && card.link.can_write()) {
      card.link.write(0, params.memory_base + to, payload, true);
      to = (to + params.max_payload) % (1U << 20U);
    }
    while (reads && card.link.queued_reads() < 4) {
      card.link.read(0, params.memory_base + from, params.max_read_request);
      from = (from + params.max_read_request) % (1U << 20U);
    }
  }
  card.link.advance_to(now);
  return static_cast<double>(card.link.statistics().*counted - begin_bytes) * 1e6 /
         static_cast<double>(kMeasurePs + kStepPs);
}

// The bytes of a packet of P bytes beside its payload: 8, and a header of 3 or 4 dwords.
double write_bound(const PcieParams& p) {
  const double header = p.memory_base >> 32U ? 24.0 : 20.0;
  return p.raw_mb_s() * p.max_payload / (p.max_payload + header);
}

// Completions that so many cache lines are sent in, on average, up to four lines each.
double completions(std::uint32_t coalescing, unsigned lines) {
  const double p = coalescing / 1000.0;
  const double chance[] = {0, 1 - p, p * (1 - p), p * p * (1 - p), p * p * p};
  std::vector<double> mean(lines + 1, 0.0);
  for (unsigned n = 1; n <= lines; ++n) {
    mean[n] = 1;
    for (unsigned k = 1; k <= 4; ++k) mean[n] += k < n ? chance[k] * mean[n - k] : 0.0;
  }
  return mean[lines];
}

TEST(PcieLink, RawRateIsThatOfTheLanes) {
  EXPECT_NEAR(pcie_gen2x4().raw_mb_s(), 2000.0 * (1 - 4.0 / 1538), 0.01);
  EXPECT_NEAR(pcie_gen3x8().raw_mb_s(), 8000.0 * 128 / 130 * (1 - 4.0 / 1538), 0.01);
  EXPECT_NEAR(pcie_gen4x8().raw_mb_s(), 16000.0 * 128 / 130 * (1 - 4.0 / 1538), 0.01);
}

TEST(PcieLink, WritesFillTheLink) {
  for (PcieParams params : {pcie_gen2x4(), pcie_gen3x8(), pcie_gen4x8()}) {
    for (const std::uint32_t payload : {128U, 256U, 512U}) {
      for (const std::uint64_t base : {std::uint64_t{1} << 30, std::uint64_t{1} << 32}) {
        params.max_payload = payload;
        params.memory_base = base;
        params.posted_headers = 256;
        params.posted_data = 4096;
        BusyCard card(params);
        const double bound = write_bound(params);
        EXPECT_NEAR(rate(card, false, true, &PcieLink::Statistics::written_bytes) / bound, 1.0,
                    0.004)
            << params.name << " " << payload;
      }
    }
  }
}

TEST(PcieLink, ReadsFillTheLink) {
  for (PcieParams params : {pcie_gen2x4(), pcie_gen3x8(), pcie_gen4x8()}) {
    for (const std::uint32_t coalescing : {0U, 500U, 1000U}) {
      params.coalescing = coalescing;
      params.tags = 256;
      params.nonposted_headers = 1024;
      params.credit_interval_ps = 10'000'000;  // so few DLLPs of credits that they do not count
      BusyCard card(params);
      // A completion has 20 bytes beside its data; two requests have an Ack.
      const double acks = static_cast<double>(PcieWire::kDllpBytes) / params.ack_packets;
      const double bound = params.raw_mb_s() * 512 / (512 + 20 * completions(coalescing, 8) + acks);
      // A few hundred requests: their completions' mean is not exact.
      EXPECT_NEAR(rate(card, true, false, &PcieLink::Statistics::read_bytes) / bound, 1.0, 0.01)
          << params.name << " " << coalescing;
    }
  }
}

TEST(PcieLink, TagsBoundReads) {
  PcieParams params = pcie_gen3x8();
  params.tags = 4;
  BusyCard card(params);
  // The round trip: request, hop, root complex, hop, and the completions of one request.
  const double byte_ps = 1e6 / params.raw_mb_s();
  const double round_ps = 24 * byte_ps + 2.0 * static_cast<double>(params.hop_ps) +
                          static_cast<double>(params.root_read_ps) + (512 + 40) * byte_ps;
  const double bound = 4 * 512 / round_ps * 1e6;
  EXPECT_NEAR(rate(card, true, false, &PcieLink::Statistics::read_bytes) / bound, 1.0, 0.02);
  const auto statistics = card.link.statistics();
  EXPECT_GT(statistics.tags_ps, 45'000'000U);
  EXPECT_EQ(statistics.credits_ps, 0U);
}

TEST(PcieLink, CreditsBoundWrites) {
  PcieParams params = pcie_gen3x8();
  params.posted_headers = 4;
  BusyCard card(params);
  const double measured = rate(card, false, true, &PcieLink::Statistics::written_bytes);
  // Four packets a loop of credits: hop, commit, UpdateFC, hop.
  const double loop_ps = static_cast<double>(2 * params.hop_ps + params.root_write_ps) +
                         280e6 / params.raw_mb_s() + 8e6 / params.raw_mb_s();
  EXPECT_LT(measured, 1.01 * 4 * 256 / loop_ps * 1e6);
  EXPECT_GT(measured, 0.6 * 4 * 256 / loop_ps * 1e6);  // credits of one DLLP may be few
  EXPECT_GT(card.link.statistics().credits_ps, 40'000'000U);
}

TEST(PcieLink, DirectionsShareOnlyWhatTheyMust) {
  const PcieParams params = pcie_gen3x8();
  BusyCard card(params);
  const double written = rate(card, true, true, &PcieLink::Statistics::written_bytes);
  // Up, a request of 24 bytes for each 512 read goes beside the writes, and Acks.
  EXPECT_GT(written, 0.90 * write_bound(params));
  EXPECT_LT(written, 0.98 * write_bound(params));
}

TEST(PcieLink, MovesWhatIsThere) {
  PcieParams params = pcie_gen3x8();
  params.coalescing = 300;
  params.memory_bytes = 1U << 20U;
  BusyCard card(params);
  std::mt19937 random(static_cast<std::uint32_t>(test_seed()));
  std::vector<std::uint8_t> expected(params.memory_bytes);
  for (auto& byte : expected) byte = static_cast<std::uint8_t>(random());
  std::ranges::copy(expected, card.link.root().memory().host(params.memory_base, 1U << 20U));
  struct Asked {
    std::uint64_t offset;
    std::uint32_t bytes;
  };
  std::vector<Asked> asked;
  std::uint64_t now = 0;
  for (std::uint32_t token = 0; token < 300; ++token, now += 20'000) {
    card.link.advance_to(now);
    const std::uint32_t bytes = 1U + random() % 4096U;
    const std::uint64_t offset = (random() % 128U) * 4096U + random() % (4096U - bytes + 1U);
    asked.push_back({offset, bytes});
    card.link.read(token, params.memory_base + offset, bytes);
    // Writes to the other half, by packets.
    std::vector<std::uint8_t> data(1U + random() % params.max_payload);
    for (auto& byte : data) byte = static_cast<std::uint8_t>(random());
    const std::uint64_t to = (1U << 19U) + (random() % 128U) * 4096U;
    std::ranges::copy(data, expected.begin() + static_cast<std::ptrdiff_t>(to));
    card.link.write(0, params.memory_base + to, data, true);
  }
  card.link.advance_to(now + 100'000'000);
  ASSERT_TRUE(card.link.idle());
  ASSERT_EQ(card.received.size(), asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto first = expected.begin() + static_cast<std::ptrdiff_t>(asked[i].offset);
    EXPECT_TRUE(std::equal(card.received[i].begin(), card.received[i].end(), first,
                           first + asked[i].bytes));
  }
  EXPECT_EQ(card.sent, 300U);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(),
                         card.link.root().memory().host(params.memory_base, 1U << 20U)));
}

TEST(PcieLink, AReadComesBehindTheWritesBeforeIt) {
  PcieParams params = pcie_gen3x8();
  params.iotlb_entries = 2;  // the write misses, the read does not
  BusyCard card(params);
  card.link.read(0, params.memory_base, 4);
  card.link.advance_to(10'000'000);
  card.link.write(0, params.memory_base + 8192, std::array<std::uint8_t, 4>{1, 2, 3, 4}, true);
  card.link.write(0, params.memory_base + 64, std::array<std::uint8_t, 4>{5, 6, 7, 8}, true);
  card.link.read(1, params.memory_base + 64, 4);
  card.link.advance_to(20'000'000);
  EXPECT_EQ(card.received[1], (std::vector<std::uint8_t>{5, 6, 7, 8}));
  EXPECT_EQ(card.link.statistics().iotlb_misses, 2U);
}

// A link whose packets are kept, in the order in which they went.
struct OrderedLink final : TlpObserver {
  explicit OrderedLink(const PcieParams& params) : card(params), base(params.memory_base) {
    card.link.observe(this);
  }
  void packet(std::uint64_t, const Tlp& tlp) override { kinds.push_back(tlp.kind); }
  void write(std::uint64_t offset) { card.link.write(0, base + offset, kWord, true); }
  void store() { card.link.store(0, 0, kWord); }
  void write_host(std::uint8_t value) { *card.link.root().memory().host(base, 1) = value; }

  static constexpr std::array<std::uint8_t, 4> kWord{};
  static constexpr auto kWrite = Tlp::Kind::memory_write;
  static constexpr auto kRead = Tlp::Kind::memory_read;
  static constexpr auto kCompletion = Tlp::Kind::completion;
  BusyCard card;
  std::uint64_t base;
  std::vector<Tlp::Kind> kinds;
};

TEST(PcieLink, AReadDoesNotPassTheWritesThatWait) {
  PcieParams params = pcie_gen3x8();
  params.posted_headers = 1;
  OrderedLink link(params);
  link.write(0);
  link.write(64);  // waits for a credit
  link.card.link.read(0, link.base + 64, 4);
  link.card.link.advance_to(300'000);
  EXPECT_EQ(link.kinds, (std::vector{link.kWrite}));
  link.card.link.advance_to(10'000'000);
  EXPECT_EQ(link.kinds, (std::vector{link.kWrite, link.kWrite, link.kRead, link.kCompletion}));
}

TEST(PcieLink, AWritePassesTheReadsThatWait) {
  PcieParams params = pcie_gen3x8();
  params.tags = 1;
  OrderedLink link(params);
  link.card.link.read(0, link.base, 4);
  link.card.link.read(1, link.base, 4);  // waits for a tag
  link.write(0);
  link.card.link.advance_to(300'000);
  EXPECT_EQ(link.kinds, (std::vector{link.kRead, link.kWrite}));
}

TEST(PcieLink, ACompletionDoesNotPassTheStoresThatWait) {
  PcieParams params = pcie_gen3x8();
  params.card_posted_headers = 1;
  OrderedLink link(params);
  link.store();
  link.store();  // waits for a credit
  link.card.link.read(0, link.base, 4);
  link.card.link.advance_to(10'000'000);
  EXPECT_EQ(link.kinds, (std::vector{link.kWrite, link.kRead}));
  link.card.link.stored();
  link.card.link.advance_to(20'000'000);
  EXPECT_EQ(link.kinds, (std::vector{link.kWrite, link.kRead, link.kWrite, link.kCompletion}));
  EXPECT_EQ(link.card.read_bytes, 4U);
}

// Brings the link to the picosecond before the root complex has the bytes of a read of the first
// word, where a store takes the wire. Returns when it has them.
std::uint64_t answered_behind_a_store(OrderedLink& link) {
  OrderedLink alone(link.card.link.params());
  alone.card.link.read(0, alone.base, 4);
  std::uint64_t sent = 0;
  while (alone.kinds.size() < 2) alone.card.link.advance_to(++sent);
  link.card.link.read(0, link.base, 4);
  link.card.link.advance_to(sent - 1);
  link.store();
  return sent;
}

TEST(PcieLink, ACompletionHasTheBytesOfItsTime) {
  OrderedLink link(pcie_gen3x8());
  link.write_host(1);
  const std::uint64_t answered = answered_behind_a_store(link);
  link.card.link.advance_to(answered);
  link.store();
  link.write_host(2);  // behind the second store
  link.card.link.advance_to(10'000'000);
  EXPECT_EQ(link.kinds, (std::vector{link.kRead, link.kWrite, link.kCompletion, link.kWrite}));
  EXPECT_EQ(link.card.received[0], (std::vector<std::uint8_t>{1, 0, 0, 0}));
}

TEST(PcieLink, ACompletionDoesNotPassAStoreBehindALoad) {
  OrderedLink link(pcie_gen3x8());
  const std::uint64_t answered = answered_behind_a_store(link);
  link.card.link.load(0, 0, 4);
  link.store();
  link.card.link.advance_to(answered + 10'000'000);
  EXPECT_EQ(link.kinds,
            (std::vector{link.kRead, link.kWrite, link.kRead, link.kWrite, link.kCompletion}));
}

TEST(PcieLink, AMessageComesBehindTheDataThatItTellsOf) {
  BusyCard card(pcie_gen3x8());
  const std::uint64_t base = card.link.params().memory_base;
  const std::vector<std::uint8_t> data(256, 0xaa);
  for (unsigned i = 0; i < 8; ++i) card.link.write(i, base + 256 * i, data, true);
  card.link.write(8, PcieRoot::kInterruptFirst, std::array<std::uint8_t, 4>{17, 0, 0, 0}, true);
  std::uint64_t now = 0;
  while (card.link.interrupts().empty()) card.link.advance_to(now += 100);
  EXPECT_EQ(card.link.interrupts().front().data, 17U);
  const std::uint8_t* bytes = card.link.root().memory().host(base, 2048);
  EXPECT_TRUE(std::all_of(bytes, bytes + 2048, [](std::uint8_t byte) { return byte == 0xaa; }));
}

TEST(PcieLink, SaysWhatIsNotThere) {
  BusyCard card(pcie_gen3x8());
  const std::uint64_t base = card.link.params().memory_base;
  card.link.read(0, 0x1000, 64);
  card.link.root().memory().poison(base + 4096, 8);
  card.link.read(1, base + 4096, 64);
  card.link.write(0, 0x2000, std::array<std::uint8_t, 1>{1}, true);
  card.link.advance_to(10'000'000);
  EXPECT_EQ(card.failed, 2U);
  EXPECT_EQ(card.link.statistics().lost_writes, 1U);
  EXPECT_TRUE(card.link.idle());
}

TEST(PcieLink, TheCpuReachesTheCard) {
  PcieParams params = pcie_gen3x8();
  params.card_posted_headers = 2;
  BusyCard card(params);
  card.link.store(1, 0x40, std::array<std::uint8_t, 4>{1, 2, 3, 4});
  card.link.store(1, 0x44, std::array<std::uint8_t, 4>{1, 2, 3, 4});
  EXPECT_FALSE(card.link.can_store());
  card.link.load(0, 0x10, 4);
  card.link.advance_to(1'000'000);
  ASSERT_EQ(card.stores.size(), 2U);
  ASSERT_EQ(card.loads.size(), 1U);
  card.link.stored();
  card.link.stored();
  card.link.complete(std::array<std::uint8_t, 4>{9, 8, 7, 6}, Response::okay);
  card.link.advance_to(2'000'000);
  EXPECT_TRUE(card.link.can_store());
  ASSERT_EQ(card.link.loaded().size(), 1U);
  EXPECT_EQ(card.link.loaded().front().data, (std::vector<std::uint8_t>{9, 8, 7, 6}));
}

TEST(PcieLink, ALoadIsAnsweredBehindTheWritesBeforeIt) {
  BusyCard card(pcie_gen3x8());
  const std::uint64_t base = card.link.params().memory_base;
  card.link.load(0, 0, 4);
  std::uint64_t now = 0;
  while (card.loads.empty()) card.link.advance_to(now += 1000);
  card.link.write(0, base, std::array<std::uint8_t, 1>{7}, true);
  card.link.complete(std::array<std::uint8_t, 4>{}, Response::okay);
  while (card.link.loaded().empty()) card.link.advance_to(now += 1000);
  EXPECT_EQ(*card.link.root().memory().host(base, 1), 7);
}

TEST(PcieLink, LoadsTakeNoCreditOfStores) {
  PcieParams params = pcie_gen3x8();
  params.card_posted_headers = 1;
  BusyCard card(params);
  std::uint64_t now = 0;
  for (unsigned i = 0; i < 10; ++i) {
    card.link.load(0, 0, 4);
    card.link.advance_to(now += 1'000'000);
    card.link.complete(std::array<std::uint8_t, 4>{}, Response::okay);
    card.link.advance_to(now += 1'000'000);
  }
  ASSERT_EQ(card.link.loaded().size(), 10U);
  for (unsigned i = 0; i < 3; ++i) card.link.store(0, 0, std::array<std::uint8_t, 4>{});
  card.link.advance_to(now += 1'000'000);
  EXPECT_EQ(card.stores.size(), 1U);
}

TEST(PcieLink, RefusesWhatIsOutOfRange) {
  PcieParams params = pcie_gen3x8();
  params.max_payload = 200;
  EXPECT_THROW(check(params), std::invalid_argument);
  params = pcie_gen3x8();
  params.lanes = 32;
  EXPECT_THROW(check(params), std::invalid_argument);
  params = pcie_gen3x8();
  params.root_write_ps = params.root_read_ps + 1;
  EXPECT_THROW(check(params), std::invalid_argument);
}

TEST(Peer, AnswersAWindowOfReadsAtATime) {
  PcieParams params = pcie_gen3x8();
  BusyCard card(params);
  const std::uint64_t base = std::uint64_t{1} << 40 >> 1;
  card.link.root().add_peer(
      {.base = base, .bytes = 1U << 20U, .window = 3, .service_ps = 1'000'000});
  for (std::uint32_t i = 0; i < 30; ++i) card.link.read(i, base + 512 * i, 512);
  card.link.advance_to(100'000'000);
  // 30 reads, 3 at a time, 1 us each; then the way back.
  EXPECT_NEAR(static_cast<double>(card.last_data_ps), 10e6 + 2e5 + 2e5, 3e5);
  EXPECT_THROW(card.link.root().add_peer({.base = base, .bytes = 4096}), std::invalid_argument);
}

TEST(Peer, AnswersInOrder) {
  PciePeer peer({.base = 0,
                 .bytes = 1U << 20U,
                 .window = 4,
                 .service_ps = 1000,
                 .near_bytes = 4096,
                 .far_ps = 5000});
  peer.read(0, 4096, 128);
  const std::uint64_t far = peer.read(100'000, 8192, 128);
  EXPECT_GE(peer.read(100'000, 4096, 128), far);
}

TEST(Peer, IsSlowerFarFromWhatWasUsed) {
  PciePeer peer({.base = 0,
                 .bytes = 1U << 20U,
                 .window = 1,
                 .service_ps = 1000,
                 .near_bytes = 4096,
                 .far_ps = 500});
  EXPECT_EQ(peer.read(0, 0, 128), 1500U);
  EXPECT_EQ(peer.read(2000, 0, 128), 3000U);
  for (std::uint64_t line = 1; line <= 32; ++line) peer.read(0, 128 * line, 128);
  EXPECT_EQ(peer.read(1'000'000, 0, 128), 1'001'500U);
}

}  // namespace
}  // namespace sluice::model
