/* SPDX-License-Identifier: Apache-2.0 */
#include "axi_dma.h"

#include "xil_shims.h"

/* PG021, "Register Space": offsets within a channel, and where the two channels are. */
enum { MM2S = 0x00, S2MM = 0x30 };
enum { CONTROL = 0x00, STATUS = 0x04, CURRENT = 0x08, TAIL = 0x10, ADDRESS = 0x18, LENGTH = 0x28 };

#define CONTROL_RUN 0x1U
#define CONTROL_RESET 0x4U
#define STATUS_IDLE 0x2U
#define STATUS_DESCRIPTORS 0x8U /* SGIncld */
#define STATUS_ERRORS 0x770U

/* PG021, "Descriptor": words of 4 bytes. */
enum { NEXT = 0x00, BUFFER = 0x08, PACKET = 0x18, DESCRIPTOR_BYTES = 0x40 };
#define PACKET_WHOLE 0x0c000000U /* TXSOF and TXEOF */
#define RESET_LOOKS 1000

int axi_dma_reset(uintptr_t base)
{
    Xil_Out32(base + MM2S + CONTROL, CONTROL_RESET);
    for (int look = 0; look < RESET_LOOKS; ++look)
        if ((Xil_In32(base + MM2S + CONTROL) & CONTROL_RESET) == 0)
            return 0;
    return -1;
}

int axi_dma_has_descriptors(uintptr_t base)
{
    return (Xil_In32(base + MM2S + STATUS) & STATUS_DESCRIPTORS) != 0;
}

/* Wait until a channel is idle. A read of a register takes time on the bus, so the wait ends. */
static int wait_idle(uintptr_t channel)
{
    for (;;) {
        const u32 status = Xil_In32(channel + STATUS);
        if ((status & STATUS_ERRORS) != 0)
            return -1;
        if ((status & STATUS_IDLE) != 0)
            return 0;
    }
}

/* PG021, "Direct Register Mode": run, address, and the length starts the transfer. */
static void start_direct(uintptr_t channel, u32 address, u32 bytes)
{
    Xil_Out32(channel + CONTROL, CONTROL_RUN);
    Xil_Out32(channel + ADDRESS, address);
    Xil_Out32(channel + LENGTH, bytes);
}

/* PG021, "Scatter/Gather Mode": a chain, its first descriptor, run, and the tail starts it. */
static void start_chain(uintptr_t channel, uintptr_t table, u32 address, u32 bytes, u32 packet)
{
    const u32 count = (bytes + packet - 1) / packet;
    for (u32 n = 0; n < count; ++n) {
        const uintptr_t descriptor = table + n * DESCRIPTOR_BYTES;
        const u32 left = bytes - n * packet;
        for (unsigned word = 0; word < DESCRIPTOR_BYTES; word += 4)
            Xil_Out32(descriptor + word, 0);
        Xil_Out32(descriptor + NEXT, (u32)(table + (n + 1) % count * DESCRIPTOR_BYTES));
        Xil_Out32(descriptor + BUFFER, address + n * packet);
        Xil_Out32(descriptor + PACKET, (left < packet ? left : packet) | PACKET_WHOLE);
    }
    Xil_DCacheFlushRange((INTPTR)table, count * DESCRIPTOR_BYTES);
    Xil_Out32(channel + CURRENT, (u32)table);
    Xil_Out32(channel + CONTROL, CONTROL_RUN);
    Xil_Out32(channel + TAIL, (u32)(table + (count - 1) * DESCRIPTOR_BYTES));
}

int axi_dma_loop_back(uintptr_t base, uintptr_t table, uint32_t source, uint32_t sink,
                      uint32_t bytes, uint32_t packet)
{
    Xil_DCacheFlushRange((INTPTR)source, bytes);
    if (axi_dma_has_descriptors(base)) {
        const u32 count = (bytes + packet - 1) / packet;
        start_chain(base + S2MM, table, sink, bytes, packet);
        start_chain(base + MM2S, table + count * DESCRIPTOR_BYTES, source, bytes, packet);
        if (wait_idle(base + MM2S) != 0 || wait_idle(base + S2MM) != 0)
            return -1;
    } else {
        for (u32 done = 0; done < bytes; done += packet) {
            const u32 now = bytes - done < packet ? bytes - done : packet;
            start_direct(base + S2MM, sink + done, now);
            start_direct(base + MM2S, source + done, now);
            if (wait_idle(base + MM2S) != 0 || wait_idle(base + S2MM) != 0)
                return -1;
        }
    }
    Xil_DCacheInvalidateRange((INTPTR)sink, bytes);
    return 0;
}
