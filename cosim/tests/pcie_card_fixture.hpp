// SPDX-License-Identifier: Apache-2.0
// A card's design, with a client. What memory the client has no file of is the test's.
#pragma once

#include <gtest/gtest.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "client.hpp"
#include "sluice/cosim/served_designs.hpp"

namespace sluice::cosim {

class PcieCardFixture : public testing::Test {
 protected:
  explicit PcieCardFixture(const std::string& design)
      : card(make_served_card(design, {.width_bits = 128})), client(*card) {
    card->attach(&*client.server);
  }
  ~PcieCardFixture() override { card->attach(nullptr); }

  // What the card's messages ask for. False: it cannot be had.
  virtual bool host_read(uint64_t address, std::span<std::byte> data) = 0;
  virtual bool host_write(uint64_t address, std::span<const std::byte> data) = 0;

  // ---- as a driver

  void enable_vectors(unsigned count) {
    const uint32_t flags = VFIO_IRQ_SET_ACTION_TRIGGER | VFIO_IRQ_SET_DATA_EVENTFD;
    for (unsigned first = 0; first < count; first += wire::kMaxFiles) {
      const unsigned now = std::min<unsigned>(count - first, wire::kMaxFiles);
      std::vector<int> files;
      for (unsigned i = 0; i < now; ++i) files.push_back(events.emplace_back(event()).get());
      const Bytes body = pack(uint32_t{sizeof(vfio_irq_set)}, flags,
                              uint32_t{VFIO_PCI_MSIX_IRQ_INDEX}, first, now);
      ASSERT_EQ(client.ask(wire::Command::kDeviceSetIrqs, body, files).error(), 0);
    }
  }
  template <typename T>
  void configure(uint64_t offset, T value) {
    const wire::RegionAccess access{offset, VFIO_PCI_CONFIG_REGION_INDEX, sizeof value};
    ASSERT_EQ(client.ask(wire::Command::kRegionWrite, pack(access, value)).error(), 0);
  }
  template <typename T>
  T read(uint32_t region, uint64_t offset) {
    const Bytes data = read_region(region, offset, sizeof(T));
    T value{};
    EXPECT_EQ(data.size(), sizeof value);
    std::memcpy(&value, data.data(), std::min(data.size(), sizeof value));
    return value;
  }
  Bytes read_region(uint32_t region, uint64_t offset, uint32_t bytes) {
    const Answer answer =
        client.ask(wire::Command::kRegionRead, pack(wire::RegionAccess{offset, region, bytes}));
    EXPECT_EQ(answer.error(), 0);
    if (answer.error() != 0) return {};
    return {answer.body.begin() + sizeof(wire::RegionAccess), answer.body.end()};
  }

  // ---- as the machine

  // Clock the card and answer its messages, until nothing moves.
  void run() {
    for (unsigned i = 0; i < 1000; ++i) {
      const bool moves = card->run(1000);
      if (!answer_messages() && !moves) return;
    }
    FAIL() << "the card does not become idle";
  }
  // Of the card, all that have come. False: none.
  bool answer_messages() {
    bool any = false;
    while (const auto asked = client.receive_request()) {
      any = true;
      answer(*asked);
      EXPECT_TRUE(client.server->serve(0)) << client.server->complaint();
    }
    return any;
  }
  void answer(const Answer& asked) {
    wire::DmaAccess access{};
    ASSERT_GE(asked.body.size(), sizeof access);
    std::memcpy(&access, asked.body.data(), sizeof access);
    const auto command = static_cast<wire::Command>(asked.header.command);
    Bytes read(command == wire::Command::kDmaRead ? access.count : 0);
    const bool done =
        command == wire::Command::kDmaRead
            ? host_read(access.address, read)
            : host_write(access.address, std::span(asked.body).subspan(sizeof access));
    if (!done) {
      const wire::Header head{.id = asked.header.id,
                              .command = asked.header.command,
                              .bytes = sizeof head,
                              .flags = wire::kTypeReply | wire::kError,
                              .error = EINVAL};
      return client.send_raw(pack(head));
    }
    client.send_raw(
        Client::message(command, pack(access) + read, wire::kTypeReply, asked.header.id));
  }

  std::unique_ptr<Card> card;
  Client client;
  std::vector<File> events;
};

}  // namespace sluice::cosim
