/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libsluice - move data between a program and a board's streams.
 *
 * A program opens a board by its URI. A board has channels, memory for buffers, a clock, and
 * attributes. A channel is one direction of a DMA engine that serves a stream, or an engine that
 * copies. Attributes are the settings and counters of the blocks around the engines, such as a
 * pattern source. A program queues transfers or copies on channels and reaps their completions.
 * The same calls serve every kind of board. A board whose design has hardware threads has them
 * instead of channels.
 *
 * Errors    A function that returns int returns 0 or a count on success, and -errno on failure.
 *           After a failure, sluice_last_error() returns a sentence that names the cause and the
 *           allowed values. A call that fails changes nothing, unless its comment says otherwise.
 * Threads   Only one thread at a time may use a board and the objects obtained from it. The caller
 *           serializes. Different boards are independent and may run in parallel.
 * Lifetime  Channels belong to their board and live until it is closed. The program frees buffers
 *           before it closes the board. Closing a board frees the remaining ones.
 * Growth    The caller passes the size of each structure. The library fills or reads only the
 *           members of the caller's version. New members are added at the end, so old programs work
 *           with new libraries, and new programs with old ones.
 * Units     Sizes are in bytes. Times are in nanoseconds of the board's clock. On a simulated board
 *           that is simulated time, which passes only during calls that say so. On a device it is
 *           CLOCK_MONOTONIC_RAW.
 * Boards    The start of the URI selects the kind of board. Comments name the kinds where they
 *           differ. What they say of sim: boards also holds for vfio: boards.
 *           "sim:"   simulated in this process
 *           "dev:"   devices of the driver sluice.ko
 *           "vfio:"  PCI functions that this program drives itself
 *           "tcp:"   boards of these kinds at the other end of a network. They support captures and
 *                    attributes; other calls return -ENOTSUP. Times are of the server's board.
 *                    Every call may return -ECONNRESET or -ETIMEDOUT if the connection is lost.
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
#define SLUICE_QUEUE_DEPTH 256 /* most transfers queued and in progress on a channel */

typedef struct sluice_board sluice_board;
typedef struct sluice_channel sluice_channel;
typedef struct sluice_buffer sluice_buffer;
typedef struct sluice_hwt sluice_hwt;

enum sluice_direction {
    SLUICE_MM2S = 1, /* memory to stream, or to the card's memory; the board reads the buffer */
    SLUICE_S2MM = 2, /* stream, or the card's memory, to memory; the board writes the buffer */
    SLUICE_COPY = 3, /* memory to memory: sluice_channel_copy() */
};

/* --- the library ------------------------------------------------------------------------- */

/* Version of the running library, "major.minor.patch". Static, never NULL. Any thread may call. */
SLUICE_API const char *sluice_version(void);

/*
 * Get a sentence about the last call of this thread that failed. The result is never NULL, and
 * valid until the thread's next call into the library. A call that succeeds does not change it.
 */
SLUICE_API const char *sluice_last_error(void);

/*
 * A board that can be opened. Each design of each simulated board is an entry, and each board of
 * the driver.
 */
struct sluice_board_description {
    char uri[SLUICE_TEXT_BYTES];         /* URI that opens it with default settings */
    char board[SLUICE_NAME_BYTES];       /* name, "zynq7010" */
    char board_text[SLUICE_TEXT_BYTES];  /* description of the board */
    char design[SLUICE_NAME_BYTES];      /* name, "hp_stress" */
    char design_text[SLUICE_TEXT_BYTES]; /* description of the design */
    uint32_t port_count;                 /* memory ports that the design uses */
    uint32_t width_mask;                 /* bit n set: ports of 8 << n bits are available */
    uint64_t ddr_peak_bytes_per_s;       /* peak rate of the memory's data bus */
    uint64_t memory_bytes;               /* memory for buffers */
    uint64_t max_transfer_bytes;         /* longest transfer of a channel */
    uint32_t default_clock_khz;          /* clock of the logic */
    uint32_t min_clock_khz;
    uint32_t max_clock_khz;
    uint32_t default_start_cost_ns;      /* software time to start one transfer, at
                                            default_clock_khz */
    char port_name[SLUICE_NAME_BYTES];   /* name of its ports, "HP" for HP0, HP1 ... */
    uint32_t has_rtl;                    /* 0: only level=transaction is available */
    uint32_t has_transactions;           /* 1: level=transaction is available */
    uint32_t linux_start_cost_ns;        /* time to start one transfer for a program under Linux;
                                            0: not known */
    uint32_t is_device;                  /* 1: a dev: board; members that only a model has are 0 */
    uint32_t full_rate;                  /* 1: one engine alone reaches the rate of its port's
                                            width and clock; 0: it does not, or it is not known */
    uint32_t overload_error_ppm;         /* mean difference between the model and the published
                                            rows of silicon, where the memory limits the rate; 0:
                                            not compared */
    uint32_t worst_overload_error_ppm;   /* the largest such difference; 0: not compared */
    uint32_t start_cost_clocks;          /* cycles of the logic's clock in the start cost, whose
                                            time depends on the clock; 0: the time is fixed */
};

/*
 * Fill *description with entry `index` (0, 1, ...). size is sizeof(*description). Any thread may
 * call.
 *   -ENOENT  index is past the last entry
 *   -EINVAL  a pointer is NULL
 */
SLUICE_API int sluice_enumerate(unsigned index, struct sluice_board_description *description,
                                size_t size);

/* --- boards ------------------------------------------------------------------------------ */

