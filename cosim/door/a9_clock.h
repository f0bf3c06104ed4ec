/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * How long a Cortex-A9 with its PL310 waits, beyond a fixed time an instruction: for instructions and
 * data that are not in its L1 caches, for translations that are not in its TLBs, for memory that is
 * not cached, for registers, for cache maintenance.
 *
 * The caches, TLBs and buffers are those of sluice/model/a9_core.hpp and pl310.hpp, with the same
 * sizes, and the times that the model has with an idle memory: here nothing is stepped, an access is
 * answered at once by how long the core waits for it. Engines that move data at the same time do not
 * delay it, and do not change the caches' tags.
 *
 *   A load that misses takes a linefill buffer. The core goes on until an instruction needs the
 *     value, or a third line is asked for.
 *   Stores leave through the store buffer, in order, once their line is in the L1 cache; a full
 *     buffer holds the core.
 *   A load of memory that is not cached waits, after stores of such memory; the words of one
 *     instruction (LDM, LDRD) are one burst. A burst behind another one is asked for ahead of the
 *     instructions between them. A store of such memory is posted, and so is one to a register.
 *   Memory is asked for the next line, too (PL310 data prefetch).
 *
 * Times in ps, of a time of the core's own that only moves on; not for several threads.
 */
#ifndef SLUICE_A9_CLOCK_H
#define SLUICE_A9_CLOCK_H

#include <stdint.h>

#include "a9_tags.h"
#include "sluice/cosim/pl_wire.h"

#define A9_LINE_BYTES 32u
#define A9_BEAT_BYTES 8u   /* of the core's bus */
#define A9_FILLS 2u	   /* L1 linefill buffers: Cortex-A9 TRM 7.1 */
#define A9_STORES 4u	   /* entries of the store buffer, of 64 bits: TRM 7.1 */
#define A9_L2_FILLS 4u	   /* PL310 TRM 2.5.1, LFB */
#define A9_BANKS 8u	   /* of DDR3; banks lie directly above a page of 4 KiB */
#define A9_PREFETCHES 8u   /* lines whose arrival in the L2 cache is remembered */
#define A9_AHEAD_PS 32000u /* assumed: the core looks 16 instructions ahead for its next burst */

/* What a translation says of memory. */
enum a9_memory { A9_CACHED, A9_UNCACHED, A9_DEVICE };

struct a9_counts {
	uint64_t instructions;
	uint64_t loads, stores, uncached_loads, uncached_stores, register_loads, register_stores;
	uint64_t fetch_misses, load_misses, store_misses;
	uint64_t l2_hits, l2_misses, prefetches, evictions;
	uint64_t micro_tlb_misses, main_tlb_misses;
	uint64_t maintained, barriers;
	/* Bursts of a line, or of less, that the memory reads and writes, and rows opened for them. */
	uint64_t memory_reads, memory_writes, memory_rows;
	/* What the core waited for, ps: */
	uint64_t fetch_ps, load_ps, store_ps, tlb_ps, uncached_ps, register_ps, maintain_ps;
};

struct a9_fill {
	uint64_t free_ps; /* when its line is in the L1 cache */
	uint64_t ready_ps;
	uint32_t line;
};

struct a9_clock {
	struct sluice_pl_processor params;
	uint32_t instruction_ps; /* of every instruction: what -icount counts */
	struct a9_tags l1i, l1d, l2;
	uint64_t now_ps;
	struct a9_fill fills[A9_FILLS];
	/* Values that are not there yet: when each comes, and which instruction needs it. */
	struct {
		uint64_t ps; /* 0: none */
		uint64_t instruction;
	} needs[A9_FILLS];
	uint64_t loaded_ps; /* when the value of the last load is there */
	uint64_t drained_ps[A9_STORES]; /* when an entry of the store buffer is free, a ring */
	uint32_t newest_store;
	uint64_t last_drained_ps;
	uint32_t store_word; /* address / 8 of the newest entry */
	uint64_t posted_free_ps;
	uint64_t memory_free_ps;
	uint32_t open_row[A9_BANKS];
	uint32_t counted_row[A9_BANKS]; /* the same of all accesses, without their times */
	uint64_t l2_fill_free_ps[A9_L2_FILLS]; /* a ring */
	uint32_t newest_l2_fill;
	struct {
		uint32_t line;
		uint64_t ready_ps;
	} prefetched[A9_PREFETCHES];
	uint32_t newest_prefetch;
	/* The burst that an uncached load may go on with: */
	uint64_t burst_instruction;
	uint32_t burst_next;
	uint32_t burst_bytes;
	uint64_t burst_ready_ps;
	struct a9_counts counts;
};

void a9_clock_init(struct a9_clock *clock, const struct sluice_pl_processor *params,
		   uint32_t instruction_ps);
void a9_clock_free(struct a9_clock *clock);

/*
 * Before `instruction`, counted from the start, does anything else: time is then, at least. Waits
 * for a value that it needs.
 */
void a9_reach(struct a9_clock *clock, uint64_t instruction);

/* Each may move now_ps on, by what the core waits. Addresses are physical. */
void a9_fetch(struct a9_clock *clock, uint32_t address);
/* `distance`: how many instructions later the value is needed; A9_NEVER: another takes its place. */
#define A9_NEVER 0xffu
void a9_load(struct a9_clock *clock, uint32_t address, uint32_t distance);
void a9_prefetch(struct a9_clock *clock, uint32_t address); /* PLD */
/* `of_load`: what is stored has just been loaded. */
void a9_store(struct a9_clock *clock, uint32_t address, bool of_load);
void a9_load_uncached(struct a9_clock *clock, uint32_t address, uint32_t bytes,
		      uint64_t instruction);
void a9_store_uncached(struct a9_clock *clock, uint32_t address);
void a9_load_register(struct a9_clock *clock, uint32_t address);
void a9_store_register(struct a9_clock *clock, uint32_t address);
void a9_barrier(struct a9_clock *clock); /* DSB: all stores are over */
/* A descriptor of the translation tables, waited for. */
void a9_walk(struct a9_clock *clock, uint32_t address);
void a9_micro_tlb_miss(struct a9_clock *clock);

/* Maintenance of a line in the L1 data cache, in that of instructions, or in the L2 cache. */
enum a9_maintenance { A9_CLEAN = 1, A9_INVALIDATE = 2, A9_IN_L2 = 4, A9_OF_INSTRUCTIONS = 8 };
void a9_maintain(struct a9_clock *clock, uint32_t address, unsigned what);
void a9_invalidate_instructions(struct a9_clock *clock);

#endif /* SLUICE_A9_CLOCK_H */
