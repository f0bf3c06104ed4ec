// SPDX-License-Identifier: GPL-2.0-only
/*
 * capture CHANNEL BAR PERIODS HOW SEED PAUSE: a source that does not wait and numbers its words,
 * with a pause of so many ticks after each period.
 *
 * HOW: "keep", nothing may be lost; "hold", the reader is held up now and then, and what it misses
 * has to be what the losses say; "inexact", the same as keep without the capability block; "stall",
 * the source waits, and nothing may be lost although the reader is held up.
 */
#include "board.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture.h"
#include "sl_stream_source.h"

#define RING 64u
#define WORDS 1024u
#define PERIOD_BYTES (4 * WORDS)
#define BEAT_BYTES 8u
#define WATERMARK 8u
#define SOURCE 0x1000u /* in the BAR */
#define WAIT_NS 60000000000ull
#define MAX_PERIODS 100000u
#define BATCH 16u
#define OVERTAKEN 3 /* exit status */

struct capture {
	int fd;
	volatile uint32_t *source;
	const struct sluice_capture_status *status;
	struct memory ring;
	uint64_t lost; /* as releases have said */
	uint8_t is_lost[MAX_PERIODS];
};

static void source_write(struct capture *capture, unsigned int offset, uint32_t value)
{
	capture->source[offset / 4] = value;
}

static void source_stop(struct capture *capture)
{
	source_write(capture, SL_STREAM_SOURCE_CONTROL_OFFSET, 0);
}

static void source_start(struct capture *capture, uint32_t pause, int waits)
{
	source_write(capture, SL_STREAM_SOURCE_CONTROL_OFFSET,
		     SL_STREAM_SOURCE_CONTROL_CLEAR_MASK);
	source_write(capture, SL_STREAM_SOURCE_PACKET_BEATS_OFFSET, PERIOD_BYTES / BEAT_BYTES);
	source_write(capture, SL_STREAM_SOURCE_PAUSE_TICKS_OFFSET, pause);
	source_write(capture, SL_STREAM_SOURCE_FRAME_PACKETS_OFFSET, RING);
	source_write(capture, SL_STREAM_SOURCE_FRAME_TICKS_OFFSET, 0);
	source_write(capture, SL_STREAM_SOURCE_START_OFFSET, 0);
	source_write(capture, SL_STREAM_SOURCE_CONTROL_OFFSET,
		     SL_STREAM_SOURCE_CONTROL_ENABLE_MASK |
			     SL_STREAM_SOURCE_CONTROL_CONTINUOUS_MASK |
			     (waits ? 0 : SL_STREAM_SOURCE_CONTROL_FREE_RUN_MASK));
}

/* All of the status at one moment. */
static struct sluice_capture_status status_now(const struct capture *capture)
{
	const struct sluice_capture_status *status = capture->status;
	struct sluice_capture_status copy;
	uint32_t before;

