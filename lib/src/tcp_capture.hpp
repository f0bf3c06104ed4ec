// SPDX-License-Identifier: Apache-2.0
// A capture at the other end of a network.
//
// The server captures into a ring of its own, of the same size, and sends each period that has
// ended, once. It sends none into a place whose period the program has not released, and leaves one
// place free, so nothing is written over here; what the network or the program is too
// slow for, the server's engine writes over, and the server says which periods those are, in their
// place among the others. Every number is therefore one of:
//   coming   the server has not said anything of it, or its bytes are on their way
//   good     in this ring
//   lost     written over before it was sent, or while it was
// The program sees an end of periods (`produced`) behind which a run of good or of lost ones
// changes: so all that it can release at once is good, or lost.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "board.hpp"
#include "loss_log.hpp"
#include "tcp_protocol.hpp"

namespace sluice::tcp {

class Buffer;

class RemoteCapture final : public Capture {
 public:
  // What a capture asks of its board.
  struct Board {
    virtual ~Board() = default;
    // Have the server start one on a channel: the clock of its ticks, and whether it counts.
    struct Started {
      uint64_t clock_hz;
      bool exact;
    };
    virtual Started start(uint16_t channel, const sluice_capture& capture) = 0;
    // Returns when all that it sends has come.
    virtual sluice_capture_status stop(uint16_t channel) = 0;
    // Periods below this number need their places no longer.
    virtual void credit(uint16_t channel, uint64_t below) = 0;
    // Let the board's simulated time pass at the server until the period has ended, and receive.
    virtual void pass(uint16_t channel, uint64_t period, int64_t timeout_ns) = 0;
    // Receive something, which the server owes or not; see Link.
    virtual bool receive(int64_t timeout_ns, bool owed) = 0;
    // The same without a wait. It does not throw: a failure is for the next call to report.
    virtual bool take_what_came() noexcept = 0;
    [[nodiscard]] virtual bool simulated() const = 0;
    // Nothing comes any longer.
    [[nodiscard]] virtual bool failed() const = 0;
  };

  RemoteCapture(Board& board, uint16_t channel, std::string name)
      : board_(board), channel_(channel), name_(std::move(name)) {}

  void start(const sluice_capture& capture) override;
  [[nodiscard]] bool started() const override { return started_; }
  std::optional<uint64_t> wait(uint64_t period, int64_t timeout_ns) override;
  [[nodiscard]] std::optional<sluice_capture_period> period(uint64_t period) const override;
  [[nodiscard]] std::optional<sluice_capture_loss> loss(uint64_t index) const override;
  [[nodiscard]] sluice_capture_status status() const override;
  sluice_capture_answer release(uint64_t period) override;
  void stop() override;

  // What the server sends. Error(EPROTO): it makes no sense.
  uint8_t* place(const Record& record);
  void arrived(const Record& record);
  void settle(const Settled& settled);
  void lose(const Lost& lost, const uint8_t* records);
  void end(int errnum, std::string reason);
  [[nodiscard]] bool running() const;

 private:
  struct Run {
    uint64_t end;  // its periods are those from the end of the run before on
    bool lost;
  };

  [[nodiscard]] uint64_t visible() const;
  [[nodiscard]] uint64_t hidden() const;
  // The server has a place for the next period: else it says nothing.
  [[nodiscard]] bool owed() const {
    return !holds() || taken_[coming_ % asked_.periods] <= credit_below_;
  }
  [[nodiscard]] bool holds() const { return (asked_.flags & SLUICE_CAPTURE_HOLD) != 0; }
  // How many good periods are here at most, one after the other.
  [[nodiscard]] uint64_t window() const { return holds() ? asked_.periods : asked_.periods - 1; }
  // Below it, nothing needs its place.
  [[nodiscard]] uint64_t free_below() const { return std::max(released_, overrun_below_); }
  void give_credit(bool now);
  void overrun(uint64_t below);
  void add(uint64_t end, bool lost, uint64_t time_ns);
  void count(const Record& record);
  void forget_buffer();

  Board& board_;
  uint16_t channel_;
  std::string name_;
  bool started_ = false;
  bool running_ = false;
  sluice_capture asked_{};
  Buffer* buffer_ = nullptr;  // while it is captured into
  uint8_t* ring_ = nullptr;
  RemoteCapture::Board::Started server_{};
  uint64_t coming_ = 0;   // number of the next that the server sends
  uint64_t settled_ = 0;  // below it all are good or lost
  uint64_t released_ = 0;
  uint64_t shown_ = 0;           // the program has seen that so many have ended
  uint64_t overrun_below_ = 0;   // the program waits for periods whose place these have
  uint64_t credit_below_ = 0;    // free_below(), as the server knows it
  std::vector<uint64_t> taken_;  // by place: number after that of the period that came there last
  uint64_t bytes_ = 0, drops_ = 0;
  std::deque<Run> runs_;         // of the periods from released_ to settled_
  std::vector<Record> records_;  // of the last periods, by number modulo their count
  LossLog losses_;
  int errnum_ = 0;  // why it stopped by itself
  std::string reason_;
};

}  // namespace sluice::tcp
