/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libsluice - move data between a program and a board's streams.
 *
 * A board is opened by URI. It has channels (one direction of a DMA engine to or from a stream,
 * or an engine that copies), memory for buffers, a clock, and attributes (the settings and
 * counters of what is built around the engines, such as a pattern source). A program queues
 * transfers or copies on channels and reaps their completions; the same calls serve every back
 * end.
 *
 * Errors    Functions that return int give 0 or a count on success and -errno on failure;
 *           sluice_last_error() then has a sentence that names the thing and what is allowed.
 *           On failure nothing was changed unless the function says otherwise.
 * Threads   A board, and everything obtained from it, belongs to one thread at a time; the
 *           caller serialises. Different boards are independent and may run in parallel.
 * Lifetime  Channels belong to their board and live until it is closed. Buffers are freed by
 *           the program, before the board is closed. Closing a board frees what is left.
 * Growth    Structures are passed with their size. The library fills or reads only what the
 *           caller's version of the structure holds, so that new fields can be added at the
 *           end: old programs keep working with new libraries and the other way round.
 * Units     Byte counts are bytes, times are nanoseconds of the board's clock. On a simulated
 *           board that is simulated time, which passes only inside calls that say so.
 */
#ifndef SLUICE_H
#define SLUICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SLUICE_API __attribute__((visibility("default")))
#else
#define SLUICE_API
#endif

#define SLUICE_VERSION "0.1.0"

#define SLUICE_NAME_BYTES 32   /* names, with their terminating zero */
#define SLUICE_TEXT_BYTES 128  /* URIs and descriptions, with their terminating zero */
#define SLUICE_QUEUE_DEPTH 256 /* transfers a channel holds, queued and in progress */

typedef struct sluice_board sluice_board;
typedef struct sluice_channel sluice_channel;
typedef struct sluice_buffer sluice_buffer;

enum sluice_direction {
    SLUICE_MM2S = 1, /* memory to stream: the board reads the buffer */
    SLUICE_S2MM = 2, /* stream to memory: the board writes the buffer */
    SLUICE_COPY = 3, /* memory to memory: sluice_channel_copy() */
};

/* --- the library ------------------------------------------------------------------------- */

/* Version of the library that is running, "major.minor.patch". Never NULL; static. Any thread. */
SLUICE_API const char *sluice_version(void);

/*
 * A sentence about the last call of this thread that failed. Never NULL; valid until this
 * thread's next call into the library. A call that succeeds leaves it as it was.
 */
SLUICE_API const char *sluice_last_error(void);

/* What can be opened without hardware: one entry for each design of each simulated board. */
struct sluice_board_description {
    char uri[SLUICE_TEXT_BYTES];         /* opens it with its default settings */
    char board[SLUICE_NAME_BYTES];       /* "zynq7010" */
    char board_text[SLUICE_TEXT_BYTES];  /* what the board is */
    char design[SLUICE_NAME_BYTES];      /* "hp_stress" */
    char design_text[SLUICE_TEXT_BYTES]; /* what the design does */
    uint32_t port_count;                 /* memory ports that the design uses */
    uint32_t width_mask;                 /* bit n set: ports of 8 << n bits can be had */
    uint64_t ddr_peak_bytes_per_s;       /* data-bus rate of the memory */
    uint64_t memory_bytes;               /* room for buffers */
    uint64_t max_transfer_bytes;         /* longest single transfer of a channel */
    uint32_t default_clock_khz;          /* clock of the logic */
    uint32_t min_clock_khz;
    uint32_t max_clock_khz;
    uint32_t default_start_cost_ns;      /* software's time to start one transfer */
    char port_name[SLUICE_NAME_BYTES];   /* what its ports are called: "HP" of HP0, HP1 ... */
    uint32_t has_rtl;                    /* 0: level=transaction is all there is */
    uint32_t has_transactions;           /* 1: level=transaction can be had */
    uint32_t linux_start_cost_ns;        /* the same of a program under Linux; 0: not known */
    uint32_t reserved;                   /* 0 */
};

/*
 * Fill *description with entry `index` (0, 1, ...). size is sizeof(*description).
 * -ENOENT past the last entry, -EINVAL for a null pointer. Any thread.
 */
SLUICE_API int sluice_enumerate(unsigned index, struct sluice_board_description *description,
                                size_t size);

/* --- boards ------------------------------------------------------------------------------ */

/*
 * Open a board: "sim:BOARD/DESIGN[?key=value&...]". Keys of sim: boards:
 *   width          bits of the memory ports and streams, one that sluice_enumerate() names
 *   clock_mhz      clock of the logic in MHz, may have a fraction; in the board's range
 *   start_cost_ns  time that software takes to start one transfer, 0 to 1000000; 0 leaves
 *                  only the time of the register accesses themselves on the bus
 *   level          rtl (default where there is any): the design's own logic. transaction: engines
 *                  of the same policy without logic, about fifty times faster; what only logic can
 *                  do is -ENOTSUP; not every design has both
 *   model.NAME     a setting of the memory model (docs/explanation/memory-model.md), whole number;
 *                  Zynq boards only
 * -EINVAL: the URI, a key or a value is wrong. -ENODEV: no such back end, board or design.
 * -ENOMEM. *board is NULL on failure.
 */
