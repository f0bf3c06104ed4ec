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
typedef struct QEMUTimerList QEMUTimerList;
typedef int QEMUClockType;
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

/* The plugin API's own, of version 7. */
enum { QEMU_PLUGIN_CB_NO_REGS = 0, QEMU_PLUGIN_CB_R_REGS = 1 };
enum { QEMU_PLUGIN_MEM_RW = 3 };
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_register;
typedef uint32_t qemu_plugin_meminfo_t;
typedef struct {
	int type;
	union {
		uint32_t u32;
		struct {
			uint64_t low, high;
		} u128;
	} data;
} qemu_plugin_mem_value;
typedef struct {
	struct qemu_plugin_register *handle;
	const char *name;
	const char *feature;
	bool is_readonly;
} qemu_plugin_reg_descriptor;

/* Of GLib, which QEMU is linked with. */
typedef struct GArray {
	char *data;
	unsigned len;
} GArray;
typedef struct GByteArray {
	uint8_t *data;
	unsigned len;
} GByteArray;

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
QEMUTimerList *timerlist_new(QEMUClockType clock, void (*notify)(void *opaque, QEMUClockType clock),
			     void *opaque);
void timerlist_free(QEMUTimerList *list);
bool qemu_in_vcpu_thread(void);
bool all_cpu_threads_idle(void);
void qemu_set_fd_handler(int descriptor, void (*readable)(void *opaque),
			 void (*writable)(void *opaque), void *opaque);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   void (*callback)(struct qemu_plugin_tb *tb, void *data),
					   void *data);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
					  void (*callback)(unsigned vcpu, void *data), int flags,
					  void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    void (*callback)(unsigned vcpu, void *data), int flags,
					    void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
				      void (*callback)(unsigned vcpu, qemu_plugin_meminfo_t info,
						       uint64_t virtual, void *data),
				      int flags, int accesses, void *data);
void qemu_plugin_register_flush_cb(qemu_plugin_id_t id, void (*callback)(void *data), void *data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*callback)(void *data), void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t number);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *bytes, size_t count);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
qemu_plugin_mem_value qemu_plugin_mem_get_value(qemu_plugin_meminfo_t info);
GArray *qemu_plugin_get_registers(void);
bool qemu_plugin_read_register(struct qemu_plugin_register *handle, GByteArray *bytes);
GByteArray *g_byte_array_new(void);
GByteArray *g_byte_array_set_size(GByteArray *array, unsigned length);
char *g_array_free(GArray *array, int free_segment);

#endif /* SLUICE_PL_QEMU_H */
