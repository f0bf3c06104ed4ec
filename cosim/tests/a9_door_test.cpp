// SPDX-License-Identifier: Apache-2.0
// The processor's clock in QEMU's plugin: its parts, and its times beside those of the model's
// Cortex-A9, which it has the values of.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "sluice/cosim/processor_times.hpp"
#include "sluice/model/set_cache.hpp"
#include "sluice/model/zynq7000.hpp"

extern "C" {
#include "a9_clock.h"
#include "a9_decode.h"
#include "a9_mmu.h"
#include "a9_tags.h"
}

namespace sluice::cosim {
namespace {

constexpr uint32_t kLine = A9_LINE_BYTES;
constexpr uint32_t kPage = 4096;
constexpr uint32_t kInstructionPs = 1000;

// --- tags ---

void compare_with_the_model(uint32_t sets, uint32_t ways, a9_replacement ours,
                            model::Replacement theirs) {
  a9_tags tags{};
  a9_tags_init(&tags, sets, ways, ours);
  model::SetCache cache(sets, ways, theirs);
  std::mt19937 random(sets);
  std::uniform_int_distribution<uint32_t> key_of(0, 3 * sets * ways);
  for (int step = 0; step < 20'000; ++step) {
    const uint32_t key = key_of(random);
    uint32_t* const entry = a9_tags_find(&tags, key);
    ASSERT_EQ(entry != nullptr, cache.contains(key)) << step;
    const bool dirty = random() % 2 == 0;
    if (random() % 8 == 0) {
      const model::SetCache::Victim removed = cache.invalidate(key);
      const uint32_t ours_removed = entry == nullptr ? 0 : std::exchange(*entry, 0);
      ASSERT_EQ((ours_removed & A9_DIRTY) != 0, removed.dirty) << step;
    } else if (entry != nullptr) {
      if (dirty) {
        *entry |= A9_DIRTY;
        ASSERT_TRUE(cache.mark_dirty(key));
      }
    } else {
      const uint32_t replaced = a9_tags_insert(&tags, key, dirty);
      const model::SetCache::Victim victim = cache.insert(key, dirty);
      ASSERT_EQ(replaced != 0, victim.valid) << step;
      ASSERT_EQ((replaced & A9_DIRTY) != 0, victim.dirty) << step;
      if (victim.valid) {
        ASSERT_EQ(a9_key_of(replaced), victim.key) << step;
      }
    }
  }
  a9_tags_free(&tags);
}

TEST(A9Tags, AreThoseOfTheModel) {
  compare_with_the_model(16, 4, A9_PSEUDO_RANDOM, model::Replacement::pseudo_random);
  compare_with_the_model(64, 2, A9_ROUND_ROBIN, model::Replacement::round_robin);
  compare_with_the_model(1, 32, A9_ROUND_ROBIN, model::Replacement::round_robin);
}

// --- instructions ---

struct Word {
  uint32_t word;
  uint8_t what;
};

a9_instruction decoded(uint32_t word, bool thumb) {
  // Thumb has the first halfword first.
  const uint32_t shown = thumb ? word << 16 | word >> 16 : word;
  const std::array<uint8_t, 4> bytes{static_cast<uint8_t>(shown), static_cast<uint8_t>(shown >> 8),
                                     static_cast<uint8_t>(shown >> 16),
                                     static_cast<uint8_t>(shown >> 24)};
  return a9_decode(bytes.data(), thumb);
}

TEST(A9Decode, KnowsSystemInstructions) {
  // GNU as, -march=armv7-a; Rt is r3.
  for (const Word& each : std::vector<Word>{
           {0xee073f3a, A9_CLEANS_LINE},               // mcr p15, 0, r3, c7, c10, 1
           {0xee073f3b, A9_CLEANS_LINE},               // c7, c11, 1
           {0xee073f36, A9_INVALIDATES_LINE},          // c7, c6, 1
           {0xee073f3e, A9_CLEANS_INVALIDATES_LINE},   // c7, c14, 1
           {0xee073f15, A9_INVALIDATES_INSTRUCTIONS},  // c7, c5, 0
           {0xee073f35, A9_INVALIDATES_INSTRUCTION},   // c7, c5, 1
           {0xee013f10, A9_WRITES_SCTLR},              // c1, c0, 0
           {0xee023f10, A9_WRITES_TTBR0},              // c2, c0, 0
           {0xee023f30, A9_WRITES_TTBR1},              // c2, c0, 1
           {0xee023f50, A9_WRITES_TTBCR},              // c2, c0, 2
           {0xee0a3f12, A9_WRITES_PRRR},               // c10, c2, 0
           {0xee0a3f32, A9_WRITES_NMRR},               // c10, c2, 1
           {0xee0d3f30, A9_WRITES_CONTEXTIDR},         // c13, c0, 1
           {0xee083f17, A9_INVALIDATES_TLB},           // c8, c7, 0
           {0xee083f37, A9_INVALIDATES_TLB_PAGE},      // c8, c7, 1
           {0xee083f33, A9_INVALIDATES_TLB_PAGE},      // c8, c3, 1
           {0xee083f57, A9_INVALIDATES_TLB_SPACE},     // c8, c7, 2
           {0xee083f77, A9_INVALIDATES_TLB},           // c8, c7, 3: of all address spaces
           {0xee113f10, A9_NOTHING},                   // mrc p15, 0, r3, c1, c0, 0
       }) {
    for (const bool thumb : {false, true}) {
      const a9_instruction found = decoded(each.word, thumb);
      EXPECT_EQ(found.what, each.what) << std::hex << each.word;
      if (each.what != A9_NOTHING) {
        EXPECT_EQ(found.base, 3) << std::hex << each.word;
      }
    }
  }
  for (const uint32_t word : {0xf57ff04fU, 0xf57ff04aU})  // dsb sy, dsb ishst
    EXPECT_EQ(decoded(word, false).what, A9_BARRIER);
  EXPECT_EQ(decoded(0xf3bf8f4f, true).what, A9_BARRIER);
  for (const uint32_t word : {0xf57ff05fU, 0xf57ff06fU, 0xe5910004U})  // dmb, isb, ldr
    EXPECT_EQ(decoded(word, false).what, A9_NOTHING);
}

TEST(A9Decode, KnowsConditions) {
  EXPECT_EQ(decoded(0xee073f3e, false).condition, A9_ALWAYS);
  // mcrne p15, 0, r3, c7, c14, 1: as Linux cleans a line that a buffer has a part of.
  const a9_instruction found = decoded(0x1e073f3e, false);
  EXPECT_EQ(found.what, A9_CLEANS_INVALIDATES_LINE);
  EXPECT_EQ(found.condition, 1);
  EXPECT_EQ(decoded(0xf57ff04f, false).condition, A9_ALWAYS);
  EXPECT_EQ(decoded(0xf5d1f07c, false).condition, A9_ALWAYS);
  EXPECT_EQ(decoded(0xee073f3e, true).condition, A9_ALWAYS);
  EXPECT_EQ(decoded(0xf3bf8f4f, true).condition, A9_ALWAYS);
  EXPECT_EQ(decoded(0xf891f07c, true).condition, A9_ALWAYS);
  // ARM ARM DDI 0406C table A8-1, with the flags NZCV.
  for (uint32_t flags = 0; flags < 16; ++flags) {
    const bool n = (flags & 8) != 0, z = (flags & 4) != 0, c = (flags & 2) != 0,
               v = (flags & 1) != 0;
    const std::array<bool, 15> expected{
        z,       !z,     c,      !c,           n,           !n,  v, !v, c && !z,
        !c || z, n == v, n != v, !z && n == v, z || n != v, true};
    for (uint8_t condition = 0; condition < expected.size(); ++condition)
      EXPECT_EQ(a9_holds(condition, flags << 28 | 0x13), expected[condition])
          << int{condition} << " " << flags;
  }
}

TEST(A9Decode, KnowsWherePreloadsPoint) {
  for (const bool thumb : {false, true}) {
    const a9_instruction ahead = decoded(thumb ? 0xf891f07c : 0xf5d1f07c, thumb);  // [r1, #124]
    EXPECT_EQ(ahead.what, A9_PRELOADS);
    EXPECT_EQ(ahead.base, 1);
    EXPECT_EQ(ahead.offset, 124);
    EXPECT_EQ(ahead.index, A9_NO_REGISTER);
    EXPECT_EQ(decoded(thumb ? 0xf811fc04 : 0xf551f004, thumb).offset, -4);  // [r1, #-4]
    const a9_instruction indexed = decoded(thumb ? 0xf811f022 : 0xf7d1f102, thumb);
    EXPECT_EQ(indexed.what, A9_PRELOADS);  // [r1, r2, lsl #2]
    EXPECT_EQ(indexed.base, 1);
    EXPECT_EQ(indexed.index, 2);
    EXPECT_EQ(indexed.shift, 2);
  }
}

TEST(A9Decode, KnowsRegisters) {
  const auto bits = [](std::initializer_list<int> numbers) {
    unsigned mask = 0;
    for (const int number : numbers) mask |= 1U << number;
    return mask;
  };
  struct Case {
    uint32_t word;
    unsigned needs, stores, loads, writes;
  };
  for (const Case& each : std::vector<Case>{
           {0xe5910004, bits({1}), 0, bits({0}), 0},                 // ldr r0, [r1, #4]
           {0xe0c120d8, bits({1}), 0, bits({2, 3}), 0},              // ldrd r2, [r1], #8
           {0xe8b101f8, bits({1}), 0, bits({3, 4, 5, 6, 7, 8}), 0},  // ldm r1!, {r3-r8}
           {0xe8a001f8, bits({0}), bits({3, 4, 5, 6, 7, 8}), 0, 0},  // stm r0!, {r3-r8}
           {0xe4804004, bits({0}), bits({4}), 0, 0},                 // str r4, [r0], #4
           {0xe1c040f8, bits({0}), bits({4, 5}), 0, 0},              // strd r4, [r0, #8]
           {0xe19320b4, bits({3, 4}), 0, bits({2}), 0},              // ldrh r2, [r3, r4]
           {0xe0832514, bits({3, 4, 5}), 0, 0, bits({2})},           // add r2, r3, r4, lsl r5
           {0xe1a02003, bits({3}), 0, 0, bits({2})},                 // mov r2, r3
           {0xe3002001, 0, 0, 0, bits({2})},                         // movw r2, #1
           {0xe1520003, bits({2, 3}), 0, 0, 0},                      // cmp r2, r3
           {0x1afffffe, 0, 0, 0, 0},                                 // bne
           {0xed920b00, bits({2}), 0, 0, 0},                         // vldr d0, [r2]
       }) {
    const a9_registers found = a9_registers_of(each.word);
    EXPECT_EQ(found.needs, each.needs) << std::hex << each.word;
    EXPECT_EQ(found.stores, each.stores) << std::hex << each.word;
    EXPECT_EQ(found.loads, each.loads) << std::hex << each.word;
    EXPECT_EQ(found.writes, each.writes) << std::hex << each.word;
  }
  EXPECT_EQ(a9_registers_of(0xe0020493).needs & bits({3, 4}), bits({3, 4}));  // mul r2, r3, r4
  EXPECT_EQ(a9_registers_of(0xe1931f9f).needs, 0xffffU);                      // ldrex r1, [r3]
}

// --- translation ---

// Tables in a memory of words; what is not there is 0, a fault.
struct Tables {
  std::map<uint32_t, uint32_t> words;
  std::vector<uint32_t> asked;

