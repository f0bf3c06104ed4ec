/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Sluice: queues of DMA transfers for user space, and a capture that reports every loss.
 */
#ifndef _UAPI_LINUX_SLUICE_H
#define _UAPI_LINUX_SLUICE_H

#include <linux/ioctl.h>
#include <linux/types.h>

/**
 * DOC: General
 *
 * Each channel of a board is a character device, /dev/sluice/<board>/<channel>. A channel is one
 * direction of a stream, or one memory-to-memory engine. It can be open only once at a time.
 * Threads may share the file descriptor, and a process may pass it to another. When the last
 * descriptor is closed, the driver releases everything that was set up through it.
 *
 * An open channel has one of three modes: a queue of transfers, an endless capture, or a pipe. The
 * first call that needs a mode selects it. %SLUICE_SETUP, %SLUICE_SUBMIT, %SLUICE_REAP and
 * %SLUICE_CANCEL select the queue, %SLUICE_CAPTURE_START the capture, and read() and write() the
 * pipe. The mode lasts until the channel is closed. Calls of the other modes fail with -EBUSY.
 *
 * Buffers are dma-bufs that the program imports with %SLUICE_ATTACH. They come from dma-heaps, from
 * udmabuf, or from another device. A program may access a buffer with the CPU only between the
 * start and the end of DMA_BUF_IOCTL_SYNC. No transfer of that buffer may be in flight meanwhile.
 * The driver never shows a bus address.
 *
 * Each ioctl takes a structure. Its first member is the size of the structure as the program knows
 * it, so that programs and kernels of different versions work together. The driver reads members
 * that the program does not have as 0. Members that the kernel does not have must be 0. Structures
 * grow at their end only and have no padding. Reserved members must be 0. The smallest size that
 * the driver accepts is that of version 1.
 *
 *  - ENOTTY: This kernel does not have the call.
 *  - E2BIG: The structure is larger than this kernel knows, and the extra bytes are not zero. Or it
 *    is larger than a page.
 *  - EINVAL: The structure is smaller than in version 1, or a member has an invalid value.
 *  - EOPNOTSUPP: This kernel does not know a flag, or the channel cannot do what was requested. See
 *    &struct sluice_info.capabilities.
 *  - ENOENT: No buffer has that number.
 *  - ENODEV: The device has been removed.
 *  - EBUSY: The channel is in another mode.
 *
 * All times are in nanoseconds. Points in time are those of CLOCK_MONOTONIC_RAW.
 */

/* Version that this header describes. &struct sluice_info.api_version is the kernel's version. */
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

/* Calls of a control node. */
#define SLUICE_ATTRIBUTE_INFO	_IO(SLUICE_IOCTL_TYPE, 0x20)
#define SLUICE_ATTRIBUTE_GET	_IO(SLUICE_IOCTL_TYPE, 0x21)
#define SLUICE_ATTRIBUTE_SET	_IO(SLUICE_IOCTL_TYPE, 0x22)

/* Calls of a memory node. */
#define SLUICE_MEMORY_INFO	_IO(SLUICE_IOCTL_TYPE, 0x30)
#define SLUICE_MEMORY_EXPORT	_IO(SLUICE_IOCTL_TYPE, 0x31)

/* Offsets for mmap() of a channel with MAP_SHARED, and for pread() of a captured buffer. */
#define SLUICE_MMAP_RING	0x00000000ULL	/* struct sluice_ring, PROT_READ */
#define SLUICE_MMAP_TAIL	0x10000000ULL	/* struct sluice_ring_tail, one page */
#define SLUICE_MMAP_CAPTURE	0x20000000ULL	/* struct sluice_capture_status, PROT_READ */
#define SLUICE_MMAP_BUFFER	0x40000000ULL	/* from here: the capture buffer */

/* Special values of timeout_ns: no limit, and do not wait. */
#define SLUICE_FOREVER		(~0ULL)
#define SLUICE_NO_WAIT		0ULL

/* ---------------------------------------------------------------------------------------------
 * The channel
 */

