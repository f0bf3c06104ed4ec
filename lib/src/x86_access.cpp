// SPDX-License-Identifier: Apache-2.0
// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2: instruction
// format; chapters 3 and 4: MOV, MOVSX, MOVSXD, MOVZX.
#include "x86_access.hpp"

#include <cstring>

namespace sluice {
namespace {

uint64_t mask_of(unsigned bytes) {
  return bytes == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * bytes) - 1;
}

// Bytes behind the ModRM byte that give the address; the address itself is in the fault.
unsigned address_bytes(const uint8_t* modrm) {
  const unsigned mod = *modrm >> 6U, rm = *modrm & 7U;
  const bool sib = rm == 4;
  const bool wide = mod == 2 || (mod == 0 && (rm == 5 || (sib && (modrm[1] & 7U) == 5)));
  return (sib ? 1 : 0) + (wide ? 4 : mod == 1 ? 1 : 0);
}

}  // namespace

uint64_t X86Access::merged(uint64_t old, uint64_t read) const {
  uint64_t filled = read & mask_of(bytes);
  if (fill == Fill::sign && (filled >> (8 * bytes - 1) & 1U) != 0) filled |= ~mask_of(bytes);
  if (reg_bytes >= 4)
    return filled & mask_of(reg_bytes);  // a write of 32 bits clears the upper half
  const unsigned shift = high ? 8 : 0;
  const uint64_t field = mask_of(reg_bytes) << shift;
  return (old & ~field) | (filled << shift & field);
}

std::optional<X86Access> decode_x86_access(const uint8_t* code) {
  using Fill = X86Access::Fill;
  const uint8_t* at = code;
  const bool half = *at == 0x66;
  if (half) ++at;
  const uint8_t rex = (*at & 0xf0U) == 0x40 ? *at++ : 0;
  const bool wide = (rex & 8U) != 0;
  const auto operand = static_cast<uint8_t>(wide ? 8 : half ? 2 : 4);
  X86Access access{};
  access.reg_bytes = operand;
  const uint8_t opcode = *at++;
  bool absolute = false;  // an address of 64 bits in the instruction, and no ModRM byte
  switch (opcode) {
    case 0x88:
    case 0x8a:
    case 0xc6: access.bytes = access.reg_bytes = 1; break;
    case 0x89:
    case 0x8b:
    case 0xc7: access.bytes = operand; break;
    case 0xa0:
    case 0xa2:
      access.bytes = access.reg_bytes = 1;
      absolute = true;
      break;
    case 0xa1:
    case 0xa3:
      access.bytes = operand;
      absolute = true;
      break;
    case 0x63:
      access.bytes = 4;
      access.fill = Fill::sign;
      break;
    case 0x0f: {
      const uint8_t second = *at++;
      if (second != 0xb6 && second != 0xb7 && second != 0xbe && second != 0xbf) return std::nullopt;
      access.bytes = (second & 1U) != 0 ? 2 : 1;
      access.fill = second < 0xb8 ? Fill::zero : Fill::sign;
      break;
    }
    default: return std::nullopt;
  }
  access.write = opcode == 0x88 || opcode == 0x89 || opcode == 0xc6 || opcode == 0xc7 ||
                 opcode == 0xa2 || opcode == 0xa3;
  if (absolute) {
    at += 8;
  } else {
    const uint8_t modrm = *at;
    if (modrm >> 6U == 3) return std::nullopt;  // no memory operand
    const unsigned field = modrm >> 3U & 7U;
    at += 1 + address_bytes(at);
    if (opcode == 0xc6 || opcode == 0xc7) {
      if (field != 0) return std::nullopt;
      access.immediate = true;
      const unsigned size = access.bytes == 8 ? 4 : access.bytes;
      std::memcpy(&access.value, at, size);
      at += size;
      if (access.bytes == 8)
        access.value = static_cast<uint64_t>(static_cast<int32_t>(access.value));
    } else {
      access.high = opcode != 0x0f && access.reg_bytes == 1 && rex == 0 && field >= 4;
      access.reg = static_cast<uint8_t>(access.high ? field - 4 : field | (rex & 4U) << 1U);
    }
  }
  access.length = static_cast<uint8_t>(at - code);
  return access;
}

}  // namespace sluice
