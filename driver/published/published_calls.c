// SPDX-License-Identifier: Apache-2.0
/*
 * Calls one of these drivers as the thesis' programs did, and prints what it took:
 *
 *	published_calls fwrite DEVICE BYTES RUNS	opens a stream, and writes once
 *	published_calls fwrite-mapped DEVICE BYTES RUNS	the same, from memory that the device maps
 *	published_calls write DEVICE BYTES RUNS		writes again and again to an open device
 *	published_calls write-mapped DEVICE BYTES RUNS	the same, from memory that the device maps
 *
 * Each run of fwrite is a process of its own, which starts on a machine that has been idle, as when
 * a person types commands. Mapped memory is not cached: where the stream takes data into its buffer,
 * it reads it from there.
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
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNS_MAX = 1024 };

#define IDLE_NS 100000000 /* before a process starts */
#define RUN "run" /* first word of its arguments */

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

/* One run, which writes what it took to standard output for the program that started it. */
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
	printf("%llu %llu %llu %llu\n", (unsigned long long)took.user_ns[0],
	       (unsigned long long)took.kernel_ns[0], (unsigned long long)took.work_ns[0],
	       within.bytes);
	return 0;
}

/* Starts this program again for one run, and returns how many bytes had reached the driver. */
static unsigned long long start_run(unsigned run, char **argv)
{
	const struct timespec idle = { .tv_nsec = IDLE_NS };
	char *words[] = { argv[0], RUN, argv[1], argv[2], argv[3], NULL };
	unsigned long long user_ns, kernel_ns, work_ns, reached;
	int ends[2], status;
	FILE *answer;
	pid_t child;

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
	if (answer == NULL ||
	    fscanf(answer, "%llu %llu %llu %llu", &user_ns, &kernel_ns, &work_ns, &reached) != 4 ||
	    waitpid(child, &status, 0) != child || status != 0)
		exit(1); /* which has said why */
	(void)fclose(answer);
	took.user_ns[run] = user_ns;
	took.kernel_ns[run] = kernel_ns;
	took.work_ns[run] = work_ns;
	return reached;
}

static int run_processes(unsigned runs, size_t bytes, char **argv)
{
	unsigned long long least = bytes;

	for (unsigned run = 0; run < runs; ++run) {
		const unsigned long long reached = start_run(run, argv);

		least = reached < least ? reached : least;
	}
	return print_runs(runs, bytes, least);
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

static const char usage[] =
	"usage: published_calls fwrite|fwrite-mapped|write|write-mapped DEVICE BYTES RUNS\n"
	"       RUNS: 1 to %d\n";

/* What is written: memory of this program's own, or of the device. */
static char *data_for(const char *device, size_t bytes, int mapped)
{
	char *data = mapped ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
				   open_device(device), 0) :
			      malloc(bytes);

	if (data == NULL || data == MAP_FAILED)
		fail("memory");
	for (size_t i = 0; i < bytes; ++i)
		data[i] = (char)(i * 7 + i / 251);
	return data;
}

int main(int argc, char **argv)
{
	const int child = argc == 5 && strcmp(argv[1], RUN) == 0;
	char **words = argv + 1 + child; /* MODE DEVICE BYTES [RUNS] */
	const char *mode = argc == 5 ? words[0] : "";
	const size_t bytes = argc == 5 ? strtoul(words[2], NULL, 10) : 0;
	const unsigned runs = child ? 1 : argc == 5 ? (unsigned)strtoul(argv[4], NULL, 10) : 0;
	const int once = strcmp(mode, "fwrite") == 0 || strcmp(mode, "fwrite-mapped") == 0;
	const int again = strcmp(mode, "write") == 0 || strcmp(mode, "write-mapped") == 0;
	char *data;

	if (bytes == 0 || runs < 1 || runs > RUNS_MAX || !(once || again)) {
		fprintf(stderr, usage, RUNS_MAX);
		return 2;
	}
	if (once && !child)
		return run_processes(runs, bytes, argv);
	data = data_for(words[1], bytes, strstr(mode, "-mapped") != NULL);
	return child ? run_fwrite(words[1], data, bytes) :
		       run_write(words[1], data, bytes, runs);
}
