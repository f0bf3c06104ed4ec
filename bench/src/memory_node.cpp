// SPDX-License-Identifier: Apache-2.0
#include "memory_node.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace uapi {
#include <linux/sluice.h>
}

namespace sluice::bench {

BufferHandle memory_of_node(sluice_board* board, const std::string& path, uint64_t bytes) {
  const int node = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (node < 0)
    throw std::invalid_argument("--ram-of: " + path + " cannot be opened: " + std::strerror(errno));
  uapi::sluice_memory_export part{};
  part.size = sizeof part;
  part.bytes = bytes;
  const int failed = ::ioctl(node, SLUICE_MEMORY_EXPORT, &part) == 0 ? 0 : errno;
  ::close(node);
  if (failed != 0)
    throw std::invalid_argument("--ram-of: " + path + " does not give " + std::to_string(bytes) +
                                " bytes: " + std::strerror(failed));
  BufferHandle buffer = import_buffer(board, part.fd);
  ::close(part.fd);
  return buffer;
}

}  // namespace sluice::bench
