/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs that are each a process of its own, which starts on a machine that has been idle, as when a
 * person types commands: took.h.
 */
#ifndef TOOK_ALONE_H
#define TOOK_ALONE_H

#include "took.h"

#include <sys/wait.h>

enum { WORDS_MAX = 8 };

#define IDLE_NS 100000000 /* before a process starts */
#define RUN "run" /* first word of the arguments of a process of its own */

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

#endif /* TOOK_ALONE_H */