/*
 * Open a board. On failure *board is NULL.
 *
 * "sim:BOARD/DESIGN[?key=value&...]" opens a simulated board. Keys:
 *   width          bits of the memory ports and streams; sluice_enumerate() lists the values
 *   clock_mhz      clock of the logic in MHz, which may have a fraction, in the board's range
 *   start_cost_ns  software time to start one transfer, 0 to 1000000. Default: the board's own at
 *                  this clock. With 0 only the time of the register accesses on the bus is left.
 *   completions    how software waits for a card's engines: interrupt (default) or poll
 *   gpu            a GPU in another slot beside a card: quadro-m2000 or gtx-950. Default: no GPU
 *   tlp            file for the packets of a card's link (docs/howto/record-the-link.md)
 *   level          rtl or transaction. rtl, the default where the design has it, runs the design's
 *                  own logic. transaction runs engines of the same policy without logic, about
 *                  fifty times faster. Calls that need logic then return -ENOTSUP. Not every
 *                  design has both.
 *   fast_forward   1: with level=transaction, skip the middle of long transfers once all rates stay
 *                  the same (docs/explanation/simulated-board.md). Default: 0
 *   model.NAME     setting of the model, a whole number: of the memory
 *                  (docs/explanation/memory-model.md) or of the link
 *                  (docs/explanation/pcie-link.md)
 *
 * "dev:BOARD[?key=value&...]" opens a folder of channels in /dev/sluice. Keys:
 *   heap           source of buffers. Default: system, or udmabuf on a kernel without heaps. A
 *                  name in /dev/dma_heap selects that heap. cma selects the heap of contiguous
 *                  memory under any name. coherent selects contiguous memory of the driver, which
 *                  needs no cache maintenance. udmabuf selects pages of this process.
 *   busy_poll_us   time for which a wait for completions polls the rings before it sleeps, 0 to
 *                  10,000 us. Default: 0. The processor is busy meanwhile. A signal does not end
 *                  the polling.
 *
 * "vfio:FUNCTION[?key=value&...]" opens a PCI function, such as vfio:0000:00:03.0. Keys:
 *   design         name of the card's design. Default: what the card's design page says
 *
 * "tcp:HOST[:PORT]/BOARD" opens a board of `sluice serve` on another machine or on this one, for
 * captures and attributes. It has no keys. Default port: 7583. See docs/reference/tcp-protocol.md.
 *
 * The first call that needs a channel of a device opens it. It then belongs to this program until
 * the board is closed. Such calls may return -EBUSY (another program has it open), -EACCES or
 * -ENODEV.
 *
 * Errors:
 *   -EINVAL        the URI, a key or a value is invalid
 *   -ENODEV        there is no such kind of board, board or design; or this library has no
 *                  simulated boards
 *   -ENOMEM        memory is exhausted
 *   -ENOTSUP       vfio: there is no IOMMU
 *   -ETIMEDOUT     vfio: an engine does not leave its reset. Later calls may return this, too.
 *   -EBUSY         vfio: another program or driver has the function
 *   -EACCES        vfio: no permission
 *   -EPROTO        tcp: the server is not a `sluice serve` of this version
 *   other          tcp: an error of connect(), such as -ECONNREFUSED
 */
SLUICE_API int sluice_board_open(const char *uri, sluice_board **board);

/*
 * Close a board. The call frees its channels and remaining buffers, and abandons transfers in
 * progress. NULL is ignored.
 */
SLUICE_API void sluice_board_close(sluice_board *board);

struct sluice_board_info {
    char board[SLUICE_NAME_BYTES];
    char design[SLUICE_NAME_BYTES];
    uint32_t simulated_time; /* 1: the clock is simulated time; 0: real time */
    uint32_t channel_count;
    uint32_t port_count;     /* number of memory ports */
    uint32_t width_bits;     /* width of a memory port */
    uint32_t clock_khz;      /* clock of the logic */
    uint32_t start_cost_ns;  /* start cost that the board was opened with */
    uint64_t memory_bytes;   /* memory for buffers, used or not */
    uint32_t thread_count;   /* number of hardware threads: sluice_hwt_open() */
    uint32_t reserved;       /* 0 */
    uint64_t card_bytes;     /* size of the card's memory, or of the logic's block RAM; 0: the
                                board has neither. See sluice_card_write() */
    /* dev: board is the folder's name. Members that the driver does not report are empty or 0:
       design, port_count, width_bits, clock_khz, start_cost_ns, memory_bytes. vfio: clock_khz is
       0. */
};

/* Get the properties of a board. size is sizeof(*info). -EINVAL: a pointer is NULL. */
SLUICE_API int sluice_board_get_info(const sluice_board *board, struct sluice_board_info *info,
                                     size_t size);

/* Read the board's clock in ns. No simulated time passes. */
SLUICE_API uint64_t sluice_board_now_ns(const sluice_board *board);

/* Wait for ns of the board's time. Transfers in progress continue. Returns 0 on success. */
SLUICE_API int sluice_board_sleep_ns(sluice_board *board, uint64_t ns);

/* --- channels ---------------------------------------------------------------------------- */

/* Capabilities of a channel. */
#define SLUICE_CAN_CANCEL 0x1u  /* sluice_channel_cancel(); dev: also timeout_ns of transfers */
#define SLUICE_CAN_PACKETS 0x2u /* a packet may end before its transfer is full */
#define SLUICE_CAN_CAPTURE 0x4u /* sluice_capture_start() */
#define SLUICE_CAN_COUNT 0x8u   /* the hardware counts a capture's bytes and losses */
#define SLUICE_HAS_CARD 0x20u  /* the other side is the card's memory: card_offset */
#define SLUICE_CAN_HOLD 0x10u   /* sluice_capture_start() with SLUICE_CAPTURE_HOLD */

struct sluice_channel_info {
    char name[SLUICE_NAME_BYTES]; /* "hp0.mm2s", "cdma0.copy" */
    char port[SLUICE_NAME_BYTES]; /* its memory port, "HP0"; empty if not known (dev:) */
    uint32_t direction;           /* enum sluice_direction */
    uint32_t width_bits;          /* width of the stream, or of a copying engine's memory port;
                                     0: not known */
    uint32_t offset_alignment;    /* alignment of a transfer's offset */
    uint32_t length_alignment;    /* alignment of a transfer's length, if more data of the packet
                                     follows */
    uint64_t max_bytes;           /* longest transfer */
    uint64_t max_packet_bytes;    /* S2MM: longest transfer without SLUICE_TRANSFER_FILL, and
                                     longest period of a capture; otherwise 0 */
    uint32_t capabilities;        /* SLUICE_CAN_*, SLUICE_HAS_CARD */
    uint32_t reserved;            /* 0 */
    uint64_t card_first;          /* copying engine: first byte of the board's block RAM that it
                                     reaches. See sluice_card_buffer() */
    uint64_t card_bytes;          /* number of bytes of block RAM that it reaches; 0: none. It
                                     does not reach a card's memory */
};

/* Get channel `index`, 0 to channel_count - 1. Returns NULL past the end. */
SLUICE_API sluice_channel *sluice_board_channel(sluice_board *board, unsigned index);

/*
 * Get a channel by its name.
 *   -ENOENT  no channel has that name
 *   -EINVAL  a pointer is NULL
 */
SLUICE_API int sluice_board_find_channel(sluice_board *board, const char *name,
                                         sluice_channel **channel);

/* Get the properties of a channel. size is sizeof(*info). -EINVAL: a pointer is NULL. */
SLUICE_API int sluice_channel_get_info(const sluice_channel *channel,
                                       struct sluice_channel_info *info, size_t size);

/* --- buffers ----------------------------------------------------------------------------- */

/*
 * Position of a buffer in the board's memory. Zeroed, buffers follow each other, each at the next
 * page of 4 KiB. sluice_buffer_get_bus_address() returns the address. On a device, the alignment
 * is that of a page, 4096; other values return -ENOTSUP.
 */
struct sluice_placement {
    uint64_t alignment; /* power of two, at least 4096; 0 means 4096 */
    uint64_t offset;    /* bytes past a multiple of alignment; smaller than it, and a multiple of
                           64 */
    uint32_t memory;    /* enum sluice_memory */
    uint32_t reserved;  /* 0 */
};

