// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "a9_clock.h"

#include <string.h>

#define PAGE_BYTES 4096u
#define LINE_WORDS (A9_LINE_BYTES / 8)
#define L1_WAYS 4u	  /* Cortex-A9 TRM 7.1.1, 32 KiB each */
#define L1_SETS 256u
#define L2_WAYS 8u	  /* UG585 3.4, 512 KiB */
#define L2_SETS 2048u
#define MEMORY_END 0x40000000u	  /* UG585 table 4-1 */
#define PRIVATE_FIRST 0xf8f00000u /* UG585 table 4-7: SCU, GIC, timers, L2 cache */
#define PRIVATE_BYTES 0x3000u

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void a9_clock_init(struct a9_clock *clock, const struct sluice_pl_processor *params,
		   uint32_t instruction_ps)
{
	memset(clock, 0, sizeof(*clock));
	clock->params = *params;
	clock->instruction_ps = instruction_ps;
	a9_tags_init(&clock->l1i, L1_SETS, L1_WAYS, A9_PSEUDO_RANDOM);
	a9_tags_init(&clock->l1d, L1_SETS, L1_WAYS, A9_PSEUDO_RANDOM);
	a9_tags_init(&clock->l2, L2_SETS, L2_WAYS, A9_ROUND_ROBIN);
}

void a9_clock_free(struct a9_clock *clock)
{
	a9_tags_free(&clock->l1i);
	a9_tags_free(&clock->l1d);
	a9_tags_free(&clock->l2);
}

/* The core waits until then, for what `waited` counts. */
static void wait_until(struct a9_clock *clock, uint64_t ps, uint64_t *waited)
{
	if (ps <= clock->now_ps)
		return;
	*waited += ps - clock->now_ps;
	clock->now_ps = ps;
}

void a9_reach(struct a9_clock *clock, uint64_t instruction)
{
	const uint64_t passed = instruction - clock->counts.instructions;

	clock->now_ps += passed * clock->instruction_ps;
	clock->counts.instructions = instruction;
	for (unsigned i = 0; i < A9_FILLS; ++i) {
		if (clock->needs[i].ps == 0 || instruction < clock->needs[i].instruction)
			continue;
		wait_until(clock, clock->needs[i].ps, &clock->counts.load_ps);
		clock->needs[i].ps = 0;
	}
}

/* The memory reads or writes at an address: no time. */
static void count_memory(struct a9_clock *clock, uint32_t address, uint64_t *bursts)
{
	const uint32_t page = address / PAGE_BYTES;
	uint32_t *open = &clock->counted_row[page % A9_BANKS];

	++*bursts;
	if (*open != page)
		++clock->counts.memory_rows;
	*open = page;
}

/* A line from or to the memory occupies its port. Returns when it begins, with its row open. */
static uint64_t occupy_memory(struct a9_clock *clock, uint32_t line, uint64_t ps)
{
	const uint32_t page = line / (PAGE_BYTES / A9_LINE_BYTES);
	uint32_t *open = &clock->open_row[page % A9_BANKS];
	uint64_t start = later(ps, clock->memory_free_ps);

	clock->memory_free_ps = start + clock->params.memory_line_ps;
	if (*open != page)
		start += clock->params.memory_row_ps;
	*open = page;
	return start;
}

/* A line that is written holds up the next by the turns from reads to writes and back. */
static void write_memory(struct a9_clock *clock, uint32_t line, uint64_t ps)
{
	++clock->counts.evictions;
	count_memory(clock, line * A9_LINE_BYTES, &clock->counts.memory_writes);
	(void)occupy_memory(clock, line, ps);
	clock->memory_free_ps += clock->params.memory_turn_ps;
}

static void put_in_l2(struct a9_clock *clock, uint32_t line, bool dirty, uint64_t ps)
{
	const uint32_t replaced = a9_tags_insert(&clock->l2, line, dirty);

	if ((replaced & A9_DIRTY) == 0)
		return;
	write_memory(clock, a9_key_of(replaced), ps);
}

/* A line from the memory into the L2 cache, by a linefill buffer of it. `latency_ps`: from asking to
 * the first word at the core. Returns when that is there. */
