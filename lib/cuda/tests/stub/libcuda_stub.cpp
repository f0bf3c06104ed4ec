// SPDX-License-Identifier: Apache-2.0
// A test double of NVIDIA's libcuda, for machines without a GPU: device memory is a memfd that is
// mapped into the process, and each stream is a thread. It says "stub" in its name, and what is
// measured with it says nothing about a GPU.
//
// It is as strict as CUDA or stricter, so that tests can fail: a call without a current context, a
// range that no allocation holds, an asynchronous copy of host memory that is not registered, a
// handle that was destroyed, and a call of CUDA in a host function are refused. Host functions of
// all streams run one at a time, as CUDA may have them.
//
// SLUICE_STUB holds settings, separated by commas, that are read at each call:
//   gpus=N       the number of GPUs, 0 to 4; default 1
//   no-dma-buf   GPUs do not export their memory
//   no-waits     streams cannot wait for a number in memory (CUDA_ERROR_NOT_SUPPORTED)
//   no-host-functions  streams take no host function (CUDA_ERROR_NOT_SUPPORTED)
//   no-register  host memory is not registered (CUDA_ERROR_OUT_OF_MEMORY)
//   register-waits  registering host memory first waits for the queued work of all streams
//   flush=N      writes of peers have to be flushed; N is the options of the GPU for that: 1, by
//   the
//                host; 2, with a wait
//   flush-fails  the host's flush does (CUDA_ERROR_NOT_SUPPORTED)
//   no-wait-flush  waits with a flush are refused
//   driver-11.2  the driver knows no attribute of CUDA 11.3
//   shift=N      allocations begin N bytes behind a page
//   delay-us=N   each copy takes at least N microseconds
//   vfio=F/B     device memory is BAR B of PCI function F, which vfio-pci has, one allocation at a
//                time: what a card reaches peer to peer
//   corrupt=N    each copy to the GPU of more than N bytes has byte N wrong there
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "driver.hpp"
#include "vfio_bar.hpp"

using namespace sluice::cuda;

#define STUB extern "C" __attribute__((visibility("default")))

namespace {

constexpr uint64_t kMemoryBytes = uint64_t{4} << 30;  // of a GPU
constexpr uint64_t kPage = 64 * 1024;
constexpr int kMostGpus = 4;

// The value of a setting, "" for one without; nothing if it is not there.
std::optional<std::string> setting(const std::string& name) {
  const char* text = std::getenv("SLUICE_STUB");
  std::string rest = text != nullptr ? text : "";
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string one = rest.substr(0, comma);
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
    const size_t equals = one.find('=');
    if (one.substr(0, equals) == name)
      return equals == std::string::npos ? "" : one.substr(equals + 1);
  }
  return std::nullopt;
}

uint64_t number(const std::string& name, uint64_t otherwise) {
  const auto value = setting(name);
  return value ? std::strtoull(value->c_str(), nullptr, 0) : otherwise;
}

int gpus() { return static_cast<int>(std::min<uint64_t>(number("gpus", 1), kMostGpus)); }

struct Allocation {
  uint64_t bytes;
  uint64_t mapped;  // where the memfd's mapping begins
  uint64_t room;    // and its length
  void* reserved;   // room + kPage bytes around it
  int file;         // the memfd; -1: of a BAR
};

struct Stream {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> queue;
  bool busy = false, stop = false;
  std::atomic<bool> failed{false};  // destroyed after its context failed: begins nothing more
  std::thread thread;

  void run() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [this] { return stop || !queue.empty(); });
      if (queue.empty()) return;
      const auto work = std::move(queue.front());
      queue.pop_front();
      busy = true;
      lock.unlock();
      work();
      lock.lock();
      busy = false;
      changed.notify_all();
    }
  }
  void add(std::function<void()> work) {
    const std::lock_guard lock(mutex);
    queue.push_back(std::move(work));
    changed.notify_all();
  }
  void drain() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return queue.empty() && !busy; });
  }
};

struct Event {
  std::mutex mutex;
  std::condition_variable changed;
  int asked = 0, recorded = 0;
  std::chrono::steady_clock::time_point time;
};

struct Registration {
  uint64_t bytes;
  Context context;  // ends with it
};

