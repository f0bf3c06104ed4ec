// SPDX-License-Identifier: Apache-2.0
// sluice_cuda.h for C++: handles that free what they hold. Header only, as sluice.hpp.
#pragma once

#include <sluice_cuda.h>

#include <memory>

namespace sluice::cuda {

template <auto kFree>
struct Deleter {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using GpuHandle = std::unique_ptr<sluice_cuda_gpu, Deleter<sluice_cuda_close>>;
using MemoryHandle = std::unique_ptr<sluice_cuda_memory, Deleter<sluice_cuda_memory_free>>;
using HostHandle = std::unique_ptr<sluice_cuda_host, Deleter<sluice_cuda_host_free>>;
using StreamHandle = std::unique_ptr<sluice_cuda_stream, Deleter<sluice_cuda_stream_close>>;
using EventHandle = std::unique_ptr<sluice_cuda_event, Deleter<sluice_cuda_event_close>>;

}  // namespace sluice::cuda
