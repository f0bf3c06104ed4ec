/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clock of a Cortex-A9 (a9_clock.h) for QEMU's processor, by callbacks of QEMU's plugin API on
 * what it executes.
 */
#ifndef SLUICE_A9_H
#define SLUICE_A9_H

#include "a9_clock.h"
#include "pl.h"

/* From now on `stall` is told of ns that the processor waits beyond its instructions, of
 * `instruction_ps` each, on the processor's thread. Before the machine runs. */
void a9_install(qemu_plugin_id_t id, const struct sluice_pl_processor *processor,
		uint32_t instruction_ps, void (*stall)(int64_t ns));

/* What has happened so far, as one object of JSON, to a file; false if it cannot be written. */
bool a9_write_counts(const char *path);

#endif /* SLUICE_A9_H */
