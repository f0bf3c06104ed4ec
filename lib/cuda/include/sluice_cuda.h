/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libsluice-cuda - share memory between an NVIDIA GPU and the boards of libsluice.
 *
 * The library opens NVIDIA's libcuda.so.1 when a program first asks for a GPU, and needs no part of
 * CUDA to be built. It is independent of libsluice: they exchange descriptors and pointers.
 *   - GPU memory becomes a dma-buf, which sluice_buffer_import() takes.
 *   - Host memory is registered with the GPU; the library's own is also a dma-buf, by udmabuf.
 *   - The GPU's copy engines move bytes on streams.
 *   - A stream can wait for a descriptor: the fence of a transfer, or an eventfd.
 *   - A stream can signal an eventfd, so that a transfer can wait for a stream.
 *
 * Errors    A function that returns int returns 0 or a count on success, and -errno on failure.
 *           sluice_cuda_last_error() then returns a sentence. -EINVAL is a NULL pointer or a size
 *           of 0, unless the function says otherwise. A call may also report an error of earlier
 *           work on the GPU. -EFAULT means that the GPU accessed an invalid address. -EIO is any
 *           other failure of the GPU, which ends its context. On failure, a pointer to a result is
 *           set to NULL.
 * Threads   Any thread may call. An object belongs to one thread at a time; different objects of
 *           one GPU may be used in parallel. No call leaves another CUDA context current than it
 *           found. CUDA does not work in a child of fork(), so a child must not call.
 * Lifetime  Objects keep the GPU open that they came from, also after sluice_cuda_close(). Memory
 *           is freed after the work that uses it has ended.
 * Blocking  Freeing memory of the GPU or of the host waits for all streams. CUDA may also wait for
 *           them when it allocates or registers memory. If a stream waits for a
 *           descriptor that a thread has yet to signal, that thread must do neither. Opening a GPU
 *           and closing a stream do not wait for other streams. sluice_cuda_stream_wait() names
 *           the exceptions.
 * Growth    Structures are passed with their size, as in sluice.h.
 * Units     Byte counts are bytes, times nanoseconds. Device pointers are CUdeviceptr as uint64_t.
 * Sources   NVIDIA, CUDA Driver API: the section that a function's comment names.
 */
#ifndef SLUICE_CUDA_H
#define SLUICE_CUDA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SLUICE_CUDA_API __attribute__((visibility("default")))
#else
#define SLUICE_CUDA_API
#endif

#define SLUICE_CUDA_TEXT_BYTES 128 /* a name, with its terminating zero */
#define SLUICE_CUDA_PCI_BYTES 32   /* a PCI address, with its terminating zero */
#define SLUICE_CUDA_MAX_BYTES (UINT64_C(1) << 48) /* longest memory or copy */

typedef struct sluice_cuda_gpu sluice_cuda_gpu;
typedef struct sluice_cuda_memory sluice_cuda_memory; /* of a GPU */
typedef struct sluice_cuda_host sluice_cuda_host;     /* host memory that a GPU reaches */
typedef struct sluice_cuda_stream sluice_cuda_stream;
typedef struct sluice_cuda_event sluice_cuda_event;

/* --- GPUs -------------------------------------------------------------------------------- */

/*
 * Get a sentence about the last call of this thread that failed. The result is never NULL, and
 * valid until this thread's next call into the library. A call that succeeds does not change it.
 */
SLUICE_CUDA_API const char *sluice_cuda_last_error(void);

/*
 * Get the number of GPUs, 0 or more. The environment variable SLUICE_LIBCUDA names the library of
 * CUDA; its default is libcuda.so.1. (Device Management)
 *   -ENOENT   there is no such library, or it does not load
 *   -ENOTSUP  it lacks a function, because the driver is older than CUDA 11.0
 *   -EIO      CUDA does not start
 */
SLUICE_CUDA_API int sluice_cuda_count(void);

/*
 * Open GPU `index`, 0 to sluice_cuda_count() - 1, by its primary context, which CUDA's runtime and
 * other libraries of this process share. Errors of sluice_cuda_count(), and -ENODEV: there is no
 * such GPU. (Primary Context Management)
 */
SLUICE_CUDA_API int sluice_cuda_open(unsigned index, sluice_cuda_gpu **gpu);

/* Close the handle. The library releases the context when the GPU's last object has been freed. For
 * the next open it keeps 64 KiB of host memory per 1024 streams, and at least 64 KiB. Only streams
 * count that had waited and were open at the same time. NULL is ignored. */
