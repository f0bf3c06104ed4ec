// SPDX-License-Identifier: Apache-2.0
#include "sluice/sim/transaction_card.hpp"

#include <algorithm>

#include "xdma_card.hpp"

namespace sluice::sim {

TransactionCard::TransactionCard(const model::PcieParams& params, unsigned width_bits,
                                 double clock_mhz, const std::string& capture)
    : CardBoard(params, clock_mhz),
      card_(std::make_unique<XdmaCard>(params, width_bits / 8, card_memory_, clock_)) {
  CardBoard::capture(capture);
  start();
}

TransactionCard::~TransactionCard() = default;

model::PcieLink& TransactionCard::link() { return card_->link(); }

bool TransactionCard::idle() const { return card_->idle(); }

void TransactionCard::step(uint64_t last_cycle) {
  const uint64_t link_ps = link().next_ps();
  uint64_t next = std::min(card_->next(), last_cycle);
  if (link_ps < clock_.time_ps(next)) next = clock_.cycle_at(link_ps);
  cycle_ = std::max(next, cycle_ + 1);
  link().advance_to(now_ps());
  card_->step(cycle_);
}

}  // namespace sluice::sim
