// SPDX-License-Identifier: Apache-2.0
#include "sluice/cosim/unix_socket.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace sluice::cosim {
namespace {

[[noreturn]] void fail(int error, const std::string& path) {
  throw std::system_error(error, std::generic_category(), path);
}

File unix_socket(const std::string& path) {
  File file(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!file) fail(errno, path);
  return file;
}

// Left behind by a server that has ended?
bool stale(const std::string& path, const sockaddr_un& address) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return false;
  const File probe = unix_socket(path);
  return ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
         errno == ECONNREFUSED;
}

}  // namespace

UnixSocket::UnixSocket(std::string path) : path_(std::move(path)), listener_(unix_socket(path_)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path_.empty()) fail(EINVAL, "the path of a socket");
  if (path_.size() >= sizeof address.sun_path) fail(ENAMETOOLONG, path_);
  std::memcpy(address.sun_path, path_.c_str(), path_.size() + 1);

  const auto bind_it = [&] {
    return ::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  };
  // Whoever can connect can have this process map files: only its own user, from the start.
  const mode_t mask = ::umask(0177);
  int error = bind_it() == 0 ? 0 : errno;
  if (error == EADDRINUSE && stale(path_, address)) {
    ::unlink(path_.c_str());
    error = bind_it() == 0 ? 0 : errno;
  }
  ::umask(mask);
  if (error != 0) fail(error, path_);
  if (::listen(listener_.get(), 1) != 0) {
    error = errno;
    ::unlink(path_.c_str());
    fail(error, path_);
  }
}

UnixSocket::~UnixSocket() { ::unlink(path_.c_str()); }

File UnixSocket::accept(int timeout_ms) {
  pollfd entry{.fd = listener_.get(), .events = POLLIN, .revents = 0};
  if (::poll(&entry, 1, timeout_ms) <= 0) return File{};
  return File(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
}

}  // namespace sluice::cosim