static uint64_t fill_l2(struct a9_clock *clock, uint32_t line, uint64_t ps, uint32_t latency_ps)
{
	uint64_t *free_ps;
	uint64_t start, ready;

	clock->newest_l2_fill = (clock->newest_l2_fill + 1) % A9_L2_FILLS;
	free_ps = &clock->l2_fill_free_ps[clock->newest_l2_fill];
	count_memory(clock, line * A9_LINE_BYTES, &clock->counts.memory_reads);
	start = occupy_memory(clock, line, later(ps, *free_ps));
	ready = start + latency_ps;
	*free_ps = ready;
	put_in_l2(clock, line, false, ps);
	return ready;
}

static void prefetch_into_l2(struct a9_clock *clock, uint32_t line, uint64_t ps)
{
	if (clock->params.data_prefetch == 0 || line % (PAGE_BYTES / A9_LINE_BYTES) == 0 ||
	    a9_tags_find(&clock->l2, line) != NULL)
		return;
	++clock->counts.prefetches;
	clock->newest_prefetch = (clock->newest_prefetch + 1) % A9_PREFETCHES;
	clock->prefetched[clock->newest_prefetch].line = line;
	clock->prefetched[clock->newest_prefetch].ready_ps =
		fill_l2(clock, line, ps, clock->params.memory_ps);
}

/* When the first word of a line that is asked for at `ps` is at the core. */
static uint64_t read_l2(struct a9_clock *clock, uint32_t line, uint64_t ps, uint32_t hit_ps,
			uint32_t memory_ps)
{
	uint64_t ready;

	if (a9_tags_find(&clock->l2, line) == NULL) {
		++clock->counts.l2_misses;
		ready = fill_l2(clock, line, ps, memory_ps);
	} else {
		++clock->counts.l2_hits;
		ready = ps + hit_ps;
		/* Its tag is there, but it may be on its way. */
		for (unsigned i = 0; i < A9_PREFETCHES; ++i)
			if (clock->prefetched[i].line == line)
				ready = later(ready, clock->prefetched[i].ready_ps);
	}
	prefetch_into_l2(clock, line + 1, ps);
	return ready;
}

void a9_fetch(struct a9_clock *clock, uint32_t address)
{
	const uint32_t line = address / A9_LINE_BYTES;
	uint64_t ready;

	if (a9_tags_find(&clock->l1i, line) != NULL)
		return;
	++clock->counts.fetch_misses;
	ready = read_l2(clock, line, clock->now_ps, clock->params.fetch_hit_ps,
			clock->params.fetch_memory_ps);
	(void)a9_tags_insert(&clock->l1i, line, false);
	wait_until(clock, ready, &clock->counts.fetch_ps);
}

/* The linefill buffer that is free first. */
static struct a9_fill *next_buffer(struct a9_clock *clock)
{
	struct a9_fill *fill = &clock->fills[0];

	for (unsigned i = 1; i < A9_FILLS; ++i)
		if (clock->fills[i].free_ps < fill->free_ps)
			fill = &clock->fills[i];
	return fill;
}

/* A line comes into the L1 cache, asked for at `ps`, when the buffer is free. */
static void fill_l1(struct a9_clock *clock, struct a9_fill *fill, uint32_t line, uint64_t ps,
		    bool dirty)
{
	const struct sluice_pl_processor *params = &clock->params;
	const uint32_t victim = a9_tags_insert(&clock->l1d, line, dirty);
	uint32_t *below;

	fill->line = line;
	fill->ready_ps = read_l2(clock, line, ps, params->l2_hit_ps, params->memory_ps);
	fill->free_ps = fill->ready_ps + (LINE_WORDS - 1) * (uint64_t)params->cycle_ps;
	if ((victim & A9_DIRTY) == 0)
		return;
	below = a9_tags_find(&clock->l2, a9_key_of(victim));
	if (below != NULL)
		*below |= A9_DIRTY;
	else
		put_in_l2(clock, a9_key_of(victim), true, ps);
}

/* When a line's first word is there, 0 if it is; a line that is not is asked for. */
static uint64_t ask_for(struct a9_clock *clock, uint32_t line)
{
	struct a9_fill *fill;

	if (a9_tags_find(&clock->l1d, line) != NULL) {
		for (unsigned i = 0; i < A9_FILLS; ++i)
			if (clock->fills[i].line == line)
				return clock->fills[i].ready_ps;
		return 0;
	}
	++clock->counts.load_misses;
	fill = next_buffer(clock);
	wait_until(clock, fill->free_ps, &clock->counts.load_ps);
	fill_l1(clock, fill, line, clock->now_ps, false);
	return fill->ready_ps;
}

