/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Sluice: queues of DMA transfers, and capture that cannot lose silently, for user space.
 */
#ifndef _UAPI_LINUX_SLUICE_H
#define _UAPI_LINUX_SLUICE_H

#include <linux/ioctl.h>
#include <linux/types.h>

/**
 * DOC: General
 *
 * Each channel of a board is a character device, /dev/sluice/<board>/<channel>: one direction of
 * a stream, or one memory-to-memory engine. It is opened by one at a time; a file descriptor may be
 * shared by threads and handed to other processes. All that was set up ends with the last of them.
 *
 * An open channel is used in one of three ways, chosen by the first call that needs one, until it
 * is closed: as a queue of transfers (%SLUICE_SUBMIT), as a capture without end
 * (%SLUICE_CAPTURE_START), or as a pipe (read(), write()). -EBUSY for calls of the others.
 *
 * Memory is that of imported dma-bufs (%SLUICE_ATTACH): of dma-heaps, of udmabuf, of another
 * device. What a program does with the CPU to a buffer goes between DMA_BUF_IOCTL_SYNC's start and
 * end, and not while a transfer of that buffer is under way. No bus address is ever shown.
 *
 * Each ioctl takes a structure whose first member is its size as the program knows it. A program
 * and a kernel of different versions understand each other: what the program does not have counts
 * as 0, and what the kernel does not have must be 0. Structures grow at their end only; members
 * called reserved must be 0. No structure has padding. The smallest size is that of version 1.
 *
 *  - ENOTTY: this kernel has no such call
 *  - E2BIG: there is something other than 0 behind what this kernel knows of the structure, or the
 *    structure is larger than a page
 *  - EINVAL: the structure is smaller than version 1 has it, or a member is not correct
 *  - EOPNOTSUPP: a flag that this kernel does not know, or something that the channel cannot do
 *    (&struct sluice_info.capabilities)
 *  - ENOENT: no buffer of that number
 *  - ENODEV: the device has gone
 *  - EBUSY: the channel is used in another way
 *
 * Times are in nanoseconds, of CLOCK_MONOTONIC_RAW where they are points of time.
 */

/* What this header describes; &struct sluice_info.api_version is what the kernel has. */
#define SLUICE_API_VERSION	1

#define SLUICE_IOCTL_TYPE	0xd9

#define SLUICE_INFO		_IO(SLUICE_IOCTL_TYPE, 0x00)
#define SLUICE_ATTACH		_IO(SLUICE_IOCTL_TYPE, 0x01)
#define SLUICE_DETACH		_IO(SLUICE_IOCTL_TYPE, 0x02)
#define SLUICE_SETUP		_IO(SLUICE_IOCTL_TYPE, 0x03)
#define SLUICE_SUBMIT		_IO(SLUICE_IOCTL_TYPE, 0x04)
#define SLUICE_REAP		_IO(SLUICE_IOCTL_TYPE, 0x05)
#define SLUICE_CANCEL		_IO(SLUICE_IOCTL_TYPE, 0x06)
#define SLUICE_CAPTURE_START	_IO(SLUICE_IOCTL_TYPE, 0x07)
#define SLUICE_CAPTURE_WAIT	_IO(SLUICE_IOCTL_TYPE, 0x08)
#define SLUICE_CAPTURE_RELEASE	_IO(SLUICE_IOCTL_TYPE, 0x09)
#define SLUICE_CAPTURE_STOP	_IO(SLUICE_IOCTL_TYPE, 0x0a)
#define SLUICE_ALLOCATE		_IO(SLUICE_IOCTL_TYPE, 0x0b)

/* Of a control node. */
#define SLUICE_ATTRIBUTE_INFO	_IO(SLUICE_IOCTL_TYPE, 0x20)
#define SLUICE_ATTRIBUTE_GET	_IO(SLUICE_IOCTL_TYPE, 0x21)
#define SLUICE_ATTRIBUTE_SET	_IO(SLUICE_IOCTL_TYPE, 0x22)

