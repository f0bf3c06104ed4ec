// SPDX-License-Identifier: Apache-2.0
// libsluice-cuda on the test double of libcuda.
#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <sluice_cuda.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "seed.hpp"

// While this is set, every descriptor is a fence of that status: 1, it went well, or -errno.
static std::atomic<int> fence_status{0};

// The library's too, since symbols of the program come first.
extern "C" int ioctl(int fd, unsigned long request, ...) noexcept {
  va_list rest;
  va_start(rest, request);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  if (request == SYNC_IOC_FILE_INFO && fence_status != 0) {
    static_cast<sync_file_info*>(argument)->status = fence_status;
    return 0;
  }
  return static_cast<int>(syscall(SYS_ioctl, fd, request, argument));
}

// An eventfd whose count is taken as soon as poll() says that another descriptor of it is readable.
static std::atomic<int> steal_from{-1};

extern "C" int poll(pollfd* fds, nfds_t count, int timeout_ms) {
  timespec timeout{.tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * 1'000'000L};
  const int ready = static_cast<int>(
      syscall(SYS_ppoll, fds, count, timeout_ms < 0 ? nullptr : &timeout, nullptr, 0));
  if (count == 2 && ready > 0 && (fds[0].revents & POLLIN) != 0)
    if (const int fd = steal_from.exchange(-1); fd >= 0) {
      uint64_t taken = 0;
      EXPECT_EQ(read(fd, &taken, sizeof taken), 8);
    }
  return ready;
}

// While this is set, /dev/udmabuf does not open, for this reason.
static std::atomic<int> udmabuf_errno{0};

extern "C" int open64(const char* path, int flags, ...) {
  if (udmabuf_errno != 0 && std::strcmp(path, "/dev/udmabuf") == 0) {
    errno = udmabuf_errno;
    return -1;
  }
  va_list rest;
  va_start(rest, flags);
  const int mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, int) : 0;
  va_end(rest);
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

// While this is set, the kernel reads no descriptor without blocking, as before Linux 5.8.
static std::atomic<bool> old_kernel{false};

extern "C" ssize_t preadv64v2(int fd, const iovec* pieces, int count, off64_t offset, int flags) {
  if (old_kernel && (flags & RWF_NOWAIT) != 0) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return syscall(SYS_preadv2, fd, pieces, count, static_cast<long>(offset), 0L, flags);
}

// Where the library's next anonymous mapping begins.
static std::atomic<void*> next_mapping{nullptr};

extern "C" void* mmap64(void* place, size_t bytes, int protection, int flags, int fd,
                        off64_t offset) noexcept {
  if ((flags & MAP_ANONYMOUS) != 0)
    if (void* next = next_mapping.exchange(nullptr); next != nullptr) place = next;
  return reinterpret_cast<void*>(
      syscall(SYS_mmap, place, bytes, protection, flags, fd, static_cast<long>(offset)));
}

// How often write() was called, also while it blocks.
static std::atomic<int> writes{0};

extern "C" ssize_t write(int fd, const void* data, size_t bytes) {
  static const auto next =
      reinterpret_cast<ssize_t (*)(int, const void*, size_t)>(dlsym(RTLD_NEXT, "write"));
  ++writes;
  return next(fd, data, bytes);
}

namespace {

constexpr int kPatienceMs = 120'000;  // of what hangs

using Gpu = sluice::cuda::GpuHandle;
using Memory = sluice::cuda::MemoryHandle;
using Host = sluice::cuda::HostHandle;
using Stream = sluice::cuda::StreamHandle;
using Event = sluice::cuda::EventHandle;

std::string said() { return sluice_cuda_last_error(); }

class Cuda : public testing::Test {
 protected:
  void SetUp() override { use(""); }

  // The test double, with these settings.
  static void use(const char* settings) {
    setenv("SLUICE_LIBCUDA", LIBCUDA_STUB, 1);
    setenv("SLUICE_STUB", settings, 1);
  }

