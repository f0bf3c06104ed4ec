// SPDX-License-Identifier: GPL-2.0-only
/*
 * random TX RX PROCESSES CALLS SEED: calls with members at random, from several processes at once.
 * What they return is not looked at: the kernel has to survive them, and to say nothing.
 *
 * random_card TO FROM CARD PEER PROCESSES CALLS SEED: the same on channels of a card, with parts of
 * its memory, and of a peer's, which may be taken back meanwhile.
 */
#include "board.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define BUFFERS 3u
#define PARTS 2u /* of the memory of a card, and of its peer */
#define MOST_BUFFERS (BUFFERS + PARTS)
#define WAIT_NS 5000000u

static uint32_t state;
static const char *parts[PARTS]; /* memory nodes; NULL: none */
static uint32_t buffers = BUFFERS;

static uint32_t below(uint32_t limit)
{
	return random_next(&state) % limit;
}

/* Mostly what makes sense, now and then anything. */
static uint64_t mostly(uint64_t sense)
{
	return below(12) ? sense : below(2) ? random_next(&state) : ~(uint64_t)below(5000);
}

static void submit_anything(int fd)
{
	struct sluice_transfer transfers[4] = {0};
	uint32_t count = 1 + below(ARRAY_SIZE(transfers));

	for (uint32_t i = 0; i < count; i++)
		transfers[i] = (struct sluice_transfer){
			.cookie = below(1000), .buffer = mostly(1 + below(buffers)),
			.flags = mostly(below(2)), .offset = mostly(below(16) * 512),
			.length = mostly(8 * (1 + below(512))),
			.destination = mostly(parts[0] ? 1 + below(buffers) : 0),
			.destination_offset = mostly(parts[0] ? below(16) * 512 : 0),
			.timeout_ns = mostly(below(4) * 2000000)};
	struct sluice_submit submit = {
		.size = mostly(sizeof(submit)), .flags = mostly(0),
		.transfers = below(30) ? (uintptr_t)transfers : below(2) ? 0 : ~0ull,
		.count = mostly(count), .transfer_bytes = mostly(sizeof(transfers[0]))};
	if (submit.count > ARRAY_SIZE(transfers) && submit.transfers == (uintptr_t)transfers)
		submit.count = count;
	(void)ioctl(fd, SLUICE_SUBMIT, &submit);
}

static void reap_anything(int fd)
{
	struct sluice_completion done[8];
	struct sluice_reap reap = {
		.size = mostly(sizeof(reap)), .completions = below(30) ? (uintptr_t)done : 8,
		.count = below(ARRAY_SIZE(done) + 1), .completion_bytes = sizeof(done[0]),
		.min = mostly(below(4)), .timeout_ns = below(WAIT_NS)};

	(void)ioctl(fd, SLUICE_REAP, &reap);
}

static void capture_anything(int fd)
{
	struct sluice_capture_start start = {
		.size = mostly(sizeof(start)), .flags = mostly(below(4)),
		.buffer = mostly(1 + below(buffers)), .periods = mostly(3 + below(6)),
		.offset = mostly(0), .period_bytes = mostly(512), .watermark = mostly(1),
		.poll_ns = mostly(0)};
	struct sluice_capture_wait wait = {.size = sizeof(wait), .period = mostly(below(9)),
					   .timeout_ns = below(WAIT_NS)};
	struct sluice_capture_release release = {.size = sizeof(release),
						 .period = mostly(below(9))};
	struct sluice_capture_stop stop = {.size = sizeof(stop), .flags = mostly(0)};

	switch (below(4)) {
	case 0:
		(void)ioctl(fd, SLUICE_CAPTURE_START, &start);
		break;
	case 1:
		(void)ioctl(fd, SLUICE_CAPTURE_WAIT, &wait);
		break;
	case 2:
		(void)ioctl(fd, SLUICE_CAPTURE_RELEASE, &release);
		break;
	default:
		(void)ioctl(fd, SLUICE_CAPTURE_STOP, &stop);
		break;
	}
}

static void copy_anything(int fd)
{
	static uint8_t bytes[70000];
	size_t count = below(4) ? below(5000) : below(sizeof(bytes));
	void *where = below(30) ? bytes : (void *)8;

	if (!(fcntl(fd, F_GETFL) & O_NONBLOCK))
		return; /* nobody may be there to end it */
	if (below(2))
		(void)!read(fd, where, count);
	else
		(void)!write(fd, where, count);
}

static void map_anything(int fd)
{
	static const uint64_t places[] = {SLUICE_MMAP_RING, SLUICE_MMAP_TAIL, SLUICE_MMAP_CAPTURE,
					  SLUICE_MMAP_BUFFER};
	size_t bytes = 4096 * (1 + below(16));
	int writes = below(2) ? PROT_WRITE : 0;
	uint32_t *at = mmap(NULL, bytes, PROT_READ | writes, below(8) ? MAP_SHARED : MAP_PRIVATE,
			    fd, places[below(ARRAY_SIZE(places))] + (below(8) ? 0 : 4096));

	if (at == MAP_FAILED)
		return;
	if (writes)
		*at = mostly(*at + 1);
	if (below(4)) /* the others stay until the process ends */
		munmap(at, bytes);
}

