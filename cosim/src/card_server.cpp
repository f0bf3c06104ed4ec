// SPDX-License-Identifier: Apache-2.0
#include "sluice/cosim/card_server.hpp"

#include <utility>

namespace sluice::cosim {

CardServer::CardServer(Card& card, File connection)
    : card_(card), server_(std::move(connection), card) {
  card_.attach(&server_);
}

CardServer::~CardServer() { card_.attach(nullptr); }

bool CardServer::step() {
  const bool moves = card_.run(kSliceCycles);
  if (!moves) card_.pass(kIdleCycles);
  return server_.serve(moves ? 0 : kIdle_ms);
}

}  // namespace sluice::cosim
