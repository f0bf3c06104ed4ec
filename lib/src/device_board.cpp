// SPDX-License-Identifier: Apache-2.0
#include "device_board.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "device_channel.hpp"
#include "error.hpp"

namespace sluice {
namespace {

constexpr uint64_t kPageBytes = 4096;  // dma-bufs begin on a page, of whatever size it is

}  // namespace

DeviceBuffer::DeviceBuffer(DeviceBoard& board, size_t slot, SystemCalls& calls, int fd,
                           uint64_t skip, uint64_t bytes, bool imported)
    : sluice_buffer(board, bytes),
      device_(board),
      slot_(slot),
      skip_(skip),
      memory_(calls, fd, skip + bytes, !imported) {}

bool DeviceBuffer::busy() const {
  device_.settle();
  return users > 0;
}

DeviceBoard::DeviceBoard(SystemCalls& calls, std::string name, const std::string& folder,
                         const std::vector<std::string>& names, const std::string& devices,
                         std::string heap, uint64_t busy_poll_ns)
    : calls_(calls),
      busy_poll_(calls, busy_poll_ns),
      name_(std::move(name)),
      coherent_(heap == Heap::kCoherent),
      heap_(calls, devices, std::move(heap)),
      buffers_(1) {
  for (const std::string& node : names) {
    const std::string path = folder + "/" + node;
    if (node == DeviceControl::kName)
      control_ = std::make_unique<DeviceControl>(calls, path);
    else if (node == DeviceCard::kName)
      card_ = std::make_unique<DeviceCard>(calls, path);
    else
      channels_.push_back(std::make_unique<DeviceChannel>(*this, path, node));
  }
}

sluice_board_info DeviceBoard::info() const {
  sluice_board_info info{};
  assign(info.board, name_);
  info.channel_count = static_cast<uint32_t>(channels_.size());
  info.card_bytes = card_bytes();
  return info;
}

uint64_t DeviceBoard::cpu_work(const sluice_cpu_work& /*work*/) {
  throw Error(ENOTSUP,
              "the CPU of {} is the one that runs this program: do the work and read the clock",
              name_);
}

std::optional<size_t> DeviceBoard::wait_any(std::span<sluice_channel* const> channels,
                                            int64_t timeout_ns) {
  const auto ours = [](sluice_channel* channel) -> const DeviceChannel& {
    return static_cast<const DeviceChannel&>(*channel);
  };
  const auto first_over = [&]() -> std::optional<size_t> {
    const auto found = std::ranges::find_if(channels, &DeviceChannel::has_completion, ours);
    if (found == channels.end()) return std::nullopt;
    return static_cast<size_t>(found - channels.begin());
  };
  if (const auto found = first_over(); found || timeout_ns == 0) return found;
  std::vector<const DeviceChannel*> waiting;
  std::vector<pollfd> descriptors;
  for (sluice_channel* channel : channels) {
    if (ours(channel).idle()) continue;
    waiting.push_back(&ours(channel));
    descriptors.push_back({.fd = ours(channel).descriptor(), .events = POLLIN, .revents = 0});
  }
  if (descriptors.empty()) return std::nullopt;
  if (busy_poll_.until(timeout_ns, [&] {
        return std::ranges::any_of(
            waiting, [](const DeviceChannel* channel) { return channel->has_completion(); });
      }))
    return first_over();
  const int result = calls_.poll(descriptors, timeout_ns);
  if (result == -EINTR) throw Error(EINTR, "{}: a signal came first", name_);
  if (result < 0) throw Error(-result, "{}: waiting for completions: {}", name_, message(result));
  if (const auto found = first_over(); found || result == 0) return found;
  for (size_t i = 0; i < waiting.size(); ++i)
    if ((descriptors[i].revents & (POLLERR | POLLHUP)) != 0)
      throw Error(ENODEV, "the device of {} has gone", waiting[i]->path());
  throw Error(EPROTO, "{}: the driver reports completions, but its rings are empty", name_);
}

size_t DeviceBoard::free_slot() {
  auto slot = std::find(buffers_.begin() + kCardSlot + 1, buffers_.end(), nullptr);
  if (slot == buffers_.end()) slot = buffers_.insert(slot, nullptr);
  return static_cast<size_t>(slot - buffers_.begin());
}

// Any channel's does for all, as they snoop the caches alike; another program may have the first.
int DeviceBoard::allocate_coherent(uint64_t bytes) {
  for (const auto& channel : channels_) {
    try {
      return static_cast<const DeviceChannel&>(*channel).allocate(bytes);
    } catch (const Error& error) {
      if (error.errnum() != EBUSY || channel == channels_.back()) throw;
    }
  }
  throw Error(ENODEV, "{} has no channel that allocates coherent memory", name_);
}

int DeviceBoard::allocate_pages(uint64_t bytes) {
  return coherent_ ? allocate_coherent(bytes) : heap_.allocate(bytes);
}

sluice_buffer& DeviceBoard::allocate(uint64_t bytes, const sluice_placement& placement) {
  if (placement.memory == SLUICE_GPU_MEMORY)
    throw Error(ENOTSUP,
                "memory of a GPU is allocated by its own driver and imported as a dma-buf");
  if (placement.memory == SLUICE_ON_CHIP_MEMORY)
    throw Error(ENOTSUP,
                "on-chip memory is imported here: export a part of /dev/sluice/ps/memory by "
                "SLUICE_MEMORY_EXPORT, then sluice_buffer_import()");
  if (placement.alignment > kPageBytes)
    throw Error(ENOTSUP, "a device's buffers are aligned to {} bytes, not {}", kPageBytes,
                placement.alignment);
  const uint64_t skip = placement.offset;
  if (bytes > UINT64_MAX - skip - kPageBytes || bytes + skip > SIZE_MAX - kPageBytes)
    throw Error(ENOMEM, "no free memory for a buffer of {} bytes", bytes);
  const uint64_t pages = (bytes + skip + kPageBytes - 1) / kPageBytes * kPageBytes;
  const size_t slot = free_slot();
  buffers_[slot] =
      std::make_unique<DeviceBuffer>(*this, slot, calls_, allocate_pages(pages), skip, bytes);
  return *buffers_[slot];
}

sluice_buffer& DeviceBoard::import(int fd) {
  const int64_t bytes = calls_.size_of(fd);
  if (bytes <= 0)
    throw Error(bytes < 0 ? static_cast<int>(-bytes) : EINVAL,
                "descriptor {} is not a dma-buf with a size{}{}", fd, bytes < 0 ? ": " : "",
                bytes < 0 ? message(static_cast<int>(bytes)) : "");
  const int ours = calls_.duplicate(fd);
  if (ours < 0) throw Error(-ours, "descriptor {} cannot be kept: {}", fd, message(ours));
  const size_t slot = free_slot();
  buffers_[slot] = std::make_unique<DeviceBuffer>(*this, slot, calls_, ours, 0,
                                                  static_cast<uint64_t>(bytes), true);
  try {  // only a dma-buf has that
    buffers_[slot]->begin_access(SLUICE_READ);
    buffers_[slot]->end_access(SLUICE_READ);
  } catch (const Error& error) {
    buffers_[slot] = nullptr;
    throw Error(EINVAL, "descriptor {} is not a dma-buf: {}", fd, error.what());
  }
  return *buffers_[slot];
}

sluice_buffer& DeviceBoard::map_card(uint64_t offset, uint64_t bytes) {
  const int fd = calls_.duplicate(card_memory().fd());
  if (fd < 0) throw Error(-fd, "the card's memory cannot be opened again: {}", message(fd));
  const size_t slot = free_slot();
  buffers_[slot] = std::make_unique<DeviceBuffer>(*this, slot, calls_, fd, offset, bytes, true);
  return *buffers_[slot];
}

void DeviceBoard::free(sluice_buffer& buffer) {
  auto& ours = static_cast<DeviceBuffer&>(buffer);
  if (ours.captured) throw Error(EBUSY, "a capture uses the buffer");
  for (const auto& channel : channels_) static_cast<DeviceChannel&>(*channel).forget(ours);
  buffers_[ours.slot()] = nullptr;
}

DeviceControl& DeviceBoard::control() const {
  if (!control_)
    throw Error(ENOENT, "{} has no attributes, because it has nothing but engines", name_);
  return *control_;
}

std::vector<sluice_attribute_info> DeviceBoard::attributes() const {
  return control_ ? control_->attributes() : std::vector<sluice_attribute_info>{};
}

uint64_t DeviceBoard::get_attribute(std::string_view name) { return control().get(name); }

void DeviceBoard::set_attribute(std::string_view name, uint64_t value) {
  control().set(name, value);
}

void DeviceBoard::settle() const {
  for (const auto& channel : channels_) static_cast<DeviceChannel&>(*channel).settle();
}

}  // namespace sluice
