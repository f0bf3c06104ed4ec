// SPDX-License-Identifier: Apache-2.0
// LaneSink: sl_stream_sink on the transaction level, at the words that an engine reads.
#pragma once

#include <cstdint>
#include <optional>

#include "sluice/model/port_master.hpp"

namespace sluice::sim {

class LaneSink {
 public:
  // Of a stream of so many bits.
  LaneSink(model::Master& master, unsigned width_bits) : master_(master), width_bits_(width_bits) {
    master_.sink() = {.enabled = false};
  }

  // offset: among its registers. Nothing, and false: there is no such register. store() throws
  // NoRegister for stalls.
  [[nodiscard]] std::optional<uint32_t> load(uint32_t offset) const;
  bool store(uint32_t offset, uint32_t value);

 private:
  model::Master& master_;
  unsigned width_bits_;
  uint32_t start_ = 0;
  uint32_t control_ = 0;
};

}  // namespace sluice::sim