SLUICE_CUDA_API void sluice_cuda_close(sluice_cuda_gpu *gpu);

struct sluice_cuda_info {
    char name[SLUICE_CUDA_TEXT_BYTES]; /* "NVIDIA H100 80GB HBM3" */
    char pci[SLUICE_CUDA_PCI_BYTES];   /* "0000:3b:00.0" */
    uint64_t memory_bytes;             /* memory of the GPU, used or not */
    uint32_t cuda_version;             /* newest supported: 1000 * major + 10 * minor */
    uint32_t dma_buf;                  /* 1: sluice_cuda_memory_export() is possible */
    uint32_t gpu_waits;                /* 1: the GPU itself waits for descriptors; 0: a host
                                          function does, see sluice_cuda_stream_wait() */
    uint32_t stub;                     /* 1: the test double of libcuda, without a GPU */
    uint32_t peer_writes_visible;      /* 1: work behind a wait for a descriptor sees what peers
                                          wrote to the GPU's memory before; 0: it may not */
    uint32_t reserved;                 /* 0 */
};

/* size is sizeof(*info). */
SLUICE_CUDA_API int sluice_cuda_get_info(const sluice_cuda_gpu *gpu, struct sluice_cuda_info *info,
                                         size_t size);

/* --- memory of the GPU ------------------------------------------------------------------- */

/*
 * Allocate `bytes` of the GPU's memory, 1 to SLUICE_CUDA_MAX_BYTES; its content is undefined. The
 * address is a multiple of 64 KiB, and the size is rounded up to such a multiple, so that the
 * memory can be exported. -ENOMEM: the GPU has not enough free memory. (Memory Management:
 * cuMemAlloc)
 */
SLUICE_CUDA_API int sluice_cuda_memory_alloc(sluice_cuda_gpu *gpu, uint64_t bytes,
                                             sluice_cuda_memory **memory);

/* Free the memory when the GPU's work in progress has ended. NVIDIA's driver decides how long
 * exported descriptors stay valid. NULL is ignored. (cuMemFree) */
SLUICE_CUDA_API void sluice_cuda_memory_free(sluice_cuda_memory *memory);

/* Get the device pointer of its first byte; 0 for NULL. */
SLUICE_CUDA_API uint64_t sluice_cuda_memory_pointer(const sluice_cuda_memory *memory);

/* Get the requested length; 0 for NULL. */
SLUICE_CUDA_API uint64_t sluice_cuda_memory_bytes(const sluice_cuda_memory *memory);

/*
 * Make a dma-buf of the memory, for sluice_buffer_import(). Its length is that of the memory,
 * rounded up to 64 KiB. *fd is a new descriptor, which the caller closes; -1 on failure. From
 * then on, synchronous copies by CUDA's own calls are synchronous on this memory too, as GPUDirect
 * RDMA requires. -ENOTSUP: the GPU or its driver does not export dma-bufs. Install NVIDIA's open
 * kernel modules. (Virtual Memory Management: cuMemGetHandleForAddressRange)
 */
SLUICE_CUDA_API int sluice_cuda_memory_export(sluice_cuda_memory *memory, int *fd);

/* --- host memory ------------------------------------------------------------------------- */

/*
 * Allocate `bytes` of zeroed host memory that the GPU reaches, 1 to SLUICE_CUDA_MAX_BYTES. It
 * consists of whole pages of a memfd that are registered with CUDA. -ENOMEM: memory is exhausted,
 * or the limit of locked memory is reached. (Memory Management: cuMemHostRegister)
 */
SLUICE_CUDA_API int sluice_cuda_host_alloc(sluice_cuda_gpu *gpu, uint64_t bytes,
                                           sluice_cuda_host **host);

#define SLUICE_CUDA_IO_MEMORY 0x1u /* memory-mapped I/O, such as a mapped BAR of a card */
#define SLUICE_CUDA_READ_ONLY 0x2u /* the GPU only reads; needed for read-only mappings */

/*
 * Register host memory of the program with the GPU, so that copies of it are asynchronous and run
 * at full rate. The pages at `data` stay mapped until sluice_cuda_host_free(). flags is
 * SLUICE_CUDA_*. Buffers of sim: and vfio: boards of libsluice can be registered. Buffers of dev:
 * boards cannot, because their mapping has no pages to pin. Use sluice_cuda_host_export() for them.
 * (cuMemHostRegister)
 *   -EEXIST   part of the memory is already registered
 *   -ENOTSUP  CUDA cannot register such memory here. -EACCES and -EINVAL may mean the same. I/O
 *             memory may need the privileges of an administrator.
 */