enum sluice_memory {
    SLUICE_HOST_MEMORY = 0, /* memory of the board's processor */
    SLUICE_GPU_MEMORY = 1,  /* memory of the GPU beside a simulated card (sim: boards opened with
                               gpu=...). Channels of the card and gpu0.copy use it like any buffer.
                               The program accesses it directly, without the bus and its time. For
                               memory of a real GPU, see sluice_buffer_import(). */
    SLUICE_ON_CHIP_MEMORY = 2, /* 256 KiB beside the DDR memory of a simulated Zynq. Every engine of
                                  its logic reaches it. On a device, import a part of
                                  /dev/sluice/ps/memory instead. */
};

/*
 * Allocate a zeroed buffer that the board can reach. bytes is at least 1 and at most the free
 * memory. placement may be NULL; placement_size is its sizeof. On a device, the buffer is a
 * dma-buf, and a channel imports it when it first uses it.
 *   -EINVAL   the length is 0, or the placement is impossible
 *   -ENOMEM   there is no free range of that size
 *   -ENOTSUP  the board has no such memory; dev: there are neither heaps nor udmabuf
 *   -EACCES   dev: no permission for the heap
 *   -ENOENT   dev: no such heap
 */
SLUICE_API int sluice_buffer_alloc(sluice_board *board, uint64_t bytes,
                                   const struct sluice_placement *placement,
                                   size_t placement_size, sluice_buffer **buffer);

/*
 * Make a buffer of an existing dma-buf, such as memory of a GPU, of another card, or of a camera.
 * The buffer has the size of the dma-buf. fd is the descriptor of the dma-buf; the buffer uses a
 * duplicate, and the caller keeps fd. A channel imports the dma-buf when it first uses it, and
 * refuses it if its engine cannot reach the memory. If the exporter does not let programs map it,
 * sluice_buffer_data() returns NULL. If the exporter revokes the memory, transfers complete with
 * -ESTALE.
 *
 * Engines of a simulated card reach a dma-buf whose exporter lets programs map it, and a memfd.
 * The library seals a memfd against shrinking (F_SEAL_SHRINK) if it is not sealed yet.
 *   -ENOTSUP  the board is neither a dev: board nor a simulated card
 *   -EINVAL   fd is not a dma-buf, nor a memfd where one is allowed
 *   -EBADF    fd is not a descriptor
 *   other     sim: an error of mmap(), such as -EACCES, if fd cannot be mapped for writing
 */
SLUICE_API int sluice_buffer_import(sluice_board *board, int fd, sluice_buffer **buffer);

/*
 * Free a buffer. NULL is ignored. -EBUSY: a queued transfer uses the buffer, or a hardware thread
 * has a grant of it. Nothing is freed then.
 */
SLUICE_API int sluice_buffer_free(sluice_buffer *buffer);

/*
 * Get the buffer's bytes, readable and writable until the buffer is freed. NULL: the memory was
 * imported, and its exporter does not let programs map it. Data that a channel writes is defined
 * once the program has reaped the transfer's completion. On a device, access the bytes only
 * between sluice_buffer_begin_access() and sluice_buffer_end_access().
 */
SLUICE_API void *sluice_buffer_data(sluice_buffer *buffer);

#define SLUICE_READ 0x1u  /* the CPU reads */
#define SLUICE_WRITE 0x2u /* the CPU writes */

/*
 * Begin access of the CPU to the buffer. The CPU then sees the data that channels wrote. access is
 * SLUICE_READ, SLUICE_WRITE or both. Devices whose caches are not coherent with the CPU's need
 * these calls for correct data, so a portable program makes them on every board. On a device the
 * call costs a system call (DMA_BUF_IOCTL_SYNC), on a simulated board nothing. A program may read
 * the buffer of a running capture.
 *   -EBUSY   a queued transfer uses the buffer, or access has already begun
 *   -EINVAL  access is invalid
 */
SLUICE_API int sluice_buffer_begin_access(sluice_buffer *buffer, unsigned access);

/*
 * End access of the CPU. Channels then see the data that the CPU wrote. Until then, transfers and
 * copies of this buffer return -EBUSY. -EINVAL: no access had begun.
 */
SLUICE_API int sluice_buffer_end_access(sluice_buffer *buffer);

/* Get the size of the buffer in bytes. */
SLUICE_API uint64_t sluice_buffer_bytes(const sluice_buffer *buffer);

/* --- transfers --------------------------------------------------------------------------- */

struct sluice_transfer {
    sluice_buffer *buffer; /* buffer of the same board */
    uint64_t offset;       /* first byte in the buffer */
    uint64_t bytes;        /* MM2S: bytes to send; the last one ends the packet (TLAST). S2MM:
                              room for data; a packet that ends earlier ends the transfer, a
                              longer packet is an error */
    uint64_t cookie;       /* value of the program, returned in the completion */
    uint64_t timeout_ns;   /* dev: timeout from submission on; 0: no limit. When it expires, the
                              transfer ends with -ETIMEDOUT, others queued on the channel with
                              -ECANCELED. sim: must be 0 */
    uint32_t flags;        /* SLUICE_TRANSFER_* */
    uint32_t reserved;     /* 0 */
    uint64_t card_offset;  /* SLUICE_HAS_CARD: first byte in the card's memory. Otherwise 0 */
};

/*
 * S2MM, dev: the transfer ends when it is full; the end of a packet does not end it. Its memory
 * need not be contiguous, and it may be as long as max_bytes. If a packet ends early, the next
 * data may leave a gap.
 */
#define SLUICE_TRANSFER_FILL 0x1u

/*
 * Result of a transfer. Values of status:
 *   -EIO        the memory reported an error; dev: the engine reported one
 *   -EFAULT     there is no memory at the address
 *   -EMSGSIZE   the packet was longer than the transfer
 *   -ECANCELED  the transfer was cancelled, or queued beside one that failed
 *   -ETIMEDOUT  dev: timeout_ns expired
 *   -ENODEV     dev: the device has been removed
 *   -ENOMEM     dev: the engine has too few descriptors for the transfer
 *   -ESTALE     dev: the exporter of imported memory has revoked it
 *   -EACCES     command of a hardware thread: no grant contains all of it
 *   -EINVAL     command of a hardware thread: the hardware reports it as invalid
 */
struct sluice_completion {
    uint64_t cookie;        /* cookie of the transfer */
    uint64_t bytes;         /* number of bytes moved; 0 for a failed transfer */
    uint64_t start_ns;      /* time at which software began to start it; dev: of its submission */
    uint64_t finish_ns;     /* time of the engine's interrupt; dev: of the driver's notice */
    int32_t status;         /* 0, or one of the errors above */
    uint32_t end_of_packet; /* 1: a packet ended with this transfer. dev: a received packet ended
                               before its transfer was full. Engines report only that */
};