SLUICE_API int sluice_board_open(const char *uri, sluice_board **board);

/* Close a board and free its channels and remaining buffers. NULL is ignored. Transfers in
 * progress are abandoned. */
SLUICE_API void sluice_board_close(sluice_board *board);

struct sluice_board_info {
    char board[SLUICE_NAME_BYTES];
    char design[SLUICE_NAME_BYTES];
    uint32_t simulated_time; /* 1: the board's clock is simulated time, 0: it is real time */
    uint32_t channel_count;
    uint32_t port_count;    /* memory ports */
    uint32_t width_bits;    /* of a memory port */
    uint32_t clock_khz;     /* of the logic */
    uint32_t start_cost_ns; /* as opened */
    uint64_t memory_bytes;  /* room for buffers, used or not */
};

/* size is sizeof(*info). -EINVAL for a null pointer. */
SLUICE_API int sluice_board_get_info(const sluice_board *board, struct sluice_board_info *info,
                                     size_t size);

/* The board's clock in ns. Does not let simulated time pass. */
SLUICE_API uint64_t sluice_board_now_ns(const sluice_board *board);

/* Let ns of the board's time pass; transfers in progress go on. 0 on success. */
SLUICE_API int sluice_board_sleep_ns(sluice_board *board, uint64_t ns);

/* --- channels ---------------------------------------------------------------------------- */

struct sluice_channel_info {
    char name[SLUICE_NAME_BYTES]; /* "hp0.mm2s", "cdma0.copy" */
    char port[SLUICE_NAME_BYTES]; /* memory port behind it: "HP0" */
    uint32_t direction;           /* enum sluice_direction */
    uint32_t width_bits;          /* of the stream; of a copy the memory port */
    uint32_t offset_alignment;    /* a transfer's offset must be a multiple of this */
    uint32_t length_alignment;    /* so must its length, where more of the packet follows */
    uint64_t max_bytes;           /* longest transfer */
};

/* Channel `index`, 0 to channel_count - 1, or NULL past the end. */
SLUICE_API sluice_channel *sluice_board_channel(sluice_board *board, unsigned index);

/* Channel of that name. -ENOENT if there is none, -EINVAL for a null pointer. */
SLUICE_API int sluice_board_find_channel(sluice_board *board, const char *name,
                                         sluice_channel **channel);

/* size is sizeof(*info). -EINVAL for a null pointer. */
SLUICE_API int sluice_channel_get_info(const sluice_channel *channel,
                                       struct sluice_channel_info *info, size_t size);

/* --- buffers ----------------------------------------------------------------------------- */

/*
 * Where a buffer lies in the board's memory. Zeroed: one after another, each on the next page
 * of 4 KiB. The bus address itself is never shown.
 */
struct sluice_placement {
    uint64_t alignment; /* power of two from 4096 up; 0 is 4096 */
    uint64_t offset;    /* bytes past a multiple of alignment; below it, a multiple of 64 */
};

/*
 * Allocate a buffer that the board can reach, filled with zeroes. bytes is at least 1 and at
 * most what the memory has left. placement may be NULL; placement_size is its sizeof.
 * -EINVAL: a zero length or an impossible placement. -ENOMEM: no room of that size is left.
 */
SLUICE_API int sluice_buffer_alloc(sluice_board *board, uint64_t bytes,
                                   const struct sluice_placement *placement,
                                   size_t placement_size, sluice_buffer **buffer);

/* Free a buffer. NULL is ignored. -EBUSY while a queued transfer uses it: nothing is freed. */
SLUICE_API int sluice_buffer_free(sluice_buffer *buffer);

/* The buffer's bytes, readable and writable until it is freed. What a channel is writing
 * is defined once the transfer's completion has been reaped. */
SLUICE_API void *sluice_buffer_data(sluice_buffer *buffer);

/* The length it was allocated with. */
SLUICE_API uint64_t sluice_buffer_bytes(const sluice_buffer *buffer);

/* --- transfers --------------------------------------------------------------------------- */

struct sluice_transfer {
    sluice_buffer *buffer; /* of the same board */
    uint64_t offset;       /* first byte in the buffer */
    uint64_t bytes;        /* MM2S: bytes to send, ends the packet (TLAST). S2MM: room; a packet
                              that ends earlier ends the transfer, a longer one is an error */
    uint64_t cookie;       /* given back in the completion */
};

struct sluice_completion {
    uint64_t cookie;
    uint64_t bytes;         /* bytes really moved; of a failed transfer 0 */
    uint64_t start_ns;      /* software began to start it */
    uint64_t finish_ns;     /* the engine raised its interrupt */
    int32_t status;         /* 0, or -EIO: the memory reported an error; -EFAULT: nothing is at the
                               address; -EMSGSIZE: the packet was longer than the transfer;
                               -ECANCELED: cancelled, or queued behind a failed one */
    uint32_t end_of_packet; /* 1: a packet ended with this transfer */
};

