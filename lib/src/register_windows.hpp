// SPDX-License-Identifier: Apache-2.0
// Registers at host addresses: pages without access, whose faults this process answers by accesses
// to a board. For drivers that use plain pointers.
//
// The handler of SIGSEGV is there while a window is. It runs on the thread that accesses the window
// and on its stack, and returns when the board has answered: the access takes its place among the
// program's calls on the board, and the rules for those are its rules. Faults elsewhere go to the
// handler that was there before. What cannot be answered is reported in one sentence on the
// standard error, and the fault then goes on as if there were no window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "board.hpp"

namespace sluice {

class RegisterWindows {
 public:
  explicit RegisterWindows(RawAccess& registers) : registers_(registers) {}
  RegisterWindows(const RegisterWindows&) = delete;
  RegisterWindows& operator=(const RegisterWindows&) = delete;
  ~RegisterWindows();

  // Registers from `offset` on at the host address `at` (nullptr: anywhere). Throws Error: EEXIST
  // if something is mapped there, EBUSY if another board has windows, ENOTSUP where the
  // processor's instructions are not decoded.
  void* map(void* at, uint32_t offset, size_t bytes);

  struct Window {
    uintptr_t first;
    size_t bytes;
    uint32_t offset;
  };
  // The window of an address, or nullptr.
  [[nodiscard]] const Window* find(uintptr_t address) const;
  [[nodiscard]] RawAccess& registers() const { return registers_; }

 private:
  RawAccess& registers_;
  std::vector<Window> windows_;
};

}  // namespace sluice
