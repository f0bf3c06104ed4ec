/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * The translation of a Cortex-A9: micro TLBs, main TLB, and the walk of short descriptors with TEX
 * remap (ARM ARM DDI 0406C, B3.5 and B3.8), as Linux sets them up without LPAE. What translates here
 * is only asked what an access costs: faults, domains and permissions are QEMU's.
 */
#ifndef SLUICE_A9_MMU_H
#define SLUICE_A9_MMU_H

#include "a9_clock.h"

#define A9_MICRO_ENTRIES 32u /* Cortex-A9 TRM 6.2.1 */
#define A9_MICRO_HASH 256u

struct a9_page {
	uint32_t first;	   /* address */
	uint32_t mask;	   /* of the bits of an address that say which page */
	uint32_t physical;
	uint8_t memory;	   /* enum a9_memory */
	bool valid;
};

/* One side's micro TLB; a hash finds what it has. */
struct a9_micro_tlb {
	struct a9_page pages[A9_MICRO_ENTRIES];
	uint8_t slot_of[A9_MICRO_HASH];
	uint32_t next;
};

struct a9_mmu {
	struct a9_clock *clock;
	/* The system registers that software writes. */
	uint32_t sctlr, ttbr0, ttbr1, ttbcr, prrr, nmrr, contextidr;
	struct a9_micro_tlb instructions, data;
	/* Main TLB: keys of small pages and of sections, apart; the address space is in the key. */
	struct a9_tags main_tlb;
	struct a9_page *main_pages; /* of its entries */
	/* 32 bits of the machine's memory; false if there is none. */
	bool (*read)(void *context, uint32_t address, uint32_t *value);
	void *context;
};

void a9_mmu_init(struct a9_mmu *mmu, struct a9_clock *clock,
		 bool (*read)(void *context, uint32_t address, uint32_t *value), void *context);
void a9_mmu_free(struct a9_mmu *mmu);

/* The page of an address, charged to the clock; NULL if nothing is there, which QEMU finds too. */
const struct a9_page *a9_translate(struct a9_mmu *mmu, struct a9_micro_tlb *side, uint32_t address);

/* The lines of instructions at `address`, fetched; they may go on in another page. */
void a9_fetch_block(struct a9_mmu *mmu, uint32_t address, uint32_t bytes);

static inline uint32_t a9_physical(const struct a9_page *page, uint32_t address)
{
	return page->physical | (address & ~page->mask);
}

/* Writes of system registers, TLB maintenance. */
void a9_mmu_set_context(struct a9_mmu *mmu, uint32_t contextidr);
void a9_mmu_invalidate(struct a9_mmu *mmu);
void a9_mmu_invalidate_page(struct a9_mmu *mmu, uint32_t address_and_space);
void a9_mmu_invalidate_space(struct a9_mmu *mmu, uint32_t space);

#endif /* SLUICE_A9_MMU_H */
