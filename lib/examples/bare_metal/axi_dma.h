/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bare-metal driver of an AXI DMA, after the programming sequences of AMD PG021. It knows nothing
 * of libsluice: registers and descriptors are volatile memory at their addresses.
 */
#ifndef AXI_DMA_H
#define AXI_DMA_H

#include <stdint.h>

/* Reset the engine at `base`. Returns 0, or -1 if it does not come out of reset. */
int axi_dma_reset(uintptr_t base);

/* Whether the engine works by descriptors. */
int axi_dma_has_descriptors(uintptr_t base);

/*
 * Send `bytes` from `source` and receive them at `sink`, in packets of at most `packet` bytes, by
 * the engine at `base` whose streams are in loop-back. `table` is room for descriptors, 128 bytes a
 * packet, at a multiple of 64; an engine without descriptors does not use it. Returns 0, or -1 if
 * the engine reports an error.
 */
int axi_dma_loop_back(uintptr_t base, uintptr_t table, uint32_t source, uint32_t sink,
                      uint32_t bytes, uint32_t packet);

#endif
