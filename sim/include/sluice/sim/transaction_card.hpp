// SPDX-License-Identifier: Apache-2.0
// TransactionCard: a CardBoard without RTL, for long sweeps: the design xdma as bursts and packets.
//
// The link is the same object as PcieBoard's; behind it are registers and engines that calculate
// when bursts go, instead of logic. Time jumps from one event to the next; between them it stands
// at edges of the card's clock, as with RTL. lib/tests/card_levels_test.cpp holds both to the same
// times.
//
// Errors: those of CardBoard; NotModelled (transaction_board.hpp), for a register that only the RTL
// level has.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sluice/sim/card_board.hpp"

namespace sluice::sim {

class XdmaCard;

class TransactionCard final : public CardBoard {
 public:
  // As PcieBoard's.
  TransactionCard(const model::PcieParams& params, unsigned width_bits, double clock_mhz,
                  const std::string& capture = {});
  ~TransactionCard() override;

  [[nodiscard]] model::PcieLink& link() override;
  [[nodiscard]] bool idle() const override;

 private:
  void step(uint64_t last_cycle) override;

  std::unique_ptr<XdmaCard> card_;
};

}  // namespace sluice::sim
