// SPDX-License-Identifier: Apache-2.0
// What a user-space driver needs of the place where a design lives: registers, interrupts,
// memory and time. A simulated board is one such place; a mapped PCIe card is another.
#pragma once

#include <sluice.h>

#include <cerrno>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "error.hpp"

namespace sluice {

// A word of 32 bits in memory that an engine writes: where it is to the engine and to the program.
struct MemoryWord {
  uint64_t address;  // bus address
  const volatile uint32_t* data;
  uint32_t seen;  // its last value that was looked at
};

// Bus addresses: first to first + bytes - 1.
struct Window {
  uint64_t first;
  uint64_t bytes;
  uint64_t page_bytes;  // two buffers in one page cannot be had
};

// A GPU whose copy engine the program drives.
class PlatformGpu {
 public:
  virtual ~PlatformGpu() = default;
  // Its memory that the bus reaches.
  [[nodiscard]] virtual Window memory() const = 0;
  // Its interrupt line, which goes high at a copy's end.
  [[nodiscard]] virtual unsigned line() const = 0;
  // Bus addresses; one is of its memory. No copy is under way. Time passes.
  virtual void copy(uint64_t source, uint64_t destination, uint64_t bytes) = 0;
  // How the last copy ended: 0 or -errno, as in sluice_completion.
  [[nodiscard]] virtual int status() const = 0;
};

class Platform {
 public:
  virtual ~Platform() = default;

  // 32-bit register access at a byte offset of the design's control space. Time passes.
  // Throws Error(EIO) if the bus answers with an error.
  virtual uint32_t read32(uint32_t offset) = 0;
  virtual void write32(uint32_t offset, uint32_t value) = 0;
  // A write of those bytes of the register whose bit of enables, which is not 0, is set.
  virtual void write_bytes(uint32_t offset, uint32_t value, uint8_t enables) = 0;

  // False: nothing tells of the lines here, and the engines' status registers are read instead.
  [[nodiscard]] virtual bool has_interrupts() const { return true; }

  // Level-sensitive interrupt lines, bit n = line n, and the time at which a line that is
  // high went high; without interrupts: now.
  [[nodiscard]] virtual uint64_t interrupts() const = 0;
  [[nodiscard]] virtual uint64_t interrupt_rise_ns(unsigned line) const = 0;

  // Wait until one of the lines in mask is high or the time is deadline_ns; may end early.
  virtual void wait_interrupt(uint64_t mask, uint64_t deadline_ns) = 0;

  // The program has seen that the lines in mask were high: where they are messages, they are low
  // until the next one.
  virtual void acknowledge(uint64_t mask) { static_cast<void>(mask); }
  // Wait until one of the words is not what was seen, one of the lines in mask is high or the time
  // is deadline_ns; may end early.
  virtual void wait_change(std::span<const MemoryWord> words, uint64_t mask,
                           uint64_t deadline_ns) = 0;

  // Loads that follow see what the device wrote before the word that was just loaded.
  virtual void order_after_memory_read() {}

  // A descriptor that is readable while a line in mask is high; it closes with the platform.
  virtual int interrupt_descriptor(uint64_t mask) {
    static_cast<void>(mask);
    throw Error(ENOTSUP, "this board has no interrupts for programs; read the status registers");
  }

  [[nodiscard]] virtual uint64_t now_ns() const = 0;
  virtual void sleep_ns(uint64_t ns) = 0;
  [[nodiscard]] virtual bool simulated_time() const = 0;

  // The memory of the card, which the CPU reaches through a BAR, or the block RAM of a Zynq's
  // logic: how many bytes it has (0: there is none), and copies by the CPU, in whose time they are.
  // Ranges lie in it.
  [[nodiscard]] virtual uint64_t card_bytes() const { return 0; }
  // Of engines that copy, each reaches so much of it: the first one the first part, and so on.
  [[nodiscard]] virtual uint64_t card_part_bytes() const { return card_bytes(); }
  virtual void write_card(uint64_t offset, std::span<const uint8_t> data) {
    static_cast<void>(offset), static_cast<void>(data);
  }
  virtual void read_card(uint64_t offset, std::span<uint8_t> data) {
    static_cast<void>(offset), static_cast<void>(data);
  }

  // The bus address of that memory, which other devices, and engines that copy, reach it at; 0
  // where none does.
  [[nodiscard]] virtual uint64_t card_address() const { return 0; }
  // The GPU in another slot, or nullptr.
  [[nodiscard]] virtual PlatformGpu* gpu() { return nullptr; }

  // What the platform itself counts, beside the design: read-only attributes.
  struct Counter {
    std::string_view name;
    std::string_view text;
  };
  [[nodiscard]] virtual std::span<const Counter> counters() const { return {}; }
  [[nodiscard]] virtual uint64_t counter(size_t index) const {
    static_cast<void>(index);
    return 0;
  }

  // The time that the board's CPU takes for the work, in ps; its buffers lie at these addresses.
  virtual uint64_t cpu_work(const sluice_cpu_work& work, uint64_t source, uint64_t destination) {
    static_cast<void>(work), static_cast<void>(source), static_cast<void>(destination);
    throw Error(ENOTSUP, "this board has no model of its CPU; give level=transaction on a Zynq");
  }

  // Bus addresses of memory that the design's masters can be given.
  [[nodiscard]] virtual Window memory() const = 0;

  // The same of on-chip memory beside that.
  [[nodiscard]] virtual std::optional<Window> on_chip_memory() const { return std::nullopt; }

  // Give the masters `bytes` from `address` on, in pages of which nothing else is given, and the
  // program the same bytes; where there is a GPU, also of its memory and of the card's; of block
  // RAM within a part; of on-chip memory. Throws Error. Taken back at the latest when the platform
  // ends.
  virtual uint8_t* provide(uint64_t address, uint64_t bytes) = 0;
  // Take back what was given at `address`; no engine uses it.
  virtual void withdraw(uint64_t address) = 0;

  // Whether the masters reach memory of others; of a platform where they do: a file of `bytes` that
  // can be mapped gets a bus address, with its bytes as provide() gives them, until take_back().
  // The descriptor stays the caller's. Throws Error.
  [[nodiscard]] virtual bool lends() const { return false; }
  virtual uint64_t lend(int file, uint64_t bytes) {
    static_cast<void>(file), static_cast<void>(bytes);
    return 0;
  }
  virtual void take_back(uint64_t address) { static_cast<void>(address); }

  // The file whose byte 0 is the byte at bus address `first` and which holds all of the memory.
  struct MemoryFile {
    int descriptor;  // the platform's
    uint64_t first;
    uint64_t bytes;
  };
  [[nodiscard]] virtual MemoryFile memory_file() {
    throw Error(ENOTSUP,
                "this board has no memory of its own: allocate buffers and ask for their bus "
                "addresses");
  }
  // The same of the memory that has a bus address, where there is more than one.
  [[nodiscard]] virtual MemoryFile memory_file_at(uint64_t address) {
    static_cast<void>(address);
    return memory_file();
  }
};

}  // namespace sluice
