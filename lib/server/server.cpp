// SPDX-License-Identifier: Apache-2.0
#include "server.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/post.hpp>
#include <asio/read.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <asio/write.hpp>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <nlohmann/json.hpp>
#include <ranges>
#include <utility>

#include "board_server.hpp"
#include "error.hpp"
#include "tcp_protocol.hpp"

namespace sluice::serve {
namespace {

using asio::ip::tcp;
using nlohmann::json;
namespace wire = sluice::tcp;

constexpr int kKeepIdle_s = 5, kKeepInterval_s = 2, kKeepCount = 3;
constexpr unsigned kMostRefused = 16;  // that are given a reason at once; others are closed
constexpr std::chrono::seconds kFarewell{1};

void set(tcp::socket& socket, int level, int option, int value) {
  (void)::setsockopt(socket.native_handle(), level, option, &value, sizeof value);
}

std::string place_of(const tcp::endpoint& end) {
  const std::string address = end.address().to_string();
  return end.address().is_v6() ? fmt::format("[{}]:{}", address, end.port())
                               : fmt::format("{}:{}", address, end.port());
}

}  // namespace

class Server::Listener {
 public:
  Listener(std::vector<ServedBoard> boards, const std::string& address, uint16_t port,
           const Limits& limits, Tell tell)
      : limits_(limits), tell_(std::move(tell)), acceptor_(io_) {
    std::error_code error;
    const auto parsed = asio::ip::make_address(address, error);
    if (error)
      throw Error(EINVAL, "--listen: '{}' is not an address; write one such as 127.0.0.1 or [::1]",
                  address);
    const tcp::endpoint end(parsed, port);
    acceptor_.open(end.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(end, error);
    if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
    if (error)
      throw Error(error.value(), "--listen: {} cannot be listened at: {}", place_of(end),
                  error.message());
    for (ServedBoard& board : boards) {
      const Tell one_at_a_time = [this](const json& event, const std::string& sentence) {
        const std::lock_guard lock(mutex_);
        if (tell_) tell_(event, sentence);
      };
      boards_.push_back(
          std::make_unique<BoardServer>(std::move(board), limits_, clients_, one_at_a_time));
    }
  }

  [[nodiscard]] tcp::endpoint end() const { return acceptor_.local_endpoint(); }

  void run(const std::vector<int>& signals) {
    asio::signal_set caught(io_);
    for (const int signal : signals) caught.add(signal);
    if (!signals.empty())
      caught.async_wait([this](const std::error_code& error, int) {
        if (!error) close();
      });
    for (const auto& board : boards_) board->start();
    accept();
    while (!closed_) io_.run_one();
    for (const auto& board : boards_) board->stop();
    for (const auto& board : boards_) board->join();
  }

  void stop() {
    asio::post(io_, [this] { close(); });
  }

 private:
  // A connection until it is a board's client, or refused.
  class Greeting : public std::enable_shared_from_this<Greeting> {
   public:
    Greeting(Listener& listener, tcp::socket socket, std::string client, std::string refusal)
        : listener_(listener),
          socket_(std::move(socket)),
          timer_(listener.io_),
          client_(std::move(client)),
          refusal_(std::move(refusal)) {}
    ~Greeting() {
      if (refusal_.empty() && counted_) --listener_.clients_;
      if (!refusal_.empty() && !counted_) --listener_.refused_;
    }
    Greeting(const Greeting&) = delete;
    Greeting& operator=(const Greeting&) = delete;

    void begin() {
      counted_ = refusal_.empty();
      timer_.expires_after(listener_.limits_.greeting);
      timer_.async_wait([this, self = shared_from_this()](const std::error_code& error) {
        if (!error) close();
      });
      read(asio::buffer(hello_), [this] { take_hello(); });
    }

   private:
    void close() {
      std::error_code ignored;
      socket_.close(ignored);
      timer_.cancel();
    }

    template <typename Buffer, typename Then>
    void read(Buffer buffer, Then then) {
      asio::async_read(
          socket_, buffer,
          [this, self = shared_from_this(), then](const std::error_code& error, size_t) {
            if (error)
              close();
            else
              then();
          });
    }

    void take_hello() {
      if (wire::version_of(hello_) == 0) return close();  // no client of ours
      const auto ours = wire::hello(wire::kVersion);
      reply_.assign(ours.begin(), ours.end());
      if (wire::version_of(hello_) != wire::kVersion)
        return refuse(fmt::format("it speaks version {} of the protocol, and not {}",
                                  wire::version_of(hello_), wire::kVersion));
      if (!refusal_.empty()) return refuse(refusal_);
      asio::async_write(socket_, asio::buffer(reply_),
                        [this, self = shared_from_this()](const std::error_code& error, size_t) {
                          if (error) return close();
                          read(asio::buffer(head_), [this] { take_header(); });
                        });
    }

    void take_header() {
      const wire::Header header = wire::read_header(head_.data());
      reply_.clear();
      if (header.kind != static_cast<uint16_t>(wire::Kind::call) || header.bytes > wire::kMostCall)
        return refuse("it does not request a board");
      content_.resize(header.bytes);
      read(asio::buffer(content_), [this] { take_call(); });
    }

    void take_call() {
      const json call = json::parse(content_, nullptr, false);
      const auto word = [&](const char* name) -> std::string {
        if (!call.is_object()) return {};
        const auto found = call.find(name);
        return found != call.end() && found->is_string() ? found->get<std::string>() : "";
      };
      if (!call.is_object() || word("call") != "open" || !call.contains("id") ||
          !call["id"].is_number_unsigned())
        return refuse("it does not request a board");
      const auto id = call["id"].get<uint64_t>();
      const std::string name = word("board");
      const auto found = std::ranges::find_if(
          listener_.boards_, [&](const auto& board) { return board->name() == name; });
      if (found == listener_.boards_.end()) {
        auto names = listener_.boards_ |
                     std::views::transform([](const auto& board) { return board->name(); });
        const json answer{{"id", id},
                          {"now_ns", 0},
                          {"error",
                           {{"errno", ENODEV},
                            {"text", fmt::format("no board '{}' is served there; served: {}", name,
                                                 fmt::join(names, ", "))}}}};
        reply_ = wire::frame(wire::Kind::answer, wire::kNoChannel,
                             answer.dump(-1, ' ', true, json::error_handler_t::replace));
        return farewell();
      }
      timer_.cancel();
      counted_ = false;  // the board's now
      (*found)->adopt(std::move(socket_), client_, id);
    }

    void refuse(const std::string& reason) {
      reply_ += wire::goodbye(reason);
      farewell();
    }

    void farewell() {
      timer_.expires_after(kFarewell);
      timer_.async_wait([this, self = shared_from_this()](const std::error_code& error) {
        if (!error) close();
      });
      asio::async_write(socket_, asio::buffer(reply_),
                        [this, self = shared_from_this()](const std::error_code&, size_t) {
                          std::error_code ignored;
                          socket_.shutdown(tcp::socket::shutdown_send, ignored);
                          linger();
                        });
    }

    // Closed with bytes unread, a connection is reset, and the reason with it.
    void linger() {
      socket_.async_read_some(asio::buffer(head_), [this, self = shared_from_this()](
                                                       const std::error_code& error, size_t) {
        if (error)
          close();
        else
          linger();
      });
    }

    Listener& listener_;
    tcp::socket socket_;
    asio::steady_timer timer_;
    std::string client_, refusal_;
    bool counted_ = false;  // among the clients
    wire::Hello hello_{};
    std::array<uint8_t, wire::kHeaderBytes> head_{};
    std::string content_, reply_;
  };

  void accept() {
    acceptor_.async_accept([this](const std::error_code& error, tcp::socket socket) {
      if (closed_) return;
      if (!error) greet(std::move(socket));
      if (error && error != asio::error::connection_aborted) {
        // Out of descriptors, say: others will close some.
        retry_.expires_after(std::chrono::milliseconds(100));
        retry_.async_wait([this](const std::error_code&) { accept(); });
        return;
      }
      accept();
    });
  }

  void greet(tcp::socket socket) {
    std::error_code error;
    const tcp::endpoint from = socket.remote_endpoint(error);
    if (error) return;
    set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
    set(socket, IPPROTO_TCP, TCP_KEEPIDLE, kKeepIdle_s);
    set(socket, IPPROTO_TCP, TCP_KEEPINTVL, kKeepInterval_s);
    set(socket, IPPROTO_TCP, TCP_KEEPCNT, kKeepCount);
    set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(limits_.stall.count()));
    std::string refusal;
    if (clients_ >= limits_.clients) {
      if (refused_ >= kMostRefused) return;
      ++refused_;
      refusal = fmt::format("busy: the server has {} client{} already, its --max-clients",
                            limits_.clients, limits_.clients == 1 ? "" : "s");
    } else {
      ++clients_;
    }
    std::make_shared<Greeting>(*this, std::move(socket),
                               fmt::format("client {} at {}", ++number_, place_of(from)),
                               std::move(refusal))
        ->begin();
  }

  void close() {
    closed_ = true;
    std::error_code ignored;
    acceptor_.close(ignored);
  }

  const Limits limits_;
  Tell tell_;
  std::mutex mutex_;
  std::atomic<unsigned> clients_ = 0;
  unsigned refused_ = 0;
  uint64_t number_ = 0;
  bool closed_ = false;
  std::vector<std::unique_ptr<BoardServer>> boards_;
  asio::io_context io_{1};
  tcp::acceptor acceptor_;
  asio::steady_timer retry_{io_};
};

Server::Server(std::vector<ServedBoard> boards, const std::string& address, uint16_t port,
               const Limits& limits, Tell tell)
    : listener_(
          std::make_unique<Listener>(std::move(boards), address, port, limits, std::move(tell))) {}

Server::~Server() = default;

uint16_t Server::port() const { return listener_->end().port(); }

bool Server::loopback() const { return listener_->end().address().is_loopback(); }

void Server::run(const std::vector<int>& signals) { listener_->run(signals); }

void Server::stop() { listener_->stop(); }

}  // namespace sluice::serve
