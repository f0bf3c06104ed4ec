// SPDX-License-Identifier: Apache-2.0
/*
 * Calls one of these drivers as the thesis' programs did, and prints what it took:
 *
 *	published_calls fwrite DEVICE BYTES		opens a stream, and writes once
 *	published_calls write DEVICE BYTES RUNS		writes again and again to an open device
 *
 * One line of JSON: of each run, ns by this program's clock, by the driver's, and of the processor's
 * work; with fwrite, how many bytes had reached the driver when the program's time ended, since the
 * stream has a buffer.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RUNS_MAX = 4096 };

struct told {
	unsigned long long calls, bytes, ns;
};

static void fail(const char *what)
{
	fprintf(stderr, "published_calls: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t ns_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A moment, and how long the processor has worked for this program until then. */
struct moment {
	uint64_t now_ns, work_ns;
};

static struct moment begin(void)
{
	const uint64_t work_ns = ns_of(CLOCK_PROCESS_CPUTIME_ID);

	return (struct moment){ .now_ns = ns_of(CLOCK_MONOTONIC), .work_ns = work_ns };
}

static struct moment end(void)
{
	const uint64_t now_ns = ns_of(CLOCK_MONOTONIC);

	return (struct moment){ .now_ns = now_ns, .work_ns = ns_of(CLOCK_PROCESS_CPUTIME_ID) };
}

/* Of a run: by this program's clock, by the driver's, and the processor's work within the first. */
struct took {
	uint64_t user_ns[RUNS_MAX], kernel_ns[RUNS_MAX], work_ns[RUNS_MAX];
};

static struct took took;

static void keep(unsigned run, struct moment begun, struct moment ended)
{
	/* Reading the clocks is work too, beyond the time between them. */
	const struct moment first = begin(), second = end();
	const uint64_t extra_ns = second.work_ns - first.work_ns - (second.now_ns - first.now_ns);
	const uint64_t work_ns = ended.work_ns - begun.work_ns;

	took.user_ns[run] = ended.now_ns - begun.now_ns;
	took.work_ns[run] = work_ns > extra_ns ? work_ns - extra_ns : 0;
}

static void print_all(const char *name, const uint64_t *ns, unsigned runs)
{
	printf("\"%s\": [", name);
	for (unsigned run = 0; run < runs; ++run)
		printf("%s%llu", run == 0 ? "" : ", ", (unsigned long long)ns[run]);
	fputs("], ", stdout);
}

static int print_runs(unsigned runs, size_t bytes, unsigned long long reached)
{
	putchar('{');
	print_all("user_ns", took.user_ns, runs);
	print_all("kernel_ns", took.kernel_ns, runs);
	print_all("work_ns", took.work_ns, runs);
	printf("\"bytes\": %zu, \"reached\": %llu}\n", bytes, reached);
	return 0;
}

/* What the driver has done since it was last asked. */
static struct told ask(int device)
{
	char text[65] = "";
	struct told told;

	if (read(device, text, sizeof(text) - 1) < 0 ||
	    sscanf(text, "%llu %llu %llu", &told.calls, &told.bytes, &told.ns) != 3)
		fail("the driver's account");
	return told;
}

static int open_device(const char *path)
{
	const int device = open(path, O_RDWR);

	if (device < 0)
		fail(path);
	return device;
}

static int run_fwrite(const char *path, const char *data, size_t bytes)
{
	const int device = open_device(path);
	struct told within, after;
	struct moment begun, ended;
	FILE *stream;

	(void)ask(device);
	begun = begin();
	stream = fopen(path, "w");
	if (stream == NULL || fwrite(data, 1, bytes, stream) != bytes)
		fail(path);
	ended = end();
	keep(0, begun, ended);
	within = ask(device);
	if (fclose(stream) != 0)
		fail(path);
	after = ask(device);
	took.kernel_ns[0] = within.ns + after.ns;
	return print_runs(1, bytes, within.bytes);
}

static int run_write(const char *path, const char *data, size_t bytes, unsigned runs)
{
	const int device = open_device(path);

	if (write(device, data, bytes) != (ssize_t)bytes) /* warms the caches */
		fail(path);
	(void)ask(device);
	for (unsigned run = 0; run < runs; ++run) {
		const struct moment begun = begin();
		const ssize_t written = write(device, data, bytes);
		const struct moment ended = end();

		if (written != (ssize_t)bytes)
			fail(path);
		keep(run, begun, ended);
		took.kernel_ns[run] = ask(device).ns;
	}
	return print_runs(runs, bytes, bytes);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 3 ? argv[1] : "";
	const size_t bytes = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
	const unsigned runs = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 0;
	char *data;

	if (bytes == 0 || !((argc == 4 && strcmp(mode, "fwrite") == 0) ||
			    (argc == 5 && strcmp(mode, "write") == 0 && runs >= 1 && runs <= RUNS_MAX))) {
		fprintf(stderr,
			"usage: published_calls fwrite DEVICE BYTES\n"
			"       published_calls write DEVICE BYTES RUNS   (RUNS: 1 to %d)\n", RUNS_MAX);
		return 2;
	}
	data = malloc(bytes);
	if (data == NULL)
		fail("memory");
	for (size_t i = 0; i < bytes; ++i)
		data[i] = (char)(i * 7 + i / 251);
	return strcmp(mode, "fwrite") == 0 ? run_fwrite(argv[2], data, bytes) :
					     run_write(argv[2], data, bytes, runs);
}
