// SPDX-License-Identifier: Apache-2.0
// The GPU that takes part in transfers: the model's beside a simulated card, or one of CUDA.
#pragma once

#include <sluice.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <sluice.hpp>
#include <span>
#include <string>

namespace sluice::bench {

// Its memory is some bytes; copies are done one after the other, in the order of queue().
class GpuDevice {
 public:
  virtual ~GpuDevice() = default;
  GpuDevice(const GpuDevice&) = delete;
  GpuDevice& operator=(const GpuDevice&) = delete;

  // "model quadro-m2000", "stub", the GPU's own name, or "memory of FUNCTION".
  [[nodiscard]] virtual std::string name() const = 0;
  // Its memory, as the card's channels use it. Throws sluice::Failure where they cannot.
  virtual sluice_buffer* buffer() = 0;
  // All of its memory, by the program.
  virtual void write(std::span<const uint8_t> bytes) = 0;
  virtual void read(std::span<uint8_t> bytes) = 0;

  // Host memory that this GPU and the card know.
  virtual BufferHandle allocate(uint64_t bytes) = 0;
  // Let a card's memory be a side of copies. It outlives this, as what was allocated does.
  virtual void know_card(sluice_buffer* card) = 0;
  // Between such a buffer and this memory.
  virtual void queue(bool to_gpu, sluice_buffer* other, uint64_t other_offset, uint64_t offset,
                     uint64_t bytes) = 0;
  struct Ended {
    uint64_t bytes;
    uint64_t start_ns, finish_ns;  // by the board's clock
  };
  // The oldest copy of those queued; without waiting, nothing if it has not ended. Throws if it
  // failed.
  virtual std::optional<Ended> reap(bool wait) = 0;

 protected:
  GpuDevice() = default;
};

// The model's; the board was opened with its name.
[[nodiscard]] std::unique_ptr<GpuDevice> make_model_gpu(sluice_board* board,
                                                        const std::string& model, uint64_t bytes);

// Number `index` of CUDA. Throws std::invalid_argument where it is not there or this program has no
// part for CUDA, std::runtime_error where CUDA fails.
[[nodiscard]] std::unique_ptr<GpuDevice> make_cuda_gpu(sluice_board* board, unsigned index,
                                                       uint64_t bytes);

// A BAR of a function that vfio-pci has, "0000:02:00.0/2": memory alone, which copies nothing.
// Throws std::invalid_argument, std::runtime_error.
[[nodiscard]] std::unique_ptr<GpuDevice> make_peer_memory(sluice_board* board,
                                                          const std::string& peer, uint64_t bytes);

// The clock of devices and of CUDA: CLOCK_MONOTONIC_RAW.
[[nodiscard]] uint64_t host_now_ns();

}  // namespace sluice::bench
