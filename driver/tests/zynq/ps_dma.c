// SPDX-License-Identifier: GPL-2.0-only
/*
 * sluice.ko on the Zynq's own DMA controller (PL330): copies of memory on its channels.
 *
 *   ps_dma told CHANNEL                  what the channel says that it can do, and refuses
 *   ps_dma parallel FOLDER COUNT SEED    copies on COUNT channels at once, all queued before any is
 *                                        reaped; every byte
 *   ps_dma long CHANNEL SEED             one copy of 4 MiB less a byte
 *   ps_dma stop FOLDER ROUNDS            two channels cancelled with work queued
 *   ps_dma time CHANNEL BYTES            ns from the submission of a copy to its completion, as the
 *                                        driver sees it: the least of some; every byte
 *   ps_dma late CHANNEL                  time limits and cancelling, of work that waits for a fence
 */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../sluice/board.h"

enum { CHANNELS = 8, COPIES = 16, BYTES = 1 << 20, EDGE = 64 };

#define WAIT_NS 600000000000ull

/* Of sw_sync, which has no header of its own (Linux, drivers/dma-buf/sw_sync.c). */
struct sw_sync_create_fence_data {
	uint32_t value;
	char name[32];
	int32_t fence;
};
#define SW_SYNC_IOC_CREATE_FENCE _IOWR('W', 0, struct sw_sync_create_fence_data)
#define SW_SYNC_IOC_INC _IOW('W', 1, uint32_t)

/* ---------------------------------------------------------------------------------------------
 * told CHANNEL
 */
