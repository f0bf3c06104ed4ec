/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What Linux 6.1 to 7.x call by different names.
 */
#ifndef SLUICE_COMPAT_H
#define SLUICE_COMPAT_H

#include <linux/dma-buf.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 1, 0)
#define dma_buf_invalidate_mappings	dma_buf_move_notify
#define invalidate_mappings		move_notify
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define dma_buf_map_attachment_unlocked		dma_buf_map_attachment
#define dma_buf_unmap_attachment_unlocked	dma_buf_unmap_attachment
#define dma_buf_vmap_unlocked			dma_buf_vmap
#define dma_buf_vunmap_unlocked			dma_buf_vunmap
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_clear(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags &= ~flags;
}

static inline void vm_flags_set(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags |= flags;
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define SLUICE_IMPORT_DMA_BUF	MODULE_IMPORT_NS(DMA_BUF)
#else
#define SLUICE_IMPORT_DMA_BUF	MODULE_IMPORT_NS("DMA_BUF")
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *timer),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* A reference to a dma-buf that may be on its way out. */
static inline bool sluice_get_file(struct dma_buf *dmabuf)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
	return get_file_rcu(dmabuf->file);
#else
	return get_file_active(&dmabuf->file);
#endif
}

/* xilinx_dma: see provider.c. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
#define SLUICE_COMPLETES_ALL	true
#else
#define SLUICE_COMPLETES_ALL	false
#endif

/* In tracepoints: the source of a string was given when it was declared. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
#define sluice_assign_str(to, from)	__assign_str(to, from)
#else
#define sluice_assign_str(to, from)	__assign_str(to)
#endif

#endif