  static Gpu open(unsigned index = 0) {
    sluice_cuda_gpu* gpu = nullptr;
    EXPECT_EQ(sluice_cuda_open(index, &gpu), 0) << said();
    return Gpu(gpu);
  }
  static Memory memory(const Gpu& gpu, uint64_t bytes) {
    sluice_cuda_memory* made = nullptr;
    EXPECT_EQ(sluice_cuda_memory_alloc(gpu.get(), bytes, &made), 0) << said();
    return Memory(made);
  }
  static Host host(const Gpu& gpu, uint64_t bytes) {
    sluice_cuda_host* made = nullptr;
    EXPECT_EQ(sluice_cuda_host_alloc(gpu.get(), bytes, &made), 0) << said();
    return Host(made);
  }
  static Stream stream(const Gpu& gpu) {
    sluice_cuda_stream* made = nullptr;
    EXPECT_EQ(sluice_cuda_stream_open(gpu.get(), &made), 0) << said();
    return Stream(made);
  }
  static Event event(const Gpu& gpu) {
    sluice_cuda_event* made = nullptr;
    EXPECT_EQ(sluice_cuda_event_open(gpu.get(), &made), 0) << said();
    return Event(made);
  }
  static uint8_t* data(const Host& host) {
    return static_cast<uint8_t*>(sluice_cuda_host_data(host.get()));
  }
  static uint64_t at(const Memory& memory) { return sluice_cuda_memory_pointer(memory.get()); }
};

void fill(uint8_t* data, size_t bytes, uint64_t seed) {
  std::mt19937_64 random(seed);
  size_t i = 0;
  for (; i + 8 <= bytes; i += 8) {
    const uint64_t word = random();
    std::memcpy(data + i, &word, 8);
  }
  for (; i < bytes; ++i) data[i] = static_cast<uint8_t>(random());
}

// The first byte that differs.
std::optional<size_t> difference(const uint8_t* a, const uint8_t* b, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    if (a[i] != b[i]) return i;
  return std::nullopt;
}

bool readable(int fd, int timeout_ms) {
  pollfd one{.fd = fd, .events = POLLIN, .revents = 0};
  return poll(&one, 1, timeout_ms) == 1;
}

void raise_event(int fd) {
  const uint64_t one = 1;
  ASSERT_EQ(write(fd, &one, sizeof one), 8);
}

// Whether a call returns within a time, without what then helps it.
template <typename Body, typename Help>
bool returns_without(Help help, Body body, int patience_ms = 5000) {
  std::atomic<bool> returned{false};
  std::thread caller([&] {
    body();
    returned = true;
  });
  for (int i = 0; i < patience_ms / 10 && !returned; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const bool by_itself = returned;
  help();
  caller.join();
  return by_itself;
}

// Whether a call returns while a stream still waits for eventfd `fd`; else raise that.
template <typename Body>
bool returns_before(int fd, Body body) {
  return returns_without([fd] { raise_event(fd); }, body);
}

// A function of the test double.
template <typename Function>
Function* of_stub(const char* name) {
  void* stub = dlopen(LIBCUDA_STUB, RTLD_NOW);
  return reinterpret_cast<Function*>(dlsym(stub, name));
}

uint64_t stub_count(const char* name) { return of_stub<uint64_t()>(name)(); }

// As many descriptors as the system lets this process have.
void allow_descriptors() {
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  limit.rlim_cur = limit.rlim_max;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

struct Descriptor {
  explicit Descriptor(int descriptor) : fd(descriptor) { EXPECT_GE(fd, 0); }
  ~Descriptor() { ::close(fd); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int fd;
};

// --- libcuda

TEST_F(Cuda, SaysWhatIsMissingWithoutCuda) {
  unsetenv("SLUICE_LIBCUDA");
  if (void* there = dlopen("libcuda.so.1", RTLD_LAZY); there != nullptr)
    GTEST_SKIP() << "this machine has NVIDIA's driver";
  sluice_cuda_gpu* gpu = reinterpret_cast<sluice_cuda_gpu*>(&gpu);
  EXPECT_EQ(sluice_cuda_open(0, &gpu), -ENOENT);
  EXPECT_EQ(gpu, nullptr);
  EXPECT_EQ(said(),
            "CUDA is missing: libcuda.so.1 of NVIDIA's driver does not load (libcuda.so.1: cannot "
            "open shared object file: No such file or directory); install the driver, or name the "
            "library in SLUICE_LIBCUDA");
  EXPECT_EQ(sluice_cuda_count(), -ENOENT);
}

TEST_F(Cuda, SaysThatTheNamedLibraryDoesNotLoad) {
  setenv("SLUICE_LIBCUDA", "/nowhere/libcuda.so", 1);
  EXPECT_EQ(sluice_cuda_count(), -ENOENT);
  EXPECT_EQ(said(),
            "SLUICE_LIBCUDA names /nowhere/libcuda.so, which does not load: /nowhere/libcuda.so: "
            "cannot open shared object file: No such file or directory");
}

TEST_F(Cuda, RefusesALibraryWithoutItsFunctions) {
  setenv("SLUICE_LIBCUDA", "libc.so.6", 1);
  EXPECT_EQ(sluice_cuda_count(), -ENOTSUP);
  EXPECT_EQ(said(), "libc.so.6 has no cuGetErrorString; a driver for CUDA 11.0 or newer is needed");
}

TEST_F(Cuda, CountsGpusAndRefusesOthers) {
  use("gpus=2");
  EXPECT_EQ(sluice_cuda_count(), 2);
  const Gpu last = open(1);
  sluice_cuda_gpu* gpu = nullptr;
  EXPECT_EQ(sluice_cuda_open(2, &gpu), -ENODEV);
  EXPECT_EQ(said(), "there is no GPU 2; allowed: 0 to 1");
  use("gpus=0");
  EXPECT_EQ(sluice_cuda_count(), 0);
  EXPECT_EQ(sluice_cuda_open(0, &gpu), -ENODEV);
  EXPECT_EQ(said(),
            "CUDA finds no GPU; see nvidia-smi, and the environment's CUDA_VISIBLE_DEVICES");
}

TEST_F(Cuda, TellsWhatTheGpuIs) {
  const Gpu gpu = open();
  sluice_cuda_info info;
  ASSERT_EQ(sluice_cuda_get_info(gpu.get(), &info, sizeof info), 0) << said();
  EXPECT_STREQ(info.name, "stub (no GPU: memory of this host)");
  EXPECT_STREQ(info.pci, "0000:e0:00.0");
  EXPECT_EQ(info.memory_bytes, uint64_t{4} << 30);
  EXPECT_EQ(info.cuda_version, 12080U);
  EXPECT_EQ(info.dma_buf, 1U);
  EXPECT_EQ(info.gpu_waits, 1U);
  EXPECT_EQ(info.stub, 1U);

  constexpr size_t kFirst = offsetof(sluice_cuda_info, peer_writes_visible);
  EXPECT_EQ(info.peer_writes_visible, 1U);
  info.peer_writes_visible = 7;
  EXPECT_EQ(sluice_cuda_get_info(gpu.get(), &info, kFirst), 0) << said();
  EXPECT_EQ(info.peer_writes_visible, 7U);  // of a program that does not know it
  EXPECT_EQ(sluice_cuda_get_info(gpu.get(), &info, kFirst - 1), -EINVAL);
  EXPECT_EQ(said(), "info of 183 bytes is smaller than its first version, 184 bytes");
  struct {
    sluice_cuda_info known;
    uint64_t later;
  } larger{.known = {}, .later = ~uint64_t{0}};
  ASSERT_EQ(sluice_cuda_get_info(gpu.get(), &larger.known, sizeof larger), 0);
  EXPECT_EQ(larger.later, 0U);
}

TEST_F(Cuda, RefusesNullPointersByName) {
  const Gpu gpu = open();
  const Stream one = stream(gpu);
  EXPECT_EQ(sluice_cuda_open(0, nullptr), -EINVAL);
  EXPECT_EQ(said(), "gpu is a null pointer");
  sluice_cuda_memory* made = nullptr;
  EXPECT_EQ(sluice_cuda_memory_alloc(nullptr, 1, &made), -EINVAL);
  EXPECT_EQ(said(), "gpu is a null pointer");
  EXPECT_EQ(sluice_cuda_copy_to_gpu(one.get(), 0, nullptr, 1), -EINVAL);
  EXPECT_EQ(said(), "from is a null pointer");
  EXPECT_EQ(sluice_cuda_stream_synchronize(nullptr), -EINVAL);
  sluice_cuda_memory_free(nullptr);
  sluice_cuda_host_free(nullptr);
  sluice_cuda_stream_close(nullptr);
  sluice_cuda_event_close(nullptr);
  sluice_cuda_close(nullptr);
}

TEST_F(Cuda, ObjectsKeepTheGpuOpen) {
  Gpu gpu = open();
  const Memory kept = memory(gpu, 4096);
  const Host bytes = host(gpu, 4096);
  const Stream one = stream(gpu);
  gpu.reset();
  EXPECT_EQ(sluice_cuda_copy_to_gpu(one.get(), at(kept), data(bytes), 4096), 0) << said();
  EXPECT_EQ(sluice_cuda_stream_synchronize(one.get()), 0) << said();
}

// --- memory

TEST_F(Cuda, MemoryLiesOnPagesOfTheGpu) {
  for (const char* settings : {"", "shift=512"}) {
    use(settings);
    const Gpu gpu = open();
    const Host bytes = host(gpu, 65536);
    const Stream one = stream(gpu);
    for (const uint64_t length : {1, 4096, 65535, 65536, 65537}) {
      const Memory made = memory(gpu, length);
      EXPECT_EQ(at(made) % 65536, 0U);
      EXPECT_EQ(sluice_cuda_memory_bytes(made.get()), length);
      const uint64_t most = std::min<uint64_t>(length, 65536);
      EXPECT_EQ(sluice_cuda_copy_to_gpu(one.get(), at(made) + length - most, data(bytes), most), 0)
          << said();
      EXPECT_EQ(sluice_cuda_stream_synchronize(one.get()), 0) << said();
    }
  }
}

TEST_F(Cuda, RefusesMemoryThatThereIsNot) {
  const Gpu gpu = open();
  sluice_cuda_memory* made = nullptr;
  EXPECT_EQ(sluice_cuda_memory_alloc(gpu.get(), 0, &made), -EINVAL);
  EXPECT_EQ(said(), "0 bytes of memory; allowed: 1 to 281474976710656");
  EXPECT_EQ(sluice_cuda_memory_alloc(gpu.get(), SLUICE_CUDA_MAX_BYTES + 1, &made), -EINVAL);
  EXPECT_EQ(sluice_cuda_memory_alloc(gpu.get(), uint64_t{5} << 30, &made), -ENOMEM);
  EXPECT_EQ(said(), "allocating memory of the GPU: out of memory (error 2 of CUDA)");
  EXPECT_EQ(made, nullptr);
}

TEST_F(Cuda, ExportsMemoryWhoseBytesOthersSee) {
  const Gpu gpu = open();
  const Memory made = memory(gpu, 100'000);
  const Host bytes = host(gpu, 100'000);
  fill(data(bytes), 100'000, sluice::test_seed());
  const Stream one = stream(gpu);
  int fd = -1;
  ASSERT_EQ(sluice_cuda_memory_export(made.get(), &fd), 0) << said();
  const Descriptor exported(fd);
  EXPECT_NE(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
  struct stat status{};
  ASSERT_EQ(fstat(fd, &status), 0);
  EXPECT_EQ(status.st_size, 131'072);  // whole pages of 64 KiB
  ASSERT_EQ(sluice_cuda_copy_to_gpu(one.get(), at(made), data(bytes), 100'000), 0) << said();
  ASSERT_EQ(sluice_cuda_stream_synchronize(one.get()), 0);
  void* seen = mmap(nullptr, 131'072, PROT_READ, MAP_SHARED, fd, 0);
  ASSERT_NE(seen, MAP_FAILED);
  EXPECT_EQ(difference(static_cast<uint8_t*>(seen), data(bytes), 100'000), std::nullopt);
  munmap(seen, 131'072);
}

TEST_F(Cuda, SaysThatAGpuExportsNothing) {
  use("no-dma-buf");
  const Gpu gpu = open();
  sluice_cuda_info info;
  ASSERT_EQ(sluice_cuda_get_info(gpu.get(), &info, sizeof info), 0);
  EXPECT_EQ(info.dma_buf, 0U);
  const Memory made = memory(gpu, 4096);
  int fd = 0;
  EXPECT_EQ(sluice_cuda_memory_export(made.get(), &fd), -ENOTSUP);
  EXPECT_EQ(fd, -1);
  EXPECT_EQ(said(),
            "this GPU's memory cannot be exported as a dma-buf; NVIDIA's open kernel modules and a "
            "driver for CUDA 11.7 or newer are needed");
}

TEST_F(Cuda, RegistersHostMemoryOnce) {
  const Gpu gpu = open();
  std::vector<uint8_t> bytes(100'000);
  sluice_cuda_host* made = nullptr;
  ASSERT_EQ(sluice_cuda_host_register(gpu.get(), bytes.data(), bytes.size(), 0, &made), 0)
      << said();
  Host registered(made);
  EXPECT_EQ(sluice_cuda_host_data(made), bytes.data());
  EXPECT_NE(sluice_cuda_host_pointer(made), 0U);
  EXPECT_EQ(sluice_cuda_host_bytes(made), bytes.size());
  sluice_cuda_host* again = nullptr;
  EXPECT_EQ(sluice_cuda_host_register(gpu.get(), bytes.data() + 99'999, 10, 0, &again), -EEXIST);
  EXPECT_EQ(said(),
            "registering host memory with the GPU: part or all of the requested memory range is "
            "already mapped (error 712 of CUDA)");
  EXPECT_EQ(again, nullptr);
  registered.reset();
  ASSERT_EQ(sluice_cuda_host_register(gpu.get(), bytes.data(), bytes.size(),
                                      SLUICE_CUDA_IO_MEMORY | SLUICE_CUDA_READ_ONLY, &again),
            0)
      << said();
  registered.reset(again);
}

TEST_F(Cuda, RefusesHostMemoryThatIsNotMapped) {
  const Gpu gpu = open();
  void* place = mmap(nullptr, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(place, 8192);
  sluice_cuda_host* made = nullptr;
  EXPECT_EQ(sluice_cuda_host_register(gpu.get(), place, 8192, 0, &made), -EINVAL);
  std::vector<uint8_t> bytes(64);
  EXPECT_EQ(sluice_cuda_host_register(gpu.get(), bytes.data(), 64, 4, &made), -EINVAL);
  EXPECT_EQ(said(), "flags 0x4; allowed: SLUICE_CUDA_IO_MEMORY and SLUICE_CUDA_READ_ONLY");
  EXPECT_EQ(sluice_cuda_host_register(gpu.get(), bytes.data(), 0, 0, &made), -EINVAL);
  EXPECT_EQ(said(), "0 bytes of memory; allowed: 1 to 281474976710656");
}

TEST_F(Cuda, HostMemoryIsZeroAndExportedOnlyIfAllocated) {
  const Gpu gpu = open();
  const Host bytes = host(gpu, 10'000);
  EXPECT_EQ(difference(data(bytes), std::vector<uint8_t>(10'000).data(), 10'000), std::nullopt);
  int fd = 0;
  const int result = sluice_cuda_host_export(bytes.get(), &fd);
  if (access("/dev/udmabuf", F_OK) != 0) {
    EXPECT_EQ(result, -ENOTSUP);
    EXPECT_EQ(said(),
              "/dev/udmabuf cannot be opened: No such file or directory; load the kernel's "
              "module udmabuf");
    EXPECT_EQ(fd, -1);
  } else if (result == 0) {
    EXPECT_EQ(lseek(fd, 0, SEEK_END), 12'288);
    ::close(fd);
  }
  std::vector<uint8_t> own(4096);
  sluice_cuda_host* made = nullptr;
  ASSERT_EQ(sluice_cuda_host_register(gpu.get(), own.data(), own.size(), 0, &made), 0);
  const Host registered(made);
  EXPECT_EQ(sluice_cuda_host_export(made, &fd), -ENOTSUP);
  EXPECT_EQ(said(),
            "host memory that was registered cannot be exported as a dma-buf; allocate it with "
            "sluice_cuda_host_alloc()");
}

TEST_F(Cuda, SaysWhyUdmabufDoesNotOpen) {
  const Gpu gpu = open();
  const Host bytes = host(gpu, 4096);
  struct Case {
    int why, result;
    const char* said;
  };
  for (const Case& one : {
           Case{.why = ENODEV,
                .result = -ENOTSUP,
                .said = "No such device; load the kernel's module udmabuf"},
           Case{.why = EACCES,
                .result = -EACCES,
                .said = "Permission denied; permission for it is needed"},
           Case{.why = EPERM,  // a container that lacks the device
                .result = -EACCES,
                .said = "Operation not permitted; permission for it is needed"},
           Case{.why = EMFILE, .result = -EMFILE, .said = "Too many open files"},
       }) {
    udmabuf_errno = one.why;
    int fd = 0;
    EXPECT_EQ(sluice_cuda_host_export(bytes.get(), &fd), one.result);
    EXPECT_EQ(fd, -1);
    EXPECT_EQ(said(), std::string("/dev/udmabuf cannot be opened: ") + one.said);
  }
  udmabuf_errno = 0;
}

// --- copies

TEST_F(Cuda, CopiesEverySizeBothWays) {
  constexpr size_t kMost = 32 << 20;
  const Gpu gpu = open();
  const Host from = host(gpu, kMost), to = host(gpu, kMost);
  const Memory first = memory(gpu, kMost), second = memory(gpu, kMost);
  const Stream one = stream(gpu);
  fill(data(from), kMost, sluice::test_seed());
  for (size_t bytes = 4; bytes <= kMost; bytes *= 2) {
    std::memset(data(to), 0, bytes);
    ASSERT_EQ(sluice_cuda_copy_to_gpu(one.get(), at(first), data(from), bytes), 0) << said();
    ASSERT_EQ(sluice_cuda_copy_within_gpu(one.get(), at(second), at(first), bytes), 0) << said();
    ASSERT_EQ(sluice_cuda_copy_from_gpu(one.get(), data(to), at(second), bytes), 0) << said();
    ASSERT_EQ(sluice_cuda_stream_synchronize(one.get()), 0) << said();
    EXPECT_EQ(difference(data(from), data(to), bytes), std::nullopt) << bytes << " bytes";
  }
}

TEST_F(Cuda, AWrongByteIsFound) {
  use("corrupt=70000");
  const Gpu gpu = open();
  const Host from = host(gpu, 100'000), to = host(gpu, 100'000);
  const Memory made = memory(gpu, 100'000);
  const Stream one = stream(gpu);
  fill(data(from), 100'000, sluice::test_seed());
  ASSERT_EQ(sluice_cuda_copy_to_gpu(one.get(), at(made), data(from), 100'000), 0);
  ASSERT_EQ(sluice_cuda_stream_synchronize(one.get()), 0);
  use("");
  ASSERT_EQ(sluice_cuda_copy_from_gpu(one.get(), data(to), at(made), 100'000), 0);
  ASSERT_EQ(sluice_cuda_stream_synchronize(one.get()), 0);
  EXPECT_EQ(difference(data(from), data(to), 100'000), 70'000U);
}

TEST_F(Cuda, RefusesCopiesThatLeaveTheirMemory) {
  const Gpu gpu = open();
  const Host bytes = host(gpu, 65536);
  const Memory made = memory(gpu, 65536);
  const Stream one = stream(gpu);
  EXPECT_EQ(sluice_cuda_copy_to_gpu(one.get(), at(made), data(bytes), 0), -EINVAL);
  EXPECT_EQ(said(), "a copy of 0 bytes; allowed: 1 to 281474976710656");
  EXPECT_EQ(sluice_cuda_copy_to_gpu(one.get(), at(made) + 1, data(bytes), 65536), -EINVAL);
  EXPECT_EQ(said(), "copying to the GPU: invalid argument (error 1 of CUDA)");
  EXPECT_EQ(sluice_cuda_copy_from_gpu(one.get(), data(bytes), at(made) - 1, 2), -EINVAL);
  EXPECT_EQ(said(), "copying from the GPU: invalid argument (error 1 of CUDA)");
  EXPECT_EQ(sluice_cuda_copy_within_gpu(one.get(), at(made), at(made) + 10, 11), -EINVAL);
  std::vector<uint8_t> unregistered(4096);
  EXPECT_EQ(sluice_cuda_copy_to_gpu(one.get(), at(made), unregistered.data(), 4096), -EINVAL);
}

TEST_F(Cuda, FreedMemoryIsNoLongerReached) {
  const Gpu gpu = open();
  const Host bytes = host(gpu, 4096);
  const Stream one = stream(gpu);
  Memory made = memory(gpu, 4096);
  const uint64_t pointer = at(made);
  made.reset();
  EXPECT_EQ(sluice_cuda_copy_to_gpu(one.get(), pointer, data(bytes), 4096), -EINVAL);
}

TEST_F(Cuda, StreamsCopyWhileTheProgramGoesOn) {
  use("delay-us=200000");
  const Gpu gpu = open();
  const Host from = host(gpu, 4096);
  const Memory made = memory(gpu, 4096);
  const Stream one = stream(gpu);
  ASSERT_EQ(sluice_cuda_copy_to_gpu(one.get(), at(made), data(from), 4096), 0);
  EXPECT_EQ(sluice_cuda_stream_idle(one.get()), 0);
  EXPECT_EQ(sluice_cuda_stream_synchronize(one.get()), 0);
  EXPECT_EQ(sluice_cuda_stream_idle(one.get()), 1);
  EXPECT_NE(sluice_cuda_stream_handle(one.get()), nullptr);
}

TEST_F(Cuda, TellsWhetherTheGpuItselfWaits) {
  for (const bool waits : {true, false}) {
    use(waits ? "" : "no-waits");
    const Gpu gpu = open();
    sluice_cuda_info info;
    ASSERT_EQ(sluice_cuda_get_info(gpu.get(), &info, sizeof info), 0);
    EXPECT_EQ(info.gpu_waits, waits ? 1U : 0U);
  }
}

// --- streams and descriptors: on the GPU, and where it cannot wait

class Waits : public Cuda, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override { use(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Ways, Waits, testing::Values("", "no-waits"),
                         [](const auto& way) { return way.index == 0 ? "gpu" : "host_function"; });

TEST_P(Waits, AStreamWaitsForADescriptor) {
  const Gpu gpu = open();
  const Host bytes = host(gpu, 4096), back = host(gpu, 4096);
  const Memory made = memory(gpu, 4096);
  const Stream one = stream(gpu);
  int arrived = eventfd(0, EFD_CLOEXEC);
  ASSERT_EQ(sluice_cuda_stream_wait(one.get(), arrived, SLUICE_CUDA_TAKE), 0) << said();
  ASSERT_EQ(sluice_cuda_copy_to_gpu(one.get(), at(made), data(bytes), 4096), 0) << said();
  ASSERT_EQ(sluice_cuda_copy_from_gpu(one.get(), data(back), at(made), 4096), 0) << said();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(sluice_cuda_stream_idle(one.get()), 0);
  // The data come after the copy was queued, and before it runs.
  fill(data(bytes), 4096, sluice::test_seed());
  raise_event(arrived);
  ASSERT_EQ(sluice_cuda_stream_synchronize(one.get()), 0) << said();
  EXPECT_EQ(difference(data(bytes), data(back), 4096), std::nullopt);
  EXPECT_FALSE(readable(arrived, 0));  // its count was taken
  ::close(arrived);
}

TEST_P(Waits, WithoutTakingADescriptorStaysReadable) {
  const Gpu gpu = open();
  const Stream one = stream(gpu);
  const Descriptor arrived(eventfd(1, EFD_CLOEXEC));
  ASSERT_EQ(sluice_cuda_stream_wait(one.get(), arrived.fd, 0), 0) << said();
  ASSERT_EQ(sluice_cuda_stream_wait(one.get(), arrived.fd, 0), 0) << said();
  ASSERT_EQ(sluice_cuda_stream_synchronize(one.get()), 0) << said();
  EXPECT_TRUE(readable(arrived.fd, 0));
}

// The threads of all streams see the token, and one gets it.
TEST_F(Cuda, OneTokenLetsOneStreamGoOn) {
  constexpr size_t kStreams = 8;
  for (const int flags : {int{EFD_SEMAPHORE}, EFD_SEMAPHORE | EFD_NONBLOCK})
    for (const bool old : {false, true}) {
      SCOPED_TRACE(testing::Message() << "flags " << flags << ", old kernel " << old);
      old_kernel = old;
      const Gpu gpu = open();
      const Descriptor tokens(eventfd(0, EFD_CLOEXEC | flags));
      std::vector<Stream> streams;
      for (size_t i = 0; i < kStreams; ++i) {
        streams.push_back(stream(gpu));
        ASSERT_EQ(sluice_cuda_stream_wait(streams[i].get(), tokens.fd, SLUICE_CUDA_TAKE), 0);
      }
      const auto idle = [&] {
        return std::count_if(streams.begin(), streams.end(), [](const Stream& one) {
          return sluice_cuda_stream_idle(one.get()) == 1;
        });
      };
      for (int token = 1; token <= 3; ++token) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        raise_event(tokens.fd);
        for (int i = 0; i < kPatienceMs && idle() < token; ++i)
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        EXPECT_EQ(idle(), token);
      }
      // The threads that lost still see that their streams close.
      std::atomic<bool> closed{false};
      std::thread closing([&] {
        streams.clear();
        closed = true;
      });
      for (int i = 0; i < 500 && !closed; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      EXPECT_TRUE(closed);
      if (!closed)
        for (size_t i = 0; i < kStreams; ++i) raise_event(tokens.fd);
      closing.join();
    }
  old_kernel = false;
}

// Between poll() and the read, somebody else takes the token.
TEST_F(Cuda, ATokenThatIsGoneIsWaitedForAgain) {
  for (const int flags : {0, int{EFD_NONBLOCK}})
    for (const bool old : {false, true}) {
      SCOPED_TRACE(testing::Message() << "flags " << flags << ", old kernel " << old);
      old_kernel = old;
      const Gpu gpu = open();
      const Descriptor tokens(eventfd(1, EFD_CLOEXEC | flags));
      Stream one = stream(gpu);
      steal_from = tokens.fd;
      ASSERT_EQ(sluice_cuda_stream_wait(one.get(), tokens.fd, SLUICE_CUDA_TAKE), 0);
      for (int i = 0; i < kPatienceMs && steal_from >= 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      EXPECT_FALSE(readable(tokens.fd, 0));
      EXPECT_EQ(sluice_cuda_stream_idle(one.get()), 0);
      EXPECT_TRUE(returns_before(tokens.fd, [&] { one.reset(); }));
    }
  old_kernel = false;
}

TEST_P(Waits, ATransferWaitsForAStream) {
  use((std::string(GetParam()) + ",delay-us=100000").c_str());
  const Gpu gpu = open();
  const Host from = host(gpu, 4096), to = host(gpu, 4096);
  const Memory made = memory(gpu, 4096);
  const Stream one = stream(gpu);
  fill(data(from), 4096, sluice::test_seed());
  int there = eventfd(0, EFD_CLOEXEC);
  ASSERT_EQ(sluice_cuda_copy_to_gpu(one.get(), at(made), data(from), 4096), 0);
  ASSERT_EQ(sluice_cuda_copy_from_gpu(one.get(), data(to), at(made), 4096), 0);
  ASSERT_EQ(sluice_cuda_stream_signal(one.get(), there), 0) << said();
  EXPECT_FALSE(readable(there, 0));
  ASSERT_TRUE(readable(there, kPatienceMs));
  EXPECT_EQ(difference(data(from), data(to), 4096), std::nullopt);
  ::close(there);
}

TEST_P(Waits, ManyWaitsAreInOrder) {
  const Gpu gpu = open();
  const Host from = host(gpu, 4), to = host(gpu, 4);
  const Memory made = memory(gpu, 4);
  const Stream one = stream(gpu);
  const Descriptor arrived(eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE));
  const Descriptor there(eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE));
  constexpr uint32_t kRounds = 200;
  for (uint32_t i = 0; i < kRounds; ++i) {
    ASSERT_EQ(sluice_cuda_stream_wait(one.get(), arrived.fd, SLUICE_CUDA_TAKE), 0);
    ASSERT_EQ(sluice_cuda_copy_to_gpu(one.get(), at(made), data(from), 4), 0);
    ASSERT_EQ(sluice_cuda_copy_from_gpu(one.get(), data(to), at(made), 4), 0);
    ASSERT_EQ(sluice_cuda_stream_signal(one.get(), there.fd), 0);
  }
  for (uint32_t i = 0; i < kRounds; ++i) {
    EXPECT_FALSE(readable(there.fd, 0));
    std::memcpy(data(from), &i, 4);
    raise_event(arrived.fd);
    ASSERT_TRUE(readable(there.fd, kPatienceMs)) << "round " << i;
    uint64_t one_count = 0;
    ASSERT_EQ(read(there.fd, &one_count, 8), 8);
    EXPECT_EQ(std::memcmp(data(to), &i, 4), 0) << "round " << i;
  }
}

TEST_P(Waits, ADescriptorMayBeClosedAtOnce) {
  const Gpu gpu = open();
  const Stream one = stream(gpu);
  const int arrived = eventfd(0, EFD_CLOEXEC), there = eventfd(0, EFD_CLOEXEC);
  const Descriptor other_arrived(dup(arrived)), other_there(dup(there));
  ASSERT_EQ(sluice_cuda_stream_wait(one.get(), arrived, 0), 0);
  ASSERT_EQ(sluice_cuda_stream_signal(one.get(), there), 0);
  ::close(arrived);
  ::close(there);
  raise_event(other_arrived.fd);
  EXPECT_TRUE(readable(other_there.fd, kPatienceMs));
}

TEST_P(Waits, AFailedDescriptorIsReportedOnce) {
  const Gpu gpu = open();
  const Stream one = stream(gpu);
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  ASSERT_EQ(sluice_cuda_stream_wait(one.get(), ends[0], 0), 0);
  ::close(ends[0]);
  ::close(ends[1]);
  EXPECT_EQ(sluice_cuda_stream_synchronize(one.get()), -EIO);
  EXPECT_EQ(said(),
            "a descriptor that the stream waited for reported an error: it was closed at its other "
            "end, or cannot be polled; what was queued behind it may have used data that did not "
            "arrive");
  EXPECT_EQ(sluice_cuda_stream_synchronize(one.get()), 0);
}

TEST_P(Waits, AFailedTransfersFenceIsReported) {
  const Gpu gpu = open();
  const Stream one = stream(gpu);
  const Descriptor fence(eventfd(1, EFD_CLOEXEC));
  fence_status = 1;
  ASSERT_EQ(sluice_cuda_stream_wait(one.get(), fence.fd, 0), 0);
  EXPECT_EQ(sluice_cuda_stream_synchronize(one.get()), 0) << said();
  fence_status = -ESTALE;
  ASSERT_EQ(sluice_cuda_stream_wait(one.get(), fence.fd, 0), 0);
  EXPECT_EQ(sluice_cuda_stream_synchronize(one.get()), -EIO);
  fence_status = 0;
  EXPECT_EQ(said(),
            "a descriptor that the stream waited for reported an error: the transfer behind its "
            "fence failed: Stale file handle; what was queued behind it may have used data that "
            "did not arrive");
}

TEST_P(Waits, ClosingAStreamEndsItsWaits) {
  const Gpu gpu = open();
  const Descriptor never(eventfd(0, EFD_CLOEXEC)), there(eventfd(0, EFD_CLOEXEC));
  Stream one = stream(gpu);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(sluice_cuda_stream_wait(one.get(), never.fd, 0), 0);
  ASSERT_EQ(sluice_cuda_stream_signal(one.get(), there.fd), 0);
  one.reset();
  EXPECT_TRUE(readable(there.fd, 0));
}

TEST_P(Waits, ClosingAStreamDoesNotWaitForAnother) {
  const Gpu gpu = open();
  const Descriptor first(eventfd(1, EFD_CLOEXEC)), second(eventfd(0, EFD_CLOEXEC));
  Stream done = stream(gpu);
  const Stream waits = stream(gpu);
  ASSERT_EQ(sluice_cuda_stream_wait(done.get(), first.fd, 0), 0);
  ASSERT_EQ(sluice_cuda_stream_synchronize(done.get()), 0);
  ASSERT_EQ(sluice_cuda_stream_wait(waits.get(), second.fd, 0), 0);
  EXPECT_TRUE(returns_before(second.fd, [&] { done.reset(); }));
}

TEST_P(Waits, OpeningAGpuDoesNotWaitForStreams) {
  use((std::string(GetParam()) + ",gpus=2").c_str());
  const Gpu gpu = open();
  const Stream waits = stream(gpu);
  for (const unsigned index : {0U, 1U}) {
    const Descriptor event(eventfd(0, EFD_CLOEXEC));
    ASSERT_EQ(sluice_cuda_stream_wait(waits.get(), event.fd, 0), 0);
    EXPECT_TRUE(returns_before(event.fd, [&] { open(index); })) << "GPU " << index;
    EXPECT_EQ(sluice_cuda_stream_synchronize(waits.get()), 0) << said();
  }
}

TEST_P(Waits, AllocatingMemoryDoesNotWaitForStreams) {
  use((std::string(GetParam()) + ",shift=512").c_str());
  const Gpu gpu = open();
  const Stream waits = stream(gpu);
  const Descriptor event(eventfd(0, EFD_CLOEXEC));
  ASSERT_EQ(sluice_cuda_stream_wait(waits.get(), event.fd, 0), 0);
  Memory made;
  EXPECT_TRUE(returns_before(event.fd, [&] { made = memory(gpu, 4096); }));
}

// A refused wait leaves the descriptor alone, and later waits work.
TEST_P(Waits, ARefusedWaitTakesNothing) {
  const Gpu gpu = open();
  const Stream one = stream(gpu);
  for (int round = 0; round < 2; ++round) {
    SCOPED_TRACE(round);
    const Descriptor event(eventfd(1, EFD_CLOEXEC));
    use("no-waits,no-host-functions");
    EXPECT_EQ(sluice_cuda_stream_wait(one.get(), event.fd, SLUICE_CUDA_TAKE), -ENOTSUP);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_TRUE(readable(event.fd, 0));
    use(GetParam());
    ASSERT_EQ(sluice_cuda_stream_wait(one.get(), event.fd, SLUICE_CUDA_TAKE), 0) << said();
    raise_event(event.fd);
    EXPECT_EQ(sluice_cuda_stream_synchronize(one.get()), 0) << said();
  }
}

TEST_P(Waits, RefusesWhatIsNoDescriptor) {
  const Gpu gpu = open();
  const Stream one = stream(gpu);
  EXPECT_EQ(sluice_cuda_stream_wait(one.get(), -1, 0), -EBADF);
  EXPECT_EQ(said(), "descriptor -1: Bad file descriptor");
  EXPECT_EQ(sluice_cuda_stream_wait(one.get(), 0, 2), -EINVAL);
  EXPECT_EQ(said(), "flags 0x2; allowed: SLUICE_CUDA_TAKE");
  EXPECT_EQ(sluice_cuda_stream_signal(one.get(), -1), -EBADF);
  const Descriptor file(memfd_create("no eventfd", MFD_CLOEXEC));
  EXPECT_EQ(sluice_cuda_stream_signal(one.get(), file.fd), -EINVAL);
  EXPECT_EQ(said(), "descriptor " + std::to_string(file.fd) +
                        " is not an eventfd, which a stream can write to");
}

// CUDA may run host functions of all streams one at a time, and so does the test double. The wait
// is not a host function, so the other stream's signal comes, and ends it.
TEST_F(Cuda, AWaitDoesNotHoldUpAnotherStreamsSignal) {
  const Gpu gpu = open();
  const Stream waits = stream(gpu), signals = stream(gpu);
  const Descriptor event(eventfd(0, EFD_CLOEXEC)), there(eventfd(0, EFD_CLOEXEC));
  ASSERT_EQ(sluice_cuda_stream_wait(waits.get(), event.fd, 0), 0);
  ASSERT_EQ(sluice_cuda_stream_signal(waits.get(), there.fd), 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ASSERT_EQ(sluice_cuda_stream_signal(signals.get(), event.fd), 0);
  EXPECT_TRUE(readable(there.fd, kPatienceMs));
}

// The second GPU gets what the first one left: the context ends in between.
TEST_F(Cuda, EveryStreamWaitsForItsOwnDescriptor) {
  constexpr size_t kStreams = 1026;  // a block has numbers for 1024
  allow_descriptors();
  for (int round = 0; round < 2; ++round) {
    const Gpu gpu = open();
    const Descriptor raised(eventfd(1, EFD_CLOEXEC));
    std::vector<Stream> streams;  // each keeps its number until it is closed
    for (size_t i = 0; i < kStreams; ++i) {
      streams.push_back(stream(gpu));
      ASSERT_EQ(sluice_cuda_stream_wait(streams[i].get(), raised.fd, 0), 0) << said();
    }
    constexpr size_t kWaiting[] = {kStreams - 1, 0, 1023, 1024, 1};
    std::vector<std::unique_ptr<Descriptor>> events;
    for (const size_t i : kWaiting) {
      events.push_back(std::make_unique<Descriptor>(eventfd(0, EFD_CLOEXEC)));
      ASSERT_EQ(sluice_cuda_stream_wait(streams[i].get(), events.back()->fd, 0), 0) << said();
    }
    for (size_t i = 0; i + 1 < std::size(kWaiting); ++i) {
      sluice_cuda_stream* one = streams[kWaiting[i]].get();
      EXPECT_EQ(sluice_cuda_stream_idle(one), 0) << "stream " << kWaiting[i];
      raise_event(events[i]->fd);
      EXPECT_EQ(sluice_cuda_stream_synchronize(one), 0) << said();
    }
    EXPECT_EQ(sluice_cuda_stream_idle(streams[1].get()), 0);
  }
}

// CUDA may wait for all streams when it registers memory.
TEST_F(Cuda, AWaitDoesNotWaitForOtherStreams) {
  use("register-waits");
  const Gpu gpu = open();
  const Descriptor event(eventfd(0, EFD_CLOEXEC));
  std::vector<Stream> streams;
  EXPECT_TRUE(returns_before(event.fd, [&] {
    for (int i = 0; i < 70; ++i) {
      streams.push_back(stream(gpu));
      ASSERT_EQ(sluice_cuda_stream_wait(streams.back().get(), event.fd, 0), 0) << said();
    }
  }));
}

// After a fork() a write to private memory goes to a copy of the page, which the GPU does not have.
TEST_F(Cuda, AForkDoesNotPartANumberFromTheGpu) {
  const Gpu gpu = open();
  const Stream one = stream(gpu);
  const Descriptor event(eventfd(0, EFD_CLOEXEC));
  ASSERT_EQ(sluice_cuda_stream_wait(one.get(), event.fd, 0), 0) << said();
  const auto* number =
      reinterpret_cast<const std::atomic<uint32_t>*>(stub_count("sluice_libcuda_stub_last_wait"));
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const uint32_t before = *number;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {  // keeps the pages that the GPU has
    ::close(ends[1]);
    char end = 0;
    while (read(ends[0], &end, 1) > 0) {
    }
    _exit(*number == before ? 1 : 0);
  }
  raise_event(event.fd);
  EXPECT_EQ(sluice_cuda_stream_synchronize(one.get()), 0) << said();
  ::close(ends[0]);
  ::close(ends[1]);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "the child does not see what was written";
}

// The program unmapped memory that is registered, and the kernel maps the library's numbers there.
TEST_F(Cuda, ARegistrationOfOtherMemoryIsNotTrusted) {
  use("gpus=3");
  constexpr unsigned kIndex = 2;  // of which nothing is left of other tests
  constexpr size_t kBytes = 65536;
  ASSERT_EQ(sluice_cuda_count(), 3);
  void* context = nullptr;
  ASSERT_EQ(of_stub<int(void**, int)>("cuDevicePrimaryCtxRetain")(&context, kIndex), 0);
  ASSERT_EQ(of_stub<int(void*)>("cuCtxPushCurrent_v2")(context), 0);
  void* stale = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(stale, MAP_FAILED);
  ASSERT_EQ(of_stub<int(void*, size_t, unsigned)>("cuMemHostRegister_v2")(stale, kBytes, 2), 0);
  munmap(stale, kBytes);
  next_mapping = stale;
  {
    const Gpu gpu = open(kIndex);
    EXPECT_EQ(next_mapping, nullptr);
    sluice_cuda_info info;
    ASSERT_EQ(sluice_cuda_get_info(gpu.get(), &info, sizeof info), 0) << said();
    EXPECT_EQ(info.gpu_waits, 1U);
    const Stream one = stream(gpu);
    const Descriptor event(eventfd(1, EFD_CLOEXEC));
    ASSERT_EQ(sluice_cuda_stream_wait(one.get(), event.fd, 0), 0) << said();
    EXPECT_EQ(sluice_cuda_stream_synchronize(one.get()), 0) << said();
    EXPECT_GE(stub_count("sluice_libcuda_stub_last_wait") - reinterpret_cast<uint64_t>(stale),
              kBytes);
  }
  void* popped = nullptr;
  ASSERT_EQ(of_stub<int(void**)>("cuCtxPopCurrent_v2")(&popped), 0);
  ASSERT_EQ(of_stub<int(int)>("cuDevicePrimaryCtxRelease_v2")(kIndex), 0);
}

TEST_F(Cuda, HostFunctionsWaitWhereHostMemoryIsNotRegistered) {
  for (const bool registers : {false, false, true}) {
    SCOPED_TRACE(registers);
    use(registers ? "gpus=4" : "gpus=4,no-register");
    const Gpu gpu = open(3);
    sluice_cuda_info info;
    ASSERT_EQ(sluice_cuda_get_info(gpu.get(), &info, sizeof info), 0) << said();
    EXPECT_EQ(info.gpu_waits, registers ? 1U : 0U);
    const Stream one = stream(gpu);
    const Descriptor event(eventfd(1, EFD_CLOEXEC));
    ASSERT_EQ(sluice_cuda_stream_wait(one.get(), event.fd, 0), 0) << said();
    EXPECT_EQ(sluice_cuda_stream_synchronize(one.get()), 0) << said();
  }
}

// CUDA does not wait for a host function that runs when the GPU fails.
TEST_F(Cuda, ClosingAStreamOfAFailedGpuWaitsForItsHostFunction) {
  const Gpu gpu = open();
  Stream one = stream(gpu);
  const Descriptor full(eventfd(0, EFD_CLOEXEC)), behind(eventfd(0, EFD_CLOEXEC));
  constexpr uint64_t kFull = ~uint64_t{0} - 1;
  ASSERT_EQ(write(full.fd, &kFull, sizeof kFull), 8);
  const int before = writes;
  ASSERT_EQ(sluice_cuda_stream_signal(one.get(), full.fd), 0) << said();
  ASSERT_EQ(sluice_cuda_stream_signal(one.get(), behind.fd), 0) << said();
  for (int i = 0; i < kPatienceMs && writes == before; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_EQ(writes, before + 1);
  of_stub<void()>("sluice_libcuda_stub_fail")();
  EXPECT_EQ(sluice_cuda_stream_synchronize(one.get()), -EFAULT);
  const auto read_full = [&] {
    uint64_t count = 0;
    EXPECT_EQ(read(full.fd, &count, sizeof count), 8);
    EXPECT_EQ(count, kFull);
  };
  EXPECT_FALSE(returns_without(read_full, [&] { one.reset(); }, 200));
  EXPECT_TRUE(readable(full.fd, kPatienceMs));
  EXPECT_FALSE(readable(behind.fd, 0));
}

// One way is enough: the host's where the GPU offers it, else the wait's.
TEST_F(Cuda, FlushesWritesOfPeersWhereTheGpuDoesNotOrderThem) {
  struct Case {
    const char* settings;
    uint64_t by_host, by_wait;
    bool visible;
  };
  for (const Case& one : {
           Case{.settings = "", .by_host = 0, .by_wait = 0, .visible = true},
           Case{.settings = "flush=1", .by_host = 1, .by_wait = 0, .visible = true},
           Case{.settings = "flush=1,no-waits", .by_host = 1, .by_wait = 0, .visible = true},
           Case{.settings = "flush=2", .by_host = 0, .by_wait = 1, .visible = true},
           Case{.settings = "flush=3", .by_host = 1, .by_wait = 0, .visible = true},
           Case{.settings = "flush=2,no-waits", .by_host = 0, .by_wait = 0, .visible = false},
           Case{.settings = "flush=2,no-wait-flush", .by_host = 0, .by_wait = 0, .visible = false},
           Case{.settings = "flush=0", .by_host = 0, .by_wait = 0, .visible = false},
           Case{.settings = "driver-11.2", .by_host = 0, .by_wait = 0, .visible = false},
       }) {
    SCOPED_TRACE(one.settings);
    use(one.settings);
    const Gpu gpu = open();
    sluice_cuda_info info;
    ASSERT_EQ(sluice_cuda_get_info(gpu.get(), &info, sizeof info), 0) << said();
    EXPECT_EQ(info.peer_writes_visible, one.visible ? 1U : 0U);
    const uint64_t by_host = stub_count("sluice_libcuda_stub_flushes");
    const uint64_t by_wait = stub_count("sluice_libcuda_stub_wait_flushes");
    const Stream waits = stream(gpu);
    const Descriptor event(eventfd(1, EFD_CLOEXEC));
    ASSERT_EQ(sluice_cuda_stream_wait(waits.get(), event.fd, 0), 0) << said();
    ASSERT_EQ(sluice_cuda_stream_synchronize(waits.get()), 0) << said();
    EXPECT_EQ(stub_count("sluice_libcuda_stub_flushes") - by_host, one.by_host);
    EXPECT_EQ(stub_count("sluice_libcuda_stub_wait_flushes") - by_wait, one.by_wait);
  }
}

TEST_P(Waits, AFlushThatFailsIsReported) {
  use((std::string(GetParam()) + ",flush=1,flush-fails").c_str());
  const Gpu gpu = open();
  const Stream one = stream(gpu);
  const Descriptor event(eventfd(1, EFD_CLOEXEC));
  ASSERT_EQ(sluice_cuda_stream_wait(one.get(), event.fd, 0), 0) << said();
  EXPECT_EQ(sluice_cuda_stream_synchronize(one.get()), -EIO);
  EXPECT_EQ(said(),
            "a descriptor that the stream waited for reported an error: writes of the GPU's peers "
            "cannot be flushed: operation not supported (error 801 of CUDA); what was queued "
            "behind it may have used data that did not arrive");
}

// --- times

TEST_F(Cuda, EventsTellTheTimeBetweenThem) {
  use("delay-us=20000");
  const Gpu gpu = open();
  const Host bytes = host(gpu, 4096);
  const Memory made = memory(gpu, 4096);
  const Stream one = stream(gpu);
  const Event first = event(gpu), second = event(gpu);
  int64_t elapsed_ns = 0;
  EXPECT_EQ(sluice_cuda_event_elapsed_ns(first.get(), second.get(), &elapsed_ns), -EINVAL);
  EXPECT_EQ(said(), "the time between two events: invalid resource handle (error 400 of CUDA)");
  EXPECT_EQ(sluice_cuda_event_synchronize(first.get()), 0);
  ASSERT_EQ(sluice_cuda_event_record(first.get(), one.get()), 0) << said();
  ASSERT_EQ(sluice_cuda_copy_to_gpu(one.get(), at(made), data(bytes), 4096), 0);
  ASSERT_EQ(sluice_cuda_event_record(second.get(), one.get()), 0);
  EXPECT_EQ(sluice_cuda_event_elapsed_ns(first.get(), second.get(), &elapsed_ns), -EAGAIN);
  ASSERT_EQ(sluice_cuda_event_synchronize(second.get()), 0);
  ASSERT_EQ(sluice_cuda_event_elapsed_ns(first.get(), second.get(), &elapsed_ns), 0) << said();
  EXPECT_GE(elapsed_ns, 20'000'000);  // the test double's delay is at least that
}

TEST_F(Cuda, RefusesAnEventOfAnotherGpu) {
  use("gpus=2");
  const Gpu first = open(0), second = open(1);
  const Event of_first = event(first);
  const Stream on_second = stream(second);
  EXPECT_EQ(sluice_cuda_event_record(of_first.get(), on_second.get()), -EINVAL);
  EXPECT_EQ(said(), "the event and the stream are of different GPUs");
}

// --- threads

TEST_F(Cuda, StreamsOfOneGpuInParallel) {
  constexpr size_t kBytes = 1 << 20;
  const Gpu gpu = open();
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < 4; ++i)
    threads.emplace_back([&gpu, i] {
      const Host from = host(gpu, kBytes), to = host(gpu, kBytes);
      const Memory made = memory(gpu, kBytes);
      const Stream one = stream(gpu);
      for (uint64_t round = 0; round < 8; ++round) {
        fill(data(from), kBytes, sluice::test_seed() + 100 * i + round);
        ASSERT_EQ(sluice_cuda_copy_to_gpu(one.get(), at(made), data(from), kBytes), 0) << said();
        ASSERT_EQ(sluice_cuda_copy_from_gpu(one.get(), data(to), at(made), kBytes), 0) << said();
        ASSERT_EQ(sluice_cuda_stream_synchronize(one.get()), 0) << said();
        EXPECT_EQ(difference(data(from), data(to), kBytes), std::nullopt);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
