/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libsluice - move data between a program and a board's streams.
 *
 * A board is opened by URI. It has channels (one direction of a DMA engine to or from a stream,
 * or an engine that copies), memory for buffers, a clock, and attributes (the settings and
 * counters of what is built around the engines, such as a pattern source). A program queues
 * transfers or copies on channels and reaps their completions; the same calls serve every back
 * end. A board whose design has hardware threads has those instead of channels.
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
 *           board that is simulated time, which passes only inside calls that say so; on a device
 *           it is CLOCK_MONOTONIC_RAW.
 * Boards    "sim:" boards are simulated in this process. "dev:" boards are devices of the driver
 *           sluice.ko, "vfio:" boards PCI functions that this program drives itself. What differs
 *           between them is said where it does; what sim: boards do, vfio: boards do too. "tcp:"
 *           boards are any of these at the other end of a network. They capture and have
 *           attributes; every other call is -ENOTSUP, and each may be -ECONNRESET or -ETIMEDOUT:
 *           the server or the network has gone. Their times are of the server's board.
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
typedef struct sluice_hwt sluice_hwt;

enum sluice_direction {
    SLUICE_MM2S = 1, /* memory to stream, or to the card's memory: the board reads the buffer */
    SLUICE_S2MM = 2, /* stream, or the card's memory, to memory: the board writes the buffer */
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

/* What can be opened: one entry for each design of each simulated board, and one for each board of
 * the driver. */
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
    uint32_t default_start_cost_ns;      /* software's time to start one transfer, at
                                          * default_clock_khz */
    char port_name[SLUICE_NAME_BYTES];   /* what its ports are called: "HP" of HP0, HP1 ... */
    uint32_t has_rtl;                    /* 0: level=transaction is all there is */
    uint32_t has_transactions;           /* 1: level=transaction can be had */
    uint32_t linux_start_cost_ns;        /* the same of a program under Linux; 0: not known */
    uint32_t is_device;                  /* 1: a dev: board; what only a model knows is 0 */
    uint32_t full_rate;                  /* 1: an engine alone keeps the rate of its port's width
                                          * and clock; 0: it does not, or it is not known */
    uint32_t overload_error_ppm;         /* where the memory sets the rate: how far the model is
                                          * from silicon, mean over the published rows, ... */
    uint32_t worst_overload_error_ppm;   /* ... and at worst; 0: not compared */
    uint32_t start_cost_clocks;          /* cycles of the logic's clock that it contains; their
                                          * time changes with the clock. 0: the time is fixed */
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
 *   start_cost_ns  time that software takes to start one transfer, 0 to 1000000; by default the
 *                  board's own at this clock; 0 leaves
 *                  only the time of the register accesses themselves on the bus
 *   completions    interrupt (default) or poll: how a card's engines are waited for
 *   gpu            quadro-m2000 or gtx-950: a GPU in another slot beside a card; default none
 *   tlp            a file for the packets of a card's link (docs/howto/record-the-link.md)
 *   level          rtl (default where there is any): the design's own logic. transaction: engines
 *                  of the same policy without logic, about fifty times faster; what only logic can
 *                  do is -ENOTSUP; not every design has both
 *   model.NAME     a setting of the model, whole number: of the memory
 *                  (docs/explanation/memory-model.md) or of the link (docs/explanation/pcie-link.md)
 * or "dev:BOARD[?key=value&...]", a folder of channels in /dev/sluice. Keys of dev: boards:
 *   heap           where buffers come from: a name in /dev/dma_heap; cma, for the heap of
 *                  contiguous memory, by whatever name it goes; coherent, contiguous memory of the
 *                  driver that engines and the processor see without cache maintenance; or udmabuf,
 *                  pages of this process. Default: system, and udmabuf where there are no heaps
 *   busy_poll_us   a wait for completions reads the rings for up to so many us, 0 to 10,000, before
 *                  it sleeps, and keeps the processor busy meanwhile; default 0. A signal does not
 *                  end that part of the wait
 * or "vfio:FUNCTION[?key=value&...]", what vfio-pci has: vfio:0000:00:03.0. Keys of vfio: boards:
 *   design         what is there; default: what its design page says
 * or "tcp:HOST[:PORT]/BOARD", a board that `sluice serve` serves at another machine, or here: for
 * captures and attributes. It has no keys. Default port: 7583. docs/reference/tcp-protocol.md
 * A channel of a device is opened by the first call that needs it, and is this program's until the
 * board is closed; such calls may fail with -EBUSY, another program has it, -EACCES or -ENODEV.
 * -EINVAL: the URI, a key or a value is wrong. -ENODEV: no such back end, board or design, or this
 * library was built without simulated boards. -ENOMEM. vfio: -ENOTSUP: no IOMMU; -ETIMEDOUT: an
 * engine does not come out of reset, which other calls then say too; -EBUSY, -EACCES. tcp: what
 * connect() says, such as -ECONNREFUSED; -EPROTO: no `sluice serve` of this version answers.
 * *board is NULL on failure.
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
    uint32_t thread_count;  /* hardware threads: sluice_hwt_open() */
    uint32_t reserved;      /* 0 */
    uint64_t card_bytes;    /* memory of the card, block RAM of the logic: sluice_card_write(); 0:
                               there is none */
    /* Of a device, board is its name, and what the driver does not say is empty or 0: design,
       port_count, width_bits, clock_khz, start_cost_ns, memory_bytes. vfio: clock_khz is 0. */
};

