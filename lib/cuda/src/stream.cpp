// SPDX-License-Identifier: Apache-2.0
#include "stream.hpp"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>

#include "error.hpp"

namespace sluice::cuda {
namespace {

void check_copy(uint64_t bytes) {
  if (bytes == 0 || bytes > SLUICE_CUDA_MAX_BYTES)
    throw Error(EINVAL, "a copy of {} bytes; allowed: 1 to {}", bytes, SLUICE_CUDA_MAX_BYTES);
}

int duplicate(int fd) {
  const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) throw Error(errno, "descriptor {}: {}", fd, std::strerror(errno));
  return copy;
}

bool is_eventfd(int fd) {
  char path[64], target[64] = {};
  std::snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  if (readlink(path, target, sizeof target - 1) < 0) return true;  // no /proc: its write will tell
  return std::strstr(target, "[eventfd") != nullptr;
}

}  // namespace

struct Stream::Call {
  Stream* stream = nullptr;
  std::function<void()> body;
  int fd = -1;  // closed when it has run
  std::list<Call>::iterator place;
};

Stream::Stream(std::shared_ptr<Gpu> gpu) : gpu_(std::move(gpu)) {
  const Current current(*gpu_);
  check(gpu_->driver(), gpu_->driver().stream_create(&id_, kNonBlocking), "opening a stream");
}

Stream::~Stream() {
  if (gate_ != nullptr) gate_->release();
  try {
    const Current current(*gpu_);
    gpu_->driver().stream_synchronize(id_);
    gpu_->driver().stream_destroy(id_);
  } catch (const Error&) {  // the context is lost, and the stream with it
  }
  {
    // CUDA does not wait for the work of a context that failed.
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return running_ == 0; });
  }
  gate_.reset();  // its thread writes the number
  if (word_.number != nullptr) gpu_->words().give_back(word_);
  for (const Call& call : calls_)  // CUDA calls no host function of a context that failed
    if (call.fd >= 0) close(call.fd);
}

void Stream::copy_to_gpu(Pointer to, const void* from, uint64_t bytes) {
  check_copy(bytes);
  const Current current(*gpu_);
  check(gpu_->driver(), gpu_->driver().memcpy_htod_async(to, from, bytes, id_),
        "copying to the GPU");
}

void Stream::copy_from_gpu(void* to, Pointer from, uint64_t bytes) {
  check_copy(bytes);
  const Current current(*gpu_);
  check(gpu_->driver(), gpu_->driver().memcpy_dtoh_async(to, from, bytes, id_),
        "copying from the GPU");
}

void Stream::copy_within_gpu(Pointer to, Pointer from, uint64_t bytes) {
  check_copy(bytes);
  const Current current(*gpu_);
  check(gpu_->driver(), gpu_->driver().memcpy_dtod_async(to, from, bytes, id_),
        "copying within the GPU");
}

void Stream::synchronize() {
  {
    const Current current(*gpu_);
    check(gpu_->driver(), gpu_->driver().stream_synchronize(id_), "waiting for the stream");
  }
  if (gate_ == nullptr) return;
  if (const auto failure = gate_->take_failure())
    throw Error(EIO,
                "a descriptor that the stream waited for reported an error: {}; what was "
                "queued behind it may have used data that did not arrive",
                *failure);
}

bool Stream::idle() const {
  const Current current(*gpu_);
  const Result result = gpu_->driver().stream_query(id_);
  if (result == kNotReady) return false;
  check(gpu_->driver(), result, "looking at the stream");
  return true;
}