/* Of a memory node. */
#define SLUICE_MEMORY_INFO	_IO(SLUICE_IOCTL_TYPE, 0x30)
#define SLUICE_MEMORY_EXPORT	_IO(SLUICE_IOCTL_TYPE, 0x31)

/* Offsets for mmap() of a channel, all MAP_SHARED, and for pread() of what is captured. */
#define SLUICE_MMAP_RING	0x00000000ULL	/* struct sluice_ring, PROT_READ */
#define SLUICE_MMAP_TAIL	0x10000000ULL	/* struct sluice_ring_tail, one page */
#define SLUICE_MMAP_CAPTURE	0x20000000ULL	/* struct sluice_capture_status, PROT_READ */
#define SLUICE_MMAP_BUFFER	0x40000000ULL	/* and on: the buffer captured into */

/* Times to wait: without end, not at all. */
#define SLUICE_FOREVER		(~0ULL)
#define SLUICE_NO_WAIT		0ULL

/* ---------------------------------------------------------------------------------------------
 * The channel
 */

/**
 * enum sluice_direction - Where a channel moves data
 * @SLUICE_TX: from memory to the stream (MM2S)
 * @SLUICE_RX: from the stream to memory (S2MM)
 * @SLUICE_COPY: from memory to memory
 */
enum sluice_direction {
	SLUICE_TX = 1,
	SLUICE_RX = 2,
	SLUICE_COPY = 3,
};

/**
 * DOC: Capabilities
 *
 * %SLUICE_CAP_QUEUE: takes transfers by %SLUICE_SUBMIT.
 *
 * %SLUICE_CAP_BYTES: a completion's bytes are those that came, also of a packet that ended before
 * its transfer was full (%SLUICE_TRANSFER_PACKET). Without it, those that were asked for.
 *
 * %SLUICE_CAP_TERMINATE: the channel can be stopped. Without it a transfer that was given to the
 * engine stays until the engine is done with it: %SLUICE_CANCEL and time limits are refused, and
 * closing leaves its buffers in use until then.
 *
 * %SLUICE_CAP_CYCLIC: can be captured with periods overwritten; the memory must be contiguous for
 * the engine (a CMA heap's is).
 *
 * %SLUICE_CAP_STALL: can be captured with the stream blocked (%SLUICE_CAPTURE_STALL).
 *
 * %SLUICE_CAP_LOSS_EXACT: a capability block stands beside the engine: periods, their bytes, their
 * times and the beats dropped before the engine are the hardware's own counts.
 *
 * %SLUICE_CAP_FENCES: transfers wait for and signal fences.
 *
 * %SLUICE_CAP_PIPE: can be read, or written. A %SLUICE_COPY channel so, at the file's position: of
 * the board's memory, by the engine, through memory of the driver; position 0 is the first byte
 * that the engine reaches. A program reads and writes the board's memory node itself, too: by the
 * processor.
 *
 * %SLUICE_CAP_TO_CARD, %SLUICE_CAP_FROM_CARD: a %SLUICE_COPY channel that copies into, or out of,
 * the memory of its card. That side of each transfer is a buffer that the board's memory node
 * exported (%SLUICE_MEMORY_EXPORT), the other side is not: else -EXDEV.
 */
#define SLUICE_CAP_QUEUE	(1ULL << 0)
#define SLUICE_CAP_BYTES	(1ULL << 1)
#define SLUICE_CAP_TERMINATE	(1ULL << 2)
#define SLUICE_CAP_CYCLIC	(1ULL << 3)
#define SLUICE_CAP_STALL	(1ULL << 4)
#define SLUICE_CAP_LOSS_EXACT	(1ULL << 5)
#define SLUICE_CAP_FENCES	(1ULL << 6)
#define SLUICE_CAP_PIPE		(1ULL << 7)
#define SLUICE_CAP_TO_CARD	(1ULL << 8)
#define SLUICE_CAP_FROM_CARD	(1ULL << 9)

