/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_RING_H
#define SLUICE_RING_H

#include <linux/sluice.h>
#include <linux/types.h>
#include <asm/barrier.h>

#define SLUICE_MAX_RING_ENTRIES	4096U
#define SLUICE_RING_HEADER	64U /* entries begin on a cache line */

/**
 * struct sluice_completions - The ring of completions of an open channel
 * @shared: what user space sees; NULL until it is needed
 * @tail_page: where user space writes how far it has consumed
 * @bytes: of @shared
 * @entries: a power of two
 * @head: produced
 * @tail: consumed, as believed
 *
 * Whoever owns the ring serializes all calls.
 */
struct sluice_completions {
	struct sluice_ring *shared;
	struct sluice_ring_tail *tail_page;
	u32 bytes;
	u32 entries;
	u32 head;
	u32 tail;
};

static inline struct sluice_completion *sluice_ring_entry(struct sluice_completions *ring,
							  u32 index)
{
	struct sluice_completion *entries = (void *)ring->shared + SLUICE_RING_HEADER;

	return &entries[index & (ring->entries - 1)];
}

/* The entry that is produced next, in a ring with room for it. */
static inline struct sluice_completion *sluice_ring_next(struct sluice_completions *ring)
{
	return sluice_ring_entry(ring, ring->head);
}

/* Produce it. */
static inline void sluice_ring_push(struct sluice_completions *ring)
{
	/* Whoever sees the new head sees the entry. */
	smp_store_release(&ring->shared->head, ++ring->head);
}

bool sluice_ring_size_valid(u32 entries);
int sluice_ring_create(struct sluice_completions *ring, u32 entries);
void sluice_ring_destroy(struct sluice_completions *ring);
u32 sluice_ring_filled(struct sluice_completions *ring);
u32 sluice_ring_take(struct sluice_completions *ring, struct sluice_completion *to, u32 count);

#endif
