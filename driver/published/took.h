/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What calls take, for programs that measure their own: in one process, or each in a process of its
 * own, which starts on a machine that has been idle, as when a person types commands.
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
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNS_MAX = 1024, WORDS_MAX = 8 };

#define IDLE_NS 100000000 /* before a process starts */
#define RUN "run" /* first word of the arguments of a process of its own */

static void fail(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
	exit(1);
}

static int open_device(const char *path)
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

/* A process of its own tells what its run took, at the end of which `reached` bytes were there. */
static int tell_run(unsigned long long reached)
{
	printf("%llu %llu %llu %llu\n", (unsigned long long)took.user_ns[0],
	       (unsigned long long)took.kernel_ns[0], (unsigned long long)took.work_ns[0],
	       reached);
	return 0;
}

/* Starts this program again with the words before the last for one run; how many bytes reached. */
static unsigned long long start_run(unsigned run, int count, char **argv)
{
	const struct timespec idle = { .tv_nsec = IDLE_NS };
	char *words[WORDS_MAX + 1] = { argv[0], RUN };
	unsigned long long user_ns, kernel_ns, work_ns, reached;
	int ends[2], status, told;
	FILE *answer;
	pid_t child;

	for (int i = 1; i + 1 < count && i + 1 < WORDS_MAX; ++i)
		words[i + 1] = argv[i];
	(void)nanosleep(&idle, NULL);
	if (pipe(ends) != 0)
		fail("a pipe");
	child = fork();
	if (child == 0) {
		(void)dup2(ends[1], STDOUT_FILENO);
		(void)execv("/proc/self/exe", words);
	}
	if (child <= 0)
		fail("a process of its own");
	(void)close(ends[1]);
	answer = fdopen(ends[0], "r");
	if (answer == NULL)
		fail("a pipe");
	told = fscanf(answer, "%llu %llu %llu %llu", &user_ns, &kernel_ns, &work_ns, &reached) == 4;
	if (waitpid(child, &status, 0) != child)
		fail("a process of its own");
	if (WIFSIGNALED(status))
		fprintf(stderr, "run %u: its process was ended by signal %d\n", run,
			WTERMSIG(status));
	if (!told || status != 0)
		exit(1); /* it has said why, or that was said above */
	(void)fclose(answer);
	took.user_ns[run] = user_ns;
	took.kernel_ns[run] = kernel_ns;
	took.work_ns[run] = work_ns;
	return reached;
}

static int run_processes(unsigned runs, size_t bytes, int count, char **argv)
{
	unsigned long long least = bytes;

	for (unsigned run = 0; run < runs; ++run) {
		const unsigned long long reached = start_run(run, count, argv);

		least = reached < least ? reached : least;
	}
	return print_runs(runs, bytes, least);
}

#endif /* TOOK_H */