/*
 * Queue transfers on a channel, in order. The first starts at once if the channel is idle, the
 * others as those before them finish. Returns how many were taken: fewer than count if the
 * queue (SLUICE_QUEUE_DEPTH) is full, -EAGAIN if it was full already. -EINVAL: a transfer has
 * no buffer, a buffer of another board, a zero or too long length, or leaves its buffer or the
 * channel's alignment; then none is taken. Starting lets simulated time pass.
 * transfer_size is sizeof(struct sluice_transfer). -ENOTSUP: the channel copies.
 */
SLUICE_API int sluice_channel_submit(sluice_channel *channel,
                                     const struct sluice_transfer *transfers, unsigned count,
                                     size_t transfer_size);

struct sluice_copy {
    sluice_buffer *source; /* of the same board */
    uint64_t source_offset;
    sluice_buffer *destination; /* of the same board, may be the source */
    uint64_t destination_offset;
    uint64_t bytes;
    uint64_t cookie; /* given back in the completion */
};

/*
 * Queue copies on a channel of direction SLUICE_COPY; as sluice_channel_submit(), and -EINVAL also
 * if source and destination overlap. -ENOTSUP: the channel does not copy. Of a failed copy's
 * destination nothing is known. copy_size is sizeof(struct sluice_copy).
 */
SLUICE_API int sluice_channel_copy(sluice_channel *channel, const struct sluice_copy *copies,
                                   unsigned count, size_t copy_size);

/*
 * Take up to count completions, in the order of submission. Waits until there is at least one:
 * timeout_ns < 0 for ever, 0 not at all, else that much of the board's time. Returns how many
 * were taken; 0 if none came in time or if nothing is queued. completion_size is
 * sizeof(struct sluice_completion). Lets simulated time pass while it waits.
 */
SLUICE_API int sluice_channel_reap(sluice_channel *channel, struct sluice_completion *completions,
                                   unsigned count, size_t completion_size, int64_t timeout_ns);

/*
 * Stop the channel: what is queued or in progress completes with -ECANCELED and can be reaped.
 * The engine is reset, which cancels the other channel of the same AXI DMA too (as AMD PG021
 * says of its reset). Returns 0, or -ETIMEDOUT if the engine did not come out of reset.
 */
SLUICE_API int sluice_channel_cancel(sluice_channel *channel);

/* --- the CPU ----------------------------------------------------------------------------- */

enum sluice_cpu_kind {
    SLUICE_CPU_COPY = 1,  /* source to destination, 64 bits at a time; the bytes arrive */
    SLUICE_CPU_READ = 2,  /* the source from end to end, 64 bits at a time */
    SLUICE_CPU_CHASE = 3, /* loads whose value is the address of the next, in a fixed order */
};

struct sluice_cpu_work {
    sluice_buffer *source;      /* of this board */
    sluice_buffer *destination; /* of a copy, another buffer; else NULL */
    uint64_t bytes;             /* from the start of the buffers; a multiple of 32 */
    uint64_t loads;             /* of a chase */
    uint32_t kind;              /* enum sluice_cpu_kind */
    uint32_t stride;            /* of a chase: a multiple of 8; bytes / stride is a power of two */
    uint32_t uncached;          /* 1: the source is mapped without caches */
    uint32_t reserved;          /* 0 */
};

/*
 * Let the board's CPU do some work, and say how much of the board's time it took. Caches and TLBs
 * are as the work before has left them; transfers in progress go on beside it. work_size is
 * sizeof(*work). -ENOTSUP: the board has no model of its CPU (level=rtl, or no Zynq); -EBUSY: the
 * CPU is at work for ever (model.cpu_copies); -EINVAL: the work is not of this board or form.
 */
SLUICE_API int sluice_board_cpu_work(sluice_board *board, const struct sluice_cpu_work *work,
                                     size_t work_size, uint64_t *elapsed_ps);

/* --- attributes -------------------------------------------------------------------------- */

/*
 * Settings and counters of the design around the engines: names like "hp0.sink.beats", values
 * of 64 bits. The design's reference page lists them.
 */
struct sluice_attribute_info {
    char name[SLUICE_TEXT_BYTES];
    uint64_t max;      /* largest value that can be written; 0: read-only */
    char text[SLUICE_TEXT_BYTES];
};

/* Attribute `index` (0, 1, ...). -ENOENT past the last. size is sizeof(*info). */
SLUICE_API int sluice_board_attribute(sluice_board *board, unsigned index,
                                      struct sluice_attribute_info *info, size_t size);

/* Read an attribute. -ENOENT: no such name. Lets simulated time pass (a bus access). */
SLUICE_API int sluice_board_get_attribute(sluice_board *board, const char *name, uint64_t *value);

/* Write an attribute. -ENOENT: no such name, -EACCES: read-only, -ERANGE: above its max.
 * Lets simulated time pass (a bus access). */
SLUICE_API int sluice_board_set_attribute(sluice_board *board, const char *name, uint64_t value);

#ifdef __cplusplus
}
#endif

#endif /* SLUICE_H */
