// SPDX-License-Identifier: Apache-2.0
// The instructions of x86-64 by which compiled code reads and writes a volatile variable, decoded
// from their bytes: mov in its forms with a memory operand, movzx, movsx and movsxd.
#pragma once

#include <cstdint>
#include <optional>

namespace sluice {

struct X86Access {
  enum class Fill : uint8_t { keep, zero, sign };  // what a read makes of the register's rest

  bool write;
  uint8_t bytes;      // of memory: 1, 2, 4 or 8
  uint8_t length;     // of the instruction
  uint8_t reg;        // 0 to 15: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15
  bool high;          // the register's bits 8 to 15: ah, ch, dh, bh
  bool immediate;     // a write of `value` instead of a register
  uint8_t reg_bytes;  // of the register that a read writes
  Fill fill;
  uint64_t value;

  // The register `old` after a read of `value` from memory.
  [[nodiscard]] uint64_t merged(uint64_t old, uint64_t read) const;
  // What a write takes from the register.
  [[nodiscard]] uint64_t taken(uint64_t from) const { return high ? from >> 8 : from; }
};

// Nothing for any other instruction. Reads no byte behind the instruction.
std::optional<X86Access> decode_x86_access(const uint8_t* code);

}  // namespace sluice
