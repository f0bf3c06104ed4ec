// SPDX-License-Identifier: GPL-2.0-only
/*
 * Completions, in memory that user space reads.
 *
 * User space cannot write the ring. It writes its tail, which is believed only as far as it makes
 * sense, and only to find that entries are free: at worst a program spoils its own completions.
 */

#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/vmalloc.h>

#include "ring.h"

/**
 * sluice_ring_size_valid - Can a ring have that many entries?
 * @entries: count
 *
 * Return: true if so.
 */
bool sluice_ring_size_valid(u32 entries)
{
	return entries <= SLUICE_MAX_RING_ENTRIES && is_power_of_2(entries);
}

/**
 * sluice_ring_create - Make a ring
 * @ring: to be filled in
 * @entries: a valid count
 *
 * Return: 0 or -ENOMEM.
 */
int sluice_ring_create(struct sluice_completions *ring, u32 entries)
{
	u32 bytes = PAGE_ALIGN(SLUICE_RING_HEADER + entries * sizeof(struct sluice_completion));
	struct sluice_ring_tail *tail_page = vmalloc_user(PAGE_SIZE);
	struct sluice_ring *shared = vmalloc_user(bytes);

	if (!tail_page || !shared) {
		vfree(tail_page);
		vfree(shared);
		return -ENOMEM;
	}
	shared->entries = entries;
	shared->entry_bytes = sizeof(struct sluice_completion);
	shared->entries_offset = SLUICE_RING_HEADER;
	*ring = (struct sluice_completions){
		.shared = shared,
		.tail_page = tail_page,
		.bytes = bytes,
		.entries = entries,
	};
	return 0;
}

/**
 * sluice_ring_destroy - Remove a ring
 * @ring: that nothing is pushed to any longer; may be without memory
 */
void sluice_ring_destroy(struct sluice_completions *ring)
{
	vfree(ring->shared);
	vfree(ring->tail_page);
	memset(ring, 0, sizeof(*ring));
}

/**
 * sluice_ring_filled - Count the entries that were not consumed
 * @ring: with memory
 *
 * Return: how many.
 */
u32 sluice_ring_filled(struct sluice_completions *ring)
{
	/* Entries are written again only after user space has read them. */
	u32 tail = smp_load_acquire(&ring->tail_page->tail);

	if (tail - ring->tail <= ring->head - ring->tail)
		ring->tail = tail;
	return ring->head - ring->tail;
}

/**
 * sluice_ring_take - Consume entries
 * @ring: with memory
 * @to: where to put them
 * @count: at most so many
 *
 * Return: how many.
 */
u32 sluice_ring_take(struct sluice_completions *ring, struct sluice_completion *to, u32 count)
{
	count = min(count, sluice_ring_filled(ring));
	for (u32 i = 0; i < count; i++)
		to[i] = *sluice_ring_entry(ring, ring->tail + i);
	ring->tail += count;
	WRITE_ONCE(ring->tail_page->tail, ring->tail);
	return count;
}
