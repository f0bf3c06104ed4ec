// SPDX-License-Identifier: Apache-2.0
#include "sluice/sim/pcie_board.hpp"

#include <utility>

namespace sluice::sim {

PcieBoard::PcieBoard(const model::PcieParams& params, std::unique_ptr<Design> design,
                     unsigned width_bits, double clock_mhz, const std::string& capture)
    : CardBoard(params, clock_mhz),
      logic_(std::move(design), width_bits, params.max_payload, card_memory_, params.card_read_ps,
             params.card_write_ps),
      link_(params, logic_.bridge()) {
  logic_.connect(link_);
  CardBoard::capture(capture);
  logic_.reset({.bdf = kBdf,
                .max_payload = size_code(params.max_payload),
                .max_read_request = size_code(params.max_read_request),
                .msix = true});
  start();
}

void PcieBoard::step(uint64_t /*last_cycle*/) {
  ++cycle_;
  const uint64_t now = now_ps();
  link_.advance_to(now);
  logic_.edge(now);
}

}  // namespace sluice::sim