  static bool read(void* context, uint32_t address, uint32_t* value) {
    auto* const tables = static_cast<Tables*>(context);
    tables->asked.push_back(address);
    const auto found = tables->words.find(address);
    *value = found == tables->words.end() ? 0 : found->second;
    return true;
  }
};

class A9Mmu : public testing::Test {
 protected:
  static constexpr uint32_t kFirst = 0x4000;
  static constexpr uint32_t kSecond = 0x9000;

  A9Mmu() {
    a9_clock_init(&clock_, &times_, kInstructionPs);
    a9_mmu_init(&mmu_, &clock_, Tables::read, &tables_);
    // As Linux sets them (arch/arm/mm/proc-v7-2level.S).
    mmu_.prrr = 0xff0a81a8;
    mmu_.nmrr = 0x40e040e0;
    mmu_.sctlr = 1U | 1U << 28;
    mmu_.ttbr0 = kFirst | 0x6a;  // with bits that are no address
  }
  ~A9Mmu() override {
    a9_mmu_free(&mmu_);
    a9_clock_free(&clock_);
  }
  // A small page's descriptor: TEX[0], C, B; global or not.
  void map(uint32_t address, uint32_t physical, uint32_t tex_cb, bool global = true) {
    tables_.words[kFirst + (address >> 20) * 4] = kSecond | 1;
    tables_.words[kSecond + (address >> 12 & 0xff) * 4] =
        physical | 2 | (tex_cb & 3) << 2 | (tex_cb & 4) << 4 | (global ? 0 : 1U << 11);
  }
  const a9_page* data(uint32_t address) { return a9_translate(&mmu_, &mmu_.data, address); }

