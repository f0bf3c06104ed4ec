// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a stop ends, and what goes on after it. All of AXI DMA stops at once, so that what one
 * channel does is seen at the other.
 */
#include "board.h"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS 1000000ull
#define WAIT_NS (600000 * MS)
#define PAGE 4096u
#define PACKET_MAX 65536u
#define PERIODS 8u
#define ROUNDS 16u

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
 * stop_capture TX RX: a capture that blocks the stream is over when the sending channel is
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
	/* Another one, as short as can be, in which nothing of the last one is counted. */
	start.periods = 2;
	FAILS(ioctl(rx, SLUICE_CAPTURE_START, &start), EINVAL);
	start.periods = 3;
	MUST(!ioctl(rx, SLUICE_CAPTURE_START, &start) && produced(rx, 0) <= start.periods);
	send_packets(tx, out_id, PACKET_MAX, 4);
	wait.period = 2;
	MUST(!ioctl(rx, SLUICE_CAPTURE_WAIT, &wait));
	close(rx);
	leave_nothing(argument[1]);
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * stop_fence TX RX COPY: both channels are stopped at once, while a receive waits for a fence that
 * is not signalled; afterwards fences are waited for as before
 */
#define COPIES 200u
#define FEW 16u /* that fit the loop-back's FIFO */

static int fence_of(int fd, struct sluice_transfer *transfers, uint32_t count)
{
	struct sluice_submit submit = {.size = sizeof(submit), .count = count,
				       .transfers = (uintptr_t)transfers,
				       .transfer_bytes = sizeof(*transfers),
				       .flags = SLUICE_SUBMIT_OUT_FENCE};

	MUST(!ioctl(fd, SLUICE_SUBMIT, &submit) && submit.accepted == count);
	return submit.out_fence;
}

static void submit_after(int fd, struct sluice_transfer *transfer, int fence)
{
	struct sluice_submit submit = {.size = sizeof(submit), .count = 1,
				       .transfers = (uintptr_t)transfer,
				       .transfer_bytes = sizeof(*transfer),
				       .flags = SLUICE_SUBMIT_IN_FENCE, .in_fence = fence};

	MUST(!ioctl(fd, SLUICE_SUBMIT, &submit));
}

/* Enough to copy that it goes on during all of the test. */
static int fence_of_copies(int copy, const struct memory *memory)
{
	static struct sluice_transfer transfers[COPIES];
	uint32_t id = channel_attach(copy, memory);

	for (uint32_t i = 0; i < COPIES; i++)
		transfers[i] = (struct sluice_transfer){.buffer = id, .destination = id,
							.destination_offset = memory->bytes / 2,
							.length = memory->bytes / 2};
	return fence_of(copy, transfers, COPIES);
}

/* Stops the channel in each round, at once with whoever counts the rounds, or a little later. */
static void stop_along(int rx, const volatile uint32_t *round)
{
	for (uint32_t i = 0; i < ROUNDS; i++) {
		while (*round == i)
			continue;
		uint64_t until = now_ns() + i % 8 * 200000;
		while (now_ns() < until)
			continue;
		cancel(rx);
	}
	_exit(0);
}

int test_stop_fence(char **argument)
{
	int tx = channel_open(argument[0], 0), rx = channel_open(argument[1], 0);
	int copy = channel_open(argument[2], 0), status;
	struct memory out = memory_of("system", PACKET_MAX), in = memory_of("system", PAGE);
	struct memory copied = memory_of("system", 2 << 20);
	struct sluice_transfer receive = {.buffer = channel_attach(rx, &in), .length = PAGE};
	struct sluice_transfer send = {.buffer = channel_attach(tx, &out), .length = PACKET_MAX};
	volatile uint32_t *round = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
					MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct sluice_transfer few[FEW];
	struct sluice_completion done[FEW];
	int never = fence_of_copies(copy, &copied);
	struct pollfd signalled = {.fd = never, .events = POLLIN};
	for (uint32_t i = 0; i < FEW; i++)
		few[i] = (struct sluice_transfer){.buffer = send.buffer, .length = 64};
	pid_t child = fork();
	MUST(child >= 0 && round != MAP_FAILED);
	if (!child)
		stop_along(rx, round);
	while (*round < ROUNDS) {
		MUST(channel_submit(rx, &receive, 1) == 1);
		submit_after(rx, &receive, never);
		MUST(channel_submit(tx, &send, 1) == 1);
		++*round;
		cancel(tx);
		MUST(channel_reap(tx, done, 1, SLUICE_NO_WAIT) == 1);
		MUST(channel_reap(rx, done, 2, WAIT_NS) == 2 && done[1].status == -ECANCELED);
		int fence = fence_of(tx, few, FEW);
		submit_after(rx, &receive, fence);
		MUST(channel_reap(tx, done, FEW, WAIT_NS) == FEW);
		MUST(channel_reap(rx, done, 1, WAIT_NS) == 1 && !done[0].status);
		close(fence);
		channel_drain(rx, receive.buffer);
	}
	MUST(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
	MUST(!poll(&signalled, 1, 0));
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

/* ---------------------------------------------------------------------------------------------
 * unsent TX: writes to nobody, says so, and asks again and again whether it was sent, until the
 * device goes
 */
static void on_alarm(int number)
{
	(void)number;
}

int test_unsent(char **argument)
{
	static uint8_t bytes[4 * PACKET_MAX];
	struct sigaction action = {.sa_handler = on_alarm}; /* no SA_RESTART */
	struct itimerval every = {.it_interval = {.tv_usec = 2000}, .it_value = {.tv_usec = 2000}};
	int tx = channel_open(argument[0], 0), ret;

	MUST(write(tx, bytes, sizeof(bytes)) == sizeof(bytes));
	printf("holds\n");
	fflush(stdout);
	MUST(!sigaction(SIGALRM, &action, NULL) && !setitimer(ITIMER_REAL, &every, NULL));
	do
		ret = fsync(tx);
	while (ret && errno == EINTR);
	MUST(ret && errno == ENODEV);
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * hold_copy COPY: has long copies under way, says so, and waits until the device goes
 */
int test_hold_copy(char **argument)
{
	int copy = channel_open(argument[0], 0);
	struct memory memory = memory_of("contiguous", 2 << 20);
	struct pollfd gone = {.fd = copy};

	close(fence_of_copies(copy, &memory));
	printf("holds\n");
	fflush(stdout);
	MUST(poll(&gone, 1, -1) == 1 && gone.revents & POLLHUP);
	return 0;
}
