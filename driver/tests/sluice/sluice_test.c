// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of sluice.ko, run in a guest: the first argument says which, see main().
 */
#include "board.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS 1000000ull
#define WAIT_NS (600000 * MS)
#define PACKET_MAX 65536u
#define IN_FLIGHT 8u

static void fill(uint8_t *at, size_t bytes, uint32_t *state)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = random_next(state) >> 11;
}

/* ---------------------------------------------------------------------------------------------
 * loopback TX RX HEAP BYTES SEED: packets of random sizes come back, each into a larger buffer
 */
struct packet {
	uint64_t offset;
	uint32_t bytes;
};

static void loopback_round(int tx, int rx, struct ring *ring, const struct memory *out,
			   const struct memory *in, uint32_t out_id, uint32_t in_id,
			   uint32_t *state, uint64_t *total)
{
	struct sluice_transfer send[IN_FLIGHT] = {0}, receive[IN_FLIGHT] = {0};
	struct sluice_completion done[IN_FLIGHT];
	uint32_t bytes[IN_FLIGHT];

	memory_begin(out);
	memory_begin(in);
	memset(in->at, 0xee, in->bytes);
	for (uint32_t i = 0; i < IN_FLIGHT; i++) {
		bytes[i] = (1 + random_next(state) % (PACKET_MAX / 8)) * 8;
		fill(out->at + i * PACKET_MAX, bytes[i], state);
		send[i] = (struct sluice_transfer){.cookie = *total + i, .buffer = out_id,
						   .offset = i * PACKET_MAX, .length = bytes[i]};
		receive[i] = (struct sluice_transfer){.cookie = ~(*total + i), .buffer = in_id,
						      .offset = i * PACKET_MAX,
						      .length = PACKET_MAX};
	}
	memory_end(in);
	memory_end(out);
	MUST(channel_submit(rx, receive, IN_FLIGHT) == IN_FLIGHT);
	MUST(channel_submit(tx, send, IN_FLIGHT) == IN_FLIGHT);
	MUST(channel_reap(tx, done, IN_FLIGHT, WAIT_NS) == IN_FLIGHT);
	for (uint32_t i = 0; i < IN_FLIGHT; i++)
		MUST(!done[i].status && done[i].cookie == send[i].cookie &&
		     done[i].bytes == bytes[i] && !done[i].flags);
	/* These without a system call. */
	for (uint32_t i = 0; i < IN_FLIGHT; i++) {
		uint64_t end = now_ns() + WAIT_NS;

		while (!ring_next(ring, &done[i])) {
			struct pollfd ready = {.fd = rx, .events = POLLIN};

			MUST(now_ns() < end && poll(&ready, 1, 1000) >= 0);
		}
		MUST(!done[i].status && done[i].cookie == receive[i].cookie);
		if (done[i].bytes != bytes[i])
			SAYS("packet %u: %llu bytes instead of %u", i,
			     (unsigned long long)done[i].bytes, bytes[i]);
		MUST(done[i].bytes == bytes[i]);
		MUST(done[i].flags ==
		     (bytes[i] < PACKET_MAX ? SLUICE_COMPLETION_END_OF_PACKET : 0));
	}
	memory_begin(in);
	memory_begin(out);
	for (uint32_t i = 0; i < IN_FLIGHT; i++) {
		const uint8_t *at = in->at + i * PACKET_MAX;

		MUST(!memcmp(at, out->at + i * PACKET_MAX, bytes[i]));
		for (uint32_t beyond = bytes[i]; beyond < PACKET_MAX; beyond++)
			MUST(at[beyond] == 0xee);
		*total += bytes[i];
	}
	memory_end(out);
	memory_end(in);
}

