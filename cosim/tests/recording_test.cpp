// SPDX-License-Identifier: Apache-2.0
#include "sluice/cosim/recording.hpp"

#include <gtest/gtest.h>
#include <linux/vfio.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "client.hpp"

namespace sluice::cosim {
namespace {

constexpr uint64_t kRam = 0x10000, kElsewhere = 0x90000;
constexpr uint64_t kBytes = 4096;

class RecordingTest : public testing::Test {
 protected:
  ~RecordingTest() override { std::filesystem::remove(path); }

  void map(uint64_t address, const File* file) {
    const wire::DmaMap body{.argsz = sizeof(wire::DmaMap),
                            .flags = wire::kMapRead | wire::kMapWrite,
                            .offset = 0,
                            .address = address,
                            .size = kBytes};
    std::vector<int> files;
    if (file != nullptr) files.push_back(file->get());
    ASSERT_EQ(client.ask(wire::Command::kDmaMap, pack(body), files).error(), 0);
  }
  void answer(const Bytes& data) {
    const auto asked = client.receive_request();
    ASSERT_TRUE(asked);
    const auto command = static_cast<wire::Command>(asked->header.command);
    const bool failed = data.empty();
    const uint32_t flags = wire::kTypeReply | (failed ? wire::kError : 0);
    wire::DmaAccess access{};
    std::memcpy(&access, asked->body.data(), sizeof access);
    client.send_raw(
        Client::message(command, failed ? Bytes{} : pack(access) + data, flags, asked->header.id));
    EXPECT_TRUE(client.server->serve(0));
  }
  std::string text() {
    EXPECT_TRUE(recording.finish());
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string path = testing::TempDir() + "recording" + std::to_string(::getpid());
  uint64_t cycle = 7;
  Recording recording{path, "a card", [this] { return cycle; }};
  TestDevice device;
  Client client{device, &recording};
};

TEST_F(RecordingTest, HasAllThatPassesInItsOrder) {
  client.hello();
  const File ram = memory_file(kBytes);
  map(kRam, &ram);
  map(kElsewhere, nullptr);
  const File vector = event();
  const std::array files{vector.get()};
  const uint32_t flags = VFIO_IRQ_SET_ACTION_TRIGGER | VFIO_IRQ_SET_DATA_EVENTFD;
  const Bytes set =
      pack(uint32_t{sizeof(vfio_irq_set)}, flags, uint32_t{VFIO_PCI_MSIX_IRQ_INDEX}, 2u, 1u);
  ASSERT_EQ(client.ask(wire::Command::kDeviceSetIrqs, set, files).error(), 0);

  const wire::RegionAccess place{16, TestDevice::kBar, 4};
  client.ask(wire::Command::kRegionWrite, pack(place, 0x12345678u));
  cycle = 8;
  client.ask(wire::Command::kRegionRead, pack(place));
  Bytes two{std::byte{0xab}, std::byte{0xcd}};
  EXPECT_TRUE(client.server->memory().write(kRam + 5, two));
  EXPECT_TRUE(client.server->memory().read(kRam + 6, two));
  EXPECT_FALSE(client.server->memory().read(0, two));
  EXPECT_FALSE(client.server->memory().write(0, two));
  unsigned done = 0;
  client.server->read_memory(kElsewhere, 2, [&](bool ok, auto) { done += ok ? 1 : 0; });
  answer(two);
  client.server->read_memory(kElsewhere, 3, [&](bool ok, auto) { done += ok ? 10 : 100; });
  answer({});
  client.server->write_memory(kElsewhere + 1, two, [](bool) {});
  answer({std::byte{0}});
  client.server->write_memory(kElsewhere + 3, two, [](bool) {});
  answer({});
  EXPECT_EQ(done, 101u);
  cycle = 9;
  EXPECT_TRUE(client.server->interrupt(2));
  EXPECT_FALSE(client.server->interrupt(1));
  client.ask(wire::Command::kDeviceReset, {});

  EXPECT_EQ(text(),
            "# sluice-card recording 1\n"
            "# a card\n"
            "7 W 0 10 12345678\n"
            "8 R 0 10 12345678\n"
            "8 w 10005 abcd\n"
            "8 r 10006 cd00\n"
            "8 e 0 2\n"
            "8 e 0 2\n"
            "8 r 90000 cd00\n"
            "8 e 90000 3\n"
            "8 w 90001 cd00\n"
            "8 w 90003 cd00\n"
            "8 e 90003 2\n"
            "9 i 2\n"
            "9 x\n");
}

TEST_F(RecordingTest, AReadThatIsRefusedIsNone) {
  client.hello();
  device.takes_accesses = false;
  client.ask(wire::Command::kRegionRead, pack(wire::RegionAccess{0, TestDevice::kBar, 4}));
  EXPECT_EQ(text(), "# sluice-card recording 1\n# a card\n");
}

TEST(Recordings, WhatCannotBeWrittenIsSaid) {
  EXPECT_THROW(Recording("/no/such/folder/file", "", [] { return 0; }), std::runtime_error);
  Recording full("/dev/full", "", [] { return 0; });
  EXPECT_FALSE(full.finish());
}

}  // namespace
}  // namespace sluice::cosim