struct State {
  std::mutex mutex;
  bool started = false;
  int retained[kMostGpus] = {};
  char contexts[kMostGpus] = {};  // whose addresses are the contexts
  std::map<uint64_t, Allocation> memory;
  std::map<uint64_t, Registration> registered;  // by address
  std::map<void*, std::shared_ptr<Stream>> streams;
  std::map<void*, std::shared_ptr<Event>> events;
  std::atomic<Result> failure{kSuccess};  // of the context: every later call returns it
  std::mutex host_functions;              // one at a time
  std::atomic<uint64_t> flushes{0}, wait_flushes{0}, last_wait{0};
};

State& state() {
  static State* one = new State;  // streams may outlive everything else
  return *one;
}

thread_local std::vector<Context> current;
thread_local bool in_host_function = false;

template <typename Map>
bool holds(const Map& ranges, uint64_t address, uint64_t bytes,
           uint64_t (*length)(typename Map::const_iterator)) {
  auto next = ranges.upper_bound(address);
  if (next == ranges.begin()) return false;
  --next;
  return address - next->first <= length(next) && bytes <= length(next) - (address - next->first);
}

bool on_gpu(uint64_t address, uint64_t bytes) {
  using Map = std::map<uint64_t, Allocation>;
  return holds<Map>(state().memory, address, bytes,
                    [](Map::const_iterator at) -> uint64_t { return at->second.bytes; });
}

bool on_host(uint64_t address, uint64_t bytes) {
  using Map = std::map<uint64_t, Registration>;
  return holds<Map>(state().registered, address, bytes,
                    [](Map::const_iterator at) -> uint64_t { return at->second.bytes; });
}

// What each call of a context begins with.
Result begin() {
  if (in_host_function) return kNotPermitted;
  if (!state().started) return kNotInitialized;
  if (current.empty()) return kInvalidContext;
  return state().failure;
}

std::shared_ptr<Stream> find(StreamId id) {
  const std::lock_guard lock(state().mutex);
  const auto found = state().streams.find(id);
  return found != state().streams.end() ? found->second : nullptr;
}

std::shared_ptr<Event> find_event(EventId id) {
  const std::lock_guard lock(state().mutex);
  const auto found = state().events.find(id);
  return found != state().events.end() ? found->second : nullptr;
}

void drain_all() {
  std::vector<std::shared_ptr<Stream>> all;
  {
    const std::lock_guard lock(state().mutex);
    for (const auto& [id, stream] : state().streams) all.push_back(stream);
  }
  for (const auto& stream : all) stream->drain();
}

using Where = bool (*)(uint64_t, uint64_t);

Result copy(uint64_t to, Where to_is, uint64_t from, Where from_is, size_t bytes, StreamId id) {
  if (const Result result = begin(); result != kSuccess) return result;
  const auto stream = find(id);
  if (stream == nullptr) return kInvalidHandle;
  const auto reachable = [=] {
    const std::lock_guard lock(state().mutex);
    return to_is(to, bytes) && from_is(from, bytes);
  };
  if (!reachable()) return kInvalidValue;
  stream->add([=] {
    const uint64_t delay_us = number("delay-us", 0);
    if (delay_us != 0) std::this_thread::sleep_for(std::chrono::microseconds(delay_us));
    if (!reachable()) {
      state().failure = kIllegalAddress;
      return;
    }
    auto* bytes_to = reinterpret_cast<uint8_t*>(to);
    std::memcpy(bytes_to, reinterpret_cast<const void*>(from), bytes);
    if (to_is == on_gpu && setting("corrupt"))
      if (const uint64_t at = number("corrupt", 0); at < bytes) bytes_to[at] ^= 0x10U;
  });
  return kSuccess;
}

}  // namespace

STUB const char sluice_libcuda_stub[] = "the test double of libcuda";
// How often cuFlushGPUDirectRDMAWrites() was called.
STUB uint64_t sluice_libcuda_stub_flushes() { return state().flushes; }
// How many waits with CU_STREAM_WAIT_VALUE_FLUSH ended.
STUB uint64_t sluice_libcuda_stub_wait_flushes() { return state().wait_flushes; }
// The address of the number that the last cuStreamWaitValue32() waits for.
STUB uint64_t sluice_libcuda_stub_last_wait() { return state().last_wait; }
// The GPU fails: as of a kernel that accessed an address that is not valid.
STUB void sluice_libcuda_stub_fail() { state().failure = kIllegalAddress; }