/**
 * enum sluice_direction - Direction in which a channel moves data
 * @SLUICE_TX: From memory to the stream (MM2S)
 * @SLUICE_RX: From the stream to memory (S2MM)
 * @SLUICE_COPY: From memory to memory
 */
enum sluice_direction {
	SLUICE_TX = 1,
	SLUICE_RX = 2,
	SLUICE_COPY = 3,
};

/**
 * DOC: Capabilities
 *
 * %SLUICE_CAP_QUEUE: The channel takes transfers by %SLUICE_SUBMIT.
 *
 * %SLUICE_CAP_BYTES: The bytes of a completion are the number that was received. That holds also
 * for a packet that ended before its transfer was full (%SLUICE_TRANSFER_PACKET). Without this
 * capability, a completion reports the requested number.
 *
 * %SLUICE_CAP_TERMINATE: The driver can stop the channel. Without this capability, a transfer that
 * the engine has started stays there until the engine finishes it. The driver then refuses
 * %SLUICE_CANCEL and timeouts, and buffers stay in use after close() until the engine has finished.
 *
 * %SLUICE_CAP_CYCLIC: A capture may overwrite periods. Its memory must be contiguous for the
 * engine, as memory of a CMA heap is.
 *
 * %SLUICE_CAP_STALL: A capture may block the stream instead (%SLUICE_CAPTURE_STALL).
 *
 * %SLUICE_CAP_LOSS_EXACT: The board has a capability block beside the engine. The hardware itself
 * counts periods, their bytes, their times, and the beats dropped before the engine.
 *
 * %SLUICE_CAP_FENCES: Transfers can wait for fences and signal them.
 *
 * %SLUICE_CAP_PIPE: The channel supports read() or write(). On a %SLUICE_COPY channel, they access
 * the board's memory at the file's position. The engine copies between that memory and a buffer of
 * the driver. Position 0 is the first byte that the engine reaches. read() and write() of the
 * board's memory node use the processor instead.
 *
 * %SLUICE_CAP_TO_CARD, %SLUICE_CAP_FROM_CARD: A %SLUICE_COPY channel copies into the memory of its
 * card, or out of it. The card's side of each transfer must be a buffer that the board's memory
 * node exported (%SLUICE_MEMORY_EXPORT). The other side must not be one. Other transfers fail with
 * -EXDEV.
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
 * struct sluice_info - ioctl(SLUICE_INFO): get the properties of a channel
 * @size: sizeof(struct sluice_info)
 * @flags: 0
 * @api_version: out: %SLUICE_API_VERSION of the kernel
 * @direction: out: enum sluice_direction
 * @capabilities: out: SLUICE_CAP_*
 * @max_length: out: Longest transfer, in bytes. If @max_packet is not smaller, the memory of every
 *	transfer must be contiguous for the engine.
 * @max_packet: out: Longest transfer with %SLUICE_TRANSFER_PACKET and longest period, in bytes.
 *	The limit is the engine's length register. Such memory must be contiguous for the engine.
 * @address_align: out: Alignment of a transfer's offset in its buffer, in bytes
 * @length_align: out: Alignment of a length, in bytes
 * @max_transfers: out: Largest number of transfers in one %SLUICE_SUBMIT
 * @max_ring_entries: out: Largest ring of %SLUICE_SETUP, in entries
 * @max_buffers: out: Largest number of attached buffers
 * @max_periods: out: Largest number of periods of a capture
 * @board: out: Name of the board, terminated by 0
 * @name: out: Name of the channel, terminated by 0
 * @memory_first: out: First byte of the board's memory that the channel's engine reaches
 * @memory_bytes: out: Size of the memory that the engine reaches, in bytes. 0: the board has no
 *	memory.
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
 * @fd: File descriptor of the dma-buf. The program may close it afterwards.
 * @buffer: out: Number of the buffer in this open channel, never 0
 * @bytes: out: Size of the buffer
 * @pieces: out: Number of contiguous segments that the engine sees
 * @reserved: 0
 *
 * The driver can map memory of another device peer to peer. The engine must be a PCI Express
 * function, and the path between the two devices must allow it.
 *
 * An exporter may revoke the memory later. Transfers that use the buffer then complete with
 * -ESTALE. Other transfers in the engine complete with -ECANCELED. After that, the program can only
 * detach the buffer.
 *
 *  - ENOSPC: The channel has the largest number of buffers attached (&struct
 *    sluice_info.max_buffers).
 *  - other: The exporter cannot map the memory for the engine. The error is the exporter's.
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
 * struct sluice_detach - ioctl(SLUICE_DETACH): release a dma-buf
 * @size: sizeof(struct sluice_detach)
 * @flags: 0
 * @buffer: Number that %SLUICE_ATTACH returned
 * @reserved: 0
 *
 * The number becomes free at once. The driver releases the memory when no transfer uses it any
 * more.
 */
