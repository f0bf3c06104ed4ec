// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <linux/vfio.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>

#include "client.hpp"
#include "sluice/cosim/unix_socket.hpp"

namespace sluice::cosim {
namespace {

using wire::Command;
constexpr uint64_t kPage = GuestMemory::kPage;

struct VfioUser : testing::Test {
  TestDevice device;
  Client client{device};

  void SetUp() override { client.hello(); }

  static Bytes access(unsigned region, uint64_t offset, uint32_t count) {
    return pack(wire::RegionAccess{.offset = offset, .region = region, .count = count});
  }
  static Bytes irqs(unsigned index, uint32_t flags, uint32_t start, uint32_t count) {
    const uint32_t argsz = sizeof(vfio_irq_set);
    return pack(argsz, flags, uint32_t{index}, start, count);
  }
  static Bytes events(uint32_t start, uint32_t count) {
    return irqs(VFIO_PCI_MSIX_IRQ_INDEX, VFIO_IRQ_SET_ACTION_TRIGGER | VFIO_IRQ_SET_DATA_EVENTFD,
                start, count);
  }
  Answer map(uint64_t address, uint64_t size, uint32_t flags, std::span<const int> files) {
    return client.ask(Command::kDmaMap,
                      pack(wire::DmaMap{.argsz = sizeof(wire::DmaMap),
                                        .flags = flags,
                                        .offset = 0,
                                        .address = address,
                                        .size = size}),
                      files);
  }
  Answer unmap(uint64_t address, uint64_t size, uint32_t flags = 0) {
    return client.ask(
        Command::kDmaUnmap,
        pack(wire::DmaUnmap{
            .argsz = sizeof(wire::DmaUnmap), .flags = flags, .address = address, .size = size}));
  }
  void expect_sent_away(const std::string& why) {
    EXPECT_FALSE(client.server->serve(0));
    EXPECT_NE(client.server->complaint().find(why), std::string::npos)
        << client.server->complaint();
    EXPECT_FALSE(client.server->serve(0));
  }
};

struct VfioUserHello : testing::Test {
  TestDevice device;
  Client client{device};
};

TEST_F(VfioUserHello, TheVersionAnswersWithLimits) {
  const Answer answer = client.ask(Command::kVersion, pack(wire::Version{0, 7}));
  ASSERT_EQ(answer.error(), 0);
  wire::Version version{};
  std::memcpy(&version, answer.body.data(), sizeof version);
  EXPECT_EQ(version.major, 0);
  EXPECT_EQ(version.minor, 1);
  const std::string text(reinterpret_cast<const char*>(answer.body.data()) + sizeof version);
  EXPECT_EQ(text.size() + 1 + sizeof version, answer.body.size());
  const auto capabilities = nlohmann::json::parse(text).at("capabilities");
  EXPECT_EQ(capabilities.at("max_data_xfer_size"), wire::kMaxTransfer);
  EXPECT_EQ(capabilities.at("max_msg_fds"), wire::kMaxFiles);
}

TEST_F(VfioUserHello, AnotherMajorVersionIsRefused) {
  EXPECT_EQ(client.ask(Command::kVersion, pack(wire::Version{1, 0})).error(), EINVAL);
}

TEST_F(VfioUserHello, AMinorVersionOfTheClientIsKept) {
  const Answer answer = client.ask(Command::kVersion, pack(wire::Version{0, 0}));
  ASSERT_GE(answer.body.size(), sizeof(wire::Version));
  EXPECT_EQ(answer.body[2], std::byte{0});
}

TEST_F(VfioUserHello, NothingComesBeforeTheVersion) {
  client.send_raw(Client::message(Command::kDeviceReset, {}));
  EXPECT_FALSE(client.server->serve(0));
  EXPECT_EQ(client.server->complaint(), "command 13 before the version");
  EXPECT_EQ(device.resets, 0u);
}

TEST_F(VfioUser, ASecondVersionIsRefused) {
  EXPECT_EQ(client.ask(Command::kVersion, pack(wire::Version{0, 1})).error(), EINVAL);
}

TEST_F(VfioUser, TheDeviceIsDescribed) {
  const Answer info = client.ask(Command::kDeviceGetInfo, pack(uint32_t{16}, 0u, 0u, 0u));
  EXPECT_EQ(info.body, pack(uint32_t{16}, uint32_t{3}, uint32_t{9}, uint32_t{5}));
  for (uint32_t index = 0; index < 9; ++index) {
    const uint64_t size = index == 0 ? 8192 : index == 7 ? 256 : 0;
    const Answer region =
        client.ask(Command::kDeviceGetRegionInfo, pack(32u, 0u, index, 0u, uint64_t{}, uint64_t{}));
    EXPECT_EQ(region.body, pack(32u, size != 0 ? 3u : 0u, index, 0u, size, uint64_t{0}));
  }
  for (uint32_t index = 0; index < 5; ++index) {
    const bool msix = index == VFIO_PCI_MSIX_IRQ_INDEX;
    const Answer irq = client.ask(Command::kDeviceGetIrqInfo, pack(16u, 0u, index, 0u));
    EXPECT_EQ(irq.body, pack(16u, msix ? 9u : 0u, index, msix ? TestDevice::kVectors : 0u));
  }
}

TEST_F(VfioUser, QuestionsAboutWhatIsNotThereAreRefused) {
  const auto error = [&](Command command, const Bytes& body) {
    return client.ask(command, body).error();
  };
  EXPECT_EQ(error(Command::kDeviceGetRegionInfo, pack(32u, 0u, 9u, 0u, uint64_t{}, uint64_t{})),
            EINVAL);
  EXPECT_EQ(error(Command::kDeviceGetRegionInfo, pack(31u, 0u, 0u, 0u, uint64_t{}, uint64_t{})),
            EINVAL);
  EXPECT_EQ(error(Command::kDeviceGetRegionInfo, pack(32u, 0u)), EINVAL);
  EXPECT_EQ(error(Command::kDeviceGetIrqInfo, pack(16u, 0u, 5u, 0u)), EINVAL);
  EXPECT_EQ(error(Command::kDeviceGetInfo, {}), EINVAL);
  EXPECT_EQ(error(Command::kDmaRead, {}), ENOTSUP);
  EXPECT_EQ(error(static_cast<Command>(999), {}), ENOTSUP);
}

TEST_F(VfioUser, RegionsAreWrittenAndRead) {
  const Bytes data = pack(uint64_t{0x0123'4567'89ab'cdef});
  const Answer written = client.ask(Command::kRegionWrite, access(0, 8184, 8) + data);
  EXPECT_EQ(written.body, access(0, 8184, 8));
  EXPECT_EQ(client.ask(Command::kRegionRead, access(0, 8184, 8)).body, access(0, 8184, 8) + data);
  EXPECT_EQ(device.bar[8184], std::byte{0xef});
}

TEST_F(VfioUser, AccessesThatLeaveTheRegionAreRefused) {
  const auto read = [&](unsigned region, uint64_t offset, uint32_t count) {
    return client.ask(Command::kRegionRead, access(region, offset, count)).error();
  };
  EXPECT_EQ(read(0, 0, 8192), 0);
  EXPECT_EQ(read(0, 0, 8193), EINVAL);
  EXPECT_EQ(read(0, 8189, 4), EINVAL);
  EXPECT_EQ(read(0, ~uint64_t{0} - 1, 4), EINVAL);
  EXPECT_EQ(read(0, 0, 0), EINVAL);
  EXPECT_EQ(read(1, 0, 4), EINVAL);
  EXPECT_EQ(read(9, 0, 4), EINVAL);
  EXPECT_EQ(read(0xffff'ffff, 0, 4), EINVAL);
  EXPECT_EQ(client.ask(Command::kRegionWrite, access(0, 0, 8) + pack(1u)).error(), EINVAL);
  EXPECT_EQ(client.ask(Command::kRegionWrite, access(0, 0, 4) + pack(1u, 2u)).error(), EINVAL);
}

TEST_F(VfioUser, WhatTheDeviceDoesNotTakeIsAnError) {
  device.takes_accesses = false;
  const Answer answer = client.ask(Command::kRegionRead, access(0, 0, 4));
  EXPECT_EQ(answer.error(), EINVAL);
  EXPECT_TRUE(answer.body.empty());
  EXPECT_EQ(client.ask(Command::kRegionWrite, access(0, 0, 4) + pack(1u)).error(), EINVAL);
}

TEST_F(VfioUser, PostedWritesAreNotAnswered) {
  client.send_raw(
      Client::message(Command::kRegionWrite, access(0, 0, 4) + pack(7u), wire::kNoReply));
  EXPECT_TRUE(client.server->serve(0));
  EXPECT_FALSE(client.receive());
  EXPECT_EQ(device.bar[0], std::byte{7});
}

TEST_F(VfioUser, ManyRequestsAtOnceAreAnsweredInOrder) {
  Bytes all;
  for (uint16_t id = 0; id < 10; ++id)
    all = all + Client::message(Command::kRegionRead, access(0, id, 1), 0, id);
  client.send_raw(all);
  EXPECT_TRUE(client.server->serve(0));
  for (uint16_t id = 0; id < 10; ++id) {
    const auto answer = client.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->header.id, id);
  }
}

TEST_F(VfioUser, ARequestMayComeByteByByte) {
  const Bytes message = Client::message(Command::kRegionWrite, access(0, 4, 4) + pack(0x55u));
  for (const std::byte& byte : message) {
    EXPECT_FALSE(client.receive());
    client.send_raw(std::span(&byte, 1));
    EXPECT_TRUE(client.server->serve(0));
  }
  EXPECT_TRUE(client.receive());
  EXPECT_EQ(device.bar[4], std::byte{0x55});
}

TEST_F(VfioUser, TheDeviceIsReset) {
  EXPECT_EQ(client.ask(Command::kDeviceReset, {}).error(), 0);
  EXPECT_EQ(device.resets, 1u);
  client.server.reset();
  EXPECT_EQ(device.resets, 2u) << "the client has gone";
}

TEST_F(VfioUser, MemoryIsMappedUsedAndUnmapped) {
  const File file = memory_file(4 * kPage);
  const std::array files{file.get()};
  ASSERT_EQ(map(0x8000, 4 * kPage, wire::kMapRead | wire::kMapWrite, files).error(), 0);
  const Bytes data = pack(0xdead'beefu);
  EXPECT_TRUE(client.server->memory().write(0x9004, data));
  Bytes got(4);
  EXPECT_EQ(::pread(file.get(), got.data(), 4, 0x1004), 4);
  EXPECT_EQ(got, data);
  EXPECT_EQ(map(0x9000, kPage, wire::kMapRead, files).error(), EEXIST);
  const Answer gone = unmap(0x8000, 4 * kPage);
  EXPECT_EQ(gone.error(), 0);
  EXPECT_EQ(gone.body.size(), sizeof(wire::DmaUnmap));
  EXPECT_FALSE(client.server->memory().read(0x9004, got));
  EXPECT_EQ(unmap(0x8000, 4 * kPage).error(), ENOENT);
}

TEST_F(VfioUser, UnmapAllTakesEverything) {
  const File file = memory_file(kPage);
  const std::array files{file.get()};
  ASSERT_EQ(map(0, kPage, wire::kMapRead, files).error(), 0);
  ASSERT_EQ(map(kPage, kPage, 0, {}).error(), 0);
  EXPECT_EQ(unmap(0, kPage, wire::kUnmapAll).error(), EINVAL);
  EXPECT_EQ(unmap(0, 0, 1).error(), ENOTSUP) << "dirty pages";
  EXPECT_EQ(client.server->memory().maps(), 2u);
  EXPECT_EQ(unmap(0, 0, wire::kUnmapAll).error(), 0);
  EXPECT_EQ(client.server->memory().maps(), 0u);
}

TEST_F(VfioUser, AMapTakesOneFile) {
  const File file = memory_file(kPage);
  const std::array files{file.get(), file.get()};
  EXPECT_EQ(map(0, kPage, wire::kMapRead, files).error(), EINVAL);
}

TEST_F(VfioUser, VectorsReachTheirEvents) {
  const File first = event();
  const File second = event();
  EXPECT_FALSE(client.server->interrupt(1));
  const std::array files{first.get(), second.get()};
  ASSERT_EQ(client.ask(Command::kDeviceSetIrqs, events(1, 2), files).error(), 0);
  EXPECT_FALSE(client.server->interrupt(0));
  EXPECT_TRUE(client.server->interrupt(1));
  EXPECT_TRUE(client.server->interrupt(2));
  EXPECT_TRUE(client.server->interrupt(2));
  EXPECT_FALSE(client.server->interrupt(TestDevice::kVectors));
  EXPECT_EQ(events_of(first), 1u);
  EXPECT_EQ(events_of(second), 2u);

  ASSERT_EQ(client.ask(Command::kDeviceSetIrqs, events(1, 1)).error(), 0) << "no file: taken away";
  EXPECT_FALSE(client.server->interrupt(1));
  EXPECT_TRUE(client.server->interrupt(2));
  const Bytes disable =
      irqs(VFIO_PCI_MSIX_IRQ_INDEX, VFIO_IRQ_SET_ACTION_TRIGGER | VFIO_IRQ_SET_DATA_NONE, 0, 0);
  ASSERT_EQ(client.ask(Command::kDeviceSetIrqs, disable).error(), 0);
  EXPECT_FALSE(client.server->interrupt(2));
}

TEST_F(VfioUser, TheClientMayTriggerVectorsItself) {
  const File first = event();
  const File second = event();
  const std::array files{first.get(), second.get()};
  ASSERT_EQ(client.ask(Command::kDeviceSetIrqs, events(0, 2), files).error(), 0);
  const auto trigger = [&](uint32_t data, const Bytes& bytes) {
    const Bytes request = irqs(VFIO_PCI_MSIX_IRQ_INDEX, VFIO_IRQ_SET_ACTION_TRIGGER | data, 0, 2);
    return client.ask(Command::kDeviceSetIrqs, request + bytes).error();
  };
  EXPECT_EQ(trigger(VFIO_IRQ_SET_DATA_BOOL, pack(uint8_t{0}, uint8_t{1})), 0);
  EXPECT_EQ(events_of(first), 0u);
  EXPECT_EQ(events_of(second), 1u);
  EXPECT_EQ(trigger(VFIO_IRQ_SET_DATA_NONE, {}), 0);
  EXPECT_EQ(events_of(first), 1u);
  EXPECT_EQ(trigger(VFIO_IRQ_SET_DATA_BOOL, pack(uint8_t{1})), EINVAL);
}

TEST_F(VfioUser, BadInterruptRequestsAreRefused) {
  const File good = event();
  const File memory = memory_file(kPage);
  const std::array one{good.get()};
  const std::array wrong{memory.get()};
  const auto error = [&](const Bytes& body, std::span<const int> files = {}) {
    return client.ask(Command::kDeviceSetIrqs, body, files).error();
  };
  EXPECT_EQ(error(events(4, 1), one), EINVAL);
  EXPECT_EQ(error(events(0xffff'ffff, 2), one), EINVAL) << "the sum wraps";
  EXPECT_EQ(error(events(0, 2), one), EINVAL) << "fewer files than vectors";
  EXPECT_EQ(error(events(0, 1), wrong), EINVAL) << "no event descriptor";
  EXPECT_EQ(error(irqs(VFIO_PCI_INTX_IRQ_INDEX, 36, 0, 1), one), EINVAL);
  EXPECT_EQ(error(irqs(VFIO_PCI_MSIX_IRQ_INDEX, VFIO_IRQ_SET_ACTION_MASK, 0, 1)), EINVAL);
  EXPECT_EQ(error(irqs(VFIO_PCI_MSIX_IRQ_INDEX, VFIO_IRQ_SET_ACTION_TRIGGER, 0, 1)), EINVAL);
  EXPECT_FALSE(client.server->interrupt(0));
}

TEST_F(VfioUser, AnEventThatIsFullDoesNotHoldTheServerUp) {
  const File full(::eventfd(0, EFD_CLOEXEC));
  const uint64_t most = ~uint64_t{0} - 1;
  ASSERT_EQ(::write(full.get(), &most, sizeof most), ssize_t{sizeof most});
  const std::array files{full.get()};
  ASSERT_EQ(client.ask(Command::kDeviceSetIrqs, events(0, 1), files).error(), 0);
  EXPECT_FALSE(client.server->interrupt(0));
}

TEST_F(VfioUser, AnEndOfTheConnectionIsNoComplaint) {
  client.hang_up();
  EXPECT_FALSE(client.server->serve(0));
  EXPECT_EQ(client.server->complaint(), "");
}

TEST_F(VfioUser, AGoneClientLosesItsMemoryAndEvents) {
  const File file = memory_file(kPage);
  const File interrupt = event();
  const std::array files{file.get()};
  const std::array vectors{interrupt.get()};
  ASSERT_EQ(map(0, kPage, wire::kMapRead, files).error(), 0);
  ASSERT_EQ(client.ask(Command::kDeviceSetIrqs, events(0, 1), vectors).error(), 0);
  client.hang_up();
  EXPECT_FALSE(client.server->serve(0));
  EXPECT_EQ(client.server->memory().maps(), 0u);
  EXPECT_FALSE(client.server->interrupt(0));
}

TEST_F(VfioUser, AMessageTooShortOrTooLongEndsTheConnection) {
  client.send_raw(pack(wire::Header{.id = 0, .command = 4, .bytes = 15, .flags = 0, .error = 0}));
  expect_sent_away("a message of 15 bytes");
}

TEST_F(VfioUser, AMessageTooLongEndsTheConnection) {
  const uint32_t bytes = wire::kMaxMessage + 1;
  client.send_raw(
      pack(wire::Header{.id = 0, .command = 4, .bytes = bytes, .flags = 0, .error = 0}));
  expect_sent_away("a message of " + std::to_string(bytes) + " bytes");
}

// A request of the server's, and the client's answer to it.
TEST_F(VfioUser, MemoryIsReadAndWrittenByMessages) {
  const Bytes data = pack(uint64_t{0x0123'4567'89ab'cdef}, uint32_t{7});
  Bytes got;
  int reads = 0, writes = 0;
  client.server->read_memory(0x1'0000'0008, 12, [&](bool ok, std::span<const std::byte> bytes) {
    reads += ok ? 1 : 100;
    got.assign(bytes.begin(), bytes.end());
  });
  client.server->write_memory(0x2000, data, [&](bool ok) { writes += ok ? 1 : 100; });
  const auto read = client.receive_request(), write = client.receive_request();
  ASSERT_TRUE(read && write);
  EXPECT_EQ(read->header.command, static_cast<uint16_t>(Command::kDmaRead));
  EXPECT_EQ(read->body, pack(wire::DmaAccess{0x1'0000'0008, 12}));
  EXPECT_EQ(write->header.command, static_cast<uint16_t>(Command::kDmaWrite));
  EXPECT_EQ(write->body, pack(wire::DmaAccess{0x2000, 12}) + data);
  EXPECT_NE(read->header.id, write->header.id);
  // Requests are answered meanwhile.
  EXPECT_EQ(client.ask(Command::kRegionRead, access(TestDevice::kBar, 0, 4)).error(), 0);
  EXPECT_EQ(reads + writes, 0);
  client.send_raw(Client::message(Command::kDmaWrite, pack(wire::DmaAccess{0x2000, 12}),
                                  wire::kTypeReply, write->header.id));
  client.send_raw(
      Client::message(Command::kDmaRead, read->body + data, wire::kTypeReply, read->header.id));
  EXPECT_TRUE(client.server->serve(0));
  EXPECT_EQ(reads, 1);
  EXPECT_EQ(writes, 1);
  EXPECT_EQ(got, data);
}

TEST_F(VfioUser, AClientThatDoesNotReadIsNoticed) {
  client.stop_reading();
  client.server->read_memory(0, 8, [](bool, std::span<const std::byte>) { FAIL(); });
  pollfd entry{.fd = client.server->descriptor(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&entry, 1, 0), 1);
  EXPECT_FALSE(client.server->serve(0));
}

TEST_F(VfioUser, AClientThatAnswersNothingIsSentAway) {
  for (unsigned i = 0; i < 5000; ++i) {
    client.server->read_memory(0, 8, [](bool, std::span<const std::byte>) { FAIL(); });
    while (client.receive_request()) {
    }
  }
  expect_sent_away("not answered");
}

TEST_F(VfioUser, MemoryThatCannotBeHadIsToldOf) {
  std::vector<std::string> told;
  const auto read = [&](const char* name) {
    client.server->read_memory(0, 8, [&told, name](bool ok, std::span<const std::byte> bytes) {
      told.push_back(std::string(name) + (ok || !bytes.empty() ? " is there" : " failed"));
    });
    return client.receive_request()->header.id;
  };
  const auto answer = [&](uint16_t id, const Bytes& body, uint32_t flags) {
    client.send_raw(Client::message(Command::kDmaRead, body, flags, id));
    EXPECT_TRUE(client.server->serve(0));
  };
  const uint16_t refused = read("refused"), brief = read("brief"), forgotten = read("forgotten");
  answer(refused, {}, wire::kTypeReply | wire::kError);
  answer(brief, pack(wire::DmaAccess{0, 8}, uint32_t{1}), wire::kTypeReply);
  client.server->forget();
  answer(forgotten, pack(wire::DmaAccess{0, 8}, uint64_t{1}), wire::kTypeReply);
  EXPECT_EQ(told, (std::vector<std::string>{"refused failed", "brief failed"}));
}

TEST_F(VfioUser, AnAnswerThatNobodyAskedForEndsTheConnection) {
  client.send_raw(Client::message(Command::kDeviceReset, {}, wire::kTypeReply));
  expect_sent_away("an answer without a request");
  EXPECT_EQ(device.resets, 0u);
}

TEST_F(VfioUser, TooManyFilesEndTheConnection) {
  const File file = memory_file(kPage);
  const std::vector<int> files(wire::kMaxFiles + 1, file.get());
  client.send_raw(Client::message(Command::kDeviceReset, {}), files);
  expect_sent_away("more than 8 descriptors");
}

TEST_F(VfioUser, FilesOfManyPiecesCountTogether) {
  const File file = memory_file(kPage);
  const std::vector<int> files(wire::kMaxFiles, file.get());
  const Bytes message = Client::message(Command::kDeviceReset, {});
  client.send_raw(std::span(message).first(4), files);
  client.send_raw(std::span(message).subspan(4), files);
  expect_sent_away("more than 8 descriptors");
}

struct VfioUserPath : testing::Test {
  std::filesystem::path folder = [] {
    std::string name = std::filesystem::temp_directory_path() / "vfio-user-XXXXXX";
    return std::filesystem::path(::mkdtemp(name.data()));
  }();
  std::string path = folder / "socket";
  ~VfioUserPath() override { std::filesystem::remove_all(folder); }

  [[nodiscard]] File connect() const {
    File file(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::connect(file.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return file;
  }
};

TEST_F(VfioUserPath, ClientsAreAccepted) {
  UnixSocket socket(path);
  EXPECT_FALSE(socket.accept(0));
  const File there = connect();
  EXPECT_TRUE(socket.accept(1000));
}

TEST_F(VfioUserPath, OnlyTheUserMayConnectAndThePathGoesWithTheSocket) {
  {
    UnixSocket socket(path);
    struct stat status{};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777u, 0600u);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(VfioUserPath, AStaleSocketIsReplacedALiveOneIsNot) {
  {
    const File left(::socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(::bind(left.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  UnixSocket socket(path);
  EXPECT_THROW(UnixSocket second(path), std::system_error);
  const File there = connect();
  EXPECT_TRUE(there);
}

TEST_F(VfioUserPath, AFileInTheWayIsKept) {
  File(::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  EXPECT_THROW(UnixSocket socket(path), std::system_error);
  EXPECT_TRUE(std::filesystem::is_regular_file(path));
}

TEST_F(VfioUserPath, APathTooLongIsRefused) {
  EXPECT_THROW(UnixSocket socket(std::string(108, 'x')), std::system_error);
  EXPECT_THROW(UnixSocket socket(""), std::system_error);
}

}  // namespace
}  // namespace sluice::cosim
