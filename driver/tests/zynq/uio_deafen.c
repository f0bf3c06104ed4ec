// SPDX-License-Identifier: GPL-2.0-only
/*
 * Masks the interrupts of an sl_axi_cdma behind the back of its driver, which then never hears of
 * the end of what it has started. An engine that is dead looks the same to it.
 *
 *   uio_deafen DEVICE
 */
#include <err.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include <sl_axi_cdma.h>

#define ENABLES                                                                                    \
	(SL_AXI_CDMA_CDMACR_IOC_IRQEN_MASK | SL_AXI_CDMA_CDMACR_DLY_IRQEN_MASK |                   \
	 SL_AXI_CDMA_CDMACR_ERR_IRQEN_MASK)

int main(int count, char **word)
{
	volatile uint32_t *control;
	void *registers;
	int fd;

	if (count != 2)
		errx(2, "give the device");
	fd = open(word[1], O_RDWR | O_SYNC);
	if (fd < 0)
		err(1, "%s", word[1]);
	registers = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (registers == MAP_FAILED)
		err(1, "%s: mmap", word[1]);
	control = (void *)((char *)registers + SL_AXI_CDMA_CDMACR_OFFSET);
	if (!(*control & SL_AXI_CDMA_CDMACR_IOC_IRQEN_MASK))
		errx(1, "the engine's interrupts are off already: %#x", *control);
	*control &= ~ENABLES;
	return 0;
}
