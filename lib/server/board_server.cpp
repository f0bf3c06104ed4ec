// SPDX-License-Identifier: Apache-2.0
#include "board_server.hpp"

#include <algorithm>
#include <asio/post.hpp>
#include <nlohmann/json.hpp>
#include <utility>

#include "session.hpp"

namespace sluice::serve {
namespace {

using namespace std::chrono_literals;

constexpr int kHandlers = 64;             // in a row, before the captures are looked after
constexpr int64_t kAlone_ns = 2'000'000;  // a wait for a period, of the only capture
constexpr int64_t kBeside_ns = 200'000;   // the same beside others
constexpr int64_t kStep_ns = 20'000;      // of simulated time
constexpr auto kPoll = 2ms;               // captures that wait for their clients
constexpr auto kRest = 100ms;

}  // namespace

BoardServer::BoardServer(ServedBoard board, const Limits& limits, std::atomic<unsigned>& clients,
                         Tell tell)
    : board_(std::move(board)), limits_(limits), clients_(clients), tell_(std::move(tell)) {
  sluice_board_info info{};
  simulated_ = sluice_board_get_info(board_.board.get(), &info, sizeof info) == 0 &&
               info.simulated_time != 0;
}

BoardServer::~BoardServer() = default;

void BoardServer::start() {
  thread_ = std::thread([this] { loop(); });
}

void BoardServer::join() {
  if (thread_.joinable()) thread_.join();
}

void BoardServer::adopt(asio::ip::tcp::socket socket, std::string client, uint64_t id) {
  const auto protocol = socket.local_endpoint().protocol();
  const int descriptor = socket.release();
  asio::post(io_, [this, protocol, descriptor, id, client = std::move(client)] {
    auto session =
        std::make_shared<Session>(*this, asio::ip::tcp::socket(io_, protocol, descriptor), client);
    sessions_.push_back(session);
    session->begin(id);
    if (stopping_) session->drop("the server was stopped");
  });
}

void BoardServer::stop() {
  asio::post(io_, [this] {
    stopping_ = true;
    for (const auto& session : std::vector(sessions_)) session->drop("the server was stopped");
  });
}

void BoardServer::time_passed() {
  for (const auto& session : sessions_) session->time_passed();
}

bool BoardServer::is_captured(const sluice_channel* channel) const {
  return std::ranges::any_of(sessions_,
                             [&](const auto& session) { return session->captures(channel); });
}

void BoardServer::has_gone(Session& session) {
  const auto found =
      std::ranges::find_if(sessions_, [&](const auto& entry) { return entry.get() == &session; });
  if (found == sessions_.end()) return;
  sessions_.erase(found);
  --clients_;
}

void BoardServer::loop() {
  while (!stopping_ || !sessions_.empty()) {
    bool busy = false;
    for (const auto& session : std::vector(sessions_)) busy |= session->turn();
    if (!busy) idle();
    for (int i = 0; i < kHandlers && io_.poll_one() != 0; ++i) continue;
  }
}

// Nothing can be sent: wait for a period, or for a client.
void BoardServer::idle() {
  Session* hungry = nullptr;
  size_t running = 0;
  for (const auto& session : sessions_) {
    running += session->running();
    if (hungry == nullptr && session->hungry()) hungry = session.get();
  }
  if (board_.free_running && running > 0) {
    for (const auto& session : sessions_)
      if (session->running() > 0) return session->wait_for_period(kStep_ns);
  }
  if (hungry != nullptr && !steps())
    return hungry->wait_for_period(running > 1 ? kBeside_ns : kAlone_ns);
  io_.run_one_for(running > 0 ? kPoll : kRest);
}

}  // namespace sluice::serve
