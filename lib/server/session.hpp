// SPDX-License-Identifier: Apache-2.0
// A client of a board, in the board's thread.
//
// Whose a period is, on its way:
//   engine   until it has ended, and again once it was released
//   session  it is sent from the ring, by the socket's own gathering write: nothing copies it
//   before
//            the kernel does. Only `released` then says whether the engine has written over it
//            meanwhile, so the client is told of a period's bytes first and then whether they count
//   client   it has the bytes; it releases them as leave for more
#pragma once

#include <array>
#include <asio/buffer.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tcp_protocol.hpp"

namespace sluice::serve {

class BoardServer;

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(BoardServer& board, asio::ip::tcp::socket socket, std::string client);
  ~Session();

  // Answer the call that opened the board, and go on.
  void begin(uint64_t id);
  // The connection ends, and the client is given the reason if that can be.
  void drop(const std::string& reason);

  // Look after the captures; false: there was nothing to do.
  bool turn();
  void time_passed();
  [[nodiscard]] bool captures(const sluice_channel* channel) const;
  [[nodiscard]] size_t running() const;
  // A period could be sent if one ended.
  [[nodiscard]] bool hungry() const;
  // Wait for one that could be sent, or let so much simulated time pass.
  void wait_for_period(int64_t timeout_ns);

 private:
  struct Capture {
    uint16_t index;
    sluice_channel* channel;
    sluice_buffer* buffer;
    const uint8_t* ring;
    uint64_t period_bytes;
    uint32_t periods;
    uint64_t ring_bytes = 0;
    uint64_t next = 0;            // number of the next to be sent
    uint64_t produced = 0;        // so many have ended
    uint64_t free_below = 0;      // the client needs no place for those below
    std::vector<uint64_t> taken;  // by place at the client: number after that sent there last
    bool holds = false;
    uint64_t lost_below = 0;  // those below that are not sent were written over
    uint64_t lost_seen = 0, loss_time_ns = 0;
    uint64_t sent = 0, lost = 0, unsent = 0;
    bool look = true;      // something may have happened
    bool stopped = false;  // the engine is at rest
    int errnum = 0;        // why it stopped by itself
    std::string reason;
    std::optional<uint64_t> stop_call;  // the client waits for the end of what is sent

    // The client has a place for it, and one more, so that a ring is never full of what the engine
    // may write over.
    [[nodiscard]] bool has_place(uint64_t number) const {
      return taken[number % periods] <= free_below &&
             (holds || taken[(number + 1) % periods] <= free_below);
    }
  };
  using Captures = std::vector<std::unique_ptr<Capture>>;

  // What comes.
  void read_header();
  void read_content();
  void take();
  void take_call();
  void take_credit(uint64_t below);
  void take_wait(const tcp::Wait& wait);
  nlohmann::json perform(const nlohmann::json& call);
  nlohmann::json describe_board() const;
  nlohmann::json describe_channel(const nlohmann::json& call) const;
  nlohmann::json describe_attributes() const;
  void start_capture(const nlohmann::json& call, nlohmann::json& answer);
  void stop_capture(const nlohmann::json& call);
  [[nodiscard]] sluice_channel* channel_of(const nlohmann::json& call) const;

  // What goes.
  void push();
  bool add_periods(Capture& capture);
  uint64_t add_losses(Capture& capture, uint64_t below);
  void settle();
  bool finish(Capture& capture);
  void sent(const std::error_code& error);
  void answer(uint64_t id, nlohmann::json answer);
  void beat();
  [[nodiscard]] bool awaited() const;

  void fail(Capture& capture, int errnum);
  void refresh(Capture& capture);
  bool step();
  Capture* find(uint16_t index) const;
  void retire(Capture& capture);
  void end(const std::string& reason);
  void linger();

  BoardServer& board_;
  asio::ip::tcp::socket socket_;
  asio::steady_timer timer_;
  std::string client_;
  std::array<uint8_t, tcp::kHeaderBytes> head_{};
  tcp::Header header_{};
  std::string content_;
  std::string control_;  // frames that wait to be sent
  std::string sending_;  // those that are
  std::vector<std::array<uint8_t, tcp::kHeaderBytes + tcp::kRecordBytes>> heads_;  // of periods
  std::vector<asio::const_buffer> parts_;
  bool writing_ = false;
  bool paused_ = false;  // the client does not read its answers
  bool over_ = false;
  std::optional<std::string> farewell_;  // the reason of an end that waits for what is being sent
  std::chrono::steady_clock::time_point progress_;
  Captures captures_;
  size_t turn_ = 0;           // whose periods go next
  Capture* batch_ = nullptr;  // whose periods are being sent
  uint64_t batch_count_ = 0;
  std::optional<uint64_t> sleep_call_;
  uint64_t sleep_until_ns_ = 0;
  std::optional<tcp::Wait> wait_;
  uint16_t wait_channel_ = 0;
  uint64_t wait_until_ns_ = 0;
};

}  // namespace sluice::serve
