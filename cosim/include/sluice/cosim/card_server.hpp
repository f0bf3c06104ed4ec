// SPDX-License-Identifier: Apache-2.0
// CardServer: one client of a card, from its connection to its end: clocks the card while it works,
// sleeps on the socket while it does not.
//
// While the design moves something, it is clocked without a pause, and the socket is looked at
// every kSliceCycles, so that an access waits some 0.1 ms at most, 0.7 ms of a card's design. Else
// this sleeps on the socket; every kIdle_ms kIdleCycles pass, so that what waits for time alone
// goes on too. Not thread-safe.
#pragma once

#include <string>

#include "sluice/cosim/card.hpp"
#include "sluice/cosim/card_control.hpp"
#include "sluice/cosim/file.hpp"
#include "sluice/cosim/vfio_user.hpp"

namespace sluice::cosim {

class CardServer {
 public:
  static constexpr unsigned kSliceCycles = 128;
  static constexpr int kIdle_ms = 10;
  static constexpr unsigned kIdleCycles = 64;

  // The card, which must live as long as this, is the client's until the destructor resets it.
  // control, which may be null, is served beside the client; recording: VfioUserServer's.
  CardServer(Card& card, File connection, ControlSocket* control = nullptr,
             Recording* recording = nullptr);
  CardServer(const CardServer&) = delete;
  CardServer& operator=(const CardServer&) = delete;
  ~CardServer();

  // A slice of clocking, and what the client asks. False: it has gone or was sent away.
  bool step();

  // Why the client was sent away; empty: it went, or is there.
  [[nodiscard]] const std::string& complaint() const { return server_.complaint(); }

 private:
  Card& card_;
  VfioUserServer server_;
  ControlSocket* control_;
};

}  // namespace sluice::cosim