SLUICE_CUDA_API int sluice_cuda_host_register(sluice_cuda_gpu *gpu, void *data, uint64_t bytes,
                                              uint32_t flags, sluice_cuda_host **host);

/* Unregister the memory, and free it if sluice_cuda_host_alloc() allocated it. NULL is ignored. */
SLUICE_CUDA_API void sluice_cuda_host_free(sluice_cuda_host *host);

/* Get the host address of its first byte; NULL for NULL. */
SLUICE_CUDA_API void *sluice_cuda_host_data(const sluice_cuda_host *host);

/* Get the device pointer of its first byte; 0 for NULL. (cuMemHostGetDevicePointer) */
SLUICE_CUDA_API uint64_t sluice_cuda_host_pointer(const sluice_cuda_host *host);

/* Get the requested length; 0 for NULL. */
SLUICE_CUDA_API uint64_t sluice_cuda_host_bytes(const sluice_cuda_host *host);

/*
 * Make a dma-buf of memory from sluice_cuda_host_alloc(), for sluice_buffer_import(), by
 * /dev/udmabuf. Its length is whole pages. *fd is a new descriptor, which the caller closes; -1 on
 * failure. The program accesses the memory through sluice_cuda_host_data(), between
 * sluice_buffer_begin_access() and sluice_buffer_end_access() of the imported buffer.
 * -ENOTSUP: the memory was registered, not allocated, or this kernel has no udmabuf. -EACCES: no
 * permission for it. -EINVAL: longer than udmabuf's limit.
 */
SLUICE_CUDA_API int sluice_cuda_host_export(sluice_cuda_host *host, int *fd);

/* --- streams ----------------------------------------------------------------------------- */

/* Open a stream that does not wait for CUDA's default stream. (Stream Management:
 * cuStreamCreate) */
SLUICE_CUDA_API int sluice_cuda_stream_open(sluice_cuda_gpu *gpu, sluice_cuda_stream **stream);

/*
 * End the stream's waits for descriptors, wait for its work, and close it. Work that is queued
 * behind an unfinished wait runs nonetheless. If the GPU has failed, the call still waits for a
 * write of sluice_cuda_stream_signal() in progress. NULL is ignored.
 */
SLUICE_CUDA_API void sluice_cuda_stream_close(sluice_cuda_stream *stream);

/* Get the CUstream, for other libraries of CUDA; NULL for NULL. */
SLUICE_CUDA_API void *sluice_cuda_stream_handle(const sluice_cuda_stream *stream);

/*
 * Queue a copy of 1 to SLUICE_CUDA_MAX_BYTES, in the stream's order: host to GPU, GPU to host, or
 * within the GPU. Any device pointer of this GPU is allowed. Host memory must be registered until
 * the copy has ended; CUDA accepts other memory, but the call may then wait for the copy. Source
 * and destination must not overlap. -EINVAL: a range is not within one allocation. (Memory
 * Management: cuMemcpyHtoDAsync, cuMemcpyDtoHAsync, cuMemcpyDtoDAsync)
 */
SLUICE_CUDA_API int sluice_cuda_copy_to_gpu(sluice_cuda_stream *stream, uint64_t to,
                                            const void *from, uint64_t bytes);
SLUICE_CUDA_API int sluice_cuda_copy_from_gpu(sluice_cuda_stream *stream, void *to, uint64_t from,
                                              uint64_t bytes);
SLUICE_CUDA_API int sluice_cuda_copy_within_gpu(sluice_cuda_stream *stream, uint64_t to,
                                                uint64_t from, uint64_t bytes);

/*
 * Wait until all work queued on the stream has ended. -EIO also means that a descriptor reported an
 * error while the stream waited for it. Work behind that wait may have used data that had not
 * arrived. The call reports this once. (cuStreamSynchronize)
 */
SLUICE_CUDA_API int sluice_cuda_stream_synchronize(sluice_cuda_stream *stream);

/* Return 1 if all work queued on the stream has ended, else 0, without a wait. (cuStreamQuery) */
SLUICE_CUDA_API int sluice_cuda_stream_idle(sluice_cuda_stream *stream);

