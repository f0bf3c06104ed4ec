// SPDX-License-Identifier: Apache-2.0
// CapabilityBlock: sl_capability with one channel, that of a capture, on the transaction level.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sluice/model/port_master.hpp"

namespace sluice::sim {

class CapabilityBlock {
 public:
  static constexpr uint32_t kSnapshots = 16;

  // Counts the master's writes. length_bits: reported.
  CapabilityBlock(const model::Master& master, unsigned length_bits)
      : master_(master), length_bits_(length_bits) {}

  // offset: among its registers. The upper half of a value is that of the lower half's last read.
  // Nothing, and false: there is no such register.
  [[nodiscard]] std::optional<uint32_t> load(uint32_t offset, uint64_t cycle);
  bool store(uint32_t offset, uint32_t value);

  // An edge: bytes of a transfer that ended with it, or 0; drops so far.
  void edge(uint64_t cycle, uint64_t done_bytes, uint64_t drops);
  // An edge at which the master does nothing counts why, and nothing else.
  [[nodiscard]] bool settled() const {
    return moving_ == 0 && words_seen_ == master_.words_written();
  }
  void pass_edges(uint64_t count) { count_stall(count); }

 private:
  struct Snapshot {
    uint64_t time = 0, bytes = 0, drops = 0;
  };

  [[nodiscard]] std::optional<uint32_t> load_channel(uint32_t offset, uint64_t cycle);
  void count_stall(uint64_t edges);
  [[nodiscard]] uint64_t pair(uint32_t offset, uint64_t cycle) const;

  const model::Master& master_;
  unsigned length_bits_;
  uint32_t period_ = 1, count_ = 0, periods_ = 0, select_ = 0;
  uint64_t bytes_ = 0, drops_ = 0, dones_ = 0;
  std::array<uint64_t, 3> stalls_{};  // address, space, response; the rest of the time is data
  uint64_t words_seen_ = 0, beats_ = 0;
  uint64_t moving_ = 0;  // beats of the words seen whose edges are to come
  std::array<Snapshot, kSnapshots> snapshots_{};
  uint32_t upper_ = 0;
};

}  // namespace sluice::sim
