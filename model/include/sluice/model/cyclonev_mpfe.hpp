// SPDX-License-Identifier: Apache-2.0
// Mpfe: the multi-port front end of the Cyclone V SDRAM controller (TRM 12.5.1, 12.6.2).
//
// Every decision lets one DRAM burst of one command port into the single-port controller. Port i
// of the FPGA has command port 2i for reads and 2i + 1 for writes. A read competes when its words
// fit into its port's FIFOs and the free part of the read data block's buffer; a write when its
// words are there and the write data block, which takes write_data_cycles for those of a whole DRAM
// burst, is free before the next decision. The highest priority wins; among equals the largest
// deficit: every competitor gains its weight, and the winner pays the sum of the competitors'
// weights.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sluice/model/cyclonev_controller.hpp"
#include "sluice/model/cyclonev_f2s_port.hpp"
#include "sluice/model/cyclonev_params.hpp"

namespace sluice::model {

class Mpfe {
 public:
  /// Throws std::invalid_argument naming the parameter.
  Mpfe(const MpfeParams& params, const AddressMap& map, SinglePortController& controller);

  /// The next port of the FPGA; at most three.
  void connect(F2sPort& port);

  void tick(std::uint64_t cycle);
  /// Hands data that came back from the DRAM to its port.
  void take_returns(std::uint64_t cycle) {
    while (controller_.returned(cycle, return_latency_cycles_)) {
      const SinglePortController::Command command = controller_.take_returned();
      ports_[command.port]->ddr_returned(command.number);
    }
  }
  [[nodiscard]] bool quiet() const;

 private:
  [[nodiscard]] bool read_competes(std::uint32_t port) const;
  void grant(std::uint32_t command_port, std::uint64_t cycle);

  MpfeParams params_;
  std::uint32_t return_latency_cycles_;  ///< of a read's data to its port
  AddressMap map_;
  SinglePortController& controller_;
  std::vector<F2sPort*> ports_;
  std::array<std::int64_t, MpfeParams::kCommandPorts> deficit_{};
  std::uint64_t write_data_free_ = 0;  ///< cycle at which the write data block is free
};

}  // namespace sluice::model
