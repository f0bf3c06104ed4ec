// SPDX-License-Identifier: Apache-2.0
// Streams of a GPU, and events on them.
#pragma once

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>

#include "gate.hpp"
#include "gpu.hpp"

namespace sluice::cuda {

class Stream {
 public:
  explicit Stream(std::shared_ptr<Gpu> gpu);
  ~Stream();  // as sluice_cuda_stream_close()
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  [[nodiscard]] StreamId id() const { return id_; }
  [[nodiscard]] const Gpu& gpu() const { return *gpu_; }
  void copy_to_gpu(Pointer to, const void* from, uint64_t bytes);
  void copy_from_gpu(void* to, Pointer from, uint64_t bytes);
  void copy_within_gpu(Pointer to, Pointer from, uint64_t bytes);
  void synchronize();
  [[nodiscard]] bool idle() const;
  void wait(int fd, uint32_t flags);
  void signal(int fd);

 private:
  struct Call;  // of a host function

  void queue_wait(uint32_t ticket);
  static void run(void* call);
  void launch(std::function<void()> body, int fd);

  std::shared_ptr<Gpu> gpu_;
  StreamId id_ = nullptr;
  // The gate's number: the GPU's, or own_ where host functions wait for it.
  Words::Word word_;
  std::atomic<uint32_t> own_{0};
  std::unique_ptr<Gate> gate_;  // made for the first wait
  std::mutex mutex_;
  std::condition_variable ended_;  // a host function did
  std::list<Call> calls_;          // that have not ended
  int running_ = 0;                // of them
};

class Event {
 public:
  explicit Event(std::shared_ptr<Gpu> gpu);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(const Stream& stream);
  void synchronize() const;
  [[nodiscard]] int64_t ns_until(const Event& later) const;

 private:
  std::shared_ptr<Gpu> gpu_;
  EventId id_ = nullptr;
};

}  // namespace sluice::cuda
