// SPDX-License-Identifier: Apache-2.0
#include "gpu.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "error.hpp"

namespace sluice::cuda {
namespace {

int count_of(const Driver& driver) {
  if (!driver.has_gpus) return 0;
  int count = 0;
  check(driver, driver.device_get_count(&count), "counting the GPUs");
  return count;
}

template <size_t N>
void put(char (&field)[N], const std::string& text) {
  const size_t length = std::min(text.size(), N - 1);
  std::memcpy(field, text.data(), length);
}

// No attribute says whether cuStreamWaitValue32() works, so it is called: for a number that is
// there already.
bool waits_work(const Driver& driver, Words& words, unsigned flags) {
  if (driver.stream_wait_value32 == nullptr) return false;
  Words::Word word;
  try {
    word = words.take(driver);
  } catch (const Error&) {
    return false;
  }
  bool work = false;
  StreamId stream = nullptr;
  if (driver.stream_create(&stream, kNonBlocking) == kSuccess) {
    work = driver.stream_wait_value32(stream, word.pointer, 0, flags) == kSuccess &&
           driver.stream_synchronize(stream) == kSuccess;
    driver.stream_destroy(stream);
  }
  words.give_back(word);
  return work;
}

// What a process keeps of a GPU. The numbers outlive the GPU's context.
struct Kept {
  std::weak_ptr<Gpu> gpu;
  Words words;
};

struct Gpus {
  std::mutex mutex;
  std::map<std::pair<std::string, Device>, Kept> kept;  // by libcuda's file
};

Gpus& gpus() {
  static Gpus* one = new Gpus;  // threads may outlive main()
  return *one;
}

}  // namespace

int Gpu::count() { return count_of(load_driver()); }

std::shared_ptr<Gpu> Gpu::open(unsigned index) {
  Driver driver = load_driver();
  const int count = count_of(driver);
  if (count == 0)
    throw Error(ENODEV,
                "CUDA finds no GPU; see nvidia-smi, and the environment's "
                "CUDA_VISIBLE_DEVICES");
  if (index >= static_cast<unsigned>(count))
    throw Error(ENODEV, "there is no GPU {}; allowed: 0 to {}", index, count - 1);
  Device device = 0;
  check(driver, driver.device_get(&device, static_cast<int>(index)), "opening the GPU");
  const std::lock_guard lock(gpus().mutex);
  Kept& kept = gpus().kept[{driver.file, device}];
  std::shared_ptr<Gpu> gpu = kept.gpu.lock();
  if (gpu == nullptr) {
    gpu = std::make_shared<Gpu>(std::move(driver), device, kept.words);
    kept.gpu = gpu;
  }
  return gpu;
}

Gpu::Gpu(Driver driver, Device device, Words& words)
    : driver_(std::move(driver)), device_(device), words_(words) {
  check(driver_, driver_.primary_ctx_retain(&context_, device_), "opening the GPU's context");
  try {
    const Current current(*this);
    words_.begin(driver_);
    waits_ = waits_work(driver_, words_, kGreaterOrEqual);
    flush_ = way_to_flush();
  } catch (...) {
    driver_.primary_ctx_release(device_);
    throw;
  }
}

Gpu::~Gpu() { driver_.primary_ctx_release(device_); }

int Gpu::attribute(int number) const {
  int value = 0;
  return driver_.device_get_attribute(&value, number, device_) == kSuccess ? value : 0;
}

bool Gpu::exports_dma_bufs() const {
  return driver_.mem_get_handle_for_address_range != nullptr && attribute(kDmaBufSupported) != 0;
}

// A driver older than CUDA 11.3 knows neither attribute: its GPUs may need what it cannot do.
Flush Gpu::way_to_flush() const {
  if (attribute(kWritesOrdering) >= kOrderedForOwner) return Flush::kNotNeeded;
  const int options = attribute(kFlushWritesOptions);
  if ((options & kFlushByHost) != 0 && driver_.flush_gpu_direct_rdma_writes != nullptr)
    return Flush::kByHost;
  if ((options & kFlushByWait) != 0 && waits_ &&
      waits_work(driver_, words_, kGreaterOrEqual | kFlushAfterWait))
    return Flush::kByWait;
  return Flush::kImpossible;
}

sluice_cuda_info Gpu::info() const {
  sluice_cuda_info info{};
  char name[SLUICE_CUDA_TEXT_BYTES] = {}, pci[SLUICE_CUDA_PCI_BYTES] = {};
  check(driver_, driver_.device_get_name(name, sizeof name, device_), "the GPU's name");
  check(driver_, driver_.device_get_pci_bus_id(pci, sizeof pci, device_), "the GPU's address");
  size_t memory = 0;
  check(driver_, driver_.device_total_mem(&memory, device_), "the GPU's memory");
  int version = 0;
  check(driver_, driver_.driver_get_version(&version), "the driver's version");
  std::string address = pci;
  std::transform(address.begin(), address.end(), address.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  put(info.name, name);
  put(info.pci, address);
  info.memory_bytes = memory;
  info.cuda_version = static_cast<uint32_t>(version);
  info.dma_buf = exports_dma_bufs() ? 1 : 0;
  info.gpu_waits = waits_ ? 1 : 0;
  info.stub = driver_.stub ? 1 : 0;
  info.peer_writes_visible = flush_ != Flush::kImpossible ? 1 : 0;
  return info;
}

Current::Current(const Gpu& gpu) : driver_(gpu.driver()) {
  check(driver_, driver_.ctx_push_current(gpu.context()), "using the GPU's context");
}

Current::~Current() {
  Context context = nullptr;
  driver_.ctx_pop_current(&context);
}

}  // namespace sluice::cuda