/**
 * struct sluice_info - ioctl(SLUICE_INFO): what a channel is and can do
 * @size: sizeof(struct sluice_info)
 * @flags: 0
 * @api_version: out: %SLUICE_API_VERSION of the kernel
 * @direction: out: enum sluice_direction
 * @capabilities: out: SLUICE_CAP_*
 * @max_length: out: bytes of a transfer. Where @max_packet is no less, the memory of every transfer
 *	must be contiguous for the engine.
 * @max_packet: out: bytes of a transfer with %SLUICE_TRANSFER_PACKET, and of a period: what the
 *	engine's length register holds. Such memory must be contiguous for the engine.
 * @address_align: out: in bytes: every offset of a transfer in its buffer
 * @length_align: out: in bytes: every length
 * @max_transfers: out: in one %SLUICE_SUBMIT
 * @max_ring_entries: out: of %SLUICE_SETUP
 * @max_buffers: out: attached at once
 * @max_periods: out: of a capture
 * @board: out: name of the board, ends with 0
 * @name: out: name of the channel, ends with 0
 * @memory_first: out: first byte of the board's memory that the channel's engine reaches
 * @memory_bytes: out: of it; 0: the board has none
 */
struct sluice_info {
	__u32 size;
	__u32 flags;
	__u32 api_version;
	__u32 direction;
	__u64 capabilities;
	__u64 max_length;
	__u64 max_packet;
	__u32 address_align;
	__u32 length_align;
	__u32 max_transfers;
	__u32 max_ring_entries;
	__u32 max_buffers;
	__u32 max_periods;
	__u8 board[32];
	__u8 name[32];
	__u64 memory_first;
	__u64 memory_bytes;
};

/* ---------------------------------------------------------------------------------------------
 * Buffers
 */

/**
 * struct sluice_attach - ioctl(SLUICE_ATTACH): import a dma-buf
 * @size: sizeof(struct sluice_attach)
 * @flags: 0
 * @fd: of the dma-buf; may be closed afterwards
 * @buffer: out: its number in this open channel, never 0
 * @bytes: out: its size
 * @pieces: out: in how many pieces the engine sees it
 * @reserved: 0
 *
 * Fails with -ENOSPC when as many are attached as the channel takes, and as the exporter does when
 * it cannot map the memory for the engine. Memory of another device is mapped peer to peer where
 * the engine is a PCI Express function and the way between the two is open. Where its exporter
 * takes it back, the transfers that use it complete with -ESTALE, what else the engine had with
 * -ECANCELED, and the buffer can only be detached.
 */
struct sluice_attach {
	__u32 size;
	__u32 flags;
	__s32 fd;
	__u32 buffer;
	__u64 bytes;
	__u32 pieces;
	__u32 reserved;
};

/**
 * struct sluice_detach - ioctl(SLUICE_DETACH): let go of a dma-buf
 * @size: sizeof(struct sluice_detach)
 * @flags: 0
 * @buffer: the number that %SLUICE_ATTACH gave
 * @reserved: 0
 *
 * The number is free at once. The memory is let go when no transfer needs it any longer.
 */
struct sluice_detach {
	__u32 size;
	__u32 flags;
	__u32 buffer;
	__u32 reserved;
};

/**
 * struct sluice_allocate - ioctl(SLUICE_ALLOCATE): make a dma-buf of coherent memory
 * @size: sizeof(struct sluice_allocate)
 * @flags: 0
 * @bytes: of the memory, whole pages, at most 2 GiB less a page
 * @fd: out: of the dma-buf
 * @reserved: 0
 *
 * The kernel allocates memory that this channel's engine and the processor see alike. It is
 * contiguous for the engine and holds zeroes. Nobody maintains caches for it: DMA_BUF_IOCTL_SYNC
 * is allowed and costs next to nothing. Where the engine does not snoop the processor's caches,
 * the processor does not cache the memory: sequential accesses of several words are then as fast
 * as the memory, single loads are slow.
 *
 * %SLUICE_ATTACH gives the memory to a channel. -EXDEV: only one of that channel's engine and the
 * engine of the allocation snoops the caches; or the channel's engine reaches fewer addresses, or
 * would get a bounce buffer. -EOPNOTSUPP: an IOMMU, or a bus, translates the engine's addresses;
 * memory of a dma-heap serves there. -ENOMEM: there is not so much contiguous memory (on the
 * kernel's command line: cma=). The memory is free when the dma-buf has no user left, and outlives
 * the device.
 */
