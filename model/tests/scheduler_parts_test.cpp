// SPDX-License-Identifier: Apache-2.0
// The scheduler's parts alone: CAM, transaction store, arbiter, address map.
#include <gtest/gtest.h>

#include <vector>

#include "sluice/model/cam.hpp"
#include "sluice/model/ddri_arbiter.hpp"
#include "sluice/model/transaction_store.hpp"

namespace sluice::model {
namespace {

TEST(RequestCam, OldestIsByEntryNotBySlot) {
  RequestCam cam(4);
  for (std::uint8_t i = 0; i < 4; ++i) cam.insert({i, 0, 0, 0, i}, false);
  EXPECT_TRUE(cam.full());
  cam.remove(cam.oldest(cam.valid()));  // frees slot 0
  cam.insert({9, 1, 0, 0, 9}, true);    // youngest, in slot 0
  EXPECT_EQ(cam.request(cam.oldest(cam.valid())).index, 1);
  EXPECT_EQ(cam.request(cam.oldest(cam.hits())).index, 9);
  EXPECT_EQ(cam.size(), 4U);
}

TEST(RequestCam, HitsFollowTheRows) {
  RequestCam cam(8);
  cam.insert({7, 2, 0, 0, 0}, false);
  cam.insert({8, 2, 0, 0, 1}, false);
  cam.insert({7, 3, 0, 0, 2}, false);
  cam.row_opened(2, 7);
  EXPECT_EQ(cam.request(cam.oldest(cam.hits())).index, 0);
  cam.row_closed(2);
  EXPECT_EQ(cam.hits(), 0U);
}

TEST(TransactionStore, CriticalAfterWholePeriodsOnly) {
  TransactionStore store({2, 8, 1});
  store.became_pending(33);  // the periods 64..96 and 96..128 are whole
  EXPECT_FALSE(store.critical(127));
  EXPECT_EQ(store.next_change(), 128U);
  EXPECT_TRUE(store.critical(128));
}

TEST(TransactionStore, ServiceRestartsTheCount) {
  TransactionStore store({2, 8, 1});
  store.became_pending(0);
  store.served(63, true);
  EXPECT_FALSE(store.critical(127));
  EXPECT_TRUE(store.critical(128));
}

TEST(TransactionStore, RunLengthThenHardNonCritical) {
  TransactionStore store({1, 3, 2});
  store.became_pending(0);
  EXPECT_TRUE(store.critical(32));
  store.served(33, true);
  store.served(34, true);
  EXPECT_TRUE(store.critical(35));
  store.served(36, true);  // third: run is over
  EXPECT_FALSE(store.critical(36));
  EXPECT_FALSE(store.critical(127));  // starved since 36, but guaranteed non-critical to 128
  EXPECT_TRUE(store.critical(128));
}

TEST(TransactionStore, EmptyStoreNeverStarves) {
  TransactionStore store({1, 3, 1});
  store.became_pending(0);
  store.served(1, false);
  EXPECT_FALSE(store.critical(100000));
  EXPECT_EQ(store.next_change(), TransactionStore::kNever);
}

TEST(AddressMap, BankBitsAreAboveThePage) {
  const AddressMap map;
  EXPECT_EQ(map.bank(0x0fff), 0U);
  EXPECT_EQ(map.bank(0x1000), 1U);
  EXPECT_EQ(map.bank(0x7000), 7U);
  EXPECT_EQ(map.bank(0x8000), 0U);
  EXPECT_EQ(map.row(0x7fff), 0U);
  EXPECT_EQ(map.row(0x8000), 1U);
}

class Arbiter : public ::testing::Test {
 protected:
  Arbiter() {
    params.command_latency_cycles = 0;
    for (std::uint32_t i = 0; i < 4; ++i) {
      ports.push_back(std::make_unique<DdriPort>(params, i, requests));
      list[i] = ports[i].get();
    }
  }
  void offer_read(std::uint32_t port, std::uint64_t address) {
    list[port]->read({address, 4, 8}, {}, 0);
  }
  void offer_write(std::uint32_t port, std::uint64_t address) {
    list[port]->write({address, 4, 8}, {}, 0);
    for (int i = 0; i < 4; ++i) list[port]->put_write_word();
  }
  DdrcParams params;
  DdriRequests requests;
  std::vector<std::unique_ptr<DdriPort>> ports;
  std::array<DdriPort*, 4> list{};
};

/// Two masters behind one port: the data of the second read is there first and has to wait.
TEST_F(Arbiter, APortReturnsReadsInTheOrderOfTheirAcceptance) {
  DdriPort& port = *list[2];
  port.read({0x1000, 4, 8}, {.source = 1}, 0);
  port.read({0x2000, 4, 8}, {.source = 0}, 0);
  bool failed = false;
  const DramRequest first = port.grant_read(failed);
  const DramRequest second = port.grant_read(failed);
  port.read_returned(second.burst, second.index);
  EXPECT_FALSE(port.read_word_ready());
  port.read_returned(first.burst, first.index);
  std::vector<std::uint32_t> sources;
  while (port.read_word_ready()) sources.push_back(port.take_read_word());
  EXPECT_EQ(sources, (std::vector<std::uint32_t>{1, 1, 1, 1, 0, 0, 0, 0}));
}

TEST_F(Arbiter, RoundRobinBetweenEqualPorts) {
  DdriArbiter arbiter(params, requests);
  for (std::uint32_t port = 0; port < 4; ++port) offer_read(port, 0);
  bool failed = false;
  std::vector<std::uint32_t> order;
  for (int i = 0; i < 4; ++i) {
    const auto grant = arbiter.arbitrate(list, 0, true, true);
    ASSERT_TRUE(grant.any);
    order.push_back(grant.port);
    (void)list[grant.port]->grant_read(failed);
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 2, 3, 0}));
  EXPECT_FALSE(arbiter.arbitrate(list, 0, true, true).any);
}