  sluice_pl_processor times_ = cortex_a9_times(model::zynq7010());
  a9_clock clock_{};
  a9_mmu mmu_{};
  Tables tables_;
};

TEST_F(A9Mmu, SmallPagesSectionsAndKindsOfMemory) {
  map(0x12345678, 0x00abc000, 7);  // write-back, write-allocate
  const a9_page* page = data(0x12345678);
  ASSERT_NE(page, nullptr);
  EXPECT_EQ(a9_physical(page, 0x12345678), 0x00abc678U);
  EXPECT_EQ(page->memory, A9_CACHED);
  map(0x12346000, 0x00abd000, 1);  // bufferable: Normal, not cached
  EXPECT_EQ(data(0x12346000)->memory, A9_UNCACHED);
  map(0x12347000, 0x00abe000, 4);  // shared device
  EXPECT_EQ(data(0x12347000)->memory, A9_DEVICE);
  map(0x12348000, 0x00abf000, 0);  // strongly ordered
  EXPECT_EQ(data(0x12348000)->memory, A9_DEVICE);
  tables_.words[kFirst + 0xc00 * 4] = 0x00100000 | 2 | 3 << 2 | 1 << 12;  // a section
  page = data(0xc0012344);
  ASSERT_NE(page, nullptr);
  EXPECT_EQ(a9_physical(page, 0xc0012344), 0x00112344U);
  EXPECT_EQ(page->memory, A9_CACHED);
  EXPECT_EQ(data(0x20000000), nullptr);
}

TEST_F(A9Mmu, TlbsAskTheTablesOnce) {
  for (uint32_t n = 0; n < 40; ++n) map(n * kPage, 0x10000 + n * kPage, 7);
  for (uint32_t n = 0; n < 40; ++n) (void)data(n * kPage);
  EXPECT_EQ(clock_.counts.micro_tlb_misses, 40U);
  EXPECT_EQ(clock_.counts.main_tlb_misses, 40U);
  EXPECT_EQ(tables_.asked.size(), 80U);
  // 32 are in the micro TLB; the first 8 were replaced, and are in the main TLB.
  for (uint32_t n = 8; n < 40; ++n) (void)data(n * kPage);
  EXPECT_EQ(clock_.counts.micro_tlb_misses, 40U);
  (void)data(0);
  EXPECT_EQ(clock_.counts.micro_tlb_misses, 41U);
  EXPECT_EQ(clock_.counts.main_tlb_misses, 40U);
  a9_mmu_invalidate(&mmu_);
  (void)data(0);
  EXPECT_EQ(clock_.counts.main_tlb_misses, 41U);
}

TEST_F(A9Mmu, AnAddressSpaceHasItsOwnPages) {
  map(0x8000, 0x00100000, 7, false);
  a9_mmu_set_context(&mmu_, 1);
  EXPECT_EQ(data(0x8000)->physical, 0x00100000U);
  map(0x8000, 0x00200000, 7, false);
  a9_mmu_set_context(&mmu_, 2);
  EXPECT_EQ(data(0x8000)->physical, 0x00200000U);
  a9_mmu_set_context(&mmu_, 1);  // still in the main TLB
  EXPECT_EQ(data(0x8000)->physical, 0x00100000U);
  EXPECT_EQ(clock_.counts.main_tlb_misses, 2U);
}

// As Linux does it after a fault of one page, and at a process' end.
TEST_F(A9Mmu, MaintenanceOfOnePageOrAddressSpaceLeavesTheOthers) {
  map(0x8000, 0x00100000, 7, false);
  map(0x9000, 0x00200000, 7, false);
  map(0xa000, 0x00300000, 7);  // global
  const auto misses_of = [&](std::initializer_list<uint32_t> addresses) {
    const uint64_t before = clock_.counts.main_tlb_misses;
    for (const uint32_t address : addresses) (void)data(address);
    return clock_.counts.main_tlb_misses - before;
  };
  a9_mmu_set_context(&mmu_, 5);
  EXPECT_EQ(misses_of({0x8000, 0x9000, 0xa000}), 3U);
  a9_mmu_set_context(&mmu_, 6);
  EXPECT_EQ(misses_of({0x8000, 0x9000, 0xa000}), 2U);
  const uint64_t micro = clock_.counts.micro_tlb_misses;
  a9_mmu_invalidate_page(&mmu_, 0x8000 | 6);
  EXPECT_EQ(misses_of({0x8000, 0x9000, 0xa000}), 1U);
  EXPECT_EQ(clock_.counts.micro_tlb_misses, micro + 3);  // these go as a whole
  a9_mmu_invalidate_page(&mmu_, 0xa000 | 6);
  EXPECT_EQ(misses_of({0x8000, 0x9000, 0xa000}), 1U);
  a9_mmu_invalidate_space(&mmu_, 6);
  EXPECT_EQ(misses_of({0x8000, 0x9000, 0xa000}), 2U);
  a9_mmu_set_context(&mmu_, 5);
  EXPECT_EQ(misses_of({0x8000, 0x9000, 0xa000}), 0U);
}

TEST_F(A9Mmu, WithoutTranslationAddressesArePhysical) {
  mmu_.sctlr = 0;
  const a9_page* page = data(0x12345678);
  ASSERT_NE(page, nullptr);
  EXPECT_EQ(a9_physical(page, 0x12345678), 0x12345678U);
  EXPECT_EQ(page->memory, A9_DEVICE);
  EXPECT_TRUE(tables_.asked.empty());
}

// Of a block that ends in the next page, each line is fetched from where its page lies.
TEST_F(A9Mmu, ABlockGoesOnInAnotherPage) {
  constexpr uint32_t kBefore = 0x00200000, kBehind = 0x00100000, kFrom = 0x8fd0, kBytes = 0x60;
  map(0x8000, kBefore, 7);
  map(0x9000, kBehind, 7);
  a9_fetch_block(&mmu_, kFrom, kBytes);
  const auto fetched = [&](uint32_t physical) {
    return a9_tags_find(&clock_.l1i, physical / kLine) != nullptr;
  };
  EXPECT_TRUE(fetched(kBefore + 0xfc0) && fetched(kBefore + 0xfe0));
  EXPECT_TRUE(fetched(kBehind) && fetched(kBehind + 0x20));
  EXPECT_FALSE(fetched(kBefore + 0xfa0) || fetched(kBefore + 0x1000) || fetched(kBehind + 0x40));
  EXPECT_EQ(clock_.counts.fetch_misses, 4U);
  EXPECT_EQ(clock_.counts.micro_tlb_misses, 2U);
  // What is not there is not fetched; QEMU has the fault.
  a9_fetch_block(&mmu_, 0x9ff0, 0x20);
  EXPECT_EQ(clock_.counts.fetch_misses, 5U);
  EXPECT_TRUE(fetched(kBehind + 0xfe0));
}

TEST_F(A9Mmu, ABlockAtTheEndOfTheMapEnds) {
  mmu_.sctlr = 0;
  a9_fetch_block(&mmu_, 0xffffffe8, 0x18);
  EXPECT_EQ(clock_.counts.fetch_misses, 1U);
}

// --- times ---

class A9Clock : public testing::Test {
 protected:
  A9Clock() { a9_clock_init(&clock_, &times_, kInstructionPs); }
  ~A9Clock() override { a9_clock_free(&clock_); }

