// SPDX-License-Identifier: Apache-2.0
// Serves captures of boards to programs at other machines: the other end of "tcp:" boards.
//
// A thread listens and greets; each board has a thread of its own, which alone calls it. What the
// two ends say to each other: docs/reference/tcp-protocol.md.
#pragma once

#include <sluice.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace sluice::serve {

struct Limits {
  unsigned clients = 8;
  uint64_t bytes = uint64_t{256} << 20;  // of a client's captures: the server's rings, and so what
                                         // is on its way
  std::chrono::milliseconds greeting{5'000};  // for a client to say what it wants
  std::chrono::milliseconds stall{30'000};    // that a client may take nothing of what is sent
  std::chrono::milliseconds heartbeat{250};   // between two signs of life
};

struct CloseBoard {
  void operator()(sluice_board* board) const { sluice_board_close(board); }
};

struct ServedBoard {
  std::string name;  // what clients call it
  std::string uri;
  std::unique_ptr<sluice_board, CloseBoard> board;
  bool free_running = false;  // a simulated board's time passes without a client's call too
};

// Something that happened. Called from any of the server's threads, one at a time.
using Tell = std::function<void(const nlohmann::json& event, const std::string& sentence)>;

class Server {
 public:
  // Listens at an address of this machine; port 0: any. Throws Error.
  Server(std::vector<ServedBoard> boards, const std::string& address, uint16_t port,
         const Limits& limits, Tell tell);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] uint16_t port() const;
  [[nodiscard]] bool loopback() const;  // only this machine reaches it
  // Serve until stop() or one of these signals.
  void run(const std::vector<int>& signals = {});
  // From any thread: say farewell to the clients, and let run() return.
  void stop();

 private:
  class Listener;
  std::unique_ptr<Listener> listener_;
};

}  // namespace sluice::serve
