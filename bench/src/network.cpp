// SPDX-License-Identifier: Apache-2.0
#include "network.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <sluice.hpp>
#include <stdexcept>
#include <system_error>

namespace sluice::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMB = 1e6;

class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {
    if (descriptor < 0) throw std::system_error(errno, std::generic_category(), "a socket");
  }
  ~Socket() { ::close(descriptor_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

void check_call(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
}

// The child process: sends blocks until nobody takes them.
[[noreturn]] void send_blocks(int listening, const Network& network) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int descriptor = ::accept(listening, nullptr, nullptr);
  const int on = 1;
  (void)::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const std::vector<uint8_t> memory(network.bytes * network.periods, 1);
  for (unsigned place = 0;; place = (place + 1) % network.periods) {
    const uint8_t* at = memory.data() + place * network.bytes;
    for (size_t left = network.bytes; left > 0;) {
      const ssize_t sent = ::send(descriptor, at, left, MSG_NOSIGNAL);
      if (sent < 0) ::_exit(0);
      at += sent;
      left -= static_cast<size_t>(sent);
    }
  }
}

double raw_mb_s(const Network& network) {
  const Socket listening(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  check_call(::bind(listening.get(), reinterpret_cast<const sockaddr*>(&address), length), "bind");
  check_call(::listen(listening.get(), 1), "listen");
  check_call(::getsockname(listening.get(), reinterpret_cast<sockaddr*>(&address), &length),
             "getsockname");
  const pid_t child = ::fork();
  check_call(child, "fork");
  if (child == 0) send_blocks(listening.get(), network);
  double rate = 0;
  try {
    const Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    check_call(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), length),
               "connect");
    std::vector<uint8_t> memory(network.bytes * network.periods, 1);
    uint64_t bytes = 0;
    std::chrono::duration<double> elapsed{};
    const auto start = Clock::now();
    for (unsigned place = 0; elapsed.count() < network.seconds;
         place = (place + 1) % network.periods) {
      uint8_t* at = memory.data() + place * network.bytes;
      for (size_t left = network.bytes; left > 0;) {
        const ssize_t got = ::recv(socket.get(), at, left, 0);
        if (got <= 0) throw std::runtime_error("the plain socket was closed");
        at += got;
        left -= static_cast<size_t>(got);
      }
      bytes += network.bytes;
      elapsed = Clock::now() - start;
    }
    rate = static_cast<double>(bytes) / elapsed.count() / kMB;
  } catch (...) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    throw;
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  return rate;
}

double capture_mb_s(const Network& network, uint64_t& lost) {
  const BoardHandle board = open_board(network.uri);
  sluice_channel* channel = find_channel(board.get(), network.channel);
  const BufferHandle buffer = allocate(board.get(), network.bytes * network.periods);
  for (uint8_t& byte : bytes_of(buffer.get())) byte = 1;  // its pages are there
  const sluice_capture capture{.buffer = buffer.get(),
                               .offset = 0,
                               .period_bytes = network.bytes,
                               .periods = network.periods,
                               .flags = 0};
  check(sluice_capture_start(channel, &capture, sizeof capture));
  uint64_t next = 0;
  // The first round of the ring is not measured: the server's memory is not there before.
  Clock::time_point start;
  uint64_t first = 0;
  std::chrono::duration<double> elapsed{};
  while (first == 0 || elapsed.count() < network.seconds) {
    check(sluice_capture_wait(channel, next, -1, &next));
    sluice_capture_answer answer{};
    check(sluice_capture_release(channel, next, &answer, sizeof answer));
    lost += answer.lost;
    if (first == 0 && next >= network.periods) {
      first = next;
      start = Clock::now();
    }
    elapsed = Clock::now() - start;
  }
  check(sluice_capture_stop(channel));
  return static_cast<double>((next - first) * network.bytes) / elapsed.count() / kMB;
}

}  // namespace

Compared compare_network(const Network& network) {
  Compared compared;
  for (unsigned round = 0; round < network.rounds; ++round) {
    if (round % 2 == 1) compared.raw_mb_s.push_back(raw_mb_s(network));
    compared.capture_mb_s.push_back(capture_mb_s(network, compared.lost));
    if (round % 2 == 0) compared.raw_mb_s.push_back(raw_mb_s(network));
  }
  return compared;
}

}  // namespace sluice::bench
