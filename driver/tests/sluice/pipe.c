// SPDX-License-Identifier: GPL-2.0-only
/*
 * pipe TX RX BYTES SEED: read() and write() of two channels in loop-back: packets, parts of them,
 * O_NONBLOCK, poll, signals, and what is refused.
 */
#include "board.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define PACKET_MAX 65536u
#define SLOTS 8 /* a side has, each for a packet */
#define WAIT_MS 600000
#define LINGER_NS 9000000000ull /* a little less than the driver waits */

static uint8_t sent[5 * PACKET_MAX], received[PACKET_MAX + 1];

static void fill(uint32_t bytes, uint32_t *state)
{
	for (uint32_t i = 0; i < bytes; i++)
		sent[i] = random_next(state) >> 11;
}

static int ready(int fd, short events, int wait_ms)
{
	struct pollfd what = {.fd = fd, .events = events};

	return poll(&what, 1, wait_ms) == 1 ? what.revents : 0;
}

static void set_nonblock(int fd, int on)
{
	MUST(!fcntl(fd, F_SETFL, on ? O_NONBLOCK : 0));
}

/* Each read() has one packet, or what is left of it. */
static uint64_t packets(int tx, int rx, uint64_t least, uint32_t *state)
{
	uint64_t total = 0;

	while (total < least) {
		uint32_t bytes = 1 + random_next(state) % PACKET_MAX;
		uint32_t first = random_next(state) % 2 ? bytes : 1 + random_next(state) % bytes;

		fill(bytes, state);
		MUST(write(tx, sent, bytes) == (ssize_t)bytes);
		MUST(read(rx, received, first) == (ssize_t)first);
		if (first < bytes)
			MUST(read(rx, received + first, sizeof(received) - first) ==
			     (ssize_t)(bytes - first));
		MUST(!memcmp(sent, received, bytes));
		total += bytes;
	}
	return total;
}

/* Larger than a packet, from two places. */
static void long_write(int tx, int rx, uint32_t *state)
{
	const uint32_t bytes = 3 * PACKET_MAX + 1000;
	struct iovec parts[2] = {{sent, 5000}, {sent + 5000, bytes - 5000}};

	fill(bytes, state);
	MUST(writev(tx, parts, 2) == (ssize_t)bytes);
	for (uint32_t at = 0; at < bytes; at += PACKET_MAX) {
		uint32_t rest = bytes - at < PACKET_MAX ? bytes - at : PACKET_MAX;

		MUST(read(rx, received, sizeof(received)) == (ssize_t)rest);
		MUST(!memcmp(sent + at, received, rest));
	}
	MUST(!fsync(tx));
}

static void no_wait(int tx, int rx, uint32_t *state)
{
	uint64_t written = 0, come = 0;

	set_nonblock(tx, 1);
	set_nonblock(rx, 1);
	FAILS(read(rx, received, 1), EAGAIN);
	MUST(!ready(rx, POLLIN, 50));
	MUST(ready(tx, POLLOUT, 0) == POLLOUT);
	fill(PACKET_MAX, state);
	/*
	 * Until the slots of both sides are full; or all but those which the engine has sent, and tells
	 * of with the one after them, which waits for a slot of the other side. The first one it is
	 * given alone.
	 */
	while (written < 2 * SLOTS * PACKET_MAX) {
		int wait_ms = written <= SLOTS * PACKET_MAX ? WAIT_MS : 1000;

		if (ready(tx, POLLOUT, wait_ms) != POLLOUT)
			break;
		MUST(write(tx, sent, PACKET_MAX) == PACKET_MAX);
		written += PACKET_MAX;
	}
	MUST(written > SLOTS * PACKET_MAX);
	if (written == 2 * SLOTS * PACKET_MAX) {
		MUST(!ready(tx, POLLOUT, 1000));
		FAILS(write(tx, sent, 1), EAGAIN);
	}
	while (come < written) {
		MUST(ready(rx, POLLIN, WAIT_MS) == POLLIN);
		ssize_t bytes = read(rx, received, sizeof(received));
		MUST(bytes > 0 && !memcmp(received, sent + come % PACKET_MAX, bytes));
		come += bytes;
	}
	MUST(come == written && ready(tx, POLLOUT, WAIT_MS) == POLLOUT);
	FAILS(read(rx, received, 1), EAGAIN);
	set_nonblock(tx, 0);
	set_nonblock(rx, 0);
}

