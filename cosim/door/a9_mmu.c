// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "a9_mmu.h"

#include <stdlib.h>
#include <string.h>

#define MAIN_SETS 64u /* Cortex-A9 TRM 6.2.2: 2 ways of 64 entries */
#define MAIN_WAYS 2u
#define SCTLR_M 1u
#define SCTLR_TRE (1u << 28)
#define ASID_MASK 0xffu
#define SECTION_MASK 0xfff00000u
#define PAGE_MASK 0xfffff000u
#define SECTION_KEY (1u << 20) /* beyond any number of a small page */
#define SPACE_SHIFT 21

enum { FAULT = 0, TABLE = 1, SECTION = 2 };

void a9_mmu_init(struct a9_mmu *mmu, struct a9_clock *clock,
		 bool (*read)(void *context, uint32_t address, uint32_t *value), void *context)
{
	memset(mmu, 0, sizeof(*mmu));
	mmu->clock = clock;
	mmu->read = read;
	mmu->context = context;
	a9_tags_init(&mmu->main_tlb, MAIN_SETS, MAIN_WAYS, A9_ROUND_ROBIN);
	mmu->main_pages = calloc((size_t)MAIN_SETS * MAIN_WAYS, sizeof(*mmu->main_pages));
	if (mmu->main_pages == NULL)
		abort();
}

void a9_mmu_free(struct a9_mmu *mmu)
{
	a9_tags_free(&mmu->main_tlb);
	free(mmu->main_pages);
}

/* TEX[0], C, B choose one of eight kinds of memory. */
static enum a9_memory kind_of(const struct a9_mmu *mmu, uint32_t tex_cb)
{
	const uint32_t n = tex_cb & 7;

	if ((mmu->sctlr & SCTLR_TRE) == 0)
		return (tex_cb & 2) != 0 ? A9_CACHED : (tex_cb & 5) == 4 ? A9_UNCACHED : A9_DEVICE;
	if ((mmu->prrr >> 2 * n & 3) != 2)
		return A9_DEVICE;
	return (mmu->nmrr >> 2 * n & 3) != 0 ? A9_CACHED : A9_UNCACHED;
}

static bool descriptor(struct a9_mmu *mmu, uint32_t address, uint32_t *value)
{
	a9_walk(mmu->clock, address);
	return mmu->read(mmu->context, address, value);
}

/* The walk. False: there is no translation. */
static bool walk(struct a9_mmu *mmu, uint32_t address, struct a9_page *page, bool *global)
{
	const uint32_t n = mmu->ttbcr & 7;
	const bool low = n == 0 || address >> (32 - n) == 0;
	const uint32_t base = low ? mmu->ttbr0 & ~(0x3fffu >> n) : mmu->ttbr1 & ~0x3fffu;
	uint32_t first, second;

	if (!descriptor(mmu, (base & ~3u) + (address >> 20) * 4, &first))
		return false;
	if ((first & 2) != 0) {
		*page = (struct a9_page){
			.first = address & SECTION_MASK,
			.mask = SECTION_MASK,
			.physical = first & SECTION_MASK,
			.memory = (uint8_t)kind_of(mmu, (first >> 10 & 4) | (first >> 2 & 3)),
			.valid = true,
		};
		*global = (first & 1u << 17) == 0;
		return true;
	}
	if ((first & 3) != TABLE ||
	    !descriptor(mmu, (first & ~0x3ffu) + (address >> 12 & 0xff) * 4, &second) ||
	    (second & 3) == FAULT)
		return false;
	/* A large page is told as the small one of it; its TEX lies elsewhere. */
	*page = (struct a9_page){
		.first = address & PAGE_MASK,
		.mask = PAGE_MASK,
		.physical = (second & 2) != 0 ? second & PAGE_MASK :
						(second & 0xffff0000u) | (address & 0xf000u),
		.memory = (uint8_t)kind_of(mmu, ((second & 2) != 0 ? second >> 4 & 4 :
								     second >> 10 & 4) |
							(second >> 2 & 3)),
		.valid = true,
	};
	*global = (second & 1u << 11) == 0;
	return true;
}

/* The main TLB's entry for a key, as its place among the entries. */
static struct a9_page *find_main(struct a9_mmu *mmu, uint32_t key)
{
	const uint32_t *entry = a9_tags_find(&mmu->main_tlb, key);

	return entry == NULL ? NULL : &mmu->main_pages[entry - mmu->main_tlb.entries];
}

/* Keys of 30 bits: the address space stands above the page, mixed so that sets differ. Two pages of
 * one key would be one in 2^8 of a chance only if they had the same number: the page decides. */
