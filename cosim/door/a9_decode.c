// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "a9_decode.h"

/* MCR p15, opc1, Rt, CRn, CRm, opc2: the same word in both instruction sets but for the condition. */
#define MCR_P15_MASK 0x0f100f10u
#define MCR_P15 0x0e000f10u
/* CRn, opc1, CRm, opc2 in their places */
#define SYSTEM_MASK 0x00ef00efu
#define SYSTEM(crn, opc1, crm, opc2) \
	((uint32_t)(crn) << 16 | (uint32_t)(opc1) << 21 | (uint32_t)(opc2) << 5 | (uint32_t)(crm))
#define CRN_MASK 0x000f0000u
#define CRN_TLB (8u << 16)
#define OPERATION(word) ((word) >> 5 & 7)

/* Of one side's TLB or of both, and of other processors' too. */
static uint8_t what_of_tlb(uint32_t word)
{
	switch (OPERATION(word)) {
	case 1: return A9_INVALIDATES_TLB_PAGE;	 /* TLBIMVA */
	case 2: return A9_INVALIDATES_TLB_SPACE; /* TLBIASID */
	default: return A9_INVALIDATES_TLB;
	}
}

static uint8_t what_of_system(uint32_t word)
{
	switch (word & SYSTEM_MASK) {
	case SYSTEM(1, 0, 0, 0): return A9_WRITES_SCTLR;
	case SYSTEM(2, 0, 0, 0): return A9_WRITES_TTBR0;
	case SYSTEM(2, 0, 0, 1): return A9_WRITES_TTBR1;
	case SYSTEM(2, 0, 0, 2): return A9_WRITES_TTBCR;
	case SYSTEM(10, 0, 2, 0): return A9_WRITES_PRRR;
	case SYSTEM(10, 0, 2, 1): return A9_WRITES_NMRR;
	case SYSTEM(13, 0, 0, 1): return A9_WRITES_CONTEXTIDR;
	case SYSTEM(7, 0, 1, 0):				      /* ICIALLUIS */
	case SYSTEM(7, 0, 5, 0): return A9_INVALIDATES_INSTRUCTIONS; /* ICIALLU */
	case SYSTEM(7, 0, 5, 1): return A9_INVALIDATES_INSTRUCTION;   /* ICIMVAU */
	case SYSTEM(7, 0, 10, 1):				      /* DCCMVAC */
	case SYSTEM(7, 0, 11, 1): return A9_CLEANS_LINE;	      /* DCCMVAU */
	case SYSTEM(7, 0, 6, 1): return A9_INVALIDATES_LINE;	      /* DCIMVAC */
	case SYSTEM(7, 0, 14, 1): return A9_CLEANS_INVALIDATES_LINE; /* DCCIMVAC */
	case SYSTEM(7, 0, 10, 4): return A9_BARRIER;		      /* CP15DSB */
	default: return (word & CRN_MASK) == CRN_TLB ? what_of_tlb(word) : A9_NOTHING;
	}
}

static struct a9_instruction preload(uint32_t base, int32_t offset)
{
	return (struct a9_instruction){ .what = A9_PRELOADS,
					.base = (uint8_t)base,
					.index = A9_NO_REGISTER,
					.offset = offset,
					.condition = A9_ALWAYS };
}

static struct a9_instruction decode_arm(uint32_t word)
{
	struct a9_instruction found = {
		.what = A9_NOTHING, .index = A9_NO_REGISTER, .condition = A9_ALWAYS
	};
	const uint32_t base = word >> 16 & 0xf;

	if ((word & 0xfffffff0u) == 0xf57ff040u) {
		found.what = A9_BARRIER;
	} else if ((word & 0xff30f000u) == 0xf510f000u) { /* PLD, PLDW (immediate) */
		const int32_t offset = (int32_t)(word & 0xfff);

		return preload(base, (word & 1u << 23) != 0 ? offset : -offset);
	} else if ((word & 0xffb0f070u) == 0xf790f000u) { /* PLD (register), added, LSL */
		found = preload(base, 0);
		found.index = (uint8_t)(word & 0xf);
		found.shift = (uint8_t)(word >> 7 & 0x1f);
	} else if (word >> 28 != 0xf && (word & MCR_P15_MASK) == MCR_P15) {
		found.what = what_of_system(word);
		found.base = (uint8_t)(word >> 12 & 0xf);
		found.condition = (uint8_t)(word >> 28);
	}
	return found;
}

/* The first halfword is in the upper half. */
static struct a9_instruction decode_thumb(uint32_t word)
{
	const uint32_t base = word >> 16 & 0xf;
	struct a9_instruction found;

	if ((word & 0xfffffff0u) == 0xf3bf8f40u)
		return (struct a9_instruction){
			.what = A9_BARRIER, .index = A9_NO_REGISTER, .condition = A9_ALWAYS
		};
	if ((word & 0xffd0f000u) == 0xf890f000u) /* PLD (immediate, 12 bits) */
		return preload(base, (int32_t)(word & 0xfff));
	if ((word & 0xffd0ff00u) == 0xf810fc00u) /* PLD (immediate, subtracted) */
		return preload(base, -(int32_t)(word & 0xff));
	if ((word & 0xffd0ffc0u) == 0xf810f000u) { /* PLD (register) */
		found = preload(base, 0);
		found.index = (uint8_t)(word & 0xf);
		found.shift = (uint8_t)(word >> 4 & 3);
		return found;
	}
	if (word >> 24 == 0xee && (word & MCR_P15_MASK) == MCR_P15)
		return (struct a9_instruction){ .what = what_of_system(word),
						.base = (uint8_t)(word >> 12 & 0xf),
						.index = A9_NO_REGISTER,
						.condition = A9_ALWAYS };
	return (struct a9_instruction){ .what = A9_NOTHING, .index = A9_NO_REGISTER };
}