  // The next instruction; what follows is its.
  void step(uint64_t instructions = 1) {
    a9_reach(&clock_, clock_.counts.instructions + instructions);
  }
  // What the core has waited for since it was last asked.
  uint64_t waited_ps() {
    const uint64_t waited = clock_.now_ps - clock_.counts.instructions * kInstructionPs;
    const uint64_t since = waited - waited_before_;
    waited_before_ = waited;
    return since;
  }
  // Lets everything that is on its way arrive.
  void rest() {
    step(10'000);
    (void)waited_ps();
  }

  sluice_pl_processor times_ = cortex_a9_times(model::zynq7010());
  a9_clock clock_{};

 private:
  uint64_t waited_before_ = 0;
};

TEST_F(A9Clock, ALoadWaitsWhereItsValueIsNeeded) {
  step();
  a9_load(&clock_, 0x100000, 2);
  EXPECT_EQ(waited_ps(), 0U);
  step();
  EXPECT_EQ(waited_ps(), 0U);
  step();
  // The bank's row was not open.
  EXPECT_EQ(waited_ps(), times_.memory_ps + times_.memory_row_ps - 2 * kInstructionPs);
  rest();
  a9_load(&clock_, 0x100004, 1);  // in the L1 cache
  step();
  EXPECT_EQ(waited_ps(), 0U);
}

TEST_F(A9Clock, TheNextLineComesToTheL2Cache) {
  a9_load(&clock_, 0x100000, 1);
  rest();
  a9_load(&clock_, 0x100000 + kLine, 1);
  step();
  EXPECT_EQ(waited_ps(), times_.l2_hit_ps - kInstructionPs);
  EXPECT_EQ(clock_.counts.l2_misses, 1U);
  EXPECT_EQ(clock_.counts.l2_hits, 1U);
}

// Lines that are fetched or prefetched, and accesses that go past the caches; not those of
// registers.
TEST_F(A9Clock, BurstsOfTheMemoryAreCounted) {
  a9_load(&clock_, 0x100000, 1);
  EXPECT_EQ(clock_.counts.memory_reads, 2U);
  EXPECT_EQ(clock_.counts.memory_rows, 1U);
  rest();
  a9_store_uncached(&clock_, 0x100000 + kPage);
  a9_store_register(&clock_, 0x100000 + kPage + 4);
  EXPECT_EQ(clock_.counts.memory_writes, 2U);
  EXPECT_EQ(clock_.counts.memory_rows, 2U);
  a9_load_register(&clock_, 0x100000 + 8 * kPage);  // another row of the first bank
  EXPECT_EQ(clock_.counts.memory_reads, 3U);
  EXPECT_EQ(clock_.counts.memory_rows, 3U);
  a9_load_register(&clock_, 0x40000000);
  a9_store_register(&clock_, 0xf8f00100);
  EXPECT_EQ(clock_.counts.memory_reads + clock_.counts.memory_writes, 5U);
}

TEST_F(A9Clock, WhatIsNeverNeededWaitsForALinefillBuffer) {
  for (uint32_t line = 0; line < 2; ++line) a9_load(&clock_, 0x100000 + line * kPage * 8, A9_NEVER);
  EXPECT_EQ(waited_ps(), 0U);
  a9_load(&clock_, 0x100000 + 2 * kPage * 8, A9_NEVER);
  EXPECT_GT(waited_ps(), times_.memory_ps);
}

// Two values are on their way while a third line is asked for: each instruction waits for its own.
TEST_F(A9Clock, AThirdLoadLeavesWhatTheSecondIsNeededFor) {
  const std::array<uint32_t, 3> lines{0x100000, 0x100000 + kPage, 0x100000 + 2 * kPage};
  a9_load(&clock_, lines[0], 1);
  a9_load(&clock_, lines[1], 2);
  const uint64_t second_ps = clock_.loaded_ps;
  a9_load(&clock_, lines[2], 100);  // waits for the first line's linefill buffer
  ASSERT_LT(clock_.now_ps + 2 * kInstructionPs, second_ps);
  step(2);
  EXPECT_EQ(clock_.now_ps, second_ps);
}

TEST_F(A9Clock, StoresLeaveWhileTheCoreGoesOn) {
  for (uint32_t word = 0; word < A9_STORES; ++word) {
    step();
    a9_store(&clock_, 0x200000 + 8 * word, false);
  }
  EXPECT_EQ(waited_ps(), 0U);
  step();
  a9_store(&clock_, 0x200000 + kLine, false);  // the buffer is full until the line has come
  EXPECT_GT(waited_ps(), times_.memory_ps - 8 * kInstructionPs);
  rest();
  step();
  a9_store(&clock_, 0x200000, false);
  step();
  a9_barrier(&clock_);
  EXPECT_LE(waited_ps(), times_.cycle_ps);
}

TEST_F(A9Clock, StoresOfOneWordAreOne) {
  for (uint32_t half = 0; half < 2 * A9_STORES; ++half)
    a9_store(&clock_, 0x200000 + 4 * half, false);
  EXPECT_EQ(waited_ps(), 0U);
}

TEST_F(A9Clock, ADirtyLineGoesDownAndIsThere) {
  a9_store(&clock_, 0x300000, false);
  rest();
  a9_maintain(&clock_, 0x300000, A9_CLEAN | A9_INVALIDATE);
  EXPECT_EQ(waited_ps(), times_.maintain_ps);
  a9_load(&clock_, 0x300000, 1);
  step();
  EXPECT_EQ(waited_ps(), times_.l2_hit_ps - kInstructionPs);
  rest();
  a9_maintain(&clock_, 0x300000, A9_CLEAN | A9_INVALIDATE);
  a9_maintain(&clock_, 0x300000, A9_IN_L2 | A9_CLEAN | A9_INVALIDATE);
  rest();
  a9_load(&clock_, 0x300000, 1);
  step();
  EXPECT_GE(waited_ps(), times_.memory_ps - kInstructionPs);
}

TEST_F(A9Clock, UncachedLoadsOfOneInstructionAreABurst) {
  for (uint32_t word = 0; word < 8; ++word) a9_load_uncached(&clock_, 0x400000 + 4 * word, 4, 0);
  EXPECT_NEAR(static_cast<double>(waited_ps()), times_.uncached_burst_ps, 8);
  rest();
  for (uint32_t word = 0; word < 8; ++word)
    a9_load_uncached(&clock_, 0x400000 + 4 * word, 4, 1 + word);
  EXPECT_EQ(waited_ps(), 8 * uint64_t{times_.uncached_load_ps});
}

TEST_F(A9Clock, ABurstBehindAnotherOneIsAskedForAheadOfTheInstructionsBetween) {
  const auto burst = [&](uint32_t address, uint64_t instruction) {
    for (uint32_t word = 0; word < 8; ++word)
      a9_load_uncached(&clock_, address + 4 * word, 4, instruction);
    return waited_ps();
  };
  const uint64_t more_ps = times_.uncached_burst_ps - times_.uncached_load_ps;
  (void)burst(0x400000, 0);
  for (uint32_t i = 0; i < 10; ++i) step();
  EXPECT_NEAR(static_cast<double>(burst(0x400020, 20)),
              static_cast<double>(times_.uncached_next_ps + more_ps - 10 * kInstructionPs), 8);
  for (uint32_t i = 0; i < 40; ++i) step();  // beyond what it looks ahead
  EXPECT_NEAR(static_cast<double>(burst(0x400040, 80)),
              static_cast<double>(times_.uncached_next_ps + more_ps - A9_AHEAD_PS), 8);
  EXPECT_NEAR(static_cast<double>(burst(0x500000, 90)),
              static_cast<double>(times_.uncached_burst_ps), 8);  // somewhere else
  for (uint32_t i = 0; i < 10; ++i) step();
  a9_barrier(&clock_);
  EXPECT_NEAR(static_cast<double>(burst(0x500020, 110)),
              static_cast<double>(times_.uncached_next_ps + more_ps), 8);
}

TEST_F(A9Clock, AnUncachedLoadDoesNotWaitForStoresToOtherMemory) {
  a9_store(&clock_, 0x300000, false);  // whose line has to come
  a9_load_uncached(&clock_, 0x400000, 4, 0);
  EXPECT_EQ(waited_ps(), times_.uncached_load_ps);
  rest();
  a9_store_uncached(&clock_, 0x500000);
  a9_load_uncached(&clock_, 0x400000, 4, 1);
  EXPECT_EQ(waited_ps(), uint64_t{times_.posted_ps} + times_.uncached_load_ps);
}

TEST_F(A9Clock, ALoadOfARegisterWaitsForStoresBefore) {
  a9_store_register(&clock_, 0xe0001000);
  EXPECT_EQ(waited_ps(), 0U);
  a9_load_register(&clock_, 0xf8f00200);  // the global timer
  EXPECT_EQ(waited_ps(), times_.register_load_ps + times_.private_load_ps);
}

TEST_F(A9Clock, InstructionsAreFetchedOnce) {
  a9_fetch(&clock_, 0x500000);
  EXPECT_EQ(waited_ps(), times_.fetch_memory_ps + times_.memory_row_ps);
  a9_fetch(&clock_, 0x500000);
  EXPECT_EQ(waited_ps(), 0U);
  a9_invalidate_instructions(&clock_);
  a9_fetch(&clock_, 0x500000);
  EXPECT_EQ(waited_ps(), times_.fetch_hit_ps);
  // A line of a program that has been changed: cleaned as data, invalidated as instructions.
  a9_fetch(&clock_, 0x500000 + kLine);
  (void)waited_ps();
  a9_maintain(&clock_, 0x500000, A9_OF_INSTRUCTIONS | A9_INVALIDATE);
  EXPECT_EQ(waited_ps(), times_.maintain_ps);
  a9_fetch(&clock_, 0x500000 + kLine);
  EXPECT_EQ(waited_ps(), 0U);
  a9_fetch(&clock_, 0x500000);
  EXPECT_EQ(waited_ps(), times_.fetch_hit_ps);
}

// --- beside the model's own processor ---

class BesideTheModel : public testing::Test {
 protected:
  using Program = model::CpuProgram;

