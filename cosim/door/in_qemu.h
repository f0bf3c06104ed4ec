/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What this plugin uses of QEMU, from QEMU's own headers: for a build within QEMU's source.
 */
#ifndef SLUICE_PL_IN_QEMU_H
#define SLUICE_PL_IN_QEMU_H

#include "qemu/osdep.h"

#include "exec/icount.h"
#include "hw/core/irq.h"
#include "hw/core/qdev.h"
#include "plugins/qemu-plugin.h"
#include "qemu/main-loop.h"
#include "qemu/notify.h"
#include "qemu/seqlock.h"
#include "qemu/thread.h"
#include "qemu/timer.h"
#include "qom/object.h"
#include "system/address-spaces.h"
#include "system/cpu-timers-internal.h"
#include "system/cpus.h"
#include "system/memory.h"
#include "system/system.h"

#endif /* SLUICE_PL_IN_QEMU_H */
