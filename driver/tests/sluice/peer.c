// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of another device: a card moves data there and back.
 */
#include "board.h"
#include "vfio_bar.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAIT_NS 600000000000ull
#define PIECE (1u << 20)
#define QUEUED 32u

/**
 * struct sides - A card's channels and its memory, and memory of a peer, known to both channels
 */
struct sides {
	int to, from;
	struct memory host;
	uint32_t host_to, host_from, card_to, card_from, peer_to, peer_from;
};

static int export_of(const char *path, uint64_t offset, uint64_t bytes)
{
	struct sluice_memory_export export = {.size = sizeof(export), .offset = offset,
					      .bytes = bytes};
	int node = channel_open(path, 0);

	MUST(!ioctl(node, SLUICE_MEMORY_EXPORT, &export));
	close(node);
	return export.fd;
}

static uint32_t attach_fd(int channel, int fd)
{
	struct sluice_attach attach = {.size = sizeof(attach), .fd = fd};

	MUST(!ioctl(channel, SLUICE_ATTACH, &attach));
	return attach.buffer;
}

static struct sides open_sides(char **argument, int peer)
{
	struct sides sides = {.to = channel_open(argument[0], 0),
			      .from = channel_open(argument[1], 0),
			      .host = memory_of("system", PIECE)};
	int card = export_of(argument[2], 0, PIECE);

	sides.host_to = channel_attach(sides.to, &sides.host);
	sides.host_from = channel_attach(sides.from, &sides.host);
	sides.card_to = attach_fd(sides.to, card);
	sides.card_from = attach_fd(sides.from, card);
	sides.peer_to = attach_fd(sides.to, peer);
	sides.peer_from = attach_fd(sides.from, peer);
	close(card);
	return sides;
}

/* At the same place on both sides. */
static void copy(int channel, uint32_t from, uint32_t to, uint32_t place, uint32_t bytes)
{
	struct sluice_transfer transfer = {.buffer = from, .destination = to, .length = bytes,
					   .offset = place, .destination_offset = place};
	struct sluice_completion done;

	MUST(channel_submit(channel, &transfer, 1) == 1);
	MUST(channel_reap(channel, &done, 1, WAIT_NS) == 1);
	if (done.status)
		SAYS("copy of %u bytes: %s", bytes, strerror(-done.status));
	MUST(!done.status && done.bytes == bytes);
}

/* Host, card, peer; the card cleared; peer, card, host. */
static void there_and_back(const struct sides *opened, uint64_t bytes, uint32_t state)
{
	const struct sides sides = *opened;
	uint8_t *expected = malloc(PIECE);
	uint64_t total = 0;

	MUST(expected);
	while (total < bytes) {
		uint32_t length = 1 + random_next(&state) % (bytes < PIECE ? bytes : PIECE);
		uint32_t place = random_next(&state) % (PIECE - length + 1);

		memory_begin(&sides.host);
		for (uint32_t i = 0; i < PIECE; i++)
			sides.host.at[i] = expected[i] = random_next(&state) >> 11;
		memory_end(&sides.host);
		copy(sides.to, sides.host_to, sides.card_to, place, length);
		copy(sides.from, sides.card_from, sides.peer_from, place, length);
		memory_begin(&sides.host);
		memset(sides.host.at, 0x55, PIECE);
		memory_end(&sides.host);
		copy(sides.to, sides.host_to, sides.card_to, place, length);
		copy(sides.to, sides.peer_to, sides.card_to, place, length);
		copy(sides.from, sides.card_from, sides.host_from, place, length);
		memory_begin(&sides.host);
		MUST(!memcmp(sides.host.at + place, expected + place, length));
		memory_end(&sides.host);
		total += length;
	}
	free(expected);
	printf("bytes %llu\n", (unsigned long long)total);
}

/* ---------------------------------------------------------------------------------------------
 * peer TO FROM CARD PEER BYTES SEED: to memory of another card and back
 */
