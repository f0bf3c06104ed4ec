// SPDX-License-Identifier: Apache-2.0
/*
 * What the processor's own accesses to memory take, measured as two known tools do:
 *
 *	published_memory copy BYTES RUNS	copies BYTES from one place to another, in order, by
 *						words of 64 bits (tinymembench's "C copy")
 *	published_memory lines BYTES RUNS	loads 1,000 pointers, each from where the one before
 *						says, of cache lines of BYTES of memory, in random order
 *	published_memory pages BYTES RUNS	the same, of one line in each page (both: calibrator)
 *
 * What is printed: took.h. A run is of a copy, or of 1,000 loads.
 */
#include "took.h"

enum { LINE = 32, PAGE = 4096, LOADS = 1000, SEED = 1 };

/* Those loops are code of the ARM set, in which the guest's clock sees what a load is needed for. */
#ifdef __arm__
#define ARM_CODE __attribute__((target("arm"), noinline))
#else
#define ARM_CODE
#endif

/* Four words at a time; the compiler may not make it memcpy(). */
ARM_CODE static void copy(uint64_t *to, const uint64_t *from, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(*to); i += 4) {
		const uint64_t a = from[i], b = from[i + 1], c = from[i + 2], d = from[i + 3];

		to[i] = a;
		to[i + 1] = b;
		to[i + 2] = c;
		to[i + 3] = d;
		__asm__ volatile("" ::: "memory");
	}
}

static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

/* One way round through `count` lines that stand `stride` apart. A line of each page stands at
 * another place of it than in the page before, so that they do not share a set of the cache. */
static void **ring_of(char *memory, size_t count, size_t stride)
{
	size_t *order = malloc(count * sizeof(*order));
	uint32_t state = SEED;

	if (order == NULL)
		fail("memory");
	for (size_t i = 0; i < count; ++i)
		order[i] = i;
	for (size_t i = count - 1; i > 0; --i) {
		const size_t other = next_random(&state) % (i + 1), kept = order[i];

		order[i] = order[other];
		order[other] = kept;
	}
#define LINE_AT(number) \
	((void **)(memory + (number)*stride + (stride == PAGE ? (number)*LINE % PAGE : 0)))
	for (size_t i = 0; i < count; ++i)
		*LINE_AT(order[i]) = LINE_AT(order[(i + 1) % count]);
	free(order);
	return LINE_AT(0);
#undef LINE_AT
}

/* Goes on where it last was. */
ARM_CODE static void chase(void ***ring)
{
	void **at = *ring;

	for (unsigned i = 0; i < LOADS; i += 10)
#pragma GCC unroll 10
		for (unsigned k = 0; k < 10; ++k)
			at = *at;
	*ring = at;
}

static char *memory_of(size_t bytes)
{
	char *memory = aligned_alloc(PAGE, bytes);

	if (memory == NULL)
		fail("memory");
	memset(memory, 1, bytes);
	return memory;
}

int main(int argc, char **argv)
{
	const char *mode = argc == 4 ? argv[1] : "";
	const int copies = strcmp(mode, "copy") == 0, pages = strcmp(mode, "pages") == 0;
	const size_t bytes = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
	const unsigned runs = argc == 4 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
	const size_t stride = pages ? PAGE : LINE;
	char *memory, *other = NULL;
	void **ring = NULL;

	if (bytes == 0 || bytes % PAGE != 0 || runs < 1 || runs > RUNS_MAX ||
	    !(copies || pages || strcmp(mode, "lines") == 0)) {
		fprintf(stderr,
			"usage: published_memory copy|lines|pages BYTES RUNS\n"
			"       BYTES is a multiple of %d, RUNS is 1 to %d\n",
			PAGE, RUNS_MAX);
		return 2;
	}
	memory = memory_of(bytes);
	if (copies)
		other = memory_of(bytes);
	else
		ring = ring_of(memory, bytes / stride, stride);
	for (unsigned run = 0; run <= runs; ++run) { /* the first one warms the caches */
		const struct moment begun = begin();
		struct moment ended;

		if (copies)
			copy((uint64_t *)other, (const uint64_t *)memory, bytes);
		else
			for (size_t more = run == 0 ? bytes / stride / LOADS + 1 : 1; more > 0; --more)
				chase(&ring);
		ended = end();
		if (run > 0)
			keep(run - 1, begun, ended);
	}
	return print_runs(runs, bytes, bytes);
}