#define SLUICE_CUDA_TAKE 0x1u /* an eventfd: read it once, so that its count goes down */

/*
 * Make the stream wait until poll(2) reports that descriptor `fd` is readable. Work queued before
 * is not affected. fd is a sync_file of sluice.ko's out_fence, or an eventfd. The caller keeps the
 * descriptor and may close it at once. flags is 0 or SLUICE_CUDA_TAKE.
 *
 * Streams and other readers may take counts from one eventfd. A stream that finds no count waits
 * for the next one, also if the eventfd is nonblocking. Before Linux 5.8, only streams of one
 * process may share an eventfd. A descriptor that reports an error (a failed transfer's fence,
 * POLLERR, POLLHUP) ends the wait, and sluice_cuda_stream_synchronize() reports it.
 *
 * If the GPU does not order writes of its peers to its memory, the library flushes them before the
 * stream continues. It uses cuFlushGPUDirectRDMAWrites or CU_STREAM_WAIT_VALUE_FLUSH. It reports a
 * failed flush like a descriptor's error. If neither works, as with a driver older than CUDA 11.3,
 * nothing is flushed, and peer_writes_visible of sluice_cuda_info is 0. Let peers write to host
 * memory then.
 *
 * A thread of the library polls the descriptors of a stream, one after another. If gpu_waits of
 * sluice_cuda_info is 1, the GPU waits for that thread. Otherwise a host function waits. CUDA may
 * then block host functions of other streams behind it, including those of
 * sluice_cuda_stream_signal(). A descriptor must then not depend on a signal of another stream. The
 * same may happen on the GPU with more waiting streams than CUDA_DEVICE_MAX_CONNECTIONS (default
 * 8). When 1024 open streams of a GPU have waited, the first wait of another one registers host
 * memory.
 *
 * A call that fails does not read the descriptor. (Stream Memory Operations, cuStreamWaitValue32;
 * Execution Control, cuLaunchHostFunc)
 *   -EBADF   fd is not a descriptor
 *   -EINVAL  flags is invalid
 *   -EMFILE  the process has too many open files
 */
SLUICE_CUDA_API int sluice_cuda_stream_wait(sluice_cuda_stream *stream, int fd, uint32_t flags);

/*
 * Make the stream add 1 to eventfd `fd` when all work queued before has ended. The program can then
 * submit a transfer that has to wait for the stream. The caller keeps the descriptor and may close
 * it at once. An eventfd at its largest count blocks the stream until a program reads it. If the
 * GPU fails before, the eventfd is never written, and sluice_cuda_stream_synchronize() reports
 * that. (Execution Control, cuLaunchHostFunc)
 *   -EBADF   fd is not a descriptor
 *   -EINVAL  fd is not an eventfd
 */
SLUICE_CUDA_API int sluice_cuda_stream_signal(sluice_cuda_stream *stream, int fd);

/* --- times ------------------------------------------------------------------------------- */

/* Make an event, not recorded yet. (Event Management: cuEventCreate) */
SLUICE_CUDA_API int sluice_cuda_event_open(sluice_cuda_gpu *gpu, sluice_cuda_event **event);

/* Close an event. NULL is ignored. */
SLUICE_CUDA_API void sluice_cuda_event_close(sluice_cuda_event *event);

/* Make the stream record the GPU's time in the event when all work queued before has ended. The
 * record replaces an earlier one. -EINVAL: stream and event belong to different GPUs.
 * (cuEventRecord) */
SLUICE_CUDA_API int sluice_cuda_event_record(sluice_cuda_event *event, sluice_cuda_stream *stream);

/* Wait until the event is recorded. Returns 0 at once if no stream is to record it.
 * (cuEventSynchronize) */
SLUICE_CUDA_API int sluice_cuda_event_synchronize(sluice_cuda_event *event);

/*
 * Get the time from one event to a later one in ns, in steps of about 500. It is negative if `to`
 * was first. CUDA returns it in milliseconds with 24 significant bits. (cuEventElapsedTime)
 *   -EINVAL  no stream was to record one of the events
 *   -EAGAIN  one of the events is not recorded yet
 */
SLUICE_CUDA_API int sluice_cuda_event_elapsed_ns(sluice_cuda_event *from, sluice_cuda_event *to,
                                                 int64_t *elapsed_ns);

#ifdef __cplusplus
}
#endif

#endif /* SLUICE_CUDA_H */
