// SPDX-License-Identifier: GPL-2.0-only
/*
 * A card whose channels end at its memory.
 */
#include "board.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define WAIT_NS 600000000000ull
#define ROOM (1u << 18) /* of each buffer, of which a quarter is each transfer's */
#define AT_ONCE 4u
#define QUEUED 128u

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
 * hold_card FROM MEMORY: has copies queued and the card's memory mapped, says so, and waits until
 * the device goes or is reset; all copies end, and how fast is said
 */
int test_hold_card(char **argument)
{
	int from = channel_open(argument[0], 0), node = channel_open(argument[1], 0);
	struct memory in = memory_of("system", 1 << 20), card = card_memory(node, 0, 1 << 20);
	uint32_t in_id = channel_attach(from, &in), here = channel_attach(from, &card), ended = 0;
	struct sluice_transfer transfers[QUEUED];
	struct sluice_completion done;
	uint64_t last = 0;

	for (uint32_t i = 0; i < QUEUED; i++)
		transfers[i] = (struct sluice_transfer){.cookie = i, .buffer = here,
							.destination = in_id, .length = 1 << 20};
	MUST(channel_submit(from, transfers, QUEUED) == QUEUED);
	printf("holds\n");
	fflush(stdout);
	for (; ended < QUEUED; ended++) {
		MUST(channel_reap(from, &done, 1, SLUICE_FOREVER) == 1 && done.cookie == ended);
		MUST(!done.status || done.status == -EIO || done.status == -ENODEV);
		if (done.status)
			last = done.status;
	}
	/* One at least was not over. */
	MUST(last);
	return 0;
}
