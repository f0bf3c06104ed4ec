// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a stop ends, and what goes on after it. All of AXI DMA stops at once, so that what one
 * channel does is seen at the other.
 */
#include "board.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS 1000000ull
#define WAIT_NS (60000 * MS)
#define PAGE 4096u
#define PACKET_MAX 65536u
#define PERIODS 8u

static void cancel(int fd)
{
	struct sluice_cancel cancel = {.size = sizeof(cancel)};

	MUST(!ioctl(fd, SLUICE_CANCEL, &cancel));
}

/* Packets that need not all find a place. */
static void send_packets(int tx, uint32_t buffer, uint32_t bytes, uint32_t count)
{
	struct sluice_transfer send = {.buffer = buffer, .length = bytes, .timeout_ns = 500 * MS};
	struct sluice_completion done;

	for (uint32_t i = 0; i < count; i++) {
		MUST(channel_submit(tx, &send, 1) == 1);
		MUST(channel_reap(tx, &done, 1, WAIT_NS) == 1);
	}
}

/* Stopped on the way. */
static void send_and_stop(int tx, uint32_t buffer)
{
	struct sluice_transfer send = {.buffer = buffer, .length = PACKET_MAX};
	struct sluice_transfer sends[4] = {send, send, send, send};
	struct sluice_completion done[4];

	MUST(channel_submit(tx, sends, 4) == 4);
	cancel(tx);
	MUST(channel_reap(tx, done, 4, SLUICE_NO_WAIT) == 4);
	MUST(done[3].status == -ECANCELED);
}

static void leave_nothing(const char *path)
{
	struct memory in = memory_of("system", PAGE);
	int rx = channel_open(path, 0);

	channel_drain(rx, channel_attach(rx, &in));
	close(rx);
	memory_free(&in);
}

/* ---------------------------------------------------------------------------------------------
 * stop_capture TX RX: a capture that holds up the stream is over when the sending channel is
 * stopped; what was released before is not captured into any longer
 */
static uint64_t produced(int rx, uint64_t released)
{
	struct sluice_capture_release release = {.size = sizeof(release), .period = released};

	MUST(!ioctl(rx, SLUICE_CAPTURE_RELEASE, &release));
	return release.produced;
}

int test_stop_capture(char **argument)
{
	int tx = channel_open(argument[0], 0), rx;
	struct memory out = memory_of("system", PACKET_MAX);
	struct memory ring = memory_of("contiguous", PERIODS * PACKET_MAX);
	struct sluice_capture_start start = {.size = sizeof(start), .periods = PERIODS,
					     .period_bytes = PACKET_MAX, .watermark = 1,
					     .flags = SLUICE_CAPTURE_STALL};
	struct sluice_capture_wait wait = {.size = sizeof(wait), .timeout_ns = WAIT_NS};
	uint32_t out_id = channel_attach(tx, &out);

	leave_nothing(argument[1]);
	rx = channel_open(argument[1], 0);
	start.buffer = channel_attach(rx, &ring);
	MUST(!ioctl(rx, SLUICE_CAPTURE_START, &start));
	send_packets(tx, out_id, PACKET_MAX, 4);
	wait.period = 3;
	MUST(!ioctl(rx, SLUICE_CAPTURE_WAIT, &wait) && wait.produced == 4);
	MUST(produced(rx, 4) == 4); /* periods 8 to 11 wait for 4 to 7 */
	send_and_stop(tx, out_id);
	wait.period = produced(rx, 4);
	printf("produced %llu\n", (unsigned long long)wait.period);
	send_packets(tx, out_id, PACKET_MAX, 4);
	FAILS(ioctl(rx, SLUICE_CAPTURE_WAIT, &wait), EPIPE);
	MUST(produced(rx, 4) == wait.period);
	/* Another one, in which nothing of the last one is counted. */
	MUST(!ioctl(rx, SLUICE_CAPTURE_START, &start) && produced(rx, 0) <= PERIODS);
	send_packets(tx, out_id, PACKET_MAX, 4);
	wait.period = 3;
	MUST(!ioctl(rx, SLUICE_CAPTURE_WAIT, &wait));
	close(rx);
	leave_nothing(argument[1]);
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * stop_read TX RX: who reads hears that the sending channel was stopped, and of nothing else
 */
static void read_on(int rx)
{
	static uint8_t bytes[PACKET_MAX];

	for (;;)
		MUST(read(rx, bytes, sizeof(bytes)) > 0 || errno == ECANCELED);
}

int test_stop_read(char **argument)
{
	int tx = channel_open(argument[0], 0), rx = channel_open(argument[1], 0), status;
	struct memory out = memory_of("system", PACKET_MAX);
	uint32_t out_id = channel_attach(tx, &out);
	pid_t child = fork();

	MUST(child >= 0);
	if (!child)
		read_on(rx);
	usleep(200000);
	for (int round = 0; round < 50; round++) {
		send_and_stop(tx, out_id);
		usleep(5000);
	}
	MUST(!kill(child, SIGKILL) && waitpid(child, &status, 0) == child && WIFSIGNALED(status));
	close(rx);
	leave_nothing(argument[1]);
	return 0;
}