STUB Result cuGetErrorString(Result result, const char** text) {
  switch (result) {
    case kSuccess: *text = "no error"; return kSuccess;
    case kInvalidValue: *text = "invalid argument"; return kSuccess;
    case kOutOfMemory: *text = "out of memory"; return kSuccess;
    case kNotInitialized: *text = "initialization error"; return kSuccess;
    case kNoDevice: *text = "no CUDA-capable device is detected"; return kSuccess;
    case kInvalidDevice: *text = "invalid device ordinal"; return kSuccess;
    case kInvalidContext: *text = "invalid device context"; return kSuccess;
    case kInvalidHandle: *text = "invalid resource handle"; return kSuccess;
    case kNotReady: *text = "device not ready"; return kSuccess;
    case kIllegalAddress: *text = "an illegal memory access was encountered"; return kSuccess;
    case kAlreadyRegistered:
      *text = "part or all of the requested memory range is already mapped";
      return kSuccess;
    case kNotRegistered:
      *text = "pointer does not correspond to a registered memory region";
      return kSuccess;
    case kNotPermitted: *text = "operation not permitted"; return kSuccess;
    case kNotSupported: *text = "operation not supported"; return kSuccess;
    default: *text = nullptr; return kInvalidValue;
  }
}

STUB Result cuInit(unsigned) {
  if (gpus() == 0) return kNoDevice;
  state().started = true;
  return kSuccess;
}

STUB Result cuDriverGetVersion(int* version) {
  *version = 12080;
  return kSuccess;
}

STUB Result cuDeviceGetCount(int* count) {
  if (!state().started) return kNotInitialized;
  *count = gpus();
  return kSuccess;
}

STUB Result cuDeviceGet(Device* device, int index) {
  if (!state().started) return kNotInitialized;
  if (index < 0 || index >= gpus()) return kInvalidDevice;
  *device = index;
  return kSuccess;
}

STUB Result cuDeviceGetName(char* name, int length, Device) {
  std::snprintf(name, static_cast<size_t>(length), "stub (no GPU: memory of this host)");
  return kSuccess;
}

STUB Result cuDeviceTotalMem_v2(size_t* bytes, Device) {
  *bytes = kMemoryBytes;
  return kSuccess;
}

STUB Result cuDeviceGetPCIBusId(char* text, int length, Device device) {
  std::snprintf(text, static_cast<size_t>(length), "0000:%02X:00.0", 0xe0 + device);
  return kSuccess;
}

STUB Result cuDeviceGetAttribute(int* value, int attribute, Device) {
  if (attribute >= kFlushWritesOptions && setting("driver-11.2")) return kInvalidValue;
  switch (attribute) {
    case kDmaBufSupported: *value = setting("no-dma-buf") ? 0 : 1; return kSuccess;
    case kWritesOrdering: *value = setting("flush") ? 0 : 200; return kSuccess;
    case kFlushWritesOptions:
      *value = static_cast<int>(number("flush", kFlushByHost));
      return kSuccess;
    default: return kInvalidValue;
  }
}

STUB Result cuDevicePrimaryCtxRetain(Context* context, Device device) {
  const std::lock_guard lock(state().mutex);
  ++state().retained[device];
  *context = &state().contexts[device];
  return kSuccess;
}

STUB Result cuDevicePrimaryCtxRelease_v2(Device device) {
  const std::lock_guard lock(state().mutex);
  if (state().retained[device] == 0) return kInvalidContext;
  if (--state().retained[device] != 0) return kSuccess;
  state().failure = kSuccess;
  std::erase_if(state().registered, [device](const auto& one) {
    return one.second.context == &state().contexts[device];
  });
  return kSuccess;
}

STUB Result cuCtxPushCurrent_v2(Context context) {
  if (in_host_function) return kNotPermitted;
  current.push_back(context);
  return kSuccess;
}

STUB Result cuCtxPopCurrent_v2(Context* context) {
  if (current.empty()) return kInvalidContext;
  *context = current.back();
  current.pop_back();
  return kSuccess;
}

// Opened once; nullptr, with its sentence told, if it cannot be had.
static const sluice::bench::VfioBar* bar_of(const std::string& name) try {
  static const sluice::bench::VfioBar bar(name);
  return &bar;
} catch (const std::exception& error) {
  std::fprintf(stderr, "libcuda-stub: %s\n", error.what());
  return nullptr;
}