void a9_load(struct a9_clock *clock, uint32_t address, uint32_t distance)
{
	uint64_t ready;
	unsigned place = 0;

	++clock->counts.loads;
	ready = ask_for(clock, address / A9_LINE_BYTES);
	clock->loaded_ps = ready;
	if (ready <= clock->now_ps || distance == A9_NEVER)
		return;
	/* There is a place for each linefill buffer, free once its value has come; loads of one line
	 * come together. */
	while (place + 1 < A9_FILLS && clock->needs[place].ps > clock->now_ps &&
	       clock->needs[place].ps != ready)
		++place;
	if (clock->needs[place].ps != ready ||
	    clock->needs[place].instruction > clock->counts.instructions + distance)
		clock->needs[place].instruction = clock->counts.instructions + distance;
	clock->needs[place].ps = later(clock->needs[place].ps, ready);
}

void a9_prefetch(struct a9_clock *clock, uint32_t address)
{
	(void)ask_for(clock, address / A9_LINE_BYTES);
}

void a9_walk(struct a9_clock *clock, uint32_t address)
{
	wait_until(clock, ask_for(clock, address / A9_LINE_BYTES), &clock->counts.tlb_ps);
}

void a9_micro_tlb_miss(struct a9_clock *clock)
{
	++clock->counts.micro_tlb_misses;
	wait_until(clock, clock->now_ps + clock->params.micro_tlb_miss_ps, &clock->counts.tlb_ps);
}

/* The newest entry of the store buffer leaves it then. Waits for an entry. */
static void take_store(struct a9_clock *clock)
{
	clock->newest_store = (clock->newest_store + 1) % A9_STORES;
	wait_until(clock, clock->drained_ps[clock->newest_store], &clock->counts.store_ps);
}

static void leaves(struct a9_clock *clock, uint64_t ps)
{
	clock->drained_ps[clock->newest_store] = ps;
	clock->last_drained_ps = ps;
}

/* Whether a store goes into the newest entry, which has not left. */
static bool merges(struct a9_clock *clock, uint32_t address)
{
	const bool same = clock->store_word == address / 8 &&
			  clock->drained_ps[clock->newest_store] > clock->now_ps;

	clock->store_word = address / 8;
	return same;
}

void a9_store(struct a9_clock *clock, uint32_t address, bool of_load)
{
	const uint32_t line = address / A9_LINE_BYTES;
	uint32_t *tag;
	uint64_t due;

	++clock->counts.stores;
	if (merges(clock, address))
		return;
	take_store(clock);
	due = later(clock->now_ps, clock->last_drained_ps) + clock->params.cycle_ps;
	if (of_load)
		due = later(due, clock->loaded_ps);
	tag = a9_tags_find(&clock->l1d, line);
	if (tag == NULL) {
		struct a9_fill *fill = next_buffer(clock);

		++clock->counts.store_misses;
		fill_l1(clock, fill, line, later(due, fill->free_ps), true);
		due = fill->free_ps;
	} else {
		*tag |= A9_DIRTY;
		for (unsigned i = 0; i < A9_FILLS; ++i)
			if (clock->fills[i].line == line)
				due = later(due, clock->fills[i].free_ps);
	}
	leaves(clock, due);
}

/* An access that comes after all stores. */
static void wait_for_stores(struct a9_clock *clock, uint64_t *waited)
{
	wait_until(clock, later(clock->last_drained_ps, clock->posted_free_ps), waited);
}

/*
 * When an uncached load has its first words. It does not wait for stores of cached memory; it waits
 * for those that are posted, which take the same way. A burst that begins where the last one ended
 * goes as soon as that has come: its address does not depend on the data, and the core looks so far
 * ahead.
 */
static uint64_t uncached_ready(struct a9_clock *clock, uint32_t address)
{
	uint64_t asked_ps;

	wait_until(clock, clock->posted_free_ps, &clock->counts.uncached_ps);
	if (clock->burst_next != address || clock->burst_bytes <= A9_BEAT_BYTES)
		return clock->now_ps + clock->params.uncached_load_ps;
	asked_ps = later(clock->burst_ready_ps, clock->posted_free_ps);
	if (asked_ps + A9_AHEAD_PS < clock->now_ps)
		asked_ps = clock->now_ps - A9_AHEAD_PS;
	return asked_ps + clock->params.uncached_next_ps;
}

