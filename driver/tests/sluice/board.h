/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tests of sluice.ko have in common: buffers, channels, and what has to hold.
 */
#ifndef BOARD_H
#define BOARD_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/sluice.h>

#define SAYS(text, ...) (fprintf(stderr, text "\n", ##__VA_ARGS__))

/* What has to hold: otherwise the test ends, and says where. */
#define MUST(what)                                                                                 \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			SAYS("%s:%d: %s: %s", __FILE__, __LINE__, #what, strerror(errno));         \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

/* A call that has to fail with an error. */
#define FAILS(call, error)                                                                         \
	do {                                                                                       \
		int status_ = (call);                                                              \
		if (status_ != -1 || errno != (error)) {                                           \
			SAYS("%s:%d: %s: %d, %s instead of %s", __FILE__, __LINE__, #call, status_,  \
			     status_ == -1 ? strerror(errno) : "success", #error);                 \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

struct memory {
	int fd;
	size_t bytes;
	uint8_t *at;
};

/* A buffer of a heap: "system", or any other that there is: contiguous. */
struct memory memory_of(const char *heap, size_t bytes);
/* Single pages, as a dma-buf; what is mapped is theirs, in another order. */
struct memory memory_of_pages(uint32_t pages);
void memory_free(struct memory *memory);
/* Between these the CPU has it. */
void memory_begin(const struct memory *memory);
void memory_end(const struct memory *memory);

uint64_t now_ns(void);
uint32_t random_next(uint32_t *state); /* xorshift: never 0 */

/* A channel that is there, once it is; otherwise the test ends. */
int channel_open(const char *path, int flags);
uint32_t channel_attach(int channel, const struct memory *memory);
struct sluice_info channel_info(int channel);
int channel_submit(int channel, struct sluice_transfer *transfers, uint32_t count);
/* Waits for `count` completions; how many came. */
uint32_t channel_reap(int channel, struct sluice_completion *to, uint32_t count, uint64_t wait_ns);
/* Receives what tests before have left in the loop-back, which no reset of an engine clears. The
 * buffer has a page. */
void channel_drain(int rx, uint32_t buffer);

/* An attribute of a control node, which is there. */
uint64_t control_get(int control, const char *name);
void control_set(int control, const char *name, uint64_t value);

/* Tests of other files. */
int test_capture(char **argument);
int test_capture_card(char **argument);
int test_card(char **argument);
int test_card_faults(char **argument);
int test_coherent(char **argument);
int test_control(char **argument);
int test_end_card(char **argument);
int test_kill_card(char **argument);
int test_insist(char **argument);
int test_hold_copy(char **argument);
int test_loop(char **argument);
int test_peer(char **argument);
int test_pipe(char **argument);
int test_random(char **argument);
int test_random_card(char **argument);
int test_revoked(char **argument);
int test_stop_capture(char **argument);
int test_stop_fence(char **argument);
int test_stop_read(char **argument);
int test_unsent(char **argument);
int test_vfio(char **argument);
int test_exporter(char **argument);

struct ring {
	const struct sluice_ring *shared;
	struct sluice_ring_tail *tail;
	const struct sluice_completion *entries;
};

struct ring ring_map(int channel, uint32_t bytes);
/* Without a system call: the next completion, if there is one. */
int ring_next(struct ring *ring, struct sluice_completion *to);

#endif
