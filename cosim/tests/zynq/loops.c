// SPDX-License-Identifier: Apache-2.0
// Loops that a Cortex-A9 spends time in, as sluice/model/a9_core.hpp has them: prints for each of its
// arguments KIND:BYTES[:STRIDE:LOADS] the time of the second run, in ns of CLOCK_MONOTONIC. "steady" is
// a chase again and again, and its time that of the shortest run.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { BANKS_APART = 4 * 4096 }; /* of DRAM, as model/tests/a9_core_test.cpp copies */
enum { STEADY_RUNS = 2000 }; /* over several ticks of the kernel's */
enum { LONG = 1 << 21 }; /* bytes; of fewer there are several rounds */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void copy(void *to, const void *from, uint32_t bytes)
{
	const char *end = (const char *)from + bytes;

	asm volatile("1: ldrd r2, r3, [%1], #8\n"
		     "ldrd r4, r5, [%1], #8\n"
		     "ldrd r6, r7, [%1], #8\n"
		     "ldrd r8, r9, [%1], #8\n"
		     "strd r2, r3, [%0], #8\n"
		     "strd r4, r5, [%0], #8\n"
		     "strd r6, r7, [%0], #8\n"
		     "strd r8, r9, [%0], #8\n"
		     "cmp %1, %2\n"
		     "bne 1b\n"
		     : "+r"(to), "+r"(from)
		     : "r"(end)
		     : "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "cc", "memory");
}

static void read_all(const void *from, uint32_t bytes)
{
	const char *end = (const char *)from + bytes;

	asm volatile("1: ldrd r2, r3, [%0], #8\n"
		     "ldrd r4, r5, [%0], #8\n"
		     "ldrd r2, r3, [%0], #8\n"
		     "ldrd r4, r5, [%0], #8\n"
		     "cmp %0, %1\n"
		     "bne 1b\n"
		     : "+r"(from)
		     : "r"(end)
		     : "r2", "r3", "r4", "r5", "cc", "memory");
}

/* Slots in the order of a linear congruence of full period; each has the address of the next. */
static void *make_chase(char *base, uint32_t slots, uint32_t stride)
{
	uint32_t slot = 0;

	for (uint32_t i = 0; i < slots; ++i) {
		const uint32_t next = (slot * 1103515245u + 12345u) % slots;

		*(void **)(base + slot * stride) = base + next * stride;
		slot = next;
	}
	return base;
}

static void *chase(void *at, uint32_t loads)
{
	for (uint32_t i = 0; i < loads; i += 8)
		asm volatile("ldr %0, [%0]\nldr %0, [%0]\nldr %0, [%0]\nldr %0, [%0]\n"
			     "ldr %0, [%0]\nldr %0, [%0]\nldr %0, [%0]\nldr %0, [%0]\n"
			     : "+r"(at)
			     :
			     : "memory");
	return at;
}

static void *memory(uint32_t bytes)
{
	void *got = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (got == MAP_FAILED)
		exit(1);
	memset(got, 1, bytes);
	return got;
}

static uint64_t shortest_chase(void *at, uint32_t loads)
{
	uint64_t shortest = UINT64_MAX;

	for (uint32_t run = 0; run < STEADY_RUNS; ++run) {
		const uint64_t start = now_ns();

		at = chase(at, loads);
		const uint64_t took = now_ns() - start;

		if (took < shortest)
			shortest = took;
	}
	return shortest;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; ++i) {
		char kind[16];
		uint32_t bytes = 0, stride = 64, loads = 0;
		uint64_t start = 0;

		if (sscanf(argv[i], "%15[a-z]:%u:%u:%u", kind, &bytes, &stride, &loads) < 2)
			return 2;
		char *from = memory(bytes), *second = memory(bytes + BANKS_APART);
		char *to = second + BANKS_APART;
		void *at = loads != 0 ? make_chase(from, bytes / stride, stride) : NULL;

		if (strcmp(kind, "steady") == 0) {
			printf("%s %llu\n", argv[i], (unsigned long long)shortest_chase(at, loads));
			continue;
		}
		const uint32_t rounds = bytes < LONG ? LONG / bytes : 1;

		for (uint32_t run = 0; run < 1 + rounds; ++run) {
			if (run < 2)
				start = now_ns();
			if (strcmp(kind, "copy") == 0)
				copy(to, from, bytes);
			else if (strcmp(kind, "read") == 0)
				read_all(from, bytes);
			else if (strcmp(kind, "memcpy") == 0)
				memcpy(to, from, bytes);
			else
				at = chase(at, loads);
		}
		start = (now_ns() - start) / rounds;
		printf("%s %llu\n", argv[i], (unsigned long long)start);
		munmap(from, bytes);
		munmap(second, bytes + BANKS_APART);
	}
	return 0;
}
