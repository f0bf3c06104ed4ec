// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plugin of QEMU that counts instructions, where they are and how often, between the marks of
 * window.h. To its argument `out=FILE` it writes for each window a line "window TOTAL", then a line
 * "ADDRESS COUNT" for each address that was executed.
 *
 * What it needs of QEMU's interface is declared here (QEMU, docs/devel/tcg-plugins.rst; version 7
 * of it, which QEMU 11.1 asks for), so that nothing of QEMU's has to be installed to build it.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

typedef void (*translated_cb)(struct qemu_plugin_tb* block, void* data);
typedef void (*executed_cb)(unsigned int cpu, void* data);

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, translated_cb cb, void* data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb* block);
struct qemu_plugin_insn* qemu_plugin_tb_get_insn(const struct qemu_plugin_tb* block, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn* instruction);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn* instruction, void* to, size_t size);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn* instruction, executed_cb cb,
                                            int flags, void* data);

#define EXPORT __attribute__((visibility("default")))
EXPORT int qemu_plugin_version = 7;
EXPORT int qemu_plugin_install(plugin_id id, const void* info, int argc, char** argv);

struct place {
  uint64_t address;
  uint64_t count;
  struct place* next_touched;
  struct place* next; /* with the same hash */
};

enum { BUCKETS = 1 << 16 };
static struct place* places[BUCKETS];
static struct place* touched; /* in this window */
static uint64_t total;
static bool counting;
static FILE* out;

static struct place* place_of(uint64_t address) {
  struct place** bucket = &places[(address >> 1) % BUCKETS];
  for (struct place* place = *bucket; place != NULL; place = place->next)
    if (place->address == address) return place;
  struct place* place = calloc(1, sizeof *place);
  if (place == NULL) abort();
  place->address = address;
  place->next = *bucket;
  *bucket = place;
  return place;
}

static void executed(unsigned int cpu, void* data) {
  (void)cpu;
  if (!counting) return;
  struct place* place = data;
  if (place->count++ == 0) {
    place->next_touched = touched;
    touched = place;
  }
  ++total;
}

static void begun(unsigned int cpu, void* data) {
  (void)cpu;
  (void)data;
  counting = true;
}

static void ended(unsigned int cpu, void* data) {
  (void)cpu;
  (void)data;
  if (!counting) return;
  counting = false;
  fprintf(out, "window %" PRIu64 "\n", total);
  for (struct place* place = touched; place != NULL; place = place->next_touched) {
    fprintf(out, "%" PRIx64 " %" PRIu64 "\n", place->address, place->count);
    place->count = 0;
  }
  fflush(out);
  touched = NULL;
  total = 0;
}

/* ARM, Thumb, and 64 bits. */
static bool is(const uint8_t* data, size_t size, const char* arm, const char* thumb,
               const char* wide) {
  if (size == 2) return memcmp(data, thumb, 2) == 0;
  return size == 4 && (memcmp(data, arm, 4) == 0 || memcmp(data, wide, 4) == 0);
}

static void translated(struct qemu_plugin_tb* block, void* data_of_all) {
  (void)data_of_all;
  for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); ++i) {
    struct qemu_plugin_insn* instruction = qemu_plugin_tb_get_insn(block, i);
    uint8_t data[4];
    const size_t size = qemu_plugin_insn_data(instruction, data, sizeof data);
    executed_cb cb = executed;
    if (is(data, size, "\x09\x90\xa0\xe1", "\xc9\x46", "\xe9\x03\x09\xaa")) cb = begun;
    if (is(data, size, "\x0a\xa0\xa0\xe1", "\xd2\x46", "\xea\x03\x0a\xaa")) cb = ended;
    qemu_plugin_register_vcpu_insn_exec_cb(instruction, cb, 0,
                                           place_of(qemu_plugin_insn_vaddr(instruction)));
  }
}

int qemu_plugin_install(plugin_id id, const void* info, int argc, char** argv) {
  (void)info;
  for (int i = 0; i < argc; ++i)
    if (strncmp(argv[i], "out=", 4) == 0) out = fopen(argv[i] + 4, "w");
  if (out == NULL) {
    fprintf(stderr, "count: give out=FILE that can be written\n");
    return 1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated, NULL);
  return 0;
}
