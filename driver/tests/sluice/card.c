// SPDX-License-Identifier: GPL-2.0-only
/*
 * A card whose channels end at its memory.
 */
#include "board.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAIT_NS 600000000000ull
#define ROOM (1u << 18) /* of each buffer, of which a quarter is each transfer's */
#define AT_ONCE 4u
#define QUEUED 128u
#define PATIENCE_NS (WAIT_NS / 10)

static uint64_t card_bytes(int node)
{
	struct sluice_memory_info info = {.size = sizeof(info)};

	MUST(!ioctl(node, SLUICE_MEMORY_INFO, &info));
	MUST(info.bytes >= 2 * ROOM && info.align == (uint32_t)sysconf(_SC_PAGESIZE));
	return info.bytes;
}

static int try_export(int node, uint64_t offset, uint64_t bytes)
{
	struct sluice_memory_export export = {.size = sizeof(export), .offset = offset,
					      .bytes = bytes};

	return ioctl(node, SLUICE_MEMORY_EXPORT, &export) ? -1 : export.fd;
}

/* A part of the card's memory, mapped. */
static struct memory card_memory(int node, uint64_t offset, size_t bytes)
{
	struct memory memory = {.fd = try_export(node, offset, bytes), .bytes = bytes};

	MUST(memory.fd >= 0);
	memory.at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory.fd, 0);
	MUST(memory.at != MAP_FAILED);
	return memory;
}

static void refuses(int to, int from, int node, uint32_t host, uint32_t card, uint32_t host_back)
{
	uint64_t bytes = card_bytes(node);
	struct sluice_transfer wrong = {.buffer = card, .destination = host, .length = 64};

	FAILS(channel_submit(to, &wrong, 1), EXDEV);
	wrong = (struct sluice_transfer){.buffer = host, .destination = host, .length = 64};
	FAILS(channel_submit(to, &wrong, 1), EXDEV);
	wrong = (struct sluice_transfer){.buffer = host_back, .destination = host_back,
					 .length = 64};
	FAILS(channel_submit(from, &wrong, 1), EXDEV);
	wrong = (struct sluice_transfer){.buffer = host, .destination = card, .length = 64,
					 .destination_offset = ROOM - 63};
	FAILS(channel_submit(to, &wrong, 1), EINVAL);
	wrong = (struct sluice_transfer){.buffer = host, .length = 64};
	FAILS(channel_submit(to, &wrong, 1), ENOENT);
	FAILS(try_export(node, bytes, 4096), EINVAL);
	FAILS(try_export(node, 0, bytes + 4096), EINVAL);
	FAILS(try_export(node, 4096, ~0ull - 4095), EINVAL);
	FAILS(try_export(node, 0, 0), EINVAL);
	FAILS(try_export(node, 8, 4096), EINVAL);
	FAILS(try_export(node, 0, 5000), EINVAL);
}

static void do_all(int fd, struct sluice_transfer *transfers, uint32_t count)
{
	struct sluice_completion done[AT_ONCE];

	MUST(channel_submit(fd, transfers, count) == (int)count);
	MUST(channel_reap(fd, done, count, WAIT_NS) == count);
	for (uint32_t i = 0; i < count; i++)
		MUST(!done[i].status && done[i].cookie == transfers[i].cookie &&
		     done[i].bytes == transfers[i].length && !done[i].flags);
}

/* ---------------------------------------------------------------------------------------------
 * card TO FROM MEMORY BYTES SEED: pieces of a host's buffer to anywhere on the card, where the
 * program sees them, too, and back
 */