struct sluice_detach {
	__u32 size;
	__u32 flags;
	__u32 buffer;
	__u32 reserved;
};

/**
 * struct sluice_allocate - ioctl(SLUICE_ALLOCATE): allocate coherent memory as a dma-buf
 * @size: sizeof(struct sluice_allocate)
 * @flags: 0
 * @bytes: Size of the memory in bytes, a multiple of the page size, at most 2 GiB less a page
 * @fd: out: File descriptor of the dma-buf
 * @reserved: 0
 *
 * The driver allocates zeroed memory that is contiguous for this channel's engine. The engine and
 * the processor always see the same data, without cache maintenance. DMA_BUF_IOCTL_SYNC is allowed
 * and costs almost nothing. If the engine does not snoop the processor's caches, the processor does
 * not cache the memory. Sequential accesses of several words are then as fast as the memory, but
 * single loads are slow.
 *
 * %SLUICE_ATTACH imports the memory into a channel. The kernel frees the memory when the dma-buf
 * has no user left, which may be after the device has been removed.
 *
 *  - EXDEV: %SLUICE_ATTACH refused the memory. Only one of the two engines snoops the caches, or
 *    the attaching engine reaches fewer addresses, or would need a bounce buffer.
 *  - EOPNOTSUPP: An IOMMU or a bus translates the engine's addresses. Use memory of a dma-heap.
 *  - ENOMEM: The kernel does not have that much contiguous memory. Set cma= on its command line.
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
 * A card with memory behind its channels has a node for it, /dev/sluice/<board>/memory.
 * %SLUICE_MEMORY_EXPORT makes a part of it a dma-buf, for three uses:
 *
 *  - the card: The card's own channels import it with %SLUICE_ATTACH.
 *  - other devices: They import it and access it peer to peer.
 *  - programs: They map the dma-buf with mmap().
 *
 * When the card is removed, all of them lose the memory. A program that accesses its mapping then
 * gets SIGBUS.
 */

/**
 * struct sluice_memory_info - ioctl(SLUICE_MEMORY_INFO): get the size of a memory node
 * @size: sizeof(struct sluice_memory_info)
 * @flags: 0
 * @bytes: out: Size of the memory
 * @align: out: Alignment of the offset and the size of a part, in bytes
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
 * struct sluice_memory_export - ioctl(SLUICE_MEMORY_EXPORT): export part of the memory
 * @size: sizeof(struct sluice_memory_export)
 * @flags: 0
 * @offset: Offset of the part, in bytes
 * @bytes: Size of the part, in bytes, not 0
 * @fd: out: File descriptor of the dma-buf
 * @reserved: 0
 *
 * Parts may overlap. The driver does not order writes to the same bytes.
 *
 *  - EBADF: The node is not open for writing.
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
 * Every accepted transfer completes exactly once, in the order of submission. Its completion is an
 * entry of a ring. %SLUICE_REAP and programs that map the ring consume the same entries. They read
 * from tail up to head, then store the new tail.
 *
 * The kernel produces entries at head and reserves one for each transfer in flight. The ring
 * therefore never overflows; %SLUICE_SUBMIT returns -EAGAIN instead. Head and tail count modulo
 * 2^32. Entry n is at index n modulo entries.
 *
 * To consume entries without a system call::
 *
 *	head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
 *	while (tail != head)
 *		use(&entries[tail++ & (ring->entries - 1)]);
 *	__atomic_store_n(&page->tail, tail, __ATOMIC_RELEASE);
 *
 * The driver ignores a tail that is not between the previous tail and head.
 */

