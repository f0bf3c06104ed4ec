/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clock of a Cortex-A9 (a9_clock.h) for QEMU's processor, by callbacks of QEMU's plugin API on
 * what it executes.
 */
#ifndef SLUICE_A9_H
#define SLUICE_A9_H

#include "a9_clock.h"
#include "pl.h"

/* From now on `stall` is told, before each block of instructions and after each access, of ns that
 * the processor has waited since, beyond its instructions of `instruction_ps` each; it may be 0. On
 * the processor's thread. To be called before the machine runs. */
void a9_install(qemu_plugin_id_t id, const struct sluice_pl_processor *processor,
		uint32_t instruction_ps, void (*stall)(int64_t ns, uint64_t instructions));

/* How many instructions the processor has executed, with all of the present block. */
uint64_t a9_instructions(void);

/* What has happened so far, as one object of JSON, to a file; false if it cannot be written. */
bool a9_write_counts(const char *path);

#endif /* SLUICE_A9_H */
