// SPDX-License-Identifier: Apache-2.0
#include "gate.hpp"

#include <linux/sync_file.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "error.hpp"

namespace sluice::cuda {
namespace {

// A fence is readable when it is over, whether it went well or not.
std::optional<std::string> failure_of_fence(int fd) {
  sync_file_info info{};
  if (ioctl(fd, SYNC_IOC_FILE_INFO, &info) != 0 || info.status >= 0) return std::nullopt;
  return fmt::format("the transfer behind its fence failed: {}", std::strerror(-info.status));
}

// Read an eventfd once, and do not wait for a count, also where the program's descriptor blocks:
// that setting is the program's. Returns 0 or an errno; EAGAIN: there is no count.
int take_count(int fd) {
  uint64_t count = 0;
  iovec piece{.iov_base = &count, .iov_len = sizeof count};
  if (preadv2(fd, &piece, 1, -1, RWF_NOWAIT) >= 0) return 0;
  if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL) return errno;
  // Before Linux 5.8, eventfds do not support RWF_NOWAIT. Threads of this
  // process take turns here. A reader outside the library can still take the count after poll(),
  // and read() then blocks until the next count.
  static std::mutex one_reader;
  const std::lock_guard lock(one_reader);
  pollfd now{.fd = fd, .events = POLLIN, .revents = 0};
  if (poll(&now, 1, 0) == 0) return EAGAIN;
  return read(fd, &count, sizeof count) >= 0 ? 0 : errno;
}

}  // namespace

Gate::Gate(std::atomic<uint32_t>& number, Before before)
    : number_(number), before_(std::move(before)), stop_(eventfd(0, EFD_CLOEXEC)) {
  if (stop_ < 0) throw Error(errno, "no eventfd: {}", std::strerror(errno));
}

Gate::~Gate() {
  release();
  if (thread_.joinable()) thread_.join();
  close(stop_);
}

uint32_t Gate::add(int fd, bool take) {
  try {
    if (!thread_.joinable()) start();
    added_.push_back({.fd = fd, .take = take, .ticket = last_ + 1});
  } catch (...) {
    close(fd);
    throw;
  }
  return ++last_;
}

void Gate::watch() noexcept {
  {
    const std::lock_guard lock(mutex_);
    queue_.splice(queue_.end(), added_);
  }
  more_.notify_one();
}

void Gate::withdraw() noexcept {
  close(added_.front().fd);
  added_.clear();
  --last_;  // the next one's
}

void Gate::start() {
  // The program's signals are for the program's threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw Error(EAGAIN, "no thread to watch a descriptor: {}", error.what());
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Gate::wait(uint32_t ticket) {
  for (;;) {
    const uint32_t now = number_.load(std::memory_order_acquire);
    if (static_cast<int32_t>(now - ticket) >= 0) return;
    number_.wait(now, std::memory_order_acquire);
  }
}

void Gate::release() {
  {
    const std::lock_guard lock(mutex_);
    released_ = true;
  }
  more_.notify_one();
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(stop_, &one, sizeof one);
}

std::optional<std::string> Gate::take_failure() {
  const std::lock_guard lock(mutex_);
  return std::exchange(failure_, std::nullopt);
}

std::optional<std::string> Gate::poll_for(const Watched& watched) const {
  for (;;) {
    pollfd fds[] = {{.fd = watched.fd, .events = POLLIN, .revents = 0},
                    {.fd = stop_, .events = POLLIN, .revents = 0}};
    while (poll(fds, 2, -1) < 0)
      if (errno != EINTR && errno != EAGAIN) return std::strerror(errno);
    if ((fds[0].revents & POLLIN) == 0) {
      if (fds[0].revents != 0) return "it was closed at its other end, or cannot be polled";
      return std::nullopt;  // released
    }
    if (!watched.take) return failure_of_fence(watched.fd);
    const int result = take_count(watched.fd);
    if (result == 0) return std::nullopt;
    if (result != EAGAIN) return std::strerror(result);
    // Another reader was first.
    if (fds[1].revents != 0) return std::nullopt;
  }
}

void Gate::run() {
  for (;;) {
    Watched watched{};
    {
      std::unique_lock lock(mutex_);
      more_.wait(lock, [this] { return released_ || !queue_.empty(); });
      if (queue_.empty()) return;  // released
      watched = queue_.front();
      queue_.pop_front();
    }
    auto failure = poll_for(watched);
    close(watched.fd);
    if (before_)
      if (auto why = before_(); why && !failure) failure = std::move(why);
    if (failure) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::move(failure);
    }
    number_.store(watched.ticket, std::memory_order_release);
    number_.notify_all();
  }
}

}  // namespace sluice::cuda
