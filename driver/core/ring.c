// SPDX-License-Identifier: GPL-2.0-only
/*
 * Completions, in memory that user space reads.
 *
 * User space cannot write the ring; what it writes, its tail, is believed only as far as it makes
 * sense, and only to find that entries are free: at worst a program spoils its own completions.
 */

#include <linux/log2.h>
#include <linux/vmalloc.h>

#include "sluice_core.h"

#define SLUICE_RING_HEADER	64U /* entries begin on a cache line */

static struct sluice_completion *sluice_ring_entry(struct sluice_completions *ring, u32 index)
{
	struct sluice_completion *entries = (void *)ring->shared + SLUICE_RING_HEADER;

	return &entries[index & (ring->entries - 1)];
}

/**
 * sluice_ring_create - Make the ring, unless there is one
 * @channel: open
 * @entries: a power of two; 0: any size, and one that is there will do
 *
 * Return: 0, -ENOMEM, -EINVAL, or -EBUSY if there is a ring already.
 */
int sluice_ring_create(struct sluice_channel *channel, u32 entries)
{
	struct sluice_completions *ring = &channel->completions;
	struct sluice_ring_tail *tail_page;
	struct sluice_ring *shared;
	unsigned long flags;
	int ret = 0;
	u32 bytes;

	if (entries > SLUICE_MAX_RING_ENTRIES || (entries && !is_power_of_2(entries)))
		return -EINVAL;
	mutex_lock(&channel->setup_lock);
	if (ring->shared) {
		ret = entries ? -EBUSY : 0;
		goto unlock;
	}
	entries = entries ?: SLUICE_RING_ENTRIES;
	bytes = PAGE_ALIGN(SLUICE_RING_HEADER + entries * sizeof(struct sluice_completion));
	tail_page = vmalloc_user(PAGE_SIZE);
	shared = vmalloc_user(bytes);
	if (!tail_page || !shared) {
		vfree(tail_page);
		vfree(shared);
		ret = -ENOMEM;
		goto unlock;
	}
	shared->entries = entries;
	shared->entry_bytes = sizeof(struct sluice_completion);
	shared->entries_offset = SLUICE_RING_HEADER;
	spin_lock_irqsave(&channel->queue_lock, flags); /* poll() finds all of it, or nothing */
	*ring = (struct sluice_completions){
		.shared = shared,
		.tail_page = tail_page,
		.bytes = bytes,
		.entries = entries,
	};
	spin_unlock_irqrestore(&channel->queue_lock, flags);
unlock:
	mutex_unlock(&channel->setup_lock);
	return ret;
}

/**
 * sluice_ring_destroy - Remove the ring
 * @channel: with nothing under way, being closed
 */
void sluice_ring_destroy(struct sluice_channel *channel)
{
	struct sluice_completions *ring = &channel->completions;

	vfree(ring->shared);
	vfree(ring->tail_page);
	memset(ring, 0, sizeof(*ring));
}

/**
 * sluice_ring_push - Produce an entry, which there is room for
 * @channel: queue_lock is held
 * @completion: the entry
 */
void sluice_ring_push(struct sluice_channel *channel, const struct sluice_completion *completion)
{
	struct sluice_completions *ring = &channel->completions;

	*sluice_ring_entry(ring, ring->head) = *completion;
	ring->head++;
	/* Whoever sees the new head sees the entry. */
	smp_store_release(&ring->shared->head, ring->head);
}

/**
 * sluice_ring_filled - Count the entries that were not consumed
 * @channel: with a ring; queue_lock is held
 *
 * Return: how many.
 */
u32 sluice_ring_filled(struct sluice_channel *channel)
{
	struct sluice_completions *ring = &channel->completions;
	/* Entries are written again only after user space has read them. */
	u32 tail = smp_load_acquire(&ring->tail_page->tail);

	if (tail - ring->tail <= ring->head - ring->tail)
		ring->tail = tail;
	return ring->head - ring->tail;
}

/**
 * sluice_ring_take - Consume entries
 * @channel: with a ring; queue_lock is held
 * @to: where to put them
 * @count: at most so many
 *
 * Return: how many.
 */
u32 sluice_ring_take(struct sluice_channel *channel, struct sluice_completion *to, u32 count)
{
	struct sluice_completions *ring = &channel->completions;

	count = min(count, sluice_ring_filled(channel));
	for (u32 i = 0; i < count; i++)
		to[i] = *sluice_ring_entry(ring, ring->tail + i);
	ring->tail += count;
	WRITE_ONCE(ring->tail_page->tail, ring->tail);
	return count;
}
