/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What AMD's bare-metal drivers and examples ask of the standalone BSP, for a program on a
 * simulated board: plain pointers, since registers and memory are at their addresses, no caches,
 * since there are none, and waits by the board's time. board.c has what is not inline.
 */
#ifndef XIL_SHIMS_H
#define XIL_SHIMS_H

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef uintptr_t UINTPTR;
typedef intptr_t INTPTR;

#ifndef TRUE
#define TRUE 1U
#define FALSE 0U
#endif
#define XIL_COMPONENT_IS_READY 0x11111111U
#define UPPER_32_BITS(n) ((u32)((u64)(n) >> 32))
#define LOWER_32_BITS(n) ((u32)(n))
#define LEFT_SHIFT_BY_32_BITS(n) ((u64)(n) << 32)
#define DATA_SYNC __sync_synchronize()

#define XST_SUCCESS 0L
#define XST_FAILURE 1L
#define XST_DEVICE_IS_STARTED 5L
#define XST_DMA_ERROR 9L
#define XST_INVALID_PARAM 15L
#define XST_NOT_SGDMA 16L
#define XST_NO_FEATURE 19L
#define XST_IS_STARTED 23L
#define XST_DMA_SG_NO_LIST 523L
#define XST_DMA_SG_LIST_ERROR 526L

#define Xil_AssertVoid(expression) assert(expression)
#define Xil_AssertNonvoid(expression) assert(expression)
#define xdbg_printf(...) ((void)0)

/* What xparameters.h says of the design dma_loopback, whose first engine board.c maps. */
#define XPAR_XAXIDMA_NUM_INSTANCES 1
#define XPAR_AXIDMA_0_DEVICE_ID 0
#define XPAR_AXIDMA_0_BASEADDR 0x40400000U
#define XPAR_AXIDMA_0_SG_INCLUDE_STSCNTRL_STRM 0
#define XPAR_AXIDMA_0_INCLUDE_MM2S 1
#define XPAR_AXIDMA_0_INCLUDE_MM2S_DRE 0
#define XPAR_AXIDMA_0_M_AXI_MM2S_DATA_WIDTH 64
#define XPAR_AXIDMA_0_INCLUDE_S2MM 1
#define XPAR_AXIDMA_0_INCLUDE_S2MM_DRE 0
#define XPAR_AXIDMA_0_M_AXI_S2MM_DATA_WIDTH 64
#ifndef XPAR_AXIDMA_0_INCLUDE_SG
#define XPAR_AXIDMA_0_INCLUDE_SG 1
#endif
#define XPAR_AXIDMA_0_NUM_MM2S_CHANNELS 1
#define XPAR_AXIDMA_0_NUM_S2MM_CHANNELS 1
#define XPAR_AXI_DMA_0_MM2S_BURST_SIZE 16
#define XPAR_AXI_DMA_0_S2MM_BURST_SIZE 16
#define XPAR_AXI_DMA_0_MICRO_DMA 0
#define XPAR_AXI_DMA_0_ADDR_WIDTH 32
#define XPAR_AXIDMA_0_SG_LENGTH_WIDTH 26
#define XPAR_MIG_0_C0_DDR4_MEMORY_MAP_BASEADDR 0x0U

/* Let that much of the board's time pass. The types are those of unistd.h. */
int xil_usleep(unsigned us);
unsigned xil_sleep(unsigned seconds);
#define usleep xil_usleep
#define sleep xil_sleep

void xil_printf(const char *format, ...);

static inline u32 Xil_In32(UINTPTR address) { return *(volatile u32 *)address; }
static inline u16 Xil_In16(UINTPTR address) { return *(volatile u16 *)address; }
static inline u8 Xil_In8(UINTPTR address) { return *(volatile u8 *)address; }
static inline void Xil_Out32(UINTPTR address, u32 value) { *(volatile u32 *)address = value; }
static inline void Xil_Out16(UINTPTR address, u16 value) { *(volatile u16 *)address = value; }
static inline void Xil_Out8(UINTPTR address, u8 value) { *(volatile u8 *)address = value; }
static inline void Xil_DCacheFlushRange(INTPTR address, u32 bytes) { (void)address, (void)bytes; }
static inline void Xil_DCacheInvalidateRange(INTPTR address, u32 bytes)
{
    (void)address, (void)bytes;
}

#endif