/**
 * struct sluice_setup - ioctl(SLUICE_SETUP): set the size of the completion ring
 * @size: sizeof(struct sluice_setup)
 * @flags: 0
 * @ring_entries: Number of entries, a power of two. 0: the kernel chooses.
 * @ring_bytes: out: Bytes to map at %SLUICE_MMAP_RING
 *
 * This call is optional and possible once, before mmap() and %SLUICE_SUBMIT. Later it returns
 * -EBUSY. With @ring_entries 0 it is possible at any time, and returns the size of the ring.
 */
struct sluice_setup {
	__u32 size;
	__u32 flags;
	__u32 ring_entries;
	__u32 ring_bytes;
};

/**
 * struct sluice_completion - Result of a transfer
 * @cookie: Cookie of the transfer
 * @bytes: Number of bytes moved. 0 if @status is not 0; the content of the buffer is then
 *	undefined.
 * @time_ns: Time at which the kernel noticed the end
 * @status: 0, or a negative error. See below.
 * @flags: SLUICE_COMPLETION_*
 *
 * Errors in @status, besides an error that a fence ended with:
 *
 *  - ETIMEDOUT: The timeout of the transfer expired.
 *  - ECANCELED: The channel was stopped by %SLUICE_CANCEL, by the timeout of another transfer, or
 *    together with the engine's other channel (AXI DMA).
 *  - EIO: The engine reported an error.
 *  - ENODEV: The device has been removed.
 *  - ENOMEM: The engine has fewer descriptors than the transfer needs.
 *  - ESTALE: The exporter of the memory has revoked it.
 */
struct sluice_completion {
	__u64 cookie;
	__u64 bytes;
	__u64 time_ns;
	__s32 status;
	__u32 flags;
};

/*
 * The stream ended a packet before the transfer was full. Engines do not report whether a packet
 * ended exactly where the transfer was full.
 */
#define SLUICE_COMPLETION_END_OF_PACKET	(1U << 0)

/**
 * struct sluice_ring - Mapped completion ring
 * @entries: Number of entries, a power of two
 * @entry_bytes: Distance between two entries, at least sizeof(struct sluice_completion)
 * @entries_offset: Offset of the first entry from this structure, in bytes
 * @head: Number of entries produced
 */
struct sluice_ring {
	__u32 entries;
	__u32 entry_bytes;
	__u32 entries_offset;
	__u32 head;
};

/**
 * struct sluice_ring_tail - Page of the ring that the program writes
 * @tail: Number of entries consumed
 */
struct sluice_ring_tail {
	__u32 tail;
};

/**
 * struct sluice_transfer - One transfer
 * @cookie: Value of the program, returned in the completion
 * @buffer: Attached buffer: source of data to send or copy, or target of data to receive
 * @flags: SLUICE_TRANSFER_*
 * @offset: Offset in @buffer, in bytes
 * @length: Length, in bytes
 * @destination: %SLUICE_COPY: attached buffer that is the target. Otherwise 0.
 * @reserved: 0
 * @destination_offset: %SLUICE_COPY: offset in @destination, in bytes. Otherwise 0.
 * @timeout_ns: Timeout from submission on. 0: no limit. When it expires, the driver stops the
 *	channel: this transfer completes with -ETIMEDOUT, others in flight with -ECANCELED.
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
 * The transfer receives one packet, which may be shorter than the transfer. The channel must have
 * %SLUICE_CAP_BYTES and direction %SLUICE_RX, else -EOPNOTSUPP. The memory must be contiguous and
 * at most max_packet bytes long, else -EINVAL. Without this flag, a transfer ends when all of its
 * memory is full. If a packet ends early, the data of the next packet may leave a gap.
 */
#define SLUICE_TRANSFER_PACKET	(1U << 0)

