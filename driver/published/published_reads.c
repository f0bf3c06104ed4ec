// SPDX-License-Identifier: Apache-2.0
/*
 * Reads frames of a stream from published_frames, each once it is there:
 *
 *	published_reads read BYTES RUNS		the driver's time is by its own clock
 *	published_reads traced BYTES RUNS	the driver's time is by the kernel's function graph tracer
 *
 * A frame comes every 8.33 ms, as from a camera of 120 Hz. The program's time of a run is that of
 * read(), the driver's that of copy_to_user() alone. The program touches its memory before. It
 * compares each word with the source's counter after the time, and reads the trace after the last
 * run. What is printed: took.h.
 */
#include "took.h"

#include <poll.h>

#define FRAMES "/dev/published-frames"
#define ACCOUNT "/dev/published-frames-account"
#define TRACING "/sys/kernel/tracing/"
#define COPY "frames_copy" /* the function that copies */

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

static void set_tracing(const char *path, const char *text)
{
	const int file = open(path, O_WRONLY | O_TRUNC);

	if (file < 0 || write(file, text, strlen(text)) < 0)
		fail(path);
	(void)close(file);
}

static void trace(void)
{
	set_tracing(TRACING "set_graph_function", COPY);
	set_tracing(TRACING "max_graph_depth", "1");
	set_tracing(TRACING "current_tracer", "function_graph");
	set_tracing(TRACING "trace", ""); /* forgets what was traced before */
}

/* The time in a line of the trace, "0) ! 2241.300 us |  frames_copy();"; 0: it has none. */
static uint64_t ns_in(const char *line)
{
	const char *const end = strstr(line, " us ");
	const char *number = end;

	if (line[0] == '#' || end == NULL || strstr(end, COPY) == NULL)
		return 0;
	while (number > line && strchr("0123456789.", number[-1]) != NULL)
		--number;
	return (uint64_t)(strtod(number, NULL) * 1e3 + 0.5);
}

/* Takes the times of the copies that were traced, of which the first one warmed the caches. */
static void take_traced(unsigned runs)
{
	static const char path[] = TRACING "trace";
	FILE *const lines = fopen(path, "r");
	unsigned copies = 0;
	char line[256];

	if (lines == NULL)
		fail(path);
	while (fgets(line, sizeof(line), lines) != NULL) {
		const uint64_t ns = ns_in(line);

		if (ns != 0 && copies++ > 0 && copies <= runs + 1)
			took.kernel_ns[copies - 2] = ns;
	}
	(void)fclose(lines);
	set_tracing(TRACING "current_tracer", "nop");
	if (copies != runs + 1) {
		fprintf(stderr, "published_reads: the kernel has traced %u of %u " COPY "\n",
			copies, runs + 1);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc == 4 ? argv[1] : "";
	const int traced = strcmp(mode, "traced") == 0;
	const size_t bytes = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
	const unsigned runs = argc == 4 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
	uint32_t *words, next = 0;
	int frames, account;

	if (bytes == 0 || bytes % sizeof(*words) != 0 || runs < 1 || runs > RUNS_MAX ||
	    !(traced || strcmp(mode, "read") == 0)) {
		fprintf(stderr,
			"usage: published_reads read|traced BYTES RUNS\n"
			"       BYTES is a multiple of %zu, RUNS is 1 to %d\n",
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
	if (traced)
		trace();
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
	if (traced)
		take_traced(runs);
	return print_runs(runs, bytes, bytes);
}