  BesideTheModel() {
    a9_clock_init(&clock_, &times_, times_.cycle_ps);
    a9_mmu_init(&mmu_, &clock_, Tables::read, &tables_);
    mmu_.prrr = 0xff0a81a8;
    mmu_.nmrr = 0x40e040e0;
    mmu_.sctlr = 1U | 1U << 28;
    mmu_.ttbr0 = kTables;
    for (uint32_t mib = 0; mib < 64; ++mib) {
      tables_.words[kTables + mib * 4] = (kTables + 0x4000 + mib * 0x400) | 1;
      for (uint32_t page = 0; page < 256; ++page)
        tables_.words[kTables + 0x4000 + mib * 0x400 + page * 4] =
            (mib << 20 | page << 12) | 2 | 3 << 2 | 1 << 6;
    }
  }
  ~BesideTheModel() override {
    a9_mmu_free(&mmu_);
    a9_clock_free(&clock_);
  }

  // ns of the second run, here and in the model.
  double model_ns(const Program& program) {
    double ns = 0;
    for (int run = 0; run < 2; ++run) {
      const uint64_t start = std::max(zynq_.now_ps(), zynq_.cpu().finished_ps());
      zynq_.advance_to(start);
      zynq_.start_cpu(program);
      while (zynq_.cpu().running()) zynq_.advance_to(zynq_.now_ps() + 100'000);
      ns = static_cast<double>(zynq_.cpu().finished_ps() - start) / 1e3;
    }
    return ns;
  }
  double door_ns(const Program& program) {
    uint64_t start = 0;
    for (int run = 0; run < 2; ++run) {
      start = clock_.now_ps;
      if (program.kind == Program::Kind::chase)
        chase(program);
      else
        stream(program);
    }
    return static_cast<double>(clock_.now_ps - start) / 1e3;
  }
  void expect_alike(const Program& program, double within) {
    const double here = door_ns(program), there = model_ns(program);
    EXPECT_NEAR(here / there, 1.0, within) << here << " ns, the model " << there;
  }

  static constexpr uint32_t kTables = 48U << 20;
  static constexpr uint32_t kSource = 16U << 20;

 private:
  void step(uint64_t cycles = 1) { a9_reach(&clock_, clock_.counts.instructions + cycles); }
  uint32_t translated(uint32_t address) {
    return a9_physical(a9_translate(&mmu_, &mmu_.data, address), address);
  }
  // The model's loops: a load or store of 8 bytes a cycle, two more at the end of a line.
  void stream(const Program& program) {
    for (uint32_t at = 0; at < program.bytes; at += kLine) {
      for (uint32_t word = 0; word < kLine; word += 8) {
        step();
        a9_load(&clock_, translated(static_cast<uint32_t>(program.source) + at + word), A9_NEVER);
      }
      if (program.kind == Program::Kind::copy)
        for (uint32_t word = 0; word < kLine; word += 8) {
          step();
          a9_store(&clock_, translated(static_cast<uint32_t>(program.destination) + at + word),
                   true);
        }
      step(2);
    }
  }
  void chase(const Program& program) {
    uint64_t slot = 0;
    for (uint64_t load = 0; load < program.loads; ++load) {
      a9_load(&clock_, translated(static_cast<uint32_t>(program.source + slot * program.stride)),
              1);
      step(4);  // load to use
      slot = (slot * 1'103'515'245U + 12'345U) % (program.bytes / program.stride);
    }
  }

  model::Zynq7000 zynq_{model::zynq7010()};
  sluice_pl_processor times_ = cortex_a9_times(zynq_.params());
  a9_clock clock_{};
  a9_mmu mmu_{};
  Tables tables_;
};

TEST_F(BesideTheModel, ReadsAreAlike) {
  for (const uint64_t bytes : {16U << 10, 256U << 10, 4U << 20})
    expect_alike({.kind = Program::Kind::read, .source = kSource, .bytes = bytes}, 0.05);
}

TEST_F(BesideTheModel, CopiesAreAlike) {
  expect_alike({.kind = Program::Kind::copy,
                .source = kSource,
                .destination = (32U << 20) + 4 * kPage,
                .bytes = 4U << 20},
               0.1);
}

TEST_F(BesideTheModel, ChasesAreAlike) {
  const auto chased = [](uint64_t bytes, uint32_t stride) {
    return Program{.kind = Program::Kind::chase,
                   .source = kSource,
                   .bytes = bytes,
                   .stride = stride,
                   .loads = 20'000};
  };
  expect_alike(chased(16 << 10, 64), 0.05);
  expect_alike(chased(256 << 10, 64), 0.1);
  expect_alike(chased(16 << 20, kPage), 0.1);
}

}  // namespace
}  // namespace sluice::cosim
