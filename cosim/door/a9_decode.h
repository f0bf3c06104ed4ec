/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * The instructions that a Cortex-A9's clock looks at: writes of system registers, maintenance,
 * barriers, preloads (ARM ARM DDI 0406C: A8.8 for encodings, B3.17 for system registers).
 */
#ifndef SLUICE_A9_DECODE_H
#define SLUICE_A9_DECODE_H

#include <stdbool.h>
#include <stdint.h>

enum a9_what {
	A9_NOTHING,
	A9_WRITES_SCTLR,
	A9_WRITES_TTBR0,
	A9_WRITES_TTBR1,
	A9_WRITES_TTBCR,
	A9_WRITES_PRRR,
	A9_WRITES_NMRR,
	A9_WRITES_CONTEXTIDR,
	A9_INVALIDATES_TLB,
	A9_INVALIDATES_TLB_PAGE,  /* an address, with an address space in its last byte */
	A9_INVALIDATES_TLB_SPACE, /* an address space */
	A9_INVALIDATES_INSTRUCTIONS,
	A9_INVALIDATES_INSTRUCTION, /* a line, by address, as those that follow */
	A9_CLEANS_LINE,
	A9_INVALIDATES_LINE,
	A9_CLEANS_INVALIDATES_LINE,
	A9_BARRIER,
	A9_PRELOADS, /* of base, and an offset or another register shifted left */
};

#define A9_NO_REGISTER 0xff

struct a9_instruction {
	uint8_t what;
	uint8_t base;	/* the register that is written from, or has the address; 15: the PC */
	uint8_t index;	/* A9_NO_REGISTER: none */
	uint8_t shift;	/* of the index, to the left */
	int32_t offset; /* in bytes */
	uint8_t condition; /* of an ARM instruction; A9_ALWAYS: none */
};

#define A9_ALWAYS 0xe

/* Whether an instruction of this condition does anything, by the flags in CPSR (A8.3). */
bool a9_holds(uint8_t condition, uint32_t cpsr);

/* Of 4 bytes, as they lie in memory; an instruction of 2 bytes is nothing here. */
struct a9_instruction a9_decode(const uint8_t bytes[4], bool thumb);

/* Which of r0 to r15 an instruction of the ARM set needs at once, and which it loads. Data that it
 * stores is apart: it may come later. Instructions that are not known need everything. */
struct a9_registers {
	uint16_t needs;
	uint16_t stores;
	uint16_t loads;
	uint16_t writes; /* beside what it loads */
};

struct a9_registers a9_registers_of(uint32_t word);

#endif /* SLUICE_A9_DECODE_H */