struct sluice_allocate {
	__u32 size;
	__u32 flags;
	__u64 bytes;
	__s32 fd;
	__u32 reserved;
};

/* ---------------------------------------------------------------------------------------------
 * The memory of a card
 */

/**
 * DOC: Card memory
 *
 * A card whose channels end at memory has a node for it, /dev/sluice/<board>/memory. Parts of it
 * become dma-bufs: for the card's own channels (%SLUICE_ATTACH), for other devices, peer to peer,
 * and for the program, by mmap() of the dma-buf. When the card goes, all of them lose the memory;
 * who touches a mapping then gets SIGBUS.
 */

/**
 * struct sluice_memory_info - ioctl(SLUICE_MEMORY_INFO): what a memory node has
 * @size: sizeof(struct sluice_memory_info)
 * @flags: 0
 * @bytes: out: of the memory
 * @align: out: in bytes: of every part's offset and size
 * @reserved: 0
 */
struct sluice_memory_info {
	__u32 size;
	__u32 flags;
	__u64 bytes;
	__u32 align;
	__u32 reserved;
};

/**
 * struct sluice_memory_export - ioctl(SLUICE_MEMORY_EXPORT): make a dma-buf of a part
 * @size: sizeof(struct sluice_memory_export)
 * @flags: 0
 * @offset: of the part, in bytes
 * @bytes: of the part, not 0
 * @fd: out: of the dma-buf
 * @reserved: 0
 *
 * Parts may overlap: who writes what is the program's business. -EBADF: the node is not open for
 * writing.
 */
struct sluice_memory_export {
	__u32 size;
	__u32 flags;
	__u64 offset;
	__u64 bytes;
	__s32 fd;
	__u32 reserved;
};

/* ---------------------------------------------------------------------------------------------
 * The queue
 */

/**
 * DOC: Completions
 *
 * Every transfer that was accepted completes exactly once, in the order of submission. Its
 * completion is an entry of a ring that both %SLUICE_REAP and programs take entries from: they read
 * entries from tail up to head, then store the new tail. The kernel produces at head and keeps an
 * entry free for each transfer under way, so the ring never overflows: %SLUICE_SUBMIT returns
 * -EAGAIN instead. Head and tail run freely modulo 2^32; entry n stands at n modulo entries.
 *
 * To take entries without a system call::
 *
 *	head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
 *	while (tail != head)
 *		use(&entries[tail++ & (ring->entries - 1)]);
 *	__atomic_store_n(&page->tail, tail, __ATOMIC_RELEASE);
 *
 * A tail that is not between the last one and head is ignored.
 */

/**
 * struct sluice_setup - ioctl(SLUICE_SETUP): choose the size of the ring of completions
 * @size: sizeof(struct sluice_setup)
 * @flags: 0
 * @ring_entries: a power of two; 0: the kernel's choice
 * @ring_bytes: out: to be mapped at %SLUICE_MMAP_RING
 *
 * Optional, once, before mmap() and %SLUICE_SUBMIT; -EBUSY afterwards. With @ring_entries 0 it can
 * be asked at any time, and says what there is.
 */
struct sluice_setup {
	__u32 size;
	__u32 flags;
	__u32 ring_entries;
	__u32 ring_bytes;
};

/**
 * struct sluice_completion - How a transfer ended
 * @cookie: of the transfer
 * @bytes: moved; 0 unless @status is 0: what then is in the buffer is not defined
 * @time_ns: when the kernel knew
 * @status: 0, or the negative of: ETIMEDOUT, its time was over; ECANCELED, the channel was stopped,
 *	by %SLUICE_CANCEL, since another transfer timed out, or with the engine's other channel
 *	where both stop together (AXI DMA); EIO, the engine says that it failed;
 *	ENODEV, the device has gone; ENOMEM, the engine has fewer descriptors than the transfer
 *	needs; ESTALE, the exporter of its memory has taken that back; or what a fence that it
 *	waited for ended with
 * @flags: SLUICE_COMPLETION_*
 */
