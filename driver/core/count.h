/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_COUNT_H
#define SLUICE_COUNT_H

struct sluice_capture_ops;

extern const struct sluice_capture_ops sluice_count_exact;
extern const struct sluice_capture_ops sluice_count_residue;
extern const struct sluice_capture_ops sluice_count_jobs;

#endif
