// SPDX-License-Identifier: Apache-2.0
#include "sluice/cosim/card_server.hpp"

#include <utility>

namespace sluice::cosim {

CardServer::CardServer(Card& card, File connection, ControlSocket* control, Recording* recording)
    : card_(card), server_(std::move(connection), card, recording), control_(control) {
  card_.attach(&server_);
}

CardServer::~CardServer() { card_.attach(nullptr); }

bool CardServer::step() {
  const bool moves = card_.run(kSliceCycles);
  if (!moves) card_.pass(kIdleCycles);
  return !ControlSocket::wait(control_, server_.descriptor(), moves ? 0 : kIdle_ms) ||
         server_.serve(0);
}

}  // namespace sluice::cosim
