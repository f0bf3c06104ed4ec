// SPDX-License-Identifier: Apache-2.0
// The C entry points for software with a driver of its own: registers, bus addresses, interrupts
// and the board's memory. They check arguments; board.hpp says what each does.
#include <sluice.h>

#include <cerrno>
#include <cstdint>

#include "address_space.hpp"
#include "board.hpp"
#include "entry.hpp"
#include "error.hpp"

namespace sluice {
namespace {

constexpr unsigned kAllBytes = 0xf;
constexpr uint64_t kControlSpaceBytes = uint64_t{1} << 20;  // of every design

uint32_t checked_offset(uint64_t offset) {
  constexpr uint64_t kLast = kControlSpaceBytes - sizeof(uint32_t);
  if (offset % sizeof(uint32_t) != 0 || offset > kLast)
    throw Error(EINVAL, "a register's offset must be a multiple of 4 up to 0x{:x}, not 0x{:x}",
                kLast, offset);
  return static_cast<uint32_t>(offset);
}

void check_mask(uint64_t mask) {
  if (mask == 0) throw Error(EINVAL, "the mask of interrupt lines is 0; bit n is line n");
}

}  // namespace
}  // namespace sluice

using sluice::AddressSpace;
using sluice::entry;
using sluice::Error;
using sluice::require;

int sluice_board_read_register(sluice_board* board, uint64_t offset, uint32_t* value) {
  return entry([&] {
    require(board, "board");
    require(value, "value");
    *value = board->raw().read_register(sluice::checked_offset(offset));
    return 0;
  });
}

int sluice_board_write_register(sluice_board* board, uint64_t offset, uint32_t value,
                                unsigned enables) {
  return entry([&] {
    require(board, "board");
    if (enables == 0 || enables > sluice::kAllBytes)
      throw Error(EINVAL, "byte enables must be from 0x1 to 0x{:x}, not 0x{:x}; bit i is byte i",
                  sluice::kAllBytes, enables);
    board->raw().write_register(sluice::checked_offset(offset), value,
                                static_cast<uint8_t>(enables));
    return 0;
  });
}

int sluice_board_get_interrupts(sluice_board* board, uint64_t* lines) {
  return entry([&] {
    require(board, "board");
    require(lines, "lines");
    *lines = board->raw().interrupts();
    return 0;
  });
}

int sluice_board_wait_interrupt(sluice_board* board, uint64_t mask, uint64_t timeout_ns,
                                uint64_t* lines) {
  return entry([&] {
    require(board, "board");
    sluice::check_mask(mask);
    const uint64_t high = board->raw().wait_interrupt(mask, timeout_ns);
    if (lines != nullptr) *lines = high;
    return (high & mask) != 0 ? 1 : 0;
  });
}

int sluice_board_interrupt_fd(sluice_board* board, uint64_t mask) {
  return entry([&] {
    require(board, "board");
    sluice::check_mask(mask);
    return board->raw().interrupt_descriptor(mask);
  });
}

int sluice_buffer_get_bus_address(const sluice_buffer* buffer, uint64_t* address) {
  return entry([&] {
    require(buffer, "buffer");
    require(address, "address");
    *address = buffer->board().raw().bus_address(*buffer);
    return 0;
  });
}

int sluice_board_memory_fd(sluice_board* board, uint64_t* first, uint64_t* bytes) {
  return entry([&] {
    require(board, "board");
    require(first, "first");
    require(bytes, "bytes");
    return board->raw().memory_descriptor(first, bytes);
  });
}

int sluice_board_map_registers(sluice_board* board, void* at, uint64_t offset, uint64_t bytes,
                               void** data) {
  return entry([&] {
    require(board, "board");
    require(data, "data");
    *data = nullptr;
    const uint64_t place = reinterpret_cast<uintptr_t>(at);
    if ((place | offset | bytes) % AddressSpace::kPageBytes != 0 || bytes == 0 ||
        offset > sluice::kControlSpaceBytes || bytes > sluice::kControlSpaceBytes - offset)
      throw Error(EINVAL,
                  "host address 0x{:x}, offset 0x{:x} and length {} "
                  "must be multiples of {}. The length must not be 0, and the range must be within "
                  "0x{:x} bytes",
                  place, offset, bytes, AddressSpace::kPageBytes, sluice::kControlSpaceBytes);
    *data = board->raw().map_registers(at, static_cast<uint32_t>(offset), bytes);
    return 0;
  });
}

int sluice_board_map_memory(sluice_board* board, void* at, uint64_t address, uint64_t bytes,
                            void** data) {
  return entry([&] {
    require(board, "board");
    require(data, "data");
    *data = nullptr;
    const uint64_t place = reinterpret_cast<uintptr_t>(at);
    if (bytes == 0 || bytes > SIZE_MAX || (place | address | bytes) % AddressSpace::kPageBytes != 0)
      throw Error(EINVAL,
                  "host address 0x{:x}, bus address 0x{:x} and length "
                  "{} must be multiples of {}, and the length must not be 0",
                  place, address, bytes, AddressSpace::kPageBytes);
    *data = board->raw().map_memory(at, address, bytes);
    return 0;
  });
}
