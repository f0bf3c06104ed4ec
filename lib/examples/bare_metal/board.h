/* SPDX-License-Identifier: Apache-2.0 */
/* What board.c puts at which bus address, and what it runs there. */
#ifndef BOARD_H
#define BOARD_H

#define ENGINE 0x40400000UL /* registers of the first engine: XPAR_AXIDMA_0_BASEADDR */
#define ENGINE_BYTES 0x10000UL
#define MEMORY 0x01000000UL
#define MEMORY_BYTES 0x0f000000UL

/* The bare-metal program, and its exit status. SLUICE_BARE_METAL gives main() this name. */
int bare_metal_main(void);

#endif