static void call_anything(int fd, const struct memory *memory)
{
	struct sluice_attach attach = {.size = mostly(sizeof(attach)),
				       .fd = mostly(memory[below(buffers)].fd)};
	struct sluice_detach detach = {.size = mostly(sizeof(detach)),
				       .buffer = mostly(1 + below(buffers))};
	struct sluice_setup setup = {.size = sizeof(setup), .ring_entries = mostly(1u << below(9))};
	struct sluice_cancel cancel = {.size = mostly(sizeof(cancel))};
	uint8_t garbage[256];
	struct pollfd ready = {.fd = fd, .events = POLLIN | POLLOUT};

	switch (below(13)) {
	case 0:
		(void)ioctl(fd, SLUICE_ATTACH, &attach);
		break;
	case 1:
		(void)ioctl(fd, SLUICE_DETACH, &detach);
		break;
	case 2:
		(void)ioctl(fd, SLUICE_SETUP, &setup);
		break;
	case 3:
		(void)ioctl(fd, SLUICE_CANCEL, &cancel);
		break;
	case 4:
		for (size_t i = 0; i < sizeof(garbage); i++)
			garbage[i] = below(4) ? 0 : random_next(&state);
		garbage[0] = below(200);
		garbage[1] = garbage[2] = garbage[3] = 0;
		(void)ioctl(fd, _IO(SLUICE_IOCTL_TYPE, below(16)), garbage);
		break;
	case 5:
		map_anything(fd);
		break;
	case 6:
		(void)poll(&ready, 1, below(3));
		break;
	case 7:
	case 8:
		reap_anything(fd);
		break;
	case 9:
		capture_anything(fd);
		break;
	case 10:
		copy_anything(fd);
		break;
	default:
		submit_anything(fd);
		break;
	}
}

/* A part of a card's memory, mostly. It may not be there just now, and be touched by nobody. */
static void export_anything(const char *path, struct memory *memory)
{
	struct sluice_memory_export part = {.size = mostly(sizeof(part)),
					    .offset = mostly(below(16) * 4096),
					    .bytes = mostly(4096 + below(16) * 4096)};
	int node = open(path, O_RDWR | O_CLOEXEC);

	if (memory->fd >= 0)
		close(memory->fd);
	memory->fd = -1;
	if (node < 0)
		return;
	if (!ioctl(node, SLUICE_MEMORY_EXPORT, &part))
		memory->fd = part.fd;
	close(node);
}

static void one_process(char **channels, uint32_t calls)
{
	struct memory memory[MOST_BUFFERS];
	int fd = -1;

	for (uint32_t i = 0; i < BUFFERS; i++)
		memory[i] = memory_of("system", 8192 << i);
	for (uint32_t i = BUFFERS; i < buffers; i++)
		memory[i].fd = -1;
	for (uint32_t i = 0; i < calls; i++) {
		if (parts[0] && !below(40)) {
			uint32_t which = below(PARTS);

			export_anything(parts[which], &memory[BUFFERS + which]);
		}
		if (fd >= 0 && !below(60)) {
			close(fd);
			fd = -1;
		}
		if (fd < 0) {
			fd = open(channels[below(2)], O_RDWR | (below(2) ? O_NONBLOCK : 0));
			for (uint32_t n = 0; fd >= 0 && n < buffers; n++) {
				struct sluice_attach attach = {.size = sizeof(attach),
							       .fd = memory[n].fd};

				(void)ioctl(fd, SLUICE_ATTACH, &attach);
			}
			if (fd < 0)
				usleep(1000); /* another one has it */
		}
		if (fd >= 0)
			call_anything(fd, memory);
	}
	_exit(0);
}

static int of_processes(char **channels, char **argument)
{
	uint32_t processes = strtoul(argument[0], NULL, 0), calls = strtoul(argument[1], NULL, 0);
	int status;

	for (uint32_t i = 0; i < processes; i++) {
		pid_t child = fork();

		MUST(child >= 0);
		state = (strtoul(argument[2], NULL, 0) + i) * 2654435761u | 1;
		if (!child)
			one_process(channels, calls);
	}
	for (uint32_t i = 0; i < processes; i++) {
		MUST(wait(&status) > 0);
		MUST(WIFEXITED(status) && !WEXITSTATUS(status));
	}
	printf("calls %u\n", processes * calls);
	return 0;
}

int test_random(char **argument)
{
	return of_processes(argument, argument + 2);
}

int test_random_card(char **argument)
{
	for (uint32_t i = 0; i < PARTS; i++)
		parts[i] = argument[2 + i];
	buffers = MOST_BUFFERS;
	return of_processes(argument, argument + 4);
}