void Stream::wait(int fd, uint32_t flags) {
  if ((flags & ~SLUICE_CUDA_TAKE) != 0)
    throw Error(EINVAL, "flags {:#x}; allowed: SLUICE_CUDA_TAKE", flags);
  const bool take = (flags & SLUICE_CUDA_TAKE) != 0;
  if (gate_ == nullptr) {
    if (gpu_->waits() && word_.number == nullptr) {
      const Current current(*gpu_);
      word_ = gpu_->words().take(gpu_->driver());
    }
    Gate::Before before;
    if (gpu_->flush() == Flush::kByHost)
      before = [this]() -> std::optional<std::string> {
        try {
          const Current current(*gpu_);
          check(gpu_->driver(),
                gpu_->driver().flush_gpu_direct_rdma_writes(kFlushContext, kFlushToOwner),
                "writes of the GPU's peers cannot be flushed");
        } catch (const Error& error) {
          return error.what();
        }
        return std::nullopt;
      };
    gate_ =
        std::make_unique<Gate>(word_.number != nullptr ? *word_.number : own_, std::move(before));
  }
  const uint32_t ticket = gate_->add(duplicate(fd), take);
  try {
    queue_wait(ticket);
  } catch (...) {
    gate_->withdraw();
    throw;
  }
  gate_->watch();
}

void Stream::queue_wait(uint32_t ticket) {
  if (!gpu_->waits()) {
    launch([gate = gate_.get(), ticket] { gate->wait(ticket); }, -1);
    return;
  }
  const Driver& driver = gpu_->driver();
  const Current current(*gpu_);
  const unsigned flush = gpu_->flush() == Flush::kByWait ? kFlushAfterWait : 0;
  check(driver, driver.stream_wait_value32(id_, word_.pointer, ticket, kGreaterOrEqual | flush),
        "having the stream wait");
}

void Stream::signal(int fd) {
  const int own = duplicate(fd);
  if (!is_eventfd(own)) {
    close(own);
    throw Error(EINVAL, "descriptor {} is not an eventfd, which a stream can write to", fd);
  }
  launch(
      [own] {
        const uint64_t one = 1;
        [[maybe_unused]] const ssize_t written = write(own, &one, sizeof one);
      },
      own);
}

void Stream::run(void* data) {
  auto* call = static_cast<Call*>(data);
  Stream* stream = call->stream;
  {
    const std::lock_guard lock(stream->mutex_);
    ++stream->running_;
  }
  call->body();
  if (call->fd >= 0) close(call->fd);
  const std::lock_guard lock(stream->mutex_);
  stream->calls_.erase(call->place);
  --stream->running_;
  stream->ended_.notify_all();  // under the lock: the stream may be freed behind it
}

void Stream::launch(std::function<void()> body, int fd) {
  Call* call = nullptr;
  {
    const std::lock_guard lock(mutex_);
    calls_.push_front({.stream = this, .body = std::move(body), .fd = fd, .place = {}});
    call = &calls_.front();
    call->place = calls_.begin();
  }
  Result result = kInvalidContext;
  {
    const Current current(*gpu_);
    result = gpu_->driver().launch_host_func(id_, &Stream::run, call);
  }
  if (result == kSuccess) return;
  {
    const std::lock_guard lock(mutex_);
    calls_.erase(call->place);
  }
  if (fd >= 0) close(fd);
  check(gpu_->driver(), result, "queueing a host function");
}

Event::Event(std::shared_ptr<Gpu> gpu) : gpu_(std::move(gpu)) {
  const Current current(*gpu_);
  check(gpu_->driver(), gpu_->driver().event_create(&id_, kBlockingSync), "making an event");
}

Event::~Event() {
  try {
    const Current current(*gpu_);
    gpu_->driver().event_destroy(id_);
  } catch (const Error&) {  // the context is lost, and the event with it
  }
}

void Event::record(const Stream& stream) {
  if (&stream.gpu() != gpu_.get() && stream.gpu().context() != gpu_->context())
    throw Error(EINVAL, "the event and the stream are of different GPUs");
  const Current current(*gpu_);
  check(gpu_->driver(), gpu_->driver().event_record(id_, stream.id()), "recording an event");
}

void Event::synchronize() const {
  const Current current(*gpu_);
  check(gpu_->driver(), gpu_->driver().event_synchronize(id_), "waiting for an event");
}

int64_t Event::ns_until(const Event& later) const {
  const Current current(*gpu_);
  float milliseconds = 0;
  check(gpu_->driver(), gpu_->driver().event_elapsed_time(&milliseconds, id_, later.id_),
        "the time between two events");
  return std::llround(static_cast<double>(milliseconds) * 1e6);
}

}  // namespace sluice::cuda
