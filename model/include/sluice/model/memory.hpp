// SPDX-License-Identifier: Apache-2.0
// Content of the board's DDR memory: real bytes, committed by the host only when touched.
//
// A memory spans [base, base + bytes). It is a file in memory without reservation, so a 1 GiB
// memory costs nothing until pages are touched, and reads as zero; whoever maps file() sees the
// same bytes. Ranges can be poisoned for fault injection: an access that overlaps one is answered
// SLVERR, one that leaves the memory DECERR. Constructor throws std::invalid_argument (bytes 0 or
// not a multiple of 4096, base + bytes beyond 2^40) or std::system_error (the host refuses the file
// or the mapping). Not copyable. Not thread-safe: the bytes may be touched by others only while no
// simulation runs on the same board.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "sluice/model/axi.hpp"

namespace sluice::model {

class Memory {
 public:
  Memory(std::uint64_t base, std::uint64_t size_bytes);
  /// Of a file that is there: its first size_bytes, which stay when the memory goes. The descriptor
  /// stays the caller's. std::system_error: it cannot be mapped for reading and writing.
  Memory(std::uint64_t base, std::uint64_t size_bytes, int file);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  [[nodiscard]] std::uint64_t base() const { return base_; }
  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }
  [[nodiscard]] bool contains(std::uint64_t address, std::uint64_t length_bytes) const {
    return address >= base_ && length_bytes <= size_bytes_ &&
           address - base_ <= size_bytes_ - length_bytes;
  }

  /// Host address of a byte; throws std::out_of_range unless the whole range is inside.
  [[nodiscard]] std::uint8_t* host(std::uint64_t address, std::uint64_t length_bytes);

  /// The descriptor of the file whose byte 0 is at base(); it closes with the memory.
  [[nodiscard]] int file() const { return file_; }

  /// The aligned 64-bit little-endian word at `address` (a multiple of 8, inside; not checked).
  [[nodiscard]] std::uint64_t load_word(std::uint64_t address) const {
    std::uint64_t word;
    std::memcpy(&word, bytes_ + (address - base_), sizeof word);
    return word;
  }
  /// Writes the bytes of a word whose `strobe` bit is set (same conditions).
  void store_word(std::uint64_t address, std::uint64_t data, std::uint8_t strobe) {
    std::uint8_t* target = bytes_ + (address - base_);
    if (strobe == 0xff) {
      std::memcpy(target, &data, sizeof data);
      return;
    }
    for (unsigned lane = 0; lane < 8; ++lane) {
      if ((strobe >> lane & 1U) != 0) target[lane] = static_cast<std::uint8_t>(data >> (8U * lane));
    }
  }

  /// okay, slverr (overlaps a poisoned range) or decerr (not wholly inside).
  [[nodiscard]] Response access(std::uint64_t address, std::uint64_t length_bytes) const;

  void poison(std::uint64_t address, std::uint64_t length_bytes);
  void clear_poison() { poisoned_.clear(); }

  /// Gives every page back to the host: the content is zero again, in every mapping.
  /// Throws std::system_error if the host refuses.
  void clear();

 private:
  void map();
  struct Range {
    std::uint64_t first;
    std::uint64_t end;
  };
  std::uint64_t base_;
  std::uint64_t size_bytes_;
  int file_ = -1;
  std::uint8_t* bytes_ = nullptr;
  std::vector<Range> poisoned_;
};

}  // namespace sluice::model
