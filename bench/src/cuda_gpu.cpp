// SPDX-License-Identifier: Apache-2.0
// A GPU of CUDA, by libsluice-cuda. Times are the board's where it is a device; beside a simulated
// card they are the host's own clock, which is the one that the GPU works by.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <map>
#include <sluice.hpp>
#include <sluice_cuda.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "gpu_device.hpp"

namespace sluice::bench {
namespace {

// What was asked for is not there, or has failed.
int must(int result) {
  constexpr int kRefusals[] = {EINVAL, ENODEV, ENOENT, ENOMEM, ENOTSUP};
  if (result >= 0) return result;
  if (std::ranges::find(kRefusals, -result) != std::end(kRefusals))
    throw std::invalid_argument(sluice_cuda_last_error());
  throw std::runtime_error(sluice_cuda_last_error());
}

using Gpu = cuda::GpuHandle;
using Memory = cuda::MemoryHandle;
using Host = cuda::HostHandle;
using Stream = cuda::StreamHandle;
using Event = cuda::EventHandle;

// What a call that makes an object has made.
template <typename Handle, typename Call>
Handle made(Call call) {
  typename Handle::pointer object = nullptr;
  must(call(&object));
  return Handle(object);
}

class CudaGpu final : public GpuDevice {
 public:
  CudaGpu(sluice_board* board, unsigned index, uint64_t bytes)
      : board_(board),
        gpu_(made<Gpu>([&](auto** gpu) { return sluice_cuda_open(index, gpu); })),
        memory_(made<Memory>(
            [&](auto** memory) { return sluice_cuda_memory_alloc(gpu_.get(), bytes, memory); })),
        stream_(made<Stream>(
            [&](auto** stream) { return sluice_cuda_stream_open(gpu_.get(), stream); })) {
    must(sluice_cuda_get_info(gpu_.get(), &info_, sizeof info_));
    sluice_board_info board_info{};
    check(sluice_board_get_info(board_, &board_info, sizeof board_info));
    simulated_ = board_info.simulated_time != 0;
  }

  [[nodiscard]] std::string name() const override { return info_.stub != 0 ? "stub" : info_.name; }

  sluice_buffer* buffer() override {
    if (buffer_ == nullptr) {
      int fd = -1;
      must(sluice_cuda_memory_export(memory_.get(), &fd));
      buffer_ = imported(fd);
    }
    return buffer_.get();
  }
  void write(std::span<const uint8_t> bytes) override {
    std::ranges::copy(bytes, bounce(bytes.size()));
    must(sluice_cuda_copy_to_gpu(stream_.get(), pointer(0), bounce(bytes.size()), bytes.size()));
    must(sluice_cuda_stream_synchronize(stream_.get()));
  }
  void read(std::span<uint8_t> bytes) override {
    must(sluice_cuda_copy_from_gpu(stream_.get(), bounce(bytes.size()), pointer(0), bytes.size()));
    must(sluice_cuda_stream_synchronize(stream_.get()));
    std::copy_n(bounce(bytes.size()), bytes.size(), bytes.begin());
  }

  // Buffers of a device have no pages that CUDA can register, so there the memory is CUDA's, and
  // the device imports it.
  BufferHandle allocate(uint64_t bytes) override {
    if (simulated_) {
      BufferHandle buffer = sluice::allocate(board_, bytes);
      know(buffer.get(), 0);
      return buffer;
    }
    Host host = made<Host>(
        [&](auto** made_host) { return sluice_cuda_host_alloc(gpu_.get(), bytes, made_host); });
    int fd = -1;
    must(sluice_cuda_host_export(host.get(), &fd));
    BufferHandle buffer = imported(fd);
    sides_[buffer.get()] = static_cast<uint8_t*>(sluice_cuda_host_data(host.get()));
    known_.push_back(std::move(host));
    return buffer;
  }
  // The memory of a simulated card has pages; a BAR has none.
  void know_card(sluice_buffer* card) override {
    know(card, simulated_ ? 0 : SLUICE_CUDA_IO_MEMORY);
  }
  void queue(bool to_gpu, sluice_buffer* other, uint64_t other_offset, uint64_t offset,
             uint64_t bytes) override {
    uint8_t* host = sides_.at(other) + other_offset;
    Copy copy{.ended = spare(), .bytes = bytes, .start_ns = host_now_ns()};
    must(to_gpu ? sluice_cuda_copy_to_gpu(stream_.get(), pointer(offset), host, bytes)
                : sluice_cuda_copy_from_gpu(stream_.get(), host, pointer(offset), bytes));
    must(sluice_cuda_event_record(copy.ended.get(), stream_.get()));
    queued_.push_back(std::move(copy));
  }
  std::optional<Ended> reap(bool wait) override {
    Copy& oldest = queued_.front();
    int64_t none = 0;  // an event that is recorded is so long after itself
    if (wait)
      must(sluice_cuda_event_synchronize(oldest.ended.get()));
    else if (const int told =
                 sluice_cuda_event_elapsed_ns(oldest.ended.get(), oldest.ended.get(), &none);
             told == -EAGAIN)
      return std::nullopt;
    else
      must(told);
    const Ended ended{
        .bytes = oldest.bytes, .start_ns = oldest.start_ns, .finish_ns = host_now_ns()};
    spare_.push_back(std::move(oldest.ended));
    queued_.pop_front();
    return ended;
  }

 private:
  struct Copy {
    Event ended;
    uint64_t bytes;
    uint64_t start_ns;
  };

  void know(sluice_buffer* buffer, uint32_t flags) {
    known_.push_back(made<Host>([&](auto** host) {
      return sluice_cuda_host_register(gpu_.get(), sluice_buffer_data(buffer),
                                       sluice_buffer_bytes(buffer), flags, host);
    }));
    sides_[buffer] = bytes_of(buffer).data();
  }
  // Of a descriptor, which is closed.
  BufferHandle imported(int fd) {
    struct Close {
      int fd;
      ~Close() { ::close(fd); }
    };
    const Close close{fd};
    return import_buffer(board_, fd);
  }
  // Memory for the program's own bytes on their way.
  uint8_t* bounce(uint64_t bytes) {
    if (bounce_ == nullptr)
      bounce_ =
          made<Host>([&](auto** host) { return sluice_cuda_host_alloc(gpu_.get(), bytes, host); });
    return static_cast<uint8_t*>(sluice_cuda_host_data(bounce_.get()));
  }
  [[nodiscard]] uint64_t pointer(uint64_t offset) const {
    return sluice_cuda_memory_pointer(memory_.get()) + offset;
  }
  Event spare() {
    if (spare_.empty())
      return made<Event>([&](auto** event) { return sluice_cuda_event_open(gpu_.get(), event); });
    Event event = std::move(spare_.back());
    spare_.pop_back();
    return event;
  }

  sluice_board* board_;
  bool simulated_ = false;  // the card
  Gpu gpu_;
  sluice_cuda_info info_{};
  Memory memory_;
  BufferHandle buffer_;
  std::vector<Host> known_;
  std::map<sluice_buffer*, uint8_t*> sides_;  // where the GPU knows them
  Host bounce_;
  std::vector<Event> spare_;
  std::deque<Copy> queued_;
  Stream stream_;  // goes first: it waits for what is queued
};

}  // namespace

std::unique_ptr<GpuDevice> make_cuda_gpu(sluice_board* board, unsigned index, uint64_t bytes) {
  return std::make_unique<CudaGpu>(board, index, bytes);
}

}  // namespace sluice::bench
