// SPDX-License-Identifier: Apache-2.0
#include "device_node.hpp"

#include <cerrno>
#include <utility>

#include "error.hpp"

namespace sluice {
namespace {

[[noreturn]] void refuse(const std::string& path, int error) {
  switch (-error) {
    case EACCES:
    case EPERM: refuse_permission(path);
    case EBUSY:
      throw Error(EBUSY, "{} is in use by another program (fuser -v {} says which)", path, path);
    case ENOENT:
    case ENXIO:
    case ENODEV: throw Error(ENODEV, "{} has gone: its device was removed", path);
    default: throw Error(-error, "{} cannot be opened: {}", path, message(error));
  }
}

}  // namespace

DeviceNode::DeviceNode(SystemCalls& calls, std::string path)
    : calls_(calls), path_(std::move(path)), fd_(calls.open(path_)) {
  if (fd_ < 0) refuse(path_, fd_);
  info_.size = sizeof info_;
  const int result = calls_.ioctl(fd_, SLUICE_INFO, &info_);
  if (result >= 0 && info_.api_version >= 1) return;
  calls_.close(fd_);
  if (result == -ENOTTY || result == -EINVAL)
    throw Error(ENODEV, "{} is not a channel of the driver sluice.ko", path_);
  throw Error(result < 0 ? -result : EPROTO, "{} does not say what it is: {}", path_,
              message(result));
}

int DeviceNode::call(unsigned long request, void* argument) {
  const int result = calls_.ioctl(fd_, request, argument);
  if (result == -ENODEV) throw Error(ENODEV, "the device of {} has gone", path_);
  if (result == -EINTR) throw Error(EINTR, "{}: a signal came first", path_);
  if (result == -ENOTTY)
    throw Error(ENOTSUP, "{}: the loaded driver does not know this call; load a newer one", path_);
  return result;
}

void DeviceNode::must(unsigned long request, void* argument, const char* what) {
  const int result = call(request, argument);
  if (result < 0) throw Error(-result, "{}: {}: {}", path_, what, message(result));
}

void DeviceNode::read(uint64_t offset, std::span<uint8_t> to) {
  for (size_t done = 0; done < to.size();) {
    const int64_t result = calls_.read_at(fd_, offset + done, to.data() + done, to.size() - done);
    if (result == -ESPIPE)
      throw Error(ENOTSUP, "{}: the loaded driver does not copy what is captured; load a newer one",
                  path_);
    if (result == -ENODEV) throw Error(ENODEV, "the device of {} has gone", path_);
    if (result == -EOPNOTSUPP)
      throw Error(ENOTSUP,
                  "{}: the kernel cannot map the ring's memory, so it cannot copy from it; try "
                  "another ?heap=",
                  path_);
    if (result < 0)
      throw Error(static_cast<int>(-result), "{}: {}", path_, message(static_cast<int>(result)));
    if (result == 0) throw Error(EPROTO, "{}: the memory of the ring ends too early", path_);
    done += static_cast<size_t>(result);
  }
}

Mapping DeviceNode::map(uint64_t offset, size_t bytes, bool writable, const char* what) {
  return {calls_, fd_, offset, bytes, writable, path_ + ": " + what};
}

int DeviceNode::allocate(uint64_t bytes) {
  uapi::sluice_allocate allocate{};
  allocate.size = sizeof allocate;
  allocate.bytes = bytes;
  const int result = call(SLUICE_ALLOCATE, &allocate);
  if (result == -ENOMEM)
    throw Error(ENOMEM,
                "{} has no {} bytes of free coherent memory. It must be contiguous; the kernel's "
                "argument cma= reserves more",
                path_, bytes);
  if (result == -EOPNOTSUPP)
    throw Error(
        ENOTSUP,
        "{} cannot allocate coherent memory, because an IOMMU or a bus translates its engine's "
        "addresses; leave out heap=coherent",
        path_);
  if (result < 0)
    throw Error(-result, "{} cannot allocate coherent memory: {}", path_, message(result));
  return allocate.fd;
}

const DeviceNode::Import& DeviceNode::import_now(const DmaBuf& memory, size_t slot) {
  if (slot >= imports_.size()) imports_.resize(slot + 1);
  Import& import = imports_[slot];
  uapi::sluice_attach attach{};
  attach.size = sizeof attach;
  attach.fd = memory.fd();
  const int result = call(SLUICE_ATTACH, &attach);
  if (result == -ENOSPC)
    throw Error(ENOSPC, "{} has {} buffers already; free some", path_, info_.max_buffers);
  if (result < 0)
    throw Error(-result,
                "{}: its engine cannot use the buffer's memory: {}; try another ?heap=", path_,
                message(result));
  import = {.number = attach.buffer, .pieces = attach.pieces};
  return import;
}

void DeviceNode::forget(size_t slot) {
  if (slot >= imports_.size() || imports_[slot].number == 0) return;
  uapi::sluice_detach detach{};
  detach.size = sizeof detach;
  detach.buffer = std::exchange(imports_[slot], {}).number;
  calls_.ioctl(fd_, SLUICE_DETACH, &detach);  // of a device that has gone nothing is left
}

}  // namespace sluice
