// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints a register.
 *
 *   uio_read DEVICE OFFSET
 */
#include <err.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define MAPPED 4096

int main(int count, char **word)
{
	volatile uint32_t *registers;
	unsigned long offset;
	void *mapped;
	int fd;

	if (count != 3)
		errx(2, "give the device and an offset");
	offset = strtoul(word[2], NULL, 0);
	if (offset >= MAPPED || offset % sizeof(*registers) != 0)
		errx(2, "offset %s: must be a multiple of 4 below %d", word[2], MAPPED);
	fd = open(word[1], O_RDWR | O_SYNC);
	if (fd < 0)
		err(1, "%s", word[1]);
	mapped = mmap(NULL, MAPPED, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mapped == MAP_FAILED)
		err(1, "%s: mmap", word[1]);
	registers = mapped;
	printf("%#x\n", registers[offset / sizeof(*registers)]);
	return 0;
}
