// SPDX-License-Identifier: Apache-2.0
#include "tcp_link.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <limits>
#include <memory>
#include <utility>

#include "system_calls.hpp"

namespace sluice::tcp {
namespace {

constexpr int64_t kSecond_ns = 1'000'000'000;
constexpr int64_t kConnect_ns = 5 * kSecond_ns;   // to one address, and for the hello
constexpr int64_t kSilence_ns = 10 * kSecond_ns;  // a server says something each 0.25 s
constexpr int64_t kPause_ns = kSecond_ns;         // between two waits that are one
constexpr int64_t kSend_ns = 30 * kSecond_ns;     // a server takes what is sent at once
constexpr int kKeepIdle_s = 5, kKeepInterval_s = 2, kKeepCount = 3;

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};

// What connect() ended with, after poll().
int connected(int socket) {
  int error = 0;
  socklen_t bytes = sizeof error;
  return ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &bytes) == 0 ? error : errno;
}

void set(int socket, int level, int option, int value) {
  (void)::setsockopt(socket, level, option, &value, sizeof value);
}

}  // namespace

int64_t host_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kSecond_ns + now.tv_nsec;
}

int64_t host_after_ns(int64_t ns) {
  const int64_t now = host_ns();
  return now + std::min(ns, std::numeric_limits<int64_t>::max() - now);
}

Link::Link(Receiver& receiver, const std::string& host, uint16_t port)
    : receiver_(receiver), name_(fmt::format("the server at {} port {}", host, port)) {
  try {
    connect(host, port);
    agree();
  } catch (...) {
    if (socket_ >= 0) ::close(socket_);
    throw;
  }
}

Link::~Link() {
  if (socket_ >= 0) ::close(socket_);
}

void Link::connect(const std::string& host, uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int result = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (result != 0) throw Error(ENODEV, "there is no host '{}': {}", host, ::gai_strerror(result));
  const std::unique_ptr<addrinfo, FreeAddresses> addresses(found);
  int error = 0;
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    socket_ = ::socket(address->ai_family, address->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
                       address->ai_protocol);
    if (socket_ < 0) {
      error = errno;
      continue;
    }
    error = ::connect(socket_, address->ai_addr, address->ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS) error = poll(POLLOUT, kConnect_ns) ? connected(socket_) : ETIMEDOUT;
    if (error == 0) break;
    ::close(socket_);
    socket_ = -1;
  }
  if (socket_ < 0)
    throw Error(error, "no server answers at {} port {}: {}. Start `sluice serve` there", host,
                port, message(-error));
  set(socket_, IPPROTO_TCP, TCP_NODELAY, 1);
  set(socket_, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(socket_, IPPROTO_TCP, TCP_KEEPIDLE, kKeepIdle_s);
  set(socket_, IPPROTO_TCP, TCP_KEEPINTVL, kKeepInterval_s);
  set(socket_, IPPROTO_TCP, TCP_KEEPCNT, kKeepCount);
  set(socket_, IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(kSend_ns / 1'000'000));
}

void Link::agree() {
  const Hello ours = hello(kVersion);
  send({reinterpret_cast<const char*>(ours.data()), ours.size()});
  Hello theirs{};
  receive_whole(theirs.data(), theirs.size(), host_ns() + kConnect_ns);
  const uint16_t version = version_of(theirs);
  if (version == 0) throw Error(EPROTO, "{} is no `sluice serve`", name_);
  if (version != kVersion)
    throw Error(EPROTO,
                "{} speaks version {} of the protocol, and libsluice {} speaks "
                "version {}; use the same release at both ends",
                name_, version, SLUICE_VERSION, kVersion);
}

void Link::receive_whole(uint8_t* at, size_t bytes, int64_t deadline_ns) {
  while (bytes > 0) {
    const ssize_t got = ::recv(socket_, at, bytes, MSG_DONTWAIT);
    if (got > 0) {
      at += got;
      bytes -= static_cast<size_t>(got);
    } else if (got == 0) {
      fail(ECONNRESET, "closed the connection");
    } else if (errno == EAGAIN || errno == EINTR) {
      if (!poll(POLLIN, std::max<int64_t>(deadline_ns - host_ns(), 0)))
        fail(ETIMEDOUT, "does not answer as `sluice serve` does");
    } else {
      fail_reading(errno);
    }
  }
}

void Link::fail_reading(int error) {
  fail(error,
       error == ECONNRESET ? "closed the connection" : "cannot be reached: " + message(-error));
}

void Link::check() const {
  if (failure_) throw Error(*failure_);
}

void Link::fail(int errnum, std::string_view what) {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
  failure_ = Error(errnum, "{} {}", name_, what);
  throw Error(*failure_);
}

bool Link::poll(short events, int64_t timeout_ns) {
  const int64_t deadline_ns = host_after_ns(timeout_ns);
  for (;;) {
    pollfd entry{.fd = socket_, .events = events, .revents = 0};
    const int64_t left_ns = std::max<int64_t>(deadline_ns - host_ns(), 0);
    const timespec time{.tv_sec = left_ns / kSecond_ns, .tv_nsec = left_ns % kSecond_ns};
    const int ready = ::ppoll(&entry, 1, &time, nullptr);
    if (ready >= 0) return ready > 0;
    if (errno != EINTR) fail(errno, "cannot be reached: " + message(-errno));
  }
}