TEST_F(Arbiter, StaysWithTheTypeUntilCreditEnds) {
  DdriArbiter arbiter(params, requests);
  offer_read(0, 0);
  offer_read(1, 0);
  offer_write(2, 0);
  bool failed = false;
  auto grant = arbiter.arbitrate(list, 0, true, true);
  EXPECT_FALSE(grant.write);
  (void)list[grant.port]->grant_read(failed);
  grant = arbiter.arbitrate(list, 0, false, true);  // no read credit
  EXPECT_TRUE(grant.write);
  (void)list[grant.port]->grant_write(0, failed);
  offer_write(3, 0);
  EXPECT_TRUE(arbiter.arbitrate(list, 0, true, true).write);  // stays with writes
}

TEST_F(Arbiter, ExpiredAgingWinsOverTheSameType) {
  params.port.priority = params.cpu_priority = 64;  // expires soon
  DdriArbiter arbiter(params, requests);
  offer_read(0, 0);
  offer_write(2, 0);
  // Reads are the type of the last grant; without read credit and later with it, the write ages.
  for (int i = 0; i < 70; ++i) (void)arbiter.arbitrate(list, 0, false, false);
  const auto grant = arbiter.arbitrate(list, 0, true, true);
  EXPECT_FALSE(grant.write);  // both expired: the same type first
}

TEST_F(Arbiter, PageMatchWhenTheMaskIsSet) {
  params.page_mask = ~std::uint64_t{0xfff};
  DdriArbiter arbiter(params, requests);
  bool failed = false;
  offer_read(2, 0x5000);
  (void)list[arbiter.arbitrate(list, 0, true, true).port]->grant_read(failed);
  offer_read(3, 0x9000);
  offer_read(1, 0x5020);  // round robin would take port 3
  EXPECT_EQ(arbiter.arbitrate(list, 0, true, true).port, 1U);
}

}  // namespace
}  // namespace sluice::model