/* Get a sentence about a completion's status. Static, never NULL. Any thread may call. */
SLUICE_API const char *sluice_status_text(int32_t status);

/*
 * Queue transfers on a channel, in order. The first one starts at once if the channel is idle.
 * Each other one starts when the one before it has finished. transfer_size is sizeof(struct
 * sluice_transfer). Simulated time passes when a transfer starts.
 *
 * Returns the number of accepted transfers. It is smaller than count if the queue
 * (SLUICE_QUEUE_DEPTH) becomes full. If a transfer is invalid, none is accepted.
 *
 * On a device, completions that were not reaped occupy the queue, too. A packet that is longer
 * than its transfer continues in the next one. If a packet's memory is not contiguous for the
 * engine, transfers before it are accepted nonetheless.
 *   -EAGAIN   the queue was already full
 *   -EINVAL   a transfer has no buffer or one of another board. Its length is 0 or too large, its
 *             range exceeds the buffer, or it lacks the channel's alignment. dev: the memory of a
 *             packet is not contiguous for the engine
 *   -EBUSY    the CPU's access to a buffer has not ended
 *   -ENOTSUP  the channel is one that copies, or does not support what a transfer requests
 */
SLUICE_API int sluice_channel_submit(sluice_channel *channel,
                                     const struct sluice_transfer *transfers, unsigned count,
                                     size_t transfer_size);

struct sluice_copy {
    sluice_buffer *source;      /* buffer of the same board */
    uint64_t source_offset;
    sluice_buffer *destination; /* buffer of the same board, may be the source */
    uint64_t destination_offset;
    uint64_t bytes;
    uint64_t cookie;            /* value of the program, returned in the completion */
    uint64_t timeout_ns;        /* as in sluice_transfer */
};

/*
 * Queue copies on a channel of direction SLUICE_COPY. copy_size is sizeof(struct sluice_copy). The
 * result and errors are those of sluice_channel_submit(). In addition, -EINVAL means that source
 * and destination overlap, and -ENOTSUP that the channel does not copy. If a copy fails, the
 * content of its destination is undefined.
 */
SLUICE_API int sluice_channel_copy(sluice_channel *channel, const struct sluice_copy *copies,
                                   unsigned count, size_t copy_size);

/*
 * Take up to count completions, in the order of submission. The call waits until there is at least
 * one. timeout_ns limits the wait in the board's time: negative means no limit, 0 means no wait.
 * completion_size is sizeof(struct sluice_completion). Returns the number of completions taken. It
 * is 0 if the timeout expired or if nothing is queued. Simulated time passes during the wait. dev:
 * the call makes no system call if a completion is available.
 *   -EINTR  dev: a signal arrived first; nothing is lost
 */
SLUICE_API int sluice_channel_reap(sluice_channel *channel, struct sluice_completion *completions,
                                   unsigned count, size_t completion_size, int64_t timeout_ns);

/*
 * Wait until at least one of `count` channels has a completion to reap. timeout_ns is that of
 * sluice_channel_reap(). The call takes no completion, and the next reap of that channel does not
 * wait. Simulated time passes during the wait. dev: the call makes no system call if a completion
 * is available.
 *
 * Returns 1 if a channel has a completion. *index, unless NULL, is then the array index of the
 * first such channel. A program that reaps only this channel can starve those behind it. Reap all
 * channels, or start the array with another channel next time. Returns 0 if the timeout expired or
 * if nothing is queued on any channel; *index does not change then. Channels may be in any state,
 * and in the array more than once. The call ignores channels without queued transfers.
 *   -EINVAL     count is 0, a pointer is NULL, or the channels belong to different boards
 *   -ETIMEDOUT  an engine that was reset does not leave its reset
 *   -EINTR      dev: a signal arrived first; nothing is lost
 *   -ENODEV     dev: a channel's device has been removed, and no completion is available
 */
SLUICE_API int sluice_channel_wait_any(sluice_channel *const *channels, unsigned count,
                                       int64_t timeout_ns, unsigned *index);

/*
 * Stop the channel. Transfers that are queued or in progress complete with -ECANCELED and can be
 * reaped. The library resets the engine, which cancels the other channel of the same AXI DMA, too
 * (AMD PG021). Returns 0 on success.
 *   -ETIMEDOUT  the engine did not leave its reset
 *   -ENOTSUP    dev: the engine cannot be stopped (SLUICE_CAN_CANCEL)
 */
SLUICE_API int sluice_channel_cancel(sluice_channel *channel);

/* --- the card's memory -------------------------------------------------------------------- */

/*
 * Access the memory of a card, or the block RAM of a Zynq's logic (design cdma). Each engine that
 * copies reaches a part of that block RAM: card_first and card_bytes of its channel.
 *
 * These calls copy between the program and that memory from byte `offset` on. The CPU copies,
 * through the card's BAR or the logic's control port. Simulated time passes. Stores to a BAR are
 * combined and posted. Written data may arrive after the call has returned, but before any later
 * access to the card. Loads wait for the card one by one, so reading is slow. sim: each word of 32
 * bits of block RAM is one access.
 *   -EINVAL   the range exceeds the memory
 *   -ENOTSUP  the board has no such memory, or is a function of vfio-pci, whose memory BAR is not
 *             mapped yet
 *   -EIO      the card does not answer
 */
SLUICE_API int sluice_card_write(sluice_board *board, uint64_t offset, const void *data,
                                 uint64_t bytes);
SLUICE_API int sluice_card_read(sluice_board *board, uint64_t offset, void *data, uint64_t bytes);

/*
 * Make a buffer of part of that memory. Byte 0 of the buffer is byte `offset` of the memory.
 * Buffers may overlap. sluice_buffer_data() returns the memory itself. dev: the processor accesses
 * it without a cache. sim: accesses do not use the bus and take no time.
 *
 * Other devices reach a buffer of a card's memory through the card's BAR; a GPU can copy it. The
 * card's own channels refuse it (sim: -EINVAL, dev: -EXDEV). Block RAM is a source or destination
 * of copies like any buffer, for the engine that reaches this part. Channels of other engines
 * refuse it (sim: -EINVAL, dev: -EXDEV).
 *   -EINVAL   the range exceeds the memory; sim: it is not within one engine's part of block RAM
 *   -ENOTSUP  vfio: the memory BAR is not mapped
 */
SLUICE_API int sluice_card_buffer(sluice_board *board, uint64_t offset, uint64_t bytes,
                                  sluice_buffer **buffer);

/* --- capture ----------------------------------------------------------------------------- */