int test_peer(char **argument)
{
	int peer = export_of(argument[3], PIECE, PIECE);
	struct sides sides = open_sides(argument, peer);

	close(peer);
	there_and_back(&sides, strtoull(argument[4], NULL, 0), strtoul(argument[5], NULL, 0) | 1);
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * vfio TO FROM CARD FUNCTION BAR BYTES SEED ROUNDS: to a BAR that vfio-pci has, and back; then it is
 * taken back under load, that often, and how long that took is said: the middle one, that of 99 in
 * 100, the longest
 */
/* Where the driver says that the channel's buffers are. */
static void say_buffers(int channel)
{
	struct sluice_info info = channel_info(channel);
	char path[160], text[1024];
	int file;

	snprintf(path, sizeof(path), "/sys/class/sluice/sluice!%s!%s/buffers", info.board, info.name);
	file = open(path, O_RDONLY);
	ssize_t length = file < 0 ? -1 : read(file, text, sizeof(text) - 1);
	MUST(length > 0);
	close(file);
	text[length] = '\0';
	printf("peer_translated %d\n", strstr(text, " peer iommu ") != NULL);
	MUST(strstr(text, " peer ") && strstr(text, " host ") && strstr(text, " card "));
}

static int by_size(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

static void load(const struct sides *sides, uint32_t count)
{
	struct sluice_transfer transfer = {.buffer = sides->card_from, .length = PIECE / 4,
					   .destination = sides->peer_from};

	for (uint32_t i = 0; i < count; i++)
		MUST(channel_submit(sides->from, &transfer, 1) == 1);
}

int test_vfio(char **argument)
{
	struct vfio_bar bar = vfio_bar_of(argument[3], strtoul(argument[4], NULL, 0));
	uint32_t rounds = strtoul(argument[7], NULL, 0);
	struct sides sides = open_sides(argument, bar.fd);
	struct sluice_detach detach = {.size = sizeof(detach)};
	struct sluice_completion done[QUEUED];
	struct sluice_transfer refused;
	uint64_t *took = calloc(rounds, sizeof(*took));
	uint32_t stale = 0;

	MUST(took && rounds);
	say_buffers(sides.from);
	there_and_back(&sides, strtoull(argument[5], NULL, 0), strtoul(argument[6], NULL, 0) | 1);
	for (uint32_t round = 0; round < rounds; round++) {
		int failed = 0;

		load(&sides, QUEUED);
		usleep(round % 8 * 1000);
		took[round] = vfio_bar_revoke(&bar);
		MUST(channel_reap(sides.from, done, QUEUED, WAIT_NS) == QUEUED);
		for (uint32_t i = 0; i < QUEUED; i++) {
			MUST(!done[i].status || done[i].status == -ESTALE);
			failed |= done[i].status != 0;
		}
		stale += failed; /* none is, where the host let the card end them all before */
		refused = (struct sluice_transfer){.buffer = sides.card_from, .length = 64,
						   .destination = sides.peer_from};
		FAILS(channel_submit(sides.from, &refused, 1), ESTALE);
		detach.buffer = sides.peer_from;
		MUST(!ioctl(sides.from, SLUICE_DETACH, &detach));
		sides.peer_from = attach_fd(sides.from, bar.fd); /* what is given again */
		copy(sides.from, sides.card_from, sides.peer_from, 0, 4096);
	}
	printf("stale_rounds %u\n", stale);
	MUST(stale);
	qsort(took, rounds, sizeof(*took), by_size);
	printf("unmapped_ns %llu\n", (unsigned long long)took[rounds / 2]);
	printf("unmapped_ns %llu\n", (unsigned long long)took[rounds - 1 - rounds / 100]);
	printf("unmapped_ns %llu\n", (unsigned long long)took[rounds - 1]);
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * exporter TO FROM CARD FUNCTION BAR: the program that has given a BAR is killed while it is copied
 * to: every copy ends, as it was or with ESTALE, no further one is taken, and others go on
 */
static int descriptor_of(pid_t program, int number)
{
	int of_program = syscall(SYS_pidfd_open, program, 0), fd;

	MUST(of_program >= 0);
	fd = syscall(SYS_pidfd_getfd, of_program, number, 0);
	MUST(fd >= 0);
	close(of_program);
	return fd;
}

int test_exporter(char **argument)
{
	struct sluice_completion done[QUEUED];
	struct sluice_transfer refused;
	int ends[2], given, status;

	MUST(!pipe(ends));
	pid_t child = fork();

	MUST(child >= 0);
	if (!child) {
		given = vfio_bar_of(argument[3], strtoul(argument[4], NULL, 0)).fd;
		MUST(write(ends[1], &given, sizeof(given)) == sizeof(given));
		pause();
	}
	close(ends[1]);
	MUST(read(ends[0], &given, sizeof(given)) == sizeof(given));
	struct sides sides = open_sides(argument, descriptor_of(child, given));

	load(&sides, QUEUED);
	MUST(!kill(child, SIGKILL) && waitpid(child, &status, 0) == child);
	MUST(channel_reap(sides.from, done, QUEUED, WAIT_NS) == QUEUED);
	for (uint32_t i = 0; i < QUEUED; i++)
		MUST(!done[i].status || done[i].status == -ESTALE);
	refused = (struct sluice_transfer){.buffer = sides.card_from, .length = 64,
					   .destination = sides.peer_from};
	FAILS(channel_submit(sides.from, &refused, 1), ESTALE);
	copy(sides.from, sides.card_from, sides.host_from, 0, PIECE);
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * revoked TO FROM CARD PEER: keeps copies to the peer queued, says so, and goes on until the peer's
 * memory is taken back; then no copy uses it, and others do as before
 */
int test_revoked(char **argument)
{
	int peer = export_of(argument[3], PIECE, PIECE);
	struct sides sides = open_sides(argument, peer);
	struct sluice_transfer transfers[QUEUED], refused;
	struct sluice_completion done;
	uint32_t in_flight = QUEUED;
	int stale = 0;

	close(peer);
	for (uint32_t i = 0; i < QUEUED; i++)
		transfers[i] = (struct sluice_transfer){
			.cookie = i, .buffer = sides.card_from, .length = PIECE / 4,
			.destination = i % 4 == 3 ? sides.host_from : sides.peer_from};
	MUST(channel_submit(sides.from, transfers, QUEUED) == QUEUED);
	printf("holds\n");
	fflush(stdout);
	for (uint64_t next = 0; in_flight; next++) {
		struct sluice_transfer *again = &transfers[next % QUEUED];

		MUST(channel_reap(sides.from, &done, 1, WAIT_NS) == 1);
		in_flight--;
		MUST(done.cookie == next % QUEUED);
		MUST(!done.status || done.status == -ESTALE || done.status == -ECANCELED);
		if (done.status == -ESTALE) {
			MUST(again->destination == sides.peer_from);
			stale = 1;
		}
		if (!stale && channel_submit(sides.from, again, 1) == 1) {
			in_flight++;
		} else if (!stale) {
			MUST(errno == ESTALE);
			stale = 1;
		}
	}
	refused = transfers[0];
	FAILS(channel_submit(sides.from, &refused, 1), ESTALE);
	copy(sides.from, sides.card_from, sides.host_from, 0, PIECE);
	return 0;
}