	do {
		before = __atomic_load_n(&status->sequence, __ATOMIC_ACQUIRE);
		memcpy(&copy, status, sizeof(copy));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (before % 2 || before != __atomic_load_n(&status->sequence, __ATOMIC_RELAXED));
	return copy;
}

static const void *status_at(const struct capture *capture, uint32_t offset)
{
	return (const char *)capture->status + offset;
}

static void check_record(const struct capture *capture, uint64_t number)
{
	const struct sluice_capture_status *status = capture->status;
	struct sluice_capture_period period;
	uint32_t before;

	do {
		before = __atomic_load_n(&status->sequence, __ATOMIC_ACQUIRE);
		memcpy(&period,
		       status_at(capture, status->records_offset +
						  number % status->record_count *
							  status->record_bytes),
		       sizeof(period));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (before % 2 || before != __atomic_load_n(&status->sequence, __ATOMIC_RELAXED));
	if (period.period != number) {
		MUST(period.period > number); /* written again since */
		return;
	}
	MUST(period.time_ns && !period.reserved);
	MUST(period.drops == 0);
	if (period.flags & SLUICE_PERIOD_EXACT)
		MUST(period.ticks && period.bytes % PERIOD_BYTES == 0 && period.bytes);
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

static void check_words(const uint32_t *words, uint64_t number, int exact)
{
	for (uint32_t i = 0; i < WORDS; i++) {
		uint32_t expected = number * WORDS + i;
		uint32_t more = words[i] - expected;

		/* Without exact counts a whole round may have been missed, not less. */
		if (exact ? more : more % (RING * WORDS)) {
			SAYS("period %llu, word %u: %#x instead of %#x",
			     (unsigned long long)number, i, words[i], expected);
			exit(1);
		}
	}
}

/* Some periods: copied first, then let go of, which says whether the copies count. How many. */
static uint64_t read_periods(struct capture *capture, uint64_t number, uint64_t end, int exact)
{
	static uint32_t copies[BATCH][WORDS];
	uint64_t count = wait_for(capture, number) - number;

	count = count < BATCH ? count : BATCH;
	count = count < end - number ? count : end - number;
	memory_begin(&capture->ring);
	for (uint64_t i = 0; i < count; i++)
		memcpy(copies[i], capture->ring.at + (number + i) % RING * PERIOD_BYTES,
		       sizeof(copies[i]));
	memory_end(&capture->ring);
	struct sluice_capture_release answer = release(capture, number + count);
	MUST(answer.released == number);
	for (uint64_t i = 0; i < count; i++) {
		if (i < answer.lost) {
			capture->is_lost[number + i] = 1;
			capture->lost++;
		} else {
			check_words(copies[i], number + i, exact);
			check_record(capture, number + i);
		}
	}
	return count;
}

/* Held up for some rounds of the ring. */
static void hold_up(struct capture *capture, uint64_t number, uint32_t *state)
{
	uint64_t until = number + RING * (1 + random_next(state) % 3) + random_next(state) % RING;

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
	static struct capture capture;
	uint64_t periods = strtoull(argument[2], NULL, 0);
	int hold = !strcmp(argument[3], "hold"), exact = strcmp(argument[3], "inexact");
	int stall = !strcmp(argument[3], "stall");
	uint32_t state = strtoul(argument[4], NULL, 0) | 1;
	uint32_t pause = strtoul(argument[5], NULL, 0);
	int bar = open(argument[1], O_RDWR | O_SYNC);
	struct sluice_capture_start start = {.size = sizeof(start), .periods = RING,
					     .period_bytes = PERIOD_BYTES, .watermark = WATERMARK,
					     .flags = (exact ? 0 : SLUICE_CAPTURE_INEXACT) |
						  (stall ? SLUICE_CAPTURE_STALL : 0)};
	struct sluice_capture_stop stop = {.size = sizeof(stop)};
	struct sluice_capture_wait wait = {.size = sizeof(wait)};

	MUST(periods <= MAX_PERIODS && bar >= 0);
	capture.fd = channel_open(argument[0], 0);
	capture.source = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, bar, SOURCE);
	MUST(capture.source != MAP_FAILED);
	source_stop(&capture);
	MUST(channel_info(capture.fd).capabilities & SLUICE_CAP_LOSS_EXACT);
	capture.ring = memory_of("contiguous", RING * PERIOD_BYTES);
	start.buffer = channel_attach(capture.fd, &capture.ring);
	memory_begin(&capture.ring);
	memset(capture.ring.at, 0xff, capture.ring.bytes);
	memory_end(&capture.ring);

	FAILS(ioctl(capture.fd, SLUICE_CAPTURE_WAIT, &wait), EPIPE);
	start.periods = RING + 1;
	FAILS(ioctl(capture.fd, SLUICE_CAPTURE_START, &start), EINVAL);
	start.periods = 2;
	FAILS(ioctl(capture.fd, SLUICE_CAPTURE_START, &start), EINVAL);
	start.periods = RING;
	start.offset = 8;
	FAILS(ioctl(capture.fd, SLUICE_CAPTURE_START, &start), EINVAL);
	start.offset = 0;
	MUST(!ioctl(capture.fd, SLUICE_CAPTURE_START, &start));
	FAILS(ioctl(capture.fd, SLUICE_CAPTURE_START, &start), EBUSY);
	FAILS(ioctl(capture.fd, SLUICE_SUBMIT, &start), EINVAL);
	capture.status = mmap(NULL, start.status_bytes, PROT_READ, MAP_SHARED, capture.fd,
			      SLUICE_MMAP_CAPTURE);
	MUST(capture.status != MAP_FAILED);
	MUST(status_now(&capture).flags ==
	     (SLUICE_STATUS_RUNNING |
	      (stall ? SLUICE_STATUS_STALL : exact ? SLUICE_STATUS_EXACT : 0)));
	FAILS(ioctl(capture.fd, SLUICE_CAPTURE_WAIT, &wait), EAGAIN);
	struct pollfd ready = {.fd = capture.fd, .events = POLLIN};
	MUST(poll(&ready, 1, 20) == 0);

	uint64_t before = now_ns();
	source_start(&capture, pause, stall);
	MUST(poll(&ready, 1, 60000) == 1 && ready.revents == POLLIN);
	MUST(status_now(&capture).produced >= WATERMARK);
	for (uint64_t number = 0, next = RING; number < periods;) {
		number += read_periods(&capture, number, periods, exact);
		if (!hold && exact && capture.lost) {
			/* By a host that had no time for us. The next one finds no beat of ours. */
			source_stop(&capture);
			exit(OVERTAKEN);
		}
		if (stall && number >= next) {
			usleep(200000);
			MUST(status_now(&capture).produced <= number + RING);
			next = number + RING;
		}
		if (hold && number >= next) {
			hold_up(&capture, number, &state);
			next = number + 4 * RING;
		}
	}
	uint64_t took = now_ns() - before;
	uint64_t dropped = capture.source[SL_STREAM_SOURCE_DROP_BEATS_LO_OFFSET / 4];
	source_stop(&capture);
	MUST(!ioctl(capture.fd, SLUICE_CAPTURE_STOP, &stop));
	MUST(stop.produced >= periods);
	MUST(!(status_now(&capture).flags & SLUICE_STATUS_RUNNING));
	MUST(!dropped && !status_now(&capture).drops);
	check_losses(&capture, periods);
	if (exact)
		MUST(hold ? capture.lost : !capture.lost);
	/* Once more, in the same open channel. */
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