/*
 * A capture receives a stream into a ring of N periods in one buffer. Periods are numbered from 0.
 * Period n is at index n modulo N. The engine does not wait for the reader. The result of
 * sluice_capture_release() says how many of the periods just read the engine had overwritten by
 * then. Data that a program has copied or computed is therefore valid only after that result.
 * Every loss is reported.
 *
 * With SLUICE_CAPTURE_HOLD, the engine gets released periods only. Each is a transfer of one
 * packet. While no period is released, the stream is blocked. Nothing is lost or overwritten.
 *
 * Only channels with SLUICE_CAN_CAPTURE capture; on others all of these calls return -ENOTSUP. A
 * channel serves either transfers or a capture at one time, and returns -EBUSY for the other. On
 * sim: and vfio: boards the library counts the periods itself, at each call of the program.
 */
struct sluice_capture {
    sluice_buffer *buffer; /* buffer of the same board, contiguous for the engine: ?heap=cma */
    uint64_t offset;       /* offset of period 0 in the buffer */
    uint64_t period_bytes; /* size of a period, at most the channel's max_packet_bytes */
    uint32_t periods;      /* N, at least 3, and larger than the number of periods that the
                              engine's buffer can be ahead */
    uint32_t flags;        /* SLUICE_CAPTURE_* */
};

#define SLUICE_CAPTURE_GUESS 0x1u /* do not use the hardware's counts */
#define SLUICE_CAPTURE_HOLD 0x2u  /* block the stream; -ENOTSUP without SLUICE_CAN_HOLD */

/*
 * Start a capture. capture_size is sizeof(*capture).
 *   -EINVAL   the range, a count or the alignment is invalid, or the memory is not contiguous
 *   -EBUSY    transfers are queued, a capture is running, or the CPU's access to the buffer has
 *             not ended
 *   -ENOSPC   the engine has too few descriptors
 *   -ENOTSUP  the channel does not support the request
 */
SLUICE_API int sluice_capture_start(sluice_channel *channel, const struct sluice_capture *capture,
                                    size_t capture_size);

/*
 * Wait until period `period` has ended. timeout_ns limits the wait: negative means no limit, 0
 * means no wait. Returns 1 if the period has ended, 0 if the timeout expired. *produced, unless
 * NULL, is the number of periods that have ended. If the period has already ended, the call makes
 * no system call.
 *   -EPIPE   the capture stopped before the period ended
 *   -EINTR   a signal arrived first
 *   -EINVAL  no capture was started
 */
SLUICE_API int sluice_capture_wait(sluice_channel *channel, uint64_t period, int64_t timeout_ns,
                                   uint64_t *produced);

struct sluice_capture_period {
    uint64_t bytes;   /* number of bytes received */
    uint64_t ticks;   /* time of its end by the hardware's clock; 0 unless exact */
    uint64_t time_ns; /* time at which the driver noticed its end */
    uint64_t drops;   /* number of beats dropped before the engine during the period */
    uint32_t exact;   /* 1: the hardware counted bytes, ticks and drops */
    uint32_t merged;  /* 1: the driver was too late to read this period's counts. They are part
                         of the next period whose merged is 0 */
};

/*
 * Get the record of a period. size is sizeof(*info). -ENOENT: the period has not ended, or its
 * record has been overwritten.
 */
SLUICE_API int sluice_capture_get_period(sluice_channel *channel, uint64_t period,
                                         struct sluice_capture_period *info, size_t size);

/*
 * Copy the first `bytes` of a period to `data` by the driver's pread(). It is meant for programs
 * that cannot map the ring, and for comparison. The copy is valid if the period was not lost,
 * which the next sluice_capture_release() reports. The driver begins and ends an access to the
 * buffer, so the program must not have begun one.
 *   -EINVAL   the period has not ended or was released, or `bytes` exceeds period_bytes of the
 *             capture
 *   -ENODEV   the device has been removed, and the ring with it
 *   -ENOTSUP  the board is not a dev: board, the driver is too old, or the kernel cannot map the
 *             ring's memory. On other boards, the ring is the program's own memory
 */
SLUICE_API int sluice_capture_read(sluice_channel *channel, uint64_t period, void *data,
                                   uint64_t bytes);

struct sluice_capture_answer {
    uint64_t released; /* number below which all periods had been released before this call */
    uint64_t lost;     /* number of periods, from `released` on, that the engine overwrote or may
                          have overwritten before this call */
    uint64_t produced; /* number of periods that have ended by now */
};

/*
 * Release all periods below number `period`, and get the number of lost ones. size is
 * sizeof(*answer). -EINVAL: period is below the number released so far, or above the number of
 * periods that have ended.
 */
SLUICE_API int sluice_capture_release(sluice_channel *channel, uint64_t period,
                                      struct sluice_capture_answer *answer, size_t size);

/* Periods that the engine overwrote before their release. */
struct sluice_capture_loss {
    uint64_t first;   /* number of the first lost period */
    uint64_t count;   /* number of consecutive lost periods */
    uint64_t time_ns; /* time at which the driver noticed the loss */
};

/*
 * Get loss number `index` of this capture (0, 1, ...). size is sizeof(*loss). -ENOENT: there is no
 * such loss, or its record has been overwritten.
 */
SLUICE_API int sluice_capture_get_loss(sluice_channel *channel, uint64_t index,
                                       struct sluice_capture_loss *loss, size_t size);

struct sluice_capture_status {
    uint64_t produced; /* number of periods that have ended */
    uint64_t released; /* number of periods that the program has released */
    uint64_t lost;     /* number of periods that the engine overwrote before their release */
    uint64_t losses;   /* number of losses for sluice_capture_get_loss() */
    uint64_t bytes;    /* number of bytes received */
    uint64_t drops;    /* number of beats dropped before the engine */
    uint64_t clock_hz; /* frequency of the ticks of periods; 0: not known */
    uint32_t running;  /* 0: stopped */
    uint32_t exact;    /* 1: the hardware counts. 0: produced and lost are an estimate, or with
                          SLUICE_CAPTURE_HOLD the driver's count */
};

/*
 * Get the status of the capture. On sim: and vfio: boards it is that of the last of the calls
 * above. The call makes no system call. size is sizeof(*status). -EINVAL: no capture was started.
 */
SLUICE_API int sluice_capture_get_status(sluice_channel *channel,
                                         struct sluice_capture_status *status, size_t size);

/* Stop the capture. The status remains, and the program can still release periods. */
SLUICE_API int sluice_capture_stop(sluice_channel *channel);

/* --- registers, interrupts and memory ---------------------------------------------------- */

/*
 * These calls reach the hardware below the channels. They serve software that has its own driver:
 * a bare-metal driver, the driver of another kernel, or a script. A program that writes an
 * engine's registers must not queue transfers on that engine's channels.
 * docs/reference/libsluice-registers.md has the rules and an example. dev: boards return -ENOTSUP
 * for all of these calls, because the driver owns the hardware.
 */

/*
 * Read the 32-bit register at a byte offset of the design's control space. docs/reference has the
 * map of each design. Simulated time passes, as for the access on the bus.
 *   -EINVAL   offset is not a multiple of 4, or exceeds the space's 1 MiB
 *   -EIO      no register is at that offset: the bus reports an error. vfio: offset exceeds BAR 0
 *   -ENOTSUP  level=transaction: only RTL has the register
 *   -ENODEV   vfio: the card has been removed
 */
