// SPDX-License-Identifier: Apache-2.0
// A channel's device node, open: its calls, and the buffers that it has imported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "device_memory.hpp"
#include "uapi.hpp"

namespace sluice {

class DeviceNode {
 public:
  // Throws Error: EACCES, EBUSY, ENODEV, or what else open() says.
  DeviceNode(SystemCalls& calls, std::string path);
  ~DeviceNode() { calls_.close(fd_); }
  DeviceNode(const DeviceNode&) = delete;
  DeviceNode& operator=(const DeviceNode&) = delete;

  [[nodiscard]] const uapi::sluice_info& info() const { return info_; }
  [[nodiscard]] bool can(uint64_t capability) const {
    return (info_.capabilities & capability) != 0;
  }

  [[nodiscard]] int descriptor() const { return fd_; }

  // One of SLUICE_*. 0 or -errno; what every call may fail with is thrown: ENODEV, EINTR.
  int call(unsigned long request, void* argument);
  // The same, and any failure is thrown as "PATH: what".
  void must(unsigned long request, void* argument, const char* what);
  // Copies what was captured; `offset` is one of map().
  void read(uint64_t offset, std::span<uint8_t> to);
  [[nodiscard]] Mapping map(uint64_t offset, size_t bytes, bool writable, const char* what);

  // A dma-buf of coherent memory: its descriptor. `bytes` is a multiple of a page.
  int allocate(uint64_t bytes);

  // A buffer as this node knows it. `slot` is the buffer's number on its board.
  struct Import {
    uint32_t number = 0;  // 0: not imported
    uint32_t pieces = 0;
  };
  const Import& import(const DmaBuf& memory, size_t slot) {
    if (slot < imports_.size() && imports_[slot].number != 0) return imports_[slot];
    return import_now(memory, slot);
  }
  void forget(size_t slot);

 private:
  const Import& import_now(const DmaBuf& memory, size_t slot);

  SystemCalls& calls_;
  std::string path_;
  int fd_;
  uapi::sluice_info info_{};
  std::vector<Import> imports_;  // by slot
};

}  // namespace sluice
