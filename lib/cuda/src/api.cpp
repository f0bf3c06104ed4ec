// SPDX-License-Identifier: Apache-2.0
// The C entry points: arguments are checked, exceptions become -errno and a sentence.
#include <sluice_cuda.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "c_entry.hpp"
#include "memory.hpp"
#include "stream.hpp"

using sluice::entry;
using sluice::require;
namespace cuda = sluice::cuda;

struct sluice_cuda_gpu {
  std::shared_ptr<cuda::Gpu> gpu;
};
struct sluice_cuda_memory {
  cuda::Memory memory;
};
struct sluice_cuda_host {
  cuda::Host host;
};
struct sluice_cuda_stream {
  cuda::Stream stream;
};
struct sluice_cuda_event {
  cuda::Event event;
};

namespace sluice {

thread_local std::string last_error;

template <>
inline constexpr size_t kFirstVersionBytes<sluice_cuda_info> = 184;

}  // namespace sluice

static_assert(offsetof(sluice_cuda_info, peer_writes_visible) ==
              sluice::kFirstVersionBytes<sluice_cuda_info>);
static_assert(sizeof(sluice_cuda_info) == 192);

namespace {

// Make an object for *result, which is `nothing` on failure.
template <typename T, typename Make>
int give(T* result, T nothing, const char* name, Make make) noexcept {
  if (result != nullptr) *result = nothing;
  return entry([&] {
    require(result, name);
    *result = make();
    return 0;
  });
}

const std::shared_ptr<cuda::Gpu>& gpu_of(const sluice_cuda_gpu* gpu) {
  require(gpu, "gpu");
  return gpu->gpu;
}

}  // namespace

const char* sluice_cuda_last_error(void) { return sluice::last_error.c_str(); }

int sluice_cuda_count(void) {
  return entry([] { return cuda::Gpu::count(); });
}

int sluice_cuda_open(unsigned index, sluice_cuda_gpu** gpu) {
  return give(gpu, static_cast<sluice_cuda_gpu*>(nullptr), "gpu",
              [&] { return new sluice_cuda_gpu{cuda::Gpu::open(index)}; });
}

void sluice_cuda_close(sluice_cuda_gpu* gpu) { delete gpu; }

int sluice_cuda_get_info(const sluice_cuda_gpu* gpu, sluice_cuda_info* info, size_t size) {
  return entry([&] {
    require(info, "info");
    sluice::check_size<sluice_cuda_info>(size, "info");
    sluice::copy_out(gpu_of(gpu)->info(), info, size);
    return 0;
  });
}

int sluice_cuda_memory_alloc(sluice_cuda_gpu* gpu, uint64_t bytes, sluice_cuda_memory** memory) {
  return give(memory, static_cast<sluice_cuda_memory*>(nullptr), "memory",
              [&] { return new sluice_cuda_memory{{gpu_of(gpu), bytes}}; });
}

void sluice_cuda_memory_free(sluice_cuda_memory* memory) { delete memory; }

uint64_t sluice_cuda_memory_pointer(const sluice_cuda_memory* memory) {
  return memory != nullptr ? memory->memory.pointer() : 0;
}

uint64_t sluice_cuda_memory_bytes(const sluice_cuda_memory* memory) {
  return memory != nullptr ? memory->memory.bytes() : 0;
}

int sluice_cuda_memory_export(sluice_cuda_memory* memory, int* fd) {
  return give(fd, -1, "fd", [&] {
    require(memory, "memory");
    return memory->memory.export_dma_buf();
  });
}

int sluice_cuda_host_alloc(sluice_cuda_gpu* gpu, uint64_t bytes, sluice_cuda_host** host) {
  return give(host, static_cast<sluice_cuda_host*>(nullptr), "host",
              [&] { return new sluice_cuda_host{{gpu_of(gpu), bytes}}; });
}

int sluice_cuda_host_register(sluice_cuda_gpu* gpu, void* data, uint64_t bytes, uint32_t flags,
                              sluice_cuda_host** host) {
  return give(host, static_cast<sluice_cuda_host*>(nullptr), "host", [&] {
    require(data, "data");
    return new sluice_cuda_host{{gpu_of(gpu), data, bytes, flags}};
  });
}