struct sluice_completion {
	__u64 cookie;
	__u64 bytes;
	__u64 time_ns;
	__s32 status;
	__u32 flags;
};

/*
 * The stream ended a packet before the transfer was full. (Whether one ended just where the
 * transfer was full, engines do not tell Linux.)
 */
#define SLUICE_COMPLETION_END_OF_PACKET	(1U << 0)

/**
 * struct sluice_ring - The mapped ring of completions
 * @entries: a power of two
 * @entry_bytes: from one entry to the next: at least sizeof(struct sluice_completion)
 * @entries_offset: of the first entry from here, in bytes
 * @head: produced
 */
struct sluice_ring {
	__u32 entries;
	__u32 entry_bytes;
	__u32 entries_offset;
	__u32 head;
};

/**
 * struct sluice_ring_tail - The program's page of the ring
 * @tail: consumed
 */
struct sluice_ring_tail {
	__u32 tail;
};

/**
 * struct sluice_transfer - One transfer
 * @cookie: the program's, returned in the completion
 * @buffer: attached: data to be sent or copied, or the place of what is received
 * @flags: SLUICE_TRANSFER_*
 * @offset: in bytes, in @buffer
 * @length: in bytes
 * @destination: attached: the place that %SLUICE_COPY copies to; else 0
 * @reserved: 0
 * @destination_offset: in bytes, in @destination; else 0
 * @timeout_ns: from submission on; 0: no limit. When it is over the channel is stopped: this
 *	transfer completes with -ETIMEDOUT, and every other under way with -ECANCELED.
 */
struct sluice_transfer {
	__u64 cookie;
	__u32 buffer;
	__u32 flags;
	__u64 offset;
	__u64 length;
	__u32 destination;
	__u32 reserved;
	__u64 destination_offset;
	__u64 timeout_ns;
};

/*
 * Receives one packet, which may be shorter than the transfer. Needs %SLUICE_CAP_BYTES and
 * %SLUICE_RX, else -EOPNOTSUPP; contiguous memory and at most max_packet bytes, else -EINVAL.
 * Without it, a transfer is over when all of its memory is full: what comes after the early end of
 * a packet may leave a gap.
 */
#define SLUICE_TRANSFER_PACKET	(1U << 0)

/**
 * struct sluice_submit - ioctl(SLUICE_SUBMIT): queue transfers
 * @size: sizeof(struct sluice_submit)
 * @flags: SLUICE_SUBMIT_*
 * @transfers: address of an array of struct sluice_transfer
 * @count: of the array
 * @transfer_bytes: sizeof(struct sluice_transfer), from one to the next
 * @in_fence: descriptor of a sync_file: none of these transfers begins before it is signalled
 * @out_fence: out: descriptor of a new sync_file, signalled when all that were accepted are over
 * @accepted: out: how many were accepted, from the first on
 * @reserved: 0
 * @time_ns: out: when the driver began to queue them; set it to 0, which older drivers require and
 *	leave
 *
 * Stops at the first transfer that is refused. Fails with that transfer's error if it is the first
 * of all; otherwise succeeds with @accepted below @count, and a call with the rest tells why.
 * -EAGAIN: no entry of the ring of completions is free. -EMSGSIZE: the memory is in too many
 * pieces.
 */
struct sluice_submit {
	__u32 size;
	__u32 flags;
	__u64 transfers;
	__u32 count;
	__u32 transfer_bytes;
	__s32 in_fence;
	__s32 out_fence;
	__u32 accepted;
	__u32 reserved;
	__u64 time_ns;
};

#define SLUICE_SUBMIT_IN_FENCE	(1U << 0)
#define SLUICE_SUBMIT_OUT_FENCE	(1U << 1)