void Link::send(std::string_view bytes) {
  check();
  const int64_t deadline_ns = host_ns() + kSend_ns;
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
    } else if (errno == EAGAIN || errno == EINTR) {
      const int64_t left_ns = deadline_ns - host_ns();
      if (left_ns <= 0) fail(ETIMEDOUT, "receives nothing that is sent");
      (void)poll(POLLOUT, left_ns);
    } else if (errno == EPIPE || errno == ECONNRESET) {
      // Its reason may have come.
      while (receive(0)) continue;
      fail(ECONNRESET, "closed the connection");
    } else {
      fail(errno, "cannot be reached: " + message(-errno));
    }
  }
}

bool Link::receive(int64_t timeout_ns, bool owed) {
  check();
  if (std::exchange(answered_, false) && head_bytes_ > 0) {
    understand(0);
    return true;
  }
  const int64_t deadline_ns = timeout_ns < 0 ? -1 : host_after_ns(timeout_ns);
  for (;;) {
    std::array<iovec, 2> parts{};
    size_t count = 0;
    if (left_ > 0) parts[count++] = {.iov_base = target_, .iov_len = left_};
    parts[count++] = {.iov_base = head_.data() + head_bytes_,
                      .iov_len = head_.size() - head_bytes_};
    msghdr message_header{};
    message_header.msg_iov = parts.data();
    message_header.msg_iovlen = count;
    const ssize_t got = ::recvmsg(socket_, &message_header, MSG_DONTWAIT);
    if (got > 0) {
      quiet_since_ns_.reset();
      understand(static_cast<size_t>(got));
      return true;
    }
    if (got == 0) fail(ECONNRESET, "closed the connection");
    if (errno == EINTR) continue;
    if (errno != EAGAIN) fail_reading(errno);
    const int64_t now = host_ns();
    // A server need not speak while nobody listens.
    if (!owed || !quiet_since_ns_ || now - listened_ns_ > kPause_ns) quiet_since_ns_ = now;
    listened_ns_ = now;
    const int64_t silence_ns = *quiet_since_ns_ + kSilence_ns - now;
    if (silence_ns <= 0)
      fail(ETIMEDOUT, "has sent nothing for 10 s; the server or the network has stopped");
    int64_t wait_ns = silence_ns;
    if (deadline_ns >= 0) wait_ns = std::min(wait_ns, deadline_ns - now);
    if (wait_ns <= 0) return false;
    pollfd entry{.fd = socket_, .events = POLLIN, .revents = 0};
    const timespec time{.tv_sec = wait_ns / kSecond_ns, .tv_nsec = wait_ns % kSecond_ns};
    const int ready = ::ppoll(&entry, 1, &time, nullptr);
    listened_ns_ = host_ns();
    if (ready < 0 && errno == EINTR)
      throw Error(EINTR, "a signal came while {} was waited for", name_);
  }
}

void Link::understand(size_t got) {
  try {
    distribute(got);
    while (left_ == 0 && !answered_ && parse_one()) continue;
  } catch (const Error& error) {
    if (!failure_) fail(error.errnum(), error.what());
    throw;
  }
}

// `got` bytes have come into the content's rest, then behind what is in head_.
void Link::distribute(size_t got) {
  const size_t content = std::min(got, left_);
  target_ += content;
  left_ -= content;
  head_bytes_ += got - content;
  if (content > 0 && left_ == 0) end_content();
}

// Take a frame, or its beginning, from head_. False: there is too little of it.
bool Link::parse_one() {
  if (head_bytes_ < kHeaderBytes) return false;
  const Header header = read_header(head_.data());
  const uint8_t* content = head_.data() + kHeaderBytes;
  size_t used = kHeaderBytes;
  if (header.kind == static_cast<uint16_t>(Kind::period)) {
    if (head_bytes_ < kHeaderBytes + kRecordBytes) return false;
    const Record record = read_record(content);
    if (header.bytes != kRecordBytes + uint64_t{record.payload})
      throw Error(EPROTO, "sent a period whose length is not that of its record");
    used += kRecordBytes;
    header_ = header;
    record_ = record;
    begin_content(receiver_.place(header.channel, record), record.payload);
  } else {
    const size_t most = most_bytes(header.kind);
    if (header.bytes > most || most == 0)
      throw Error(EPROTO, "sent an invalid frame, of kind {} and {} bytes", header.kind,
                  header.bytes);
    header_ = header;
    content_.resize(header.bytes);
    begin_content(reinterpret_cast<uint8_t*>(content_.data()), header.bytes);
  }
  // What has come of the content beside it.
  const size_t beside = std::min(head_bytes_ - used, left_);
  std::memcpy(target_, head_.data() + used, beside);
  target_ += beside;
  left_ -= beside;
  used += beside;
  std::memmove(head_.data(), head_.data() + used, head_bytes_ - used);
  head_bytes_ -= used;
  if (left_ == 0) end_content();
  return true;
}

void Link::begin_content(uint8_t* at, size_t bytes) {
  target_ = at;
  left_ = bytes;
}

void Link::end_content() {
  if (record_) {
    const Record record = *record_;
    record_.reset();
    receiver_.arrived(header_.channel, record);
    return;
  }
  if (header_.kind == static_cast<uint16_t>(Kind::goodbye))
    fail(ECONNRESET, "ends the connection: " + readable(content_));
  answered_ = header_.kind == static_cast<uint16_t>(Kind::answer);
  receiver_.take(header_, reinterpret_cast<const uint8_t*>(content_.data()));
}

}  // namespace sluice::tcp
