// SPDX-License-Identifier: GPL-2.0-only
#include "a9.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "a9_decode.h"
#include "a9_mmu.h"

#define CORE_REGISTERS 17u /* and the flags */
#define CPSR 16u
#define PL310_FIRST 0xf8f02000u
#define PL310_BYTES 0x1000u
#define LOGIC_FIRST 0x40000000u /* M_AXI_GP0 and GP1: the board tells what an access takes */
#define LOGIC_LAST 0xbfffffffu
#define DMAC_FIRST 0xf8003000u /* and the DMA controller: the board's, too */
#define DMAC_BYTES 0x1000u
#define NS_PS 1000u
#define MOST_INSTRUCTIONS 512u /* of a translation block: QEMU's own limit */
#define ARENA_UNITS 4096u

/* A translation block. */
struct unit {
	uint32_t address;
	uint16_t instructions;
	uint16_t bytes;
};

/* An instruction that is looked at. */
struct special {
	struct a9_instruction decoded;
	uint16_t number; /* in its block */
};

/* What translation blocks have until QEMU throws them away. */
struct arena {
	struct arena *next;
	unsigned used;
	union {
		struct unit unit;
		struct special special;
	} items[ARENA_UNITS];
};

static struct {
	struct a9_clock clock;
	struct a9_mmu mmu;
	void (*stall)(int64_t ns, uint64_t instructions);
	struct qemu_plugin_register *registers[CORE_REGISTERS];
	GByteArray *bytes;
	struct arena *arena;
	uint64_t block_first; /* instruction of the present block */
	uint64_t block_end;
	uint64_t told_ps;
} a9;

static bool read_machine(void *context, uint32_t address, uint32_t *value)
{
	(void)context;
	return address_space_rw(&address_space_memory, address, (MemTxAttrs){ 0 }, value,
				sizeof(*value), false) == MEMTX_OK;
}

static void *keep(void)
{
	if (a9.arena == NULL || a9.arena->used == ARENA_UNITS) {
		struct arena *fresh = calloc(1, sizeof(*fresh));

		if (fresh == NULL)
			abort();
		fresh->next = a9.arena;
		a9.arena = fresh;
	}
	return &a9.arena->items[a9.arena->used++];
}

static void on_flush(void *data)
{
	(void)data;
	while (a9.arena != NULL) {
		struct arena *next = a9.arena->next;

		free(a9.arena);
		a9.arena = next;
	}
}

/* Has the machine's clock be where the core's is. */
static void settle(void)
{
	const uint64_t waited_ps = a9.clock.now_ps -
				   a9.clock.counts.instructions * a9.clock.instruction_ps;
	const uint64_t ns = (waited_ps - a9.told_ps) / NS_PS;

	a9.told_ps += ns * NS_PS;
	a9.stall((int64_t)ns, a9.block_end);
}

uint64_t a9_instructions(void)
{
	return a9.block_end;
}

static void on_block(unsigned vcpu, void *data)
{
	const struct unit *unit = data;

	(void)vcpu;
	a9.block_first = a9.block_end;
	a9.block_end += unit->instructions;
	a9_reach(&a9.clock, a9.block_first);
	a9_fetch_block(&a9.mmu, unit->address, unit->bytes);
	settle();
}

static void maintain_l2(uint32_t offset, uint32_t value)
{
	/* PL310 TRM 3.3.10: lines by their physical address. */
	switch (offset) {
	case 0x770: a9_maintain(&a9.clock, value, A9_IN_L2 | A9_INVALIDATE); break;
	case 0x7b0: a9_maintain(&a9.clock, value, A9_IN_L2 | A9_CLEAN); break;
	case 0x7f0: a9_maintain(&a9.clock, value, A9_IN_L2 | A9_CLEAN | A9_INVALIDATE); break;
	}
}

