// SPDX-License-Identifier: Apache-2.0
// AxiFaults: the faults of an AXI4 port of a card: errors in answers, channels that stand still.
//
// Faults act from the next beat on that is not VALID yet. Of a write that fails the beats from the
// failing one on write nothing. The slave takes a write's data after its address, and answers
// writes in the order of their addresses. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "sluice/cosim/faults.hpp"
#include "sluice/sim/axi_filter.hpp"

namespace sluice::cosim {

class AxiFaults final : public sim::AxiFilter {
 public:
  // width_bytes: of a beat.
  explicit AxiFaults(unsigned width_bytes) : width_bytes_(width_bytes) {}

  void requests(model::Axi4Inputs& pins) override;
  model::Axi4Outputs answers(const model::Axi4Outputs& pins) override;

  // Bursts under way are forgotten.
  void reset();
  // Handshakes of a channel since this was made.
  [[nodiscard]] uint64_t count(Channel channel) const { return counts_[index(channel)]; }
  // Those that act here, in order of arming: ResponseFault and StuckFault of this port. They must
  // live until the next call.
  void set_faults(std::vector<ArmedFault*> faults);

 private:
  struct Burst {
    uint64_t address;  // of the next beat
    model::Response response = model::Response::okay;
  };

  void take_reads(const model::Axi4Inputs& pins);
  void take_writes(model::Axi4Inputs& pins);
  [[nodiscard]] ArmedFault* fault_of(uint64_t address, Channel channel) const;
  [[nodiscard]] bool stuck(Channel channel) const {
    return is_stuck(faults_, channel, count(channel));
  }
  void pass(Channel channel) { ++counts_[index(channel)]; }

  unsigned width_bytes_;
  model::Axi4Outputs shown_{};                        // to the master
  bool read_stays_ = false, response_stays_ = false;  // what is shown was not taken
  std::array<std::deque<Burst>, 256> reads_{};        // by ID
  std::deque<Burst> writes_;                          // without all of their beats
  std::deque<model::Response> owed_;                  // by writes whose beats were all taken
  std::array<uint64_t, kChannelNames.size()> counts_{};
  std::vector<ArmedFault*> faults_;
  ArmedFault* read_fault_ = nullptr;  // of the beat that is shown
};

}  // namespace sluice::cosim
