// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "a9_tags.h"

#include <stdlib.h>
#include <string.h>

void a9_tags_init(struct a9_tags *tags, uint32_t sets, uint32_t ways,
		  enum a9_replacement replacement)
{
	*tags = (struct a9_tags){ .sets = sets, .ways = ways, .replacement = replacement };
	tags->entries = calloc((size_t)sets * ways, sizeof(*tags->entries));
	tags->next = calloc(sets, sizeof(*tags->next));
	if (tags->entries == NULL || tags->next == NULL)
		abort();
	tags->seed = 1;
}

void a9_tags_free(struct a9_tags *tags)
{
	free(tags->entries);
	free(tags->next);
}

void a9_tags_clear(struct a9_tags *tags)
{
	memset(tags->entries, 0, (size_t)tags->sets * tags->ways * sizeof(*tags->entries));
}

uint32_t a9_tags_insert(struct a9_tags *tags, uint32_t key, bool dirty)
{
	const uint32_t set = key & (tags->sets - 1);
	uint32_t *first = tags->entries + set * tags->ways, *way = first;
	uint32_t replaced;

	while (way < first + tags->ways && *way != 0)
		++way;
	if (way == first + tags->ways) {
		uint32_t victim = tags->next[set];

		if (tags->replacement == A9_PSEUDO_RANDOM) {
			tags->seed ^= tags->seed << 13;
			tags->seed ^= tags->seed >> 17;
			tags->seed ^= tags->seed << 5;
			victim = tags->seed % tags->ways;
		}
		way = first + victim;
		tags->next[set] = (uint8_t)((victim + 1) % tags->ways);
	}
	replaced = *way;
	*way = key << 2 | A9_VALID | (dirty ? A9_DIRTY : 0);
	return replaced;
}
