// SPDX-License-Identifier: Apache-2.0
// The other end of a vfio-user connection, for tests: sends what it is told to, right or wrong.
#pragma once

#include <gtest/gtest.h>
#include <linux/memfd.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sluice/cosim/vfio_user.hpp"
#include "vfio_user_wire.hpp"

namespace sluice::cosim {

using Bytes = std::vector<std::byte>;

template <typename... T>
Bytes pack(const T&... values) {
  Bytes out;
  const auto add = [&](std::span<const std::byte> bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
  };
  (add(std::as_bytes(std::span(&values, 1))), ...);
  return out;
}

inline Bytes operator+(Bytes left, const Bytes& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

inline File memory_file(std::size_t bytes) {
  File file(::memfd_create("guest", MFD_CLOEXEC));
  EXPECT_EQ(::ftruncate(file.get(), static_cast<off_t>(bytes)), 0);
  return file;
}

inline File event() { return File(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

inline uint64_t events_of(const File& event) {
  uint64_t count = 0;
  return ::read(event.get(), &count, sizeof count) == sizeof count ? count : 0;
}

// A device of two regions, a BAR of memory and a configuration space, which notes what it is asked.
struct TestDevice : PciDevice {
  static constexpr unsigned kBar = 0;
  static constexpr unsigned kConfig = 7;
  static constexpr unsigned kVectors = 4;
  std::array<std::byte, 8192> bar{};
  std::array<std::byte, 256> config{};
  unsigned resets = 0;
  bool takes_accesses = true;

  std::span<std::byte> region(unsigned index) {
    if (index == kBar) return bar;
    if (index == kConfig) return config;
    return {};
  }
  [[nodiscard]] uint64_t region_bytes(unsigned index) const override {
    return const_cast<TestDevice*>(this)->region(index).size();
  }
  [[nodiscard]] unsigned vectors() const override { return kVectors; }
  bool read(unsigned index, uint64_t offset, std::span<std::byte> data) override {
    const auto from = place(index, offset, data.size());
    if (takes_accesses) std::memcpy(data.data(), from.data(), from.size());
    return takes_accesses;
  }
  bool write(unsigned index, uint64_t offset, std::span<const std::byte> data) override {
    const auto to = place(index, offset, data.size());
    if (takes_accesses) std::memcpy(to.data(), data.data(), to.size());
    return takes_accesses;
  }
  void reset() override { ++resets; }

 private:
  std::span<std::byte> place(unsigned index, uint64_t offset, std::size_t bytes) {
    const auto all = region(index);
    if (bytes == 0 || offset > all.size() || bytes > all.size() - offset)
      throw std::logic_error("the server let an access through that leaves the region");
    return all.subspan(offset, bytes);
  }
};

struct Answer {
  wire::Header header;
  Bytes body;
  [[nodiscard]] int error() const { return static_cast<int>(header.error); }
};

class Client {
 public:
  explicit Client(PciDevice& device, Recording* recording = nullptr) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    socket_ = File(ends[0]);
    server.emplace(File(ends[1]), device, recording);
  }

  // Bytes as they are, with descriptors beside the first.
  void send_raw(std::span<const std::byte> bytes, std::span<const int> files = {}) {
    iovec piece{const_cast<std::byte*>(bytes.data()), bytes.size()};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * 64)> control{};
    if (!files.empty()) {
      message.msg_control = control.data();
      message.msg_controllen = CMSG_SPACE(files.size_bytes());
      cmsghdr* part = CMSG_FIRSTHDR(&message);
      part->cmsg_level = SOL_SOCKET;
      part->cmsg_type = SCM_RIGHTS;
      part->cmsg_len = CMSG_LEN(files.size_bytes());
      std::memcpy(CMSG_DATA(part), files.data(), files.size_bytes());
    }
    EXPECT_EQ(::sendmsg(socket_.get(), &message, MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }

  static Bytes message(wire::Command command, const Bytes& body, uint32_t flags = 0,
                       uint16_t id = 1) {
    return pack(wire::Header{.id = id,
                             .command = static_cast<uint16_t>(command),
                             .bytes = static_cast<uint32_t>(sizeof(wire::Header) + body.size()),
                             .flags = flags,
                             .error = 0}) +
           body;
  }

  // One request, served, and its answer.
  Answer ask(wire::Command command, const Bytes& body, std::span<const int> files = {}) {
    send_raw(message(command, body, 0, ++id_), files);
    EXPECT_TRUE(server->serve(0)) << server->complaint();
    std::optional<Answer> answer = receive();
    // What the server asks may come first.
    for (; answer && is_request(*answer); answer = receive()) requests_.push_back(*answer);
    if (!answer) {
      ADD_FAILURE() << "no answer to command " << static_cast<unsigned>(command);
      return {};
    }
    EXPECT_EQ(answer->header.id, id_);
    EXPECT_EQ(answer->header.command, static_cast<uint16_t>(command));
    EXPECT_EQ(answer->header.flags,
              answer->error() != 0 ? wire::kTypeReply | wire::kError : wire::kTypeReply);
    return *answer;
  }

  // The next request of the server's that has come, if any: none but requests may come.
  std::optional<Answer> receive_request() {
    if (requests_.empty()) {
      std::optional<Answer> request = receive();
      EXPECT_TRUE(!request || is_request(*request));
      return request;
    }
    Answer request = std::move(requests_.front());
    requests_.pop_front();
    return request;
  }

  // The next message that has come, if any.
  std::optional<Answer> receive() {
    Answer answer{};
    if (!take(&answer.header, sizeof answer.header)) return std::nullopt;
    answer.body.resize(answer.header.bytes - sizeof answer.header);
    EXPECT_TRUE(answer.body.empty() || take(answer.body.data(), answer.body.size()));
    return answer;
  }

  void hello() { EXPECT_EQ(ask(wire::Command::kVersion, pack(wire::Version{0, 1})).error(), 0); }
  void hang_up() { socket_ = File{}; }
  void stop_reading() { ::shutdown(socket_.get(), SHUT_RD); }

  std::optional<VfioUserServer> server;

 private:
  static bool is_request(const Answer& message) {
    return (message.header.flags & wire::kTypeMask) == wire::kTypeCommand;
  }
  bool take(void* to, std::size_t bytes) {
    return ::recv(socket_.get(), to, bytes, MSG_DONTWAIT) == static_cast<ssize_t>(bytes);
  }

  File socket_;
  std::deque<Answer> requests_;
  uint16_t id_ = 0;
};

}  // namespace sluice::cosim