SLUICE_API int sluice_board_read_register(sluice_board *board, uint64_t offset, uint32_t *value);

/*
 * Write bytes of such a register. Bit i of enables selects byte i of value; 0xf selects all four.
 * The call returns when the bus has acknowledged the write. vfio: it returns when the CPU has
 * issued the store. Memory written before is visible to the device first. Errors are those of a
 * read, and these.
 *   -EINVAL   enables is 0 or above 0xf
 *   -ENOTSUP  level=transaction: enables is not 0xf. vfio: enables is not 0xf, 0x3, 0xc or a
 *             single byte
 */
SLUICE_API int sluice_board_write_register(sluice_board *board, uint64_t offset, uint32_t value,
                                           unsigned enables);

/*
 * Get the bus address of the buffer's first byte, by which the board's masters reach it. A program
 * writes it into an engine's registers and descriptors. It is valid until the buffer is freed.
 */
SLUICE_API int sluice_buffer_get_bus_address(const sluice_buffer *buffer, uint64_t *address);

/*
 * Get the interrupt lines that are high, bit n for line n. Lines are level-sensitive: a line stays
 * high until the program clears its cause in the engine. No time passes.
 *
 * On a card, line n becomes high when the message of vector n arrives. It stays high until this
 * call or the next one has reported it. If the engine has transfers of a channel, the library
 * handles the message itself. The line then stays high until the library has handled it. vfio:
 * this call and the two below return -ENOTSUP. Poll the status registers of such a board.
 */
SLUICE_API int sluice_board_get_interrupts(sluice_board *board, uint64_t *lines);

/*
 * Wait until a line of mask is high, or until timeout_ns of the board's time have passed. Returns
 * 1 if a line is high, 0 if the timeout expired. *lines, unless NULL, gets all lines. -EINVAL:
 * mask is 0.
 */
SLUICE_API int sluice_board_wait_interrupt(sluice_board *board, uint64_t mask, uint64_t timeout_ns,
                                           uint64_t *lines);

/*
 * Get a descriptor for poll(2). It is readable while a line of mask is high, as of the last call
 * on the board in which time passed. A read of 8 bytes never blocks (EAGAIN) and consumes the
 * event. While the line stays high, the next such call signals it again. Simulated time does not
 * pass in poll(2). Call poll with timeout 0, and sluice_board_sleep_ns() between two polls. The
 * board owns the descriptor and closes it. Calls with the same mask return the same descriptor.
 * -EINVAL: mask is 0.
 */
SLUICE_API int sluice_board_interrupt_fd(sluice_board *board, uint64_t mask);

/*
 * Get the memory of a simulated board as a file. Returns a descriptor, which the caller closes. It
 * stays valid after the board has been closed. Byte 0 of the file is at bus address *first, and
 * the file has *bytes. This process and others may map it with MAP_SHARED. Access it only while no
 * call on the board is running. Buffers lie in the same memory, from its lowest free page upwards.
 * vfio: -ENOTSUP, because a card reaches buffers only.
 */
SLUICE_API int sluice_board_memory_fd(sluice_board *board, uint64_t *first, uint64_t *bytes);

/*
 * Map that memory from bus address `address` on. The mapping starts at host address `at`, or
 * anywhere if `at` is NULL, and *data is its start. If `at` equals `address`, pointers are bus
 * addresses, as bare-metal code expects. The same call maps the on-chip memory of a simulated
 * Zynq, 256 KiB at 0xfffc0000. The mapping lasts until the board is closed.
 *   -EINVAL   an address or the length is not a multiple of 4096, the length is 0, or the range
 *             exceeds the memory
 *   -EEXIST   this process has something else mapped there, and keeps it
 *   -EPERM    the host address is below vm.mmap_min_addr
 *   -ENOTSUP  the board is a vfio: board
 */
SLUICE_API int sluice_board_map_memory(sluice_board *board, void *at, uint64_t address,
                                       uint64_t bytes, void **data);

/*
 * Map registers at host addresses, for drivers that use plain pointers. The registers from
 * `offset` of the control space on appear at host address `at`, or anywhere if `at` is NULL. *data
 * is the start. They stay mapped until the board is closed.
 *
 * Each access faults, and the library turns it into a call on the board. Time passes, and the
 * rules for threads apply. An access must be a load or store of 1, 2 or 4 bytes within one
 * register, as compilers generate for volatile variables. For any other instruction, or an error
 * of the bus, the library writes one sentence to the standard error. The fault then ends the
 * program. While a board has registers mapped, the library handles SIGSEGV. It passes other faults
 * to the handler that was installed before.
 *   -EINVAL   an address, the offset or the length is not a multiple of 4096, the length is 0, or
 *             the range exceeds the space's 1 MiB
 *   -EEXIST   this process has something else mapped there
 *   -EBUSY    another board of this process has registers mapped
 *   -ENOTSUP  the processor is not x86-64
 */
SLUICE_API int sluice_board_map_registers(sluice_board *board, void *at, uint64_t offset,
                                          uint64_t bytes, void **data);

/* --- hardware threads -------------------------------------------------------------------- */

/*
 * A hardware thread is logic with a stream from memory and a stream to memory. The program grants
 * it memory and queues commands. If no grant contains all of a command, the hardware refuses the
 * whole command. The thread's kernel processes its streams. It takes jobs from one mailbox and
 * posts results to another. Without a kernel, the thread is the lane of its number (attributes
 * "t0.loopback", "t0.source.*", "t0.sink.*"). docs/howto/write-a-hardware-thread.md is a guide.
 *
 * A thread is running or halted; it is running after sluice_hwt_open(). All of these calls return
 * -EINVAL if a pointer is NULL. Only sim: boards with a thread_count in sluice_board_info have
 * threads.
 */

enum sluice_hwt_kernel {
    SLUICE_HWT_LANE = 0,   /* no kernel: source, sink or loop-back of its lane */
    SLUICE_HWT_COPY = 1,   /* sends what it receives: a words, or up to the end of the packet */
    SLUICE_HWT_COUNT = 2,  /* sends a words that count up from b */
    SLUICE_HWT_XOR = 3,    /* receives a words; the result is their exclusive or */
    SLUICE_HWT_REDUCE = 4, /* receives b groups of a words, or up to the end of the packet. Sends
                              the sum of the bytes of each group. a is at most 65535 */
    SLUICE_HWT_SOBEL = 5,  /* receives a grey image of b rows of a words. A word has four pixels,
                              the leftmost in the lowest byte. Sends an image of the same size.
                              Each pixel is min(255, |Gx| + |Gy|), 0 at the border. a is 2 to 512,
                              b 1 to 65535 */
};