struct a9_instruction a9_decode(const uint8_t bytes[4], bool thumb)
{
	const uint32_t low = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
	const uint32_t high = (uint32_t)bytes[2] | (uint32_t)bytes[3] << 8;

	return thumb ? decode_thumb(low << 16 | high) : decode_arm(high << 16 | low);
}

bool a9_holds(uint8_t condition, uint32_t cpsr)
{
	const bool n = (cpsr >> 31 & 1) != 0, z = (cpsr >> 30 & 1) != 0;
	const bool c = (cpsr >> 29 & 1) != 0, v = (cpsr >> 28 & 1) != 0;
	bool holds = true;

	switch (condition >> 1) {
	case 0: holds = z; break;
	case 1: holds = c; break;
	case 2: holds = n; break;
	case 3: holds = v; break;
	case 4: holds = c && !z; break;
	case 5: holds = n == v; break;
	case 6: holds = n == v && !z; break;
	default: return true;
	}
	return holds != ((condition & 1) != 0);
}

#define ALL_REGISTERS 0xffffu

static uint16_t bit(uint32_t number)
{
	return (uint16_t)(1u << (number & 0xf));
}

/* Data processing: what is not an operand is not read. */
static struct a9_registers data_processing(uint32_t word, bool immediate)
{
	const uint32_t operation = word >> 21 & 0xf;
	const bool moves = operation == 13 || operation == 15;		  /* MOV, MVN */
	const bool compares = operation >= 8 && operation <= 11;	  /* TST, TEQ, CMP, CMN */
	const bool sets = (word & 1u << 20) != 0;
	struct a9_registers found = { .needs = 0 };

	if (compares && !sets) { /* MOVW, MOVT, MSR, BX, CLZ and others */
		if (immediate)
			return (struct a9_registers){ .writes = bit(word >> 12) };
		return (struct a9_registers){ .needs = bit(word), .writes = bit(word >> 12) };
	}
	if (!moves)
		found.needs |= bit(word >> 16);
	if (!immediate)
		found.needs |= bit(word);
	if (!immediate && (word & 1u << 4) != 0)
		found.needs |= bit(word >> 8);
	if (!compares)
		found.writes = bit(word >> 12);
	return found;
}

/* Multiplications, and loads and stores of halfwords, doublewords and signed bytes. */
static struct a9_registers multiplies_and_extra(uint32_t word)
{
	const uint32_t kind = word >> 5 & 3;
	const bool load = (word & 1u << 20) != 0;
	struct a9_registers found = { .needs = 0 };

	if (kind == 0) {
		if (word >> 24 & 1) /* LDREX, STREX, SWP: wait for everything */
			return (struct a9_registers){ .needs = ALL_REGISTERS };
		found.needs = bit(word) | bit(word >> 8) | bit(word >> 12);
		found.writes = bit(word >> 16) | bit(word >> 12);
		return found;
	}
	found.needs = bit(word >> 16);
	if ((word & 1u << 22) == 0)
		found.needs |= bit(word);
	if (load)
		found.loads = bit(word >> 12);
	else if (kind == 1) /* STRH */
		found.stores = bit(word >> 12);
	else if (kind == 2) /* LDRD */
		found.loads = bit(word >> 12) | bit((word >> 12) + 1);
	else /* STRD */
		found.stores = bit(word >> 12) | bit((word >> 12) + 1);
	return found;
}

static struct a9_registers load_or_store(uint32_t word, bool of_register)
{
	struct a9_registers found = { .needs = bit(word >> 16) };

	if (of_register)
		found.needs |= bit(word);
	if ((word & 1u << 20) != 0)
		found.loads = bit(word >> 12);
	else
		found.stores = bit(word >> 12);
	return found;
}

static struct a9_registers load_or_store_many(uint32_t word)
{
	struct a9_registers found = { .needs = bit(word >> 16) };

	if ((word & 1u << 20) != 0)
		found.loads = (uint16_t)word;
	else
		found.stores = (uint16_t)word;
	return found;
}

static struct a9_registers of_coprocessor(uint32_t word)
{
	if ((word >> 24 & 0xe) == 0xc) /* loads and stores of VFP and NEON, MRRC, MCRR */
		return (struct a9_registers){ .needs = bit(word >> 16) };
	if ((word & 1u << 4) != 0 && (word >> 24 & 0xf) == 0xe)
		return (word & 1u << 20) != 0 ? (struct a9_registers){ .writes = bit(word >> 12) } :
						(struct a9_registers){ .needs = bit(word >> 12) };
	return (struct a9_registers){ .needs = 0 };
}

struct a9_registers a9_registers_of(uint32_t word)
{
	if (word >> 28 == 0xf) /* PLD, barriers; NEON's loads have a base */
		return (struct a9_registers){ .needs = bit(word >> 16) };
	switch (word >> 25 & 7) {
	case 0:
		if ((word & 0x90) == 0x90)
			return multiplies_and_extra(word);
		return data_processing(word, false);
	case 1: return data_processing(word, true);
	case 2: return load_or_store(word, false);
	case 3:
		if ((word & 1u << 4) != 0) /* media */
			return (struct a9_registers){ .needs = bit(word) | bit(word >> 8) |
							       bit(word >> 12) | bit(word >> 16),
						      .writes = bit(word >> 12) | bit(word >> 16) };
		return load_or_store(word, true);
	case 4: return load_or_store_many(word);
	case 5: return (struct a9_registers){ .needs = 0 };
	default: return of_coprocessor(word);
	}
}