/**
 * struct sluice_reap - ioctl(SLUICE_REAP): wait for completions, and take them
 * @size: sizeof(struct sluice_reap)
 * @flags: 0
 * @completions: address of an array to be filled; 0 with @count 0: wait only, take nothing
 * @count: of the array
 * @completion_bytes: sizeof(struct sluice_completion), from one to the next
 * @min: to wait for, at most the entries of the ring; 0: do not wait
 * @taken: out: how many were taken, from the ring's tail on; with @count 0: how many there are
 * @timeout_ns: to wait at most, or %SLUICE_FOREVER. With O_NONBLOCK as if it were %SLUICE_NO_WAIT.
 *
 * Takes what there is when the time is over or when nothing more is under way. -EAGAIN: nothing
 * came, and @min is not 0. -EINTR: a signal came first; what was to be taken is still there.
 */
struct sluice_reap {
	__u32 size;
	__u32 flags;
	__u64 completions;
	__u32 count;
	__u32 completion_bytes;
	__u32 min;
	__u32 taken;
	__u64 timeout_ns;
};

/**
 * struct sluice_cancel - ioctl(SLUICE_CANCEL): stop the channel
 * @size: sizeof(struct sluice_cancel)
 * @flags: 0
 *
 * On return every transfer has completed, those that had not before with -ECANCELED, and the
 * channel can be used as before.
 */
struct sluice_cancel {
	__u32 size;
	__u32 flags;
};

/* ---------------------------------------------------------------------------------------------
 * The pipe
 */

/**
 * DOC: Pipe
 *
 * read() and write() copy, through memory of the kernel, and need no buffers. They block unless
 * O_NONBLOCK is set, until a signal comes, and have no time limit: poll() has. From the first
 * read() on the channel receives into 8 pieces of up to 64 KiB, also between two read()s; when they
 * are full, the stream waits. A read() returns what there is of one packet, and never 0; what it
 * leaves of the packet is the next one's. Where a packet ends is not reported.
 *
 * To wait for data with poll(), set O_NONBLOCK, and read() first: nothing is received before, so no
 * EPOLLIN comes. EPOLLIN promises no data: a read() may still find none (-EAGAIN), and goes on to
 * receive.
 *
 * A write() sends a packet for each 64 KiB, and one for the rest. It returns when all of it is
 * copied; fsync() returns when all of it is sent. close() does, too, but not after a signal, and
 * after the last write() all descriptors of it together wait for no more than 10 seconds: -EINTR,
 * -ETIMEDOUT. Both, and the next write(), say so if sending failed; of those only fsync() and
 * write() settle it.
 *
 * -EOPNOTSUPP: the channel cannot, or not in this direction. -ECANCELED: what was under way was
 * stopped with the engine's other channel. Otherwise errors are those of completions.
 */

/* ---------------------------------------------------------------------------------------------
 * Capture
 */

/**
 * DOC: Capture
 *
 * The stream is received into a buffer of N periods, round and round. Periods are numbered from 0;
 * number n stands at n modulo N. The program says up to which number it is done with periods
 * (%SLUICE_CAPTURE_RELEASE), and the engine does not wait for that: while it writes period p, only
 * periods from p - N + 1 on are whole, less those that the engine's buffer may be ahead by. The
 * answer to a release says how many of the periods just read may have been written over by then, so
 * what a program has copied or computed counts only from the answer on; nothing is lost without
 * being told.
 *
 * With %SLUICE_CAPTURE_STALL the engine is only ever given released periods, of which each is a
 * transfer of one packet; the stream waits while there is none, so nothing is lost.
 *
 * The buffer itself can be mapped here as well, at %SLUICE_MMAP_BUFFER and on, as its exporter maps
 * it; DMA_BUF_IOCTL_SYNC then is a call of the channel, too. Once it is mapped, it stays. pread()
 * at %SLUICE_MMAP_BUFFER and on copies from it, between a sync's start and end of its own.
 *
 * The status is mapped at %SLUICE_MMAP_CAPTURE. It is consistent while sequence is even and the
 * same before and after reading.
 */

