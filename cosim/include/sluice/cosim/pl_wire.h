/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * What QEMU's plugin (cosim/door) and the board behind it (sluice-pl) say to each other: over a
 * stream socket of the UNIX domain, both on one machine, in its byte order.
 *
 * The plugin sends requests, one at a time; each has one reply. The first is a greeting. Times are
 * in ns of the machine's virtual clock, which the board counts on. The board may be ahead of the
 * machine, by `lookahead_ns` at most while the processor runs: that long is an access of the
 * processor under way before the logic sees it.
 */
#ifndef SLUICE_PL_WIRE_H
#define SLUICE_PL_WIRE_H

#include <stdint.h>

#define SLUICE_PL_VERSION 3u
#define SLUICE_PL_GREETING 0x524f4f444c50ull /* "PLDOOR" */
#define SLUICE_PL_LOGIC_LINES 16u            /* IRQF2P[15:0] */
#define SLUICE_PL_DMAC_LINES 9u              /* the DMA controller's irq_abort, irq[7:0] */
#define SLUICE_PL_LINES (SLUICE_PL_LOGIC_LINES + SLUICE_PL_DMAC_LINES)
#define SLUICE_PL_WINDOWS 3u
#define SLUICE_PL_CHANGES 14u

enum sluice_pl_kind {
  /* address: SLUICE_PL_VERSION, value: SLUICE_PL_GREETING; answered by a sluice_pl_hello */
  SLUICE_PL_HELLO = 1,
  /* The board's own 8 bytes of a memory of both at `address`: do both have the same? */
  SLUICE_PL_PEEK = 2,
  /* `size` (1, 2, 4) bytes at `address` of the processor's map, within a word, at `time_ns` */
  SLUICE_PL_READ = 3,
  SLUICE_PL_WRITE = 4, /* of `value` */
  /* Go on to `time_ns`, or to the first change of an interrupt line, whichever is first. */
  SLUICE_PL_RUN = 5,
};

struct sluice_pl_request {
  uint32_t kind;
  uint32_t size;
  uint64_t address;
  uint64_t value;
  uint64_t time_ns;
};

struct sluice_pl_window {
  uint64_t base; /* of the processor's map */
  uint64_t bytes;
};

/*
 * What a Cortex-A9 with its PL310 waits for, ps: for the plugin, which has the caches and TLBs of
 * the machine's processor (cosim/door/a9_clock.h). From a miss of an L1 cache to the first word:
 * l2_hit_ps, memory_ps. The sources of the values are in sluice/cosim/processor_times.hpp.
 */
struct sluice_pl_processor {
  uint32_t timed; /* 0: the processor's time is that of its instructions, and nothing below counts */
  uint32_t cycle_ps;
  uint32_t l2_hit_ps;
  uint32_t memory_ps;
  uint32_t memory_row_ps;  /* more, if another row of the bank is open */
  uint32_t memory_line_ps; /* between lines at the memory's port */
  uint32_t memory_turn_ps; /* a line written beyond a line read */
  uint32_t fetch_hit_ps;   /* as l2_hit_ps and memory_ps, of instructions */
  uint32_t fetch_memory_ps;
  uint32_t micro_tlb_miss_ps;
  uint32_t uncached_load_ps;  /* of memory that is not cached: up to 8 bytes */
  uint32_t uncached_burst_ps; /* of a line by one instruction (LDM) */
  uint32_t posted_ps;         /* from a store's leaving to its answer */
  uint32_t private_load_ps;   /* of a register of the processor's own: timer, GIC, PL310 */
  uint32_t register_load_ps;  /* of another register of the PS */
  uint32_t maintain_ps;       /* of a line of a cache, by CP15 or the PL310 */
  uint32_t data_prefetch;     /* the L2 cache asks for the next line, too */
  uint32_t uncached_next_ps;  /* as uncached_load_ps, of a burst behind another one */
};

struct sluice_pl_hello {
  uint64_t greeting;
  uint32_t version;
  uint32_t lookahead_ns;
  uint64_t memory_bytes; /* of the machine's memory, from address 0 on */
  /* M_AXI_GP0, M_AXI_GP1, the DMA controller's registers, each in place of what the machine itself
   * has there; bytes 0: there is none */
  struct sluice_pl_window windows[SLUICE_PL_WINDOWS];
  /* Memory that the machine maps in place of its own, the on-chip memory: a file that the board's
   * process has open by that number */
  struct sluice_pl_window on_chip;
  uint32_t process;
  uint32_t on_chip_file;
  struct sluice_pl_processor processor;
};

enum sluice_pl_status {
  SLUICE_PL_OKAY = 0,
  SLUICE_PL_SLVERR = 1, /* the logic has refused the access */
  SLUICE_PL_DECERR = 2, /* there is no memory at the address */
};

struct sluice_pl_change {
  uint64_t time_ns;
  uint64_t lines; /* bit n: line n, of the logic and then of the controller, is high from then on */
};

struct sluice_pl_reply {
  uint32_t status;
  uint32_t changes; /* of lines since the last reply, in order */
  uint64_t value;
  uint64_t time_ns;  /* when the processor goes on */
  uint64_t board_ns; /* up to when nothing happens on the board unless it is accessed */
  uint64_t busy;     /* 0: nothing will happen until the next access */
  struct sluice_pl_change change[SLUICE_PL_CHANGES];
};

#endif /* SLUICE_PL_WIRE_H */
