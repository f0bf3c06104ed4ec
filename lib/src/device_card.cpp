// SPDX-License-Identifier: Apache-2.0
#include "device_card.hpp"

#include <sluice.h>

#include <cerrno>
#include <cstring>

#include "error.hpp"
#include "uapi.hpp"

namespace sluice {
namespace {

// An open node, for as long as it is asked.
class Node {
 public:
  Node(SystemCalls& calls, const std::string& path)
      : calls_(calls), path_(path), fd_(calls.open(path)) {
    if (fd_ == -EACCES || fd_ == -EPERM) refuse_permission(path);
    if (fd_ < 0) throw Error(-fd_, "{} cannot be opened: {}", path, message(fd_));
  }
  ~Node() { calls_.close(fd_); }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  void must(unsigned long request, void* argument, const char* what) {
    const int result = calls_.ioctl(fd_, request, argument);
    if (result < 0) throw Error(-result, "{}: {}: {}", path_, what, message(result));
  }

 private:
  SystemCalls& calls_;
  const std::string& path_;
  int fd_;
};

}  // namespace

DeviceCard::DeviceCard(SystemCalls& calls, const std::string& path) {
  Node node(calls, path);
  uapi::sluice_memory_info info{};
  info.size = sizeof info;
  node.must(SLUICE_MEMORY_INFO, &info, "the card does not say how much memory it has");
  uapi::sluice_memory_export all{};
  all.size = sizeof all;
  all.bytes = info.bytes;
  node.must(SLUICE_MEMORY_EXPORT, &all, "the card's memory cannot be exported");
  memory_ = std::make_unique<DmaBuf>(calls, all.fd, info.bytes);
  bytes_ = info.bytes;
}

void DeviceCard::write(uint64_t offset, std::span<const uint8_t> data) {
  memory_->begin_access(SLUICE_WRITE);
  std::memcpy(memory_->data() + offset, data.data(), data.size());
  memory_->end_access(SLUICE_WRITE);
}

void DeviceCard::read(uint64_t offset, std::span<uint8_t> data) {
  memory_->begin_access(SLUICE_READ);
  std::memcpy(data.data(), memory_->data() + offset, data.size());
  memory_->end_access(SLUICE_READ);
}

}  // namespace sluice
