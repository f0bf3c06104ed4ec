// SPDX-License-Identifier: Apache-2.0
/*
 * Reads frames of a stream from published_frames, each once it is there:
 *
 *	published_reads BYTES RUNS
 *
 * A frame comes every 8.33 ms, as from a camera of 120 Hz. Of each run the program's time is that of
 * read(), the driver's that of copy_to_user() alone. The program has touched its memory before.
 * After the time it compares each word with the source's counter. What is printed: took.h.
 */
#include "took.h"

#include <poll.h>

#define FRAMES "/dev/published-frames"
#define ACCOUNT "/dev/published-frames-account"

enum { TICKS = 833333, WAIT_MS = 10000 }; /* at 100 MHz; against hanging only */

static void start(int frames, size_t bytes, unsigned count)
{
	char order[48];
	const int length = snprintf(order, sizeof(order), "%zu %u %d", bytes, count, TICKS);

	if (write(frames, order, (size_t)length) != length)
		fail(FRAMES);
}

static void await(int frames)
{
	struct pollfd ready = { .fd = frames, .events = POLLIN };

	if (poll(&ready, 1, WAIT_MS) != 1) {
		fprintf(stderr, "published_reads: no frame has come for %d ms\n", WAIT_MS);
		exit(1);
	}
}

static uint64_t ask(int account)
{
	unsigned long long calls, bytes, ns;
	char text[65] = "";

	if (read(account, text, sizeof(text) - 1) < 0 ||
	    sscanf(text, "%llu %llu %llu", &calls, &bytes, &ns) != 3)
		fail(ACCOUNT);
	return ns;
}

static void check(const uint32_t *words, size_t count, uint32_t first)
{
	for (size_t i = 0; i < count; ++i)
		if (words[i] != first + (uint32_t)i) {
			fprintf(stderr, "published_reads: word %zu is %u instead of %u\n", i,
				words[i], first + (uint32_t)i);
			exit(1);
		}
}

int main(int argc, char **argv)
{
	const size_t bytes = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	const unsigned runs = argc == 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
	uint32_t *words, next = 0;
	int frames, account;

	if (bytes == 0 || bytes % sizeof(*words) != 0 || runs < 1 || runs > RUNS_MAX) {
		fprintf(stderr,
			"usage: published_reads BYTES RUNS\n"
			"       BYTES: a multiple of %zu; RUNS: 1 to %d\n",
			sizeof(*words), RUNS_MAX);
		return 2;
	}
	words = malloc(bytes);
	if (words == NULL)
		fail("memory");
	memset(words, 0, bytes);
	frames = open_device(FRAMES);
	account = open(ACCOUNT, O_RDONLY);
	if (account < 0)
		fail(ACCOUNT);
	start(frames, bytes, runs + 1);
	for (unsigned run = 0; run <= runs; ++run, next += bytes / sizeof(*words)) {
		struct moment begun, ended;
		ssize_t come;

		await(frames);
		(void)ask(account);
		begun = begin();
		come = read(frames, words, bytes);
		ended = end();
		if (come != (ssize_t)bytes)
			fail(FRAMES);
		if (run > 0) { /* the first one warms the caches */
			keep(run - 1, begun, ended);
			took.kernel_ns[run - 1] = ask(account);
		}
		check(words, bytes / sizeof(*words), next);
	}
	return print_runs(runs, bytes, bytes);
}
