/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of the plugin share. */
#ifndef SLUICE_PL_H
#define SLUICE_PL_H

#ifdef SLUICE_PL_IN_QEMU
#include "in_qemu.h"
#else
#include "qemu.h"
#endif

enum { SLUICE_PL_FIT = 0, SLUICE_PL_FAILED = 1, SLUICE_PL_UNFIT = 3 };

/* Ends QEMU with a sentence. */
__attribute__((noreturn, format(printf, 2, 3))) void pl_die(int status, const char *format, ...);

#endif /* SLUICE_PL_H */
