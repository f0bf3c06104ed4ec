// SPDX-License-Identifier: Apache-2.0
/*
 * A pipe through the logic by write() and read(), as Xillybus gives it and sluice.ko does (table
 * 6.17): writes to one device, and reads as many bytes from another, between which there is a
 * loop-back.
 *
 *	published_pipe open TO FROM BYTES RUNS	opens both, writes, and reads
 *	published_pipe once TO FROM BYTES RUNS	writes and reads, both being open
 *	published_pipe again TO FROM BYTES RUNS	the same again and again
 *
 * Each run of `open` and `once` is a process of its own. All is written before anything is read, so
 * BYTES are no more than sluice.ko keeps of what was written. What has come is compared after the
 * time. What is printed: took.h.
 */
#include "took_alone.h"

enum { BYTES_MAX = 524288 };

struct ends {
	const char *to, *from;
	int out, in;
};

static void open_both(struct ends *ends)
{
	ends->in = open_device(ends->from);
	ends->out = open_device(ends->to);
}

/* A read() has what came of one packet. */
static void pass(const struct ends *ends, const char *data, char *back, size_t bytes)
{
	const ssize_t written = write(ends->out, data, bytes);
	size_t come = 0;

	if (written >= 0)
		errno = EIO; /* if it is short */
	if (written != (ssize_t)bytes)
		fail(ends->to);
	while (come < bytes) {
		const ssize_t some = read(ends->in, back + come, bytes - come);

		if (some == 0)
			errno = EIO; /* the device has an end */
		if (some <= 0)
			fail(ends->from);
		come += (size_t)some;
	}
}

static void check(const char *data, char *back, size_t bytes)
{
	if (memcmp(data, back, bytes) != 0) {
		fprintf(stderr, "published_pipe: what came back is not what was written\n");
		exit(1);
	}
	memset(back, 0, bytes);
}

static int run_once(struct ends *ends, int with_open, const char *data, char *back, size_t bytes)
{
	struct moment begun, ended;

	if (!with_open)
		open_both(ends);
	begun = begin();
	if (with_open)
		open_both(ends);
	pass(ends, data, back, bytes);
	ended = end();
	keep(0, begun, ended);
	check(data, back, bytes);
	return tell_run(bytes);
}

static int run_again(struct ends *ends, const char *data, char *back, size_t bytes, unsigned runs)
{
	open_both(ends);
	pass(ends, data, back, bytes); /* warms the caches */
	check(data, back, bytes);
	for (unsigned run = 0; run < runs; ++run) {
		const struct moment begun = begin();
		struct moment ended;

		pass(ends, data, back, bytes);
		ended = end();
		keep(run, begun, ended);
		check(data, back, bytes);
	}
	return print_runs(runs, bytes, bytes);
}

int main(int argc, char **argv)
{
	const int child = argc == 6 && strcmp(argv[1], RUN) == 0;
	char **words = argv + 1 + child; /* MODE TO FROM BYTES [RUNS] */
	const int given = argc == 6;
	const int with_open = given && strcmp(words[0], "open") == 0;
	const int once = given && (with_open || strcmp(words[0], "once") == 0);
	const int again = given && !child && strcmp(words[0], "again") == 0;
	const size_t bytes = given ? strtoul(words[3], NULL, 10) : 0;
	const unsigned runs = child ? 1 : given ? (unsigned)strtoul(argv[5], NULL, 10) : 0;
	struct ends ends;
	char *data, *back;

	if (bytes < 1 || bytes > BYTES_MAX || runs < 1 || runs > RUNS_MAX || !(once || again)) {
		fprintf(stderr,
			"usage: published_pipe open|once|again TO FROM BYTES RUNS\n"
			"       BYTES is 1 to %d, RUNS is 1 to %d\n",
			BYTES_MAX, RUNS_MAX);
		return 2;
	}
	if (once && !child)
		return run_processes(runs, bytes, argc, argv);
	ends = (struct ends){ .to = words[1], .from = words[2] };
	data = malloc(bytes);
	back = malloc(bytes);
	if (data == NULL || back == NULL)
		fail("memory");
	for (size_t i = 0; i < bytes; ++i)
		data[i] = (char)(i * 7 + i / 251);
	memset(back, 0, bytes);
	return child ? run_once(&ends, with_open, data, back, bytes) :
		       run_again(&ends, data, back, bytes, runs);
}