void sluice_cuda_host_free(sluice_cuda_host* host) { delete host; }

void* sluice_cuda_host_data(const sluice_cuda_host* host) {
  return host != nullptr ? host->host.data() : nullptr;
}

uint64_t sluice_cuda_host_pointer(const sluice_cuda_host* host) {
  return host != nullptr ? host->host.pointer() : 0;
}

uint64_t sluice_cuda_host_bytes(const sluice_cuda_host* host) {
  return host != nullptr ? host->host.bytes() : 0;
}

int sluice_cuda_host_export(sluice_cuda_host* host, int* fd) {
  return give(fd, -1, "fd", [&] {
    require(host, "host");
    return host->host.export_dma_buf();
  });
}

int sluice_cuda_stream_open(sluice_cuda_gpu* gpu, sluice_cuda_stream** stream) {
  return give(stream, static_cast<sluice_cuda_stream*>(nullptr), "stream",
              [&] { return new sluice_cuda_stream{cuda::Stream(gpu_of(gpu))}; });
}

void sluice_cuda_stream_close(sluice_cuda_stream* stream) { delete stream; }

void* sluice_cuda_stream_handle(const sluice_cuda_stream* stream) {
  return stream != nullptr ? stream->stream.id() : nullptr;
}

int sluice_cuda_copy_to_gpu(sluice_cuda_stream* stream, uint64_t to, const void* from,
                            uint64_t bytes) {
  return entry([&] {
    require(stream, "stream");
    require(from, "from");
    stream->stream.copy_to_gpu(to, from, bytes);
    return 0;
  });
}

int sluice_cuda_copy_from_gpu(sluice_cuda_stream* stream, void* to, uint64_t from, uint64_t bytes) {
  return entry([&] {
    require(stream, "stream");
    require(to, "to");
    stream->stream.copy_from_gpu(to, from, bytes);
    return 0;
  });
}

int sluice_cuda_copy_within_gpu(sluice_cuda_stream* stream, uint64_t to, uint64_t from,
                                uint64_t bytes) {
  return entry([&] {
    require(stream, "stream");
    stream->stream.copy_within_gpu(to, from, bytes);
    return 0;
  });
}

int sluice_cuda_stream_synchronize(sluice_cuda_stream* stream) {
  return entry([&] {
    require(stream, "stream");
    stream->stream.synchronize();
    return 0;
  });
}

int sluice_cuda_stream_idle(sluice_cuda_stream* stream) {
  return entry([&] {
    require(stream, "stream");
    return stream->stream.idle() ? 1 : 0;
  });
}

int sluice_cuda_stream_wait(sluice_cuda_stream* stream, int fd, uint32_t flags) {
  return entry([&] {
    require(stream, "stream");
    stream->stream.wait(fd, flags);
    return 0;
  });
}

int sluice_cuda_stream_signal(sluice_cuda_stream* stream, int fd) {
  return entry([&] {
    require(stream, "stream");
    stream->stream.signal(fd);
    return 0;
  });
}

int sluice_cuda_event_open(sluice_cuda_gpu* gpu, sluice_cuda_event** event) {
  return give(event, static_cast<sluice_cuda_event*>(nullptr), "event",
              [&] { return new sluice_cuda_event{cuda::Event(gpu_of(gpu))}; });
}

void sluice_cuda_event_close(sluice_cuda_event* event) { delete event; }

int sluice_cuda_event_record(sluice_cuda_event* event, sluice_cuda_stream* stream) {
  return entry([&] {
    require(event, "event");
    require(stream, "stream");
    event->event.record(stream->stream);
    return 0;
  });
}

int sluice_cuda_event_synchronize(sluice_cuda_event* event) {
  return entry([&] {
    require(event, "event");
    event->event.synchronize();
    return 0;
  });
}

int sluice_cuda_event_elapsed_ns(sluice_cuda_event* from, sluice_cuda_event* to,
                                 int64_t* elapsed_ns) {
  return entry([&] {
    require(from, "from");
    require(to, "to");
    require(elapsed_ns, "elapsed_ns");
    *elapsed_ns = from->event.ns_until(to->event);
    return 0;
  });
}
