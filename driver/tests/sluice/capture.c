// SPDX-License-Identifier: GPL-2.0-only
/*
 * capture CHANNEL CONTROL PERIODS HOW SEED PAUSE: a source that does not wait and numbers its words,
 * with a pause of so many ticks after each period.
 *
 * HOW: "keep", nothing may be lost; "hold", the reader is blocked now and then, and what it misses
 * has to be what the losses say; "inexact", the same as keep without the capability block; "stall",
 * the source waits, and nothing may be lost although the reader is blocked.
 */
#include "board.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <linux/dma-buf.h>

#define MAX_WORDS 8192u
#define CLOCK_HZ 100000000 /* of the logic, as its overlay says */
#define BEAT_BYTES 8u
#define WATERMARK 8u
#define WAIT_NS 600000000000ull
#define MAX_PERIODS 100000u
#define BATCH 16u
#define OVERTAKEN 3 /* exit status */

struct capture {
	uint32_t ring_periods;
	uint32_t words; /* of a period */
	int fd;
	int control;
	const struct sluice_capture_status *status;
	struct memory ring;
	uint64_t lost; /* as releases have said */
	uint8_t is_lost[MAX_PERIODS];
};

static size_t period_bytes(const struct capture *capture)
{
	return 4 * capture->words;
}

static void source_stop(struct capture *capture)
{
	control_set(capture->control, "hp0.source.enable", 0);
}

