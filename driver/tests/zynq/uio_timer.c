// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers and an interrupt of the logic through UIO: the timer of design capture (sl_timer).
 *
 *   uio_timer registers DEVICE ROUNDS         what is written is read back, every access; prints the
 *                                             logic's cycles for ROUNDS reads, and for ROUNDS writes
 *   uio_timer interrupts DEVICE ROUNDS DELAY  so many, one after another; prints the fewest and the
 *                                             most cycles from the interrupt to the program, and how
 *                                             many the kernel counts
 */
#include <err.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <sl_timer.h>

#define WAIT_MS 600000 /* against hanging only */

static volatile uint32_t *registers;

static uint32_t load(uint32_t offset)
{
	return registers[offset / 4];
}

static void store(uint32_t offset, uint32_t value)
{
	registers[offset / 4] = value;
}

#define EXPECT(offset, value)                                                                      \
	do {                                                                                       \
		uint32_t found_ = load(offset);                                                    \
		if (found_ != (value))                                                             \
			errx(1, "%s is %#x, not %#x", #offset, found_, (uint32_t)(value));         \
	} while (0)

static void test_registers(unsigned int rounds)
{
	uint32_t begun;

	EXPECT(SL_TIMER_IDENTITY_OFFSET, SL_TIMER_IDENTITY_DEFAULT);
	EXPECT(SL_TIMER_SCRATCH_OFFSET, 0);
	for (uint32_t n = 0; n < rounds; n++) {
		store(SL_TIMER_SCRATCH_OFFSET, n * 2654435761u);
		EXPECT(SL_TIMER_SCRATCH_OFFSET, n * 2654435761u);
	}
	store(SL_TIMER_IDENTITY_OFFSET, 0);
	EXPECT(SL_TIMER_IDENTITY_OFFSET, SL_TIMER_IDENTITY_DEFAULT);

	begun = load(SL_TIMER_CYCLES_LO_OFFSET);
	for (unsigned int n = 0; n < rounds; n++)
		load(SL_TIMER_SCRATCH_OFFSET);
	printf("read_cycles %u\n", load(SL_TIMER_CYCLES_LO_OFFSET) - begun);
	begun = load(SL_TIMER_CYCLES_LO_OFFSET);
	for (unsigned int n = 0; n < rounds; n++)
		store(SL_TIMER_SCRATCH_OFFSET, n);
	printf("write_cycles %u\n", load(SL_TIMER_CYCLES_LO_OFFSET) - begun);
	EXPECT(SL_TIMER_SCRATCH_OFFSET, rounds - 1);
}

/* Waits for the interrupt, which the kernel masks; how many there have been. */
static uint32_t wait_for(int fd)
{
	struct pollfd poller = {.fd = fd, .events = POLLIN};
	uint32_t count;

	if (poll(&poller, 1, WAIT_MS) != 1)
		errx(1, "no interrupt");
	if (read(fd, &count, sizeof(count)) != sizeof(count))
		err(1, "read");
	return count;
}

static void unmask(int fd)
{
	uint32_t enable = 1;

	if (write(fd, &enable, sizeof(enable)) != sizeof(enable))
		err(1, "write");
}

static void test_interrupts(int fd, unsigned int rounds, uint32_t delay)
{
	uint32_t fewest = UINT32_MAX, most = 0, before = 0;
	struct pollfd poller = {.fd = fd, .events = POLLIN};

	store(SL_TIMER_EVENT_OFFSET, SL_TIMER_EVENT_EXPIRED_MASK);
	store(SL_TIMER_IRQ_ENABLE_OFFSET, SL_TIMER_IRQ_ENABLE_EXPIRED_MASK);
	for (unsigned int n = 0; n < rounds; n++) {
		uint32_t count, cycles;

		unmask(fd);
		if (poll(&poller, 1, 0) != 0)
			errx(1, "an interrupt that nothing has raised");
		store(SL_TIMER_DELAY_OFFSET, delay);
		count = wait_for(fd);
		cycles = load(SL_TIMER_CYCLES_LO_OFFSET) - load(SL_TIMER_EXPIRED_OFFSET);
		if (n > 0 && count != before + 1)
			errx(1, "interrupt %u after %u", count, before);
		before = count;
		EXPECT(SL_TIMER_EVENT_OFFSET, SL_TIMER_EVENT_EXPIRED_MASK);
		store(SL_TIMER_EVENT_OFFSET, SL_TIMER_EVENT_EXPIRED_MASK);
		EXPECT(SL_TIMER_EVENT_OFFSET, 0);
		if (cycles < fewest)
			fewest = cycles;
		if (cycles > most)
			most = cycles;
	}
	/* An interrupt that nobody has cleared comes again as soon as it is unmasked. */
	unmask(fd);
	store(SL_TIMER_DELAY_OFFSET, delay);
	wait_for(fd);
	unmask(fd);
	if (wait_for(fd) != before + 2)
		errx(1, "the interrupt is no level");
	store(SL_TIMER_IRQ_ENABLE_OFFSET, 0);
	store(SL_TIMER_EVENT_OFFSET, SL_TIMER_EVENT_EXPIRED_MASK);
	printf("fewest %u\nmost %u\n", fewest, most);
}

int main(int count, char **argument)
{
	int fd;

	if (count < 4)
		errx(2, "usage: see the head of the source");
	fd = open(argument[2], O_RDWR | O_CLOEXEC);
	if (fd < 0)
		err(1, "%s", argument[2]);
	registers = mmap(NULL, SL_TIMER_WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (registers == MAP_FAILED)
		err(1, "mmap");
	if (!strcmp(argument[1], "registers"))
		test_registers(strtoul(argument[3], NULL, 0));
	else if (!strcmp(argument[1], "interrupts") && count == 5)
		test_interrupts(fd, strtoul(argument[3], NULL, 0), strtoul(argument[4], NULL, 0));
	else
		errx(2, "there is no test %s", argument[1]);
	return 0;
}