struct sluice_hwt_info {
    char name[SLUICE_NAME_BYTES]; /* "t3"; the names of its lane's attributes start with it */
    uint32_t number;
    uint32_t width_bits;          /* width of its streams; a word is 32 bits */
    uint32_t windows;             /* largest number of grants */
    uint32_t depth;               /* commands of one direction that the hardware holds */
    uint64_t max_bytes;           /* longest command */
    uint32_t alignment;           /* alignment of a command's offset */
    uint32_t grant_alignment;     /* alignment of a grant's offset, and of its length unless it
                                     ends with the buffer */
    uint32_t kernels;             /* bit n set: the thread has enum sluice_hwt_kernel n */
    uint32_t halted;              /* 1: halted */
};

/*
 * Open thread `number`, 0 to thread_count - 1. The thread is reset and runs, without grants and
 * without a kernel. Its input stream comes from memory. Simulated time passes in this call and in
 * all that follow.
 *   -ENOTSUP    the board has no hardware threads
 *   -ENOENT     there is no thread of that number
 *   -EBUSY      the thread is already open
 *   -ETIMEDOUT  see sluice_hwt_halt()
 */
SLUICE_API int sluice_hwt_open(sluice_board *board, unsigned number, sluice_hwt **hwt);

/*
 * Halt the thread, revoke its grants and free the handle. Commands are abandoned. NULL is ignored.
 * Closing the board closes all threads.
 *   -EBUSY      another thread takes this thread's stream (sluice_hwt_route())
 *   -ETIMEDOUT  see sluice_hwt_halt(); the thread stays open
 */
SLUICE_API int sluice_hwt_close(sluice_hwt *hwt);

/* Get the properties of a thread. size is sizeof(*info). */
SLUICE_API int sluice_hwt_get_info(const sluice_hwt *hwt, struct sluice_hwt_info *info,
                                   size_t size);

struct sluice_hwt_window {
    sluice_buffer *buffer; /* buffer of the same board */
    uint64_t offset;       /* first byte in the buffer */
    uint64_t bytes;        /* at least 1 */
    uint32_t access;       /* what the thread may do, SLUICE_READ, SLUICE_WRITE or both */
    uint32_t reserved;     /* 0 */
};

/*
 * Grant the thread's commands access to a range of a buffer, from now on. A command must lie
 * within one grant; two adjacent grants do not count as one. grant_size is sizeof(*grant). Returns
 * the grant's number, 0 to windows - 1.
 *   -ENOSPC  the thread has the largest number of grants
 *   -EINVAL  the range, its alignment or the access is invalid
 */
SLUICE_API int sluice_hwt_grant(sluice_hwt *hwt, const struct sluice_hwt_window *grant,
                                size_t grant_size);

/*
 * Revoke a grant.
 *   -ENOENT  there is no grant of that number
 *   -EBUSY   the thread is running and has commands, which keep their grants. Reap them, or halt
 *            the thread first.
 */
SLUICE_API int sluice_hwt_revoke(sluice_hwt *hwt, unsigned grant);

struct sluice_hwt_command {
    sluice_buffer *buffer; /* buffer of the same board */
    uint64_t offset;       /* first byte in the buffer */
    uint64_t bytes;        /* 1 to max_bytes. S2MM: a packet that ends earlier ends the command;
                              a longer packet continues in the next command */
    uint64_t cookie;       /* value of the program, returned in the completion */
    uint32_t direction;    /* SLUICE_MM2S (memory to thread) or SLUICE_S2MM (thread to memory) */
    uint32_t flags;        /* SLUICE_HWT_* */
};

/* MM2S: the last byte ends a packet. Without it, bytes must be a multiple of the stream's width. */
#define SLUICE_HWT_EOP 0x1u

/*
 * Queue commands. Those of one direction run in order; the two directions do not wait for each
 * other. command_size is sizeof(struct sluice_hwt_command). Returns the number of accepted
 * commands. It is smaller than count if a direction's queue (SLUICE_QUEUE_DEPTH) becomes full. The
 * hardware checks the grants. A command that it refuses moves nothing, and completes with -EACCES
 * in its turn.
 *   -EAGAIN  the queue was already full
 *   -EINVAL  a buffer, range, direction or flag is invalid; none is accepted
 *   -EBUSY   the thread is halted, or the CPU's access to a buffer has not ended
 */
SLUICE_API int sluice_hwt_submit(sluice_hwt *hwt, const struct sluice_hwt_command *commands,
                                 unsigned count, size_t command_size);

/*
 * Take up to count completions of a direction, in order. The call waits and returns like
 * sluice_channel_reap(). finish_ns is the time at which the interrupt rose. For a command that
 * ended while the interrupt was already high, it is the time at which the library noticed the end.
 * -EINVAL: direction is invalid.
 */
SLUICE_API int sluice_hwt_reap(sluice_hwt *hwt, uint32_t direction,
                               struct sluice_completion *completions, unsigned count,
                               size_t completion_size, int64_t timeout_ns);

/*
 * Connect the thread's input to the output stream of another thread, or to memory again (source is
 * NULL). The call halts both threads, and resumes those that were running. Data in their kernels
 * is lost. The source's stream then goes only there.
 *   -EBUSY      one of the threads has commands, or a third thread takes the stream of source
 *   -EINVAL     source belongs to another board, or is hwt itself
 *   -ENOTSUP    the design does not connect threads
 *   -ETIMEDOUT  see sluice_hwt_halt()
 */
SLUICE_API int sluice_hwt_route(sluice_hwt *hwt, sluice_hwt *source);

/*
 * Set the thread's kernel, enum sluice_hwt_kernel. It stays set when the thread is halted.
 *   -ENOTSUP  the thread has no such kernel
 *   -EBUSY    a job has not finished
 */
SLUICE_API int sluice_hwt_set_kernel(sluice_hwt *hwt, uint32_t kernel);

/*
 * Start a job of the kernel. A job is two words, a and b, which enum sluice_hwt_kernel describes.
 * b is 0 where it says nothing. The data that a job sends is one packet. Jobs wait in the mailbox.
 *   -EINVAL   a or b is out of range
 *   -EAGAIN   the mailbox is full
 *   -ENOTSUP  the thread has no kernel set
 *   -EBUSY    the thread is halted
 */
SLUICE_API int sluice_hwt_start(sluice_hwt *hwt, uint32_t a, uint32_t b);

/*
 * Wait for the result of the oldest job. timeout_ns limits the wait: negative means no limit, 0
 * means no wait. Returns 1 and stores the result, unless result is NULL. Returns 0 if the timeout
 * expired. A result is the exclusive or of the words sent. For SLUICE_HWT_XOR it is that of the
 * words received. -ENOENT: there is no job.
 */
SLUICE_API int sluice_hwt_wait(sluice_hwt *hwt, uint32_t *result, int64_t timeout_ns);

