// SPDX-License-Identifier: Apache-2.0
// Guest: what a virtual machine is to a card, without one: a vfio-user client with memory of its
// own, which accesses registers and waits for messages.
//
// Every call but write32() waits for the card. Errors: std::runtime_error, when the card refuses or
// has gone, or 30 s pass.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sluice/cosim/file.hpp"
#include "vfio_user_wire.hpp"

namespace sluice::cosim {

class Guest {
 public:
  static constexpr uint32_t kMemoryAddress = 0x4000'0000;  // on the bus

  // connection: the other end is the card's. Maps the memory, enables the vectors, makes the card a
  // bus master.
  Guest(File connection, std::size_t memory_bytes, unsigned vectors);
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;
  ~Guest();

  [[nodiscard]] std::span<std::byte> memory() { return memory_; }

  uint32_t read32(uint32_t offset);
  void write32(uint32_t offset, uint32_t value);  // posted
  // Until a message of this vector has come since the last call.
  void wait_interrupt(unsigned vector);

 private:
  // Sends a request with descriptors beside it, and waits for its answer's body.
  template <typename... Parts>
  std::vector<std::byte> ask(wire::Command command, std::span<const int> files,
                             const Parts&... parts);
  template <typename... Parts>
  void send(wire::Command command, uint32_t flags, std::span<const int> files,
            const Parts&... parts);
  std::vector<std::byte> receive();

  File socket_;
  File memory_file_;
  std::span<std::byte> memory_;
  std::vector<File> events_;
};

}  // namespace sluice::cosim
