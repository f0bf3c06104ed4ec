// SPDX-License-Identifier: Apache-2.0
// What the library calls of NVIDIA's libcuda: types, numbers and functions of the CUDA Driver API,
// under the names that libcuda exports. Numbers are those of cuda.h, which stay the same for ever.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sluice::cuda {

extern "C" {
using HostFunction = void (*)(void* data);
}

using Result = int;                  // CUresult
using Device = int;                  // CUdevice
using Context = void*;               // CUcontext
using StreamId = void*;              // CUstream
using EventId = void*;               // CUevent
using Pointer = unsigned long long;  // CUdeviceptr

// CUresult
inline constexpr Result kSuccess = 0, kInvalidValue = 1, kOutOfMemory = 2, kNotInitialized = 3,
                        kStubLibrary = 34, kNoDevice = 100, kInvalidDevice = 101,
                        kInvalidContext = 201, kInvalidHandle = 400, kNotReady = 600,
                        kIllegalAddress = 700, kAlreadyRegistered = 712, kNotRegistered = 713,
                        kNotPermitted = 800, kNotSupported = 801;
// CUdevice_attribute
inline constexpr int kFlushWritesOptions = 117, kWritesOrdering = 118, kDmaBufSupported = 124;
inline constexpr int kFlushByHost = 1;        // CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_HOST
inline constexpr int kFlushByWait = 2;        // CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_MEMOPS
inline constexpr int kOrderedForOwner = 100;  // CU_GPU_DIRECT_RDMA_WRITES_ORDERING_OWNER
inline constexpr int kFlushContext = 0;       // CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX
inline constexpr int kFlushToOwner = 100;     // CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER
// CU_MEMHOSTREGISTER_*
inline constexpr unsigned kPortable = 1, kDeviceMap = 2, kIoMemory = 4, kReadOnly = 8;
inline constexpr unsigned kNonBlocking = 1;            // CU_STREAM_NON_BLOCKING
inline constexpr unsigned kGreaterOrEqual = 0;         // CU_STREAM_WAIT_VALUE_GEQ, cyclic
inline constexpr unsigned kFlushAfterWait = 1U << 30;  // CU_STREAM_WAIT_VALUE_FLUSH
inline constexpr unsigned kBlockingSync = 1;           // CU_EVENT_BLOCKING_SYNC
inline constexpr int kDmaBufFd = 1;                    // CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD
inline constexpr int kSyncMemops = 6;                  // CU_POINTER_ATTRIBUTE_SYNC_MEMOPS

// The functions, by the section of the CUDA Driver API.
struct Driver {
  // Error Handling
  Result (*get_error_string)(Result, const char**) = nullptr;
  // Initialization, Version Management
  Result (*init)(unsigned flags) = nullptr;
  Result (*driver_get_version)(int*) = nullptr;
  // Device Management
  Result (*device_get_count)(int*) = nullptr;
  Result (*device_get)(Device*, int index) = nullptr;
  Result (*device_get_name)(char*, int length, Device) = nullptr;
  Result (*device_total_mem)(size_t*, Device) = nullptr;
  Result (*device_get_attribute)(int*, int attribute, Device) = nullptr;
  Result (*device_get_pci_bus_id)(char*, int length, Device) = nullptr;
  // Primary Context Management, Context Management
  Result (*primary_ctx_retain)(Context*, Device) = nullptr;
  Result (*primary_ctx_release)(Device) = nullptr;
  Result (*ctx_push_current)(Context) = nullptr;
  Result (*ctx_pop_current)(Context*) = nullptr;
  // Memory Management
  Result (*mem_alloc)(Pointer*, size_t) = nullptr;
  Result (*mem_free)(Pointer) = nullptr;
  Result (*mem_host_register)(void*, size_t, unsigned flags) = nullptr;
  Result (*mem_host_unregister)(void*) = nullptr;
  Result (*mem_host_get_device_pointer)(Pointer*, void*, unsigned flags) = nullptr;
  Result (*memcpy_htod_async)(Pointer, const void*, size_t, StreamId) = nullptr;
  Result (*memcpy_dtoh_async)(void*, Pointer, size_t, StreamId) = nullptr;
  Result (*memcpy_dtod_async)(Pointer, Pointer, size_t, StreamId) = nullptr;
  // Stream Management, Execution Control
  Result (*stream_create)(StreamId*, unsigned flags) = nullptr;
  Result (*stream_destroy)(StreamId) = nullptr;
  Result (*stream_synchronize)(StreamId) = nullptr;
  Result (*stream_query)(StreamId) = nullptr;
  Result (*launch_host_func)(StreamId, HostFunction, void* data) = nullptr;
  // Event Management
  Result (*event_create)(EventId*, unsigned flags) = nullptr;
  Result (*event_destroy)(EventId) = nullptr;
  Result (*event_record)(EventId, StreamId) = nullptr;
  Result (*event_synchronize)(EventId) = nullptr;
  Result (*event_elapsed_time)(float* milliseconds, EventId, EventId) = nullptr;

  // Newer drivers alone have these; else nullptr. 11.7, 11.7, 11.3, 4.1 (Unified Addressing).
  Result (*mem_get_handle_for_address_range)(void*, Pointer, size_t, int type,
                                             unsigned long long flags) = nullptr;
  Result (*stream_wait_value32)(StreamId, Pointer, uint32_t, unsigned flags) = nullptr;
  Result (*flush_gpu_direct_rdma_writes)(int target, int scope) = nullptr;
  Result (*pointer_set_attribute)(const void*, int attribute, Pointer) = nullptr;

  bool has_gpus = true;  // false: CUDA started, and found none
  bool stub = false;     // the test double
  std::string file;      // as it was opened
};

// Open libcuda, and start CUDA. It stays loaded.
Driver load_driver();

// Throw what a call of libcuda returned, unless it succeeded: "WHAT: why".
void check(const Driver& driver, Result result, const char* what);

// What a result means, in CUDA's words.
std::string text_of(const Driver& driver, Result result);

}  // namespace sluice::cuda
