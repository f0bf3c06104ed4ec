// SPDX-License-Identifier: Apache-2.0
// A BAR of another PCI device in a GPU's place: memory that a card reaches peer to peer, without a
// copy engine.
#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <sluice.hpp>
#include <stdexcept>

#include "gpu_device.hpp"
#include "vfio_bar.hpp"

namespace sluice::bench {
namespace {

class PeerMemory final : public GpuDevice {
 public:
  PeerMemory(sluice_board* board, const std::string& peer, uint64_t bytes) : bar_(peer) {
    if (bar_.bytes() < bytes)
      throw std::invalid_argument(
          fmt::format("--peer {} has {} bytes, a transfer {}", peer, bar_.bytes(), bytes));
    data_ = bar_.map(nullptr, bar_.bytes());
    const int fd = bar_.export_first(bar_.bytes());
    sluice_buffer* buffer = nullptr;
    const int result = sluice_buffer_import(board, fd, &buffer);
    ::close(fd);
    check(result);
    buffer_.reset(buffer);
  }
  ~PeerMemory() override {
    buffer_.reset();
    ::munmap(data_, bar_.bytes());
  }

  [[nodiscard]] std::string name() const override { return "memory of " + bar_.function(); }
  sluice_buffer* buffer() override { return buffer_.get(); }
  void write(std::span<const uint8_t> bytes) override { std::ranges::copy(bytes, data_); }
  void read(std::span<uint8_t> bytes) override { std::copy_n(data_, bytes.size(), bytes.begin()); }

  BufferHandle allocate(uint64_t /*bytes*/) override { refuse(); }
  void know_card(sluice_buffer* /*card*/) override { refuse(); }
  void queue(bool /*to_gpu*/, sluice_buffer* /*other*/, uint64_t /*other_offset*/,
             uint64_t /*offset*/, uint64_t /*bytes*/) override {
    refuse();
  }
  std::optional<Ended> reap(bool /*wait*/) override { refuse(); }

 private:
  [[noreturn]] void refuse() const {
    throw std::invalid_argument(name() + " has no copy engine; --code FR and GR need none");
  }

  VfioBar bar_;
  uint8_t* data_ = nullptr;
  BufferHandle buffer_;
};

}  // namespace

std::unique_ptr<GpuDevice> make_peer_memory(sluice_board* board, const std::string& peer,
                                            uint64_t bytes) {
  return std::make_unique<PeerMemory>(board, peer, bytes);
}

}  // namespace sluice::bench
