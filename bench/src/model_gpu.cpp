// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sluice.hpp>
#include <stdexcept>

#include "gpu_device.hpp"

namespace sluice::bench {
namespace {

class ModelGpu final : public GpuDevice {
 public:
  ModelGpu(sluice_board* board, const std::string& model, uint64_t bytes)
      : name_("model " + model),
        board_(board),
        channel_(find_channel(board, "gpu0.copy")),
        buffer_(sluice::allocate(
            board, bytes,
            {.alignment = 0, .offset = 0, .memory = SLUICE_GPU_MEMORY, .reserved = 0})) {}

  [[nodiscard]] std::string name() const override { return name_; }
  sluice_buffer* buffer() override { return buffer_.get(); }
  void write(std::span<const uint8_t> bytes) override {
    std::ranges::copy(bytes, bytes_of(buffer_.get()).begin());
  }
  void read(std::span<uint8_t> bytes) override {
    std::ranges::copy(bytes_of(buffer_.get()).first(bytes.size()), bytes.begin());
  }

  BufferHandle allocate(uint64_t bytes) override { return sluice::allocate(board_, bytes); }
  void know_card(sluice_buffer* /*card*/) override {}
  void queue(bool to_gpu, sluice_buffer* other, uint64_t other_offset, uint64_t offset,
             uint64_t bytes) override {
    const sluice_copy copy{.source = to_gpu ? other : buffer_.get(),
                           .source_offset = to_gpu ? other_offset : offset,
                           .destination = to_gpu ? buffer_.get() : other,
                           .destination_offset = to_gpu ? offset : other_offset,
                           .bytes = bytes,
                           .cookie = 0,
                           .timeout_ns = 0};
    if (check(sluice_channel_copy(channel_, &copy, 1, sizeof copy)) != 1)
      throw std::runtime_error("the GPU refused a copy although its queue has room");
  }
  std::optional<Ended> reap(bool wait) override {
    sluice_completion ended{};
    if (check(sluice_channel_reap(channel_, &ended, 1, sizeof ended, wait ? -1 : 0)) == 0)
      return std::nullopt;
    if (ended.status != 0)
      throw std::runtime_error(std::string("a copy of the GPU failed: ") +
                               sluice_status_text(ended.status));
    return Ended{.bytes = ended.bytes, .start_ns = ended.start_ns, .finish_ns = ended.finish_ns};
  }

 private:
  std::string name_;
  sluice_board* board_;
  sluice_channel* channel_;
  BufferHandle buffer_;
};

}  // namespace

std::unique_ptr<GpuDevice> make_model_gpu(sluice_board* board, const std::string& model,
                                          uint64_t bytes) {
  return std::make_unique<ModelGpu>(board, model, bytes);
}

}  // namespace sluice::bench