/**
 * struct sluice_submit - ioctl(SLUICE_SUBMIT): queue transfers
 * @size: sizeof(struct sluice_submit)
 * @flags: SLUICE_SUBMIT_*
 * @transfers: Address of an array of struct sluice_transfer
 * @count: Number of elements of the array
 * @transfer_bytes: Distance between two elements: sizeof(struct sluice_transfer)
 * @in_fence: File descriptor of a sync_file. None of these transfers starts before its signal.
 * @out_fence: out: File descriptor of a new sync_file. The driver signals it when all accepted
 *	transfers have ended.
 * @accepted: out: Number of accepted transfers, from the first on
 * @reserved: 0
 * @time_ns: out: Time at which the driver began to queue the transfers. Set it to 0: older drivers
 *	require that, and leave it.
 *
 * The call stops at the first transfer that the driver refuses. If that is the first of all, the
 * call fails with its error. Otherwise the call succeeds with @accepted below @count. Submit the
 * rest to get the error.
 *
 *  - EAGAIN: The completion ring has no free entry.
 *  - EMSGSIZE: The memory of a transfer has too many segments.
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
 * struct sluice_reap - ioctl(SLUICE_REAP): wait for completions and consume them
 * @size: sizeof(struct sluice_reap)
 * @flags: 0
 * @completions: Address of an array that the driver fills. 0 with @count 0: wait only, consume
 *	nothing.
 * @count: Number of elements of the array
 * @completion_bytes: Distance between two elements: sizeof(struct sluice_completion)
 * @min: Number of completions to wait for, at most the entries of the ring. 0: do not wait.
 * @taken: out: Number of completions consumed, from the ring's tail on. With @count 0, the number
 *	available.
 * @timeout_ns: Longest time to wait, or %SLUICE_FOREVER. O_NONBLOCK means %SLUICE_NO_WAIT.
 *
 * When the timeout expires, or when no more transfers are in flight, the call returns the
 * completions that are available.
 *
 *  - EAGAIN: No completion arrived, and @min is not 0.
 *  - EINTR: A signal arrived first. No completion was consumed.
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
 * When the call returns, every transfer has completed. Transfers that had not finished complete
 * with -ECANCELED. The channel can then be used as before.
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
 * read() and write() need no buffers: they copy through memory of the kernel. They block unless
 * O_NONBLOCK is set, until a signal arrives. They have no timeout; use poll() for one.
 *
 * The first read() starts reception into 8 slots of up to 64 KiB. Reception continues between two
 * calls of read(). When all slots are full, the stream is blocked. read() returns available data of
 * one packet, and never 0. The next read() returns the rest of that packet. The driver does not
 * report where a packet ends.
 *
 * To wait for data with poll(), set O_NONBLOCK and call read() once first. Before that, the driver
 * receives nothing, so EPOLLIN does not occur. EPOLLIN does not guarantee data. read() may still
 * return -EAGAIN, and reception continues.
 *
 * write() sends one packet for each 64 KiB, and one for the rest. It returns when the driver has
 * copied all data. fsync() and close() wait until all data has been sent. close() waits less:
 *
 *  - EINTR: A signal ended the wait of close().
 *  - ETIMEDOUT: 10 seconds after the last write() have passed. All descriptors of the channel
 *    together wait no longer.
 *
 * If sending fails, fsync(), close() and the next write() return the error. fsync() and write()
 * also clear it; close() does not.
 *
 *  - EOPNOTSUPP: The channel does not support the call, or not in this direction.
 *  - ECANCELED: The driver stopped the transfer together with the engine's other channel.
 *
 * All other errors are those of completions.
 */

/* ---------------------------------------------------------------------------------------------
 * Capture
 */

