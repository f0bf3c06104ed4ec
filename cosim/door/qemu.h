/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What this plugin uses of QEMU 11 beside the plugin API: functions that QEMU's programs export for
 * their own modules. pl.c tests at its start that they work as declared here. in_qemu.h is the same
 * from QEMU's own headers.
 */
#ifndef SLUICE_PL_QEMU_H
#define SLUICE_PL_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_VERSION 7
#define QEMU_PLUGIN_EXPORT __attribute__((visibility("default")))
#define QEMU_CLOCK_VIRTUAL 1
#define QEMU_TIMER_ATTR_ALL (-1)
#define DEVICE_LITTLE_ENDIAN 2
#define MEMTX_OK 0u
#define MEMTX_ERROR 1u
#define MEMTX_DECODE_ERROR 2u

/* Objects of QEMU whose sizes are its own: these have room for more, aligned as malloc() would. */
typedef struct MemoryRegion { _Alignas(64) char bytes[4096]; } MemoryRegion;
typedef struct QEMUTimer { _Alignas(64) char bytes[512]; } QEMUTimer;
typedef struct AddressSpace AddressSpace;
typedef struct Object Object;
typedef struct IRQState *qemu_irq;
/* One word of flags, which nobody here looks at. */
typedef uint64_t MemTxAttrs;
typedef uint64_t qemu_plugin_id_t;
typedef struct qemu_info_t qemu_info_t;

typedef struct Notifier {
	void (*notify)(struct Notifier *notifier, void *data);
	struct Notifier *next;
	struct Notifier **previous;
} Notifier;

typedef struct MemoryRegionOps {
	uint64_t (*read)(void *opaque, uint64_t address, unsigned size);
	void (*write)(void *opaque, uint64_t address, uint64_t data, unsigned size);
	uint32_t (*read_with_attrs)(void *opaque, uint64_t address, uint64_t *data, unsigned size,
				    MemTxAttrs attrs);
	uint32_t (*write_with_attrs)(void *opaque, uint64_t address, uint64_t data, unsigned size,
				     MemTxAttrs attrs);
	int endianness;
	struct {
		unsigned min_access_size;
		unsigned max_access_size;
		bool unaligned;
		bool (*accepts)(void *opaque, uint64_t address, unsigned size, bool is_write,
				MemTxAttrs attrs);
	} valid;
	struct {
		unsigned min_access_size;
		unsigned max_access_size;
		bool unaligned;
	} impl;
} MemoryRegionOps;

extern int qemu_plugin_version;
extern AddressSpace address_space_memory;
extern char timers_state[];

void qemu_add_machine_init_done_notifier(Notifier *notifier);
void memory_region_init_io(MemoryRegion *region, Object *owner, const MemoryRegionOps *ops,
			   void *opaque, const char *name, uint64_t bytes);
void memory_region_init_ram_ptr(MemoryRegion *region, Object *owner, const char *name,
				uint64_t bytes, void *memory);
void memory_region_add_subregion_overlap(MemoryRegion *parent, uint64_t offset,
					 MemoryRegion *region, int priority);
MemoryRegion *get_system_memory(void);
uint32_t address_space_rw(AddressSpace *space, uint64_t address, MemTxAttrs attrs, void *data,
			  uint64_t bytes, bool is_write);
Object *object_resolve_path_type(const char *path, const char *type, bool *ambiguous);
qemu_irq qdev_get_gpio_in(void *device, int number);
void qemu_set_irq(qemu_irq irq, int level);
int64_t icount_to_ns(int64_t instructions);
int64_t qemu_clock_get_ns(int clock);
int64_t qemu_clock_deadline_ns_all(int clock, int attributes);
void timer_init_full(QEMUTimer *timer, void *list_group, int clock, int scale_ns, int attributes,
		     void (*callback)(void *opaque), void *opaque);
void timer_mod(QEMUTimer *timer, int64_t expire_time);
void timer_del(QEMUTimer *timer);
bool all_cpu_threads_idle(void);
void qemu_set_fd_handler(int descriptor, void (*readable)(void *opaque),
			 void (*writable)(void *opaque), void *opaque);

#endif /* SLUICE_PL_QEMU_H */
