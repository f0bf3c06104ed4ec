// SPDX-License-Identifier: Apache-2.0
#include "message_channel.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

namespace sluice::cosim {
namespace {

constexpr int kSendTimeout_ms = 10'000;

}  // namespace

bool MessageChannel::wait(int timeout_ms) const {
  pollfd entry{.fd = socket_.get(), .events = POLLIN, .revents = 0};
  return ::poll(&entry, 1, timeout_ms) > 0;
}

std::optional<Message> MessageChannel::receive() {
  // First the header alone, so that descriptors, which come with the byte they were sent with, are
  // those of this message.
  constexpr std::size_t kHead = sizeof(wire::Header);
  if (received_ < kHead) {
    received_ +=
        fill(reinterpret_cast<std::byte*>(&partial_.header) + received_, kHead - received_);
    if (received_ < kHead) return std::nullopt;
    const uint32_t bytes = partial_.header.bytes;
    if (bytes < kHead || bytes > wire::kMaxMessage)
      throw Broken("a message of " + std::to_string(bytes) + " bytes; 16 to " +
                   std::to_string(wire::kMaxMessage) + " are allowed");
    partial_.body.resize(bytes - kHead);
  }
  const std::size_t have = received_ - kHead;
  received_ += fill(partial_.body.data() + have, partial_.body.size() - have);
  if (received_ < partial_.header.bytes) return std::nullopt;
  received_ = 0;
  return std::exchange(partial_, {});
}

std::size_t MessageChannel::fill(std::byte* to, std::size_t wanted) {
  std::size_t done = 0;
  while (done < wanted) {
    // Room for more than may come: what was cut is told by MSG_CTRUNC.
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * wire::kMaxFiles)> control;
    iovec piece{.iov_base = to + done, .iov_len = wanted - done};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t got = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN || errno == EWOULDBLOCK) break;
      if (errno == ECONNRESET) throw Closed{};
      throw std::system_error(errno, std::generic_category(), "vfio-user socket");
    }
    if (got == 0) throw Closed{};
    for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
         part = CMSG_NXTHDR(&message, part))
      if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_RIGHTS)
        take_files(CMSG_DATA(part), part->cmsg_len - CMSG_LEN(0));
    if ((message.msg_flags & MSG_CTRUNC) != 0 || partial_.files.size() > wire::kMaxFiles)
      throw Broken("more than " + std::to_string(wire::kMaxFiles) + " descriptors in a message");
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void MessageChannel::take_files(const void* control, std::size_t bytes) {
  const auto* from = static_cast<const char*>(control);
  for (std::size_t at = 0; at + sizeof(int) <= bytes; at += sizeof(int)) {
    int descriptor = -1;
    std::memcpy(&descriptor, from + at, sizeof descriptor);
    partial_.files.emplace_back(descriptor);
  }
}

void MessageChannel::hang_up() { ::shutdown(socket_.get(), SHUT_RDWR); }

void MessageChannel::send(std::span<const std::byte> head, std::span<const std::byte> data) {
  std::size_t done = 0;
  while (done < head.size() + data.size()) {
    const auto rest_of_head = head.subspan(std::min(done, head.size()));
    const auto rest_of_data = data.subspan(done - std::min(done, head.size()));
    // iovec has no const.
    std::array<iovec, 2> pieces{
        {{const_cast<std::byte*>(rest_of_head.data()), rest_of_head.size()},
         {const_cast<std::byte*>(rest_of_data.data()), rest_of_data.size()}}};
    msghdr message{};
    message.msg_iov = pieces.data();
    message.msg_iovlen = pieces.size();
    const ssize_t sent = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      done += static_cast<std::size_t>(sent);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd entry{.fd = socket_.get(), .events = POLLOUT, .revents = 0};
      if (::poll(&entry, 1, kSendTimeout_ms) == 0) throw Broken("answers are not read");
    } else if (errno == EPIPE || errno == ECONNRESET) {
      throw Closed{};
    } else if (errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "vfio-user socket");
    }
  }
}

}  // namespace sluice::cosim