void a9_load_uncached(struct a9_clock *clock, uint32_t address, uint32_t bytes,
		      uint64_t instruction)
{
	uint64_t *waited = &clock->counts.uncached_ps;
	const bool goes_on = clock->burst_instruction == instruction &&
			     clock->burst_next == address && address % A9_LINE_BYTES != 0;

	++clock->counts.uncached_loads;
	if (!goes_on) {
		const uint64_t ready_ps = uncached_ready(clock, address);

		clock->burst_bytes = 0;
		count_memory(clock, address, &clock->counts.memory_reads);
		wait_until(clock, ready_ps, waited);
	}
	clock->burst_instruction = instruction;
	clock->burst_next = address + bytes;
	/* What a line takes beyond its first two words comes with the words that follow. */
	if (clock->burst_bytes >= A9_BEAT_BYTES)
		wait_until(clock,
			   clock->now_ps + (uint64_t)(clock->params.uncached_burst_ps -
						      clock->params.uncached_load_ps) *
						   bytes / (A9_LINE_BYTES - A9_BEAT_BYTES),
			   waited);
	clock->burst_ready_ps = clock->now_ps;
	clock->burst_bytes += bytes;
}

void a9_store_uncached(struct a9_clock *clock, uint32_t address)
{
	++clock->counts.uncached_stores;
	if (merges(clock, address))
		return;
	count_memory(clock, address, &clock->counts.memory_writes);
	take_store(clock);
	/* On their way to the memory there are as many as there are entries. */
	leaves(clock, later(clock->now_ps + clock->params.posted_ps,
			    clock->last_drained_ps + clock->params.posted_ps / A9_STORES));
	clock->posted_free_ps = clock->last_drained_ps;
}

/* Of memory that is mapped as a device's, of a register of the processor's own, of another one. */
static uint32_t register_ps(const struct a9_clock *clock, uint32_t address, uint32_t memory_ps)
{
	if (address < MEMORY_END)
		return memory_ps;
	if (address - PRIVATE_FIRST < PRIVATE_BYTES)
		return clock->params.private_load_ps;
	return clock->params.register_load_ps;
}

void a9_load_register(struct a9_clock *clock, uint32_t address)
{
	uint64_t *waited = &clock->counts.register_ps;

	++clock->counts.register_loads;
	if (address < MEMORY_END)
		count_memory(clock, address, &clock->counts.memory_reads);
	wait_for_stores(clock, waited);
	wait_until(clock,
		   clock->now_ps + register_ps(clock, address, clock->params.uncached_load_ps),
		   waited);
}

void a9_store_register(struct a9_clock *clock, uint32_t address)
{
	++clock->counts.register_stores;
	if (address < MEMORY_END)
		count_memory(clock, address, &clock->counts.memory_writes);
	take_store(clock);
	/* In order, one at a time. */
	leaves(clock, later(clock->now_ps, clock->last_drained_ps) +
			      register_ps(clock, address, clock->params.posted_ps));
	clock->store_word = UINT32_MAX;
	clock->posted_free_ps = clock->last_drained_ps;
}

void a9_barrier(struct a9_clock *clock)
{
	++clock->counts.barriers;
	wait_for_stores(clock, &clock->counts.store_ps);
	clock->burst_ready_ps = clock->now_ps; /* no later load is asked for before */
}

void a9_maintain(struct a9_clock *clock, uint32_t address, unsigned what)
{
	struct a9_tags *tags = (what & A9_IN_L2) != 0		? &clock->l2 :
			       (what & A9_OF_INSTRUCTIONS) != 0 ? &clock->l1i :
								  &clock->l1d;
	const uint32_t line = address / A9_LINE_BYTES;
	uint32_t *tag = a9_tags_find(tags, line);

	++clock->counts.maintained;
	if (tag != NULL && (what & A9_CLEAN) != 0 && (*tag & A9_DIRTY) != 0) {
		*tag &= ~A9_DIRTY;
		if ((what & A9_IN_L2) != 0) {
			write_memory(clock, line, clock->now_ps);
		} else {
			uint32_t *below = a9_tags_find(&clock->l2, line);

			if (below != NULL)
				*below |= A9_DIRTY;
			else
				put_in_l2(clock, line, true, clock->now_ps);
		}
	}
	if (tag != NULL && (what & A9_INVALIDATE) != 0)
		*tag = 0;
	wait_until(clock, clock->now_ps + clock->params.maintain_ps, &clock->counts.maintain_ps);
}

void a9_invalidate_instructions(struct a9_clock *clock)
{
	a9_tags_clear(&clock->l1i);
}
