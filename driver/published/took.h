/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What calls take, for programs that measure their own, in one process or (took_alone.h) each in a
 * process of its own.
 *
 * They print one line of JSON: of each run, ns by the program's clock, by the driver's where one
 * tells, and of the processor's work; and how many bytes had reached the driver when the program's
 * time ended.
 */
#ifndef TOOK_H
#define TOOK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RUNS_MAX = 1024 };

static void fail(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
	exit(1);
}

static inline int open_device(const char *path)
{
	const int device = open(path, O_RDWR);

	if (device < 0)
		fail(path);
	return device;
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
	if (took.kernel_ns[0] != 0)
		print_all("kernel_ns", took.kernel_ns, runs);
	print_all("work_ns", took.work_ns, runs);
	printf("\"bytes\": %zu, \"reached\": %llu}\n", bytes, reached);
	return 0;
}

#endif /* TOOK_H */