static int test_loopback(char **argument)
{
	int tx = channel_open(argument[0], 0), rx = channel_open(argument[1], 0);
	struct memory out = memory_of(argument[2], IN_FLIGHT * PACKET_MAX);
	struct memory in = memory_of(argument[2], IN_FLIGHT * PACKET_MAX);
	uint64_t bytes = strtoull(argument[3], NULL, 0), total = 0;
	uint32_t state = strtoul(argument[4], NULL, 0) | 1;
	struct sluice_setup setup = {.size = sizeof(setup), .ring_entries = 16};
	uint32_t out_id = channel_attach(tx, &out), in_id = channel_attach(rx, &in);

	MUST(!ioctl(rx, SLUICE_SETUP, &setup) && setup.ring_entries == 16);
	struct ring ring = ring_map(rx, setup.ring_bytes);
	while (total < bytes)
		loopback_round(tx, rx, &ring, &out, &in, out_id, in_id, &state, &total);
	printf("bytes %llu\n", (unsigned long long)total);
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * big TX RX HEAP BYTES SEED: one transfer of many pieces, bounced off many receive buffers
 */
static int test_big(char **argument)
{
	int tx = channel_open(argument[0], 0), rx = channel_open(argument[1], 0);
	size_t bytes = strtoull(argument[3], NULL, 0);
	struct memory out = memory_of(argument[2], bytes), in = memory_of(argument[2], bytes);
	uint32_t state = strtoul(argument[4], NULL, 0) | 1;
	struct sluice_transfer send = {.cookie = 1, .buffer = channel_attach(tx, &out),
				       .length = bytes};
	struct sluice_transfer receive = {.cookie = 2, .buffer = channel_attach(rx, &in),
					  .length = bytes};
	struct sluice_completion done;

	memory_begin(&out);
	fill(out.at, bytes, &state);
	memory_end(&out);
	MUST(channel_submit(rx, &receive, 1) == 1 && channel_submit(tx, &send, 1) == 1);
	MUST(channel_reap(tx, &done, 1, WAIT_NS) == 1 && !done.status && done.bytes == bytes);
	MUST(channel_reap(rx, &done, 1, WAIT_NS) == 1 && !done.status && done.bytes == bytes);
	memory_begin(&in);
	MUST(!memcmp(in.at, out.at, bytes));
	memory_end(&in);
	printf("bytes %zu\n", bytes);
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * few TX RX: of four receives one is served: its completion comes without the others
 */
static int test_few(char **argument)
{
	int tx = channel_open(argument[0], 0), rx = channel_open(argument[1], 0);
	struct memory out = memory_of("system", 4096), in = memory_of("system", 4 * 4096);
	uint32_t out_id = channel_attach(tx, &out), in_id = channel_attach(rx, &in);
	struct sluice_transfer receive[4] = {0}, send = {.buffer = out_id, .length = 256};
	struct sluice_completion done;

	channel_drain(rx, in_id);
	for (uint32_t i = 0; i < 4; i++)
		receive[i] = (struct sluice_transfer){.cookie = i, .buffer = in_id,
						      .flags = SLUICE_TRANSFER_PACKET,
						      .offset = i * 4096, .length = 4096};
	MUST(channel_submit(rx, receive, 4) == 4);
	for (uint32_t i = 0; i < 4; i++) {
		send.cookie = i;
		MUST(channel_submit(tx, &send, 1) == 1);
		MUST(channel_reap(rx, &done, 1, WAIT_NS) == 1);
		MUST(!done.status && done.cookie == i && done.bytes == 256);
		MUST(channel_reap(rx, &done, 1, SLUICE_NO_WAIT) == 0);
		MUST(channel_reap(tx, &done, 1, WAIT_NS) == 1 && !done.status);
	}
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * limits TX RX: time limits and cancelling, and that all works afterwards
 */
static void works(int tx, int rx, uint32_t out_id, uint32_t in_id)
{
	struct sluice_transfer send = {.cookie = 7, .buffer = out_id, .length = 512};
	struct sluice_transfer receive = {.cookie = 8, .buffer = in_id, .length = 4096};
	struct sluice_completion done;

	MUST(channel_submit(rx, &receive, 1) == 1 && channel_submit(tx, &send, 1) == 1);
	MUST(channel_reap(rx, &done, 1, WAIT_NS) == 1);
	MUST(!done.status && done.cookie == 8 && done.bytes == 512);
	MUST(channel_reap(tx, &done, 1, WAIT_NS) == 1 && !done.status);
}

static int test_limits(char **argument)
{
	int tx = channel_open(argument[0], 0), rx = channel_open(argument[1], 0);
	struct memory out = memory_of("system", 4096), in = memory_of("system", 65536);
	uint32_t out_id = channel_attach(tx, &out), in_id = channel_attach(rx, &in);
	struct sluice_completion done[16];
	struct sluice_transfer receive[3];
	uint64_t before;

	works(tx, rx, out_id, in_id);
	for (int round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < 3; i++)
			receive[i] = (struct sluice_transfer){
				.cookie = i, .buffer = in_id, .length = 4096,
				.timeout_ns = i == 1 ? 200 * MS : 0};
		before = now_ns();
		MUST(channel_submit(rx, receive, 3) == 3);
		MUST(channel_reap(rx, done, 3, WAIT_NS) == 3);
		uint64_t took = now_ns() - before;
		MUST(done[0].status == -ECANCELED && done[1].status == -ETIMEDOUT &&
		     done[2].status == -ECANCELED);
		MUST(!done[0].bytes && done[0].cookie == 0 && done[2].cookie == 2);
		MUST(took >= 200 * MS);
		printf("limit_ns %llu\n", (unsigned long long)(took - 200 * MS));
		works(tx, rx, out_id, in_id);
	}
	/* Several submissions: some in the engine, some not yet. */
	for (uint32_t i = 0; i < 5; i++) {
		receive[0] = (struct sluice_transfer){.cookie = i, .buffer = in_id, .length = 65536};
		MUST(channel_submit(rx, receive, 1) == 1);
	}
	struct sluice_cancel cancel = {.size = sizeof(cancel)};
	before = now_ns();
	MUST(!ioctl(rx, SLUICE_CANCEL, &cancel));
	printf("cancel_ns %llu\n", (unsigned long long)(now_ns() - before));
	MUST(channel_reap(rx, done, 5, SLUICE_NO_WAIT) == 5);
	for (uint32_t i = 0; i < 5; i++)
		MUST(done[i].status == -ECANCELED && done[i].cookie == i);
	works(tx, rx, out_id, in_id);
	/* Nothing is under way: nothing is waited for. */
	before = now_ns();
	MUST(channel_reap(rx, done, 1, SLUICE_FOREVER) == 0);
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * kill TX RX COUNT SEED: programs die with work queued; the next one can work
 */
static void die_working(char **argument, uint32_t *state)
{
	int tx = channel_open(argument[0], 0), rx = channel_open(argument[1], 0);
	struct memory out = memory_of("system", 65536), in = memory_of("system", 65536);
	uint32_t out_id = channel_attach(tx, &out), in_id = channel_attach(rx, &in);
	struct sluice_completion done;

	for (;;) {
		struct sluice_transfer send = {.buffer = out_id,
					       .length = 8 + random_next(state) % 4096 * 8};
		struct sluice_transfer receive = {.buffer = in_id,
						  .length = 65536,
						  .timeout_ns = random_next(state) % 4 ? 0 : 50 * MS};

		(void)channel_submit(rx, &receive, 1);
		(void)channel_submit(tx, &send, 1);
		if (random_next(state) % 2)
			(void)channel_reap(rx, &done, 1, 20 * MS);
	}
}

static int test_kill(char **argument)
{
	uint32_t count = strtoul(argument[2], NULL, 0), state = strtoul(argument[3], NULL, 0) | 1;
	uint64_t worst = 0;

	for (uint32_t i = 0; i < count; i++) {
		random_next(&state);
		pid_t child = fork();

		MUST(child >= 0);
		if (!child)
			die_working(argument, &state);
		usleep(20000 + random_next(&state) % 80000);
		MUST(!kill(child, SIGKILL));
		int status;
		MUST(waitpid(child, &status, 0) == child);
		MUST(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		uint64_t before = now_ns();
		int tx = channel_open(argument[0], 0), rx = channel_open(argument[1], 0);
		uint64_t took = now_ns() - before;

		worst = took > worst ? took : worst;
		/* What was on the way through the stream may still come. */
		struct memory out = memory_of("system", 4096), in = memory_of("system", 65536);
		uint32_t out_id = channel_attach(tx, &out), in_id = channel_attach(rx, &in);
		struct sluice_transfer send = {.cookie = 7, .buffer = out_id, .length = 8};
		struct sluice_completion done;
		uint64_t bytes = 0;

		for (int tries = 0; bytes != 8 && tries < 10; tries++) {
			struct sluice_transfer receive = {.buffer = in_id, .length = 65536};

			MUST(channel_submit(rx, &receive, 1) == 1);
			MUST(channel_submit(tx, &send, 1) == 1);
			MUST(channel_reap(rx, &done, 1, WAIT_NS) == 1 && !done.status);
			bytes = done.bytes;
		}
		MUST(bytes == 8);
		memory_free(&out);
		memory_free(&in);
		close(tx);
		close(rx);
	}
	printf("open_ns %llu\n", (unsigned long long)worst);
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * hold RX: queues work, says so, and waits until the device goes
 */
static int test_hold(char **argument)
{
	int rx = channel_open(argument[0], 0);
	struct memory in = memory_of("system", 65536);
	struct sluice_transfer receive[4];
	struct sluice_completion done[4];
	uint32_t in_id = channel_attach(rx, &in);

	for (uint32_t i = 0; i < 4; i++)
		receive[i] = (struct sluice_transfer){.cookie = i, .buffer = in_id, .length = 4096};
	MUST(channel_submit(rx, receive, 4) == 4);
	printf("holds\n");
	fflush(stdout);
	MUST(channel_reap(rx, done, 4, SLUICE_FOREVER) == 4);
	for (uint32_t i = 0; i < 4; i++)
		MUST(done[i].status == -ENODEV && done[i].cookie == i);
	struct pollfd ready = {.fd = rx, .events = POLLIN};
	MUST(poll(&ready, 1, 0) == 1 && ready.revents & POLLHUP);
	FAILS(channel_submit(rx, receive, 1), ENODEV);
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * leave CHANNEL SEED: closes a copying channel with work queued, and opens it again
 */
static int test_leave(char **argument)
{
	uint32_t state = strtoul(argument[1], NULL, 0) | 1;
	struct sluice_cancel cancel = {.size = sizeof(cancel)};
	struct pollfd left = {.fd = -1, .events = POLLIN};
	uint64_t worst = 0;

	for (int round = 0; round < 20; round++) {
		uint64_t before = now_ns();
		int fd;

		/* The engine may still have what the last one left, but not when its fence says so. */
		MUST(left.fd < 0 || poll(&left, 1, WAIT_NS / MS) == 1);
		fd = open(argument[0], O_RDWR);
		while (fd < 0 && errno == EBUSY && left.fd < 0 && now_ns() - before < WAIT_NS) {
			usleep(1000);
			fd = open(argument[0], O_RDWR);
		}
		MUST(fd >= 0);
		if (now_ns() - before > worst)
			worst = now_ns() - before;
		struct memory from = memory_of("system", 65536), to = memory_of("system", 65536);
		struct sluice_transfer copy[4];
		uint32_t from_id = channel_attach(fd, &from), to_id = channel_attach(fd, &to);

		memory_begin(&from);
		fill(from.at, from.bytes, &state);
		memory_end(&from);
		for (uint32_t i = 0; i < 4; i++)
			copy[i] = (struct sluice_transfer){.cookie = i, .buffer = from_id,
							   .destination = to_id, .length = 65536};
		if (!(channel_info(fd).capabilities & SLUICE_CAP_TERMINATE)) {
			FAILS(ioctl(fd, SLUICE_CANCEL, &cancel), EOPNOTSUPP);
			copy[0].timeout_ns = 1;
			FAILS(channel_submit(fd, copy, 1), EOPNOTSUPP);
			copy[0].timeout_ns = 0;
		}
		struct sluice_submit submit = {.size = sizeof(submit), .count = 4,
					       .transfers = (uintptr_t)copy,
					       .transfer_bytes = sizeof(copy[0]),
					       .flags = round % 4 ? 0 : SLUICE_SUBMIT_OUT_FENCE};
		MUST(!ioctl(fd, SLUICE_SUBMIT, &submit) && submit.accepted == 4);
		if (left.fd >= 0)
			close(left.fd);
		left.fd = round % 4 ? -1 : submit.out_fence;
		if (round % 2) {
			struct sluice_completion done[4];

			MUST(channel_reap(fd, done, 4, WAIT_NS) == 4);
			memory_begin(&to);
			MUST(!memcmp(from.at, to.at, from.bytes));
			memory_end(&to);
		}
		close(fd);
		memory_free(&from);
		memory_free(&to);
	}
	printf("open_ns %llu\n", (unsigned long long)worst);
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * copy CHANNEL HEAP BYTES SEED: pieces of any place to any place
 */
static int test_copy(char **argument)
{
	int fd = channel_open(argument[0], 0);
	struct sluice_info info = channel_info(fd);
	size_t size = 1 << 18, total = 0, bytes = strtoull(argument[2], NULL, 0);
	struct memory from = memory_of(argument[1], size), to = memory_of(argument[1], size);
	uint32_t state = strtoul(argument[3], NULL, 0) | 1, align = info.address_align;
	uint32_t from_id = channel_attach(fd, &from), to_id = channel_attach(fd, &to);
	uint8_t *expected = malloc(size);

	MUST(info.direction == SLUICE_COPY && expected);
	if (info.length_align > align)
		align = info.length_align;
	while (total < bytes) {
		struct sluice_transfer copy[4];
		struct sluice_completion done[4];

		memory_begin(&from);
		memory_begin(&to);
		fill(from.at, size, &state);
		memset(to.at, 0x55, size);
		memset(expected, 0x55, size);
		memory_end(&to);
		memory_end(&from);
		for (uint32_t i = 0; i < 4; i++) {
			uint32_t room = size / 4;
			uint32_t length = 1 + random_next(&state) % (room - 1);
			uint32_t place = random_next(&state) % (room - length + 1);

			length = (length + align - 1) / align * align;
			place = place / align * align;
			if (place + length > room)
				place = 0;
			copy[i] = (struct sluice_transfer){
				.cookie = i, .buffer = from_id, .destination = to_id,
				.length = length, .destination_offset = i * room + place,
				.offset = random_next(&state) % (size - length) / align * align};
			memcpy(expected + copy[i].destination_offset, from.at + copy[i].offset,
			       length);
			total += length;
		}
		MUST(channel_submit(fd, copy, 4) == 4);
		MUST(channel_reap(fd, done, 4, WAIT_NS) == 4);
		for (uint32_t i = 0; i < 4; i++)
			MUST(!done[i].status && done[i].cookie == i &&
			     done[i].bytes == copy[i].length && !done[i].flags);
		memory_begin(&to);
		MUST(!memcmp(to.at, expected, size));
		memory_end(&to);
	}
	printf("bytes %zu\n", total);
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * abi TX RX COPY: structures of other versions, and what is not a call at all
 */
static int call_sized(int fd, unsigned long command, const void *from, size_t known, uint32_t size,
		      int rest)
{
	uint8_t *copy = malloc(8192);
	int ret, error;

	memset(copy, 0, 8192);
	memcpy(copy, from, known);
	memcpy(copy, &size, sizeof(size));
	if (rest)
		copy[size - 1] = 1;
	ret = ioctl(fd, command, copy);
	error = errno;
	free(copy);
	errno = error;
	return ret;
}

/* first: bytes of its first version, which every program has. */
static void abi_sizes(int fd, unsigned long command, const void *argument, uint32_t size,
		      uint32_t first)
{
	FAILS(call_sized(fd, command, argument, size, 0, 0), EINVAL);
	FAILS(call_sized(fd, command, argument, size, 4, 0), EINVAL);
	FAILS(call_sized(fd, command, argument, size, first - 1, 0), EINVAL);
	FAILS(call_sized(fd, command, argument, size, size + 8, 1), E2BIG);
	FAILS(call_sized(fd, command, argument, size, 4097, 0), E2BIG);
	FAILS(call_sized(fd, command, argument, size, ~0u, 0), E2BIG);
	FAILS(ioctl(fd, command, NULL), EFAULT);
	FAILS(ioctl(fd, command, (void *)-4096l), EFAULT);
	/* Flags stand behind the size, in every structure. */
	uint8_t bad[256];
	uint32_t flags = 1u << 31;
	memcpy(bad, argument, size);
	memcpy(bad + 4, &flags, sizeof(flags));
	FAILS(call_sized(fd, command, bad, size, size, 0), EOPNOTSUPP);
}

/*
 * Transfers and completions of this kernel's size, and of a newer program's. Of three transfers the
 * memory ends behind the second, or within the third: two are taken.
 */
static void abi_entries(int rx, const struct sluice_transfer *good)
{
	const long page = sysconf(_SC_PAGESIZE);
	uint8_t *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			       -1, 0);
	struct sluice_cancel cancel = {.size = sizeof(cancel)};

	MUST(memory != MAP_FAILED && !mprotect(memory + page, page, PROT_NONE));
	for (unsigned i = 0; i < 4; i++) {
		uint32_t more = i & 1 ? 64 : 0, rest = i & 2 ? 40 : 0;
		uint32_t bytes = sizeof(*good) + more;
		uint8_t *first = memory + page - 2 * bytes - rest;
		struct sluice_submit submit = {.size = sizeof(submit), .count = 3,
					       .transfers = (uintptr_t)first,
					       .transfer_bytes = bytes};
		struct sluice_reap reap = {.size = sizeof(reap), .count = 3, .min = 2,
					   .completions = (uintptr_t)memory,
					   .completion_bytes =
						   sizeof(struct sluice_completion) + more,
					   .timeout_ns = WAIT_NS};

		memset(memory, 0, page);
		for (unsigned n = 0; n < 2; n++) {
			memcpy(first + n * bytes, good, sizeof(*good));
			((struct sluice_transfer *)(first + n * bytes))->cookie = 10 * i + n;
		}
		MUST(!ioctl(rx, SLUICE_SUBMIT, &submit) && submit.accepted == 2);
		MUST(!ioctl(rx, SLUICE_CANCEL, &cancel));
		memset(memory, 0xff, page);
		MUST(!ioctl(rx, SLUICE_REAP, &reap) && reap.taken == 2);
		for (unsigned n = 0; n < 2; n++) {
			const uint8_t *entry = memory + n * reap.completion_bytes;
			struct sluice_completion done;

			memcpy(&done, entry, sizeof(done));
			MUST(done.cookie == 10 * i + n && done.status == -ECANCELED);
			for (uint32_t at = sizeof(done); at < reap.completion_bytes; at++)
				MUST(!entry[at]);
		}
		MUST(memory[2 * reap.completion_bytes] == 0xff);
		/* Now not zero behind what this kernel knows. */
		if (more)
			FAILS(ioctl(rx, SLUICE_SUBMIT, &submit), E2BIG);
	}
	MUST(!munmap(memory, 2 * page));
}

static int test_abi(char **argument)
{
	int rx = channel_open(argument[1], 0);
	struct memory in = memory_of("system", 65536);
	uint32_t id = channel_attach(rx, &in);
	struct sluice_info info = {.size = sizeof(info)};
	struct sluice_attach attach = {.size = sizeof(attach), .fd = in.fd};
	struct sluice_detach detach = {.size = sizeof(detach), .buffer = 12345};
	struct sluice_setup setup = {.size = sizeof(setup)};
	struct sluice_submit submit = {.size = sizeof(submit)};
	struct sluice_reap reap = {.size = sizeof(reap)};
	struct sluice_cancel cancel = {.size = sizeof(cancel)};

	abi_sizes(rx, SLUICE_INFO, &info, sizeof(info), offsetof(struct sluice_info, memory_first));
	abi_sizes(rx, SLUICE_ATTACH, &attach, sizeof(attach), sizeof(attach));
	abi_sizes(rx, SLUICE_DETACH, &detach, sizeof(detach), sizeof(detach));
	abi_sizes(rx, SLUICE_SETUP, &setup, sizeof(setup), sizeof(setup));
	abi_sizes(rx, SLUICE_SUBMIT, &submit, sizeof(submit),
		  offsetof(struct sluice_submit, time_ns));
	abi_sizes(rx, SLUICE_REAP, &reap, sizeof(reap), sizeof(reap));
	abi_sizes(rx, SLUICE_CANCEL, &cancel, sizeof(cancel), sizeof(cancel));
	/* An older program on this kernel, and a newer one: what that has in addition is 0. */
	MUST(!call_sized(rx, SLUICE_INFO, &info, sizeof(info),
			 offsetof(struct sluice_info, memory_first), 0));
	MUST(!call_sized(rx, SLUICE_INFO, &info, sizeof(info), sizeof(info) + 64, 0));
	MUST(!call_sized(rx, SLUICE_CANCEL, &cancel, sizeof(cancel), 4096, 0));

	FAILS(ioctl(rx, _IO(SLUICE_IOCTL_TYPE, 0x7f), &info), ENOTTY);
	FAILS(ioctl(rx, _IO(SLUICE_IOCTL_TYPE, 0xff), &info), ENOTTY);
	FAILS(ioctl(rx, _IOWR(SLUICE_IOCTL_TYPE, 0, struct sluice_info), &info), ENOTTY);
	FAILS(ioctl(rx, _IO('x', 0), &info), ENOTTY);
	FAILS(open(argument[1], O_RDWR), EBUSY);

	info = channel_info(rx);
	MUST(info.api_version == SLUICE_API_VERSION && info.direction == SLUICE_RX);
	MUST(info.capabilities & SLUICE_CAP_QUEUE && info.capabilities & SLUICE_CAP_TERMINATE);
	MUST(strstr(argument[1], (char *)info.name) && strstr(argument[1], (char *)info.board));

	FAILS(ioctl(rx, SLUICE_DETACH, &detach), ENOENT);
	attach.fd = 999;
	FAILS(ioctl(rx, SLUICE_ATTACH, &attach), EBADF);
	attach.fd = rx; /* no dma-buf */
	FAILS(ioctl(rx, SLUICE_ATTACH, &attach), EINVAL);
	setup.ring_entries = 3;
	FAILS(ioctl(rx, SLUICE_SETUP, &setup), EINVAL);
	setup.ring_entries = 1 << 20;
	FAILS(ioctl(rx, SLUICE_SETUP, &setup), EINVAL);
	FAILS(mmap(NULL, 4096, PROT_READ, MAP_SHARED, rx, SLUICE_MMAP_RING) == MAP_FAILED ? -1 : 0,
	      EINVAL);
	setup.ring_entries = 4;
	MUST(!ioctl(rx, SLUICE_SETUP, &setup) && setup.ring_entries == 4);
	FAILS(ioctl(rx, SLUICE_SETUP, &setup), EBUSY);
	struct ring ring = ring_map(rx, setup.ring_bytes);
	FAILS(mmap(NULL, setup.ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, rx,
		   SLUICE_MMAP_RING) == MAP_FAILED ? -1 : 0, EPERM);
	FAILS(mprotect((void *)ring.shared, setup.ring_bytes, PROT_READ | PROT_WRITE), EACCES);
	FAILS(mmap(NULL, 1 << 20, PROT_READ, MAP_SHARED, rx, SLUICE_MMAP_RING) == MAP_FAILED ? -1 : 0,
	      EINVAL);

	struct sluice_transfer good = {.cookie = 1, .buffer = id, .length = 4096}, bad;
#define REFUSED(error, ...)                                                                        \
	do {                                                                                       \
		bad = good;                                                                        \
		__VA_ARGS__;                                                                       \
		FAILS(channel_submit(rx, &bad, 1), error);                                         \
	} while (0)
	REFUSED(ENOENT, bad.buffer = 0);
	REFUSED(ENOENT, bad.buffer = id + 1);
	REFUSED(EOPNOTSUPP, bad.flags = 1u << 30);
	REFUSED(EINVAL, bad.length = 0);
	REFUSED(EINVAL, bad.length = 65537);
	REFUSED(EINVAL, bad.length = ~0ull);
	REFUSED(EINVAL, bad.offset = 65536);
	REFUSED(EINVAL, bad.offset = ~0ull - 4095);
	if (info.address_align > 4)
		REFUSED(EINVAL, bad.offset = 4);
	if (info.length_align > 1)
		REFUSED(EINVAL, bad.length = 4097);
	REFUSED(EINVAL, bad.reserved = 1);
	REFUSED(EINVAL, bad.destination = id);
	REFUSED(EINVAL, bad.destination_offset = 8);
	FAILS(channel_submit(rx, &good, 0), EINVAL);
	FAILS(channel_submit(rx, (void *)8, 1), EFAULT);

	abi_entries(rx, &good);

	/* Four entries: the fifth is refused, a tail from nowhere does not help. */
	struct sluice_transfer five[5] = {good, good, good, good, good};
	MUST(channel_submit(rx, five, 5) == 4);
	FAILS(channel_submit(rx, &good, 1), EAGAIN);
	ring.tail->tail = 0x80000000;
	FAILS(channel_submit(rx, &good, 1), EAGAIN);
	ring.tail->tail = 3;
	FAILS(channel_submit(rx, &good, 1), EAGAIN);
	struct pollfd ready = {.fd = rx, .events = POLLIN | POLLOUT};
	MUST(poll(&ready, 1, 0) == 0);
	/* Its number is free, its memory is not let go. */
	detach.buffer = id;
	MUST(!ioctl(rx, SLUICE_DETACH, &detach));
	FAILS(ioctl(rx, SLUICE_DETACH, &detach), ENOENT);
	MUST(!ioctl(rx, SLUICE_CANCEL, &cancel));
	ring.tail->tail = 0;
	MUST(poll(&ready, 1, 0) == 1 && ready.revents == POLLIN);
	struct sluice_completion done[4];
	MUST(channel_reap(rx, done, 4, SLUICE_NO_WAIT) == 4);
	MUST(poll(&ready, 1, 0) == 1 && ready.revents == POLLOUT);
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * fence TX RX: a transfer waits for another one's fence
 */
/* More pieces than xilinx_dma has descriptors: refused when its turn comes, after a fence too. */
static void too_many_pieces(int tx, int fence)
{
	struct memory out = memory_of_pages(1024);
	struct sluice_attach attach = {.size = sizeof(attach), .fd = out.fd};
	struct sluice_transfer send = {.cookie = 3, .length = out.bytes};
	struct sluice_submit submit = {.size = sizeof(submit), .count = 1,
				       .transfers = (uintptr_t)&send,
				       .transfer_bytes = sizeof(send),
				       .flags = SLUICE_SUBMIT_IN_FENCE, .in_fence = fence};
	struct sluice_completion done;

	MUST(!ioctl(tx, SLUICE_ATTACH, &attach) && attach.pieces > 512);
	send.buffer = attach.buffer;
	MUST(channel_submit(tx, &send, 1) == 1);
	MUST(channel_reap(tx, &done, 1, WAIT_NS) == 1 && done.status == -ENOMEM);
	MUST(!ioctl(tx, SLUICE_SUBMIT, &submit));
	MUST(channel_reap(tx, &done, 1, WAIT_NS) == 1 && done.status == -ENOMEM);
	memory_free(&out);
}

static int is_xdma(int fd)
{
	struct sluice_info info = channel_info(fd);

	return !strncmp((char *)info.name, "h2c", 3) || !strncmp((char *)info.name, "c2h", 3);
}

static int test_fence(char **argument)
{
	int tx = channel_open(argument[0], 0), rx = channel_open(argument[1], 0);
	struct memory out = memory_of("system", 4096), in = memory_of("system", 4096);
	struct sluice_transfer receive = {.cookie = 1, .buffer = channel_attach(rx, &in),
					  .length = 4096};
	struct sluice_transfer send = {.cookie = 2, .buffer = channel_attach(tx, &out),
				       .length = 128};
	struct sluice_submit submit = {.size = sizeof(submit), .count = 1,
				       .transfers = (uintptr_t)&receive,
				       .transfer_bytes = sizeof(receive),
				       .flags = SLUICE_SUBMIT_OUT_FENCE};
	struct sluice_completion done;

	MUST(!ioctl(rx, SLUICE_SUBMIT, &submit) && submit.out_fence >= 0);
	int fence = submit.out_fence;
	struct pollfd ready = {.fd = fence, .events = POLLIN};
	MUST(poll(&ready, 1, 50) == 0);
	/* A second receive waits for the first one's fence, and so for the sending. */
	submit.flags = SLUICE_SUBMIT_IN_FENCE;
	submit.in_fence = fence;
	submit.out_fence = 0;
	MUST(!ioctl(rx, SLUICE_SUBMIT, &submit));
	for (int i = 0; i < 2; i++) {
		MUST(channel_submit(tx, &send, 1) == 1);
		MUST(channel_reap(rx, &done, 1, WAIT_NS) == 1 && !done.status &&
		     done.bytes == 128);
		MUST(poll(&ready, 1, WAIT_NS / MS) == 1);
		/* What has come may not have been sent yet, as the engine says it: not to be stopped. */
		MUST(channel_reap(tx, &done, 1, WAIT_NS) == 1 && !done.status);
	}
	if (!is_xdma(tx))
		too_many_pieces(tx, fence);
	/* A fence that fails fails who waits for it. */
	submit.flags = SLUICE_SUBMIT_OUT_FENCE;
	MUST(!ioctl(rx, SLUICE_SUBMIT, &submit));
	submit.flags = SLUICE_SUBMIT_IN_FENCE;
	submit.in_fence = submit.out_fence;
	submit.transfers = (uintptr_t)&send;
	MUST(!ioctl(tx, SLUICE_SUBMIT, &submit));
	struct sluice_cancel cancel = {.size = sizeof(cancel)};
	MUST(!ioctl(rx, SLUICE_CANCEL, &cancel));
	MUST(channel_reap(tx, &done, 1, WAIT_NS) == 1 && done.status == -ECANCELED);
	/* One that is never signalled: closing does not wait for it. */
	receive.cookie = 9;
	submit.transfers = (uintptr_t)&receive;
	submit.flags = SLUICE_SUBMIT_OUT_FENCE;
	MUST(!ioctl(rx, SLUICE_SUBMIT, &submit));
	submit.flags = SLUICE_SUBMIT_IN_FENCE;
	submit.in_fence = submit.out_fence;
	submit.transfers = (uintptr_t)&send;
	MUST(!ioctl(tx, SLUICE_SUBMIT, &submit));
	close(tx);
	submit.in_fence = rx;
	FAILS(ioctl(rx, SLUICE_SUBMIT, &submit), EINVAL);
	return 0;
}

int main(int count, char **argument)
{
	static const struct {
		const char *name;
		int arguments;
		int (*run)(char **argument);
	} tests[] = {
		{"loopback", 5, test_loopback}, {"big", 5, test_big},   {"few", 2, test_few},
		{"limits", 2, test_limits},	{"kill", 4, test_kill}, {"hold", 1, test_hold},
		{"leave", 2, test_leave},
		{"card_faults", 2, test_card_faults},
		{"card", 5, test_card},		{"end_card", 4, test_end_card},
		{"kill_card", 2, test_kill_card},
		{"insist", 5, test_insist},
		{"copy", 4, test_copy},		{"abi", 2, test_abi},   {"fence", 2, test_fence},
		{"random", 5, test_random},	{"random_card", 7, test_random_card},
		{"capture_card", 5, test_capture_card},
		{"capture", 6, test_capture},	{"control", 2, test_control},
		{"peer", 6, test_peer},		{"revoked", 4, test_revoked},
		{"loop", 1, test_loop},		{"pipe", 4, test_pipe},
		{"stop_capture", 2, test_stop_capture},
		{"stop_fence", 3, test_stop_fence},
		{"stop_read", 2, test_stop_read},
		{"vfio", 8, test_vfio},		{"exporter", 5, test_exporter},
		{"unsent", 1, test_unsent},	{"hold_copy", 1, test_hold_copy},
		{"coherent", 3, test_coherent},
	};

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
		if (count == 2 + tests[i].arguments && !strcmp(argument[1], tests[i].name))
			return tests[i].run(argument + 2);
	SAYS("no such test");
	return 2;
}