/**
 * DOC: Capture
 *
 * The driver receives the stream into a ring of N periods in one buffer. Periods are numbered from
 * 0. Period n is at index n modulo N. The program reports with %SLUICE_CAPTURE_RELEASE up to which
 * number it has finished with periods. The engine does not wait for that report.
 *
 * While the engine writes period p, the last N - 1 periods before it are whole, except the oldest
 * ones. How many of the oldest are not whole depends on how far the engine's buffer can be ahead.
 *
 * The result of a release says how many of the periods just read the engine may have overwritten by
 * then. Data that a program has copied or computed is therefore valid only after that result. Every
 * loss is reported.
 *
 * With %SLUICE_CAPTURE_STALL, the driver gives the engine released periods only. Each period is
 * then a transfer of one packet. While no period is released, the stream is blocked, so nothing is
 * lost.
 *
 * A program can map the buffer through the channel, from offset %SLUICE_MMAP_BUFFER on, in the way
 * its exporter maps it. DMA_BUF_IOCTL_SYNC is then a call of the channel, too. The mapping stays
 * valid after the capture. pread() from offset %SLUICE_MMAP_BUFFER on copies from the buffer, and
 * makes its own sync calls.
 *
 * The status can be mapped at %SLUICE_MMAP_CAPTURE. It is consistent if its sequence is even, and
 * the same before and after reading.
 */

/**
 * struct sluice_capture_start - ioctl(SLUICE_CAPTURE_START): start a capture
 * @size: sizeof(struct sluice_capture_start)
 * @flags: SLUICE_CAPTURE_*
 * @buffer: Number of an attached buffer
 * @periods: N, the number of periods, at least 3. See below for captures that overwrite.
 * @offset: Offset of period 0 in the buffer, in bytes
 * @period_bytes: Size of each period, in bytes
 * @watermark: Number of unreleased periods from which poll() reports EPOLLIN: 1 to N
 * @status_bytes: out: Bytes to map at %SLUICE_MMAP_CAPTURE
 * @poll_ns: Interval at which the driver polls the engine, which may not report the end of each
 *	period: 50 us to 1 s. 0: the driver chooses.
 *
 * If the capture overwrites periods, N must be at least 3 more than the number of periods that the
 * engine's buffer can be ahead. If that number is not known, N must be at least 5. It is not known
 * without %SLUICE_CAP_LOSS_EXACT, or with %SLUICE_CAPTURE_INEXACT.
 *
 * With @poll_ns 0 the driver polls every 1 ms. With %SLUICE_STATUS_EXACT it polls more often in two
 * cases, at most every 250 us. One is that the ring fills in less than 2 ms, the other that the
 * hardware would soon overwrite its counts of a period.
 *
 *  - EINVAL: The ring is not contiguous for the engine, or a period exceeds its length register.
 *    With %SLUICE_CAPTURE_STALL, each period must be contiguous, but not the ring.
 *  - ENOSPC: The engine does not have enough descriptors.
 *  - EBUSY: A capture is already running.
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

/* Block the stream instead of overwriting periods that were not released. */
#define SLUICE_CAPTURE_STALL	(1U << 0)
/* Do not use the capability block. */
#define SLUICE_CAPTURE_INEXACT	(1U << 1)

/**
 * struct sluice_capture_wait - ioctl(SLUICE_CAPTURE_WAIT): wait for periods
 * @size: sizeof(struct sluice_capture_wait)
 * @flags: 0
 * @period: Number of the period to wait for. The call returns when this period is whole.
 * @timeout_ns: Longest time to wait, or %SLUICE_FOREVER. O_NONBLOCK means %SLUICE_NO_WAIT.
 * @produced: out: Number of periods that have ended
 *
 *  - EAGAIN: The timeout expired before the period ended.
 *  - EPIPE: The capture stopped before the period ended.
 *  - EINTR: A signal arrived first.
 */
struct sluice_capture_wait {
	__u32 size;
	__u32 flags;
	__u64 period;
	__u64 timeout_ns;
	__u64 produced;
};

/**
 * struct sluice_capture_release - ioctl(SLUICE_CAPTURE_RELEASE): release periods
 * @size: sizeof(struct sluice_capture_release)
 * @flags: 0
 * @period: Release all periods below this number. It must not be below the number released so far,
 *	nor above the number produced.
 * @released: out: Number below which all periods had been released before this call
 * @lost: out: Number of periods, from @released on, that the engine has overwritten or may have
 *	overwritten before this call
 * @produced: out: Number of periods that have ended by now
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
 * struct sluice_capture_stop - ioctl(SLUICE_CAPTURE_STOP): stop the capture
 * @size: sizeof(struct sluice_capture_stop)
 * @flags: 0
 * @produced: out: Number of periods that had ended
 *
 * The status keeps its last values, and the program can still release periods. A new capture can
 * start.
 */
