// SPDX-License-Identifier: Apache-2.0
// TimerBlock: sl_timer on the transaction level. It keeps no state for a cycle that passes: it
// knows the cycle at which it will expire.
#pragma once

#include <cstdint>
#include <optional>

namespace sluice::sim {

class TimerBlock {
 public:
  // offset: among its registers. `cycle`: of the board, as an access begins or has read. Nothing,
  // and false: there is no such register.
  [[nodiscard]] std::optional<uint32_t> load(uint32_t offset, uint64_t cycle) const;
  bool store(uint32_t offset, uint32_t value, uint64_t cycle);

  void edge(uint64_t cycle);
  // Edges after that of `cycle` before the one at which it expires.
  [[nodiscard]] uint64_t quiet_edges(uint64_t cycle) const {
    if (!running()) return UINT64_MAX;
    return expires_at_ > cycle + 1 ? expires_at_ - cycle - 1 : 0;
  }
  [[nodiscard]] bool running() const { return expires_at_ != 0; }
  [[nodiscard]] bool interrupt() const { return (event_ & enable_) != 0; }

 private:
  uint32_t scratch_ = 0, enable_ = 0, delay_ = 0, event_ = 0, expired_ = 0;
  uint64_t expires_at_ = 0;  // 0: it does not run
};

}  // namespace sluice::sim
