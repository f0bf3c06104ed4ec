// SPDX-License-Identifier: Apache-2.0
// A served board: its thread, and the clients that have it open.
#pragma once

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "server.hpp"

namespace sluice::serve {

class Session;

class BoardServer {
 public:
  // `clients` counts all of the server's.
  BoardServer(ServedBoard board, const Limits& limits, std::atomic<unsigned>& clients, Tell tell);
  ~BoardServer();
  BoardServer(const BoardServer&) = delete;
  BoardServer& operator=(const BoardServer&) = delete;

  [[nodiscard]] const std::string& name() const { return board_.name; }
  void start();
  // From any thread: a client that has asked for the board by call `id`. `clients` has it already.
  void adopt(asio::ip::tcp::socket socket, std::string client, uint64_t id);
  // From any thread: drop the clients. The thread then ends.
  void stop();
  void join();

  // For sessions, in the board's thread.
  [[nodiscard]] sluice_board* board() const { return board_.board.get(); }
  [[nodiscard]] const Limits& limits() const { return limits_; }
  [[nodiscard]] asio::io_context& io() { return io_; }
  // The board's time stands still but for what clients ask.
  [[nodiscard]] bool steps() const { return simulated_ && !board_.free_running; }
  [[nodiscard]] bool simulated() const { return simulated_; }
  // Some of the board's time has passed: each capture may have gone on.
  void time_passed();
  [[nodiscard]] bool is_captured(const sluice_channel* channel) const;
  void tell(const nlohmann::json& event, const std::string& sentence) { tell_(event, sentence); }
  void has_gone(Session& session);

 private:
  void loop();
  void idle();

  ServedBoard board_;
  const Limits limits_;
  std::atomic<unsigned>& clients_;
  Tell tell_;
  bool simulated_ = false;
  bool stopping_ = false;
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
  std::vector<std::shared_ptr<Session>> sessions_;
  std::thread thread_;
};

}  // namespace sluice::serve
