// SPDX-License-Identifier: Apache-2.0
// UnixSocket: a UNIX-domain socket that waits for clients. The path is removed by the destructor.
#pragma once

#include <string>

#include "sluice/cosim/file.hpp"

namespace sluice::cosim {

class UnixSocket {
 public:
  // For this process's own user alone. A socket that stands at path is replaced if nobody listens
  // there. Throws std::system_error: the path is taken, is too long (107 bytes), or cannot be made.
  explicit UnixSocket(std::string path);
  UnixSocket(const UnixSocket&) = delete;
  UnixSocket& operator=(const UnixSocket&) = delete;
  ~UnixSocket();

  // The next client, or an empty File after timeout_ms (-1: wait for ever) or a signal.
  File accept(int timeout_ms);
  // Readable when a client waits.
  [[nodiscard]] int descriptor() const { return listener_.get(); }

 private:
  std::string path_;
  File listener_;
};

}  // namespace sluice::cosim