/**
 * struct sluice_capture_start - ioctl(SLUICE_CAPTURE_START): begin to capture
 * @size: sizeof(struct sluice_capture_start)
 * @flags: SLUICE_CAPTURE_*
 * @buffer: attached
 * @periods: N, at least 3; where they are overwritten, 3 more than the engine's buffer may be ahead
 *	by, or 5 where that is not known: without %SLUICE_CAP_LOSS_EXACT, or with
 *	%SLUICE_CAPTURE_INEXACT
 * @offset: of period 0 in the buffer, in bytes
 * @period_bytes: of each
 * @watermark: of periods not released, from which on poll() says EPOLLIN; 1 to N
 * @status_bytes: out: to be mapped at %SLUICE_MMAP_CAPTURE
 * @poll_ns: how often the kernel looks at the engine, which need not say that a period has ended;
 *	50 us to 1 s; 0: every 1 ms, or with %SLUICE_STATUS_EXACT more often where the ring fills
 *	in less than 2 ms or the hardware's counts of a period are soon overwritten, at most every
 *	250 us
 *
 * The ring, or with %SLUICE_CAPTURE_STALL each period, must be contiguous for the engine, and a
 * period fit its length register: -EINVAL.
 * -ENOSPC: the engine has not as many descriptors. -EBUSY: it captures already.
 */
struct sluice_capture_start {
	__u32 size;
	__u32 flags;
	__u32 buffer;
	__u32 periods;
	__u64 offset;
	__u64 period_bytes;
	__u32 watermark;
	__u32 status_bytes;
	__u64 poll_ns;
};

/* Block the stream rather than overwrite periods that were not released. */
#define SLUICE_CAPTURE_STALL	(1U << 0)
/* Do without the capability block, as on an engine that has none. */
#define SLUICE_CAPTURE_INEXACT	(1U << 1)

/**
 * struct sluice_capture_wait - ioctl(SLUICE_CAPTURE_WAIT): wait for periods
 * @size: sizeof(struct sluice_capture_wait)
 * @flags: 0
 * @period: wait until more than this number have been produced: until period @period is whole
 * @timeout_ns: to wait at most, or %SLUICE_FOREVER. With O_NONBLOCK as if it were %SLUICE_NO_WAIT.
 * @produced: out: periods that have ended
 *
 * -EAGAIN: not yet, and the time is over. -EPIPE: the capture has stopped before. -EINTR: a signal.
 */
struct sluice_capture_wait {
	__u32 size;
	__u32 flags;
	__u64 period;
	__u64 timeout_ns;
	__u64 produced;
};

/**
 * struct sluice_capture_release - ioctl(SLUICE_CAPTURE_RELEASE): be done with periods
 * @size: sizeof(struct sluice_capture_release)
 * @flags: 0
 * @period: done with all below this number; not below what was released, not above produced
 * @released: out: number up to which periods had been released before
 * @lost: out: of those released now the first so many had been, or may have been, written over
 * @produced: out: periods that have ended, as of now
 */
struct sluice_capture_release {
	__u32 size;
	__u32 flags;
	__u64 period;
	__u64 released;
	__u64 lost;
	__u64 produced;
};

/**
 * struct sluice_capture_stop - ioctl(SLUICE_CAPTURE_STOP): end the capture
 * @size: sizeof(struct sluice_capture_stop)
 * @flags: 0
 * @produced: out: periods that had ended
 *
 * The status stays as it was then, and periods can still be released. Another capture may start.
 */
struct sluice_capture_stop {
	__u32 size;
	__u32 flags;
	__u64 produced;
};

/**
 * struct sluice_capture_period - What is known of a period that has ended
 * @period: its number; entry n modulo record_count is that of period n, or of a later one
 * @bytes: received in it
 * @ticks: when it ended, by the hardware's clock; 0 without %SLUICE_PERIOD_EXACT
 * @time_ns: when the kernel knew that it had ended
 * @drops: beats dropped in front of the engine while it was captured
 * @flags: SLUICE_PERIOD_*
 * @reserved: 0
 */
struct sluice_capture_period {
	__u64 period;
	__u64 bytes;
	__u64 ticks;
	__u64 time_ns;
	__u64 drops;
	__u32 flags;
	__u32 reserved;
};