static void access_register(uint32_t address, bool store, qemu_plugin_meminfo_t info)
{
	if ((address >= LOGIC_FIRST && address <= LOGIC_LAST) || address - DMAC_FIRST < DMAC_BYTES)
		return;
	if (!store) {
		a9_load_register(&a9.clock, address);
		return;
	}
	a9_store_register(&a9.clock, address);
	if (address - PL310_FIRST < PL310_BYTES)
		maintain_l2(address - PL310_FIRST, qemu_plugin_mem_get_value(info).data.u32);
}

/* What a callback on an access knows of its instruction, in a pointer. */
#define NUMBER_BITS 16
#define DISTANCE_BITS 8
#define OF_LOAD (1u << (NUMBER_BITS + DISTANCE_BITS))

static uint32_t number_in(uintptr_t known)
{
	return known & ((1u << NUMBER_BITS) - 1);
}

static uint32_t distance_in(uintptr_t known)
{
	return known >> NUMBER_BITS & ((1u << DISTANCE_BITS) - 1);
}

static void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t virtual, void *data)
{
	const bool store = qemu_plugin_mem_is_store(info);
	const uintptr_t known = (uintptr_t)data;
	const uint64_t instruction = a9.block_first + number_in(known);
	const struct a9_page *page;
	uint32_t address;

	(void)vcpu;
	a9_reach(&a9.clock, instruction);
	page = a9_translate(&a9.mmu, &a9.mmu.data, (uint32_t)virtual);
	if (page == NULL)
		return;
	address = a9_physical(page, (uint32_t)virtual);
	if (page->memory == A9_DEVICE)
		access_register(address, store, info);
	else if (page->memory == A9_UNCACHED && store)
		a9_store_uncached(&a9.clock, address);
	else if (page->memory == A9_UNCACHED)
		a9_load_uncached(&a9.clock, address, 1u << qemu_plugin_mem_size_shift(info),
				 instruction);
	else if (store)
		a9_store(&a9.clock, address, (known & OF_LOAD) != 0);
	else
		a9_load(&a9.clock, address, distance_in(known));
	settle();
}

static uint32_t register_value(unsigned number)
{
	uint32_t value = 0;

	g_byte_array_set_size(a9.bytes, 0);
	if (number < CORE_REGISTERS && a9.registers[number] != NULL &&
	    qemu_plugin_read_register(a9.registers[number], a9.bytes) &&
	    a9.bytes->len >= sizeof(value))
		memcpy(&value, a9.bytes->data, sizeof(value));
	return value;
}

static void maintain(uint32_t virtual, unsigned what)
{
	const struct a9_page *page = a9_translate(&a9.mmu, &a9.mmu.data, virtual);

	if (page != NULL)
		a9_maintain(&a9.clock, a9_physical(page, virtual), what);
}

static void preload(const struct special *special)
{
	const struct a9_instruction *decoded = &special->decoded;
	uint32_t address = register_value(decoded->base) + (uint32_t)decoded->offset;
	const struct a9_page *page;

	if (decoded->index != A9_NO_REGISTER)
		address += register_value(decoded->index) << decoded->shift;
	page = a9_translate(&a9.mmu, &a9.mmu.data, address);
	if (page != NULL && page->memory == A9_CACHED)
		a9_prefetch(&a9.clock, a9_physical(page, address));
}

