// SPDX-License-Identifier: Apache-2.0
#include "interrupts.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::cosim {
namespace {

// Anything else a client may send could hold this process up, or be written to behind its back.
bool is_eventfd(const File& file) {
  std::array<char, 64> target{};
  const std::string link = "/proc/self/fd/" + std::to_string(file.get());
  const ssize_t bytes = ::readlink(link.c_str(), target.data(), target.size());
  return bytes > 0 &&
         std::string_view(target.data(), static_cast<std::size_t>(bytes)) == "anon_inode:[eventfd]";
}

}  // namespace

int Interrupts::set(const vfio_irq_set& request, std::span<const std::byte> data,
                    std::vector<File>& files) {
  const uint64_t end = uint64_t{request.start} + request.count;
  if (end > events_.size()) return EINVAL;
  if ((request.flags & VFIO_IRQ_SET_ACTION_TYPE_MASK) != VFIO_IRQ_SET_ACTION_TRIGGER) return EINVAL;

  switch (request.flags & VFIO_IRQ_SET_DATA_TYPE_MASK) {
    case VFIO_IRQ_SET_DATA_NONE:
      if (request.count == 0) clear();  // disable the lot
      for (uint32_t i = request.start; i < end; ++i) signal(i);
      return 0;
    case VFIO_IRQ_SET_DATA_BOOL:
      if (data.size() < request.count) return EINVAL;
      for (uint32_t i = 0; i < request.count; ++i)
        if (data[i] != std::byte{0}) signal(request.start + i);
      return 0;
    case VFIO_IRQ_SET_DATA_EVENTFD:
      // Without descriptors: take those vectors' away.
      if (!files.empty() && files.size() != request.count) return EINVAL;
      if (!std::all_of(files.begin(), files.end(), is_eventfd)) return EINVAL;
      for (uint32_t i = 0; i < request.count; ++i)
        events_[request.start + i] = files.empty() ? File{} : std::move(files[i]);
      return 0;
    default: return EINVAL;
  }
}

bool Interrupts::signal(unsigned vector) {
  if (vector >= events_.size() || !events_[vector]) return false;
  // A full counter would block; the event it would add to is pending anyway.
  pollfd entry{.fd = events_[vector].get(), .events = POLLOUT, .revents = 0};
  if (::poll(&entry, 1, 0) != 1 || (entry.revents & POLLOUT) == 0) return false;
  const uint64_t one = 1;
  return ::write(events_[vector].get(), &one, sizeof one) == sizeof one;
}

void Interrupts::clear() {
  for (File& event : events_) event = File{};
}

}  // namespace sluice::cosim
