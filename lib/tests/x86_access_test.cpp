// SPDX-License-Identifier: Apache-2.0
// Instructions as GNU as encodes them: what each does to memory and registers, and how long it is.
// register_windows_test.cpp runs such instructions.
#include "x86_access.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace sluice {
namespace {

struct Case {
  std::vector<uint8_t> code;
  bool write;
  unsigned bytes, reg;
  uint64_t old, memory, result;  // a read: the register after it; a write: what memory gets
};

constexpr uint64_t kOld = 0x1111'2222'3333'4444, kMemory = 0x8899'aabb'ccdd'eeff;

TEST(X86Access, FormsOfMovAreDecoded) {
  const std::vector<Case> cases{
      // mov (%rax),%ecx; mov 8(%rax),%r9d; mov 0x12345678(%r12),%eax; mov (%rax,%rcx,4),%edx
      {{0x8b, 0x08}, false, 4, 1, kOld, kMemory, 0xccdd'eeff},
      {{0x44, 0x8b, 0x48, 0x08}, false, 4, 9, kOld, kMemory, 0xccdd'eeff},
      {{0x41, 0x8b, 0x84, 0x24, 0x78, 0x56, 0x34, 0x12}, false, 4, 0, kOld, kMemory, 0xccdd'eeff},
      {{0x8b, 0x14, 0x88}, false, 4, 2, kOld, kMemory, 0xccdd'eeff},
      // mov 0x40400004,%eax; mov 0x10(%rip),%eax; mov 0x40400004(,%rcx,4),%eax
      {{0x8b, 0x04, 0x25, 0x04, 0x00, 0x40, 0x40}, false, 4, 0, kOld, kMemory, 0xccdd'eeff},
      {{0x8b, 0x05, 0x10, 0x00, 0x00, 0x00}, false, 4, 0, kOld, kMemory, 0xccdd'eeff},
      {{0x8b, 0x04, 0x8d, 0x04, 0x00, 0x40, 0x40}, false, 4, 0, kOld, kMemory, 0xccdd'eeff},
      // movabs 0x140400004,%eax; mov (%rax),%cx; mov (%rax),%bh; mov (%rax),%sil
      {{0xa1, 4, 0, 0x40, 0x40, 1, 0, 0, 0}, false, 4, 0, kOld, kMemory, 0xccdd'eeff},
      {{0x66, 0x8b, 0x08}, false, 2, 1, kOld, kMemory, 0x1111'2222'3333'eeff},
      {{0x8a, 0x38}, false, 1, 3, kOld, kMemory, 0x1111'2222'3333'ff44},
      {{0x40, 0x8a, 0x30}, false, 1, 6, kOld, kMemory, 0x1111'2222'3333'44ff},
      // movzbl; movzwl; movsbl; movsww is mov; movsbw (%rax),%cx; movswq; movslq (%rax),%rcx
      {{0x0f, 0xb6, 0x08}, false, 1, 1, kOld, kMemory, 0xff},
      {{0x0f, 0xb7, 0x08}, false, 2, 1, kOld, kMemory, 0xeeff},
      {{0x0f, 0xbe, 0x08}, false, 1, 1, kOld, kMemory, 0xffff'ffff},
      {{0x66, 0x0f, 0xbe, 0x08}, false, 1, 1, kOld, kMemory, 0x1111'2222'3333'ffff},
      {{0x48, 0x0f, 0xbf, 0x08}, false, 2, 1, kOld, kMemory, 0xffff'ffff'ffff'eeff},
      {{0x48, 0x63, 0x08}, false, 4, 1, kOld, kMemory, 0xffff'ffff'ccdd'eeff},
      {{0x48, 0x8b, 0x08}, false, 8, 1, kOld, kMemory, kMemory},
      // mov %ecx,(%rax); mov %r15d,8(%r13); mov %ch,(%rax); mov %sil,(%rax); movabs %eax,...
      {{0x89, 0x08}, true, 4, 1, kOld, 0, kOld},
      {{0x45, 0x89, 0x7d, 0x08}, true, 4, 15, kOld, 0, kOld},
      {{0x88, 0x28}, true, 1, 1, kOld, 0, kOld >> 8},
      {{0x40, 0x88, 0x30}, true, 1, 6, kOld, 0, kOld},
      {{0xa3, 4, 0, 0x40, 0x40, 1, 0, 0, 0}, true, 4, 0, kOld, 0, kOld},
      // movl, movw, movb $..., (%rax); movl $..., 0x40400000; movq $-1, (%rax)
      {{0xc7, 0x00, 0x44, 0x33, 0x22, 0x11}, true, 4, 0, 0, 0, 0x1122'3344},
      {{0x66, 0xc7, 0x00, 0x44, 0x33}, true, 2, 0, 0, 0, 0x3344},
      {{0xc6, 0x00, 0x44}, true, 1, 0, 0, 0, 0x44},
      {{0xc7, 0x04, 0x25, 0, 0, 0x40, 0x40, 1, 0, 0, 0}, true, 4, 0, 0, 0, 1},
      {{0x48, 0xc7, 0x00, 0xff, 0xff, 0xff, 0xff}, true, 8, 0, 0, 0, ~uint64_t{0}},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(testing::PrintToString(one.code));
    const auto access = decode_x86_access(one.code.data());
    ASSERT_TRUE(access);
    EXPECT_EQ(access->length, one.code.size());
    EXPECT_EQ(access->write, one.write);
    EXPECT_EQ(access->bytes, one.bytes);
    EXPECT_EQ(access->reg, one.reg);
    EXPECT_EQ(one.write ? (access->immediate ? access->value : access->taken(one.old))
                        : access->merged(one.old, one.memory),
              one.result);
  }
}

TEST(X86Access, OtherInstructionsAreNot) {
  const std::vector<std::vector<uint8_t>> codes{
      {0x8b, 0xc8},              // mov %eax,%ecx: no memory
      {0xc7, 0x08, 1, 0, 0, 0},  // no such instruction
      {0x01, 0x08},              // add %ecx,(%rax)
      {0xff, 0x00},              // incl (%rax)
      {0xf0, 0x89, 0x08},        // a lock
      {0xf3, 0xa5},              // rep movsl
      {0x67, 0x8b, 0x08},        // an address of 32 bits
      {0x64, 0x8b, 0x08},        // a segment
      {0x0f, 0x10, 0x00},        // movups (%rax),%xmm0
      {0x66, 0x0f, 0x6f, 0x00},  // movdqa (%rax),%xmm0
      {0xc5, 0xfa, 0x6f, 0x00},  // vmovdqu
      {0xf7, 0x00, 1, 0, 0, 0},  // testl $1,(%rax)
      {0x87, 0x08},              // xchg
  };
  for (const auto& code : codes)
    EXPECT_FALSE(decode_x86_access(code.data())) << testing::PrintToString(code);
}

}  // namespace
}  // namespace sluice