STUB Result cuMemAlloc_v2(Pointer* pointer, size_t bytes) {
  if (const Result result = begin(); result != kSuccess) return result;
  if (bytes == 0) return kInvalidValue;
  uint64_t used = 0;
  const std::lock_guard lock(state().mutex);
  for (const auto& [address, one] : state().memory) used += one.bytes;
  if (bytes > kMemoryBytes - used) return kOutOfMemory;
  const uint64_t shift = number("shift", 0);
  const uint64_t room = (bytes + shift + kPage - 1) / kPage * kPage;
  const sluice::bench::VfioBar* bar = nullptr;
  int file = -1;
  if (const auto name = setting("vfio")) {
    bar = bar_of(*name);
    if (bar == nullptr || !state().memory.empty() || room > bar->bytes()) return kOutOfMemory;
  } else {
    file = memfd_create("libcuda-stub", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0 || ftruncate(file, static_cast<off_t>(room)) != 0) return kOutOfMemory;
  }
  // More than is needed, for a place on a page of the GPU.
  void* place = mmap(nullptr, room + kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) return kOutOfMemory;
  const uint64_t first = (reinterpret_cast<uint64_t>(place) + kPage - 1) / kPage * kPage;
  if (bar != nullptr)
    static_cast<void>(bar->map(reinterpret_cast<void*>(first), room));
  else if (mmap(reinterpret_cast<void*>(first), room, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
    return kOutOfMemory;
  *pointer = first + shift;
  state().memory[*pointer] = {
      .bytes = bytes, .mapped = first, .room = room, .reserved = place, .file = file};
  return kSuccess;
}

STUB Result cuMemFree_v2(Pointer pointer) {
  if (const Result result = begin(); result != kSuccess) return result;
  drain_all();
  const std::lock_guard lock(state().mutex);
  const auto found = state().memory.find(pointer);
  if (found == state().memory.end()) return kInvalidValue;
  munmap(found->second.reserved, found->second.room + kPage);
  if (found->second.file >= 0) close(found->second.file);
  state().memory.erase(found);
  return kSuccess;
}

STUB Result cuMemHostRegister_v2(void* data, size_t bytes, unsigned flags) {
  if (const Result result = begin(); result != kSuccess) return result;
  if (data == nullptr || bytes == 0 || (flags & ~15U) != 0) return kInvalidValue;
  if (setting("no-register")) return kOutOfMemory;
  if (setting("register-waits")) drain_all();
  const auto first = reinterpret_cast<uint64_t>(data);
  const std::lock_guard lock(state().mutex);
  for (const auto& [address, one] : state().registered)
    if (first < address + one.bytes && address < first + bytes) return kAlreadyRegistered;
  // It has to be mapped, as memory that can be pinned has to be.
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t base = first / page * page;
  if (msync(reinterpret_cast<void*>(base), first + bytes - base, MS_ASYNC) != 0)
    return kInvalidValue;
  state().registered[first] = {.bytes = bytes, .context = current.back()};
  return kSuccess;
}

STUB Result cuMemHostUnregister(void* data) {
  if (const Result result = begin(); result != kSuccess) return result;
  drain_all();
  const std::lock_guard lock(state().mutex);
  return state().registered.erase(reinterpret_cast<uint64_t>(data)) == 1 ? kSuccess
                                                                         : kNotRegistered;
}

STUB Result cuMemHostGetDevicePointer_v2(Pointer* pointer, void* data, unsigned flags) {
  if (const Result result = begin(); result != kSuccess) return result;
  const std::lock_guard lock(state().mutex);
  if (flags != 0 || !on_host(reinterpret_cast<uint64_t>(data), 1)) return kInvalidValue;
  *pointer = reinterpret_cast<uint64_t>(data);
  return kSuccess;
}

// Of nvbandwidth's loop in python/tools/gpu_reference.py, not of the library.
STUB Result cuMemAllocHost_v2(void** data, size_t bytes) {
  if (const Result result = begin(); result != kSuccess) return result;
  *data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (*data == MAP_FAILED) return kOutOfMemory;
  const std::lock_guard lock(state().mutex);
  state().registered[reinterpret_cast<uint64_t>(*data)] = {.bytes = bytes,
                                                           .context = current.back()};
  return kSuccess;
}

STUB Result cuMemFreeHost(void* data) {
  if (const Result result = begin(); result != kSuccess) return result;
  drain_all();
  const std::lock_guard lock(state().mutex);
  const auto found = state().registered.find(reinterpret_cast<uint64_t>(data));
  if (found == state().registered.end()) return kInvalidValue;
  munmap(data, found->second.bytes);
  state().registered.erase(found);
  return kSuccess;
}

STUB Result cuMemcpyHtoDAsync_v2(Pointer to, const void* from, size_t bytes, StreamId id) {
  return copy(to, on_gpu, reinterpret_cast<uint64_t>(from), on_host, bytes, id);
}

STUB Result cuMemcpyDtoHAsync_v2(void* to, Pointer from, size_t bytes, StreamId id) {
  return copy(reinterpret_cast<uint64_t>(to), on_host, from, on_gpu, bytes, id);
}

STUB Result cuMemcpyDtoDAsync_v2(Pointer to, Pointer from, size_t bytes, StreamId id) {
  // Host memory that is registered has an address on the GPU too.
  const Where anywhere = [](uint64_t address, uint64_t length) {
    return on_gpu(address, length) || on_host(address, length);
  };
  if (to < from + bytes && from < to + bytes) return kInvalidValue;
  return copy(to, anywhere, from, anywhere, bytes, id);
}

STUB Result cuStreamCreate(StreamId* id, unsigned flags) {
  if (const Result result = begin(); result != kSuccess) return result;
  if (flags > kNonBlocking) return kInvalidValue;
  auto stream = std::make_shared<Stream>();
  stream->thread = std::thread([stream] { stream->run(); });
  *id = stream.get();
  const std::lock_guard lock(state().mutex);
  state().streams[*id] = std::move(stream);
  return kSuccess;
}

STUB Result cuStreamDestroy_v2(StreamId id) {
  if (in_host_function) return kNotPermitted;
  std::shared_ptr<Stream> stream = find(id);
  if (stream == nullptr) return kInvalidHandle;
  {
    const std::lock_guard lock(state().mutex);
    state().streams.erase(id);
  }
  // A context that failed has ended its work, but not a host function that runs.
  stream->failed = state().failure != kSuccess;
  {
    const std::lock_guard lock(stream->mutex);
    stream->stop = true;
    if (stream->failed) stream->queue.clear();
  }
  stream->changed.notify_all();
  if (stream->failed)
    stream->thread.detach();
  else
    stream->thread.join();
  return kSuccess;
}

STUB Result cuStreamSynchronize(StreamId id) {
  if (const Result result = begin(); result != kSuccess) return result;
  const auto stream = find(id);
  if (stream == nullptr) return kInvalidHandle;
  stream->drain();
  return state().failure;
}

STUB Result cuStreamQuery(StreamId id) {
  if (const Result result = begin(); result != kSuccess) return result;
  const auto stream = find(id);
  if (stream == nullptr) return kInvalidHandle;
  const std::lock_guard lock(stream->mutex);
  return stream->queue.empty() && !stream->busy ? kSuccess : kNotReady;
}

STUB Result cuLaunchHostFunc(StreamId id, HostFunction function, void* data) {
  if (const Result result = begin(); result != kSuccess) return result;
  const auto stream = find(id);
  if (stream == nullptr) return kInvalidHandle;
  if (function == nullptr) return kInvalidValue;
  if (setting("no-host-functions")) return kNotSupported;
  stream->add([=, of = stream.get()] {
    const std::lock_guard lock(state().host_functions);
    if (state().failure != kSuccess || of->failed) return;
    in_host_function = true;
    function(data);
    in_host_function = false;
  });
  return kSuccess;
}

STUB Result cuStreamWaitValue32_v2(StreamId id, Pointer address, uint32_t value, unsigned flags) {
  if (const Result result = begin(); result != kSuccess) return result;
  const bool flush = (flags & kFlushAfterWait) != 0;
  if (setting("no-waits") ||
      (flush && ((number("flush", 0) & kFlushByWait) == 0 || setting("no-wait-flush"))))
    return kNotSupported;
  const auto stream = find(id);
  if (stream == nullptr) return kInvalidHandle;
  {
    const std::lock_guard lock(state().mutex);
    if ((flags & ~kFlushAfterWait) != kGreaterOrEqual || address % 4 != 0 || !on_host(address, 4))
      return kInvalidValue;
  }
  state().last_wait = address;
  stream->add([=, of = stream.get()] {
    const auto* number_at = reinterpret_cast<const std::atomic<uint32_t>*>(address);
    while (static_cast<int32_t>(number_at->load(std::memory_order_acquire) - value) < 0 &&
           state().failure == kSuccess && !of->failed)
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    if (flush) ++state().wait_flushes;
  });
  return kSuccess;
}

STUB Result cuEventCreate(EventId* id, unsigned flags) {
  if (const Result result = begin(); result != kSuccess) return result;
  if (flags > 1) return kInvalidValue;  // the times are always there
  auto event = std::make_shared<Event>();
  *id = event.get();
  const std::lock_guard lock(state().mutex);
  state().events[*id] = std::move(event);
  return kSuccess;
}

STUB Result cuEventDestroy_v2(EventId id) {
  const std::lock_guard lock(state().mutex);
  return state().events.erase(id) == 1 ? kSuccess : kInvalidHandle;
}

STUB Result cuEventRecord(EventId id, StreamId stream_id) {
  if (const Result result = begin(); result != kSuccess) return result;
  const auto event = find_event(id);
  const auto stream = find(stream_id);
  if (event == nullptr || stream == nullptr) return kInvalidHandle;
  {
    const std::lock_guard lock(event->mutex);
    ++event->asked;
  }
  stream->add([event] {
    const std::lock_guard lock(event->mutex);
    ++event->recorded;
    event->time = std::chrono::steady_clock::now();
    event->changed.notify_all();
  });
  return kSuccess;
}

STUB Result cuEventSynchronize(EventId id) {
  if (const Result result = begin(); result != kSuccess) return result;
  const auto event = find_event(id);
  if (event == nullptr) return kInvalidHandle;
  std::unique_lock lock(event->mutex);
  event->changed.wait(lock, [&] { return event->recorded == event->asked; });
  return state().failure;
}

STUB Result cuEventElapsedTime(float* milliseconds, EventId from_id, EventId to_id) {
  if (const Result result = begin(); result != kSuccess) return result;
  const auto from = find_event(from_id), to = find_event(to_id);
  if (from == nullptr || to == nullptr) return kInvalidHandle;
  std::chrono::steady_clock::time_point times[2];
  for (int i = 0; i < 2; ++i) {
    Event& event = i == 0 ? *from : *to;
    const std::lock_guard lock(event.mutex);
    if (event.asked == 0) return kInvalidHandle;
    if (event.recorded != event.asked) return kNotReady;
    times[i] = event.time;
  }
  *milliseconds = std::chrono::duration<float, std::milli>(times[1] - times[0]).count();
  return kSuccess;
}

STUB Result cuMemGetHandleForAddressRange(void* handle, Pointer pointer, size_t bytes, int type,
                                          unsigned long long flags) {
  if (const Result result = begin(); result != kSuccess) return result;
  if (setting("no-dma-buf")) return kNotSupported;
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  if (type != kDmaBufFd || flags != 0 || pointer % page != 0 || bytes % page != 0)
    return kInvalidValue;
  const std::lock_guard lock(state().mutex);
  if (!on_gpu(pointer, bytes)) return kInvalidValue;
  const Allocation& found = std::prev(state().memory.upper_bound(pointer))->second;
  if (pointer != found.mapped || bytes != found.room)
    return kNotSupported;  // the memfd is all of it
  const int fd = found.file >= 0 ? fcntl(found.file, F_DUPFD_CLOEXEC, 0)
                                 : bar_of(*setting("vfio"))->export_first(bytes);
  if (fd < 0) return kOutOfMemory;
  std::memcpy(handle, &fd, sizeof fd);
  return kSuccess;
}

STUB Result cuPointerSetAttribute(const void* value, int attribute, Pointer pointer) {
  if (const Result result = begin(); result != kSuccess) return result;
  const std::lock_guard lock(state().mutex);
  return value != nullptr && attribute == kSyncMemops && on_gpu(pointer, 1) ? kSuccess
                                                                            : kInvalidValue;
}

STUB Result cuFlushGPUDirectRDMAWrites(int target, int scope) {
  if (const Result result = begin(); result != kSuccess) return result;
  if (target != kFlushContext || scope != kFlushToOwner) return kInvalidValue;
  if (setting("flush-fails")) return kNotSupported;
  ++state().flushes;
  return kSuccess;
}