/* Bytes, ticks and drops are the hardware's own counts. */
#define SLUICE_PERIOD_EXACT	(1U << 0)
/*
 * The kernel came too late for this period's own counts: bytes and drops of all periods since the
 * last one without this flag stand in the next one without it.
 */
#define SLUICE_PERIOD_MERGED	(1U << 1)

/**
 * struct sluice_capture_loss - Periods that were written over before they were released
 * @first: number of the first
 * @count: how many, one after the other
 * @time_ns: when the kernel knew
 */
struct sluice_capture_loss {
	__u64 first;
	__u64 count;
	__u64 time_ns;
};

/**
 * struct sluice_capture_status - The mapped status of a capture
 * @sequence: odd while the kernel writes
 * @flags: SLUICE_STATUS_*
 * @periods: N
 * @watermark: as it was chosen
 * @record_count: of &struct sluice_capture_period
 * @record_bytes: from one to the next
 * @records_offset: of the first from here, in bytes
 * @loss_count: of &struct sluice_capture_loss
 * @loss_bytes: from one to the next
 * @losses_offset: of the first from here, in bytes
 * @period_bytes: as it was chosen
 * @produced: periods that have ended
 * @released: periods that the program is done with
 * @lost: periods that were written over before they were released
 * @losses: entries of the loss record so far; number n stands at n modulo @loss_count
 * @bytes: received
 * @drops: beats dropped in front of the engine
 * @clock_hz: of the ticks; 0: not known
 */
struct sluice_capture_status {
	__u32 sequence;
	__u32 flags;
	__u32 periods;
	__u32 watermark;
	__u32 record_count;
	__u32 record_bytes;
	__u32 records_offset;
	__u32 loss_count;
	__u32 loss_bytes;
	__u32 losses_offset;
	__u64 period_bytes;
	__u64 produced;
	__u64 released;
	__u64 lost;
	__u64 losses;
	__u64 bytes;
	__u64 drops;
	__u64 clock_hz;
};

#define SLUICE_STATUS_RUNNING	(1U << 0)
/* Counts are the hardware's own. Without it, produced and lost are the kernel's best guess. */
#define SLUICE_STATUS_EXACT	(1U << 1)
/* The stream is blocked rather than periods overwritten. */
#define SLUICE_STATUS_STALL	(1U << 2)

/* ---------------------------------------------------------------------------------------------
 * Control
 */

/**
 * DOC: Attributes
 *
 * What is built around a board's engines, a source or a sink of streams, a switch, counters, has
 * attributes: settings and counts of 64 bits with names such as "hp0.source.packet_beats". A board
 * that has some has a node /dev/sluice/<board>/control, which any number may open. It has nothing
 * of the engines.
 */

/**
 * struct sluice_attribute_info - ioctl(SLUICE_ATTRIBUTE_INFO): list attributes
 * @size: sizeof(struct sluice_attribute_info)
 * @flags: 0
 * @index: 0, 1 and so on; -ENOENT behind the last one
 * @reserved: 0
 * @max: out: the largest value that can be set, from 0 on; 0: it is only read
 * @name: out: ends with 0
 */
struct sluice_attribute_info {
	__u32 size;
	__u32 flags;
	__u32 index;
	__u32 reserved;
	__u64 max;
	__u8 name[64];
};

/**
 * struct sluice_attribute - ioctl(SLUICE_ATTRIBUTE_GET), ioctl(SLUICE_ATTRIBUTE_SET)
 * @size: sizeof(struct sluice_attribute)
 * @flags: 0
 * @value: out: of %SLUICE_ATTRIBUTE_GET; what to set it to
 * @name: ends with 0
 *
 * -ENOENT: there is none of that name. To set one: -EACCES: it is only read. -ERANGE: it cannot be
 * more than max. -EBADF: the node was not opened for writing.
 */
struct sluice_attribute {
	__u32 size;
	__u32 flags;
	__u64 value;
	__u8 name[64];
};

#endif /* _UAPI_LINUX_SLUICE_H */