static void source_start(struct capture *capture, uint32_t pause, int waits)
{
	const struct {
		const char *name;
		uint32_t value;
	} settings[] = {
		{"hp0.source.packet_beats", period_bytes(capture) / BEAT_BYTES},
		{"hp0.source.pause_ticks", pause},
		{"hp0.source.frame_packets", capture->ring_periods},
		{"hp0.source.frame_ticks", 0},
		{"hp0.source.start", 0},
		{"hp0.source.continuous", 1},
		{"hp0.source.free_run", !waits},
		{"hp0.source.clear", 1},
		{"hp0.source.enable", 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		control_set(capture->control, settings[i].name, settings[i].value);
}

static const void *status_at(const struct capture *capture, uint32_t offset)
{
	return (const char *)capture->status + offset;
}

/* Some of the mapped status, all at one moment. */
static void status_copy(const struct capture *capture, uint32_t offset, void *to, size_t bytes)
{
	const uint32_t *sequence = &capture->status->sequence;
	uint32_t before;

	do {
		before = __atomic_load_n(sequence, __ATOMIC_ACQUIRE);
		memcpy(to, status_at(capture, offset), bytes);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (before % 2 || before != __atomic_load_n(sequence, __ATOMIC_RELAXED));
}

static struct sluice_capture_status status_now(const struct capture *capture)
{
	struct sluice_capture_status copy;

	status_copy(capture, 0, &copy, sizeof(copy));
	return copy;
}

static void check_record(const struct capture *capture, uint64_t number)
{
	const struct sluice_capture_status *status = capture->status;
	struct sluice_capture_period period;

	status_copy(capture,
		    status->records_offset + number % status->record_count * status->record_bytes,
		    &period, sizeof(period));
	if (period.period != number) {
		MUST(period.period > number); /* written again since */
		return;
	}
	MUST(period.time_ns && !period.reserved);
	MUST(period.drops == 0);
	if (period.flags & SLUICE_PERIOD_EXACT)
		MUST(period.ticks && period.bytes % period_bytes(capture) == 0 && period.bytes);
}

static struct sluice_capture_release release(struct capture *capture, uint64_t period)
{
	struct sluice_capture_release release = {.size = sizeof(release), .period = period};

	MUST(!ioctl(capture->fd, SLUICE_CAPTURE_RELEASE, &release));
	MUST(release.produced >= period && release.lost <= period - release.released);
	return release;
}

static uint64_t wait_for(struct capture *capture, uint64_t period)
{
	struct sluice_capture_wait wait = {.size = sizeof(wait), .period = period,
					   .timeout_ns = WAIT_NS};

	MUST(!ioctl(capture->fd, SLUICE_CAPTURE_WAIT, &wait));
	MUST(wait.produced > period);
	return wait.produced;
}

static void check_words(const struct capture *capture, const uint32_t *words, uint64_t number,
			int exact)
{
	uint32_t round = capture->ring_periods * capture->words;

	for (uint32_t i = 0; i < capture->words; i++) {
		uint32_t expected = number * capture->words + i;
		uint32_t more = words[i] - expected;

		/* Without exact counts a whole round may have been missed, not less. */
		if (exact ? more : more % round) {
			SAYS("period %llu, word %u: %#x instead of %#x",
			     (unsigned long long)number, i, words[i], expected);
			exit(1);
		}
	}
}

/* The buffer, by way of the channel: the same memory, and the same rules. */
static void check_mapping(const struct capture *capture)
{
	struct dma_buf_sync begin = {.flags = DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ};
	struct dma_buf_sync end = {.flags = DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ};
	struct dma_buf_sync none = {.flags = DMA_BUF_SYNC_START};
	size_t bytes = capture->ring.bytes;
	const uint8_t *at = mmap(NULL, bytes, PROT_READ, MAP_SHARED, capture->fd,
				 SLUICE_MMAP_BUFFER);

	MUST(at != MAP_FAILED);
	MUST(mmap(NULL, bytes, PROT_READ, MAP_SHARED, capture->fd, SLUICE_MMAP_BUFFER + 4096) ==
	     MAP_FAILED);
	MUST(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, capture->fd, SLUICE_MMAP_BUFFER) ==
	     MAP_FAILED);
	MUST(!ioctl(capture->fd, DMA_BUF_IOCTL_SYNC, &begin));
	memory_begin(&capture->ring);
	MUST(!memcmp(at, capture->ring.at, bytes));
	memory_end(&capture->ring);
	MUST(!ioctl(capture->fd, DMA_BUF_IOCTL_SYNC, &end));
	FAILS(ioctl(capture->fd, DMA_BUF_IOCTL_SYNC, &none), EINVAL);
	MUST(!munmap((void *)at, bytes));
}

/* The same by read(): the driver copies. */
static void check_reading(const struct capture *capture)
{
	size_t bytes = capture->ring.bytes, part = bytes / 2 + 1;
	uint8_t *copy = malloc(bytes);
	struct iovec pieces[] = {{copy, 3}, {copy + 3, bytes - 3}};

	MUST(copy);
	memory_begin(&capture->ring);
	MUST(preadv(capture->fd, pieces, 2, SLUICE_MMAP_BUFFER) == (ssize_t)bytes);
	MUST(!memcmp(copy, capture->ring.at, bytes));
	memset(copy, 0, bytes);
	MUST(pread(capture->fd, copy, bytes, SLUICE_MMAP_BUFFER + part) == (ssize_t)(bytes - part));
	MUST(!memcmp(copy, capture->ring.at + part, bytes - part));
	memory_end(&capture->ring);
	MUST(!pread(capture->fd, copy, 1, SLUICE_MMAP_BUFFER + bytes));
	MUST(!pread(capture->fd, copy, 0, SLUICE_MMAP_BUFFER));
	FAILS(pread(capture->fd, (void *)8, bytes, SLUICE_MMAP_BUFFER), EFAULT);
	FAILS(pread(capture->fd, copy, 1, SLUICE_MMAP_BUFFER - 1), EBUSY); /* a pipe's */
	free(copy);
}

/* Some periods: copied first, then let go of, which says whether the copies count. How many. */
static uint64_t read_periods(struct capture *capture, uint64_t number, uint64_t end, int exact)
{
	static uint32_t copies[BATCH][MAX_WORDS];
	size_t bytes = period_bytes(capture);
	uint64_t count = wait_for(capture, number) - number;

	count = count < BATCH ? count : BATCH;
	count = count < end - number ? count : end - number;
	memory_begin(&capture->ring);
	for (uint64_t i = 0; i < count; i++)
		memcpy(copies[i],
		       capture->ring.at + (number + i) % capture->ring_periods * bytes, bytes);
	memory_end(&capture->ring);
	struct sluice_capture_release answer = release(capture, number + count);
	MUST(answer.released == number);
	for (uint64_t i = 0; i < count; i++) {
		if (i < answer.lost) {
			capture->is_lost[number + i] = 1;
			capture->lost++;
		} else {
			check_words(capture, copies[i], number + i, exact);
			check_record(capture, number + i);
		}
	}
	return count;
}

/* Blocked for some rounds of the ring. */
static void hold_up(struct capture *capture, uint64_t number, uint32_t *state)
{
	uint32_t round = capture->ring_periods;
	uint64_t until =
		number + round * (1 + random_next(state) % 3) + random_next(state) % round;

	while (status_now(capture).produced < until)
		usleep(2000);
}

static void check_losses(const struct capture *capture, uint64_t periods)
{
	struct sluice_capture_status status = status_now(capture);
	uint64_t named = 0;

	MUST(status.losses <= status.loss_count);
	for (uint64_t i = 0; i < status.losses; i++) {
		const struct sluice_capture_loss *loss = status_at(
			capture, status.losses_offset + i * status.loss_bytes);

		MUST(loss->count && loss->time_ns);
		for (uint64_t n = loss->first; n < loss->first + loss->count && n < periods; n++) {
			MUST(capture->is_lost[n]);
			named++;
		}
	}
	MUST(named == capture->lost);
	MUST(status.lost >= capture->lost);
}

int test_capture(char **argument)
{
	static struct capture capture = {.ring_periods = 64, .words = 1024};
	uint64_t periods = strtoull(argument[2], NULL, 0);
	int hold = !strcmp(argument[3], "hold"), exact = strcmp(argument[3], "inexact");
	int stall = !strcmp(argument[3], "stall");
	uint32_t state = strtoul(argument[4], NULL, 0) | 1;
	uint32_t pause = strtoul(argument[5], NULL, 0);
	struct sluice_capture_start start = {.size = sizeof(start), .watermark = WATERMARK,
					     .flags = (exact ? 0 : SLUICE_CAPTURE_INEXACT) |
						      (stall ? SLUICE_CAPTURE_STALL : 0)};
	struct sluice_capture_stop stop = {.size = sizeof(stop)};
	struct sluice_capture_wait wait = {.size = sizeof(wait)};

	if (!strcmp(argument[3], "keep")) {
		/* Enough that a busy host may look away for half a second at full rate. */
		capture.ring_periods = 128;
		capture.words = MAX_WORDS;
	}
	start.period_bytes = period_bytes(&capture);
	MUST(periods <= MAX_PERIODS);
	capture.fd = channel_open(argument[0], 0);
	capture.control = channel_open(argument[1], 0);
	source_stop(&capture);
	MUST(channel_info(capture.fd).capabilities & SLUICE_CAP_LOSS_EXACT);
	capture.ring = memory_of("contiguous", capture.ring_periods * period_bytes(&capture));
	start.buffer = channel_attach(capture.fd, &capture.ring);
	memory_begin(&capture.ring);
	memset(capture.ring.at, 0xff, capture.ring.bytes);
	memory_end(&capture.ring);

	FAILS(ioctl(capture.fd, SLUICE_CAPTURE_WAIT, &wait), EPIPE);
	MUST(mmap(NULL, 4096, PROT_READ, MAP_SHARED, capture.fd, SLUICE_MMAP_BUFFER) == MAP_FAILED);
	FAILS(ioctl(capture.fd, DMA_BUF_IOCTL_SYNC, &wait), EINVAL);
	start.periods = capture.ring_periods + 1;
	FAILS(ioctl(capture.fd, SLUICE_CAPTURE_START, &start), EINVAL);
	start.periods = 2;
	FAILS(ioctl(capture.fd, SLUICE_CAPTURE_START, &start), EINVAL);
	start.periods = capture.ring_periods;
	start.offset = 8;
	FAILS(ioctl(capture.fd, SLUICE_CAPTURE_START, &start), EINVAL);
	start.offset = 0;
	MUST(!ioctl(capture.fd, SLUICE_CAPTURE_START, &start));
	FAILS(ioctl(capture.fd, SLUICE_CAPTURE_START, &start), EBUSY);
	if (stall) {
		/* The capture keeps it; its number is another one's. */
		struct sluice_detach detach = {.size = sizeof(detach), .buffer = start.buffer};
		struct memory other = memory_of("system", capture.ring.bytes);

		MUST(!ioctl(capture.fd, SLUICE_DETACH, &detach));
		MUST(channel_attach(capture.fd, &other) == start.buffer);
	}
	FAILS(ioctl(capture.fd, SLUICE_SUBMIT, &start), EINVAL);
	capture.status = mmap(NULL, start.status_bytes, PROT_READ, MAP_SHARED, capture.fd,
			      SLUICE_MMAP_CAPTURE);
	MUST(capture.status != MAP_FAILED);
	MUST(status_now(&capture).flags ==
	     (SLUICE_STATUS_RUNNING |
	      (stall ? SLUICE_STATUS_STALL : exact ? SLUICE_STATUS_EXACT : 0)));
	MUST(stall || !exact || status_now(&capture).clock_hz == CLOCK_HZ);
	FAILS(ioctl(capture.fd, SLUICE_CAPTURE_WAIT, &wait), EAGAIN);
	struct pollfd ready = {.fd = capture.fd, .events = POLLIN};
	MUST(poll(&ready, 1, 20) == 0);

	uint64_t before = now_ns();
	source_start(&capture, pause, stall);
	MUST(poll(&ready, 1, WAIT_NS / 1000000) == 1 && ready.revents == POLLIN);
	MUST(status_now(&capture).produced >= WATERMARK);
	for (uint64_t number = 0, next = capture.ring_periods; number < periods;) {
		number += read_periods(&capture, number, periods, exact);
		if (!hold && exact && capture.lost) {
			/* By a host that had no time for us. The next one finds no beat of ours. */
			source_stop(&capture);
			exit(OVERTAKEN);
		}
		if (stall && number >= next) {
			usleep(200000);
			MUST(status_now(&capture).produced <= number + capture.ring_periods);
			next = number + capture.ring_periods;
		}
		if (hold && number >= next) {
			hold_up(&capture, number, &state);
			next = number + 4 * capture.ring_periods;
		}
	}
	uint64_t took = now_ns() - before;
	uint64_t dropped = control_get(capture.control, "hp0.drop.beats");
	source_stop(&capture);
	MUST(!ioctl(capture.fd, SLUICE_CAPTURE_STOP, &stop));
	MUST(stop.produced >= periods);
	MUST(!(status_now(&capture).flags & SLUICE_STATUS_RUNNING));
	MUST(!dropped && !status_now(&capture).drops);
	check_losses(&capture, periods);
	check_mapping(&capture);
	check_reading(&capture);
	if (exact)
		MUST(hold ? capture.lost : !capture.lost);
	/* Once more, in the same open channel. */
	if (stall)
		start.buffer = channel_attach(capture.fd, &capture.ring);
	MUST(!ioctl(capture.fd, SLUICE_CAPTURE_START, &start));
	memset(capture.is_lost, 0, sizeof(capture.is_lost));
	source_start(&capture, pause, stall);
	for (uint64_t number = 0; number < 8;)
		number += read_periods(&capture, number, 8, exact);
	source_stop(&capture);
	printf("periods %llu\nlost %llu\nns %llu\n", (unsigned long long)periods,
	       (unsigned long long)capture.lost, (unsigned long long)took);
	return 0; /* still running: closing ends it */
}
