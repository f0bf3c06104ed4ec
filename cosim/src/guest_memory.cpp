// SPDX-License-Identifier: Apache-2.0
#include "sluice/cosim/guest_memory.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <limits>

#include "sluice/cosim/recording.hpp"

namespace sluice::cosim {
namespace {

constexpr uint64_t kMaxOffset = std::numeric_limits<off_t>::max();

bool page_aligned(uint64_t value) { return value % GuestMemory::kPage == 0; }

bool recorded(Recording* recording, bool done, bool write, uint64_t address,
              std::span<const std::byte> data) {
  if (recording == nullptr) return done;
  if (done)
    recording->moved(write, address, data);
  else
    recording->failed(address, data.size());
  return done;
}

}  // namespace

int GuestMemory::map(uint64_t address, uint64_t size, Access access, const File& file,
                     uint64_t offset) {
  if (!page_aligned(offset) || offset > kMaxOffset || size > kMaxOffset - offset) return EINVAL;
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return errno;
  // What else can be mapped, a device say, has neither a size to check nor memory's behaviour.
  if (!S_ISREG(status.st_mode)) return EINVAL;
  if (static_cast<uint64_t>(status.st_size) < offset + size) return EINVAL;
  if (const int error = insert(address, {.size = size, .access = access, .memory = nullptr}))
    return error;

  const int protection = (access.read ? PROT_READ : 0) | (access.write ? PROT_WRITE : 0);
  void* memory =
      ::mmap(nullptr, size, protection, MAP_SHARED, file.get(), static_cast<off_t>(offset));
  if (memory == MAP_FAILED) {
    const int error = errno;
    maps_.erase(address);
    return error;
  }
  maps_.at(address).memory = static_cast<std::byte*>(memory);
  return 0;
}

int GuestMemory::reserve(uint64_t address, uint64_t size) {
  return insert(address, {.size = size, .access = {}, .memory = nullptr});
}

int GuestMemory::insert(uint64_t address, const Map& map) {
  if (map.size == 0 || !page_aligned(address) || !page_aligned(map.size)) return EINVAL;
  if (map.size - 1 > std::numeric_limits<uint64_t>::max() - address) return EINVAL;
  if (maps_.size() == kMaxMaps) return ENOSPC;
  const auto next = maps_.lower_bound(address);
  if (next != maps_.end() && next->first - address < map.size) return EEXIST;
  if (next != maps_.begin()) {
    const auto& [before, its] = *std::prev(next);
    if (address - before < its.size) return EEXIST;
  }
  maps_.emplace_hint(next, address, map);
  return 0;
}

int GuestMemory::unmap(uint64_t address, uint64_t size) {
  if (size == 0 || size - 1 > std::numeric_limits<uint64_t>::max() - address) return EINVAL;
  const auto first = maps_.lower_bound(address);
  if (first != maps_.begin()) {
    const auto& [before, its] = *std::prev(first);
    if (address - before < its.size) return EINVAL;
  }
  auto end = first;
  for (; end != maps_.end() && end->first - address < size; ++end)
    if (end->second.size > size - (end->first - address)) return EINVAL;
  if (end == first) return ENOENT;
  for (auto it = first; it != end; ++it) release(it->second);
  maps_.erase(first, end);
  return 0;
}

void GuestMemory::clear() {
  for (const auto& [address, map] : maps_) release(map);
  maps_.clear();
}

void GuestMemory::release(const Map& map) {
  if (map.memory != nullptr) ::munmap(map.memory, map.size);
}

template <typename Piece>
bool GuestMemory::for_pieces(uint64_t address, uint64_t size, bool Access::* needed,
                             Piece piece) const {
  if (size == 0) return true;
  if (size - 1 > std::numeric_limits<uint64_t>::max() - address) return false;
  const auto after = maps_.upper_bound(address);
  if (after == maps_.begin()) return false;
  const auto first = std::prev(after);

  uint64_t at = address - first->first;  // within the map
  uint64_t left = size;
  for (auto it = first;; at = 0) {
    const auto& [base, map] = *it;
    if (at >= map.size || map.memory == nullptr || !(map.access.*needed)) return false;
    if (left <= map.size - at) break;
    left -= map.size - at;
    const uint64_t end = base + map.size;  // not beyond 2^64, or the rest would not be
    if (++it == maps_.end() || it->first != end) return false;
  }

  at = address - first->first;
  left = size;
  for (auto it = first; left > 0; ++it, at = 0) {
    const uint64_t bytes = std::min(left, it->second.size - at);
    piece(it->second.memory + at, bytes);
    left -= bytes;
  }
  return true;
}

bool GuestMemory::without_file(uint64_t address, uint64_t size) const {
  const auto after = maps_.upper_bound(address);
  if (after == maps_.begin()) return false;
  const auto& [base, map] = *std::prev(after);
  return map.memory == nullptr && address - base < map.size && size <= map.size - (address - base);
}

bool GuestMemory::nothing_at(uint64_t address, uint64_t size) const {
  if (size == 0 || size - 1 > std::numeric_limits<uint64_t>::max() - address) return false;
  const auto after = maps_.upper_bound(address);
  if (after != maps_.end() && after->first - address < size) return false;
  if (after == maps_.begin()) return true;
  const auto& [base, map] = *std::prev(after);
  return address - base >= map.size;
}

bool GuestMemory::read(uint64_t address, std::span<std::byte> data) const {
  std::byte* to = data.data();
  const bool done =
      for_pieces(address, data.size(), &Access::read, [&](const std::byte* from, uint64_t bytes) {
        std::memcpy(to, from, bytes);
        to += bytes;
      });
  std::atomic_thread_fence(std::memory_order_acquire);
  return recorded(recording_, done, false, address, data);
}

bool GuestMemory::write(uint64_t address, std::span<const std::byte> data) {
  const std::byte* from = data.data();
  std::atomic_thread_fence(std::memory_order_release);
  const auto piece = [&](std::byte* to, uint64_t bytes) {
    // A word that the guest polls must not be seen in parts, which memcpy() does not promise.
    const auto store = [&]<typename Word>(Word word) {
      std::memcpy(&word, from, sizeof word);
      __atomic_store_n(reinterpret_cast<Word*>(to), word, __ATOMIC_RELAXED);
    };
    const bool aligned = reinterpret_cast<uintptr_t>(to) % bytes == 0;
    if (aligned && bytes == 8)
      store(uint64_t{});
    else if (aligned && bytes == 4)
      store(uint32_t{});
    else if (aligned && bytes == 2)
      store(uint16_t{});
    else
      std::memcpy(to, from, bytes);
    from += bytes;
  };
  return recorded(recording_, for_pieces(address, data.size(), &Access::write, piece), true,
                  address, data);
}

}  // namespace sluice::cosim
