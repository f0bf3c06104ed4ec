// SPDX-License-Identifier: Apache-2.0
#include "driver.hpp"

#include <dlfcn.h>

#include <cerrno>
#include <cstdlib>

#include "error.hpp"

namespace sluice::cuda {
namespace {

constexpr const char* kVariable = "SLUICE_LIBCUDA";
constexpr const char* kDefault = "libcuda.so.1";

template <typename Function>
void find(void* library, Function*& function, const char* name) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
}

template <typename Function>
void require(void* library, const std::string& file, Function*& function, const char* name) {
  find(library, function, name);
  if (function == nullptr)
    throw Error(ENOTSUP, "{} has no {}; a driver for CUDA 11.0 or newer is needed", file, name);
}

void* open_library(const std::string& file, bool named) {
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  const char* why = dlerror();
  if (named)
    throw Error(ENOENT, "{} names {}, which does not load: {}", kVariable, file,
                why != nullptr ? why : "no reason given");
  throw Error(ENOENT,
              "CUDA is missing: {} of NVIDIA's driver does not load ({}); install the driver, or "
              "name the library in {}",
              file, why != nullptr ? why : "no reason given", kVariable);
}

int errno_of(Result result) {
  switch (result) {
    case kInvalidValue:
    case kInvalidHandle: return EINVAL;
    case kOutOfMemory: return ENOMEM;
    case kNoDevice:
    case kInvalidDevice: return ENODEV;
    case kNotReady: return EAGAIN;
    case kIllegalAddress: return EFAULT;
    case kAlreadyRegistered: return EEXIST;
    case kNotPermitted: return EACCES;
    case kNotSupported: return ENOTSUP;
    default: return EIO;
  }
}

}  // namespace

Driver load_driver() {
  const char* named = std::getenv(kVariable);
  if (named != nullptr && *named == '\0') named = nullptr;
  Driver driver;
  driver.file = named != nullptr ? named : kDefault;
  void* library = open_library(driver.file, named != nullptr);
  const auto need = [&](auto*& function, const char* name) {
    require(library, driver.file, function, name);
  };
  need(driver.get_error_string, "cuGetErrorString");
  need(driver.init, "cuInit");
  need(driver.driver_get_version, "cuDriverGetVersion");
  need(driver.device_get_count, "cuDeviceGetCount");
  need(driver.device_get, "cuDeviceGet");
  need(driver.device_get_name, "cuDeviceGetName");
  need(driver.device_total_mem, "cuDeviceTotalMem_v2");
  need(driver.device_get_attribute, "cuDeviceGetAttribute");
  need(driver.device_get_pci_bus_id, "cuDeviceGetPCIBusId");
  need(driver.primary_ctx_retain, "cuDevicePrimaryCtxRetain");
  need(driver.primary_ctx_release, "cuDevicePrimaryCtxRelease_v2");
  need(driver.ctx_push_current, "cuCtxPushCurrent_v2");
  need(driver.ctx_pop_current, "cuCtxPopCurrent_v2");
  need(driver.mem_alloc, "cuMemAlloc_v2");
  need(driver.mem_free, "cuMemFree_v2");
  need(driver.mem_host_register, "cuMemHostRegister_v2");
  need(driver.mem_host_unregister, "cuMemHostUnregister");
  need(driver.mem_host_get_device_pointer, "cuMemHostGetDevicePointer_v2");
  need(driver.memcpy_htod_async, "cuMemcpyHtoDAsync_v2");
  need(driver.memcpy_dtoh_async, "cuMemcpyDtoHAsync_v2");
  need(driver.memcpy_dtod_async, "cuMemcpyDtoDAsync_v2");
  need(driver.stream_create, "cuStreamCreate");
  need(driver.stream_destroy, "cuStreamDestroy_v2");
  need(driver.stream_synchronize, "cuStreamSynchronize");
  need(driver.stream_query, "cuStreamQuery");
  need(driver.launch_host_func, "cuLaunchHostFunc");
  need(driver.event_create, "cuEventCreate");
  need(driver.event_destroy, "cuEventDestroy_v2");
  need(driver.event_record, "cuEventRecord");
  need(driver.event_synchronize, "cuEventSynchronize");
  need(driver.event_elapsed_time, "cuEventElapsedTime");
  find(library, driver.mem_get_handle_for_address_range, "cuMemGetHandleForAddressRange");
  find(library, driver.stream_wait_value32, "cuStreamWaitValue32_v2");
  find(library, driver.flush_gpu_direct_rdma_writes, "cuFlushGPUDirectRDMAWrites");
  find(library, driver.pointer_set_attribute, "cuPointerSetAttribute");
  driver.stub = dlsym(library, "sluice_libcuda_stub") != nullptr;

  const Result started = driver.init(0);
  if (started == kStubLibrary)
    throw Error(ENOENT, "{} is the stub that CUDA's toolkit links with; install NVIDIA's driver",
                driver.file);
  if (started != kSuccess && started != kNoDevice)
    throw Error(EIO, "CUDA does not start: {}", text_of(driver, started));
  driver.has_gpus = started == kSuccess;
  return driver;
}

void check(const Driver& driver, Result result, const char* what) {
  if (result != kSuccess) throw Error(errno_of(result), "{}: {}", what, text_of(driver, result));
}

std::string text_of(const Driver& driver, Result result) {
  const char* text = nullptr;
  if (driver.get_error_string(result, &text) != kSuccess || text == nullptr)
    return fmt::format("error {} of CUDA", result);
  return fmt::format("{} (error {} of CUDA)", text, result);
}

}  // namespace sluice::cuda