static int test_told(char **argument)
{
	int fd = channel_open(argument[0], 0);
	struct sluice_info info = channel_info(fd);
	struct memory memory = memory_of("system", 65536);
	uint32_t id = channel_attach(fd, &memory);
	struct sluice_capture_start start = {.size = sizeof(start), .buffer = id, .periods = 4,
					     .period_bytes = 4096, .watermark = 1};
	struct sluice_transfer good = {.cookie = 1, .buffer = id, .length = 64, .destination = id,
				       .destination_offset = 4096}, bad;

	printf("direction %u\ncapabilities %llu\nmax_packet %llu\naddress_align %u\n"
	       "length_align %u\n", info.direction, (unsigned long long)info.capabilities,
	       (unsigned long long)info.max_packet, info.address_align, info.length_align);
	FAILS(open(argument[0], O_RDWR), EBUSY);
	/* Its cyclic transfers are those of peripherals. */
	FAILS(ioctl(fd, SLUICE_CAPTURE_START, &start), EOPNOTSUPP);
	start.flags = SLUICE_CAPTURE_STALL;
	FAILS(ioctl(fd, SLUICE_CAPTURE_START, &start), EOPNOTSUPP);
#define REFUSED(error, change)                                                                     \
	do {                                                                                       \
		bad = good;                                                                        \
		change;                                                                            \
		FAILS(channel_submit(fd, &bad, 1), error);                                         \
	} while (0)
	REFUSED(EOPNOTSUPP, bad.flags = SLUICE_TRANSFER_PACKET);
	REFUSED(ENOENT, bad.buffer = id + 1);
	REFUSED(ENOENT, bad.destination = 0);
	REFUSED(EINVAL, bad.length = 0);
	REFUSED(EINVAL, bad.length = 0x100000040ull); /* 64, of 32 bits */
	REFUSED(EINVAL, bad.offset = 0x100000000ull);
	REFUSED(EINVAL, bad.offset = 65536 - 63);
	REFUSED(EINVAL, bad.destination_offset = ~0ull - 32);
	MUST(channel_submit(fd, &good, 1) == 1);
	struct sluice_completion done;
	MUST(channel_reap(fd, &done, 1, WAIT_NS) == 1 && !done.status && done.bytes == 64);
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * parallel FOLDER COUNT SEED
 */
struct lane {
	int fd;
	struct memory from, to;
	uint32_t from_id, to_id;
	uint8_t *expected;
	struct ring ring;
	struct sluice_transfer copies[COPIES];
};

static void lane_open(struct lane *lane, const char *folder, unsigned number)
{
	struct sluice_setup setup = {.size = sizeof(setup), .ring_entries = 32};
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/copy%u", folder, number);
	lane->fd = channel_open(path, 0);
	MUST(!ioctl(lane->fd, SLUICE_SETUP, &setup));
	lane->ring = ring_map(lane->fd, setup.ring_bytes);
	lane->from = memory_of("system", BYTES);
	lane->to = memory_of(number % 2 ? "system" : "contiguous", BYTES);
	lane->from_id = channel_attach(lane->fd, &lane->from);
	lane->to_id = channel_attach(lane->fd, &lane->to);
	lane->expected = malloc(BYTES);
	MUST(lane->expected);
}

/* Whole words for the first half of the copies, any bytes for the others; each to its own place. */
static void lane_prepare(struct lane *lane, uint32_t *state)
{
	enum { ROOM = BYTES / COPIES };

	memory_begin(&lane->from);
	memory_begin(&lane->to);
	for (size_t i = 0; i < BYTES; i += 4) {
		uint32_t word = random_next(state);

		memcpy(lane->from.at + i, &word, sizeof(word));
	}
	memset(lane->to.at, 0x55, BYTES);
	memset(lane->expected, 0x55, BYTES);
	for (unsigned i = 0; i < COPIES; i++) {
		uint32_t step = i < COPIES / 2 ? 8 : 1;
		uint32_t length = (1 + random_next(state) % (ROOM - EDGE - step)) / step * step;
		uint32_t place = i * ROOM + random_next(state) % EDGE / step * step;

		length = length ? length : step;
		lane->copies[i] = (struct sluice_transfer){
			.cookie = ((uint64_t)i << 32) + length, .buffer = lane->from_id,
			.destination = lane->to_id, .length = length, .destination_offset = place,
			.offset = random_next(state) % (BYTES - length) / step * step};
		memcpy(lane->expected + place, lane->from.at + lane->copies[i].offset, length);
	}
	memory_end(&lane->to);
	memory_end(&lane->from);
}

static void lane_check(const struct lane *lane)
{
	memory_begin(&lane->to);
	MUST(!memcmp(lane->to.at, lane->expected, BYTES));
	memory_end(&lane->to);
}

/* Completions out of the ring, without a call. */
static size_t lane_reap(struct lane *lane)
{
	struct sluice_completion done;
	size_t bytes = 0;

	for (unsigned i = 0; i < COPIES; i++) {
		uint64_t until = now_ns() + WAIT_NS;

		while (!ring_next(&lane->ring, &done))
			MUST(now_ns() < until);
		MUST(!done.status && !done.flags && done.cookie == lane->copies[i].cookie);
		MUST(done.bytes == lane->copies[i].length && done.time_ns <= now_ns());
		bytes += done.bytes;
	}
	return bytes;
}

static int test_parallel(char **argument)
{
	unsigned count = strtoul(argument[1], NULL, 0);
	uint32_t state = strtoul(argument[2], NULL, 0) | 1;
	struct lane lanes[CHANNELS];
	size_t bytes = 0;

	MUST(count && count <= CHANNELS);
	for (unsigned i = 0; i < count; i++)
		lane_open(&lanes[i], argument[0], i);
	for (unsigned i = 0; i < count; i++)
		lane_prepare(&lanes[i], &state);
	for (unsigned i = 0; i < count; i++)
		MUST(channel_submit(lanes[i].fd, lanes[i].copies, COPIES) == COPIES);
	for (unsigned i = 0; i < count; i++) {
		bytes += lane_reap(&lanes[i]);
		lane_check(&lanes[i]);
	}
	printf("bytes %zu\n", bytes);
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * long CHANNEL SEED: more than twice what the engine takes in one go, byte by byte: from an odd
 * place to an even one
 */
static int test_long(char **argument)
{
	enum { LONG = 4 << 20 };
	int fd = channel_open(argument[0], 0);
	struct memory from = memory_of("contiguous", LONG), to = memory_of("contiguous", LONG);
	uint32_t state = strtoul(argument[1], NULL, 0) | 1;
	struct sluice_transfer all = {.cookie = 1, .buffer = channel_attach(fd, &from), .offset = 1,
				      .destination = channel_attach(fd, &to), .length = LONG - 1};
	struct sluice_completion done;

	memory_begin(&from);
	memory_begin(&to);
	for (size_t i = 0; i < LONG; i++)
		from.at[i] = random_next(&state);
	to.at[LONG - 1] = 0x55;
	memory_end(&to);
	memory_end(&from);
	MUST(channel_info(fd).max_packet * 2 < LONG);
	MUST(channel_submit(fd, &all, 1) == 1);
	MUST(channel_reap(fd, &done, 1, WAIT_NS) == 1);
	MUST(!done.status && done.bytes == LONG - 1);
	memory_begin(&from);
	memory_begin(&to);
	MUST(!memcmp(to.at, from.at + 1, LONG - 1) && to.at[LONG - 1] == 0x55);
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * time CHANNEL BYTES: mapped buffers, so without the maintenance of caches
 */
static int test_time(char **argument)
{
	enum { ROUNDS = 8, PAGE = 4096 };
	int fd = channel_open(argument[0], 0);
	size_t bytes = strtoul(argument[1], NULL, 0);
	size_t pages = (bytes + PAGE - 1) / PAGE * PAGE;
	/* Contiguous, as one descriptor of the driver's. */
	struct memory from = memory_of("contiguous", pages), to = memory_of("contiguous", pages);
	struct sluice_transfer copy = {.cookie = 1, .buffer = channel_attach(fd, &from),
				       .destination = channel_attach(fd, &to), .length = bytes};
	uint64_t least = UINT64_MAX;
	uint32_t state = 1;

	memory_begin(&from);
	for (size_t i = 0; i < bytes; i++)
		from.at[i] = random_next(&state);
	memory_end(&from);
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct sluice_completion done;
		uint64_t before = now_ns();

		MUST(channel_submit(fd, &copy, 1) == 1);
		MUST(channel_reap(fd, &done, 1, WAIT_NS) == 1 && !done.status);
		if (done.time_ns - before < least)
			least = done.time_ns - before;
	}
	memory_begin(&to);
	memory_begin(&from);
	MUST(!memcmp(to.at, from.at, bytes));
	memory_end(&from);
	memory_end(&to);
	printf("ns %llu\n", (unsigned long long)least);
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * late CHANNEL
 */
static int test_late(char **argument)
{
	int fd = channel_open(argument[0], 0);
	int timeline = open("/sys/kernel/debug/sync/sw_sync", O_RDWR);
	struct sw_sync_create_fence_data never = {.value = 1, .name = "never"};
	struct memory memory = memory_of("system", 65536);
	uint32_t id = channel_attach(fd, &memory), one = 1;
	struct sluice_cancel cancel = {.size = sizeof(cancel)};
	struct sluice_completion done[2];
	struct sluice_transfer copy = {.cookie = 1, .buffer = id, .length = 4096, .destination = id,
				       .destination_offset = 8192, .timeout_ns = 50000000};
	struct sluice_submit submit = {.size = sizeof(submit), .count = 1,
				       .transfers = (uintptr_t)&copy,
				       .transfer_bytes = sizeof(copy),
				       .flags = SLUICE_SUBMIT_IN_FENCE};

	MUST(timeline >= 0 && !ioctl(timeline, SW_SYNC_IOC_CREATE_FENCE, &never));
	submit.in_fence = never.fence;
	uint64_t before = now_ns();
	MUST(!ioctl(fd, SLUICE_SUBMIT, &submit));
	copy.cookie = 2;
	copy.timeout_ns = 0;
	MUST(channel_submit(fd, &copy, 1) == 1);
	MUST(channel_reap(fd, done, 2, WAIT_NS) == 2);
	MUST(done[0].status == -ETIMEDOUT && done[0].cookie == 1 && !done[0].bytes);
	MUST(done[1].status == -ECANCELED && done[1].cookie == 2);
	MUST(now_ns() - before >= 50000000);

	MUST(!ioctl(fd, SLUICE_SUBMIT, &submit));
	MUST(!ioctl(fd, SLUICE_CANCEL, &cancel));
	MUST(channel_reap(fd, done, 1, 0) == 1 && done[0].status == -ECANCELED);

	MUST(!ioctl(fd, SLUICE_SUBMIT, &submit));
	MUST(channel_reap(fd, done, 1, 1000000) == 0);
	MUST(!ioctl(timeline, SW_SYNC_IOC_INC, &one));
	MUST(channel_reap(fd, done, 1, WAIT_NS) == 1 && !done[0].status && done[0].bytes == 4096);
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * stop FOLDER ROUNDS: channels are stopped with more work queued than is over when submitting
 * returns, now and then
 */
static int test_stop(char **argument)
{
	enum { STOPPED = 2, QUEUED = 250, SHORT = 64 }; /* 2 * 250 * 64 fit 32 KiB */
	unsigned rounds = strtoul(argument[1], NULL, 0), cancelled = 0, whole = 0;
	struct sluice_cancel cancel = {.size = sizeof(cancel)};
	struct sluice_transfer copies[QUEUED] = {};
	struct sluice_completion done[QUEUED];
	struct memory memory[STOPPED];
	int fd[STOPPED];

	for (unsigned i = 0; i < STOPPED; i++) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "%s/copy%u", argument[0], i);
		fd[i] = channel_open(path, 0);
		memory[i] = memory_of("contiguous", 32768);
	}
	for (unsigned round = 0; round < rounds * STOPPED; round++) {
		unsigned i = round % STOPPED, good = 0;
		uint32_t id = channel_attach(fd[i], &memory[i]);
		struct sluice_detach detach = {.size = sizeof(detach), .buffer = id};
		uint8_t *to = memory[i].at + QUEUED * SHORT;

		memory_begin(&memory[i]);
		memset(memory[i].at, round + 1, QUEUED * SHORT);
		memset(to, 0, QUEUED * SHORT);
		memory_end(&memory[i]);
		for (unsigned n = 0; n < QUEUED; n++)
			copies[n] = (struct sluice_transfer){
				.cookie = n, .buffer = id, .destination = id, .length = SHORT,
				.offset = n * SHORT,
				.destination_offset = (QUEUED + n) * SHORT};
		MUST(channel_submit(fd[i], copies, QUEUED) == QUEUED);
		MUST(!ioctl(fd[i], SLUICE_CANCEL, &cancel));
		MUST(!ioctl(fd[i], SLUICE_DETACH, &detach));
		MUST(channel_reap(fd[i], done, QUEUED, 0) == QUEUED);
		memory_begin(&memory[i]);
		for (unsigned n = 0; n < QUEUED; n++) {
			/* What is over is over in order, and is there. */
			MUST(done[n].cookie == n);
			MUST(done[n].status ? done[n].status == -ECANCELED : good == n);
			good += !done[n].status;
			MUST(done[n].status || !memcmp(to + n * SHORT, memory[i].at, SHORT));
		}
		memory_end(&memory[i]);
		whole += good;
		cancelled += QUEUED - good;
	}
	printf("whole %u\ncancelled %u\n", whole, cancelled);
	return 0;
}

int main(int count, char **argument)
{
	static const struct {
		const char *name;
		int arguments;
		int (*run)(char **argument);
	} tests[] = {
		{"told", 1, test_told}, {"parallel", 3, test_parallel}, {"late", 1, test_late},
		{"time", 2, test_time}, {"long", 2, test_long}, {"stop", 2, test_stop},
	};

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
		if (count == 2 + tests[i].arguments && !strcmp(argument[1], tests[i].name))
			return tests[i].run(argument + 2);
	SAYS("no such test");
	return 2;
}
