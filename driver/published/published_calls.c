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
 * With fwrite, not all bytes may have reached the driver when the program's time ends, since the
 * stream has a buffer. What is printed: took.h.
 */
#include "took_alone.h"

#include <sys/mman.h>

struct told {
	unsigned long long calls, bytes, ns;
};

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
	return tell_run(within.bytes);
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
		return run_processes(runs, bytes, argc, argv);
	data = data_for(words[1], bytes, strstr(mode, "-mapped") != NULL);
	return child ? run_fwrite(words[1], data, bytes) :
		       run_write(words[1], data, bytes, runs);
}