/* size is sizeof(*info). -EINVAL for a null pointer. */
SLUICE_API int sluice_board_get_info(const sluice_board *board, struct sluice_board_info *info,
                                     size_t size);

/* The board's clock in ns. Does not let simulated time pass. */
SLUICE_API uint64_t sluice_board_now_ns(const sluice_board *board);

/* Let ns of the board's time pass; transfers in progress go on. 0 on success. */
SLUICE_API int sluice_board_sleep_ns(sluice_board *board, uint64_t ns);

/* --- channels ---------------------------------------------------------------------------- */

/* What a channel can do. */
#define SLUICE_CAN_CANCEL 0x1u  /* sluice_channel_cancel(); dev: also transfers' timeout_ns */
#define SLUICE_CAN_PACKETS 0x2u /* receive packets that end before the transfer is full */
#define SLUICE_CAN_CAPTURE 0x4u /* sluice_capture_start() */
#define SLUICE_CAN_COUNT 0x8u   /* a capture's bytes and losses are the hardware's counts */
#define SLUICE_HAS_CARD 0x20u  /* its other side is the card's memory: card_offset of transfers */
#define SLUICE_CAN_HOLD 0x10u   /* sluice_capture_start() with SLUICE_CAPTURE_HOLD */

struct sluice_channel_info {
    char name[SLUICE_NAME_BYTES]; /* "hp0.mm2s", "cdma0.copy" */
    char port[SLUICE_NAME_BYTES]; /* memory port behind it: "HP0"; empty: not known (dev:) */
    uint32_t direction;           /* enum sluice_direction */
    uint32_t width_bits;          /* of the stream; of a copy the memory port; 0: not known */
    uint32_t offset_alignment;    /* a transfer's offset must be a multiple of this */
    uint32_t length_alignment;    /* so must its length, where more of the packet follows */
    uint64_t max_bytes;           /* longest transfer */
    uint64_t max_packet_bytes;    /* S2MM: longest without SLUICE_TRANSFER_FILL, and longest period
                                     of a capture; else 0 */
    uint32_t capabilities;        /* SLUICE_CAN_* */
    uint32_t reserved;            /* 0 */
    uint64_t card_first;          /* of a copy: first byte that its engine reaches of the board's
                                     block RAM: sluice_card_buffer() */
    uint64_t card_bytes;          /* of it; 0: none. A card's memory is no side of such copies */
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
 * of 4 KiB. sluice_buffer_get_bus_address() says where that is. On a device the alignment is that of
 * the page, 4096; others are -ENOTSUP.
 */
struct sluice_placement {
    uint64_t alignment; /* power of two from 4096 up; 0 is 4096 */
    uint64_t offset;    /* bytes past a multiple of alignment; below it, a multiple of 64 */
    uint32_t memory;    /* enum sluice_memory */
    uint32_t reserved;  /* 0 */
};

enum sluice_memory {
    SLUICE_HOST_MEMORY = 0, /* what the board's processor works in */
    SLUICE_GPU_MEMORY = 1,  /* of the GPU beside a simulated card (sim: boards opened with gpu=...).
                               Channels of the card and gpu0.copy use it as any buffer; the program
                               sees its bytes without the bus and its time. Memory of a real GPU is
                               imported: sluice_buffer_import() */
    SLUICE_ON_CHIP_MEMORY = 2, /* of a simulated Zynq: 256 KiB beside the DDR memory, which every
                                  engine of its logic reaches. On a device it is imported: a part of
                                  /dev/sluice/ps/memory */
};

/*
 * Allocate a buffer that the board can reach, filled with zeroes. bytes is at least 1 and at
 * most what the memory has left. placement may be NULL; placement_size is its sizeof.
 * -EINVAL: a zero length or an impossible placement. -ENOMEM: no room of that size is left.
 * -ENOTSUP: there is no such memory here.
 * On a device it is a dma-buf, which a channel imports when it is first used there. -EACCES: no
 * permission for the heap; -ENOENT: no such heap; -ENOTSUP: neither heaps nor udmabuf.
 */
SLUICE_API int sluice_buffer_alloc(sluice_board *board, uint64_t bytes,
                                   const struct sluice_placement *placement,
                                   size_t placement_size, sluice_buffer **buffer);

/*
 * Make a buffer of a dma-buf of anyone: a GPU's memory, another card's, a camera's. fd is its
 * descriptor, and stays the caller's; the buffer has one of its own. It is as long as the dma-buf. A
 * channel imports it when it is first used there, and refuses it then if its engine cannot reach the
 * memory. Where its exporter does not let programs map it, sluice_buffer_data() is NULL. When the
 * exporter takes the memory back, transfers complete with -ESTALE.
 * dev: boards, and simulated cards; else -ENOTSUP. Engines of a simulated card reach the dma-buf of
 * an exporter that lets programs map it, and a memfd, which is sealed against shrinking
 * (F_SEAL_SHRINK) unless it is. -EINVAL: not a dma-buf, or no such file. -EBADF: not a descriptor.
 * sim: also what mmap() says of a descriptor that cannot be mapped for writing, such as -EACCES.
 */
SLUICE_API int sluice_buffer_import(sluice_board *board, int fd, sluice_buffer **buffer);

/* Free a buffer. NULL is ignored. -EBUSY while a queued transfer uses it or a hardware thread has a
 * grant of it: nothing is freed. */
SLUICE_API int sluice_buffer_free(sluice_buffer *buffer);

/* The buffer's bytes, readable and writable until it is freed; NULL: memory that was imported and
 * that its exporter keeps from programs. What a channel is writing
 * is defined once the transfer's completion has been reaped. On a device, access them only between
 * sluice_buffer_begin_access() and sluice_buffer_end_access(). */
SLUICE_API void *sluice_buffer_data(sluice_buffer *buffer);

#define SLUICE_READ 0x1u  /* the CPU reads */
#define SLUICE_WRITE 0x2u /* the CPU writes */

/*
 * From now on the CPU may access the buffer's bytes: what channels wrote is seen. access is
 * SLUICE_READ, SLUICE_WRITE or both. A device whose caches are not coherent with its CPU's needs
 * these calls for the data to be right, so a program that is to run on any makes them on each;
 * there it costs a system call (DMA_BUF_IOCTL_SYNC), on a simulated board nothing.
 * -EBUSY: a queued transfer uses the buffer, or access has begun already. -EINVAL: the access.
 * What a capture is writing may be read while it runs.
 */
SLUICE_API int sluice_buffer_begin_access(sluice_buffer *buffer, unsigned access);

/*
 * The CPU's access is over: channels see what was written. Until then, transfers and copies of this
 * buffer are refused with -EBUSY. -EINVAL: none had begun.
 */
SLUICE_API int sluice_buffer_end_access(sluice_buffer *buffer);

/* The length it was allocated with. */
SLUICE_API uint64_t sluice_buffer_bytes(const sluice_buffer *buffer);

/* --- transfers --------------------------------------------------------------------------- */

struct sluice_transfer {
    sluice_buffer *buffer; /* of the same board */
    uint64_t offset;       /* first byte in the buffer */
    uint64_t bytes;        /* MM2S: bytes to send, ends the packet (TLAST). S2MM: room; a packet
                              that ends earlier ends the transfer, a longer one is an error */
    uint64_t cookie;       /* given back in the completion */
    uint64_t timeout_ns;   /* dev: from its submission on; then it ends with -ETIMEDOUT, and what is
                              queued beside it with -ECANCELED. 0: none. sim: must be 0 */
    uint32_t flags;        /* SLUICE_TRANSFER_* */
    uint32_t reserved;     /* 0 */
    uint64_t card_offset;  /* SLUICE_HAS_CARD: first byte in the card's memory. Else 0 */
};

/* S2MM, dev: the transfer ends when it is full; ends of packets do not end it. Its memory may be in
 * pieces and it may be as long as max_bytes. Data after a packet's early end may leave a gap. */
#define SLUICE_TRANSFER_FILL 0x1u

struct sluice_completion {
    uint64_t cookie;
    uint64_t bytes;         /* bytes really moved; of a failed transfer 0 */
    uint64_t start_ns;      /* software began to start it; dev: it was submitted */
    uint64_t finish_ns;     /* the engine raised its interrupt; dev: the driver knew */
    int32_t status;         /* 0, or -EIO: the memory, or on dev: the engine, reported an error;
                               -EFAULT: nothing is at the address; -EMSGSIZE: the packet was longer
                               than the transfer; -ECANCELED: cancelled, or queued beside a failed
                               one; dev: -ETIMEDOUT: its timeout_ns is over; -ENODEV: the device has
                               gone; -ENOMEM: the engine has too few descriptors for it; -ESTALE:
                               the memory was imported, and its exporter has taken it back; of a
                               hardware thread's command -EACCES: refused, as no grant holds all of
                               it, and -EINVAL: the hardware calls it wrong */
    uint32_t end_of_packet; /* 1: a packet ended with this transfer; dev: of S2MM, before it was
                               full, which alone the engines tell */
};

/* A sentence about a completion's status. Never NULL; static. Any thread. */
SLUICE_API const char *sluice_status_text(int32_t status);

/*
 * Queue transfers on a channel, in order. The first starts at once if the channel is idle, the
 * others as those before them finish. Returns how many were taken: fewer than count if the
 * queue (SLUICE_QUEUE_DEPTH) is full, -EAGAIN if it was full already. -EINVAL: a transfer has
 * no buffer, a buffer of another board, a zero or too long length, or leaves its buffer or the
 * channel's alignment; then none is taken. Starting lets simulated time pass.
 * transfer_size is sizeof(struct sluice_transfer). -EBUSY: the CPU's access to a buffer has not
 * ended. -ENOTSUP: the channel copies, or cannot do what a transfer asks for.
 * dev: completions not yet reaped count for the queue too; a packet longer than its transfer goes
 * on in the next one; -EINVAL also if the memory of a packet is not contiguous for the engine,
 * and then the transfers before it are taken.
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
    uint64_t cookie;     /* given back in the completion */
    uint64_t timeout_ns; /* as in sluice_transfer */
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
 * dev: no system call when a completion is there. -EINTR: a signal came first, nothing is lost.
 */
SLUICE_API int sluice_channel_reap(sluice_channel *channel, struct sluice_completion *completions,
                                   unsigned count, size_t completion_size, int64_t timeout_ns);

/*
 * Wait until at least one of `count` channels has a completion to reap: timeout_ns as in
 * sluice_channel_reap(). Returns 1; *index, unless NULL, is then the place in the array of the first
 * channel that has one. A program that reaps that channel only can starve those behind it: reap all
 * of them, or let the array begin elsewhere next time. Returns 0 if none came in time, or if nothing
 * is queued on any of the channels; *index is then left as it was. Takes no completion, and the
 * next reap of such a channel does not wait. Lets simulated time pass while it waits.
 * -EINVAL: count is 0, a pointer is null, or the channels are not all of one board. Channels may be
 * in any state, and in the array more than once; one on which nothing is queued is passed over.
 * -ETIMEDOUT: an engine that was reset does not come out of its reset.
 * dev: no system call when a completion is there. -EINTR: a signal came first, nothing is lost.
 * -ENODEV: the device of a channel has gone, and no completion is there.
 */
SLUICE_API int sluice_channel_wait_any(sluice_channel *const *channels, unsigned count,
                                       int64_t timeout_ns, unsigned *index);

/*
 * Stop the channel: what is queued or in progress completes with -ECANCELED and can be reaped.
 * The engine is reset, which cancels the other channel of the same AXI DMA too (as AMD PG021
 * says of its reset). Returns 0, or -ETIMEDOUT if the engine did not come out of reset.
 * dev: -ENOTSUP where the engine cannot be stopped (SLUICE_CAN_CANCEL).
 */
SLUICE_API int sluice_channel_cancel(sluice_channel *channel);

/* --- the card's memory -------------------------------------------------------------------- */

/*
 * Of a card, its memory; of a Zynq's logic, its block RAM (design cdma), which each engine that
 * copies has a part of: card_first and card_bytes of its channel.
 *
 * Copy between the program and that memory, from byte `offset` of it on, by the CPU, through the
 * card's BAR or the logic's control port. Stores to a BAR are combined and posted: what is written
 * may arrive after the call has returned, but before anything that is asked of the card later.
 * Loads wait for the card, one after the other, so that reading is slow. sim: of block RAM each word
 * of 32 bits is an access. Lets simulated time pass. -EINVAL: the range leaves the memory.
 * -ENOTSUP: the board has no such memory, or is a function of vfio-pci, whose BAR of memory is not
 * mapped yet. -EIO: the card does not answer.
 */
SLUICE_API int sluice_card_write(sluice_board *board, uint64_t offset, const void *data,
                                 uint64_t bytes);
SLUICE_API int sluice_card_read(sluice_board *board, uint64_t offset, void *data, uint64_t bytes);

/*
 * Make a buffer of part of that memory. Byte 0 is byte `offset` of it. Buffers may overlap.
 * sluice_buffer_data() is that memory: on dev: by the processor's own accesses, which have no
 * cache; on sim: without the bus and its time. vfio: -ENOTSUP. -EINVAL: the range leaves the memory.
 * A card's is as other devices reach it through the card's BAR: a side of a GPU's copies. The
 * card's own channels refuse it (sim: -EINVAL, dev: -EXDEV).
 * Block RAM is a side of copies like any buffer, for the engine whose part it is; of another one's
 * channel they are refused (sim: -EINVAL, dev: -EXDEV). sim: it lies in one part, else -EINVAL.
 */
SLUICE_API int sluice_card_buffer(sluice_board *board, uint64_t offset, uint64_t bytes,
                                  sluice_buffer **buffer);

/* --- capture ----------------------------------------------------------------------------- */

/*
 * A capture receives a stream into a buffer of N periods, round and round. Periods are numbered
 * from 0; number n stands at n modulo N. The engine does not wait for the reader: the answer of
 * sluice_capture_release() says how many of the periods just read had been written over by then, so
 * what was copied or computed counts only from that answer on; nothing is lost without being told.
 * With SLUICE_CAPTURE_HOLD the engine is given released periods only, each a transfer of one packet,
 * and the stream waits while there is none: nothing is lost, and nothing is written over.
 * For channels that say SLUICE_CAN_CAPTURE; elsewhere all of these calls are -ENOTSUP. A channel
 * takes transfers or captures, one at a time: -EBUSY while the other goes on. On sim: and vfio:
 * boards the library itself counts the periods, whenever the program calls it.
 */
struct sluice_capture {
    sluice_buffer *buffer;  /* of the same board; contiguous for the engine: ?heap=cma */
    uint64_t offset;        /* of period 0 in the buffer */
    uint64_t period_bytes;  /* of each, at most the channel's max_packet_bytes */
    uint32_t periods;       /* N, at least 3, and more than the engine's buffer may be ahead by */
    uint32_t flags;         /* SLUICE_CAPTURE_* */
};

#define SLUICE_CAPTURE_GUESS 0x1u /* do without the hardware's counts, as if there were none */
#define SLUICE_CAPTURE_HOLD 0x2u  /* block the stream: needs SLUICE_CAN_HOLD, else -ENOTSUP */

/*
 * Begin to capture. capture_size is sizeof(*capture). -EINVAL: a bad range, count or alignment, or
 * memory in pieces. -EBUSY: transfers are queued, a capture runs, or the CPU's access to the buffer
 * has not ended. -ENOSPC: the engine has too few descriptors. -ENOTSUP: the channel cannot do that.
 */
SLUICE_API int sluice_capture_start(sluice_channel *channel, const struct sluice_capture *capture,
                                    size_t capture_size);

/*
 * Wait until period `period` has ended: timeout_ns < 0 for ever, 0 not at all. Returns 1, or 0 if
 * it has not in time. *produced, unless NULL, is how many have ended. No system call where it has.
 * -EPIPE: the capture has stopped before. -EINTR: a signal came first. -EINVAL: none was started.
 */
SLUICE_API int sluice_capture_wait(sluice_channel *channel, uint64_t period, int64_t timeout_ns,
                                   uint64_t *produced);

struct sluice_capture_period {
    uint64_t bytes;   /* received in it */
    uint64_t ticks;   /* when it ended, by the hardware's clock; 0 unless exact */
    uint64_t time_ns; /* when the driver knew that it had ended */
    uint64_t drops;   /* beats dropped in front of the engine meanwhile */
    uint32_t exact;   /* 1: bytes, ticks and drops are the hardware's own counts */
    uint32_t merged;  /* 1: the driver came too late for this one's counts: they stand in the next
                         period without this */
};

/* What is known of a period. -ENOENT: it has not ended, or its record is no longer kept. size is
 * sizeof(*info). */
SLUICE_API int sluice_capture_get_period(sluice_channel *channel, uint64_t period,
                                         struct sluice_capture_period *info, size_t size);

/*
 * Have the driver copy the first `bytes` of a period to `data`, by its read(): for programs that
 * cannot map the ring, and to compare with. The copy is valid if the period was not lost, which
 * sluice_capture_release() says afterwards. The driver begins and ends an access to the buffer, so
 * the program must hold none.
 * -EINVAL: the period has not ended or was released, or is shorter than `bytes`. -ENODEV: the device
 * has gone, and the ring with it. -ENOTSUP: the board is not of dev:, where the ring is the
 * program's own memory; the driver is too old; or the kernel cannot map the ring's memory.
 */
SLUICE_API int sluice_capture_read(sluice_channel *channel, uint64_t period, void *data,
                                   uint64_t bytes);

struct sluice_capture_answer {
    uint64_t released; /* number up to which periods had been released before */
    uint64_t lost;     /* of those released now the first so many were, or may have been, written
                          over before */
    uint64_t produced; /* periods that have ended, as of now */
};

/*
 * Be done with all periods below number `period`, and learn what of them was lost. -EINVAL: it is
 * below what was released or above what has ended. size is sizeof(*answer).
 */
SLUICE_API int sluice_capture_release(sluice_channel *channel, uint64_t period,
                                      struct sluice_capture_answer *answer, size_t size);

struct sluice_capture_loss {
    uint64_t first;   /* number of the first period that was written over before its release */
    uint64_t count;   /* how many, one after the other */
    uint64_t time_ns; /* when the driver knew */
};

/* Loss number `index` of this capture (0, 1, ...). -ENOENT: there were no more, or it is no longer
 * kept. size is sizeof(*loss). */
SLUICE_API int sluice_capture_get_loss(sluice_channel *channel, uint64_t index,
                                       struct sluice_capture_loss *loss, size_t size);

struct sluice_capture_status {
    uint64_t produced; /* periods that have ended */
    uint64_t released; /* periods that the program is done with */
    uint64_t lost;     /* periods written over before they were released */
    uint64_t losses;   /* of sluice_capture_get_loss() */
    uint64_t bytes;    /* received */
    uint64_t drops;    /* beats dropped in front of the engine */
    uint64_t clock_hz; /* of the ticks of periods; 0: not known */
    uint32_t running;  /* 0: stopped */
    uint32_t exact;    /* 1: the hardware's own counts; 0: produced and lost are a guess, or with
                          SLUICE_CAPTURE_HOLD the driver's own count */
};

/*
 * Where the capture is; on sim: and vfio: boards as of the last of the calls above. No system call.
 * -EINVAL: none was started. size is sizeof(*status).
 */
SLUICE_API int sluice_capture_get_status(sluice_channel *channel,
                                         struct sluice_capture_status *status, size_t size);

/* End the capture. Its status stays, and periods can still be released. */
SLUICE_API int sluice_capture_stop(sluice_channel *channel);

/* --- registers, interrupts and memory ---------------------------------------------------- */

/*
 * For software with a driver of its own: a bare-metal driver, another kernel's, a script. These
 * calls reach what is under the channels. A program that writes an engine's registers queues
 * nothing on the channels of that engine. docs/reference/libsluice-registers.md has the rules and
 * an example. dev: boards refuse all of these calls with -ENOTSUP: the driver owns the hardware.
 */

/*
 * Read the 32-bit register at a byte offset of the design's control space. docs/reference has the
 * map of each design. Lets simulated time pass, as the access does on the bus.
 * -EINVAL: the offset is not a multiple of 4, or not within the space's 1 MiB. -EIO: the bus
 * answers with an error, since no register is there. level=transaction: -ENOTSUP where only RTL has
 * the register. vfio: -EIO beyond BAR 0, -ENODEV if the card has gone.
 */
SLUICE_API int sluice_board_read_register(sluice_board *board, uint64_t offset, uint32_t *value);

/*
 * Write bytes of such a register: bit i of enables selects byte i of value, 0xf selects all four.
 * Returns when the bus has acknowledged the write; vfio: when the store is issued, and memory
 * written before it is visible to the device first. Errors as above, and -EINVAL: enables is 0 or
 * above 0xf. -ENOTSUP: level=transaction takes 0xf only; vfio: takes 0xf, 0x3, 0xc and one byte.
 */
SLUICE_API int sluice_board_write_register(sluice_board *board, uint64_t offset, uint32_t value,
                                           unsigned enables);

/*
 * The address by which the board's masters reach the buffer's first byte: what a program writes
 * into an engine's registers and descriptors. It is valid until the buffer is freed.
 */
SLUICE_API int sluice_buffer_get_bus_address(const sluice_buffer *buffer, uint64_t *address);

/*
 * The interrupt lines that are high, bit n for line n. Lines are level-sensitive: a line stays high
 * until the program clears its cause in the engine. On a card, line n is high from the arrival of
 * vector n's message until this call or the next one has told of it; the message of a channel with
 * transfers in its engine is the library's, and stays until that has taken it. Lets no time pass.
 * vfio: this call and the two below are -ENOTSUP, since such a board is polled by its status
 * registers.
 */
SLUICE_API int sluice_board_get_interrupts(sluice_board *board, uint64_t *lines);

/*
 * Let the board's time pass until a line of mask is high, or until timeout_ns is over. Returns 1 if
 * one is high, 0 if none is. *lines, unless NULL, gets all lines. -EINVAL: mask is 0.
 */
SLUICE_API int sluice_board_wait_interrupt(sluice_board *board, uint64_t mask, uint64_t timeout_ns,
                                           uint64_t *lines);

/*
 * A descriptor for poll(2) that is readable while a line of mask is high, as of the last call on
 * the board in which time passed. A read of 8 bytes never blocks (EAGAIN) and takes the event;
 * while the line stays high, the next such call gives it again. Simulated time does not pass in poll(2):
 * poll with timeout 0, and sluice_board_sleep_ns() between two polls. The descriptor belongs to the
 * board and closes with it; calls with the same mask return the same one. -EINVAL: mask is 0.
 */
SLUICE_API int sluice_board_interrupt_fd(sluice_board *board, uint64_t mask);

/*
 * The memory of a simulated board as a file. Returns a descriptor, which the caller closes and
 * which outlives the board; its byte 0 is at bus address *first, and it has *bytes. It may be mapped,
 * shared, by this process and by others. Touch it only while no call on the board is running.
 * Buffers lie in the same memory, from its lowest free page upwards. vfio: -ENOTSUP, since a card
 * reaches buffers only.
 */
SLUICE_API int sluice_board_memory_fd(sluice_board *board, uint64_t *first, uint64_t *bytes);

/*
 * Map that memory from bus address `address` on at host address `at`, or anywhere if that is NULL;
 * *data is where. A simulated Zynq's on-chip memory, 256 KiB at 0xfffc0000, is mapped in the same
 * way. With `at` equal to `address`, pointers are bus addresses, as bare-metal code expects. The
 * mapping lasts until the board is closed. -EINVAL: an address or the length is not a multiple of
 * 4096, the length is 0, or the range leaves the memory. -EEXIST: this process has something else
 * mapped there, and nothing was replaced. -EPERM: below vm.mmap_min_addr. vfio: -ENOTSUP.
 */
SLUICE_API int sluice_board_map_memory(sluice_board *board, void *at, uint64_t address,
                                       uint64_t bytes, void **data);

/*
 * Registers at host addresses, for drivers that use plain pointers: the registers from `offset` of
 * the control space on appear at host address `at`, or anywhere if that is NULL; *data is where.
 * Each access faults, and the library makes it a call on the board: it lets time pass, and it obeys
 * the rules for threads as calls do. Accesses are loads and stores of 1, 2 or 4 bytes within one
 * register, as compilers make of volatile variables. Any other instruction, or an error of the bus,
 * is reported in one sentence on the standard error, and then the fault ends the program. The
 * library handles SIGSEGV while a board has registers at addresses, and passes other faults on to
 * the handler that was there before. They last until the board is closed.
 * -EINVAL: an address, the offset or the length is not a multiple of 4096, the length is 0, or the
 * range leaves the space's 1 MiB. -EEXIST: this process has something else mapped there. -EBUSY:
 * another board of this process has registers at addresses. -ENOTSUP: the processor is not x86-64.
 */
SLUICE_API int sluice_board_map_registers(sluice_board *board, void *at, uint64_t offset,
                                          uint64_t bytes, void **data);

/* --- hardware threads -------------------------------------------------------------------- */

/*
 * A hardware thread is logic with a stream from memory and one to it. Its program grants it memory
 * and queues commands; what no grant holds, the hardware refuses whole, whoever asks. What the
 * thread makes of its streams is its kernel, which takes jobs from one mailbox and posts results
 * to another; without a kernel it is the lane of its number (attributes "t0.loopback",
 * "t0.source.*", "t0.sink.*"). docs/howto/write-a-hardware-thread.md goes through it.
 *
 * A thread is running or halted, and opens running. All of these calls are -EINVAL for a null
 * pointer. sim: boards whose sluice_board_info says thread_count only.
 */

enum sluice_hwt_kernel {
    SLUICE_HWT_LANE = 0,   /* no kernel: source, sink or loop-back of its lane */
    SLUICE_HWT_COPY = 1,   /* a words, or until the packet ends: sends what it takes */
    SLUICE_HWT_COUNT = 2,  /* sends a words that count up from b */
    SLUICE_HWT_XOR = 3,    /* takes a words; the result is their exclusive or */
    SLUICE_HWT_REDUCE = 4, /* b groups of a words, or until the packet ends: sends the sum of the
                              bytes of each group; a at most 65535 */
    SLUICE_HWT_SOBEL = 5,  /* a grey image of b rows of a words, four pixels a word, the leftmost in
                              the lowest byte: sends one of the same size, each pixel
                              min(255, |Gx| + |Gy|), 0 at the border; a 2 to 512, b 1 to 65535 */
};

struct sluice_hwt_info {
    char name[SLUICE_NAME_BYTES]; /* "t3": what the names of its lane's attributes begin with */
    uint32_t number;
    uint32_t width_bits;    /* of its streams; a word is 32 bits */
    uint32_t windows;       /* grants it holds at a time */
    uint32_t depth;         /* commands of a direction that the hardware holds */
    uint64_t max_bytes;     /* longest command */
    uint32_t alignment;     /* a command's offset must be a multiple of this */
    uint32_t grant_alignment; /* so must a grant's offset, and its bytes unless it ends with the
                                 buffer, of this */
    uint32_t kernels;       /* bit n: enum sluice_hwt_kernel n can be started */
    uint32_t halted;        /* 1: halted */
};

/*
 * Open thread `number`, 0 to thread_count - 1: reset, without grants, its stream from memory, no
 * kernel, running. -ENOTSUP: the board has no hardware threads. -ENOENT: not that one. -EBUSY: it
 * is open. -ETIMEDOUT as sluice_hwt_halt(). Lets simulated time pass, as all that follow.
 */
SLUICE_API int sluice_hwt_open(sluice_board *board, unsigned number, sluice_hwt **hwt);

/*
 * Halt the thread, take back its grants and free the handle; commands are abandoned. NULL is
 * ignored. -EBUSY: another thread takes its stream (sluice_hwt_route()). -ETIMEDOUT as
 * sluice_hwt_halt(): it stays open. Closing the board frees what is open.
 */
SLUICE_API int sluice_hwt_close(sluice_hwt *hwt);

/* size is sizeof(*info). */
SLUICE_API int sluice_hwt_get_info(const sluice_hwt *hwt, struct sluice_hwt_info *info,
                                   size_t size);

struct sluice_hwt_window {
    sluice_buffer *buffer; /* of the same board */
    uint64_t offset;       /* first byte in the buffer */
    uint64_t bytes;        /* at least 1 */
    uint32_t access;       /* SLUICE_READ: the thread may read it; SLUICE_WRITE: write; or both */
    uint32_t reserved;     /* 0 */
};

/*
 * Let the thread's commands use a range of a buffer, at once. Returns the grant's number, 0 to
 * windows - 1. -ENOSPC: it holds as many as it can. -EINVAL: the range, its alignment or the
 * access. A command must lie in one grant; two that touch are not one. grant_size is
 * sizeof(*grant).
 */
SLUICE_API int sluice_hwt_grant(sluice_hwt *hwt, const struct sluice_hwt_window *grant,
                                size_t grant_size);

/*
 * Take a grant back. -ENOENT: there is none of that number. -EBUSY: the thread runs and has
 * commands, which keep what they were granted: reap them, or halt it first.
 */
SLUICE_API int sluice_hwt_revoke(sluice_hwt *hwt, unsigned grant);

struct sluice_hwt_command {
    sluice_buffer *buffer; /* of the same board */
    uint64_t offset;       /* first byte in the buffer */
    uint64_t bytes;        /* 1 to max_bytes; S2MM: a packet that ends earlier ends the command, and
                              the next one goes on after a longer one */
    uint64_t cookie;       /* given back in the completion */
    uint32_t direction;    /* SLUICE_MM2S: memory to the thread; SLUICE_S2MM: thread to memory */
    uint32_t flags;        /* SLUICE_HWT_* */
};

/* MM2S: the last byte ends a packet. Without it the bytes are a multiple of the stream's. */
#define SLUICE_HWT_EOP 0x1u

/*
 * Queue commands, each direction in order; the two directions do not wait for each other. Returns
 * how many were taken: fewer than count if a direction's queue (SLUICE_QUEUE_DEPTH) is full,
 * -EAGAIN if none. -EINVAL: a buffer, range, direction or flag; then none is taken. -EBUSY: the
 * thread is halted, or the CPU's access to a buffer has not ended. Whether the thread may is the
 * hardware's to say: a command that is refused completes with -EACCES, in its turn, having moved
 * nothing. command_size is sizeof(struct sluice_hwt_command).
 */
SLUICE_API int sluice_hwt_submit(sluice_hwt *hwt, const struct sluice_hwt_command *commands,
                                 unsigned count, size_t command_size);

/*
 * Take up to count completions of a direction, in order; waits and returns as
 * sluice_channel_reap(). finish_ns is when the interrupt rose, or for those that ended while it was
 * up when the library saw them. -EINVAL: the direction.
 */
SLUICE_API int sluice_hwt_reap(sluice_hwt *hwt, uint32_t direction,
                               struct sluice_completion *completions, unsigned count,
                               size_t completion_size, int64_t timeout_ns);

/*
 * Take the thread's stream from another one directly, or from memory again (source NULL). Both are
 * halted for it and resumed if they were running, so what their kernels had is lost. The source's
 * stream then goes nowhere else. -EBUSY: one of them has commands, or source is taken by a third.
 * -EINVAL: source is of another board, or hwt itself. -ENOTSUP: the design joins no threads.
 * -ETIMEDOUT as sluice_hwt_halt().
 */
SLUICE_API int sluice_hwt_route(sluice_hwt *hwt, sluice_hwt *source);

/*
 * Give the thread a kernel, enum sluice_hwt_kernel. It stays through halts. -ENOTSUP: the thread
 * has no such kernel. -EBUSY: a job is not done.
 */
SLUICE_API int sluice_hwt_set_kernel(sluice_hwt *hwt, uint32_t kernel);

/*
 * Give the kernel a job: two words of mail, a and b, as enum sluice_hwt_kernel says; b is 0 where
 * it says nothing. What a job sends is one packet. Jobs queue up in the mailbox. -EINVAL: a or b is
 * out of range. -EAGAIN: no room for the job now. -ENOTSUP: the thread has no kernel set. -EBUSY:
 * it is halted.
 */
SLUICE_API int sluice_hwt_start(sluice_hwt *hwt, uint32_t a, uint32_t b);

/*
 * Wait for the result of the oldest job: timeout_ns < 0 for ever, 0 not at all. Returns 1, with the
 * result unless that is NULL, or 0 if it is not done in time. A result is the exclusive or of the
 * words that were sent, of SLUICE_HWT_XOR of those taken. -ENOENT: there is no job.
 */
SLUICE_API int sluice_hwt_wait(sluice_hwt *hwt, uint32_t *result, int64_t timeout_ns);

/*
 * The mailboxes themselves, word by word; sluice_hwt_start() and sluice_hwt_wait() use them too, so
 * a program uses either those or these. Wait as above; return 1, or 0 if there was no room or no
 * word in time. -ENOTSUP: the thread has no mailboxes. -EBUSY: it is halted.
 */
SLUICE_API int sluice_hwt_put(sluice_hwt *hwt, uint32_t word, int64_t timeout_ns);
SLUICE_API int sluice_hwt_get(sluice_hwt *hwt, uint32_t *word, int64_t timeout_ns);

/*
 * Stop the thread: bursts that memory has seen end, everything else of it is dropped, its logic is
 * held in reset, its mailboxes and jobs are gone. What is queued or under way completes with
 * -ECANCELED and can be reaped. Grants and route stay. Others do not notice. Halting a halted
 * thread does nothing. -ETIMEDOUT: it did not come to rest; it is halted nonetheless, and keeps what
 * it has. Halt, resume, close, revoke and reap then wait for it once more, with the same end.
 */
SLUICE_API int sluice_hwt_halt(sluice_hwt *hwt);

/* Let a halted thread run again, from reset. A running one is left alone. */
SLUICE_API int sluice_hwt_resume(sluice_hwt *hwt);

struct sluice_hwt_fault {
    uint32_t thread;       /* number of the one whose command was refused */
    uint32_t direction;    /* SLUICE_MM2S: it would have read; SLUICE_S2MM: written */
    sluice_buffer *buffer; /* in which it would have begun; NULL: freed since */
    uint64_t offset;       /* where in it */
    uint64_t bytes;        /* how long the command was */
    uint64_t refused;      /* commands refused since the last fault that was told, with this one;
                              the hardware keeps the first, the completions tell all */
};

/*
 * The next fault of any of the board's threads: waits as above; returns 1, or 0 if there is none in
 * time. size is sizeof(*fault). -ENOTSUP: the board has no hardware threads.
 */
SLUICE_API int sluice_hwt_next_fault(sluice_board *board, struct sluice_hwt_fault *fault,
                                     size_t size, int64_t timeout_ns);

/* Of one direction of a thread. Cycles are of the logic's clock, since sluice_hwt_clear_stats(),
 * and wrap at 2^32; in a cycle without a beat of memory exactly one of the stalls counts. */
struct sluice_hwt_stats {
    uint64_t bytes;            /* moved since the thread was opened */
    uint64_t commands;         /* completed since then, whatever their status */
    uint64_t refused;          /* of these, with -EACCES */
    uint64_t stall_address;    /* cycles: a burst's address stood at the port and was not taken */
    uint64_t stall_space;      /* MM2S: the thread took no data; S2MM: memory took none */
    uint64_t stall_data;       /* nothing to do; S2MM also: the thread gave no data */
    uint64_t stall_response;   /* bursts were out and memory did not answer */
    uint64_t worst_wait;       /* cycles that a burst's address stood at the port; 1023: or more */
};

/* -EINVAL: the direction. size is sizeof(*stats). */
SLUICE_API int sluice_hwt_get_stats(sluice_hwt *hwt, uint32_t direction,
                                    struct sluice_hwt_stats *stats, size_t size);

/* Restart the counts of cycles of both directions. */
SLUICE_API int sluice_hwt_clear_stats(sluice_hwt *hwt);

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
 * dev:, vfio: -ENOTSUP: the board's CPU is the one that runs the program.
 */
SLUICE_API int sluice_board_cpu_work(sluice_board *board, const struct sluice_cpu_work *work,
                                     size_t work_size, uint64_t *elapsed_ps);

/* --- attributes -------------------------------------------------------------------------- */

/*
 * Settings and counters of the design around the engines: names like "hp0.sink.beats", values
 * of 64 bits. The design's reference page lists them. A device has those that its driver lets
 * programs reach (sluice,controls in the board's description), under the same names.
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
