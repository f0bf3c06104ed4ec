// SPDX-License-Identifier: Apache-2.0
#include "vfio_platform.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <utility>

#include "error.hpp"
#include "vfio_order.hpp"

namespace sluice {
namespace {

const std::string& checked(const std::string& address) {
  if (kOrdersDevices) return address;
  throw Error(ENOTSUP,
              "this library does not know how the processor orders accesses to devices; use the "
              "driver, dev:{}",
              address);
}

}  // namespace

VfioPlatform::VfioPlatform(SystemCalls& calls, const std::string& address)
    : calls_(calls),
      address_(checked(address)),
      function_(calls, address),
      registers_(function_.map_registers()) {}

VfioPlatform::~VfioPlatform() {
  try {
    function_.set_bus_master(false);
    while (!given_.empty()) withdraw(given_.begin()->first);
  } catch (const Error&) {
    // The container's end takes the rest back, and until then the pages stay where they are.
  }
}

volatile uint32_t* VfioPlatform::at(uint32_t offset) const {
  if (offset % sizeof(uint32_t) != 0 || offset > registers_.bytes() - sizeof(uint32_t))
    throw Error(EIO, "{} has no register at 0x{:x}: BAR 0 has {} bytes", address_, offset,
                registers_.bytes());
  return registers_.at<volatile uint32_t>(offset);
}

uint32_t VfioPlatform::read32(uint32_t offset) {
  const uint32_t value = *at(offset);
  order_after_register_read();
  if (value == ~uint32_t{0} && !function_.there())
    throw Error(ENODEV, "{} has been removed; close the board", address_);
  return value;
}

void VfioPlatform::write32(uint32_t offset, uint32_t value) {
  volatile uint32_t* const target = at(offset);
  order_before_register_write();
  *target = value;
}

void VfioPlatform::write_bytes(uint32_t offset, uint32_t value, uint8_t enables) {
  auto* const bytes = reinterpret_cast<volatile uint8_t*>(at(offset));
  const auto lane = static_cast<unsigned>(std::countr_zero(enables));
  const uint32_t shifted = value >> 8 * lane;
  order_before_register_write();
  switch (enables) {
    case 0x1:
    case 0x2:
    case 0x4:
    case 0x8: bytes[lane] = static_cast<uint8_t>(shifted); break;
    case 0x3:
    case 0xc:
      *reinterpret_cast<volatile uint16_t*>(bytes + lane) = static_cast<uint16_t>(shifted);
      break;
    case 0xf: *reinterpret_cast<volatile uint32_t*>(bytes) = value; break;
    default:
      throw Error(ENOTSUP,
                  "{} takes stores of 1, 2 or 4 bytes at a multiple of their size, not byte "
                  "enables 0x{:x}",
                  address_, enables);
  }
}

void VfioPlatform::wait_interrupt(uint64_t mask, uint64_t deadline_ns) {
  const uint64_t now = now_ns();
  if (mask != 0)
    relax();
  else if (now < deadline_ns)
    sleep_ns(deadline_ns - now);
}

void VfioPlatform::order_after_memory_read() { order_after_register_read(); }

void VfioPlatform::wait_change(std::span<const MemoryWord> words, uint64_t /*mask*/,
                               uint64_t /*deadline_ns*/) {
  if (std::ranges::all_of(words, [](const MemoryWord& word) { return *word.data == word.seen; }))
    relax();
}

uint64_t VfioPlatform::cpu_work(const sluice_cpu_work& /*work*/, uint64_t /*source*/,
                                uint64_t /*destination*/) {
  throw Error(ENOTSUP,
              "the CPU of {} is the one that runs this program: do the work and read the clock",
              address_);
}

Window VfioPlatform::memory() const {
  const VfioFunction::Addresses& addresses = function_.addresses();
  return {.first = addresses.first, .bytes = addresses.bytes, .page_bytes = addresses.page_bytes};
}

uint8_t* VfioPlatform::provide(uint64_t address, uint64_t bytes) {
  const uint64_t page = function_.addresses().page_bytes;
  const uint64_t skip = address % page;
  const uint64_t size = (skip + bytes + page - 1) / page * page;
  if (size > SIZE_MAX) throw Error(ENOMEM, "no free memory for a buffer of {} bytes", bytes);
  // A file's pages, shared: what a fork() leaves to the child is the same memory, not a copy.
  const int file = calls_.memory_file(size);
  if (file < 0)
    throw Error(-file, "a memory file of {} bytes cannot be made: {}", size, message(file));
  Mapping pages;
  try {
    pages = Mapping(calls_, file, 0, static_cast<size_t>(size), true, "a buffer");
  } catch (...) {
    calls_.close(file);
    throw;
  }
  calls_.close(file);
  // Kept before the device can reach them: nothing that fails here leaves it pages that are gone.
  const auto placed = given_.emplace(address - skip, std::move(pages)).first;
  try {
    function_.map(address - skip, placed->second.at(), size);
  } catch (...) {
    given_.erase(placed);
    throw;
  }
  return placed->second.at<uint8_t>(static_cast<size_t>(skip));
}

void VfioPlatform::withdraw(uint64_t address) {
  const auto found = given_.find(address - address % function_.addresses().page_bytes);
  function_.unmap(found->first, found->second.bytes());
  given_.erase(found);
}

}  // namespace sluice