/*
 * Access the mailboxes word by word. sluice_hwt_start() and sluice_hwt_wait() use the same
 * mailboxes, so a program uses either pair, not both. timeout_ns is that of sluice_hwt_wait().
 * Returns 1 on success. Returns 0 if the timeout expired, because the mailbox was full (put) or
 * empty (get).
 *   -ENOTSUP  the thread has no mailboxes
 *   -EBUSY    the thread is halted
 */
SLUICE_API int sluice_hwt_put(sluice_hwt *hwt, uint32_t word, int64_t timeout_ns);
SLUICE_API int sluice_hwt_get(sluice_hwt *hwt, uint32_t *word, int64_t timeout_ns);

/*
 * Halt the thread. Bursts that memory has accepted finish; the thread drops everything else. Its
 * logic is then held in reset, and its mailboxes and jobs are cleared. Commands that are queued or
 * in flight complete with -ECANCELED and can be reaped. Grants and the route remain. Other threads
 * are not affected. Halting a halted thread does nothing.
 *   -ETIMEDOUT  the thread did not become idle. It is halted nonetheless, and keeps its commands.
 *               Halt, resume, close, revoke and reap then wait for it again, and may return the
 *               same error.
 */
SLUICE_API int sluice_hwt_halt(sluice_hwt *hwt);

/* Resume a halted thread; it starts from reset. A running thread does not change. */
SLUICE_API int sluice_hwt_resume(sluice_hwt *hwt);

/* A command that the hardware refused. */
struct sluice_hwt_fault {
    uint32_t thread;       /* number of the thread whose command was refused */
    uint32_t direction;    /* SLUICE_MM2S (a read) or SLUICE_S2MM (a write) */
    sluice_buffer *buffer; /* buffer in which the command would have begun; NULL if it was freed */
    uint64_t offset;       /* its offset in the buffer */
    uint64_t bytes;        /* its length */
    uint64_t refused;      /* number of refused commands since the last reported fault, with this
                              one. The hardware records the first; completions report all */
};

/*
 * Get the next fault of any thread of the board. size is sizeof(*fault). timeout_ns is that of
 * sluice_hwt_wait(). Returns 1 on success, 0 if the timeout expired. -ENOTSUP: the board has no
 * hardware threads.
 */
SLUICE_API int sluice_hwt_next_fault(sluice_board *board, struct sluice_hwt_fault *fault,
                                     size_t size, int64_t timeout_ns);

/*
 * Statistics of one direction of a thread. Cycles are those of the logic's clock since
 * sluice_hwt_clear_stats(), modulo 2^32. In a cycle in which the memory port transfers no beat,
 * exactly one of the stalls counts.
 */
struct sluice_hwt_stats {
    uint64_t bytes;          /* moved since the thread was opened */
    uint64_t commands;       /* completed since then, with any status */
    uint64_t refused;        /* completed with -EACCES */
    uint64_t stall_address;  /* cycles: a burst's address waited at the port */
    uint64_t stall_space;    /* cycles: the thread (MM2S) or memory (S2MM) accepted no data */
    uint64_t stall_data;     /* cycles: no command, or the thread sent no data (S2MM) */
    uint64_t stall_response; /* cycles: bursts were in flight and memory did not answer */
    uint64_t worst_wait;     /* longest wait of a burst's address in cycles, counted up to 1023 */
};

/* Get the statistics of a direction. size is sizeof(*stats). -EINVAL: direction is invalid. */
SLUICE_API int sluice_hwt_get_stats(sluice_hwt *hwt, uint32_t direction,
                                    struct sluice_hwt_stats *stats, size_t size);

/* Reset the cycle counts of both directions. */
SLUICE_API int sluice_hwt_clear_stats(sluice_hwt *hwt);

/* --- the CPU ----------------------------------------------------------------------------- */

enum sluice_cpu_kind {
    SLUICE_CPU_COPY = 1,  /* copy the source to the destination, 64 bits at a time */
    SLUICE_CPU_READ = 2,  /* read the source from start to end, 64 bits at a time */
    SLUICE_CPU_CHASE = 3, /* loads whose value is the address of the next load, in a fixed order */
};

struct sluice_cpu_work {
    sluice_buffer *source;      /* buffer of this board */
    sluice_buffer *destination; /* SLUICE_CPU_COPY: another buffer. Otherwise NULL */
    uint64_t bytes;             /* length from the start of the buffers, a multiple of 32 */
    uint64_t loads;             /* SLUICE_CPU_CHASE: number of loads */
    uint32_t kind;              /* enum sluice_cpu_kind */
    uint32_t stride;            /* SLUICE_CPU_CHASE: a multiple of 8, with bytes / stride a power
                                   of two */
    uint32_t uncached;          /* 1: the source is mapped without caches */
    uint32_t reserved;          /* 0 */
};

/*
 * Run work on the model of the board's CPU. work_size is sizeof(*work). *elapsed_ps is the time
 * that it took, on the board's clock. Caches and TLBs keep the state of the work before. Transfers
 * in progress continue at the same time.
 *   -ENOTSUP  the board has no model of its CPU (level=rtl, or not a Zynq). dev:, vfio: the
 *             program runs on the board's CPU
 *   -EBUSY    the CPU is permanently at work (model.cpu_copies)
 *   -EINVAL   a buffer belongs to another board, or the work is invalid
 */
SLUICE_API int sluice_board_cpu_work(sluice_board *board, const struct sluice_cpu_work *work,
                                     size_t work_size, uint64_t *elapsed_ps);

/* --- attributes -------------------------------------------------------------------------- */

/*
 * Attributes are settings and counters of the design around the engines. They have names such as
 * "hp0.sink.beats", and values of 64 bits. The design's reference page lists them. A device has
 * the attributes that its driver lets programs access (sluice,controls in the board's
 * description), under the same names.
 */
struct sluice_attribute_info {
    char name[SLUICE_TEXT_BYTES];
    uint64_t max;                 /* largest value that can be written; 0: read-only */
    char text[SLUICE_TEXT_BYTES]; /* description */
};

/* Get attribute `index` (0, 1, ...). size is sizeof(*info). -ENOENT: index is past the last one. */
SLUICE_API int sluice_board_attribute(sluice_board *board, unsigned index,
                                      struct sluice_attribute_info *info, size_t size);

/* Read an attribute. Simulated time passes (a bus access). -ENOENT: no attribute has that name. */
SLUICE_API int sluice_board_get_attribute(sluice_board *board, const char *name, uint64_t *value);

/*
 * Write an attribute. Simulated time passes (a bus access).
 *   -ENOENT  no attribute has that name
 *   -EACCES  the attribute is read-only
 *   -ERANGE  the value is above its max
 */
SLUICE_API int sluice_board_set_attribute(sluice_board *board, const char *name, uint64_t value);

#ifdef __cplusplus
}
#endif

#endif /* SLUICE_H */
