// SPDX-License-Identifier: GPL-2.0-only
/*
 * Without an operating system, on a Zynq with hp_stress in its logic: registers, an interrupt, and
 * when by the processor's own clock. What it finds goes to RESULT, the count last.
 */
#include <stdint.h>

#include <hp_stress.h>

#define PL 0x40000000u
#define DMA (PL + HP_STRESS_HP_DMA(0))
#define SINK (PL + HP_STRESS_HP_SINK(0))
#define TICKS (PL + HP_STRESS_PAGE_OFFSET + SL_DESIGN_PAGE_TICKS_LO_OFFSET)
#define GIC_CPU 0xf8f00100u /* UG585 appendix B, mpcore */
#define GIC_DIST 0xf8f01000u
#define GLOBAL_TIMER 0xf8f00200u
#define LINE 61 /* IRQF2P[0] */
#define BUFFER 0x400000u
#define BYTES 0x10000u
#define RESULT 0x300000u
#define LOOPS 1000

static uint32_t count = 1;

static uint32_t get(uint32_t address)
{
	return *(volatile uint32_t *)address;
}

static void put(uint32_t address, uint32_t value)
{
	*(volatile uint32_t *)address = value;
}

static void result(uint32_t value)
{
	put(RESULT + 4 * count++, value);
}

void work(void);
void work(void)
{
	uint32_t before, ticks;

	put(GLOBAL_TIMER + 8, 1); /* on, no prescaler */
	put(GIC_DIST + 0x100 + LINE / 32 * 4, 1u << LINE % 32);
	put(GIC_DIST, 1);
	put(GIC_CPU + 4, 0xff);
	put(GIC_CPU, 1);

	/* What a read takes, twice, and a loop of instructions between two. */
	before = get(TICKS);
	result(get(TICKS) - before);
	before = get(TICKS);
	for (volatile int i = 0; i < LOOPS; ++i)
		;
	result(get(TICKS) - before);
	before = get(GLOBAL_TIMER);
	ticks = get(TICKS);
	for (volatile int i = 0; i < LOOPS; ++i)
		;
	ticks = get(TICKS) - ticks;
	result(get(GLOBAL_TIMER) - before);
	result(ticks);

	/* A transfer, its end by interrupt: how long, by the processor and by the design. */
	put(SINK + SL_STREAM_SINK_CONTROL_OFFSET, SL_STREAM_SINK_CONTROL_ENABLE_MASK);
	put(DMA + SL_AXI_DMA_MM2S_DMACR_OFFSET,
	    SL_AXI_DMA_MM2S_DMACR_RS_MASK | SL_AXI_DMA_MM2S_DMACR_IOC_IRQEN_MASK);
	put(DMA + SL_AXI_DMA_MM2S_SA_OFFSET, BUFFER);
	ticks = get(TICKS);
	before = get(GLOBAL_TIMER);
	put(DMA + SL_AXI_DMA_MM2S_LENGTH_OFFSET, BYTES);
	__asm__ volatile("wfi" ::: "memory");
	result(get(GLOBAL_TIMER) - before);
	result(get(TICKS) - ticks);
	result(get(GIC_CPU + 0xc)); /* which interrupt */
	put(DMA + SL_AXI_DMA_MM2S_DMASR_OFFSET, SL_AXI_DMA_MM2S_DMASR_IOC_IRQ_MASK);
	result(get(DMA + SL_AXI_DMA_MM2S_DMASR_OFFSET));
	result(get(SINK + SL_STREAM_SINK_BEATS_LO_OFFSET));
	put(RESULT, count - 1);
}

__asm__(".globl _start\n"
	"_start:	cpsid	if\n"
	"	ldr	sp, =0x2f0000\n"
	"	bl	work\n"
	"1:	wfi\n"
	"	b	1b\n");
