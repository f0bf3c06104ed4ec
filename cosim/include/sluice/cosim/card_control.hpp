// SPDX-License-Identifier: Apache-2.0
// The card's control channel: what stands outside the virtual machine tells the card to fail.
//
// Protocol: a line, one JSON object, is a request; a line is its answer, {"ok": true, ...} or
// {"ok": false, "error": "..."}. Requests and their fields: docs/reference/sluice-card.md.
#pragma once

#include <poll.h>

#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/cosim/card.hpp"
#include "sluice/cosim/file.hpp"
#include "sluice/cosim/unix_socket.hpp"

namespace sluice::cosim {

// One request, done, and its answer; neither has its newline. Whatever the request is, it is
// answered: what cannot be done changes nothing.
std::string answer_control(Card& card, std::string_view request);

// Serves the protocol on a UNIX-domain socket. A client whose line is longer than kMaxLine, or that
// does not read its answers, is sent away, as is one beyond kMaxClients. Not thread-safe.
class ControlSocket {
 public:
  static constexpr std::size_t kMaxLine = 4096;
  static constexpr std::size_t kMaxClients = 8;
  static constexpr std::size_t kMaxUnread = 65'536;  // bytes of answers

  // Throws as UnixSocket.
  ControlSocket(Card& card, std::string path) : card_(card), socket_(std::move(path)) {}

  // What to wait for.
  void add_to(std::vector<pollfd>& entries) const;
  // Serve what has come; never waits.
  void serve();
  // Wait up to timeout_ms (-1: for ever) for this or for another descriptor to become readable,
  // serve this, and say whether the other is. False also for a signal. control may be null.
  static bool wait(ControlSocket* control, int other, int timeout_ms);

 private:
  struct Client {
    File file;
    std::string in{};
    std::string out{};
  };
  // False: it is to go.
  bool serve(Client& client);

  Card& card_;
  UnixSocket socket_;
  std::list<Client> clients_;
};

}  // namespace sluice::cosim
