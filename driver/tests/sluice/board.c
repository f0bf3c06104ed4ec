// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE /* memfd_create() */
#include "board.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <linux/udmabuf.h>

#define WAIT_MS 600000

static int heap_open(const char *name)
{
	char path[300];
	int fd = -1;

	if (!strcmp(name, "system"))
		return open("/dev/dma_heap/system", O_RDWR | O_CLOEXEC);
	DIR *folder = opendir("/dev/dma_heap");
	MUST(folder);
	for (struct dirent *entry; fd < 0 && (entry = readdir(folder));) {
		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "system"))
			continue;
		snprintf(path, sizeof(path), "/dev/dma_heap/%s", entry->d_name);
		fd = open(path, O_RDWR | O_CLOEXEC);
	}
	closedir(folder);
	return fd;
}

struct memory memory_of(const char *heap, size_t bytes)
{
	struct dma_heap_allocation_data data = {.len = bytes, .fd_flags = O_RDWR | O_CLOEXEC};
	int fd = heap_open(heap);

	MUST(fd >= 0);
	MUST(!ioctl(fd, DMA_HEAP_IOCTL_ALLOC, &data));
	close(fd);
	struct memory memory = {.fd = data.fd, .bytes = bytes};
	memory.at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory.fd, 0);
	MUST(memory.at != MAP_FAILED);
	return memory;
}

struct memory memory_of_pages(uint32_t pages)
{
	size_t page = sysconf(_SC_PAGESIZE), even = (pages + 1) / 2;
	struct memory memory = {.bytes = pages * page};
	struct udmabuf_create_list *list = calloc(1, sizeof(*list) + pages * sizeof(list->list[0]));
	int file = memfd_create("pages", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int device = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);

	MUST(list && file >= 0 && device >= 0 && !ftruncate(file, memory.bytes));
	MUST(!fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK));
	memory.at = mmap(NULL, memory.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	MUST(memory.at != MAP_FAILED);
	/* So that they lie in memory as in the file, not as in the list. */
	memset(memory.at, 0, memory.bytes);
	list->flags = UDMABUF_FLAGS_CLOEXEC;
	list->count = pages;
	/* The even ones, then the odd ones: no two that may be neighbours follow each other. */
	for (uint32_t i = 0; i < pages; i++)
		list->list[i] = (struct udmabuf_create_item){
			.memfd = file, .size = page,
			.offset = page * (i < even ? 2 * i : 2 * (i - even) + 1)};
	memory.fd = ioctl(device, UDMABUF_CREATE_LIST, list);
	MUST(memory.fd >= 0);
	close(device);
	close(file);
	free(list);
	return memory;
}

void memory_free(struct memory *memory)
{
	munmap(memory->at, memory->bytes);
	close(memory->fd);
}

static void memory_sync(const struct memory *memory, uint64_t flags)
{
	struct dma_buf_sync sync = {.flags = flags | DMA_BUF_SYNC_RW};

	MUST(!ioctl(memory->fd, DMA_BUF_IOCTL_SYNC, &sync));
}

void memory_begin(const struct memory *memory)
{
	memory_sync(memory, DMA_BUF_SYNC_START);
}

void memory_end(const struct memory *memory)
{
	memory_sync(memory, DMA_BUF_SYNC_END);
}

uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

uint32_t random_next(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

int channel_open(const char *path, int flags)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | flags);

	for (int waited = 0; fd < 0 && errno == ENOENT && waited < WAIT_MS; waited += 50) {
		usleep(50000);
		fd = open(path, O_RDWR | O_CLOEXEC | flags);
	}
	if (fd < 0)
		SAYS("%s: %s", path, strerror(errno));
	MUST(fd >= 0);
	return fd;
}

uint32_t channel_attach(int channel, const struct memory *memory)
{
	struct sluice_attach attach = {.size = sizeof(attach), .fd = memory->fd};

	MUST(!ioctl(channel, SLUICE_ATTACH, &attach));
	MUST(attach.buffer && attach.pieces && attach.bytes == memory->bytes);
	return attach.buffer;
}

struct sluice_info channel_info(int channel)
{
	struct sluice_info info = {.size = sizeof(info)};

	MUST(!ioctl(channel, SLUICE_INFO, &info));
	return info;
}

int channel_submit(int channel, struct sluice_transfer *transfers, uint32_t count)
{
	struct sluice_submit submit = {
		.size = sizeof(submit),
		.transfers = (uintptr_t)transfers,
		.count = count,
		.transfer_bytes = sizeof(*transfers),
	};

	uint64_t before_ns = now_ns();

	if (ioctl(channel, SLUICE_SUBMIT, &submit))
		return -1;
	MUST(submit.time_ns >= before_ns && submit.time_ns <= now_ns());
	return submit.accepted;
}

uint32_t channel_reap(int channel, struct sluice_completion *to, uint32_t count, uint64_t wait_ns)
{
	struct sluice_reap reap = {
		.size = sizeof(reap),
		.completions = (uintptr_t)to,
		.count = count,
		.completion_bytes = sizeof(*to),
		.min = count,
		.timeout_ns = wait_ns,
	};

	if (ioctl(channel, SLUICE_REAP, &reap)) {
		MUST(errno == EAGAIN);
		return 0;
	}
	return reap.taken;
}

void channel_drain(int rx, uint32_t buffer)
{
	struct sluice_transfer receive = {.buffer = buffer, .flags = SLUICE_TRANSFER_PACKET,
					  .length = 4096, .timeout_ns = 200000000};
	struct sluice_completion done;

	do {
		MUST(channel_submit(rx, &receive, 1) == 1);
		MUST(channel_reap(rx, &done, 1, SLUICE_FOREVER) == 1);
	} while (done.status != -ETIMEDOUT);
}

struct ring ring_map(int channel, uint32_t bytes)
{
	struct ring ring;

	ring.shared = mmap(NULL, bytes, PROT_READ, MAP_SHARED, channel, SLUICE_MMAP_RING);
	MUST(ring.shared != MAP_FAILED);
	ring.tail = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_SHARED, channel,
			 SLUICE_MMAP_TAIL);
	MUST(ring.tail != MAP_FAILED);
	ring.entries = (const void *)((const char *)ring.shared + ring.shared->entries_offset);
	return ring;
}

int ring_next(struct ring *ring, struct sluice_completion *to)
{
	uint32_t tail = ring->tail->tail;

	if (tail == __atomic_load_n(&ring->shared->head, __ATOMIC_ACQUIRE))
		return 0;
	*to = ring->entries[tail & (ring->shared->entries - 1)];
	__atomic_store_n(&ring->tail->tail, tail + 1, __ATOMIC_RELEASE);
	return 1;
}