static void on_alarm(int number)
{
	(void)number;
}

static void signals(int rx)
{
	struct sigaction action = {.sa_handler = on_alarm}; /* no SA_RESTART */

	MUST(!sigaction(SIGALRM, &action, NULL));
	alarm(1);
	FAILS(read(rx, received, 1), EINTR);
}

static void refusals(const char *tx_path, int tx, int rx)
{
	struct sluice_cancel cancel = {.size = sizeof(cancel)};
	struct sluice_capture_stop stop = {.size = sizeof(stop)};
	void *volatile nowhere = (void *)8;

	FAILS(read(tx, received, 1), EOPNOTSUPP);
	FAILS(write(rx, sent, 1), EOPNOTSUPP);
	FAILS(ioctl(tx, SLUICE_CANCEL, &cancel), EBUSY);
	FAILS(ioctl(rx, SLUICE_CAPTURE_STOP, &stop), EBUSY);
	FAILS(write(tx, nowhere, 100), EFAULT);
	MUST(!write(tx, sent, 0) && !read(rx, received, 0));
	FAILS(pread(rx, received, 1, 0), ESPIPE);
	MUST(write(tx, sent, 3) == 3);
	MUST(ready(rx, POLLIN, WAIT_MS) == POLLIN);
	FAILS(read(rx, nowhere, 3), EFAULT);
	MUST(read(rx, received, 3) == 3 && !memcmp(sent, received, 3)); /* nothing was lost */
	close(tx);
	tx = channel_open(tx_path, 0);
	MUST(!ioctl(tx, SLUICE_CANCEL, &cancel)); /* a queue from now on */
	FAILS(write(tx, sent, 1), EBUSY);
	close(tx);
}

/* How often this process has waited for something. */
static long sleeps(void)
{
	struct rusage usage;

	MUST(!getrusage(RUSAGE_SELF, &usage));
	return usage.ru_nvcsw;
}

/* What nobody takes: all descriptors together wait 10 s for it, none says that it was sent. */
static void linger(const char *path)
{
	int tx = channel_open(path, O_NONBLOCK), others[4];
	uint64_t before;

	while (ready(tx, POLLOUT, 1000) == POLLOUT)
		MUST(write(tx, sent, PACKET_MAX) == PACKET_MAX);
	before = now_ns();
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		MUST((others[i] = dup(tx)) >= 0);
	FAILS(close(others[0]), ETIMEDOUT);
	MUST(now_ns() - before > LINGER_NS);
	long slept = sleeps();
	for (size_t i = 1; i < ARRAY_SIZE(others); i++)
		FAILS(close(others[i]), ETIMEDOUT);
	MUST(sleeps() == slept);
	alarm(1);
	FAILS(fsync(tx), EINTR);
	FAILS(close(tx), ETIMEDOUT);
}

/* Killed while it writes to nobody: the next one can open the channel at once. */
static void killed(const char *path)
{
	pid_t child = fork();
	int status;

	if (!child) {
		int tx = channel_open(path, 0);

		while (write(tx, sent, PACKET_MAX) > 0)
			continue;
		_exit(1);
	}
	MUST(child > 0);
	usleep(1000000);
	MUST(!kill(child, SIGKILL) && waitpid(child, &status, 0) == child && WIFSIGNALED(status));
	uint64_t before = now_ns();
	close(channel_open(path, 0));
	printf("open_ns %llu\n", (unsigned long long)(now_ns() - before));
}

int test_pipe(char **argument)
{
	uint32_t state = strtoul(argument[3], NULL, 0) | 1;
	int tx = channel_open(argument[0], 0), rx = channel_open(argument[1], 0);

	MUST(channel_info(tx).capabilities & channel_info(rx).capabilities & SLUICE_CAP_PIPE);
	no_wait(tx, rx, &state);
	printf("bytes %llu\n", (unsigned long long)packets(tx, rx, strtoull(argument[2], NULL, 0),
							  &state));
	long_write(tx, rx, &state);
	signals(rx);
	refusals(argument[0], tx, rx);
	linger(argument[0]);
	killed(argument[0]);
	close(rx);
	return 0;
}
