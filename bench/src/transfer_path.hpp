// SPDX-License-Identifier: Apache-2.0
// The ways that transfers go: TransferPath, and what makes one for a code.
#pragma once

#include <sluice.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <sluice.hpp>
#include <span>
#include <vector>

#include "gpu_device.hpp"
#include "transfers.hpp"

namespace sluice::bench {

class TransferPath {
 public:
  virtual ~TransferPath() = default;
  TransferPath(const TransferPath&) = delete;
  TransferPath& operator=(const TransferPath&) = delete;

  // Move data of its own by the same path; whether every byte arrived.
  virtual bool verify() = 0;
  // The timed part: so many transfers, after which end_ns() is the time of the last one's end.
  virtual void run(unsigned transfers) = 0;

  [[nodiscard]] uint64_t end_ns() const { return end_ns_; }
  // The time now, by the clock of the path's times.
  [[nodiscard]] virtual uint64_t now_ns() const { return sluice_board_now_ns(board_); }
  [[nodiscard]] virtual bool simulated_time() const {
    sluice_board_info info{};
    check(sluice_board_get_info(board_, &info, sizeof info));
    return info.simulated_time != 0;
  }
  // Of run(): each transfer's time, and its steps.
  [[nodiscard]] const std::vector<uint64_t>& latency_ns() const { return latency_ns_; }
  [[nodiscard]] const std::vector<TransferStep>& steps() const { return steps_; }

 protected:
  TransferPath(sluice_board* board, const Transfers& asked) : board_(board), asked_(asked) {}

  void begin() {
    latency_ns_.clear();
    steps_.clear();
  }
  void note(const TransferStep& step) { steps_.push_back(step); }
  // A transfer has ended; or, by the second, all that were timed together only.
  void ended(uint64_t start_ns, uint64_t finish_ns) {
    latency_ns_.push_back(finish_ns - start_ns);
    ended(finish_ns);
  }
  void ended(uint64_t finish_ns) { end_ns_ = std::max(end_ns_, finish_ns); }
  // Bytes that arrived, before they are compared: with the one that was asked to be wrong.
  void arrived(std::span<uint8_t> bytes) const {
    if (asked_.corrupt) bytes[*asked_.corrupt % bytes.size()] ^= 1;
  }

  sluice_board* board_;
  const Transfers& asked_;

 private:
  uint64_t end_ns_ = 0;
  std::vector<uint64_t> latency_ns_;
  std::vector<TransferStep> steps_;
};

inline void fill_random(std::span<uint8_t> bytes, uint32_t seed) {
  std::mt19937 random(seed);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
}

// The CPU's accesses to a buffer, from here to the end of the block.
class CpuAccess {
 public:
  explicit CpuAccess(sluice_buffer* buffer) : buffer_(buffer) {
    check(sluice_buffer_begin_access(buffer, SLUICE_READ | SLUICE_WRITE));
  }
  ~CpuAccess() { sluice_buffer_end_access(buffer_); }
  CpuAccess(const CpuAccess&) = delete;
  CpuAccess& operator=(const CpuAccess&) = delete;

 private:
  sluice_buffer* buffer_;
};

// A row of the table of codes.
struct TransferCode {
  const char* name;
  bool with_gpu;  // one takes part
  std::unique_ptr<TransferPath> (*make)(sluice_board* board, const Transfers& asked,
                                        std::unique_ptr<GpuDevice> gpu);
};

// By the card's DMA and by the CPU (card_paths.cpp), and with a GPU (gpu_paths.cpp).
[[nodiscard]] std::span<const TransferCode> card_codes();
[[nodiscard]] std::span<const TransferCode> gpu_codes();

}  // namespace sluice::bench