static uint32_t key_of(uint32_t space, uint32_t address, bool section, bool global)
{
	const uint32_t page = section ? SECTION_KEY | address >> 20 : address >> 12;

	return (global ? 0 : (space & ASID_MASK) << SPACE_SHIFT) | page;
}

static const struct a9_page *main_page(struct a9_mmu *mmu, uint32_t address)
{
	const struct a9_page *found;
	struct a9_page page;
	bool global;

	for (unsigned kind = 0; kind < 4; ++kind) {
		found = find_main(mmu, key_of(mmu->contextidr, address, kind & 1, kind >> 1));
		if (found != NULL && found->valid)
			return found;
	}
	++mmu->clock->counts.main_tlb_misses;
	if (!walk(mmu, address, &page, &global))
		return NULL;
	const uint32_t key = key_of(mmu->contextidr, address, page.mask == SECTION_MASK, global);

	(void)a9_tags_insert(&mmu->main_tlb, key, false);
	struct a9_page *kept = find_main(mmu, key);

	*kept = page;
	return kept;
}

static bool is_in(const struct a9_page *page, uint32_t address)
{
	return (address & page->mask) == page->first;
}

const struct a9_page *a9_translate(struct a9_mmu *mmu, struct a9_micro_tlb *side, uint32_t address)
{
	static const struct a9_page off = { .memory = A9_DEVICE, .valid = true };
	uint8_t *slot = &side->slot_of[address >> 12 & (A9_MICRO_HASH - 1)];
	struct a9_page *page = &side->pages[*slot];
	const struct a9_page *found;

	if (page->valid && is_in(page, address))
		return page;
	if ((mmu->sctlr & SCTLR_M) == 0)
		return &off;
	/* The hash forgets; the entries are what the micro TLB has. */
	for (unsigned i = 0; i < A9_MICRO_ENTRIES; ++i) {
		page = &side->pages[i];
		if (page->valid && is_in(page, address)) {
			*slot = (uint8_t)i;
			return page;
		}
	}
	a9_micro_tlb_miss(mmu->clock);
	found = main_page(mmu, address);
	if (found == NULL)
		return NULL;
	page = &side->pages[side->next];
	*page = *found;
	*slot = (uint8_t)side->next;
	side->next = (side->next + 1) % A9_MICRO_ENTRIES;
	return page;
}

void a9_fetch_block(struct a9_mmu *mmu, uint32_t address, uint32_t bytes)
{
	const uint32_t last_line = (address + bytes - 1) / A9_LINE_BYTES;
	const struct a9_page *page = a9_translate(mmu, &mmu->instructions, address);

	for (uint32_t line = address / A9_LINE_BYTES; line <= last_line; ++line) {
		const uint32_t at = line * A9_LINE_BYTES;

		/* Neighbours lie anywhere in physical memory. No line is in two pages. */
		if (at > address && (page == NULL || !is_in(page, at)))
			page = a9_translate(mmu, &mmu->instructions, at);
		if (page != NULL)
			a9_fetch(mmu->clock, a9_physical(page, at));
	}
}

static void clear_micro(struct a9_mmu *mmu)
{
	memset(&mmu->instructions, 0, sizeof(mmu->instructions));
	memset(&mmu->data, 0, sizeof(mmu->data));
}

void a9_mmu_set_context(struct a9_mmu *mmu, uint32_t contextidr)
{
	/* TRM 6.2.1: a write of CONTEXTIDR flushes the micro TLBs. */
	mmu->contextidr = contextidr;
	clear_micro(mmu);
}

void a9_mmu_invalidate(struct a9_mmu *mmu)
{
	a9_tags_clear(&mmu->main_tlb);
	clear_micro(mmu);
}

/* TRM 6.2.1: whatever leaves the main TLB, the micro TLBs are flushed. */
void a9_mmu_invalidate_page(struct a9_mmu *mmu, uint32_t address_and_space)
{
	for (unsigned kind = 0; kind < 4; ++kind) {
		const uint32_t key =
			key_of(address_and_space, address_and_space, kind & 1, kind >> 1);
		uint32_t *entry = a9_tags_find(&mmu->main_tlb, key);

		if (entry != NULL)
			*entry = 0;
	}
	clear_micro(mmu);
}

void a9_mmu_invalidate_space(struct a9_mmu *mmu, uint32_t space)
{
	for (unsigned i = 0; i < MAIN_SETS * MAIN_WAYS; ++i) {
		uint32_t *entry = &mmu->main_tlb.entries[i];

		/* Space 0 shares its keys with global pages: those go, too. */
		if (a9_key_of(*entry) >> SPACE_SHIFT == (space & ASID_MASK))
			*entry = 0;
	}
	clear_micro(mmu);
}
