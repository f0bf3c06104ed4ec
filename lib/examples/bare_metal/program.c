/* SPDX-License-Identifier: Apache-2.0 */
/* A bare-metal program: data leaves memory by an AXI DMA, comes back by it, and is compared. */
#include <stdio.h>
#include <string.h>

#include "axi_dma.h"
#include "board.h"

#define TABLE MEMORY
#define SOURCE (MEMORY + 0x40000UL)
#define SINK (MEMORY + 0x80000UL)
#define BYTES 50000U
#define PACKET 4096U

int bare_metal_main(void)
{
    unsigned char *source = (unsigned char *)SOURCE;
    if (axi_dma_reset(ENGINE) != 0) {
        fprintf(stderr, "the engine does not come out of reset\n");
        return 1;
    }
    for (unsigned i = 0; i < BYTES; ++i)
        source[i] = (unsigned char)(i * 7 + i / 256);
    if (axi_dma_loop_back(ENGINE, TABLE, (uint32_t)SOURCE, (uint32_t)SINK, BYTES, PACKET) != 0) {
        fprintf(stderr, "the engine reports an error\n");
        return 1;
    }
    if (memcmp(source, (void *)SINK, BYTES) != 0) {
        fprintf(stderr, "the bytes that came back differ\n");
        return 1;
    }
    printf("%u bytes came back, %s\n", BYTES,
           axi_dma_has_descriptors(ENGINE) ? "by descriptors" : "in direct register mode");
    return 0;
}
