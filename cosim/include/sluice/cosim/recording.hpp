// SPDX-License-Identifier: Apache-2.0
// Recording: what passes between a card and its machine, in order, as a file of text.
//
// A line each, after two of '#' that say what it is: the card's cycle in decimal, then
//   R region offset value     the processor has read: 0, 2, 4 are BARs, 7 the configuration space
//   W region offset value     it writes, or tries to; what that causes comes after
//   r address data            the card has read the machine's memory
//   w address data            it has written it, or sent such a write
//   e address bytes           it could not; of a write that was sent, behind its w
//   i vector                  an MSI-X message
//   x                         a function-level reset by the machine
// Numbers are hexadecimal, but for regions, bytes and vectors. A value is a number of as many
// digits as the access has, 2 a byte; data are bytes in order of their addresses. A function-level
// reset by the driver's own write is that write. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <span>
#include <string>

namespace sluice::cosim {

class Recording {
 public:
  // cycles: of the card, now. title: for the second line. Throws std::runtime_error: the file
  // cannot be made.
  Recording(const std::string& path, const std::string& title, std::function<uint64_t()> cycles);

  void accessed(bool write, unsigned region, uint64_t offset, std::span<const std::byte> data);
  void moved(bool write, uint64_t address, std::span<const std::byte> data);
  void failed(uint64_t address, uint64_t bytes);
  void interrupted(unsigned vector);
  void reset();

  // All of it has been written. False: some was not, the disk being full say.
  bool finish();

 private:
  std::ofstream file_;
  std::function<uint64_t()> cycles_;
};

}  // namespace sluice::cosim
