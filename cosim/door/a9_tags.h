/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * Tags of a set-associative cache or TLB, as sluice/model/set_cache.hpp has them: a key belongs to
 * set key % sets; an empty way of the set is taken first, else one is replaced.
 */
#ifndef SLUICE_A9_TAGS_H
#define SLUICE_A9_TAGS_H

#include <stdbool.h>
#include <stdint.h>

#define A9_MAX_WAYS 32

enum a9_replacement { A9_ROUND_ROBIN, A9_PSEUDO_RANDOM };

struct a9_tags {
	uint32_t sets; /* a power of two */
	uint32_t ways;
	enum a9_replacement replacement;
	uint32_t seed;
	uint32_t *entries; /* key << 2, with the flags below; 0: empty */
	uint8_t *next;	   /* of a set, to be replaced */
};

#define A9_VALID 1u
#define A9_DIRTY 2u

/* Keys are below 2^30. Ends the process if memory is short. */
void a9_tags_init(struct a9_tags *tags, uint32_t sets, uint32_t ways,
		  enum a9_replacement replacement);
void a9_tags_free(struct a9_tags *tags);
void a9_tags_clear(struct a9_tags *tags);

static inline uint32_t *a9_tags_find(const struct a9_tags *tags, uint32_t key)
{
	uint32_t *way = tags->entries + (key & (tags->sets - 1)) * tags->ways;

	for (uint32_t i = 0; i < tags->ways; ++i, ++way)
		if ((*way | A9_DIRTY) == (key << 2 | A9_DIRTY | A9_VALID))
			return way;
	return 0;
}

/* The key is not there. Returns the entry that it replaces, 0 if that was empty. */
uint32_t a9_tags_insert(struct a9_tags *tags, uint32_t key, bool dirty);

static inline uint32_t a9_key_of(uint32_t entry)
{
	return entry >> 2;
}

#endif /* SLUICE_A9_TAGS_H */