int test_card(char **argument)
{
	int to = channel_open(argument[0], 0), from = channel_open(argument[1], 0);
	int node = channel_open(argument[2], 0);
	size_t total = 0, bytes = strtoull(argument[3], NULL, 0);
	uint32_t state = strtoul(argument[4], NULL, 0) | 1;
	struct memory out = memory_of("system", ROOM), in = memory_of("system", ROOM);
	struct memory card = card_memory(node, card_bytes(node) - ROOM, ROOM);
	uint32_t out_id = channel_attach(to, &out), in_id = channel_attach(from, &in);
	uint32_t there = channel_attach(to, &card), here = channel_attach(from, &card);

	MUST(channel_info(to).direction == SLUICE_COPY && channel_info(to).address_align == 1);
	MUST(channel_info(to).capabilities & SLUICE_CAP_TO_CARD);
	MUST(channel_info(from).capabilities & SLUICE_CAP_FROM_CARD);
	refuses(to, from, node, out_id, there, in_id);
	while (total < bytes) {
		struct sluice_transfer sends[AT_ONCE] = {0}, receives[AT_ONCE] = {0};

		memory_begin(&out);
		memory_begin(&in);
		for (uint32_t i = 0; i < ROOM; i++)
			out.at[i] = random_next(&state) >> 11;
		memset(in.at, 0x55, ROOM);
		for (uint32_t i = 0; i < AT_ONCE; i++) {
			uint32_t room = ROOM / AT_ONCE, length = 1 + random_next(&state) % room;
			uint32_t place = random_next(&state) % (room - length + 1) + i * room;

			sends[i] = (struct sluice_transfer){
				.cookie = i, .buffer = out_id, .destination = there,
				.length = length, .destination_offset = place,
				.offset = random_next(&state) % (ROOM - length + 1)};
			receives[i] = (struct sluice_transfer){
				.cookie = ~i, .buffer = here, .destination = in_id,
				.length = length, .offset = place, .destination_offset = place};
			total += length;
		}
		memory_end(&in);
		memory_end(&out);
		do_all(to, sends, AT_ONCE);
		do_all(from, receives, AT_ONCE);
		memory_begin(&in);
		memory_begin(&out);
		for (uint32_t i = 0; i < AT_ONCE; i++) {
			uint64_t place = receives[i].offset;
			const uint8_t *sent = out.at + sends[i].offset;

			MUST(!memcmp(in.at + place, sent, sends[i].length));
			/* And as the CPU sees it: slowly, so not all of it. */
			MUST(card.at[place] == sent[0]);
			MUST(card.at[place + sends[i].length - 1] == sent[sends[i].length - 1]);
			memset(in.at + place, 0x55, sends[i].length);
		}
		for (uint32_t i = 0; i < ROOM; i++)
			MUST(in.at[i] == 0x55);
		memory_end(&out);
		memory_end(&in);
	}
	printf("bytes %zu\n", total);
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * end_card FROM MEMORY FILE WORD: has copies queued and the card's memory mapped, then writes the
 * word to the file, by which the function is reset or taken from its driver: all copies end, and it
 * is said how long after
 * kill_card FROM MEMORY: a program that has as many is killed; how long until it is gone is said
 */
static void queue_copies(int from, int node)
{
	struct memory in = memory_of("system", 1 << 20), card = card_memory(node, 0, 1 << 20);
	uint32_t in_id = channel_attach(from, &in), here = channel_attach(from, &card);
	struct sluice_transfer transfers[QUEUED];

	for (uint32_t i = 0; i < QUEUED; i++)
		transfers[i] = (struct sluice_transfer){.cookie = i, .buffer = here,
							.destination = in_id, .length = 1 << 20};
	MUST(channel_submit(from, transfers, QUEUED) == QUEUED);
}

static void write_word(const char *path, const char *word)
{
	int file = open(path, O_WRONLY);

	MUST(file >= 0 && write(file, word, strlen(word)) == (ssize_t)strlen(word));
	close(file);
}

static pid_t start_writing(const char *path, const char *word)
{
	pid_t child = fork();

	MUST(child >= 0);
	if (child)
		return child;
	write_word(path, word);
	_exit(0);
}

int test_end_card(char **argument)
{
	int from = channel_open(argument[0], 0), node = channel_open(argument[1], 0), failed = 0, status;
	struct sluice_completion done;

	queue_copies(from, node);
	uint64_t before = now_ns();
	pid_t child = start_writing(argument[2], argument[3]);

	for (uint32_t ended = 0; ended < QUEUED; ended++) {
		MUST(channel_reap(from, &done, 1, SLUICE_FOREVER) == 1 && done.cookie == ended);
		MUST(!done.status || done.status == -EIO || done.status == -ENODEV);
		failed |= done.status;
	}
	printf("ended_ns %llu\n", (unsigned long long)(now_ns() - before));
	MUST(failed); /* one at least was not over */
	MUST(waitpid(child, &status, 0) == child && !status);
	return 0;
}

/*
 * insist TO MEMORY FILE WORD ROUNDS: whatever ends copies, the program goes on, at once, while the
 * word is written, that often; none is forgotten, and then they go well
 */
int test_insist(char **argument)
{
	int to = channel_open(argument[0], 0), node = channel_open(argument[1], 0), status;
	struct memory out = memory_of("system", ROOM), card = card_memory(node, 0, ROOM);
	uint32_t out_id = channel_attach(to, &out), there = channel_attach(to, &card);
	struct sluice_transfer copy = {.buffer = out_id, .destination = there, .length = 4096};
	struct sluice_completion done;

	for (unsigned long left = strtoul(argument[4], NULL, 0); left; left--) {
		pid_t child = start_writing(argument[2], argument[3]);

		for (uint32_t i = 0; i < AT_ONCE; i++)
			MUST(channel_submit(to, &copy, 1) == 1);
		while (!waitpid(child, &status, WNOHANG)) {
			MUST(channel_reap(to, &done, 1, PATIENCE_NS) == 1);
			MUST(!done.status || done.status == -EIO);
			MUST(channel_submit(to, &copy, 1) == 1);
		}
		MUST(!status);
		for (uint32_t i = 0; i < AT_ONCE; i++)
			MUST(channel_reap(to, &done, 1, PATIENCE_NS) == 1);
		MUST(channel_submit(to, &copy, 1) == 1);
		MUST(channel_reap(to, &done, 1, PATIENCE_NS) == 1 && !done.status);
	}
	return 0;
}

int test_kill_card(char **argument)
{
	int ready[2], status;
	char byte;

	MUST(!pipe(ready));
	pid_t child = fork();

	MUST(child >= 0);
	if (!child) {
		queue_copies(channel_open(argument[0], 0), channel_open(argument[1], 0));
		MUST(write(ready[1], "", 1) == 1);
		pause();
	}
	close(ready[1]);
	MUST(read(ready[0], &byte, 1) == 1);
	uint64_t before = now_ns();

	MUST(!kill(child, SIGKILL) && waitpid(child, &status, 0) == child);
	MUST(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	printf("ended_ns %llu\n", (unsigned long long)(now_ns() - before));
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * capture_card RX CONTROL HOW PERIODS PAUSE: what the first lane's source numbers, without end, with
 * so many ticks between periods. HOW: "stall", the source waits and nothing is lost; "cyclic", the
 * ring is written over, and what is still there when it has been read is right, but for whole rounds
 * that nobody saw
 */
#define RING 32u
#define PERIOD 4096u
#define BEAT 16u /* bytes */

static void source(int control, int on, int waits, uint32_t pause)
{
	control_set(control, "s0.source.enable", 0);
	if (!on)
		return;
	control_set(control, "s0.source.packet_beats", PERIOD / BEAT);
	control_set(control, "s0.source.pause_ticks", pause);
	control_set(control, "s0.source.frame_packets", RING);
	control_set(control, "s0.source.frame_ticks", 0);
	control_set(control, "s0.source.start", 0);
	control_set(control, "s0.source.continuous", 1);
	control_set(control, "s0.source.free_run", !waits);
	control_set(control, "s0.source.clear", 1);
	control_set(control, "s0.source.enable", 1);
}

static void check_period(const uint8_t *at, uint64_t number, int exact)
{
	const uint32_t words = PERIOD / 4;

	for (uint32_t i = 0; i < words; i++) {
		uint32_t word, more;

		memcpy(&word, at + 4 * i, sizeof(word));
		more = word - (uint32_t)(number * words + i);
		if (exact ? more : more % (RING * words)) {
			SAYS("period %llu, word %u: %#x", (unsigned long long)number, i, word);
			exit(1);
		}
	}
}

int test_capture_card(char **argument)
{
	int rx = channel_open(argument[0], 0), control = channel_open(argument[1], 0);
	int stall = !strcmp(argument[2], "stall");
	uint64_t periods = strtoull(argument[3], NULL, 0), lost = 0;
	struct memory ring = memory_of("contiguous", RING * PERIOD);
	struct sluice_capture_start start = {
		.size = sizeof(start), .buffer = channel_attach(rx, &ring), .periods = RING,
		.period_bytes = PERIOD, .watermark = 1,
		.flags = stall ? SLUICE_CAPTURE_STALL : SLUICE_CAPTURE_INEXACT};
	struct sluice_capture_wait wait = {.size = sizeof(wait), .timeout_ns = WAIT_NS};
	struct sluice_capture_stop stop = {.size = sizeof(stop)};
	uint8_t copy[PERIOD];

	channel_drain(rx, start.buffer); /* of what tests before have left in the loop */
	close(rx); /* a channel is used in one way until it is closed */
	rx = channel_open(argument[0], 0);
	start.buffer = channel_attach(rx, &ring);
	source(control, 0, 0, 0);
	control_set(control, "s0.loopback", 0);
	MUST(!(channel_info(rx).capabilities & SLUICE_CAP_LOSS_EXACT));
	MUST(!ioctl(rx, SLUICE_CAPTURE_START, &start));
	source(control, 1, stall, strtoul(argument[4], NULL, 0));
	for (uint64_t number = 0; number < periods; number++) {
		struct sluice_capture_release release = {.size = sizeof(release),
							 .period = number + 1};

		wait.period = number;
		MUST(!ioctl(rx, SLUICE_CAPTURE_WAIT, &wait));
		memory_begin(&ring);
		memcpy(copy, ring.at + number % RING * PERIOD, PERIOD);
		memory_end(&ring);
		MUST(!ioctl(rx, SLUICE_CAPTURE_RELEASE, &release));
		lost += release.lost;
		if (!release.lost)
			check_period(copy, number, stall);
	}
	source(control, 0, 0, 0);
	MUST(!ioctl(rx, SLUICE_CAPTURE_STOP, &stop) && stop.produced >= periods);
	MUST(!stall || !lost);
	control_set(control, "s0.loopback", 1);
	printf("periods %llu\nlost %llu\n", (unsigned long long)periods, (unsigned long long)lost);
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * card_faults CHANNEL MEMORY: copies between buffer and card while the card fails; each ends, within
 * its time limit or for want of it, and how many ended how is said
 */
#define FAULTY 64u

int test_card_faults(char **argument)
{
	int channel = channel_open(argument[0], 0), node = channel_open(argument[1], 0);
	int to_card = channel_info(channel).capabilities & SLUICE_CAP_TO_CARD ? 1 : 0;
	struct memory host = memory_of("system", ROOM), card = card_memory(node, 0, ROOM);
	uint32_t here = channel_attach(channel, &host), there = channel_attach(channel, &card);
	struct sluice_transfer transfers[FAULTY];
	struct sluice_completion done[FAULTY];
	int good = 0, failed = 0, late = 0;

	for (uint32_t i = 0; i < FAULTY; i++)
		transfers[i] = (struct sluice_transfer){
			.cookie = i, .buffer = to_card ? here : there,
			.destination = to_card ? there : here, .length = ROOM / FAULTY,
			.offset = i * (ROOM / FAULTY), .destination_offset = i * (ROOM / FAULTY),
			.timeout_ns = 3000000000};
	MUST(channel_submit(channel, transfers, FAULTY) == FAULTY);
	MUST(channel_reap(channel, done, FAULTY, WAIT_NS) == FAULTY);
	for (uint32_t i = 0; i < FAULTY; i++) {
		MUST(done[i].cookie == i);
		good += !done[i].status;
		failed += done[i].status == -EIO;
		late += done[i].status == -ETIMEDOUT || done[i].status == -ECANCELED;
	}
	MUST(good + failed + late == (int)FAULTY);
	printf("good %d\nfailed %d\nlate %d\n", good, failed, late);
	return 0;
}