static void on_special(unsigned vcpu, void *data)
{
	const struct special *special = data;
	const uint8_t what = special->decoded.what, condition = special->decoded.condition;
	const uint32_t value = what == A9_BARRIER || what == A9_PRELOADS ?
				       0 : register_value(special->decoded.base);

	(void)vcpu;
	a9_reach(&a9.clock, a9.block_first + special->number);
	if (condition != A9_ALWAYS && !a9_holds(condition, register_value(CPSR)))
		return;
	switch (what) {
	case A9_WRITES_SCTLR: a9.mmu.sctlr = value; a9_mmu_invalidate(&a9.mmu); break;
	case A9_WRITES_TTBR0: a9.mmu.ttbr0 = value; break;
	case A9_WRITES_TTBR1: a9.mmu.ttbr1 = value; break;
	case A9_WRITES_TTBCR: a9.mmu.ttbcr = value; break;
	case A9_WRITES_PRRR: a9.mmu.prrr = value; break;
	case A9_WRITES_NMRR: a9.mmu.nmrr = value; break;
	case A9_WRITES_CONTEXTIDR: a9_mmu_set_context(&a9.mmu, value); break;
	case A9_INVALIDATES_TLB: a9_mmu_invalidate(&a9.mmu); break;
	case A9_INVALIDATES_TLB_PAGE: a9_mmu_invalidate_page(&a9.mmu, value); break;
	case A9_INVALIDATES_TLB_SPACE: a9_mmu_invalidate_space(&a9.mmu, value); break;
	case A9_INVALIDATES_INSTRUCTIONS: a9_invalidate_instructions(&a9.clock); break;
	case A9_INVALIDATES_INSTRUCTION: maintain(value, A9_OF_INSTRUCTIONS | A9_INVALIDATE); break;
	case A9_CLEANS_LINE: maintain(value, A9_CLEAN); break;
	case A9_INVALIDATES_LINE: maintain(value, A9_INVALIDATE); break;
	case A9_CLEANS_INVALIDATES_LINE: maintain(value, A9_CLEAN | A9_INVALIDATE); break;
	case A9_BARRIER: a9_barrier(&a9.clock); break;
	case A9_PRELOADS: preload(special); break;
	}
	settle();
}

/* In Thumb, so many instructions after a load its value is needed. */
#define DISTANCE 2u
#define MOST_DISTANCE (A9_NEVER - 1u)

/* What is known of an instruction of a block of ARM instructions: where what it loads is needed, and
 * whether it stores what has been loaded in the block. */
static uintptr_t look_at(const struct a9_registers *registers, size_t count, size_t number,
			 bool loops)
{
	uint16_t loaded = registers[number].loads;
	uintptr_t known = number;
	uint32_t distance;
	uint32_t at = 1;

	for (; loaded != 0 && at < MOST_DISTANCE && (loops || number + at < count); ++at) {
		const struct a9_registers *next = &registers[(number + at) % count];

		if ((next->needs & loaded) != 0)
			break;
		loaded &= (uint16_t)~(next->loads | next->writes);
	}
	distance = loaded == 0 ? A9_NEVER : at < MOST_DISTANCE ? at : MOST_DISTANCE;
	known |= (uintptr_t)distance << NUMBER_BITS;
	for (size_t before = 0; before < number; ++before)
		if ((registers[before].loads & registers[number].stores) != 0)
			known |= OF_LOAD;
	return known;
}

/* A branch of an ARM instruction to the start of its own block. */
static bool branches_back(uint32_t word, size_t count)
{
	const int32_t offset = (int32_t)(word << 8) >> 6;

	return (word & 0x0f000000u) == 0x0a000000u && word >> 28 != 0xf &&
	       offset + 8 == -(int32_t)(4 * (count - 1));
}

static void look_at_all(struct qemu_plugin_tb *tb, size_t count, uintptr_t *known)
{
	struct a9_registers registers[MOST_INSTRUCTIONS];
	uint32_t word = 0;

	for (size_t i = 0; i < count; ++i) {
		word = 0;
		(void)qemu_plugin_insn_data(qemu_plugin_tb_get_insn(tb, i), &word, sizeof(word));
		registers[i] = a9_registers_of(word);
	}
	for (size_t i = 0; i < count; ++i)
		known[i] = look_at(registers, count, i, branches_back(word, count));
}

static void watch(struct qemu_plugin_insn *insn, size_t number, bool thumb)
{
	struct a9_instruction decoded;
	struct special *special;
	uint8_t bytes[4];

	if (qemu_plugin_insn_data(insn, bytes, sizeof(bytes)) != sizeof(bytes))
		return;
	decoded = a9_decode(bytes, thumb);
	if (decoded.what == A9_NOTHING)
		return;
	special = keep();
	*special = (struct special){ .decoded = decoded, .number = (uint16_t)number };
	qemu_plugin_register_vcpu_insn_exec_cb(insn, on_special, QEMU_PLUGIN_CB_R_REGS, special);
}

