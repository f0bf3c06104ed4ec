// SPDX-License-Identifier: GPL-2.0-only
/*
 * Coherent memory of the driver: engines and this program see it alike, without maintenance.
 */
#include "board.h"

#include <linux/dma-buf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define WAIT_NS 600000000000ull
#define BYTES 65536u

static int allocate(int channel, uint64_t bytes, struct memory *memory)
{
	struct sluice_allocate arg = {.size = sizeof(arg), .bytes = bytes};

	if (ioctl(channel, SLUICE_ALLOCATE, &arg))
		return -1;
	*memory = (struct memory){.fd = arg.fd, .bytes = bytes};
	memory->at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, arg.fd, 0);
	MUST(memory->at != MAP_FAILED);
	return 0;
}

static void refuses(int channel)
{
	struct sluice_allocate arg = {.size = sizeof(arg), .bytes = 4096, .reserved = 1};
	struct memory none;

	FAILS(ioctl(channel, SLUICE_ALLOCATE, &arg), EINVAL);
	arg = (struct sluice_allocate){.size = sizeof(arg), .bytes = 4096, .flags = 1};
	FAILS(ioctl(channel, SLUICE_ALLOCATE, &arg), EOPNOTSUPP);
	arg = (struct sluice_allocate){.size = sizeof(arg) - 1, .bytes = 4096};
	FAILS(ioctl(channel, SLUICE_ALLOCATE, &arg), EINVAL);
	FAILS(allocate(channel, 0, &none), EINVAL);
	FAILS(allocate(channel, 4095, &none), EINVAL);
	FAILS(allocate(channel, 1ull << 31, &none), ENOMEM);
	FAILS(allocate(channel, ~0ull - 4095, &none), ENOMEM);
}

/* A mapping ends where the memory does, and its page is not mapped past that. */
static void maps_no_more(const struct memory *memory)
{
	FAILS(mmap(NULL, memory->bytes + 4096, PROT_READ, MAP_SHARED, memory->fd, 0) == MAP_FAILED ?
		      -1 : 0, EINVAL);
	FAILS(mmap(NULL, 8192, PROT_READ, MAP_SHARED, memory->fd, memory->bytes - 4096) ==
		      MAP_FAILED ? -1 : 0, EINVAL);
}

static void goes_round(int tx, int rx, const struct memory *out, const struct memory *in,
		       uint32_t *state)
{
	struct sluice_transfer send = {.buffer = channel_attach(tx, out), .length = BYTES};
	struct sluice_transfer receive = {.buffer = channel_attach(rx, in), .length = BYTES};
	struct sluice_completion done;

	for (int round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < BYTES; i++)
			out->at[i] = random_next(state) >> 11;
		memset(in->at, 0xee, BYTES);
		MUST(channel_submit(rx, &receive, 1) == 1 && channel_submit(tx, &send, 1) == 1);
		MUST(channel_reap(tx, &done, 1, WAIT_NS) == 1 && !done.status);
		MUST(channel_reap(rx, &done, 1, WAIT_NS) == 1 && !done.status);
		MUST(done.bytes == BYTES && !memcmp(in->at, out->at, BYTES));
	}
}

/* coherent TX RX SEED: what one engine's channel allocates serves both, and outlives the file */
int test_coherent(char **argument)
{
	int tx = channel_open(argument[0], 0), rx = channel_open(argument[1], 0);
	uint32_t state = strtoul(argument[2], NULL, 0) | 1;
	struct dma_buf_sync sync = {.flags = DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW};
	struct memory out, in;

	refuses(rx);
	MUST(!allocate(rx, BYTES, &out) && !allocate(rx, BYTES, &in));
	for (uint32_t i = 0; i < BYTES; i++)
		MUST(!out.at[i] && !in.at[i]);
	maps_no_more(&in);
	goes_round(tx, rx, &out, &in, &state);
	MUST(!ioctl(in.fd, DMA_BUF_IOCTL_SYNC, &sync));
	sync.flags = DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW;
	MUST(!ioctl(in.fd, DMA_BUF_IOCTL_SYNC, &sync));

	close(tx);
	close(rx);
	close(in.fd); /* the mapping holds it */
	MUST(!memcmp(in.at, out.at, BYTES));
	in.at[0] ^= 1;
	memory_free(&out);
	munmap(in.at, BYTES);
	return 0;
}