struct sluice_capture_stop {
	__u32 size;
	__u32 flags;
	__u64 produced;
};

/**
 * struct sluice_capture_period - Record of a period that has ended
 * @period: Number of the period. Record n modulo record_count is that of period n, or of a later
 *	one.
 * @bytes: Number of bytes received
 * @ticks: Time of its end by the hardware's clock. 0 without %SLUICE_PERIOD_EXACT.
 * @time_ns: Time at which the driver noticed its end
 * @drops: Number of beats dropped before the engine during the period
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

/* The hardware counted bytes, ticks and drops. */
#define SLUICE_PERIOD_EXACT	(1U << 0)
/*
 * The driver was too late to read this period's own counts. The next record without this flag has
 * the sum of bytes and drops since the previous record without it.
 */
#define SLUICE_PERIOD_MERGED	(1U << 1)

/**
 * struct sluice_capture_loss - Periods that the engine overwrote before their release
 * @first: Number of the first lost period
 * @count: Number of consecutive lost periods
 * @time_ns: Time at which the driver noticed the loss
 */
struct sluice_capture_loss {
	__u64 first;
	__u64 count;
	__u64 time_ns;
};

/**
 * struct sluice_capture_status - Mapped status of a capture
 * @sequence: Odd while the driver writes
 * @flags: SLUICE_STATUS_*
 * @periods: N, the number of periods in the ring
 * @watermark: Watermark that was set at the start
 * @record_count: Number of records, &struct sluice_capture_period
 * @record_bytes: Distance between two records
 * @records_offset: Offset of the first record from this structure, in bytes
 * @loss_count: Number of loss records, &struct sluice_capture_loss
 * @loss_bytes: Distance between two loss records
 * @losses_offset: Offset of the first loss record from this structure, in bytes
 * @period_bytes: Size of a period
 * @produced: Number of periods that have ended
 * @released: Number of periods that the program has released
 * @lost: Number of periods that the engine overwrote before their release
 * @losses: Number of losses so far. Loss n is at index n modulo @loss_count.
 * @bytes: Number of bytes received
 * @drops: Number of beats dropped before the engine
 * @clock_hz: Frequency of the ticks. 0: not known.
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
/* The hardware counts. Without this flag, produced and lost are the driver's estimate. */
#define SLUICE_STATUS_EXACT	(1U << 1)
/* The stream is blocked instead of periods being overwritten. */
#define SLUICE_STATUS_STALL	(1U << 2)

/* ---------------------------------------------------------------------------------------------
 * Control
 */

/**
 * DOC: Attributes
 *
 * The blocks around a board's engines have attributes: settings and counters of 64 bits with names
 * such as "hp0.source.packet_beats". Such blocks are sources and sinks of streams, switches, and
 * counters. Engines themselves have no attributes. A board with attributes has a node,
 * /dev/sluice/<board>/control. Any number of programs can have it open.
 */

/**
 * struct sluice_attribute_info - ioctl(SLUICE_ATTRIBUTE_INFO): list attributes
 * @size: sizeof(struct sluice_attribute_info)
 * @flags: 0
 * @index: Index of the attribute, from 0 on. Behind the last one, the call returns -ENOENT.
 * @reserved: 0
 * @max: out: Largest value that can be set; the smallest is 0. 0: the attribute is read-only.
 * @name: out: Name, terminated by 0
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
 * @value: Value to set; with %SLUICE_ATTRIBUTE_GET the driver stores the value here
 * @name: Name, terminated by 0
 *
 *  - ENOENT: The board has no attribute of that name.
 *  - EACCES: The attribute is read-only.
 *  - ERANGE: The value is larger than the attribute's max.
 *  - EBADF: To set an attribute, the node must be open for writing.
 */
struct sluice_attribute {
	__u32 size;
	__u32 flags;
	__u64 value;
	__u8 name[64];
};

#endif /* _UAPI_LINUX_SLUICE_H */
