// SPDX-License-Identifier: Apache-2.0
// GuestMemory: what a device on a virtual machine's bus can reach of that machine's memory.
//
// A map is a piece of a file, which the client sent, at a range of bus addresses. Maps do not
// overlap. An access may span maps that touch; it is done as a whole or, if a byte of it is not
// mapped or not allowed, not at all.
//
// Order: a write is seen by the guest's CPUs after every write before it; an aligned write of 1, 2,
// 4 or 8 bytes is seen whole. Not thread-safe.
//
// A file that its owner makes shorter than what is mapped of it ends this process with SIGBUS on
// the next access behind its end, as it does the virtual machine itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

#include "sluice/cosim/file.hpp"

namespace sluice::cosim {

class Recording;

class GuestMemory {
 public:
  static constexpr std::size_t kMaxMaps = 65'535;  // as Linux's VFIO has by default
  static constexpr uint64_t kPage = 4096;

  struct Access {
    bool read;  // by the device
    bool write;
  };

  // recording: takes down each access; lives as long as this; may be null.
  explicit GuestMemory(Recording* recording = nullptr) : recording_(recording) {}
  GuestMemory(const GuestMemory&) = delete;
  GuestMemory& operator=(const GuestMemory&) = delete;
  ~GuestMemory() { clear(); }

  // Map size bytes of file from offset at address. All three are multiples of kPage, size is not 0,
  // and the file has those bytes. Returns 0 or an errno: EINVAL, EEXIST (overlaps a map), ENOSPC
  // (kMaxMaps), or what fstat() or mmap() said; then nothing has changed. The file may be closed
  // afterwards.
  int map(uint64_t address, uint64_t size, Access access, const File& file, uint64_t offset);
  // A map that no access can use: the client has memory there, and sent no file for it.
  int reserve(uint64_t address, uint64_t size);
  // Remove the maps that lie in a range, as Linux's VFIO does (type 1, version 2): an IOMMU that
  // forgets a whole address space says it so. Returns 0, EINVAL if the range ends within a map, or
  // ENOENT if there is none; then nothing has changed.
  int unmap(uint64_t address, uint64_t size);
  void clear();

  // The client has memory there, in one map, and sent no file for it.
  [[nodiscard]] bool without_file(uint64_t address, uint64_t size) const;

  // No map has a byte of that range: what is there, if anything, only the client knows.
  [[nodiscard]] bool nothing_at(uint64_t address, uint64_t size) const;

  // Copy from, to guest memory. False: not done, see above.
  [[nodiscard]] bool read(uint64_t address, std::span<std::byte> data) const;
  [[nodiscard]] bool write(uint64_t address, std::span<const std::byte> data);

  [[nodiscard]] std::size_t maps() const { return maps_.size(); }

 private:
  struct Map {
    uint64_t size;
    Access access;
    std::byte* memory;  // null: reserved
  };

  int insert(uint64_t address, const Map& map);
  // Calls piece(memory, bytes) for the pieces of an access, in order, if all of it is allowed.
  template <typename Piece>
  bool for_pieces(uint64_t address, uint64_t size, bool Access::* needed, Piece piece) const;
  static void release(const Map& map);

  Recording* recording_;
  std::map<uint64_t, Map> maps_;  // by address
};

}  // namespace sluice::cosim