/* The names of the core's registers in the order of their numbers. */
static int number_of(const char *name)
{
	static const char *const names[CORE_REGISTERS] = {
		"r0", "r1", "r2",  "r3",  "r4",	 "r5", "r6", "r7",
		"r8", "r9", "r10", "r11", "r12", "sp", "lr", "pc", "cpsr",
	};

	for (unsigned i = 0; i < CORE_REGISTERS; ++i)
		if (strcmp(name, names[i]) == 0)
			return (int)i;
	return -1;
}

static void find_registers(void)
{
	GArray *found = qemu_plugin_get_registers();
	const qemu_plugin_reg_descriptor *descriptors = (const void *)found->data;
	unsigned known = 0;

	for (unsigned i = 0; i < found->len; ++i) {
		const int number = number_of(descriptors[i].name);

		if (number < 0)
			continue;
		a9.registers[number] = descriptors[i].handle;
		known |= 1u << number;
	}
	g_array_free(found, true);
	if (known != (1u << CORE_REGISTERS) - 1)
		pl_die(SLUICE_PL_UNFIT, "this QEMU does not tell the registers of its processor");
}

static void on_translation(struct qemu_plugin_tb *tb, void *data)
{
	const size_t count = qemu_plugin_tb_n_insns(tb);
	uintptr_t known[MOST_INSTRUCTIONS];
	struct unit *unit = keep();
	bool thumb;

	(void)data;
	if (a9.registers[0] == NULL)
		find_registers();
	*unit = (struct unit){ .address = (uint32_t)qemu_plugin_tb_vaddr(tb),
			       .instructions = (uint16_t)count };
	thumb = (unit->address & 2) != 0;
	for (size_t i = 0; i < count; ++i) {
		const size_t bytes = qemu_plugin_insn_size(qemu_plugin_tb_get_insn(tb, i));

		unit->bytes = (uint16_t)(unit->bytes + bytes);
		thumb |= bytes == 2;
		known[i] = i | DISTANCE << NUMBER_BITS;
	}
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS, unit);
	if (!thumb)
		look_at_all(tb, count, known);
	for (size_t i = 0; i < count; ++i) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, (void *)known[i]);
		watch(insn, i, thumb);
	}
}

void a9_install(qemu_plugin_id_t id, const struct sluice_pl_processor *processor,
		uint32_t instruction_ps, void (*stall)(int64_t ns, uint64_t instructions))
{
	a9.stall = stall;
	a9.bytes = g_byte_array_new();
	a9_clock_init(&a9.clock, processor, instruction_ps);
	a9_mmu_init(&a9.mmu, &a9.clock, read_machine, NULL);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation, NULL);
	qemu_plugin_register_flush_cb(id, on_flush, NULL);
}

#define COUNTS(EACH) \
	EACH(instructions) EACH(loads) EACH(stores) EACH(uncached_loads) EACH(uncached_stores) \
	EACH(register_loads) EACH(register_stores) EACH(fetch_misses) EACH(load_misses) \
	EACH(store_misses) EACH(l2_hits) EACH(l2_misses) EACH(prefetches) EACH(evictions) \
	EACH(micro_tlb_misses) EACH(main_tlb_misses) EACH(maintained) EACH(barriers) \
	EACH(memory_reads) EACH(memory_writes) EACH(memory_rows) \
	EACH(fetch_ps) EACH(load_ps) EACH(store_ps) EACH(tlb_ps) EACH(uncached_ps) \
	EACH(register_ps) EACH(maintain_ps)

bool a9_write_counts(const char *path)
{
	FILE *file = fopen(path, "w");
	const char *between = ", ";

	if (file == NULL)
		return false;
	/* All that the core has worked and waited: not while it slept. */
	fprintf(file, "{\"active_ps\": %llu", (unsigned long long)a9.clock.now_ps);
#define WRITE(name) \
	fprintf(file, "%s\"" #name "\": %llu", between, (unsigned long long)a9.clock.counts.name);
	COUNTS(WRITE)
#undef WRITE
	fputs("}\n", file);
	return fclose(file) == 0;
}
