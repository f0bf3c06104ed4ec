// SPDX-License-Identifier: Apache-2.0
/*
 * AXI CDMA without the kernel: this program has the engine's registers and memory mapped by UIO
 * (published-direct.dtso), starts a copy by three stores, and polls the status register.
 *
 *	published_direct once DEVICE TARGET BYTES RUNS	a copy
 *	published_direct again DEVICE TARGET BYTES RUNS	copies one after the other
 *
 * DEVICE is UIO's, /dev/uio0. TARGET is `memory`, or the address of block RAM as the engine has it.
 * Each run of `once` is a process of its own, whose time begins when all is mapped. The device's
 * first map is the registers, the second one memory that the engine reaches at its own address: what
 * is copied, then where it arrives. What arrived there is compared after the time; what went to block
 * RAM is not. What is printed: took.h.
 *
 * The registers are programmed here, in simple mode (PG034): no other driver may use the engine.
 */
#include "took_alone.h"

#include <sys/mman.h>

enum {
	PAGE = 4096,
	HALF = 131072, /* of the memory */
	POLLS_MAX = 100000000 /* against hanging only */
};

enum { CDMA_SR = 0x04, CDMA_SA = 0x18, CDMA_DA = 0x20, CDMA_BTT = 0x28 };
enum { CDMA_SR_IDLE = 1 << 1, CDMA_SR_ERRORS = 7 << 4 };

struct engine {
	volatile uint32_t *registers;
	unsigned char *data, *back; /* where it arrives, unless in block RAM */
	uint32_t from, to;
};

static void *map(int device, unsigned number, size_t bytes)
{
	void *found = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, device,
			   (off_t)number * PAGE);

	if (found == MAP_FAILED)
		fail("a map of the device");
	return found;
}

/* Where the engine finds the device's memory. */
static uint32_t address_of(const char *path)
{
	const char *name = strrchr(path, '/');
	unsigned long address;
	char text[128];
	FILE *file;

	snprintf(text, sizeof(text), "/sys/class/uio/%s/maps/map1/addr",
		 name == NULL ? path : name + 1);
	file = fopen(text, "r");
	if (file == NULL || fscanf(file, "%lx", &address) != 1)
		fail(text);
	(void)fclose(file);
	return (uint32_t)address;
}

static int is_target(const char *text)
{
	char *end;

	return strcmp(text, "memory") == 0 || (strtoul(text, &end, 0) != 0 && *end == '\0');
}

static struct engine engine_of(const char *path, const char *target)
{
	const int device = open_device(path);
	unsigned char *memory = map(device, 1, 2 * HALF);
	struct engine engine = {
		.registers = map(device, 0, PAGE),
		.data = memory,
		.back = strcmp(target, "memory") == 0 ? memory + HALF : NULL,
		.from = address_of(path),
	};

	engine.to = engine.back ? engine.from + HALF : (uint32_t)strtoul(target, NULL, 0);
	for (size_t i = 0; i < HALF; ++i)
		engine.data[i] = (unsigned char)(i * 7 + i / 251);
	if (engine.back)
		memset(engine.back, 0, HALF);
	return engine;
}

static void copy(const struct engine *engine, size_t bytes)
{
	unsigned polls = 0;
	uint32_t status;

	engine->registers[CDMA_SA / 4] = engine->from;
	engine->registers[CDMA_DA / 4] = engine->to;
	__sync_synchronize(); /* what is copied is in memory */
	engine->registers[CDMA_BTT / 4] = (uint32_t)bytes;
	do {
		status = engine->registers[CDMA_SR / 4];
	} while (!(status & CDMA_SR_IDLE) && ++polls < POLLS_MAX);
	if (!(status & CDMA_SR_IDLE) || (status & CDMA_SR_ERRORS)) {
		fprintf(stderr, "published_direct: the engine's status is %#x\n", status);
		exit(1);
	}
}

static void check(const struct engine *engine, size_t bytes)
{
	if (engine->back == NULL)
		return;
	if (memcmp(engine->data, engine->back, bytes) != 0) {
		fprintf(stderr, "published_direct: what has arrived is not what was copied\n");
		exit(1);
	}
	memset(engine->back, 0, bytes);
}

static void timed(const struct engine *engine, unsigned run, size_t bytes)
{
	const struct moment begun = begin();
	struct moment ended;

	copy(engine, bytes);
	ended = end();
	keep(run, begun, ended);
	check(engine, bytes);
}

static int run_again(const struct engine *engine, size_t bytes, unsigned runs)
{
	copy(engine, bytes); /* warms the caches */
	check(engine, bytes);
	for (unsigned run = 0; run < runs; ++run)
		timed(engine, run, bytes);
	return print_runs(runs, bytes, bytes);
}

int main(int argc, char **argv)
{
	const int child = argc == 6 && strcmp(argv[1], RUN) == 0;
	char **words = argv + 1 + child; /* MODE DEVICE TARGET BYTES [RUNS] */
	const int given = argc == 6;
	const int once = given && strcmp(words[0], "once") == 0;
	const int again = given && !child && strcmp(words[0], "again") == 0;
	const size_t bytes = given ? strtoul(words[3], NULL, 10) : 0;
	const unsigned runs = child ? 1 : given ? (unsigned)strtoul(argv[5], NULL, 10) : 0;
	struct engine engine;

	if (bytes < 1 || bytes > HALF || runs < 1 || runs > RUNS_MAX || !(once || again) ||
	    !is_target(words[2])) {
		fprintf(stderr,
			"usage: published_direct once|again DEVICE memory|ADDRESS BYTES RUNS\n"
			"       BYTES is 1 to %d, RUNS is 1 to %d\n",
			HALF, RUNS_MAX);
		return 2;
	}
	if (once && !child)
		return run_processes(runs, bytes, argc, argv);
	engine = engine_of(words[1], words[2]);
	if (child) {
		timed(&engine, 0, bytes);
		return tell_run(bytes);
	}
	return run_again(&engine, bytes, runs);
}
